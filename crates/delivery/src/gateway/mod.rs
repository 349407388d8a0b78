//! Connections that follow live (`openGateway`).
//!
//! [`hub`] is the one reader of the log a node; [`seat`] is what it knows of a connection; [`pass`] is
//! one look at what is new; [`connection`] is the life of one connection; [`op`] is what its client
//! says.

mod connection;
mod end;
mod hub;
mod op;
mod open;
mod pass;
mod seat;

use bothy_domain::policy::{Denial, Outcome, Reason};

pub(crate) use hub::Hub;

/// The answer to a kind of principal that never does something.
pub(crate) const NOT_FOR_THIS_KIND: Denial =
    Denial { outcome: Outcome::Forbidden, reason: Reason::SubjectKindNotAllowed };
