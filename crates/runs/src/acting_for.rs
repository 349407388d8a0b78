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
    fn claims<'a>(
        &'a self,
        reader: &'a Reader,
        token: &'a str,
    ) -> BoxFuture<'a, Result<Option<InvocationClaims>, Problem>> {
        async move { Ok(self.tokens.verify(reader, token).await?.map(|verified| verified.claims)) }.boxed()
    }

    fn run<'a>(&'a self, reader: &'a Reader, run: RunId) -> BoxFuture<'a, Result<Option<RunBinding>, Problem>> {
        store::run::binding(reader, run).boxed()
    }
}
