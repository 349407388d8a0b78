mod audience;
mod held;
mod log;
mod nodes;
mod retention;

use std::sync::Arc;

use bothy_domain::event::{Audience, EventKind, NewEvent};
use bothy_domain::ids::{AnyId, ChannelId};
use bothy_storage::Database;
use uuid::Uuid;

use super::EventLog;
use crate::clock::ManualClock;

async fn node(database: &Database) -> EventLog {
    EventLog::open(database.clone(), Arc::new(ManualClock::default())).await.unwrap()
}

/// An event that a number tells apart.
fn event(number: u128) -> NewEvent {
    let subject = Some(AnyId::from_uuid(Uuid::from_u128(number)));
    NewEvent { subject, ..NewEvent::new(EventKind::PrincipalUpdated, Audience::Instance) }
}

fn channel(number: u128) -> ChannelId {
    ChannelId::from_uuid(Uuid::from_u128(number))
}

async fn append(database: &Database, log: &EventLog, events: &[NewEvent]) {
    let unit = database.begin().await.unwrap();
    log.append(&unit, events).await.unwrap();
    unit.commit().await.unwrap();
}

/// The numbers of all events after a cursor.
async fn numbers(database: &Database, log: &EventLog, cursor: i64) -> Vec<u128> {
    let page = log.read_after(&database.reader().await.unwrap(), cursor, 100_000).await.unwrap();
    page.events.iter().map(|event| event.event.subject.unwrap().uuid().as_u128()).collect()
}
