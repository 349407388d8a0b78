//! Both engines have the same schema.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what must be true by failing"
)]

mod common;

use std::collections::{BTreeMap, BTreeSet};

use bothy_storage::{Database, MIGRATIONS, OpenOptions, Statement, params, statements};

use common::*;

statements! {
    COLUMNS = {
        sqlite: "SELECT t.name AS owner, c.name AS name, c.type AS type, (c.\"notnull\" OR c.pk > 0) AS required
                 FROM sqlite_schema t JOIN pragma_table_info(t.name) c
                 WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'",
        postgres: "SELECT CAST(table_name AS TEXT) AS owner, CAST(column_name AS TEXT) AS name,
                          CAST(data_type AS TEXT) AS type, is_nullable = 'NO' AS required
                   FROM information_schema.columns WHERE table_schema = 'public'",
    };
    INDEXES = {
        sqlite: "SELECT t.name AS owner, i.name AS name, i.origin = 'pk' AS is_key, i.\"unique\" AS is_unique, i.partial AS is_partial,
                        (SELECT group_concat(c.name, ',' ORDER BY c.seqno) FROM pragma_index_info(i.name) c) AS columns
                 FROM sqlite_schema t JOIN pragma_index_list(t.name) i
                 WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'
                 UNION ALL
                 SELECT t.name, '', 1, 1, 0, c.name
                 FROM sqlite_schema t JOIN pragma_table_info(t.name) c
                 WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND c.pk = 1
                   AND NOT EXISTS (SELECT 1 FROM pragma_index_list(t.name) i WHERE i.origin = 'pk')",
        postgres: "SELECT CAST(t.relname AS TEXT) AS owner, CAST(n.relname AS TEXT) AS name, i.indisprimary AS is_key,
                          i.indisunique AS is_unique, i.indpred IS NOT NULL AS is_partial,
                          (SELECT string_agg(CAST(a.attname AS TEXT), ',' ORDER BY k.place)
                           FROM unnest(CAST(i.indkey AS int2[])) WITH ORDINALITY AS k (number, place)
                           JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.number) AS columns
                   FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid JOIN pg_class n ON n.oid = i.indexrelid
                   WHERE t.relnamespace = CAST('public' AS regnamespace)",
    };
    REFERENCES = {
        sqlite: "SELECT t.name AS owner, f.\"from\" AS name, f.\"table\" AS target, f.on_delete AS on_delete
                 FROM sqlite_schema t JOIN pragma_foreign_key_list(t.name) f WHERE t.type = 'table'",
        postgres: "SELECT CAST(t.relname AS TEXT) AS owner, CAST(a.attname AS TEXT) AS name, CAST(o.relname AS TEXT) AS target,
                          CASE c.confdeltype WHEN 'a' THEN 'NO ACTION' WHEN 'r' THEN 'RESTRICT' WHEN 'c' THEN 'CASCADE'
                                             WHEN 'n' THEN 'SET NULL' ELSE 'SET DEFAULT' END AS on_delete
                   FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid JOIN pg_class o ON o.oid = c.confrelid
                   JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = ANY (c.conkey)
                   WHERE c.contype = 'f'",
    };
    CHECKS = {
        sqlite: "SELECT name AS owner, (length(sql) - length(replace(sql, 'CHECK (', ''))) / 7 AS checks
                 FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
        postgres: "SELECT CAST(t.relname AS TEXT) AS owner,
                          (SELECT COUNT(*) FROM pg_constraint c WHERE c.conrelid = t.oid AND c.contype = 'c') AS checks
                   FROM pg_class t WHERE t.relkind = 'r' AND t.relnamespace = CAST('public' AS regnamespace)",
    };
    COLLATIONS = {
        sqlite: "SELECT 0 AS count",
        postgres: "SELECT COUNT(*) AS count FROM information_schema.columns
                   WHERE table_schema = 'public' AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'",
    };
}

async fn open_real(db: &TestDb) -> Database {
    Database::open(&OpenOptions { migrations: MIGRATIONS, ..options(db) }).await.unwrap()
}

/// Every fact of a schema, one a line.
async fn describe(database: &Database) -> BTreeSet<String> {
    let reader = database.reader().await.unwrap();
    let mut facts = BTreeSet::new();
    for row in reader.all(&COLUMNS, params![]).await.unwrap() {
        let (owner, name, kind): (String, String, String) =
            (row.get("owner").unwrap(), row.get("name").unwrap(), row.get("type").unwrap());
        let kind = match kind.to_lowercase().as_str() {
            "bigint" | "boolean" | "integer" => "number",
            "uuid" | "bytea" | "blob" => "bytes",
            "text" => "text",
            other => panic!("{owner}.{name} has type {other}, which is outside of the portable subset"),
        };
        facts.insert(format!("column {owner}.{name} {kind} required={}", row.get::<bool>("required").unwrap()));
    }
    for row in reader.all(&INDEXES, params![]).await.unwrap() {
        let (owner, is_key): (String, bool) = (row.get("owner").unwrap(), row.get("is_key").unwrap());
        let name = if is_key { format!("{owner}_pkey") } else { row.get("name").unwrap() };
        facts.insert(format!(
            "index {name} on {owner} ({}) unique={} partial={}",
            row.get::<String>("columns").unwrap(),
            row.get::<bool>("is_unique").unwrap(),
            row.get::<bool>("is_partial").unwrap(),
        ));
    }
    for row in reader.all(&REFERENCES, params![]).await.unwrap() {
        let text = |column: &str| row.get::<String>(column).unwrap();
        facts.insert(format!(
            "reference {}.{} to {} {}",
            text("owner"),
            text("name"),
            text("target"),
            text("on_delete")
        ));
    }
    for row in reader.all(&CHECKS, params![]).await.unwrap() {
        let (owner, checks): (String, i64) = (row.get("owner").unwrap(), row.get("checks").unwrap());
        facts.insert(format!("checks {owner} {checks}"));
    }
    facts
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn both_schemas_say_the_same() {
    let (one, two) = (TestDb::sqlite(), TestDb::postgres().await);
    let (sqlite, postgres) = (describe(&open_real(&one).await).await, describe(&open_real(&two).await).await);
    let only = |here: &BTreeSet<String>, there: &BTreeSet<String>| {
        here.difference(there).cloned().collect::<Vec<_>>().join("\n")
    };
    assert_eq!(only(&sqlite, &postgres), only(&postgres, &sqlite), "left: only on SQLite, right: only on PostgreSQL");
    assert!(sqlite.len() > 100, "{}", sqlite.len());
}

/// SQLite names the columns of a violated index, from which storage finds its name.
#[tokio::test]
async fn no_two_unique_indexes_have_the_same_columns() {
    let db = TestDb::sqlite();
    let database = open_real(&db).await;
    let mut owners: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in database.reader().await.unwrap().all(&INDEXES, params![]).await.unwrap() {
        if row.get::<bool>("is_unique").unwrap() {
            let key = format!("{} ({})", row.get::<String>("owner").unwrap(), row.get::<String>("columns").unwrap());
            owners.entry(key).or_default().push(row.get("name").unwrap());
        }
    }
    owners.retain(|_, names| names.len() > 1);
    assert!(owners.is_empty(), "{owners:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn text_is_ordered_by_its_bytes() {
    let db = TestDb::postgres().await;
    let database = open_real(&db).await;
    let statement: &'static Statement = &COLLATIONS;
    let row = database.reader().await.unwrap().one(statement, params![]).await.unwrap();
    assert_eq!(row.get::<i64>("count"), Ok(0));
}
