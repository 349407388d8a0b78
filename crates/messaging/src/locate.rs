use bothy_domain::action::ResourceKind;
use bothy_domain::ids::AnyId;
use bothy_domain::policy::Resource;
use bothy_domain::problem::Problem;
use bothy_platform::authorize::Locate;
use bothy_platform::failure::OrProblem;
use bothy_storage::Reader;
use futures::future::BoxFuture;

use crate::Messaging;
use crate::store::messages;

impl Locate for Messaging {
    /// A message stands on the path of its thread, and is its author's.
    fn locate<'a>(
        &'a self,
        reader: &'a Reader,
        kind: ResourceKind,
        id: AnyId,
    ) -> BoxFuture<'a, Result<Option<Resource>, Problem>> {
        Box::pin(async move {
            if kind != ResourceKind::Message {
                return Err(Problem::internal(format!("messaging does not find {}", kind.as_str())));
            }
            let Some((thread, author)) = messages::place(reader, id.cast()).await.or_problem()? else {
                return Ok(None);
            };
            let thread = self.chat.locate(reader, ResourceKind::Thread, thread.cast()).await?;
            Ok(thread.map(|thread| {
                let mut resource = Resource::new(kind, id, thread.path);
                resource.author = Some(author);
                resource
            }))
        })
    }
}
