//! The visible-channel predicate (chapter 03 section 6): how a list restricts its rows to what the
//! caller's scope shows, in SQL, so that pages are full and totals betray nothing.

use bothy_domain::policy::Scope;
use bothy_storage::Value;

/// The predicate over one row of `channels`, for use inside of `concat!`. It takes the alias of the
/// row and the three parameters that [`scope_params`] fills, as they are written in the statement.
///
/// A direct message has no space, so neither an instance-wide scope nor a fully visible space ever
/// shows one: it must be named.
///
/// ```
/// use bothy_platform::visible_channel;
///
/// const TEXT: &str = concat!("SELECT c.id FROM channels c WHERE ", visible_channel!("c", "$1", "$2", "$3"));
/// assert!(TEXT.contains("c.space_id IN (ID_LIST($2))"));
/// ```
#[macro_export]
macro_rules! visible_channel {
    ($channel:literal, $instance_wide:literal, $spaces:literal, $channels:literal) => {
        concat!(
            "((",
            $instance_wide,
            " AND ",
            $channel,
            ".space_id IS NOT NULL)",
            " OR ",
            $channel,
            ".space_id IN (ID_LIST(",
            $spaces,
            "))",
            " OR ",
            $channel,
            ".id IN (ID_LIST(",
            $channels,
            ")))"
        )
    };
}

/// The parameters of [`visible_channel!`](crate::visible_channel), in its order: whether the scope
/// is instance-wide, the fully visible spaces, the channels that are visible in their own right.
pub fn scope_params(scope: &Scope) -> [Value; 3] {
    [Value::from(scope.instance_wide), Value::from(&scope.fully_visible_space_ids), Value::from(&scope.channel_ids)]
}
