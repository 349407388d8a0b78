#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must fail")]

use super::*;

const ID: &str = "0193f1f0-1111-7000-8000-0123456789ab";

fn call(text: &str) -> Call {
    match parse(text).unwrap().asked.unwrap() {
        Asked::Call(call) => call,
        Asked::Heartbeat => panic!("a heartbeat: {text}"),
    }
}

fn refused(text: &str) -> Problem {
    parse(text).unwrap().asked.unwrap_err()
}

#[test]
fn ops_stand_for_operations() {
    let read = call(&format!(r#"{{"op":"read_state.set","ref":"7","thread_id":"{ID}","last_read_seq":4}}"#));
    assert_eq!((read.method, read.path), (Method::PUT, format!("/threads/{ID}/read-state")));
    assert_eq!(read.body, br#"{"last_read_seq":4}"#);
    let typing = call(&format!(r#"{{"op":"typing.start","thread_id":"{ID}"}}"#));
    assert_eq!((typing.path, typing.body), (format!("/threads/{ID}/typing"), Vec::new()));
    let update = call(&format!(r#"{{"op":"run.update","run_id":"{ID}","invocation_token":"t","progress":5}}"#));
    assert_eq!((update.method, update.path), (Method::PATCH, format!("/runs/{ID}")));
    assert_eq!((update.invocation_token.as_deref(), update.body.as_slice()), (Some("t"), &br#"{"progress":5}"#[..]));
    assert_eq!(call(r#"{"op":"events.ack","cursor":3}"#).body, br#"{"cursor":3}"#);
}

#[test]
fn only_ids_become_part_of_a_path() {
    for id in ["../me", "0193F1F0-1111-7000-8000-0123456789AB", "x/../../me/password", "", "?"] {
        let refused = refused(&format!(r#"{{"op":"typing.start","thread_id":"{id}"}}"#));
        assert_eq!(refused.errors().first().map(|error| error.pointer.as_str()), Some("/thread_id"), "{id}");
    }
}

#[test]
fn what_makes_no_sense_is_told_from_what_is_refused() {
    for text in ["", "x", "[]", "null", "1", "{}", r#"{"op":1}"#, r#"{"ref":"1"}"#, "{\"op\":\"heartbeat\""] {
        assert!(parse(text).is_none(), "{text}");
    }
    for text in [
        r#"{"op":"heartbeat","more":1}"#,
        r#"{"op":"message.create"}"#,
        r#"{"op":"typing.start"}"#,
        r#"{"op":"events.ack","invocation_token":7}"#,
        r#"{"op":"heartbeat","ref":7}"#,
    ] {
        let _ = refused(text);
    }
    assert!(matches!(parse(r#"{"op":"heartbeat"}"#).unwrap().asked, Ok(Asked::Heartbeat)));
}
