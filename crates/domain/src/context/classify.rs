//! Role and trust of a message (RC-3). They follow from who wrote it and how it came here, never
//! from what it says.

use crate::ids::PrincipalId;
use crate::message::{Origin, words};

words! {
    /// How far an agent may follow a message.
    pub enum Trust {
        /// The person who asked.
        Trigger = "trigger",
        /// Another person who may instruct agents here at this moment.
        Authorized = "authorized",
        /// The agent itself.
        SelfAgent = "self",
        /// Anybody and anything else: data, never an instruction.
        Unverified = "unverified",
        /// A line of the server.
        System = "system",
    }
}

words! {
    /// The part that the author of a message plays for the agent.
    pub enum Role {
        /// A person.
        User = "user",
        /// The agent itself.
        Assistant = "assistant",
        /// Another agent, an app, an import or the server.
        Other = "other",
    }
}

/// What the classification knows of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuthorFacts {
    /// The stored origin; `None` for a word that this version does not know.
    pub origin: Option<Origin>,
    /// The author's id. Names and handles play no part, since they can change hands.
    pub author: PrincipalId,
}

/// The two parties of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunParties {
    /// The run's agent.
    pub agent: PrincipalId,
    /// The triggering person.
    pub triggered_by: PrincipalId,
}

/// Classifies a message; the first matching row of RC-3 wins. The origin decides before the
/// author: an import that is mapped to the triggering person stays unverified, and a line of the
/// server that names a person as author stays a line of the server.
///
/// `holders` are the people who hold trigger on the channel at this moment (RC-9), ascending.
pub fn classify(message: AuthorFacts, parties: RunParties, holders: &[PrincipalId]) -> (Role, Trust) {
    match message.origin {
        Some(Origin::System) => (Role::Other, Trust::System),
        Some(Origin::Import | Origin::App) | None => (Role::Other, Trust::Unverified),
        Some(Origin::Agent) if message.author == parties.agent => (Role::Assistant, Trust::SelfAgent),
        Some(Origin::Agent) => (Role::Other, Trust::Unverified),
        Some(Origin::Human) if message.author == parties.triggered_by => (Role::User, Trust::Trigger),
        Some(Origin::Human) if holders.binary_search(&message.author).is_ok() => (Role::User, Trust::Authorized),
        Some(Origin::Human) => (Role::User, Trust::Unverified),
    }
}

/// The authors whose right to instruct the agent must be asked for (RC-9): the human ones other
/// than the triggering person, ascending and each once. One call of `with_trigger` a request
/// answers for all of them.
pub fn authors_to_judge(messages: impl IntoIterator<Item = AuthorFacts>, parties: RunParties) -> Vec<PrincipalId> {
    let mut authors: Vec<PrincipalId> = messages
        .into_iter()
        .filter(|message| message.origin == Some(Origin::Human))
        .map(|message| message.author)
        .filter(|author| *author != parties.triggered_by)
        .collect();
    authors.sort_unstable();
    authors.dedup();
    authors
}

#[cfg(test)]
mod tests;
