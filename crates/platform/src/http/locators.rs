use std::collections::HashMap;
use std::sync::Arc;

use bothy_domain::action::ResourceKind;
use bothy_domain::ids::AnyId;
use bothy_domain::policy::Resource;
use bothy_domain::problem::Problem;
use bothy_storage::Reader;

use crate::authorize::Locate;

/// Which crate finds which kind of resource.
#[derive(Clone, Default)]
pub struct Locators(HashMap<ResourceKind, Arc<dyn Locate>>);

impl Locators {
    /// Names the one who finds these kinds.
    #[must_use]
    pub fn with(mut self, kinds: &[ResourceKind], locate: Arc<dyn Locate>) -> Self {
        for kind in kinds {
            self.0.insert(*kind, Arc::clone(&locate));
        }
        self
    }

    /// The resource behind an id of a kind.
    ///
    /// # Errors
    /// `internal_error` for a kind that nobody finds: a route that cannot be judged is not served.
    pub async fn locate(&self, reader: &Reader, kind: ResourceKind, id: AnyId) -> Result<Option<Resource>, Problem> {
        match self.0.get(&kind) {
            Some(locate) => locate.locate(reader, kind, id).await,
            None => Err(Problem::internal(format!("no locator for {}", kind.as_str()))),
        }
    }
}
