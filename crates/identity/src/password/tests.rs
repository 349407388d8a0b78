use std::sync::Arc;

use bothy_domain::problem::ProblemCode;
use bothy_platform::config::Auth;
use bothy_platform::entropy::SeededEntropy;

use super::{NOBODY, Passwords, WAITING_FOR_EACH};

const GOOD: &str = "correct horse battery";

fn passwords() -> Passwords {
    Passwords::new(&Auth::default(), Arc::new(SeededEntropy::new(1)))
}

#[test]
fn a_new_password_has_12_characters_or_more_and_is_no_book() {
    let passwords = passwords();
    for good in [
        GOOD,
        "123456789012",
        "\u{fc}\u{e4}\u{f6}\u{df}\u{fc}\u{e4}\u{f6}\u{df}\u{fc}\u{e4}\u{f6}\u{df}",
        &"a".repeat(1024),
    ] {
        assert!(passwords.check_new("/password", good).is_ok(), "{}", good.len());
    }
    for bad in ["", "12345678901", "\u{fc}\u{e4}\u{f6}\u{df}", &"a".repeat(1025)] {
        let problem = passwords.check_new("/password", bad).unwrap_err();
        assert_eq!(problem.errors()[0].pointer, "/password");
    }
}

#[tokio::test]
async fn a_hash_fits_its_password_alone_and_is_salted() {
    let passwords = passwords();
    let hash = passwords.hash(GOOD.to_owned()).await.unwrap();
    assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
    assert_ne!(hash, passwords.hash(GOOD.to_owned()).await.unwrap());
    assert!(passwords.verify("/password", GOOD.to_owned(), Some(&hash)).await.unwrap());
    assert!(!passwords.verify("/password", format!("{GOOD} "), Some(&hash)).await.unwrap());
    assert!(!passwords.verify("/password", GOOD.to_owned(), None).await.unwrap());
    assert!(!passwords.verify("/password", GOOD.to_owned(), Some("no hash")).await.unwrap());
}

#[test]
fn the_hash_of_nobody_costs_what_every_hash_costs() {
    let params = |hash: &str| hash.split('$').take(4).collect::<Vec<_>>().join("$");
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let real = runtime.block_on(passwords().hash(GOOD.to_owned())).unwrap();
    assert_eq!(params(NOBODY), params(&real));
    assert_eq!(NOBODY.len(), real.len());
    // It is computed to the end: an unreadable hash would be refused at once.
    assert!(argon2::password_hash::phc::PasswordHash::new(NOBODY).is_ok());
}

#[tokio::test]
async fn too_many_at_once_are_told_to_come_back() {
    let passwords = Arc::new(passwords());
    let all = passwords.running.available_permits();
    let turns = Arc::clone(&passwords.running).acquire_many_owned(u32::try_from(all).unwrap()).await.unwrap();
    let waiting: Vec<_> = (0..all * WAITING_FOR_EACH)
        .map(|_| {
            let passwords = Arc::clone(&passwords);
            tokio::spawn(async move { passwords.verify("/password", String::new(), Some("no hash")).await })
        })
        .collect();
    while passwords.waiting.available_permits() > 0 {
        tokio::task::yield_now().await;
    }
    let refused = passwords.verify("/password", GOOD.to_owned(), None).await.unwrap_err();
    assert_eq!((refused.code(), refused.retry_after()), (ProblemCode::RateLimited, Some(1)));
    drop(turns);
    for task in waiting {
        assert!(!task.await.unwrap().unwrap());
    }
}
