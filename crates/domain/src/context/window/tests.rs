//! RC-5, RC-6, RC-7 and RC-19.

use uuid::Uuid;

use super::{
    MessagePlace, ParentMessage, SeqWindow, ThreadPlace, TriggerPosition, channel_window, includes_parent_message,
    locate_trigger, thread_window,
};
use crate::ids::{ChannelId, Id, MessageId, ThreadId};

const THREAD: ThreadId = Id::from_uuid(Uuid::from_u128(1));
const MAIN_THREAD: ThreadId = Id::from_uuid(Uuid::from_u128(2));
const ALLGEMEIN: ChannelId = Id::from_uuid(Uuid::from_u128(3));
const ESKALATION: ChannelId = Id::from_uuid(Uuid::from_u128(4));
const PARENT: MessageId = Id::from_uuid(Uuid::from_u128(5));
const TRIGGER: MessageId = Id::from_uuid(Uuid::from_u128(6));
const LIMIT: u32 = 20;

const OPENED: ThreadPlace = ThreadPlace { thread: THREAD, channel: ALLGEMEIN, parent: Some(PARENT) };
const POST: ThreadPlace = ThreadPlace { parent: None, ..OPENED };
const IN_THREAD: TriggerPosition = TriggerPosition::InThread { thread_seq: 8 };

const fn parent() -> ParentMessage {
    ParentMessage {
        place: MessagePlace { message: PARENT, thread: MAIN_THREAD, thread_seq: 31 },
        channel: ALLGEMEIN,
        readable: true,
        deleted: false,
    }
}

#[test]
fn rc1_the_trigger_lies_in_the_thread_or_is_its_parent_or_there_is_no_context() {
    let inside = MessagePlace { message: TRIGGER, thread: THREAD, thread_seq: 8 };
    assert_eq!(locate_trigger(inside, OPENED), Some(IN_THREAD));
    assert_eq!(locate_trigger(parent().place, OPENED), Some(TriggerPosition::Parent));
    let elsewhere = MessagePlace { message: TRIGGER, thread: MAIN_THREAD, thread_seq: 8 };
    assert_eq!(locate_trigger(elsewhere, OPENED), None);
    assert_eq!(locate_trigger(parent().place, POST), None);
}

#[test]
fn rc5_the_thread_between_the_floor_and_the_trigger() {
    let window = SeqWindow { thread: THREAD, after_seq: 3, before_seq: 8, limit: LIMIT };
    assert_eq!(thread_window(OPENED, IN_THREAD, 3, LIMIT), (3, Some(window)));
    let none_wanted = SeqWindow { limit: 0, ..window };
    assert_eq!(thread_window(OPENED, IN_THREAD, 3, 0), (3, Some(none_wanted)));
}

#[test]
fn rc5_an_auto_thread_has_nothing_before_its_trigger_and_no_floor() {
    assert_eq!(thread_window(OPENED, TriggerPosition::Parent, 3, LIMIT), (0, None));
}

#[test]
fn rc6_the_main_thread_before_the_parent() {
    assert_eq!(
        channel_window(true, OPENED, Some(parent()), LIMIT),
        Some(SeqWindow { thread: MAIN_THREAD, after_seq: 0, before_seq: 31, limit: LIMIT })
    );
}

#[test]
fn rc6_c14_no_channel_context_after_a_move() {
    let moved = ThreadPlace { channel: ESKALATION, ..OPENED };
    assert_eq!(channel_window(true, moved, Some(parent()), LIMIT), None);
    assert!(!includes_parent_message(true, moved, IN_THREAD, Some(parent())));
}

#[test]
fn rc6_no_channel_context_when_unwanted_unreadable_or_without_a_parent() {
    let hidden = ParentMessage { readable: false, ..parent() };
    assert_eq!(channel_window(false, OPENED, Some(parent()), LIMIT), None);
    assert_eq!(channel_window(true, OPENED, Some(hidden), LIMIT), None);
    assert_eq!(channel_window(true, OPENED, None, LIMIT), None);
    assert_eq!(channel_window(true, POST, None, LIMIT), None);
    assert_eq!(channel_window(true, POST, Some(parent()), LIMIT), None);
}

#[test]
fn rc6_a_deleted_parent_still_says_where_the_thread_began() {
    let deleted = ParentMessage { deleted: true, ..parent() };
    assert!(channel_window(true, OPENED, Some(deleted), LIMIT).is_some());
    assert!(!includes_parent_message(true, OPENED, IN_THREAD, Some(deleted)));
}

#[test]
fn rc19_the_parent_is_an_element_unless_it_is_the_trigger() {
    assert!(includes_parent_message(true, OPENED, IN_THREAD, Some(parent())));
    assert!(!includes_parent_message(true, OPENED, TriggerPosition::Parent, Some(parent())));
    assert!(!includes_parent_message(true, OPENED, IN_THREAD, None));
}

#[test]
fn rc19_every_condition_is_needed() {
    for bits in 0u32..64 {
        let bit = |n: u32| bits & (1 << n) != 0;
        let thread = ThreadPlace {
            channel: if bit(0) { ALLGEMEIN } else { ESKALATION },
            parent: bit(1).then_some(PARENT),
            ..OPENED
        };
        let position = if bit(2) { IN_THREAD } else { TriggerPosition::Parent };
        let message = ParentMessage { readable: bit(3), deleted: !bit(4), ..parent() };
        let wanted = bit(5);
        assert_eq!(includes_parent_message(wanted, thread, position, Some(message)), bits == 63, "{bits:b}");
        assert_eq!(
            channel_window(wanted, thread, Some(message), LIMIT).is_some(),
            bit(0) && bit(1) && bit(3) && wanted,
            "{bits:b}"
        );
    }
}
