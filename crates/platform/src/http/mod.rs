//! The door of the server (chapter 04): every operation is declared once with its id, method, path
//! and action; its handler takes [`Allowed`] for that action first, which only this module can
//! make, after it has authenticated the caller, located the target and decided.

mod again;
mod allowed;
mod body;
mod call;
mod chain;
mod correlation;
mod credentials;
mod idempotency;
mod input;
mod limits;
mod locators;
mod openapi;
mod operation;
mod output;
mod problem;
mod router;
mod socket;

pub use again::{Answered, Call, Caller, Operations};
pub use allowed::{Allowed, Anyone};
pub use chain::{HttpLimits, Services};
pub use correlation::CorrelationId;
pub use credentials::{Credentials, INVOCATION_TOKEN, SESSION_COOKIE};
pub use idempotency::{Idempotency, forget_answers};
pub use input::{Body, Input, Query};
pub use limits::RateLimits;
pub use locators::Locators;
pub use openapi::{OpenApiInfo, openapi};
pub use operation::{Operation, OperationInfo, delete, get, patch, post, put};
pub use output::{Created, Json, NoContent, Output, etag};
pub use problem::problem_form;
pub use router::{BASE_PATH, RouteTable, Routes};
pub use socket::{Frame, Received, SocketError, SocketReceiver, SocketSender, Upgrade};

#[cfg(test)]
mod tests;
