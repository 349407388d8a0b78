//! Typed ids. Each entity has its own type, so that a channel id cannot be handed in for a thread
//! id. Ids are UUIDv7 and are made by `platform::entropy`, never by a database.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use uuid::Uuid;

/// An id of one kind of entity. `K` is a marker that exists only in the type.
pub struct Id<K> {
    uuid: Uuid,
    kind: PhantomData<fn() -> K>,
}

impl<K> Id<K> {
    /// Wraps a UUID that is known to name an entity of this kind.
    pub const fn from_uuid(uuid: Uuid) -> Self {
        Self { uuid, kind: PhantomData }
    }

    /// The UUID itself, for storage and for the wire.
    pub const fn uuid(self) -> Uuid {
        self.uuid
    }

    /// The same value as an id of another kind, for the few places where one kind is a special
    /// case of another (every person is a principal).
    pub const fn cast<L>(self) -> Id<L> {
        Id::from_uuid(self.uuid)
    }
}

impl<K> Clone for Id<K> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K> Copy for Id<K> {}
impl<K> PartialEq for Id<K> {
    fn eq(&self, other: &Self) -> bool {
        self.uuid == other.uuid
    }
}
impl<K> Eq for Id<K> {}
impl<K> PartialOrd for Id<K> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<K> Ord for Id<K> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.uuid.cmp(&other.uuid)
    }
}
impl<K> Hash for Id<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // As one number: maps of decisions are keyed by ids.
        state.write_u128(self.uuid.as_u128());
    }
}
impl<K> fmt::Debug for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.uuid, f)
    }
}
impl<K> fmt::Display for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.uuid, f)
    }
}

/// A text that is not an id in its one accepted form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an id: expected a UUID in lower case with hyphens")]
pub struct InvalidId;

impl<K> FromStr for Id<K> {
    type Err = InvalidId;

    /// Accepts only the canonical form, so that one id has one spelling in URLs, logs and caches.
    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let uuid = Uuid::try_parse(text).map_err(|_| InvalidId)?;
        let mut canonical = Uuid::encode_buffer();
        if uuid.hyphenated().encode_lower(&mut canonical) != text {
            return Err(InvalidId);
        }
        Ok(Self::from_uuid(uuid))
    }
}

impl<K> Serialize for Id<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut buffer = Uuid::encode_buffer();
        serializer.serialize_str(self.uuid.hyphenated().encode_lower(&mut buffer))
    }
}
impl<'de, K> Deserialize<'de> for Id<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
impl<K> JsonSchema for Id<K> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Id".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "uuid" })
    }
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $marker:ident;)*) => {
        /// Markers of the kinds of entity; they have no values.
        pub mod kind {
            $(#[doc = concat!("Marker of [`super::", stringify!($name), "`].")] #[derive(Debug)] pub enum $marker {})*
        }
        $($(#[$doc])* pub type $name = Id<kind::$marker>;)*
    };
}

ids! {
    /// The instance itself.
    InstanceId = Instance;
    /// A person, an agent or an app.
    PrincipalId = Principal;
    /// A named set of people.
    GroupId = Group;
    /// An invitation of a person.
    InviteId = Invite;
    /// A login session of a person.
    LoginSessionId = LoginSession;
    /// A personal token or an API token.
    TokenId = Token;
    /// A grant of a level and capabilities.
    GrantId = Grant;
    /// A space.
    SpaceId = Space;
    /// A channel.
    ChannelId = Channel;
    /// A thread.
    ThreadId = Thread;
    /// A message.
    MessageId = Message;
    /// A run of an agent.
    RunId = Run;
    /// Something that only one person is told.
    NoticeId = Notice;
    /// The continuity of an agent's memory in a thread.
    AgentSessionId = AgentSession;
    /// An entry of the audit log.
    AuditEventId = AuditEvent;
    /// The id of one invocation token (`jti`).
    InvocationTokenId = InvocationToken;
    /// Any target named in a path, before its kind is known to matter.
    AnyId = Any;
}
