//! What a message starts (chapter 06 section 1), in the unit of work that writes it.

use bothy_chat::{NewThread, ThreadFacts, ThreadKind};
use bothy_domain::action::{Action, ResourceKind};
use bothy_domain::actor::PrincipalKind;
use bothy_domain::audit::{AuditActor, AuditEntry, Effect};
use bothy_domain::ids::{MessageId, PrincipalId, RunId};
use bothy_domain::message::{MessageKind, Origin};
use bothy_domain::policy::Reason;
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_domain::run::TriggerKind;
use bothy_domain::session::TriggerPlace;
use bothy_domain::trigger::{
    ActiveRun, AgentFacts, Candidate, Decision, MessageFacts, Outcome, Standing, candidates, decide,
};
use bothy_messaging::{DeletedMessage, Effects, MessageWritten, NewNotice, Notice, WrittenMessage};
use bothy_platform::failure::OrProblem;
use bothy_storage::UnitOfWork;
use futures::FutureExt;
use futures::future::BoxFuture;

use crate::attach::{Call, Reached};
use crate::place::ThreadPlace;
use crate::rights::{RightsNow, Source};
use crate::store::row::Trigger;
use crate::{Runs, store};

impl MessageWritten for Runs {
    fn message_written<'a>(
        &'a self,
        unit: &'a UnitOfWork,
        message: &'a WrittenMessage,
    ) -> BoxFuture<'a, Result<Effects, Problem>> {
        self.written(unit, message).boxed()
    }

    fn message_deleted<'a>(
        &'a self,
        unit: &'a UnitOfWork,
        message: &'a DeletedMessage,
    ) -> BoxFuture<'a, Result<(), Problem>> {
        self.deleted(unit, message).boxed()
    }
}

/// A candidate with what the decision needs to know, and why the author may not invoke it.
pub(crate) struct Judged {
    pub(crate) facts: AgentFacts,
    pub(crate) refusal: Option<Reason>,
}

impl Runs {
    async fn written(&self, unit: &UnitOfWork, message: &WrittenMessage) -> Result<Effects, Problem> {
        if let Some(run) = message.run {
            self.still_in(unit, run).await?;
        }
        // Only what a person wrote as text starts, follows up or answers (point 1).
        if message.origin != Origin::Human || message.kind != MessageKind::Text {
            return Ok(Effects::default());
        }
        let mentioned = mentioned_agents(message);
        let trigger = Trigger {
            message: message.id,
            place: TriggerPlace { thread: message.thread.id, thread_seq: message.thread_seq },
        };
        let place = self.place_of(unit, &message.thread).await?;
        let answered = self.answer(unit, message, place.is_direct(), &mentioned, trigger).await?;
        let facts = MessageFacts {
            origin: Some(message.origin),
            kind: message.kind,
            author: message.author,
            place: place.place(),
            switches: message.thread.channel.switches,
            mentioned: &mentioned,
        };
        // Who was asked for an answer and got it is not called a second time.
        let mut candidates = candidates(&facts);
        candidates.retain(|candidate| !answered.contains(&candidate.agent));
        if candidates.is_empty() {
            return Ok(Effects::default());
        }
        let judged = self.judged(unit, message.author, &message.thread, &place, &candidates).await?;
        let known: Vec<AgentFacts> = judged.iter().map(|one| one.facts).collect();
        let decisions = decide(&facts, &candidates, &known, self.settings.max_invocations);
        let mut effects = self.carry_out(unit, message, &decisions, trigger).await?;
        effects.notices = self.notices(unit, message, &decisions, &judged).await?;
        Ok(effects)
    }

    /// Holds the run that an agent writes a message in. Who ends the run meanwhile comes first or
    /// waits, so that no answer is ordered after the end (C67).
    async fn still_in(&self, unit: &UnitOfWork, run: RunId) -> Result<(), Problem> {
        match store::run::lock_active(unit, run).await? {
            Some(_) => Ok(()),
            None => Err(Problem::new(ProblemCode::InvocationTokenInvalid).with_reason("run_inactive")),
        }
    }

    pub(crate) async fn judged(
        &self,
        unit: &UnitOfWork,
        author: PrincipalId,
        thread: &ThreadFacts,
        place: &ThreadPlace,
        candidates: &[Candidate],
    ) -> Result<Vec<Judged>, Problem> {
        let rights: RightsNow<'_> = self.rights(Source::Unit(unit));
        let active = store::run::active_in_thread(unit, thread.id).await?;
        let mut judged = Vec::with_capacity(candidates.len());
        for candidate in candidates.iter().filter(|candidate| candidate.admitted) {
            let agent = candidate.agent;
            let invoke = rights.invoke(author, agent, thread, place.is_direct()).await?;
            let facts = AgentFacts {
                agent,
                active: rights.is_active(agent).await?,
                may_read_and_write: rights.works(agent, thread).await?,
                invocable: invoke.is_ok(),
                active_run: active
                    .iter()
                    .find(|run| run.agent == agent)
                    .map(|run| ActiveRun { run: run.id, triggered_by: run.triggered_by }),
            };
            judged.push(Judged { facts, refusal: invoke.err() });
        }
        Ok(judged)
    }

    async fn carry_out(
        &self,
        unit: &UnitOfWork,
        message: &WrittenMessage,
        decisions: &[Decision],
        trigger: Trigger,
    ) -> Result<Effects, Problem> {
        let mut effects = Effects::default();
        let mut opened: Option<ThreadFacts> = None;
        for decision in decisions.iter().filter(|decision| decision.outcome.invokes()) {
            let opens = decision.outcome == Outcome::Start { open_thread: true };
            if opens && opened.is_none() {
                opened = Some(self.open_thread(unit, &message.thread, message.id, message.author).await?);
            }
            let thread = opened.as_ref().filter(|_| opens).unwrap_or(&message.thread);
            let call = Call {
                agent: decision.agent,
                author: message.author,
                operates: decision.standing == Standing::Operator,
                kind: TriggerKind::Message,
                trigger,
            };
            if let Reached::Started(run) = self.attach(unit, thread, call).await? {
                effects.runs.push(run);
            }
        }
        effects.thread_opened = opened.map(|thread| thread.id);
        Ok(effects)
    }

    /// The thread that all agents of the message answer in (point 4); the message stays where it is.
    pub(crate) async fn open_thread(
        &self,
        unit: &UnitOfWork,
        around: &ThreadFacts,
        message: MessageId,
        author: PrincipalId,
    ) -> Result<ThreadFacts, Problem> {
        let channel = &around.channel;
        let new = NewThread {
            channel: channel.id,
            space: channel.space,
            kind: ThreadKind::Thread,
            parent_message: Some(message),
            title: None,
            created_by: author,
        };
        let id = self.chat.open_thread(unit, new).await?;
        self.chat.thread(unit, id).await?.ok_or_else(|| Problem::internal("a thread was opened and cannot be found"))
    }

    /// Tells the author, and nobody else, which mentioned agents will not answer (point 6), and
    /// records who tried to invoke an agent without the right to (C44).
    async fn notices(
        &self,
        unit: &UnitOfWork,
        message: &WrittenMessage,
        decisions: &[Decision],
        judged: &[Judged],
    ) -> Result<Vec<Notice>, Problem> {
        let mut notices = Vec::new();
        for decision in decisions.iter().filter(|decision| decision.notice()) {
            let code = notice_code(decision.outcome);
            let notice = NewNotice {
                person: message.author,
                thread: &message.thread,
                message: Some(message.id),
                agent: Some(decision.agent),
                run: None,
                code,
            };
            self.messaging.notify(unit, &notice).await?;
            notices.push(Notice { agent: decision.agent, code });
            let refusal = judged.iter().find(|one| one.facts.agent == decision.agent).and_then(|one| one.refusal);
            if let Some(reason) = refusal {
                self.audit.record(unit, &refused(message, decision.agent, reason)).await.or_problem()?;
            }
        }
        Ok(notices)
    }
}

fn mentioned_agents(message: &WrittenMessage) -> Vec<PrincipalId> {
    message.mentions.iter().filter(|one| one.kind == PrincipalKind::Agent).map(|one| one.id).collect()
}

const fn notice_code(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::NotAdmitted => "agents_not_admitted",
        Outcome::NotAllowed => "agent_not_allowed",
        Outcome::OverLimit => "too_many_agents",
        Outcome::Unable | Outcome::Start { .. } | Outcome::FollowUp { .. } | Outcome::Wait { .. } => {
            "agent_unavailable"
        }
    }
}

fn refused(message: &WrittenMessage, agent: PrincipalId, reason: Reason) -> AuditEntry {
    AuditEntry {
        actor: AuditActor::Principal(message.author_kind, message.author),
        action: Action::AgentInvoke,
        effect: Effect::Deny,
        reason: Some(reason),
        resource_kind: ResourceKind::Channel.as_str(),
        resource_id: Some(message.thread.channel.id.cast()),
        run: None,
        acting_for: None,
        details: Vec::new(),
    }
    .with("agent", agent)
}
