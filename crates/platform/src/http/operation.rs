use axum::http::Method;
use bothy_domain::action::Action;

/// The declaration of an operation: what the API description, the router and the log say of it.
#[derive(Debug, Clone)]
pub struct Operation {
    pub(super) id: &'static str,
    pub(super) method: Method,
    pub(super) path: &'static str,
    pub(super) summary: &'static str,
    pub(super) description: &'static str,
    pub(super) waits: bool,
}

impl Operation {
    const fn new(method: Method, id: &'static str, path: &'static str, summary: &'static str) -> Self {
        Self { id, method, path, summary, description: "", waits: false }
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
}
