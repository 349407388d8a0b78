//! Statements: their text is fixed when the program is built and stands in one place.

use std::fmt;
use std::sync::OnceLock;

use crate::dialect;

/// One statement, written once for both engines. Made only by [`statements!`](crate::statements).
pub struct Statement {
    name: &'static str,
    sqlite: Text,
    postgres: Text,
}

/// A text as it was written, and as its engine takes it.
struct Text {
    written: &'static str,
    rendered: OnceLock<Box<str>>,
}

impl Statement {
    /// For [`statements!`](crate::statements) only: texts are constants, so that no value can be
    /// pasted into one.
    #[doc(hidden)]
    pub const fn new(name: &'static str, sqlite: &'static str, postgres: &'static str) -> Self {
        Self {
            name,
            sqlite: Text { written: sqlite, rendered: OnceLock::new() },
            postgres: Text { written: postgres, rendered: OnceLock::new() },
        }
    }

    /// The name of its static, for errors, traces and metrics.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn sqlite(&self) -> &str {
        self.sqlite.rendered.get_or_init(|| dialect::sqlite_statement(self.sqlite.written).into())
    }

    pub(crate) fn postgres(&self) -> &str {
        self.postgres.rendered.get_or_init(|| dialect::postgres_statement(self.postgres.written).into())
    }
}

impl fmt::Debug for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Defines the statements of a store, and `STATEMENTS`, the list of all of them, with which a
/// test prepares each one on both engines.
///
/// ```
/// bothy_storage::statements! {
///     /// One space.
///     pub(crate) SPACE_BY_ID = "SELECT name FROM spaces WHERE id = $1";
///     /// Its channels, from shared parts.
///     CHANNELS = concat!("SELECT id FROM channels WHERE space_id = $1", " ORDER BY id");
///     /// What truly differs, side by side.
///     SEARCH = { sqlite: "SELECT 1", postgres: "SELECT 2" };
/// }
/// assert_eq!(STATEMENTS.len(), 3);
/// ```
#[macro_export]
macro_rules! statements {
    (@define [$($done:ident)*]) => {
        /// Every statement of this module.
        #[allow(unreachable_pub, reason = "the same macro serves modules of every visibility")]
        pub static STATEMENTS: &[&$crate::Statement] = &[$(&$done),*];
    };
    (@define [$($done:ident)*]
        $(#[$meta:meta])* $vis:vis $name:ident = { sqlite: $sqlite:expr, postgres: $postgres:expr $(,)? };
        $($rest:tt)*
    ) => {
        $(#[$meta])*
        $vis static $name: $crate::Statement = $crate::Statement::new(stringify!($name), $sqlite, $postgres);
        $crate::statements! { @define [$($done)* $name] $($rest)* }
    };
    (@define [$($done:ident)*]
        $(#[$meta:meta])* $vis:vis $name:ident = $text:expr;
        $($rest:tt)*
    ) => {
        $(#[$meta])*
        $vis static $name: $crate::Statement = {
            const TEXT: &str = $text;
            $crate::Statement::new(stringify!($name), TEXT, TEXT)
        };
        $crate::statements! { @define [$($done)* $name] $($rest)* }
    };
    ($($input:tt)*) => {
        $crate::statements! { @define [] $($input)* }
    };
}
