use bothy_domain::acting_for::{InvocationClaims, RunBinding};
use bothy_domain::ids::RunId;
use bothy_domain::problem::Problem;
use bothy_storage::Reader;
use futures::future::BoxFuture;

/// Knows invocation tokens and runs (AF-6). Declared here, where the actor is made; implemented by
/// runs.
pub trait ActingForSource: Send + Sync {
    /// The claims of a token whose algorithm, type, key, signature, issuer and issue time are good
    /// (AF-4); `None` when it binds nothing. Expiry is not looked at. Only a key that is not known
    /// yet costs I/O, such as one that another node has just made.
    ///
    /// # Errors
    /// Any error makes the request `unavailable`, never one without the binding (AF-3).
    fn claims<'a>(
        &'a self,
        reader: &'a Reader,
        token: &'a str,
    ) -> BoxFuture<'a, Result<Option<InvocationClaims>, Problem>>;

    /// What the database says now of the run that a token names; never from a cache.
    ///
    /// # Errors
    /// Any error makes the request `unavailable`, never one without the binding (AF-3).
    fn run<'a>(&'a self, reader: &'a Reader, run: RunId) -> BoxFuture<'a, Result<Option<RunBinding>, Problem>>;
}
