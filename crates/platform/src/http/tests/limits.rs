//! C106, and that a limit tells nothing.

use super::*;
use crate::serve::Peer;

struct Empty;

async fn heartbeat(_: Allowed<actions::AgentHeartbeat>, _: Arc<Empty>, (): ()) -> Result<NoContent, Problem> {
    Ok(NoContent)
}

async fn sign_in(_: Anyone, _: Arc<Empty>, (): ()) -> Result<NoContent, Problem> {
    Ok(NoContent)
}

pub(super) fn table() -> RouteTable {
    let mut routes = Routes::new(Arc::new(Empty));
    routes.add(post("agentHeartbeat", "/agent/heartbeat", "Beat"), heartbeat);
    routes.add_open(post("createSession", "/sessions", "Sign in"), sign_in);
    routes.into_table()
}

/// Small budgets that fill by one request a second.
fn small(more: &str) -> Config {
    let settings = "public_auth = 60\npublic_auth_burst = 3\nread = 60\nread_burst = 4\nwrite = 60\nwrite_burst = 2";
    toml::from_str(&format!("[rate]\n{settings}\n{more}")).unwrap()
}

async fn small_door() -> Door {
    Door::open_with(TestDb::sqlite(), &small("")).await
}

fn request(method: &str, path: &str, headers: &[(&str, &str)]) -> Request<HttpBody> {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(HttpBody::empty()).unwrap()
}

async fn read_as(door: &Door, token: &str, run: Option<&str>) -> Answer {
    let authorization = format!("Bearer {token}");
    let mut headers = vec![("authorization", authorization.as_str())];
    headers.extend(run.map(|run| ("invocation-token", run)));
    door.send(request("GET", &channel_path(VISIBLE), &headers)).await
}

/// A request without credentials that count, from an address.
async fn stranger(door: &Door, address: &str, forwarded: Option<&str>) -> Answer {
    let mut headers = vec![("authorization", "Bearer nobody")];
    headers.extend(forwarded.map(|forwarded| ("x-forwarded-for", forwarded)));
    let mut request = request("GET", &channel_path(VISIBLE), &headers);
    request.extensions_mut().insert(Peer(address.parse().unwrap()));
    door.send(request).await
}

#[tokio::test]
async fn c106_one_budget_however_many_tokens_and_runs() {
    let door = small_door().await;
    let callers =
        [("lotse", None), ("lotse-second", None), ("lotse-third", Some("run-of-alex")), ("lotse", Some("run-of-sam"))];
    for (left, (token, run)) in callers.into_iter().enumerate() {
        let answer = read_as(&door, token, run).await;
        assert_eq!(answer.status, StatusCode::OK);
        assert_eq!(answer.headers["ratelimit-policy"], "\"rl.read\";q=4;w=4");
        assert_eq!(answer.headers["ratelimit"], format!("\"rl.read\";r={};t={}", 3 - left, 1 + left));
    }
    let refused = read_as(&door, "lotse-fourth", Some("run-of-alex")).await;
    assert_eq!((refused.status.as_u16(), refused.code()), (429, "rate_limited"));
    assert_eq!(refused.headers["retry-after"], "1");
    assert_eq!(refused.headers["ratelimit"], "\"rl.read\";r=0;t=4");
    // Nobody else pays for it, and other classes have budgets of their own.
    assert_eq!(read_as(&door, "alex", None).await.status, StatusCode::OK);
    let beat = door.send(request("POST", "/api/v1/agent/heartbeat", &[("authorization", "Bearer lotse")])).await;
    assert_eq!(beat.status, StatusCode::NO_CONTENT);
    assert_eq!(beat.headers["ratelimit-policy"], "\"rl.agent_runtime\";q=300;w=15");
    door.clock.advance(Duration::from_secs(1));
    assert_eq!(read_as(&door, "lotse", None).await.status, StatusCode::OK);
    assert_eq!(read_as(&door, "lotse", None).await.status.as_u16(), 429);
}

#[tokio::test]
async fn c106_hidden_and_unknown_cost_and_tell_the_same() {
    let door = small_door().await;
    let mut answers = Vec::new();
    for target in [HIDDEN, UNKNOWN] {
        door.clock.advance(Duration::from_secs(60));
        let mut seen = Vec::new();
        for _ in 0..6 {
            let answer = door.get(&channel_path(target)).await;
            let limits = ["ratelimit", "ratelimit-policy", "retry-after"];
            let limits = limits.map(|name| answer.headers.get(name).map(|value| value.to_str().unwrap().to_owned()));
            seen.push((limits, answer.comparable()));
        }
        assert_eq!(seen.iter().filter(|(_, answer)| answer.0.as_u16() == 429).count(), 2);
        answers.push(seen);
    }
    assert_eq!(answers[0], answers[1]);
}

/// Nothing is looked up and nothing audited for a request that was too much.
#[tokio::test]
async fn c99_denials_are_bounded_by_the_budget() {
    let door = small_door().await;
    for _ in 0..50 {
        door.get(&channel_path(HIDDEN)).await;
    }
    let reader = door.database.reader().await.unwrap();
    let entries = door.audit.list(&reader, &Default::default()).await.unwrap();
    assert!(entries.len() <= 4);
}

#[tokio::test]
async fn failed_credentials_are_paid_for_by_the_address() {
    let door = small_door().await;
    for left in (0..3).rev() {
        let answer = stranger(&door, "192.0.2.1:1", None).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (401, "unauthenticated"));
        assert_eq!(answer.headers["ratelimit"], format!("\"rl.public_auth\";r={left};t={}", 3 - left));
    }
    let refused = stranger(&door, "192.0.2.1:2", None).await;
    assert_eq!((refused.status.as_u16(), refused.code()), (429, "rate_limited"));
    assert_eq!(stranger(&door, "192.0.2.2:1", None).await.status.as_u16(), 401);
    // C106: whoever shows credentials that count does not pay for the neighbour.
    let mut neighbour = request("GET", &channel_path(VISIBLE), &[("authorization", "Bearer alex")]);
    neighbour.extensions_mut().insert(Peer("192.0.2.1:3".parse().unwrap()));
    assert_eq!(door.send(neighbour).await.status, StatusCode::OK);
    // What anybody may call has the same budget.
    let mut login = request("POST", "/api/v1/sessions", &[]);
    login.extensions_mut().insert(Peer("192.0.2.1:4".parse().unwrap()));
    let login = door.send(login).await;
    assert_eq!((login.status.as_u16(), login.code()), (429, "rate_limited"));
    assert_eq!(login.headers["ratelimit-policy"], "\"rl.public_auth\";q=3;w=3");
}

#[tokio::test]
async fn c106_invented_addresses_make_no_budgets() {
    let direct = small_door().await;
    let statuses = async |door: &Door| {
        let mut statuses = Vec::new();
        for number in 0..5 {
            let forwarded = format!("203.0.113.{number}");
            statuses.push(stranger(door, "192.0.2.1:1", Some(&forwarded)).await.status.as_u16());
        }
        statuses
    };
    assert_eq!(statuses(&direct).await, [401, 401, 401, 429, 429]);
    let config = small("[server]\ntrusted_proxies = [\"192.0.2.1\"]");
    let behind_proxy = Door::open_with(TestDb::sqlite(), &config).await;
    assert_eq!(statuses(&behind_proxy).await, [401; 5]);
}

/// A token of somebody who was disabled is answered like one that never was.
#[tokio::test]
async fn a_disabled_account_tells_nothing_through_its_budget() {
    let mut answers = Vec::new();
    for token in ["robin", "nobody"] {
        let door = small_door().await;
        let answer = read_as(&door, token, None).await;
        answers.push((
            answer.headers["ratelimit"].clone(),
            answer.headers["ratelimit-policy"].clone(),
            answer.comparable(),
        ));
    }
    assert_eq!(answers[0], answers[1]);
}

/// C106: two nodes that know of each other grant one budget together.
#[tokio::test]
async fn c106_two_nodes_grant_one_budget() {
    let config = small("nodes = 2");
    let first = Door::open_with(TestDb::sqlite(), &config).await;
    let second = first.twin(&config).await;
    let mut granted = 0;
    for _ in 0..5 {
        for door in [&first, &second] {
            granted += u32::from(read_as(door, "lotse", None).await.status == StatusCode::OK);
        }
    }
    assert_eq!(granted, 4);
}

#[tokio::test]
async fn the_routers_own_answers_take_nothing() {
    let door = small_door().await;
    for _ in 0..10 {
        for (method, path, status) in [("GET", "/api/v1/nothing", 404), ("PUT", "/api/v1/sessions", 405)] {
            let answer = door.send(request(method, path, &[])).await;
            assert_eq!(answer.status.as_u16(), status);
            assert_eq!(answer.headers["ratelimit"], "\"rl.public_auth\";r=3;t=0");
        }
    }
}
