//! What the features stand on: time, randomness, settings, keys, the instance, the audit log, the
//! event log, and the program that listens (chapters 01, 05 section 4, 06 section 5, 09).

pub mod audit;
pub mod authorize;
pub mod clock;
pub mod config;
pub mod entropy;
pub mod events;
pub mod failure;
pub mod http;
pub mod instance;
pub mod jws;
pub mod keys;
pub mod paging;
pub mod serve;
pub mod telemetry;
pub mod visible;

#[cfg(test)]
#[path = "tests/support.rs"]
mod tests_support;
