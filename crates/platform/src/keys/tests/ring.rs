use std::sync::Arc;
use std::time::Duration;

use bothy_storage::{Database, params, prepare_all, statements};
use bothy_testkit::both_databases;
use ed25519_dalek::VerifyingKey;

use crate::clock::ManualClock;
use crate::entropy::SeededEntropy;
use crate::keys::{InstanceSecret, KeyError, KeyPurpose, KeyRing, store};
use crate::tests_support::open;

statements! {
    /// Another public half.
    SET_PUBLIC = "UPDATE signing_keys SET public_key = $2 WHERE kid = $1";
    /// Another purpose.
    SET_PURPOSE = "UPDATE signing_keys SET purpose = $2, retired_at = NULL WHERE kid = $1";
    /// Another private half.
    SET_SEALED = "UPDATE signing_keys SET sealed_private_key = $2 WHERE kid = $1";
    /// The private half.
    SEALED = "SELECT sealed_private_key FROM signing_keys WHERE kid = $1";
    /// How many live keys there are.
    LIVE = "SELECT kid FROM signing_keys WHERE retired_at IS NULL";
    /// Removes a key.
    REMOVE = "DELETE FROM signing_keys WHERE kid = $1";
}

fn secret(byte: u8) -> InstanceSecret {
    InstanceSecret::new(&[byte; 32]).unwrap()
}

async fn ring_with(
    database: &Database,
    clock: &ManualClock,
    seed: u64,
    secret: &InstanceSecret,
) -> Result<KeyRing, KeyError> {
    KeyRing::open(database.clone(), Arc::new(clock.clone()), Arc::new(SeededEntropy::new(seed)), secret).await
}

async fn ring(database: &Database, clock: &ManualClock, seed: u64) -> KeyRing {
    ring_with(database, clock, seed, &secret(1)).await.unwrap()
}

async fn change(database: &Database, statement: &'static bothy_storage::Statement, values: &[bothy_storage::Value]) {
    let unit = database.begin().await.unwrap();
    assert_eq!(unit.execute(statement, values).await.unwrap(), 1);
    unit.commit().await.unwrap();
}

async fn kid(ring: &KeyRing, purpose: KeyPurpose) -> String {
    ring.signer(purpose).await.unwrap().kid().to_owned()
}

fn public(ring_signer: &crate::keys::Signer) -> VerifyingKey {
    ring_signer.key().verifying_key()
}

both_databases! {
    async fn every_statement_is_understood(db: TestDb) {
        assert_eq!(format!("{:?}", prepare_all(&open(&db).await, store::STATEMENTS).await), "Ok(())");
    }

    async fn each_purpose_has_one_live_key_that_stays(db: TestDb) {
        let database = open(&db).await;
        let clock = ManualClock::default();
        let first = ring(&database, &clock, 1).await;
        let again = ring(&database, &clock, 2).await;
        for purpose in KeyPurpose::ALL {
            let signer = first.signer(purpose).await.unwrap();
            assert_eq!(signer.kid().len(), 22);
            assert_eq!(signer.kid(), kid(&again, purpose).await);
            assert_eq!(again.verifier(&database.reader().await.unwrap(), purpose, signer.kid()).await.unwrap(), Some(public(&signer)));
            assert!(!format!("{signer:?} {first:?}").contains("SigningKey"));
        }
        assert_ne!(kid(&first, KeyPurpose::Invocation).await, kid(&first, KeyPurpose::Audit).await);
    }

    async fn nodes_that_start_at_once_agree(db: TestDb) {
        let database = open(&db).await;
        let clock = ManualClock::default();
        let rings = futures::future::join_all((0..8).map(|seed| ring(&database, &clock, seed))).await;
        for purpose in KeyPurpose::ALL {
            let expected = kid(&rings[0], purpose).await;
            for other in &rings {
                assert_eq!(kid(other, purpose).await, expected);
            }
        }
        let live = database.reader().await.unwrap().all(&LIVE, params![]).await.unwrap();
        assert_eq!(live.len(), 2);
    }

    async fn a_key_of_one_purpose_does_not_count_for_another(db: TestDb) {
        let database = open(&db).await;
        let ring = ring(&database, &ManualClock::default(), 1).await;
        let audit = kid(&ring, KeyPurpose::Audit).await;
        assert_eq!(ring.verifier(&database.reader().await.unwrap(), KeyPurpose::Invocation, &audit).await.unwrap(), None);
    }

    async fn unknown_key_ids_are_nobodys(db: TestDb) {
        let database = open(&db).await;
        let ring = ring(&database, &ManualClock::default(), 1).await;
        for unknown in ["", "k", "AAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAA'", "\u{e9}AAAAAAAAAAAAAAAAAAAA"] {
            assert_eq!(ring.verifier(&database.reader().await.unwrap(), KeyPurpose::Invocation, unknown).await.unwrap(), None);
        }
    }

    async fn after_a_rotation_the_new_key_signs_and_the_old_one_verifies(db: TestDb) {
        let database = open(&db).await;
        let clock = ManualClock::default();
        let (here, there) = (ring(&database, &clock, 1).await, ring(&database, &clock, 2).await);
        let old = here.signer(KeyPurpose::Invocation).await.unwrap();
        let new = here.rotate(KeyPurpose::Invocation).await.unwrap();
        assert_ne!(new, old.kid());
        assert_eq!(kid(&here, KeyPurpose::Invocation).await, new);
        assert_eq!(here.verifier(&database.reader().await.unwrap(), KeyPurpose::Invocation, old.kid()).await.unwrap(), Some(public(&old)));
        let signer = here.signer(KeyPurpose::Invocation).await.unwrap();
        assert_eq!(there.verifier(&database.reader().await.unwrap(), KeyPurpose::Invocation, &new).await.unwrap(), Some(public(&signer)));
        assert_eq!(kid(&there, KeyPurpose::Invocation).await, new);
        assert_eq!(kid(&here, KeyPurpose::Audit).await, kid(&there, KeyPurpose::Audit).await);
        let restarted = ring(&database, &clock, 3).await;
        assert_eq!(kid(&restarted, KeyPurpose::Invocation).await, new);
        assert!(restarted.verifier(&database.reader().await.unwrap(), KeyPurpose::Invocation, old.kid()).await.unwrap().is_some());
    }

    async fn a_node_learns_of_a_rotation_elsewhere_within_a_minute(db: TestDb) {
        let database = open(&db).await;
        let clock = ManualClock::default();
        let (here, there) = (ring(&database, &clock, 1).await, ring(&database, &clock, 2).await);
        let new = here.rotate(KeyPurpose::Invocation).await.unwrap();
        assert_ne!(kid(&there, KeyPurpose::Invocation).await, new);
        clock.advance(Duration::from_secs(61));
        assert_eq!(kid(&there, KeyPurpose::Invocation).await, new);
    }

    async fn rotations_at_once_leave_one_live_key(db: TestDb) {
        let database = open(&db).await;
        let clock = ManualClock::default();
        let rings = futures::future::join_all((0..4).map(|seed| ring(&database, &clock, seed))).await;
        let rotations = rings.iter().map(|ring| ring.rotate(KeyPurpose::Invocation));
        let results = futures::future::join_all(rotations).await;
        assert!(results.iter().any(Result::is_ok), "{results:?}");
        let live = database.reader().await.unwrap().all(&LIVE, params![]).await.unwrap();
        assert_eq!(live.len(), 2);
    }

    async fn a_wrong_secret_opens_nothing(db: TestDb) {
        let database = open(&db).await;
        let clock = ManualClock::default();
        ring(&database, &clock, 1).await;
        let error = ring_with(&database, &clock, 2, &secret(2)).await.unwrap_err();
        assert!(matches!(error, KeyError::Sealed { .. }), "{error}");
    }

    async fn damaged_weak_and_exchanged_keys_stop_the_start(db: TestDb) {
        let database = open(&db).await;
        let clock = ManualClock::default();
        let ring = ring(&database, &clock, 1).await;
        let (invocation, audit) = (ring.signer(KeyPurpose::Invocation).await.unwrap(), ring.signer(KeyPurpose::Audit).await.unwrap());
        let reopen = async || ring_with(&database, &clock, 9, &secret(1)).await.unwrap_err();
        let good = public(&invocation).to_bytes();
        // The identity, a point of small order.
        let mut weak = [0; 32];
        weak[0] = 1;
        change(&database, &SET_PUBLIC, params![invocation.kid(), weak]).await;
        assert!(matches!(reopen().await, KeyError::Weak { .. }));
        change(&database, &SET_PUBLIC, params![invocation.kid(), [7_u8; 31]]).await;
        assert!(matches!(reopen().await, KeyError::Damaged { .. }));
        change(&database, &SET_PUBLIC, params![invocation.kid(), public(&audit).to_bytes()]).await;
        assert!(matches!(reopen().await, KeyError::Damaged { .. }));
        change(&database, &SET_PUBLIC, params![invocation.kid(), good]).await;
        // The private half of another key, under this id.
        let sealed = async |kid: &str| -> Vec<u8> {
            let reader = database.reader().await.unwrap();
            reader.one(&SEALED, params![kid]).await.unwrap().get("sealed_private_key").unwrap()
        };
        let (own, foreign) = (sealed(invocation.kid()).await, sealed(audit.kid()).await);
        for wrong in [foreign, Vec::new(), vec![1; 20], own[..own.len() - 1].to_vec(), [vec![2], own[1..].to_vec()].concat()] {
            change(&database, &SET_SEALED, params![invocation.kid(), wrong]).await;
            assert!(matches!(reopen().await, KeyError::Sealed { .. }));
        }
        change(&database, &SET_SEALED, params![invocation.kid(), own]).await;
        ring_with(&database, &clock, 9, &secret(1)).await.unwrap();
        // The whole row, under another purpose.
        change(&database, &REMOVE, params![audit.kid()]).await;
        change(&database, &SET_PURPOSE, params![invocation.kid(), "audit"]).await;
        assert!(matches!(reopen().await, KeyError::Sealed { .. }));
    }
}
