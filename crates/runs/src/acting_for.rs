//! What an `Invocation-Token` means (AF-4, AF-5), for the authenticator.

use bothy_domain::acting_for::{InvocationClaims, RunBinding};
use bothy_domain::ids::RunId;
use bothy_domain::problem::Problem;
use bothy_identity::ActingForSource;
use bothy_storage::Reader;
use futures::FutureExt;
use futures::future::BoxFuture;

use crate::{Runs, store};

impl ActingForSource for Runs {
    fn claims(&self, token: &str) -> Option<InvocationClaims> {
        self.tokens.verify_now(token).map(|verified| verified.claims)
    }

    fn run<'a>(&'a self, reader: &'a Reader, run: RunId) -> BoxFuture<'a, Result<Option<RunBinding>, Problem>> {
        store::run::binding(reader, run).boxed()
    }
}
