use bothy_authz::{PrincipalFact, PrincipalFacts};
use bothy_domain::ids::{GroupId, PrincipalId};
use bothy_domain::problem::Problem;
use bothy_platform::failure::OrProblem;
use bothy_storage::Reader;
use futures::future::BoxFuture;

use crate::Identity;
use crate::store::{groups, principals};

impl PrincipalFacts for Identity {
    fn facts<'a>(
        &'a self,
        reader: &'a Reader,
        ids: &'a [PrincipalId],
    ) -> BoxFuture<'a, Result<Vec<PrincipalFact>, Problem>> {
        Box::pin(async move { principals::facts(reader, ids).await.or_problem() })
    }

    fn members<'a>(
        &'a self,
        reader: &'a Reader,
        group: GroupId,
    ) -> BoxFuture<'a, Result<Option<Vec<PrincipalId>>, Problem>> {
        Box::pin(async move {
            let (found, members) =
                futures::try_join!(groups::group(reader, group), groups::member_ids(reader, group)).or_problem()?;
            Ok(found.map(|_| members))
        })
    }

    fn owners<'a>(&'a self, reader: &'a Reader) -> BoxFuture<'a, Result<Vec<PrincipalId>, Problem>> {
        Box::pin(async move { principals::owners(reader).await.or_problem() })
    }
}
