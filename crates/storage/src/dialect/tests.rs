use super::{postgres_statement, schema, sqlite_statement};
use crate::Engine;

#[test]
fn lists_and_parameters_follow_the_engine() {
    let text =
        "SELECT id FROM spaces WHERE id IN (ID_LIST($2)) AND name IN (TEXT_LIST($1)) AND version IN (INT_LIST($10))";
    assert_eq!(
        sqlite_statement(text),
        "SELECT id FROM spaces WHERE id IN (SELECT value FROM rarray(?2)) AND name IN (SELECT value FROM rarray(?1)) \
         AND version IN (SELECT value FROM rarray(?10))"
    );
    assert_eq!(
        postgres_statement(text),
        "SELECT id FROM spaces WHERE id IN (SELECT unnest($2::uuid[])) AND name IN (SELECT unnest($1::text[])) \
         AND version IN (SELECT unnest($10::bigint[]))"
    );
}

#[test]
fn quotes_and_comments_are_left_alone() {
    let text = "SELECT 'ID_LIST($1) $2', \"$3\" -- $4 'x\n, 'it''s $5' /* $6 */ FROM t WHERE a = $7";
    assert_eq!(
        sqlite_statement(text),
        "SELECT 'ID_LIST($1) $2', \"$3\" -- $4 'x\n, 'it''s $5' /* $6 */ FROM t WHERE a = ?7"
    );
    assert_eq!(postgres_statement(text), text);
}

#[test]
fn casts_name_the_types_of_postgres() {
    let text = "SELECT CAST($1 AS UUID), CAST(SUM(a) AS BIGINT), CAST($2 AS TEXT), b AS BIGINT FROM t";
    assert_eq!(
        sqlite_statement(text),
        "SELECT CAST(?1 AS BLOB), CAST(SUM(a) AS INTEGER), CAST(?2 AS TEXT), b AS BIGINT FROM t"
    );
    assert_eq!(postgres_statement(text), text);
}

#[test]
fn schemas_get_the_types_of_their_engine() {
    let text = "CREATE TABLE t (\n  entry SERIAL_KEY,\n  id UUID NOT NULL,\n  body BYTEA,\n  at BIGINT,\n  \
                on_ BOOLEAN NOT NULL CHECK (on_ IN (TRUE, FALSE)),\n  name TEXT -- TEXT\n);\nCREATE INDEX i ON t (id);";
    assert_eq!(
        schema(text, Engine::Sqlite),
        "CREATE TABLE t (\n  entry INTEGER PRIMARY KEY AUTOINCREMENT,\n  id BLOB NOT NULL,\n  body BLOB,\n  at INTEGER,\n  \
         on_ INTEGER NOT NULL CHECK (on_ IN (TRUE, FALSE)),\n  name TEXT -- TEXT\n) STRICT;\nCREATE INDEX i ON t (id);"
    );
    assert_eq!(
        schema(text, Engine::Postgres),
        "CREATE TABLE t (\n  entry BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,\n  id UUID NOT NULL,\n  body BYTEA,\n  \
         at BIGINT,\n  on_ BOOLEAN NOT NULL CHECK (on_ IN (TRUE, FALSE)),\n  name TEXT COLLATE \"C\" -- TEXT\n);\n\
         CREATE INDEX i ON t (id);"
    );
}

#[test]
fn odd_texts_are_passed_through() {
    for text in ["", "$", "'open", "\"open", "/* open", "-- open", "ID_LIST(", "ID_LIST($1", "ID_LIST ($a)", "größe $"]
    {
        assert_eq!(postgres_statement(text), text);
        assert_eq!(sqlite_statement(text).replace('?', "$"), text);
    }
}

#[test]
fn a_table_in_the_order_of_its_key_is_one_where_there_is_such_a_thing() {
    let text = "CREATE TABLE t (\n  a TEXT NOT NULL PRIMARY KEY\n) KEY_ORDERED;";
    assert_eq!(
        schema(text, Engine::Sqlite),
        "CREATE TABLE t (\n  a TEXT NOT NULL PRIMARY KEY\n) STRICT, WITHOUT ROWID;"
    );
    assert_eq!(schema(text, Engine::Postgres), "CREATE TABLE t (\n  a TEXT COLLATE \"C\" NOT NULL PRIMARY KEY\n) ;");
}
