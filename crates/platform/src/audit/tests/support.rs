//! A log with everything around it.

use std::sync::Arc;

use bothy_domain::action::Action;
use bothy_domain::actor::PrincipalKind;
use bothy_domain::audit::{AuditActor, AuditEntry, Effect};
use bothy_domain::ids::{AnyId, Id, PrincipalId, RunId};
use bothy_domain::policy::Reason;
use bothy_storage::Database;
use uuid::Uuid;

use crate::audit::{AuditFilter, AuditLog, AuditSealer, Checkpoint, Report, StoredAuditEntry, verify};
use crate::clock::ManualClock;
use crate::entropy::{IdSource, SeededEntropy};
use crate::keys::{InstanceSecret, KeyRing};

/// One node of an instance.
pub(super) struct Node {
    pub(super) database: Database,
    pub(super) clock: ManualClock,
    pub(super) log: AuditLog,
    pub(super) sealer: AuditSealer,
}

impl Node {
    /// A node; two nodes of one database need different seeds.
    pub(super) async fn new(database: &Database, clock: &ManualClock, seed: u64) -> Self {
        let shared = Arc::new(clock.clone());
        let entropy = Arc::new(SeededEntropy::new(seed));
        let secret = InstanceSecret::new(&[7; 32]).unwrap();
        let keys = KeyRing::open(database.clone(), shared.clone(), entropy.clone(), &secret).await.unwrap();
        let log = AuditLog::new(shared.clone(), IdSource::new(shared, entropy));
        let sealer = AuditSealer::new(log.clone(), keys);
        Self { database: database.clone(), clock: clock.clone(), log, sealer }
    }

    pub(super) async fn deny(&self, entry: &AuditEntry) {
        self.log.record_alone(&self.database, entry).await.unwrap();
    }

    /// Writes entries that differ in everything that an entry may have or lack.
    pub(super) async fn fill(&self, count: u128) {
        let unit = self.database.begin().await.unwrap();
        for number in 0..count {
            self.clock.set(self.clock_now().plus(std::time::Duration::from_micros(11)));
            self.log.record(&unit, &varied(number)).await.unwrap();
        }
        unit.commit().await.unwrap();
    }

    pub(super) async fn seal(&self) -> u64 {
        self.sealer.seal_once(&self.database).await.unwrap()
    }

    pub(super) async fn checkpoint(&self) -> Checkpoint {
        self.sealer.checkpoint_once(&self.database).await.unwrap().expect("something new to sign")
    }

    pub(super) async fn verify(&self, kept: Option<&Checkpoint>) -> Report {
        verify(&self.database.consistent_reader().await.unwrap(), kept).await.unwrap()
    }

    /// Every entry, from the oldest.
    pub(super) async fn entries(&self) -> Vec<StoredAuditEntry> {
        let reader = self.database.reader().await.unwrap();
        let mut entries = self.log.list(&reader, &AuditFilter::newest(u32::MAX)).await.unwrap();
        entries.reverse();
        entries
    }

    fn clock_now(&self) -> bothy_domain::time::Timestamp {
        crate::clock::Clock::now(&self.clock)
    }
}

pub(super) fn id<K>(number: u128) -> Id<K> {
    Id::from_uuid(Uuid::from_u128(number))
}

/// A denial of reading a channel.
pub(super) fn denial(actor: PrincipalId, target: AnyId, run: Option<RunId>, reason: Reason) -> AuditEntry {
    AuditEntry {
        actor: AuditActor::Principal(PrincipalKind::Agent, actor),
        action: Action::ChannelRead,
        effect: Effect::Deny,
        reason: Some(reason),
        resource_kind: "channel",
        resource_id: Some(target),
        run,
        acting_for: run.map(|_| id(900)),
        details: vec![("token_verdict", "none".to_owned())],
    }
}

fn varied(number: u128) -> AuditEntry {
    let mut entry = denial(id(number % 7), id(1_000 + number), Some(id(number % 5)), Reason::NoGrant);
    if number.is_multiple_of(3) {
        entry =
            AuditEntry::by_server(Action::SpaceCreate, None, "\u{1f}\"\\ \u{e9}\u{7f}\u{2028}").with("count", number);
    }
    if number.is_multiple_of(4) {
        entry.run = None;
        entry.acting_for = None;
        entry.actor = AuditActor::Anonymous;
    }
    entry
}
