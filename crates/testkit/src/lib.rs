//! Databases for tests: a folder for SQLite, a fresh database on a PostgreSQL server that is found
//! or started. Only tests depend on this crate.

#![allow(
    clippy::panic,
    clippy::expect_used,
    reason = "a test whose surroundings are missing must fail, and say what is missing"
)]

mod both;
mod folder;
pub mod postgres;
mod statements;

use std::time::Duration;

pub use both::{TestDb, run};
pub use folder::{TestFolder, sqlite_folder};
pub use statements::Restricted;

/// How long tests wait for a connection or an answer in real time: far more than it takes, also on a
/// machine that is busy with other things.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A name that differs from call to call and from process to process.
fn unique() -> String {
    use std::hash::{BuildHasher, Hasher, RandomState};
    let random = RandomState::new().build_hasher().finish();
    format!("{}_{random:016x}", std::process::id())
}
