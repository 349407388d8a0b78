use axum::http::Method;
use bothy_domain::action::{Action, RateClass};

use super::output::Output;

/// The declaration of an operation: what the API description, the router and the log say of it.
#[derive(Debug, Clone)]
pub struct Operation {
    pub(super) id: &'static str,
    pub(super) method: Method,
    pub(super) path: &'static str,
    pub(super) summary: &'static str,
    pub(super) description: &'static str,
    pub(super) waits: bool,
    pub(super) creates: bool,
    pub(super) recheck: Option<Action>,
    pub(super) guesses: bool,
}

impl Operation {
    const fn new(method: Method, id: &'static str, path: &'static str, summary: &'static str) -> Self {
        Self { id, method, path, summary, description: "", waits: false, creates: false, recheck: None, guesses: false }
    }

    /// Adds a longer description.
    #[must_use]
    pub const fn describe(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }

    /// An operation that waits for something to happen bounds its own time; the request timeout
    /// does not apply.
    #[must_use]
    pub const fn waits(mut self) -> Self {
        self.waits = true;
        self
    }

    /// An operation that creates takes an `Idempotency-Key` (chapter 04 section 4). Only guarded
    /// operations can: the key belongs to a principal.
    #[must_use]
    pub const fn creates(mut self) -> Self {
        self.creates = true;
        self
    }

    /// An operation that takes a password again is an oracle for it like the login, so it is taken
    /// from the caller's own budget of that class (`rl.public_auth`).
    #[must_use]
    pub const fn guesses(mut self) -> Self {
        self.guesses = true;
        self
    }

    /// The class that requests are taken from.
    pub(super) const fn rate(&self, action: Action) -> RateClass {
        if self.guesses { RateClass::PublicAuth } else { action.row().rate }
    }

    /// A kept answer is given again only to somebody who may still do `action` to what was created,
    /// which the answer names in the path parameter of the action's kind, such as `message_id`, or
    /// in `id`. Without it, being let in at the target again is enough.
    #[must_use]
    pub const fn recheck(mut self, action: Action) -> Self {
        self.recheck = Some(action);
        self
    }

    /// The member of the answer that names what was created.
    pub(super) const fn created_member(&self) -> Option<&'static str> {
        match self.recheck {
            Some(action) => action.row().resource.path_parameter(),
            None => None,
        }
    }
}

/// Declares a `GET`.
pub const fn get(id: &'static str, path: &'static str, summary: &'static str) -> Operation {
    Operation::new(Method::GET, id, path, summary)
}

/// Declares a `POST`.
pub const fn post(id: &'static str, path: &'static str, summary: &'static str) -> Operation {
    Operation::new(Method::POST, id, path, summary)
}

/// Declares a `PUT`.
pub const fn put(id: &'static str, path: &'static str, summary: &'static str) -> Operation {
    Operation::new(Method::PUT, id, path, summary)
}

/// Declares a `PATCH`.
pub const fn patch(id: &'static str, path: &'static str, summary: &'static str) -> Operation {
    Operation::new(Method::PATCH, id, path, summary)
}

/// Declares a `DELETE`.
pub const fn delete(id: &'static str, path: &'static str, summary: &'static str) -> Operation {
    Operation::new(Method::DELETE, id, path, summary)
}

/// One row of the route table, for tests and tables.
#[derive(Debug, Clone)]
pub struct OperationInfo {
    /// The operation id.
    pub id: &'static str,
    /// The method.
    pub method: Method,
    /// The path template below the base path.
    pub path: &'static str,
    /// The action; `None` for what anybody may call.
    pub action: Option<Action>,
    /// Whether it takes an `Idempotency-Key`.
    pub creates: bool,
    /// What the caller must still be allowed to do to what was created before a kept answer is given
    /// again.
    pub recheck: Option<Action>,
    /// The status of its success.
    pub status: u16,
}

impl OperationInfo {
    pub(super) fn of<O: Output>(operation: &Operation, action: Option<Action>) -> Self {
        Self {
            id: operation.id,
            method: operation.method.clone(),
            path: operation.path,
            action,
            creates: operation.creates,
            recheck: operation.recheck,
            status: O::STATUS.as_u16(),
        }
    }
}
