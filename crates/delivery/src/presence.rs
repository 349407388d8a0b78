//! Who is here. A person is present while they have a connection of the gateway to any node; that they
//! come and go is told as an event. It is no secret who is signed in: everybody who is may list people.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bothy_domain::action::actions;
use bothy_domain::actor::PrincipalKind;
use bothy_domain::event::{Audience, EventKind, NewEvent};
use bothy_domain::ids::PrincipalId;
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_platform::failure::transact;
use bothy_platform::http::Allowed;
use bothy_storage::work;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Delivery;
use crate::gateway::NOT_FOR_THIS_KIND;
use crate::store::presence as store;

/// A node that has not renewed its rows for so many heartbeats is gone.
const MISSED_BEATS: u32 = 3;

/// How somebody is present. In order: the strongest of all connections counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PresenceState {
    /// Connected, but elsewhere.
    Away,
    /// Connected.
    Online,
}

impl PresenceState {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Away => "away",
            Self::Online => "online",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        [Self::Away, Self::Online].into_iter().find(|state| state.as_str() == text)
    }
}

/// What changes in the presence of somebody.
#[derive(Debug, Clone, Copy)]
enum Change {
    /// They are connected to this node, for sure until then.
    Arrives(Timestamp),
    /// They are not connected to this node any more.
    Leaves,
    /// They say how present they are.
    Says(PresenceState),
}

/// How many connections each person has to this node.
#[derive(Debug, Default)]
pub(crate) struct Here {
    connections: Mutex<HashMap<PrincipalId, usize>>,
    /// Changes are written one after another, so that the last one written is the last one that
    /// happened.
    writing: tokio::sync::Mutex<()>,
}

impl Here {
    /// Whether somebody came or went by the change of how many connections they have.
    fn change(&self, principal: PrincipalId, change: impl FnOnce(usize) -> usize) -> bool {
        let mut connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        let before = connections.remove(&principal).unwrap_or_default();
        let count = change(before);
        if count > 0 {
            connections.insert(principal, count);
        }
        (before == 0) != (count == 0)
    }

    fn has(&self, principal: PrincipalId) -> bool {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&principal)
    }
}

impl Delivery {
    /// Somebody opened a connection.
    pub(crate) async fn arrives(&self, principal: PrincipalId) {
        if self.here.change(principal, |count| count.saturating_add(1)) {
            self.write_presence(principal).await;
        }
    }

    /// A connection ended.
    pub(crate) async fn leaves(&self, principal: PrincipalId) {
        if self.here.change(principal, |count| count.saturating_sub(1)) {
            self.write_presence(principal).await;
        }
    }

    /// Writes down whether somebody is connected to this node. A failure costs only that it is shown
    /// late: what lapses is forgotten, and what is renewed appears.
    async fn write_presence(&self, principal: PrincipalId) {
        let _in_order = self.here.writing.lock().await;
        let change = if self.here.has(principal) { Change::Arrives(self.present_until()) } else { Change::Leaves };
        if let Err(error) = self.change_presence(principal, change).await {
            tracing::warn!(%error, "presence was not written");
        }
    }

    /// Somebody who is connected says how present they are.
    ///
    /// # Errors
    /// `forbidden` for those who are no people.
    pub(crate) async fn say_presence(
        &self,
        allowed: Allowed<actions::SelfRead>,
        state: PresenceState,
    ) -> Result<(), Problem> {
        if allowed.actor().kind != PrincipalKind::Person {
            return Err(allowed.refuse(NOT_FOR_THIS_KIND));
        }
        let _in_order = self.here.writing.lock().await;
        self.change_presence(allowed.actor().principal, Change::Says(state)).await
    }

    /// Changes the presence of somebody, and tells everybody when it is another one afterwards.
    async fn change_presence(&self, principal: PrincipalId, change: Change) -> Result<(), Problem> {
        transact(&self.parts.database, |unit| {
            work(async move {
                let now = self.now();
                let before = store::lock(unit, principal, now).await?;
                match change {
                    Change::Arrives(until) => {
                        store::arrive(unit, principal, self.node, PresenceState::Online, until).await?;
                    }
                    Change::Leaves => store::leave(unit, principal, self.node).await?,
                    Change::Says(state) => store::set(unit, principal, state).await?,
                }
                if store::of(unit, principal, now).await? != before {
                    self.parts.events.append(unit, &[updated(principal)]).await?;
                }
                Ok(())
            })
        })
        .await
    }

    /// A duty of every node: says that those who are connected to it still are, and forgets the
    /// connections of nodes that are gone.
    ///
    /// # Errors
    /// `unavailable` when the database fails.
    pub async fn keep_presence(&self) -> Result<(), Problem> {
        let until = self.present_until();
        transact(&self.parts.database, |unit| {
            work(async move {
                let now = self.now();
                store::renew(unit, self.node, until).await?;
                let mut gone = store::lapse(unit, now).await?;
                gone.sort_unstable();
                gone.dedup();
                let mut events = Vec::new();
                for principal in gone {
                    if store::of(unit, principal, now).await?.is_none() {
                        events.push(updated(principal));
                    }
                }
                Ok(self.parts.events.append(unit, &events).await?)
            })
        })
        .await
    }

    /// How often [`keep_presence`](Self::keep_presence) is due.
    pub fn presence_interval(&self) -> Duration {
        self.parts.config.gateway.heartbeat_interval.get()
    }

    fn present_until(&self) -> Timestamp {
        self.now().plus(self.presence_interval() * MISSED_BEATS)
    }
}

fn updated(principal: PrincipalId) -> NewEvent {
    NewEvent { subject: Some(principal.cast()), ..NewEvent::new(EventKind::PresenceUpdated, Audience::Instance) }
}
