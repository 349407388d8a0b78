//! Pieces of SQL over the tables of this crate, for use inside of `concat!` by whoever owns rows of
//! threads. They stand here, so that nobody else has to know these tables.

/// The visible-channel predicate over a thread: as [`bothy_platform::visible_channel!`] over the channel
/// that the thread stands in now. It takes the column that holds the thread's id, and the three
/// parameters as they are written in the statement.
#[macro_export]
macro_rules! visible_thread {
    ($thread:literal, $instance_wide:literal, $spaces:literal, $channels:literal) => {
        concat!(
            "EXISTS (SELECT 1 FROM threads vt JOIN channels vc ON vc.id = vt.channel_id WHERE vt.id = ",
            $thread,
            " AND ",
            bothy_platform::visible_channel!("vc", $instance_wide, $spaces, $channels),
            ")"
        )
    };
}

/// The ids of the channels that a scope shows, for use inside of `IN (...)` or as a table. The three ways
/// to see a channel stand one by one, so that each of them finds its channels by an index, and the work
/// does not grow with the instance.
#[macro_export]
macro_rules! visible_channel_ids {
    ($instance_wide:literal, $spaces:literal, $channels:literal) => {
        concat!(
            "SELECT d.id FROM channels d WHERE ",
            $instance_wide,
            " AND d.space_id IS NOT NULL UNION SELECT d.id FROM channels d WHERE d.space_id IN (ID_LIST(",
            $spaces,
            ")) UNION SELECT d.id FROM channels d WHERE d.id IN (ID_LIST(",
            $channels,
            "))"
        )
    };
}

/// Joins the thread `t` that a column names, and its channel `c`, to whatever stands before.
#[macro_export]
macro_rules! join_thread {
    ($thread:literal) => {
        concat!(" JOIN threads t ON t.id = ", $thread, " JOIN channels c ON c.id = t.channel_id")
    };
}

/// Threads `t` with their channels `c` and perhaps spaces `s`, to read from.
#[macro_export]
macro_rules! from_threads {
    () => {
        " FROM threads t JOIN channels c ON c.id = t.channel_id LEFT JOIN spaces s ON s.id = c.space_id"
    };
}

/// The ids of the main threads after one (`$after`) that a scope shows, for use inside of `IN (...)`.
#[macro_export]
macro_rules! visible_main_threads {
    ($after:literal, $instance_wide:literal, $spaces:literal, $channels:literal) => {
        concat!(
            "SELECT n.id FROM threads n WHERE n.kind = 'main' AND n.id > ",
            $after,
            " AND n.channel_id IN (",
            $crate::visible_channel_ids!($instance_wide, $spaces, $channels),
            ")"
        )
    };
}

/// The same as [`visible_main_threads!`] for whoever sees nearly every channel: they are passed through as
/// they come.
#[macro_export]
macro_rules! nearly_all_main_threads {
    ($after:literal, $instance_wide:literal, $spaces:literal, $channels:literal) => {
        concat!(
            "SELECT n.id FROM threads n JOIN channels d ON d.id = n.channel_id WHERE n.kind = 'main' AND n.id > ",
            $after,
            " AND ",
            bothy_platform::visible_channel!("d", $instance_wide, $spaces, $channels)
        )
    };
}
