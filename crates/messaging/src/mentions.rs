use std::collections::HashSet;

use bothy_domain::actor::PrincipalKind;
use bothy_domain::mention::extract_mentions;
use bothy_domain::policy::Path;
use bothy_domain::problem::Problem;
use bothy_identity::PrincipalRef;
use bothy_storage::Reader;

use crate::Messaging;

impl Messaging {
    /// Whom a message mentions: principals that may read it where it stands, now. The mention of
    /// anybody else stays text and tells nothing (chapter 05 section 1).
    ///
    /// In the order of the text, each once, at most `message.max_mentions` handles looked at.
    pub(crate) async fn mentioned(
        &self,
        reader: &Reader,
        path: &Path,
        content_md: &str,
    ) -> Result<Vec<PrincipalRef>, Problem> {
        let mut handles = extract_mentions(content_md);
        handles.truncate(self.config.message.max_mentions.to_usize());
        if handles.is_empty() {
            return Ok(Vec::new());
        }
        let known = self.identity.by_handles(reader, &handles).await?;
        let now = self.clock.now();
        let mut seen = HashSet::new();
        let mut mentioned = Vec::new();
        for handle in &handles {
            let Some(principal) = known.iter().find(|one| one.handle == *handle) else { continue };
            if !seen.insert(principal.id) {
                continue;
            }
            // An owner may read every channel, if only in a session.
            let ownership = principal.kind == PrincipalKind::Person;
            let rights = self.authz.snapshot(reader, principal.id, ownership).await?;
            if rights.sees(path, now) {
                mentioned.push(principal.clone());
            }
        }
        Ok(mentioned)
    }
}
