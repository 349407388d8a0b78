//! What the server itself knows about a message: where it comes from and of which kind it is
//! (chapter 05 section 1). Both are set from the credential alone, never by a client.

/// An enumeration that is stored and sent as words. One list gives the variants, the stored form,
/// the wire form and the schema, so that they cannot drift apart.
macro_rules! words {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $($(#[$variant_meta:meta])* $variant:ident = $word:literal,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, Hash,
            serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        pub enum $name {
            $($(#[$variant_meta])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// Every variant, in the order of its definition.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The word that is stored and sent.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// Reads the stored word; any other spelling is an error.
            ///
            /// # Errors
            /// [`UnknownWord`](crate::message::UnknownWord) for a word that this version does not
            /// know.
            pub fn parse(text: &str) -> Result<Self, $crate::message::UnknownWord> {
                match text {
                    $($word => Ok(Self::$variant),)+
                    _ => Err($crate::message::UnknownWord { expected: stringify!($name) }),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}
pub(crate) use words;

/// A stored word that this version does not know. It does not repeat the word, because errors
/// reach logs and a stored text may be anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a known {expected}")]
pub struct UnknownWord {
    /// The enumeration that was expected.
    pub expected: &'static str,
}

words! {
    /// Who really produced a message. Set by the server from the credential.
    pub enum Origin {
        /// A person, in a client or with a personal token.
        Human = "human",
        /// An agent, with its own token.
        Agent = "agent",
        /// An app, with its own token.
        App = "app",
        /// Taken over from another system; stays so for ever, whoever it is mapped to.
        Import = "import",
        /// The server itself (moved, closed, reopened), even where a person is named as author.
        System = "system",
    }
}

impl Origin {
    /// The origin of a stored row. `None` for a word that this version does not know, which the
    /// classification treats as `other`/`unverified` (RC-3) instead of failing the whole context.
    pub fn from_stored(text: &str) -> Option<Self> {
        Self::parse(text).ok()
    }
}

words! {
    /// What a message is.
    pub enum MessageKind {
        /// Text that its author wrote.
        Text = "text",
        /// A line of the server with a `system_code`.
        System = "system",
        /// The recorded request of a person that started a run by a command or a component
        /// (RC-17).
        RunRequest = "run_request",
    }
}

#[cfg(test)]
mod tests;
