use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far somebody may go on a target; each level contains the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Does not see it.
    None,
    /// May read.
    Read,
    /// May post, react and open threads.
    Write,
    /// May instruct agents.
    Trigger,
}

impl Level {
    /// Every level, lowest first.
    pub const ALL: [Self; 4] = [Self::None, Self::Read, Self::Write, Self::Trigger];

    /// The name in the database, on the wire and in tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Read => "read",
            Self::Write => "write",
            Self::Trigger => "trigger",
        }
    }

    /// The level with this name, if there is one.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == text)
    }
}

/// A right that is not ordered among the levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// May attach files.
    Upload,
    /// May delete what others wrote and close, reopen and move threads.
    Moderate,
    /// May change settings, operators, the archive and grants.
    Manage,
}

impl Capability {
    /// Every capability.
    pub const ALL: [Self; 3] = [Self::Upload, Self::Moderate, Self::Manage];

    /// The name on the wire and in tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Upload => "upload",
            Self::Moderate => "moderate",
            Self::Manage => "manage",
        }
    }

    const fn bit(self) -> u8 {
        match self {
            Self::Upload => 1,
            Self::Moderate => 2,
            Self::Manage => 4,
        }
    }
}

/// A set of capabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Capabilities(u8);

impl Capabilities {
    /// No capability.
    pub const NONE: Self = Self(0);
    /// Every capability.
    pub const ALL: Self = Self(7);

    /// The set with one capability more.
    pub const fn with(self, capability: Capability) -> Self {
        Self(self.0 | capability.bit())
    }

    /// Whether the set holds the capability.
    pub const fn contains(self, capability: Capability) -> bool {
        self.0 & capability.bit() != 0
    }

    /// What is in either set.
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What is in both sets.
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether every capability of `other` is in this set.
    pub const fn contains_all(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The form in the database; unknown bits are dropped by [`Capabilities::from_bits`].
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// From the form in the database.
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits & Self::ALL.0)
    }

    /// The members in a fixed order.
    pub fn iter(self) -> impl Iterator<Item = Capability> {
        Capability::ALL.into_iter().filter(move |capability| self.contains(*capability))
    }
}

impl FromIterator<Capability> for Capabilities {
    fn from_iter<T: IntoIterator<Item = Capability>>(items: T) -> Self {
        items.into_iter().fold(Self::NONE, Self::with)
    }
}

/// What somebody may do on a path: a level and capabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rights {
    /// The level.
    pub level: Level,
    /// The capabilities.
    pub capabilities: Capabilities,
}

impl Rights {
    /// Nothing at all.
    pub const NONE: Self = Self { level: Level::None, capabilities: Capabilities::NONE };
    /// Everything.
    pub const ALL: Self = Self { level: Level::Trigger, capabilities: Capabilities::ALL };

    /// The higher level and the union of the capabilities: how grants add up (AZ-3).
    pub fn union(self, other: Self) -> Self {
        Self { level: self.level.max(other.level), capabilities: self.capabilities.union(other.capabilities) }
    }

    /// The lower level and the intersection of the capabilities: the binding (AF-1).
    pub fn intersection(self, other: Self) -> Self {
        Self { level: self.level.min(other.level), capabilities: self.capabilities.intersection(other.capabilities) }
    }

    /// Whether holding these rights covers giving `other` away.
    pub fn covers(self, other: Self) -> bool {
        self.level >= other.level && self.capabilities.contains_all(other.capabilities)
    }

    /// The archive cap (AZ-5): at most `read`, and of the capabilities only `manage`.
    pub fn capped_by_archive(self) -> Self {
        Self {
            level: self.level.min(Level::Read),
            capabilities: self.capabilities.intersection(Capabilities::NONE.with(Capability::Manage)),
        }
    }
}
