use std::sync::Arc;
use std::sync::atomic::Ordering;

use bothy_domain::actor::Actor;
use bothy_domain::event::{Audience, Event, EventKind};
use bothy_domain::ids::PrincipalId;
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_platform::authorize::Judge;
use bothy_platform::failure::OrProblem;
use bothy_platform::instance::rights_version;
use bothy_runs::Told;
use bothy_storage::Reader;

use super::end::End;
use super::seat::{Item, Seat};
use crate::Delivery;

/// How many events are looked at at once.
const BATCH: u32 = 500;

impl Delivery {
    /// One look at what is new: reads it, brings rights up to date, judges for every connection, loads
    /// what is shown, and hands it over. Says whether there is more already.
    ///
    /// It is one consistent read: the rights are at least as new as the events, so nothing is judged by
    /// a right that was lost before it was written (C79). What fails leaves everything for the next
    /// look; nothing is handed over by halves.
    pub(super) async fn pass(&self) -> Result<bool, Problem> {
        let reader = self.parts.database.consistent_reader().await.or_problem()?;
        let position = self.hub.position.load(Ordering::SeqCst);
        let page = self.parts.events.read_after(&reader, position, BATCH).await.or_problem()?;
        // Who goes live from here on has not missed these: it catches up after having gone live, and
        // they were in the log before.
        let seats = self.hub.seats();
        if !page.events.is_empty() && !seats.is_empty() {
            self.bring_up_to_date(&reader, &seats, &page.events).await?;
            let seats: Vec<&Arc<Seat>> = seats.iter().filter(|seat| seat.is_live()).collect();
            for (item, takers) in self.items(&reader, &seats, &page.events).await? {
                let item = Arc::new(item);
                for taker in takers {
                    taker.hand(&item);
                }
            }
        }
        self.hub.position.store(page.cursor, Ordering::SeqCst);
        Ok(page.more)
    }

    /// Gives every connection the rights of this read, and ends those whose credential does not count
    /// any more.
    async fn bring_up_to_date(&self, reader: &Reader, seats: &[Arc<Seat>], events: &[Event]) -> Result<(), Problem> {
        let version = rights_version(reader).await.or_problem()?;
        let told = told_of_rights(events);
        for seat in seats {
            let judge = seat.judge();
            if told.binary_search(&seat.principal).is_ok() {
                self.look_again(reader, seat, &judge).await?;
            } else if judge.actor().rights_version != version {
                let actor = Actor { rights_version: version, ..*judge.actor() };
                seat.set_judge(self.authorizer().judge(reader, &actor).await?);
            }
        }
        Ok(())
    }

    /// Looks at the credential of a connection again and at its rights, and ends it when the credential
    /// does not count any more.
    pub(super) async fn look_again(&self, reader: &Reader, seat: &Seat, judge: &Judge) -> Result<(), Problem> {
        match self.parts.identity.recheck(reader, judge.actor()).await {
            Ok(actor) => seat.set_judge(self.authorizer().judge(reader, &actor).await?),
            Err(problem) if problem.code() == ProblemCode::Unauthenticated => seat.cut(End::Unauthenticated),
            Err(problem) => return Err(problem),
        }
        Ok(())
    }

    /// What is handed over, and to whom.
    async fn items<'a>(
        &self,
        reader: &Reader,
        seats: &[&'a Arc<Seat>],
        events: &[Event],
    ) -> Result<Vec<(Item, Vec<&'a Arc<Seat>>)>, Problem> {
        let now = self.now();
        let judges: Vec<(&Arc<Seat>, Judge)> = seats.iter().map(|seat| (*seat, seat.judge().at(now))).collect();
        let mut items = Vec::new();
        for told in self.parts.runs.told(reader, events).await? {
            let takers: Vec<&Arc<Seat>> =
                judges.iter().filter(|(seat, judge)| seat.may_get_by(judge, &told)).map(|(seat, _)| *seat).collect();
            if takers.is_empty() || !self.is_timely(&told) {
                continue;
            }
            let about = self.represent(reader, &told).await?;
            items.push((Item::new(told, about), takers));
        }
        Ok(items)
    }

    /// Whether an event is not out of date already.
    pub(super) fn is_timely(&self, told: &Told) -> bool {
        told.event.event.kind != EventKind::TypingStarted || self.is_fresh(told.event.at)
    }
}

/// Those who are told that something about their rights or credentials changed, ascending.
fn told_of_rights(events: &[Event]) -> Vec<PrincipalId> {
    let mut told: Vec<PrincipalId> = events
        .iter()
        .filter_map(|event| match (event.event.kind, event.event.audience) {
            (EventKind::RightsChanged, Audience::Principal(principal)) => Some(principal),
            _ => None,
        })
        .collect();
    told.sort_unstable();
    told.dedup();
    told
}
