//! The names of unique constraints.
//!
//! PostgreSQL names the index that a row violates, SQLite its columns ("spaces.name"). This table
//! translates columns back into the name of their index, so that callers see one name. It is
//! exact as long as no two unique indexes of a table have the same columns, which a test of the
//! schema guards.

use std::collections::HashMap;

use rusqlite::Connection;

/// Names of unique indexes by what SQLite says about their violation.
#[derive(Default)]
pub(super) struct UniqueNames(HashMap<String, String>);

/// Every unique index with its columns, in order. `origin` is `pk` for a primary key.
const INDEXES: &str = "SELECT t.name AS owner, i.name AS index_name, i.origin, c.name AS column_name
  FROM sqlite_schema t JOIN pragma_index_list(t.name) i JOIN pragma_index_info(i.name) c
  WHERE t.type = 'table' AND i.\"unique\" ORDER BY t.name, i.name, c.seqno";

/// Primary keys that are the row number itself and have no index.
const ROW_NUMBERS: &str = "SELECT t.name AS owner, c.name AS column_name
  FROM sqlite_schema t JOIN pragma_table_info(t.name) c
  WHERE t.type = 'table' AND c.pk = 1
    AND NOT EXISTS (SELECT 1 FROM pragma_index_list(t.name) i WHERE i.origin = 'pk')";

impl UniqueNames {
    /// Reads them from the schema.
    pub(super) fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let mut columns: HashMap<(String, String), String> = HashMap::new();
        let mut statement = connection.prepare(INDEXES)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let owner: String = row.get("owner")?;
            let index: String = row.get("index_name")?;
            let origin: String = row.get("origin")?;
            let Some(column) = row.get::<_, Option<String>>("column_name")? else { continue };
            let name = if origin == "pk" { primary_key(&owner) } else { index };
            let list = columns.entry((owner.clone(), name)).or_default();
            if !list.is_empty() {
                list.push_str(", ");
            }
            list.push_str(&format!("{owner}.{column}"));
        }
        let mut names: HashMap<String, String> = columns.into_iter().map(|((_, name), list)| (list, name)).collect();
        let mut statement = connection.prepare(ROW_NUMBERS)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let owner: String = row.get("owner")?;
            let column: String = row.get("column_name")?;
            names.insert(format!("{owner}.{column}"), primary_key(&owner));
        }
        Ok(Self(names))
    }

    /// The name of the index in a message such as `UNIQUE constraint failed: spaces.name`; the
    /// columns themselves for one that is not known.
    pub(super) fn of(&self, message: &str) -> String {
        let columns = message.split_once("failed: ").map_or(message, |(_, columns)| columns);
        if let Some(index) = columns.strip_prefix("index '") {
            return index.trim_end_matches('\'').to_owned();
        }
        self.0.get(columns).cloned().unwrap_or_else(|| columns.to_owned())
    }
}

/// The name that PostgreSQL gives to a primary key.
fn primary_key(table: &str) -> String {
    format!("{table}_pkey")
}
