//! The header.

use super::*;

#[tokio::test]
async fn malformed_keys_are_refused_behind_the_door() {
    let door = Door::open(TestDb::sqlite()).await;
    let long = vec![b'k'; 129];
    let malformed: [Vec<Vec<u8>>; 6] = [
        vec![b"".to_vec()],
        vec![long],
        vec!["k\u{e9}y".as_bytes().to_vec()],
        vec![b"tab\tinside".to_vec()],
        vec![b"one".to_vec(), b"two".to_vec()],
        vec![b"same".to_vec(), b"same".to_vec()],
    ];
    for keys in malformed {
        let answer = Ask { keys: keys.clone(), ..Ask::new("", "hello") }.send(&door).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (422, "validation_failed"), "{keys:?}");
        assert_eq!(answer.body["errors"][0]["pointer"], "/header/Idempotency-Key");
        let hidden = Ask { keys, ..Ask::new("", "hello") }.at(notes(HIDDEN)).send(&door).await;
        assert_eq!(hidden.code(), "not_found");
    }
    assert_eq!(made(&door), 0);
    for key in ["k", "a key with spaces", "\"8e03978e-40d5-43dd-bc93-6894a57f9324\"", &"k".repeat(128)] {
        assert_eq!(Ask::new(key, "hello").send(&door).await.status, StatusCode::CREATED, "{key}");
    }
}

/// Operations that create nothing take no key.
#[tokio::test]
async fn a_key_means_nothing_elsewhere() {
    let door = Door::open(TestDb::sqlite()).await;
    let twice = vec![b"one".to_vec(), b"two".to_vec()];
    let threads = format!("{}/threads", channel_path(VISIBLE));
    let answer = Ask { keys: twice, ..Ask::new("", "hello") }.at(threads).send(&door).await;
    assert_eq!(answer.status, StatusCode::CREATED);
    assert!(door.database.reader().await.unwrap().all(&ROWS, &[]).await.unwrap().is_empty());
}

#[tokio::test]
async fn the_description_names_key_and_limits() {
    let door = Door::open(TestDb::sqlite()).await;
    let notebook = Notebook {
        database: door.database.clone(),
        ids: door.services.ids.clone(),
        world: door.world.clone(),
        maker: door.maker.clone(),
    };
    let info = OpenApiInfo { version: "0", description: "" };
    let table = table(notebook);
    assert!(table.operations().all(|operation| operation.creates && operation.status == 201));
    let described = openapi(&table, &info);
    let operation = &described["paths"]["/api/v1/channels/{channel_id}/notes"]["post"];
    assert_eq!(operation["parameters"][1]["$ref"], "#/components/parameters/IdempotencyKey");
    assert_eq!(operation["responses"]["201"]["headers"]["RateLimit"]["$ref"], "#/components/headers/RateLimit");
    let components = &described["components"];
    assert_eq!(components["parameters"]["IdempotencyKey"]["schema"]["maxLength"], 128);
    for name in ["RateLimit", "RateLimitPolicy", "RetryAfter"] {
        assert!(components["headers"][name]["description"].is_string(), "{name}");
    }
    assert!(components["responses"]["Problem"]["headers"]["Retry-After"].is_object());
}
