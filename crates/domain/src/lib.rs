//! The rules of Bothy, without I/O.
//!
//! Everything in the permission, run, context and acting-for chapters that can be said without a
//! database or a network stands here, so that it builds in seconds and can be tested exhaustively.

pub mod acting_for;
pub mod action;
pub mod actor;
pub mod audit;
pub mod context;
pub mod event;
pub mod ids;
pub mod mention;
pub mod message;
pub mod names;
pub mod policy;
pub mod problem;
pub mod request;
pub mod run;
pub mod session;
pub mod time;
pub mod trigger;
