//! The closed lists of words of this module, as they are stored and sent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ })+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum $name { $($(#[$variant_doc])* #[serde(rename = $word)] $variant,)+ }

        impl $name {
            /// Every word of the list.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The word that is stored and sent.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// Reads the stored word.
            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.as_str() == text)
            }
        }
    )+};
}

words! {
    /// The kinds of channel.
    ChannelKind {
        /// Has a main thread; other threads are opened from its messages.
        Text = "text",
        /// Has posts, each with a title.
        Forum = "forum",
        /// A direct message between a fixed set of participants, outside of every space.
        Direct = "dm",
    }
    /// The kinds of channel that can be made in a space.
    SpaceChannelKind {
        /// Has a main thread; other threads are opened from its messages.
        Text = "text",
        /// Has posts, each with a title.
        Forum = "forum",
    }
    /// The kinds of thread.
    ThreadKind {
        /// The one thread that a channel begins with.
        Main = "main",
        /// Opened from a message of the main thread.
        Thread = "thread",
        /// A post of a forum.
        Post = "post",
    }
    /// Whether a thread takes messages.
    ThreadState {
        /// It does.
        Open = "open",
        /// It was closed.
        Closed = "closed",
    }
    /// What the server does when an agent would carry content out of a channel (chapter 08).
    Egress {
        /// It lets it pass.
        Allow = "allow",
        /// It asks the person first.
        Confirm = "confirm",
        /// It refuses.
        Deny = "deny",
    }
}

impl SpaceChannelKind {
    /// The same kind among all kinds.
    pub const fn kind(self) -> ChannelKind {
        match self {
            Self::Text => ChannelKind::Text,
            Self::Forum => ChannelKind::Forum,
        }
    }
}
