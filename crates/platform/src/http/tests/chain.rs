use bothy_domain::action::Action;
use bothy_domain::policy::Reason;
use bothy_domain::problem::ProblemCode;
use bothy_testkit::both_databases;

use super::super::chain::prove;
use super::*;
use crate::authorize::CheckLog;

both_databases! {
    /// AZ-6, C101: whatever is wrong with a request, on a hidden target it is answered as on an
    /// unknown id, byte for byte but for the correlation id and the instance.
    async fn az_6_hidden_and_unknown_are_byte_equal(db: TestDb) {
        let door = Door::open(db).await;
        let requests = [
            ("GET", "", ""),
            ("GET", "?limit=nonsense", ""),
            ("PATCH", "", "{\"text\":\"x\"}"),
            ("PATCH", "", "{not json"),
            ("POST", "/threads", "{\"unknown\":1}"),
            ("POST", "/threads", "[]"),
            ("POST", "/archive", ""),
        ];
        for (method, suffix, body) in requests {
            let big = if body == "[]" { "x".repeat(4096) } else { body.to_owned() };
            let hidden = door.json(method, &format!("{}{suffix}", channel_path(HIDDEN)), &big).await;
            let unknown = door.json(method, &format!("{}{suffix}", channel_path(UNKNOWN)), &big).await;
            assert_eq!(hidden.status, StatusCode::NOT_FOUND);
            assert_eq!(hidden.code(), "not_found");
            assert!(hidden.body.get("reason").is_none());
            assert_eq!(hidden.comparable(), unknown.comparable(), "{method} {suffix} {body}");
        }
    }

    /// Each denial is audited with its true reason; an allow of a read is not.
    async fn denials_are_audited(db: TestDb) {
        let door = Door::open(db).await;
        door.get(&channel_path(HIDDEN)).await;
        door.get(&channel_path(UNKNOWN)).await;
        assert_eq!(door.get(&channel_path(VISIBLE)).await.status, StatusCode::OK);
        let reader = door.database.reader().await.unwrap();
        let entries = door.audit.list(&reader, &Default::default()).await.unwrap();
        let mut reasons: Vec<_> = entries.iter().filter_map(|entry| entry.reason.clone()).collect();
        reasons.sort();
        assert_eq!(reasons, [Reason::NoGrant.as_str(), Reason::UnknownTarget.as_str()]);
        assert!(entries.iter().all(|entry| entry.actor_id == Some(alex())));
    }
}

#[test]
fn an_answer_without_a_recorded_allow_is_held_back() {
    let problem = prove(Action::MessageRead, &CheckLog::default()).unwrap_err();
    assert_eq!(problem.code(), ProblemCode::InternalError);
}

#[tokio::test]
async fn a_visible_target_is_judged_on_its_input_next() {
    let door = Door::open(TestDb::sqlite()).await;
    let path = channel_path(VISIBLE);
    let created = door.json("POST", &format!("{path}/threads"), "{\"text\":\"hello\"}").await;
    assert_eq!((created.status, created.body), (StatusCode::CREATED, serde_json::json!({ "text": "hello" })));
    let read = door.get(&path).await;
    assert_eq!(read.headers["etag"], "\"v3\"");
    assert_eq!(read.headers["cache-control"], "no-store");
    let missing = door.json("PATCH", &path, "{\"text\":\"x\"}").await;
    assert_eq!((missing.status, missing.code()), (StatusCode::CONFLICT, "conflict"));
}

#[tokio::test]
async fn the_routers_own_failures_are_problems() {
    let door = Door::open(TestDb::sqlite()).await;
    let cases = [
        ("GET", "/api/v1/nothing".to_owned(), 404, "not_found"),
        ("GET", "/".to_owned(), 404, "not_found"),
        ("DELETE", channel_path(VISIBLE), 405, "method_not_allowed"),
        ("GET", format!("/api/v1/channels/{}", "x".repeat(600)), 413, "payload_too_large"),
        ("GET", "/api/v1/channels/%ff".to_owned(), 422, "validation_failed"),
        ("GET", "/api/v1/channels/NOT-AN-ID".to_owned(), 422, "validation_failed"),
        (
            "GET",
            channel_path(VISIBLE).to_uppercase().replace("/API/V1/CHANNELS", "/api/v1/channels"),
            422,
            "validation_failed",
        ),
    ];
    for (method, path, status, code) in cases {
        let answer = door.json(method, &path, "").await;
        assert_eq!((answer.status.as_u16(), answer.code()), (status, code), "{method} {path}");
        assert_eq!(answer.headers["content-type"], "application/problem+json");
    }
}

#[tokio::test]
async fn a_problem_names_the_path_as_it_was_sent() {
    let door = Door::open(TestDb::sqlite()).await;
    let answer = door.get(&format!("{}?limit=1", channel_path(HIDDEN))).await;
    assert_eq!(answer.body["instance"], channel_path(HIDDEN).as_str(), "the full path, without the query");
}

#[tokio::test]
async fn a_panic_is_a_plain_500() {
    let door = Door::open(TestDb::sqlite()).await;
    let answer = door.json("POST", &format!("{}/archive", channel_path(VISIBLE)), "").await;
    assert_eq!((answer.status.as_u16(), answer.code()), (500, "internal_error"));
    assert!(!answer.body.to_string().contains("secret"));
}

#[tokio::test]
async fn a_request_that_takes_too_long_ends() {
    let door = Door::open(TestDb::sqlite()).await;
    let request = Request::builder().uri("/api/v1/slow").body(HttpBody::empty()).unwrap();
    let pending = tokio::spawn(door.router.clone().oneshot(request));
    tokio::task::yield_now().await;
    door.clock.advance(Duration::from_secs(31));
    assert_eq!(pending.await.unwrap().unwrap().status(), StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test]
async fn a_body_that_does_not_arrive_ends() {
    let door = Door::open(TestDb::sqlite()).await;
    let never = HttpBody::from_stream(futures::stream::pending::<Result<Vec<u8>, std::io::Error>>());
    let request = Request::builder()
        .method("POST")
        .uri(format!("{}/threads", channel_path(VISIBLE)))
        .header("authorization", "Bearer alex")
        .header("content-type", "application/json")
        .body(never)
        .unwrap();
    let router = door.router.clone();
    let mut pending = tokio::spawn(router.oneshot(request));
    let response = loop {
        tokio::select! {
            done = &mut pending => break done.unwrap().unwrap(),
            () = tokio::task::yield_now() => door.clock.advance(Duration::from_secs(1)),
        }
    };
    assert_eq!(response.status(), StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn correlation_ids_are_taken_when_well_formed_and_made_otherwise() {
    let door = Door::open(TestDb::sqlite()).await;
    let send = async |value: &str| {
        let request = Request::builder().uri("/api/v1/nothing").header("correlation-id", value).body(HttpBody::empty());
        door.send(request.unwrap()).await
    };
    let taken = send("client-0123456789").await;
    assert_eq!(taken.headers["correlation-id"], "client-0123456789");
    assert_eq!(taken.body["correlation_id"], "client-0123456789");
    for bad in ["short", "with space inside", "quote\"quote\"", &"x".repeat(65)] {
        assert_ne!(send(bad).await.headers["correlation-id"], bad);
    }
}
