use std::sync::Arc;
use std::time::Duration;

use bothy_domain::time::Timestamp;
use futures::FutureExt;

use super::{Elapsed, ManualClock, SharedClock, SystemClock, sleep, timeout};

const START: Timestamp = Timestamp::from_micros(1_767_000_000_000_000);

fn manual() -> (ManualClock, SharedClock) {
    let clock = ManualClock::new(START);
    (clock.clone(), Arc::new(clock))
}

#[test]
fn a_manual_clock_stands_until_it_is_moved() {
    let (clock, shared) = manual();
    assert_eq!(shared.now(), START);
    clock.advance(Duration::from_secs(5));
    assert_eq!(shared.now(), START.plus(Duration::from_secs(5)));
    clock.set(START);
    assert_eq!(shared.now(), START);
}

#[test]
fn sleepers_wake_when_their_time_comes_and_not_before() {
    let (clock, shared) = manual();
    let mut short = sleep(&shared, Duration::from_secs(1));
    let mut long = sleep(&shared, Duration::from_secs(10));
    assert!((&mut short).now_or_never().is_none());
    clock.advance(Duration::from_secs(1));
    assert!((&mut short).now_or_never().is_some());
    assert!((&mut long).now_or_never().is_none());
    clock.advance(Duration::from_secs(9));
    assert!((&mut long).now_or_never().is_some());
    assert_eq!(clock.sleepers(), 0);
}

#[test]
fn waiting_begins_with_the_call_and_not_with_the_first_poll() {
    let (clock, shared) = manual();
    let sleeping = sleep(&shared, Duration::from_secs(1));
    clock.advance(Duration::from_secs(1));
    assert!(sleeping.now_or_never().is_some());
}

#[test]
fn a_time_that_has_come_is_not_waited_for() {
    let (_, shared) = manual();
    assert!(shared.sleep_until(START).now_or_never().is_some());
    assert!(sleep(&shared, Duration::ZERO).now_or_never().is_some());
}

#[test]
fn who_stopped_waiting_is_forgotten() {
    let (clock, shared) = manual();
    drop(sleep(&shared, Duration::from_secs(1)));
    assert_eq!(clock.sleepers(), 0);
}

#[tokio::test]
async fn a_timeout_drops_what_takes_too_long() {
    let (clock, shared) = manual();
    let waiting =
        tokio::spawn(async move { timeout(&shared, Duration::from_secs(3), std::future::pending::<()>()).await });
    clock.until_sleepers(1).await;
    clock.advance(Duration::from_secs(3));
    assert_eq!(waiting.await.unwrap(), Err(Elapsed));
}

#[tokio::test]
async fn a_future_that_is_ready_beats_a_timeout_of_nothing() {
    let (_, shared) = manual();
    assert_eq!(timeout(&shared, Duration::ZERO, std::future::ready(7)).await, Ok(7));
}

#[tokio::test]
async fn the_clock_of_the_machine_goes_forward() {
    let clock: SharedClock = Arc::new(SystemClock);
    let before = clock.now();
    sleep(&clock, Duration::from_millis(2)).await;
    assert!(clock.now() > before);
    clock.sleep_until(before).await;
}
