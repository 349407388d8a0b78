use super::*;

async fn post(body: &str) -> Answer {
    let door = Door::open(TestDb::sqlite()).await;
    door.json("POST", &format!("{}/threads", channel_path(VISIBLE)), body).await
}

fn first_error(answer: &Answer) -> (&str, &str) {
    let error = &answer.body["errors"][0];
    (error["pointer"].as_str().unwrap_or_default(), error["message"].as_str().unwrap_or_default())
}

#[tokio::test]
async fn malformed_bodies_name_what_is_wrong_and_never_repeat_it() {
    let cases = [
        ("", "", "not valid JSON at line 1 column 0"),
        ("{", "", "not valid JSON at line 1 column 1"),
        ("{}", "", "`text` is required"),
        ("null", "", "has the wrong type"),
        ("{\"text\":1}", "/text", "has the wrong type"),
        ("{\"text\":\"a\",\"count\":-1}", "/count", "has a value that is not allowed"),
        ("{\"text\":\"a\",\"text\":\"b\"}", "", "a member is there twice"),
        ("{\"text\":\"a\",\"Secret canary\":1}", "", "unknown member"),
        ("{\"text\":\"a\"} {}", "", "more than one JSON value"),
        ("{\"text\":\"\\ud83d\"}", "/text", "not valid JSON at line 1 column 16"),
    ];
    for (body, pointer, message) in cases {
        let answer = post(body).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (422, "validation_failed"), "{body}");
        assert_eq!(first_error(&answer), (pointer, message), "{body}");
        assert!(!answer.body.to_string().contains("canary"));
    }
}

#[tokio::test]
async fn bodies_that_are_deep_large_or_not_utf_8_are_refused() {
    let deep = format!("{{\"text\":{}1{}}}", "[".repeat(400), "]".repeat(400));
    assert_eq!(post(&deep).await.status.as_u16(), 422);
    let large = format!("{{\"text\":\"{}\"}}", "x".repeat(2000));
    assert_eq!(post(&large).await.code(), "payload_too_large");
    let door = Door::open(TestDb::sqlite()).await;
    let request = |kind: &str, body: &'static [u8]| {
        Request::builder()
            .method("POST")
            .uri(format!("{}/threads", channel_path(VISIBLE)))
            .header("authorization", "Bearer alex")
            .header("content-type", kind)
            .body(HttpBody::from(body))
            .unwrap()
    };
    assert_eq!(door.send(request("application/json", b"{\"text\":\"\xff\"}")).await.status.as_u16(), 422);
    assert_eq!(door.send(request("text/plain", b"{\"text\":\"a\"}")).await.code(), "unsupported_media_type");
    assert_eq!(door.send(request("application/json; charset=utf-8", b"{\"text\":\"a\"}")).await.status.as_u16(), 201);
}

#[tokio::test]
async fn queries_are_held_to_their_schema() {
    let door = Door::open(TestDb::sqlite()).await;
    let path = channel_path(VISIBLE);
    for (query, pointer) in [("?limit=x", "/query/limit"), ("?other=1", "/query"), ("?limit=1&limit=2", "/query")] {
        let answer = door.get(&format!("{path}{query}")).await;
        assert_eq!(answer.status.as_u16(), 422, "{query}");
        assert!(first_error(&answer).0.starts_with(pointer), "{query}: {:?}", answer.body);
    }
    assert_eq!(door.get(&format!("{path}?limit=5")).await.status.as_u16(), 200);
}
