use bothy_domain::time::Timestamp;
use serde_json::json;

use super::super::report::Why;
use super::{message, time};
use crate::import::source::Author;

#[test]
fn times_are_read_to_the_microsecond() {
    assert_eq!(time("1512085950.000216"), Some(Timestamp::from_micros(1_512_085_950_000_216)));
    assert_eq!(time("1512085950"), Some(Timestamp::from_micros(1_512_085_950_000_000)));
    assert_eq!(time("1512085950.5"), Some(Timestamp::from_micros(1_512_085_950_500_000)));
    for bad in ["", ".", "-1.0", "1e9", "1512085950.0000001", "999999999999.0", "12 .0", "abc"] {
        assert_eq!(time(bad), None, "{bad}");
    }
}

#[test]
fn what_somebody_said_is_told_from_what_the_system_said() {
    let read = |item: serde_json::Value| {
        let mut left = Vec::new();
        let read = message("general/2017-12-01.json", 3, "C1", &item, &mut left);
        (read, left)
    };
    let (taken, left) = read(json!({
        "type": "message", "user": "U1", "text": "hi", "ts": "1512085950.000216", "thread_ts": "1512085940.000100",
        "edited": { "user": "U1", "ts": "1512085960.000000" }, "reactions": [{ "name": "tada" }, { "name": "+1" }],
        "files": [{ "name": "plan.pdf" }],
    }));
    let taken = taken.unwrap();
    assert_eq!(
        (taken.key.as_str(), taken.parent_key.as_deref()),
        ("slack:C1:1512085950.000216", Some("slack:C1:1512085940.000100"))
    );
    assert_eq!(taken.author, Author::Listed("U1".to_owned()));
    assert_eq!(taken.edited_at, Some(Timestamp::from_micros(1_512_085_960_000_000)));
    let whats: Vec<&str> = left.iter().map(|left| left.what.as_str()).collect();
    assert_eq!(whats, ["a file", "a reaction", "a reaction"]);
    assert!(left.iter().all(|left| left.why == Why::LeftOut && left.at == Some(3)));

    // The first message of a thread names itself.
    let (taken, _) = read(json!({ "type": "message", "user": "U1", "text": "hi", "ts": "1.0", "thread_ts": "1.0" }));
    assert_eq!(taken.unwrap().parent_key, None);
    let (taken, _) =
        read(json!({ "type": "message", "subtype": "bot_message", "username": "Build", "text": "ok", "ts": "1.0" }));
    assert_eq!(taken.unwrap().author, Author::Named("Build".to_owned()));
    let (taken, _) = read(
        json!({ "type": "message", "subtype": "tombstone", "user": "USLACKBOT", "text": "This message was deleted.", "ts": "1.0" }),
    );
    let taken = taken.unwrap();
    assert_eq!(
        (taken.deleted_at, taken.content.markdown(&Default::default())),
        (Some(taken.created_at), String::new())
    );
    let (taken, _) =
        read(json!({ "type": "message", "user": "U1", "text": "", "ts": "1.0", "files": [{ "title": "a `b`" }] }));
    assert_eq!(taken.unwrap().content.markdown(&Default::default()), "File: `a 'b'`");
    let (taken, _) = read(
        json!({ "type": "message", "bot_id": "B1", "text": "", "ts": "1.0", "attachments": [{ "fallback": "built" }] }),
    );
    assert_eq!(taken.unwrap().content.markdown(&Default::default()), "built");

    for (item, why, what) in [
        (
            json!({ "type": "message", "subtype": "channel_join", "user": "U1", "text": "joined", "ts": "1.0" }),
            Why::LeftOut,
            "a line of the system (channel_join)",
        ),
        (
            json!({ "type": "message", "subtype": "Secret text", "user": "U1", "ts": "1.0" }),
            Why::Refused,
            "a message of an unknown kind",
        ),
        (json!({ "type": "note" }), Why::Refused, "no message"),
        (json!("text"), Why::Refused, "no message"),
        (json!({ "type": "message", "user": "U1", "text": "hi" }), Why::Refused, "a message without a time"),
        (json!({ "type": "message", "text": "hi", "ts": "1.0" }), Why::Refused, "a message without an author"),
        (
            json!({ "type": "message", "user": "U1", "text": " ", "ts": "1.0" }),
            Why::LeftOut,
            "a message without a text",
        ),
    ] {
        let refused = read(item).0.unwrap_err();
        assert_eq!((refused.why, refused.what.as_str()), (why, what));
    }
}
