//! That somebody writes at this moment. It is worth telling only while it is fresh, so it is never
//! told again to a client that was away.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bothy_domain::action::actions;
use bothy_domain::actor::PrincipalKind;
use bothy_domain::event::{Audience, EventKind, NewEvent};
use bothy_domain::ids::{PrincipalId, ThreadId};
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_domain::time::Timestamp;
use bothy_platform::failure::transact;
use bothy_platform::http::Allowed;
use bothy_storage::work;

use crate::Delivery;
use crate::gateway::NOT_FOR_THIS_KIND;

/// When it was last told of somebody that they write in a thread.
#[derive(Debug, Default)]
pub(crate) struct Typing(Mutex<HashMap<(PrincipalId, ThreadId), Timestamp>>);

impl Typing {
    /// Whether to tell, which is not told again for a while.
    fn starts(&self, who: (PrincipalId, ThreadId), now: Timestamp, quiet: Duration) -> bool {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.retain(|_, at| at.plus(quiet) > now);
        let starts = !told.contains_key(&who);
        if starts {
            told.insert(who, now);
        }
        starts
    }
}

impl Delivery {
    /// The caller writes in a thread at this moment.
    ///
    /// # Errors
    /// `forbidden` for those who are no people: what an agent does is shown by its run.
    pub(crate) async fn start_typing(&self, allowed: Allowed<actions::MessageCreate>) -> Result<(), Problem> {
        let actor = allowed.actor();
        if actor.kind != PrincipalKind::Person {
            return Err(allowed.refuse(NOT_FOR_THIS_KIND));
        }
        let (person, thread): (PrincipalId, ThreadId) = (actor.principal, allowed.id());
        let quiet = self.parts.config.gateway.typing_ttl.get() / 2;
        if !self.typing.starts((person, thread), self.now(), quiet) {
            return Ok(());
        }
        let allowed = &allowed;
        transact(&self.parts.database, |unit| {
            work(async move {
                allowed.judged_in(unit).await?;
                let thread = self.parts.chat.thread(unit, thread).await?.ok_or(Problem::new(ProblemCode::NotFound))?;
                let event = NewEvent {
                    space: thread.channel.space,
                    channel: Some(thread.channel.id),
                    thread: Some(thread.id),
                    subject: Some(person.cast()),
                    ..NewEvent::new(EventKind::TypingStarted, Audience::Channel(thread.channel.id))
                };
                Ok(self.parts.events.append(unit, &[event]).await?)
            })
        })
        .await
    }

    /// Whether it may still be told that somebody writes.
    pub(crate) fn is_fresh(&self, at: Timestamp) -> bool {
        at.plus(self.parts.config.gateway.typing_ttl.get()) > self.now()
    }
}
