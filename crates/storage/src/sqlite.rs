//! The engine in the process: one writer with group commit, and as many readers as cores.

mod connection;
mod error;
mod execute;
mod lock;
mod migrate;
mod names;
mod open;
mod readers;
mod unit;
mod writer;

pub(crate) use execute::cell;
pub(crate) use open::Sqlite;
pub(crate) use readers::{Readers, Snapshot};
pub(crate) use unit::Unit;
