mod hostile;

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bothy_domain::acting_for::RunBinding;
use bothy_domain::acting_for::verdict;
use bothy_domain::actor::ActingFor;
use bothy_domain::ids::{AgentSessionId, MessageId};
use bothy_domain::run::{RunState, TriggerKind};
use bothy_domain::session::TriggerPlace;
use bothy_domain::time::Timestamp;
use bothy_platform::clock::ManualClock;
use bothy_platform::config::Config;
use bothy_platform::entropy::{SeededEntropy, SharedEntropy};
use bothy_platform::keys::InstanceSecret;
use bothy_storage::{Database, OpenOptions};
use bothy_testkit::{TestDb, both_databases};
use serde_json::{Value, json};

use super::*;
use crate::store::row::{NewRun, Trigger};

struct World {
    tokens: InvocationTokens,
    keys: KeyRing,
    clock: ManualClock,
    ids: IdSource,
    run: RunRow,
    database: Database,
}

impl World {
    async fn new(db: &TestDb) -> Self {
        let database = Database::open(&OpenOptions {
            checkout: bothy_testkit::PATIENCE,
            ..OpenOptions::new(db.url().parse().unwrap())
        })
        .await
        .unwrap();
        let clock = ManualClock::new(Timestamp::from_micros(1_767_000_000_000_000));
        let shared: SharedClock = Arc::new(clock.clone());
        let entropy: SharedEntropy = Arc::new(SeededEntropy::new(3));
        let ids = IdSource::new(shared.clone(), entropy.clone());
        let secret = InstanceSecret::new(&[3; 64]).unwrap();
        let keys = KeyRing::open(database.clone(), shared.clone(), entropy, &secret).await.unwrap();
        let settings = RunSettings::from(&Config::default());
        let tokens = InvocationTokens::new(keys.clone(), ids.next(), shared, ids.clone(), &settings);
        let session: Option<AgentSessionId> = None;
        let message: MessageId = ids.next();
        let thread = ids.next();
        let trigger = Trigger { message, place: TriggerPlace { thread, thread_seq: 1 } };
        let kind = TriggerKind::Message;
        let new =
            NewRun { id: ids.next(), thread, agent: ids.next(), session, kind, trigger, triggered_by: ids.next() };
        let run = RunRow::queued(new, clock_now(&clock));
        Self { tokens, keys, clock, ids, run, database }
    }

    async fn reader(&self) -> Reader {
        self.database.reader().await.unwrap()
    }

    /// Good claims of the run, as JSON, to be spoiled.
    fn claims(&self) -> Value {
        let now = clock_now(&self.clock).seconds();
        json!({
            "iss": self.tokens.instance,
            "aud": self.run.agent,
            "sub": self.run.triggered_by,
            "run_id": self.run.id,
            "thread_id": self.run.thread,
            "trigger_kind": "message",
            "iat": now,
            "exp": now + 3600,
            "jti": self.ids.next::<()>(),
        })
    }

    async fn signed(&self, typ: &str, claims: &str) -> String {
        let signer = self.keys.signer(KeyPurpose::Invocation).await.unwrap();
        sign(typ, signer.kid(), signer.key(), claims.as_bytes())
    }

    async fn verifies(&self, token: &str) -> bool {
        self.tokens.verify(&self.reader().await, token).await.unwrap().is_some()
    }
}

fn clock_now(clock: &ManualClock) -> Timestamp {
    use bothy_platform::clock::Clock;
    clock.now()
}

both_databases! {
    async fn a_token_says_whom_it_binds(db: TestDb) {
        let world = World::new(&db).await;
        let token = world.tokens.issue(&world.run).await.unwrap();
        assert!(token.len() < MAX_LEN, "{}", token.len());
        let verified = world.tokens.verify(&world.reader().await, &token).await.unwrap().unwrap();
        let claims = verified.claims;
        assert_eq!((claims.agent, claims.person), (world.run.agent, world.run.triggered_by));
        assert_eq!((claims.run, claims.thread), (Some(world.run.id), Some(world.run.thread)));
        assert_eq!(world.tokens.verify_for(&world.reader().await, &token, &world.run).await.unwrap(), Ok(()));
        // Each token has an id of its own and names the same people.
        let again = world.tokens.issue(&world.run).await.unwrap();
        assert_ne!(token, again);
    }
}

#[tokio::test]
async fn expiry_counts_for_starting_and_not_for_binding() {
    let world = World::new(&TestDb::sqlite()).await;
    let token = world.tokens.issue(&world.run).await.unwrap();
    world.clock.advance(Duration::from_secs(3600 + 29));
    assert_eq!(world.tokens.verify_for(&world.reader().await, &token, &world.run).await.unwrap(), Ok(()));
    world.clock.advance(Duration::from_secs(1));
    assert_eq!(
        world.tokens.verify_for(&world.reader().await, &token, &world.run).await.unwrap(),
        Err(TokenRefused::Expired)
    );
    assert!(world.verifies(&token).await);
}

#[tokio::test]
async fn a_token_of_another_run_starts_nothing() {
    let world = World::new(&TestDb::sqlite()).await;
    let token = world.tokens.issue(&world.run).await.unwrap();
    let others = [
        RunRow { id: world.ids.next(), ..world.run.clone() },
        RunRow { agent: world.ids.next(), ..world.run.clone() },
        RunRow { triggered_by: world.ids.next(), ..world.run.clone() },
        RunRow { thread: world.ids.next(), ..world.run.clone() },
    ];
    for other in others {
        assert_eq!(
            world.tokens.verify_for(&world.reader().await, &token, &other).await.unwrap(),
            Err(TokenRefused::Invalid)
        );
    }
}

#[tokio::test]
async fn claims_that_are_not_ours_bind_nothing() {
    let world = World::new(&TestDb::sqlite()).await;
    let good = world.claims();
    assert!(world.verifies(&world.signed(TYPE, &good.to_string()).await).await);
    let future = clock_now(&world.clock).seconds() + 31;
    let spoiled: Vec<Value> = vec![
        json!({ "iss": world.ids.next::<()>() }),
        json!({ "iat": future }),
        json!({ "iat": "yesterday" }),
        json!({ "trigger_kind": "autocomplete" }),
        json!({ "aud": [world.run.agent] }),
        json!({ "more": 1 }),
    ];
    for change in spoiled {
        let mut claims = good.clone();
        claims.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        assert!(!world.verifies(&world.signed(TYPE, &claims.to_string()).await).await, "{change}");
    }
    for missing in ["iss", "aud", "sub", "iat", "exp", "jti", "trigger_kind"] {
        let mut claims = good.clone();
        claims.as_object_mut().unwrap().remove(missing);
        assert!(!world.verifies(&world.signed(TYPE, &claims.to_string()).await).await, "without {missing}");
    }
    let twice = good.to_string().replacen('{', &format!("{{\"sub\":\"{}\",", world.run.agent), 1);
    assert!(!world.verifies(&world.signed(TYPE, &twice).await).await);
}

#[tokio::test]
async fn tokens_of_other_kinds_and_spellings_bind_nothing() {
    let world = World::new(&TestDb::sqlite()).await;
    let claims = world.claims().to_string();
    for typ in ["at+jwt", "JWT", "audit-checkpoint+jwt"] {
        assert!(!world.verifies(&world.signed(typ, &claims).await).await, "{typ}");
    }
    // A key of another purpose.
    let audit = world.keys.signer(KeyPurpose::Audit).await.unwrap();
    assert!(!world.verifies(&sign(TYPE, audit.kid(), audit.key(), claims.as_bytes())).await);
    let token = world.signed(TYPE, &claims).await;
    let mut segments: Vec<&str> = token.split('.').collect();
    let swapped = URL_SAFE_NO_PAD.encode(world.claims().to_string().replace("message", "command"));
    segments[1] = &swapped;
    let respelled = [
        segments.join("."),
        format!("{token}="),
        format!(" {token}"),
        format!("{token}."),
        token.rsplit_once('.').unwrap().0.to_owned(),
        token.replace('.', ".."),
        token.repeat(2),
        String::new(),
        "bothy_agt_notajws".to_owned(),
        "x".repeat(MAX_LEN + 1),
    ];
    for other in respelled {
        assert!(!world.verifies(&other).await, "{other}");
    }
}

#[tokio::test]
async fn a_retired_key_still_verifies_and_a_new_one_signs() {
    let world = World::new(&TestDb::sqlite()).await;
    let old = world.tokens.issue(&world.run).await.unwrap();
    world.keys.rotate(KeyPurpose::Invocation).await.unwrap();
    let new = world.tokens.issue(&world.run).await.unwrap();
    assert!(world.verifies(&old).await && world.verifies(&new).await);
    assert_ne!(old.split('.').next(), new.split('.').next());
}

#[tokio::test]
async fn what_a_good_token_means_is_said_by_the_run() {
    let world = World::new(&TestDb::sqlite()).await;
    let token = world.tokens.issue(&world.run).await.unwrap();
    let claims = world.tokens.verify(&world.reader().await, &token).await.unwrap().unwrap().claims;
    let run = RunBinding {
        id: world.run.id,
        agent: world.run.agent,
        triggered_by: world.run.triggered_by,
        thread: world.run.thread,
        state: RunState::Queued,
    };
    for state in RunState::ALL {
        let run = RunBinding { state: *state, ..run };
        let found = verdict(&claims, Some(&run), world.run.agent);
        let expected = state.is_active();
        assert_eq!(matches!(found, ActingFor::Bound(_)), expected, "{state}");
        assert_eq!(matches!(found, ActingFor::RunInactive(_)), !expected, "{state}");
    }
    assert_eq!(verdict(&claims, None, world.run.agent), ActingFor::Invalid);
    assert_eq!(verdict(&claims, Some(&run), world.ids.next()), ActingFor::Invalid);
}
