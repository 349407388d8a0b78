//! What a consumer gets is what reading everything and keeping what it sees would give.

use bothy_domain::event::{Audience, Event, EventKind, NewEvent};
use bothy_domain::ids::{ChannelId, PrincipalId, SpaceId};
use bothy_domain::policy::Scope;
use bothy_storage::{Database, Reader};
use bothy_testkit::both_databases;
use uuid::Uuid;

use super::{append, channel, node};
use crate::entropy::{Entropy, SeededEntropy, bytes};
use crate::events::{AudienceFilter, EventLog};
use crate::tests_support::open;

const SPACES: u128 = 4;
/// Channels 0 to 19 lie in space `number % SPACES`, 20 to 29 are direct messages.
const IN_SPACES: u128 = 20;
const CHANNELS: u128 = 30;
const PRINCIPALS: u128 = 3;

fn principal(number: u128) -> PrincipalId {
    PrincipalId::from_uuid(Uuid::from_u128(1_000 + number))
}

fn space(number: u128) -> SpaceId {
    SpaceId::from_uuid(Uuid::from_u128(2_000 + number))
}

fn space_of(number: u128) -> Option<SpaceId> {
    (number < IN_SPACES).then(|| space(number % SPACES))
}

fn draw(entropy: &dyn Entropy, below: u128) -> u128 {
    u128::from(u32::from_be_bytes(bytes(entropy))) % below
}

fn random_event(entropy: &dyn Entropy) -> NewEvent {
    match draw(entropy, 20) {
        0 => NewEvent::new(EventKind::PrincipalUpdated, Audience::Instance),
        1 => NewEvent::new(EventKind::RightsChanged, Audience::Principal(principal(draw(entropy, PRINCIPALS)))),
        _ => {
            let number = draw(entropy, CHANNELS);
            let audience = Audience::Channel(channel(number));
            NewEvent { space: space_of(number), ..NewEvent::new(EventKind::MessageCreated, audience) }
        }
    }
}

fn scope(channels: &[u128], spaces: &[u128], instance_wide: bool) -> Scope {
    let channel_ids: Vec<ChannelId> = channels.iter().map(|number| channel(*number)).collect();
    let fully_visible_space_ids: Vec<SpaceId> = spaces.iter().map(|number| space(*number)).collect();
    Scope { channel_ids, space_ids: fully_visible_space_ids.clone(), fully_visible_space_ids, instance_wide }
}

fn expected(all: &[Event], filter: AudienceFilter<'_>) -> Vec<i64> {
    let sees = |event: &&Event| match event.event.audience {
        Audience::Instance => true,
        Audience::Principal(of) => of == filter.principal,
        Audience::Channel(of) => filter.scope.shows_channel(event.event.space, of),
    };
    all.iter().filter(sees).map(|event| event.position).collect()
}

async fn drain(
    log: &EventLog,
    reader: &Reader,
    filter: AudienceFilter<'_>,
    start: i64,
    limit: u32,
    head: i64,
) -> Vec<i64> {
    let mut cursor = start;
    let mut seen = Vec::new();
    loop {
        let page = log.read_for(reader, cursor, limit, filter).await.unwrap();
        assert!(page.events.len() <= limit as usize);
        assert!(page.events.iter().all(|event| event.position > cursor && event.position <= page.cursor));
        seen.extend(page.events.iter().map(|event| event.position));
        cursor = page.cursor;
        if !page.more {
            assert!(cursor >= head, "nothing is left");
            return seen;
        }
        assert!(page.events.len() == limit as usize, "pages are full as long as there is more");
    }
}

async fn filled(database: &Database, log: &EventLog, entropy: &dyn Entropy) -> Vec<Event> {
    for _ in 0..6 {
        let events: Vec<NewEvent> = (0..400).map(|_| random_event(entropy)).collect();
        append(database, log, &events).await;
    }
    log.sequence().await.unwrap();
    log.read_after(&database.reader().await.unwrap(), 0, 10_000).await.unwrap().events
}

both_databases! {
    async fn a_consumer_gets_exactly_what_it_sees(db: TestDb) {
        let database = open(&db).await;
        let log = node(&database).await;
        let entropy = SeededEntropy::new(11);
        let all = filled(&database, &log, &entropy).await;
        assert_eq!(all.len(), 2_400);
        let many: Vec<u128> = (0..CHANNELS).chain(10_000..20_000).collect();
        let scopes = [
            scope(&[], &[], false),
            scope(&[3], &[], false),
            scope(&[25], &[], false),
            scope(&[], &[1], false),
            // Channel 1 lies in space 1: named and shown through its space.
            scope(&[1, 2, 21], &[1, 3], false),
            scope(&[22], &[], true),
            scope(&many, &[], false),
        ];
        let reader = database.reader().await.unwrap();
        for scope in &scopes {
            let filter = AudienceFilter { principal: principal(1), scope };
            let expected = expected(&all, filter);
            for (start, limit) in [(0, 1_000), (0, 50), (0, 7), (2_390, 1), (1_000, 333), (2_400, 5)] {
                let rest: Vec<i64> = expected.iter().copied().filter(|position| *position > start).collect();
                assert_eq!(drain(&log, &reader, filter, start, limit, 2_400).await, rest, "{start} {limit}");
            }
        }
    }

    async fn the_cursor_passes_what_others_see(db: TestDb) {
        let database = open(&db).await;
        let log = node(&database).await;
        filled(&database, &log, &SeededEntropy::new(12)).await;
        let nothing = scope(&[], &[], false);
        let filter = AudienceFilter { principal: principal(99), scope: &nothing };
        let reader = database.reader().await.unwrap();
        let page = log.read_for(&reader, 0, 10_000, filter).await.unwrap();
        assert_eq!((page.cursor, page.more), (2_400, false));
        assert!(page.events.iter().all(|event| event.event.audience == Audience::Instance));
        let idle = log.read_for(&reader, page.cursor, 10, filter).await.unwrap();
        assert_eq!((idle.events.len(), idle.cursor, idle.more), (0, 2_400, false));
    }
}
