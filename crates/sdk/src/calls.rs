//! The operations, grouped as in the API description.

mod agents;
mod chat;
mod identity;
mod import;
mod messages;
mod runs;
