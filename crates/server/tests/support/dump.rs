use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::OnceLock;

use bothy_storage::{Cell, Database, DecodeProblem, FromValue, MIGRATIONS, Row, Statement};
use futures::future::join_all;

/// What a refusal may write, and what is written by the server itself.
const LEFT_OUT: [&str; 5] = ["audit_events", "audit_pending", "audit_head", "audit_checkpoints", "event_sequence"];
/// What is noted of a credential that counts and of calls without a token, and the place that the sequencer
/// gives an event later.
const LEFT_OUT_COLUMNS: [(&str, &str); 3] =
    [("api_tokens", "last_used_day"), ("events", "position"), ("runs", "unbound_calls")];

/// Every row of the database but those of the audit log, as text.
#[derive(Clone, PartialEq, Eq)]
pub struct Dump(BTreeMap<&'static str, BTreeSet<String>>);

struct Table {
    name: &'static str,
    columns: Vec<&'static str>,
    rows: Statement,
}

impl Dump {
    pub async fn of(database: &Database) -> Self {
        let reader = database.consistent_reader().await.unwrap();
        let tables = tables().iter();
        let rows = join_all(tables.map(async |table| {
            let rows = reader.all(&table.rows, &[]).await.unwrap();
            (table.name, rows.iter().map(|row| line(row, &table.columns)).collect())
        }));
        Self(rows.await.into_iter().collect())
    }

    /// The rows that are only here (`-`) and only there (`+`); empty when nothing has changed.
    pub fn changes(&self, later: &Self) -> String {
        let mut changes = String::new();
        for (table, before) in &self.0 {
            let after = &later.0[table];
            before.difference(after).for_each(|row| writeln!(changes, "  - {table}: {row}").unwrap());
            after.difference(before).for_each(|row| writeln!(changes, "  + {table}: {row}").unwrap());
        }
        changes
    }
}

fn line(row: &Row, columns: &[&str]) -> String {
    let mut line = String::new();
    for column in columns {
        write!(line, "{column}={} ", row.get::<Shown>(column).unwrap().0).unwrap();
    }
    line
}

struct Shown(String);

impl FromValue for Shown {
    fn from_cell(cell: Cell<'_>) -> Result<Self, DecodeProblem> {
        Ok(Self(match cell {
            Cell::Null => "null".to_owned(),
            Cell::Bool(value) => value.to_string(),
            Cell::Int(value) => value.to_string(),
            Cell::Text(value) => format!("{value:?}"),
            Cell::Bytes(value) => value.iter().map(|byte| format!("{byte:02x}")).collect(),
            Cell::Uuid(value) => value.to_string(),
        }))
    }
}

/// The tables, as the migrations leave them.
fn tables() -> &'static [Table] {
    static TABLES: OnceLock<Vec<Table>> = OnceLock::new();
    TABLES.get_or_init(|| {
        let mut columns = BTreeMap::new();
        MIGRATIONS.iter().for_each(|migration| migrate(migration.text, &mut columns));
        assert!(columns.len() > 30, "the tables are known");
        let known = columns.into_iter().filter(|(name, _)| !LEFT_OUT.contains(name));
        known
            .map(|(name, mut columns)| {
                columns.retain(|column| !LEFT_OUT_COLUMNS.contains(&(name, *column)));
                let text: &'static str = format!("SELECT * FROM {name}").leak();
                Table { name, columns, rows: Statement::new(name, text, text) }
            })
            .collect()
    })
}

/// Follows the statements of a migration that make, change and drop tables.
fn migrate(migration: &'static str, tables: &mut BTreeMap<&'static str, Vec<&'static str>>) {
    let first_word = |line: &'static str| line.trim().split([' ', ';']).next().unwrap();
    let mut making: Option<&'static str> = None;
    for line in migration.lines() {
        if let Some(rest) = line.strip_prefix("CREATE TABLE ") {
            making = Some(first_word(rest));
            tables.insert(first_word(rest), Vec::new());
        } else if let Some(rest) = line.strip_prefix("DROP TABLE ") {
            tables.remove(first_word(rest)).expect("only what is there is dropped");
        } else if let Some(rest) = line.strip_prefix("ALTER TABLE ") {
            let (name, column) = rest.split_once(" ADD COLUMN ").expect("tables are only changed by a column more");
            tables.get_mut(name).unwrap().push(first_word(column));
        } else if line.starts_with(')') {
            making = None;
        } else if let Some(name) = making
            // One column a line, two spaces deep; what is deeper belongs to a check.
            && line.starts_with("  ")
            && !line.starts_with("   ")
            && first_word(line).starts_with(|first: char| first.is_ascii_lowercase())
        {
            tables.get_mut(name).unwrap().push(first_word(line));
        }
    }
}
