//! What stands behind the id of a run.

use bothy_domain::action::ResourceKind;
use bothy_domain::ids::AnyId;
use bothy_domain::policy::Resource;
use bothy_domain::problem::Problem;
use bothy_platform::authorize::Locate;
use bothy_storage::Reader;
use futures::FutureExt;
use futures::future::BoxFuture;

use crate::{Runs, store};

impl Locate for Runs {
    fn locate<'a>(
        &'a self,
        reader: &'a Reader,
        kind: ResourceKind,
        id: AnyId,
    ) -> BoxFuture<'a, Result<Option<Resource>, Problem>> {
        async move {
            if kind != ResourceKind::Run {
                return Err(Problem::internal(format!("runs cannot locate {}", kind.as_str())));
            }
            let Some(run) = store::run::binding(reader, id.cast()).await? else {
                return Ok(None);
            };
            // The thread says where it stands now: it may have been moved since the run began.
            let Some(thread) = self.chat.thread(reader, run.thread).await? else {
                return Err(Problem::internal("the thread of a run is gone"));
            };
            Ok(Some(Resource {
                agent: Some(run.agent),
                triggered_by: Some(run.triggered_by),
                ..Resource::new(kind, id, thread.path())
            }))
        }
        .boxed()
    }
}
