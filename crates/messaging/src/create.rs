use bothy_domain::action::{ActionType, actions};
use bothy_domain::actor::PrincipalKind;
use bothy_domain::ids::{MessageId, PrincipalId, ThreadId};
use bothy_domain::message::MessageKind;
use bothy_domain::policy::{Denial, Outcome, Reason};
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_domain::request::Component;
use bothy_platform::failure::{OrProblem, transact};
use bothy_platform::http::Allowed;
use bothy_storage::{Reader, work};

use crate::content::{check_client_message_id, check_content, request_hash};
use crate::message::resource;
use crate::messaging::gone;
use crate::store::messages::{self, ClientId};
use crate::store::standing;
use crate::write::{CLIENT_ID_TAKEN, NewMessage, origin_of};
use crate::{Effects, Messaging, ShownMessage, check_message_components};

/// What a request to post a message asks for.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) content_md: String,
    pub(crate) reply_to: Option<MessageId>,
    pub(crate) client_message_id: Option<String>,
    pub(crate) components: Vec<Component>,
}

impl Messaging {
    /// Posts a message. Author and origin come from the credential alone.
    ///
    /// With a `client_message_id` the same request, repeated at any later time, is answered with
    /// the message that it wrote; what came of it is told only once.
    ///
    /// # Errors
    /// `validation_failed` for content, reply target or id that cannot be taken, `conflict` when
    /// the thread is closed, `idempotency_conflict` when the id was used for something else.
    pub(crate) async fn create_message(
        &self,
        allowed: Allowed<actions::MessageCreate>,
        draft: Draft,
    ) -> Result<(ShownMessage, Effects), Problem> {
        let thread: ThreadId = allowed.id();
        let allowed = &allowed;
        let actor = allowed.actor();
        check_content(&draft.content_md, self.config.message.max_bytes.to_usize())?;
        if let Some(id) = &draft.client_message_id {
            check_client_message_id(id)?;
        }
        self.check_components(actor.kind, &draft.components)?;
        let hash = request_hash(thread, draft.reply_to, &hashed(&draft)?);
        let client = draft.client_message_id.as_deref().map(|id| ClientId { id, request_hash: &hash });

        let reader = self.reader().await?;
        if let Some(client) = client
            && let Some(earlier) = self.earlier(&reader, actor.principal, thread, client).await?
        {
            return Ok((earlier, Effects::default()));
        }
        self.check_reply_target(&reader, thread, draft.reply_to).await?;
        let mentions = self.mentioned(&reader, &allowed.resource().path, &draft.content_md).await?;
        // A unit of work must not wait for a connection that this request holds.
        drop(reader);

        let new = NewMessage {
            thread,
            author: actor.principal,
            author_kind: actor.kind,
            origin: origin_of(actor.kind),
            kind: MessageKind::Text,
            content_md: &draft.content_md,
            reply_to: draft.reply_to,
            mentions: &mentions,
            run: actor.acting_for.binding().map(|binding| binding.run),
            client,
        };
        let components = &draft.components;
        let written = transact(&self.database, |uow| {
            work(async move {
                allowed.judged_in(uow).await?;
                allowed.takes_effect(uow).await?;
                let outcome = self.write(uow, &new).await.map_err(|problem| refused(allowed, problem))?;
                self.put_components(uow, outcome.row.id, components).await?;
                Ok(outcome)
            })
        })
        .await;
        let reader = self.reader().await?;
        match (written, client) {
            (Ok(outcome), _) => {
                let resource = resource(outcome.row.id, outcome.row.author, &outcome.thread);
                let message = self.with_author(&reader, &outcome.thread, outcome.row).await?;
                // Nobody has reacted to it yet.
                Ok((ShownMessage { resource, message, reactions: Vec::new() }, outcome.effects))
            }
            (Err(problem), Some(client)) if problem.detail() == Some(CLIENT_ID_TAKEN) => {
                let earlier = self.earlier(&reader, actor.principal, thread, client).await?;
                Ok((earlier.ok_or(problem)?, Effects::default()))
            }
            (Err(problem), _) => Err(problem),
        }
    }

    /// What an earlier request of this author with the same id wrote, if there was one. After a
    /// deletion that is the tombstone, never the old text.
    async fn earlier(
        &self,
        reader: &Reader,
        author: PrincipalId,
        thread: ThreadId,
        client: ClientId<'_>,
    ) -> Result<Option<ShownMessage>, Problem> {
        let Some(earlier) = messages::by_client_id(reader, author, client.id).await.or_problem()? else {
            return Ok(None);
        };
        // The thread was judged for this request; a message elsewhere was not.
        let same = earlier.thread == thread
            && earlier.request_hash.is_none_or(|hash| hash.as_slice() == client.request_hash.as_slice());
        if !same {
            return Err(Problem::new(ProblemCode::IdempotencyConflict));
        }
        let thread = self.chat.thread(reader, thread).await?.ok_or_else(gone)?;
        let row = messages::by_id(reader, earlier.id).await.or_problem()?.ok_or_else(gone)?;
        self.shown_one(reader, &thread, row, author).await.map(Some)
    }

    /// Only agents put components under their messages: it is they who are asked by them.
    fn check_components(&self, author: PrincipalKind, components: &[Component]) -> Result<(), Problem> {
        if author != PrincipalKind::Agent && !components.is_empty() {
            return Err(Problem::invalid("/components", "only agents have components under their messages"));
        }
        check_message_components(components, self.config.agent.max_components.to_usize(), "/components")
    }

    /// A reply stays in its thread, which the caller may read, and answers what is there. Any other message is answered like
    /// one that does not exist, so that an id tells nothing.
    async fn check_reply_target(
        &self,
        reader: &Reader,
        thread: ThreadId,
        reply_to: Option<MessageId>,
    ) -> Result<(), Problem> {
        let Some(target) = reply_to else { return Ok(()) };
        match standing::one(reader, target).await.or_problem()? {
            Some(found) if found.thread == thread && !found.deleted => Ok(()),
            _ => Err(Problem::invalid("/reply_to_message_id", "must be a message of the same thread that is there")),
        }
    }
}

/// What tells one request with an id of the client from another. Content has no NUL.
fn hashed(draft: &Draft) -> Result<String, Problem> {
    let mut hashed = draft.content_md.clone();
    if !draft.components.is_empty() {
        hashed.push('\0');
        hashed.push_str(&serde_json::to_string(&draft.components).map_err(Problem::internal)?);
    }
    Ok(hashed)
}

/// A message in a run that has ended meanwhile is refused, and recorded, like one that came later.
pub(crate) fn refused<A: ActionType>(allowed: &Allowed<A>, problem: Problem) -> Problem {
    if problem.code() == ProblemCode::InvocationTokenInvalid {
        allowed.refuse(Denial { outcome: Outcome::InvocationTokenInvalid, reason: Reason::RunInactive })
    } else {
        problem
    }
}
