use bothy_domain::ids::Id;
use uuid::Uuid;

use super::{check_client_message_id, check_content, request_hash};

#[test]
fn content_is_bounded_in_bytes_and_not_blank() {
    for good in ["a", "  x ", "ä", "\u{1F468}\u{200D}\u{1F469}", "line\nline\ttab"] {
        assert!(check_content(good, 16).is_ok(), "{good}");
    }
    for bad in ["", " ", "\n\t ", "\u{2003}", "a\0b", "aaaaaaaaaaaaaaaaa", "ääääääääa"] {
        assert!(check_content(bad, 16).is_err(), "{bad:?}");
    }
}

#[test]
fn client_message_ids_are_short_visible_ascii() {
    for good in ["a", "run:0190a000-0000-7000-8000-000000000000/answer", &"x".repeat(128)] {
        assert!(check_client_message_id(good).is_ok(), "{good}");
    }
    for bad in ["", " ", "a b", "a\nb", "é", "a\0", &"x".repeat(129)] {
        assert!(check_client_message_id(bad).is_err(), "{bad:?}");
    }
}

#[test]
fn requests_differ_in_thread_reply_and_content() {
    let [one, two] = [1, 2].map(Uuid::from_u128);
    let hashes = [
        request_hash(Id::from_uuid(one), None, "a"),
        request_hash(Id::from_uuid(two), None, "a"),
        request_hash(Id::from_uuid(one), Some(Id::from_uuid(two)), "a"),
        request_hash(Id::from_uuid(one), None, "b"),
    ];
    for (index, hash) in hashes.iter().enumerate() {
        assert!(!hashes[index + 1..].contains(hash));
    }
    assert_eq!(hashes[0], request_hash(Id::from_uuid(one), None, "a"));
}
