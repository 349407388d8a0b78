//! Direct messages (chapter 05 section 2): a fixed set of participants, people and agents, outside of
//! every space. The same set is always the same direct message.

use bothy_domain::action::{Action, actions};
use bothy_domain::actor::{PrincipalKind, PrincipalStatus};
use bothy_domain::event::EventKind;
use bothy_domain::ids::{ChannelId, Id, PrincipalId};
use bothy_domain::policy::{Denial, Outcome, Reason, Scope};
use bothy_domain::problem::Problem;
use bothy_identity::PrincipalRef;
use bothy_platform::failure::{OrProblem, transact};
use bothy_platform::http::Allowed;
use bothy_platform::paging::{Cursor, Page, Paging, page};
use bothy_storage::{Reader, UnitOfWork, work};
use uuid::Uuid;

use crate::channels::DEFAULT_SWITCHES;
use crate::chat::gone;
use crate::store::channels::{self, NewChannel, NewPlace};
use crate::store::directs::{self as store, DirectRow};
use crate::{ChannelKind, Chat, DirectFacts, Egress};

/// How many take part in a direct message, the caller among them (chapter 05 section 2).
const FEWEST: usize = 2;
const MOST: usize = 9;

/// The same words for everybody who cannot take part, so that an id tells nothing.
const CANNOT_TAKE_PART: &str = "must be active people, and agents that let you call them into a direct message";

impl Chat {
    /// Opens the direct message of the caller and these principals, or finds it when there is one:
    /// the same set has one. Whether the agents among them admit the caller is asked only when it is
    /// new; whom an agent answers in it is judged at each message.
    ///
    /// # Errors
    /// `validation_failed` when there are too few or too many, or somebody cannot take part;
    /// `forbidden` when an agent in a run leaves out the person that it works for.
    pub(crate) async fn open_dm(
        &self,
        allowed: Allowed<actions::DmOpen>,
        others: &[PrincipalId],
    ) -> Result<DirectFacts, Problem> {
        let set = participants(allowed.actor().principal, others)?;
        if let Some(binding) = allowed.actor().acting_for.binding()
            && !set.contains(&binding.person)
        {
            // What is said there, the person could never see: an agent must not carry it out of sight.
            let reason = Reason::ActingForInsufficient;
            return Err(allowed.refuse(Denial { outcome: Outcome::Forbidden, reason }));
        }
        let known = {
            let reader = self.reader().await?;
            self.direct_of(&reader, &set).await?
        };
        match known {
            Some(found) => Ok(found),
            None => self.make_direct(&allowed, &set).await,
        }
    }

    async fn make_direct(
        &self,
        allowed: &Allowed<actions::DmOpen>,
        set: &[PrincipalId],
    ) -> Result<DirectFacts, Problem> {
        transact(&self.database, |uow| {
            work(async move {
                // Whoever opens something waits here for others who do, and then finds theirs.
                self.changing_rights(uow).await?;
                allowed.judged_in(uow).await?;
                if let Some(found) = self.direct_of(uow, set).await? {
                    return Ok(found);
                }
                let opener = allowed.actor().principal;
                self.require_participants(uow, opener, set).await?;
                let id: ChannelId = self.ids.next();
                let key = store::key(set);
                let new = NewChannel {
                    id,
                    kind: ChannelKind::Direct,
                    place: NewPlace::Direct(&key),
                    switches: DEFAULT_SWITCHES,
                    history_backfill_limit: self.default_backfill_limit(),
                    egress: Egress::Confirm,
                    now: self.clock.now(),
                };
                channels::insert(uow, &new).await?;
                store::insert_participants(uow, id, set).await?;
                self.insert_main_thread(uow, None, id, opener).await?;
                self.tell_channel(uow, EventKind::ChannelCreated, None, id).await?;
                self.rights_gained(uow, set).await?;
                Ok(self.direct_of(uow, set).await?.ok_or_else(gone)?)
            })
        })
        .await
    }

    /// Refuses a set with anybody who cannot take part, all in the same words.
    async fn require_participants(
        &self,
        uow: &UnitOfWork,
        opener: PrincipalId,
        set: &[PrincipalId],
    ) -> Result<(), Problem> {
        let refused = || Problem::invalid("/participant_ids", CANNOT_TAKE_PART);
        let known = self.identity.principals(uow, set).await?;
        if known.len() != set.len() {
            return Err(refused());
        }
        for one in &known {
            let fits = match one.kind {
                PrincipalKind::Person => true,
                PrincipalKind::Agent => one.id == opener || self.admits(uow, one.id, opener).await?,
                PrincipalKind::App => false,
            };
            if !fits || one.status != PrincipalStatus::Active {
                return Err(refused());
            }
        }
        Ok(())
    }

    /// The direct messages of the caller, in the order in which they were opened.
    ///
    /// # Errors
    /// `unavailable` when the database does not answer.
    pub(crate) async fn list_my_dms(
        &self,
        allowed: Allowed<actions::ChannelRead>,
        paging: &Paging,
    ) -> Result<Page<DirectFacts>, Problem> {
        let scope = allowed.scope::<actions::ChannelRead>().await?;
        let me = allowed.actor().principal;
        let reader = self.reader().await?;
        let rows =
            store::in_scope(&reader, &scope, me, after(paging.after_id()?), paging.fetch()).await.or_problem()?;
        let shown = page(rows, paging.limit, |last| Cursor::id(last.id))
            .retain(|row| allowed.judge().keeps(Action::ChannelRead, &row.resource()));
        let items = self.with_participants(&reader, shown.items).await?;
        Ok(Page { items, next_cursor: shown.next_cursor })
    }

    /// The direct messages that a principal takes part in and that a scope shows, by id.
    ///
    /// # Errors
    /// `unavailable` when the database does not answer.
    pub async fn directs(
        &self,
        reader: &Reader,
        scope: &Scope,
        principal: PrincipalId,
        after_id: Option<ChannelId>,
        limit: i64,
    ) -> Result<Vec<DirectFacts>, Problem> {
        let rows = store::in_scope(reader, scope, principal, after(after_id), limit).await.or_problem()?;
        self.with_participants(reader, rows).await
    }

    /// One direct message; not judged.
    ///
    /// # Errors
    /// `unavailable` when the database does not answer.
    pub async fn direct(&self, reader: &Reader, id: ChannelId) -> Result<Option<DirectFacts>, Problem> {
        let row = store::by_id(reader, id).await.or_problem()?;
        self.one_with_participants(reader, row).await
    }

    /// Who takes part in a direct message, ascending; nobody in any other channel. Not judged.
    ///
    /// # Errors
    /// `unavailable` when the database does not answer.
    pub async fn dm_participants(&self, reader: &Reader, channel: ChannelId) -> Result<Vec<PrincipalId>, Problem> {
        store::participants(reader, channel).await.or_problem()
    }

    async fn direct_of(&self, reader: &Reader, set: &[PrincipalId]) -> Result<Option<DirectFacts>, Problem> {
        let row = store::by_set(reader, set).await.or_problem()?;
        self.one_with_participants(reader, row).await
    }

    async fn one_with_participants(
        &self,
        reader: &Reader,
        row: Option<DirectRow>,
    ) -> Result<Option<DirectFacts>, Problem> {
        Ok(self.with_participants(reader, row.into_iter().collect()).await?.pop())
    }

    /// Rows with their participants, two queries however many there are. Whoever takes part may know
    /// who else does, also those who were shut out meanwhile (C46).
    async fn with_participants(&self, reader: &Reader, rows: Vec<DirectRow>) -> Result<Vec<DirectFacts>, Problem> {
        let ids: Vec<ChannelId> = rows.iter().map(|row| row.id).collect();
        let of = store::participants_of(reader, &ids).await.or_problem()?;
        let mut principals: Vec<PrincipalId> = of.values().flatten().copied().collect();
        principals.sort_unstable();
        principals.dedup();
        let mut known = self.identity.principals(reader, &principals).await?;
        known.sort_unstable_by_key(|one| one.id);
        let named = |id: &PrincipalId| -> Option<PrincipalRef> {
            let at = known.binary_search_by_key(id, |one| one.id).ok()?;
            known.get(at).cloned()
        };
        Ok(rows
            .into_iter()
            .map(|row| DirectFacts {
                participants: of.get(&row.id).into_iter().flatten().filter_map(named).collect(),
                id: row.id,
                main_thread: row.main_thread,
                created_at: row.created_at,
            })
            .collect())
    }
}

/// The caller and the others, each once, ascending.
fn participants(me: PrincipalId, others: &[PrincipalId]) -> Result<Vec<PrincipalId>, Problem> {
    let mut set: Vec<PrincipalId> = others.iter().copied().chain([me]).collect();
    set.sort_unstable();
    set.dedup();
    if (FEWEST..=MOST).contains(&set.len()) {
        Ok(set)
    } else {
        let message = format!("must name {} to {} others", FEWEST - 1, MOST - 1);
        Err(Problem::invalid("/participant_ids", message))
    }
}

fn after(id: Option<ChannelId>) -> ChannelId {
    id.unwrap_or(Id::from_uuid(Uuid::nil()))
}
