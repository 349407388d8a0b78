//! The test world of chapter 00, built through the public API: every test suite and the demo share
//! it.

mod agents;
mod people;
mod places;

use bothy_domain::ids::{ChannelId, GrantId, PrincipalId, SpaceId, ThreadId};
use bothy_sdk::{Client, Error};

/// The world. Its values are kept as they were made; a test that changes the world knows what it did.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "the members are the names of chapter 00")]
pub struct World {
    pub server: String,
    pub robin: Human,
    pub alex: Human,
    pub sam: Human,
    pub writer: Human,
    pub lotse: Machine,
    pub texter: Machine,
    pub runner: Machine,
    pub support: SpaceId,
    pub allgemein: Place,
    pub eskalation: Place,
    pub engineering: SpaceId,
    pub projekt_a: Forum,
    pub werkzeuge: Place,
    pub marketing: SpaceId,
    pub kampagne: Place,
    pub grants: Grants,
}

/// A person and how to act as them.
#[derive(Clone)]
pub struct Human {
    /// The id.
    pub id: PrincipalId,
    /// The handle.
    pub handle: String,
    /// The name that is shown.
    pub display_name: String,
    /// The address for the login.
    pub email: String,
    /// The password.
    pub password: String,
    /// The token of a login session.
    pub token: String,
    /// A client with that token.
    pub client: Client,
}

/// An agent and how to act as it.
#[derive(Clone)]
pub struct Machine {
    /// The id.
    pub id: PrincipalId,
    /// The handle.
    pub handle: String,
    /// The name that is shown.
    pub display_name: String,
    /// An API token.
    pub token: String,
    /// A client with that token.
    pub client: Client,
}

/// A text channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The space.
    pub space: SpaceId,
    /// The channel.
    pub id: ChannelId,
    /// Its main thread.
    pub main: ThreadId,
}

/// A forum with one post.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forum {
    /// The space.
    pub space: SpaceId,
    /// The channel.
    pub id: ChannelId,
    /// The post.
    pub post: ThreadId,
}

/// The grants of the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grants {
    /// G-1: Alex, `trigger` on Support.
    pub alex_support: GrantId,
    /// Sam, `trigger` on Allgemein.
    pub sam_allgemein: GrantId,
    /// writer, `write` on Allgemein.
    pub writer_allgemein: GrantId,
    /// G-5: Lotse, `write` and `upload` on Support.
    pub lotse_support: GrantId,
    /// Texter, `write` on Allgemein.
    pub texter_allgemein: GrantId,
}

/// Gives the password of a person by handle.
pub type Passwords<'a> = dyn Fn(&str) -> String + Send + Sync + 'a;

/// The passwords of tests: long enough, and nobody else's.
pub fn test_password(handle: &str) -> String {
    format!("{handle} likes long passwords")
}

impl World {
    /// Builds the world in an instance that has no owner yet. `anonymous` reaches the server without
    /// a token.
    ///
    /// # Errors
    /// The first refusal of the server; what was made until then stays.
    pub async fn build(anonymous: &Client, setup_code: &str, passwords: &Passwords<'_>) -> Result<Self, Error> {
        let robin = people::owner(anonymous, setup_code, passwords).await?;
        let alex = people::member(&robin, "alex", "Alex", passwords).await?;
        let sam = people::member(&robin, "sam", "Sam", passwords).await?;
        let writer = people::member(&robin, "writer", "writer", passwords).await?;
        let lotse = agents::agent(&robin, "lotse", "Lotse", "Answers questions in Support.").await?;
        let texter = agents::agent(&robin, "texter", "Texter", "Drafts texts.").await?;
        let runner = agents::agent(&robin, "runner", "Runner", "Runs tools.").await?;
        let owner = &robin.client;
        let support = places::space(owner, "Support").await?;
        let allgemein = places::text(owner, support, "Allgemein", &lotse).await?;
        let eskalation = places::text(owner, support, "Eskalation", &lotse).await?;
        let engineering = places::space(owner, "Engineering").await?;
        let projekt_a = places::forum(owner, engineering, "Projekt-A").await?;
        let werkzeuge = places::text(owner, engineering, "Werkzeuge", &runner).await?;
        let marketing = places::space(owner, "Marketing").await?;
        let kampagne = places::text(owner, marketing, "Kampagne", &texter).await?;
        let grants = places::grants(owner, support, allgemein.id, &[&alex, &sam, &writer], &[&lotse, &texter]).await?;
        Ok(Self {
            server: anonymous.server().to_owned(),
            robin,
            alex,
            sam,
            writer,
            lotse,
            texter,
            runner,
            support,
            allgemein,
            eskalation,
            engineering,
            projekt_a,
            werkzeuge,
            marketing,
            kampagne,
            grants,
        })
    }

    /// The people, the owner first.
    pub const fn people(&self) -> [&Human; 4] {
        [&self.robin, &self.alex, &self.sam, &self.writer]
    }

    /// The agents.
    pub const fn agents(&self) -> [&Machine; 3] {
        [&self.lotse, &self.texter, &self.runner]
    }
}

impl std::fmt::Debug for Human {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Human").field("handle", &self.handle).field("id", &self.id).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Machine").field("handle", &self.handle).field("id", &self.id).finish_non_exhaustive()
    }
}
