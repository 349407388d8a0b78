//! One connection and its settings.

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

/// How many prepared statements a connection keeps: more than the program has.
const STATEMENTS: usize = 1024;

/// Whether a connection may write.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Writer,
    Reader,
}

/// Opens a connection. Only the writer creates the file.
pub(super) fn open(file: &Path, role: Role) -> rusqlite::Result<Connection> {
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    if role == Role::Writer {
        flags |= OpenFlags::SQLITE_OPEN_CREATE;
    }
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    // Text in double quotes is a name, as in PostgreSQL, never a string.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DDL, false)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    // macOS acknowledges a plain fsync before the disk has the data.
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "checkpoint_fullfsync", true)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // As in PostgreSQL; it also lets a prefix be searched in an index.
    connection.pragma_update(None, "case_sensitive_like", true)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "cache_size", -16_384)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    rusqlite::vtab::array::load_module(&connection)?;
    if role == Role::Reader {
        connection.pragma_update(None, "query_only", true)?;
    }
    Ok(connection)
}

/// Switches the file to the write-ahead log, once; false when its file system cannot hold one.
pub(super) fn write_ahead(connection: &Connection) -> rusqlite::Result<bool> {
    let mode: String = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    // Gives the space of an unusually large log back to the disk.
    connection.pragma_update(None, "journal_size_limit", 67_108_864)?;
    Ok(mode.eq_ignore_ascii_case("wal"))
}

/// Runs one of the few statements that steer transactions.
pub(super) fn steer(connection: &Connection, text: &'static str) -> rusqlite::Result<()> {
    connection.prepare_cached(text)?.raw_execute().map(drop)
}
