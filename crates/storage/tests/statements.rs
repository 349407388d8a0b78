//! One text, the same rows and the same errors on both engines.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what must be true by failing"
)]

mod common;

use bothy_domain::ids::SpaceId;
use bothy_domain::time::Timestamp;
use bothy_storage::{DecodeProblem, StorageError, Value, params, prepare_all, statements};
use bothy_testkit::both_databases;

use common::*;

statements! {
    /// Parameters out of order, and one of them twice.
    ORDERED = "SELECT name FROM items WHERE rank = $2 AND name <> $1 AND rank = $2 ORDER BY name";
    BY_IDS = "SELECT name FROM items WHERE id IN (ID_LIST($1)) ORDER BY name";
    BY_NAMES = "SELECT name FROM items WHERE name IN (TEXT_LIST($1)) ORDER BY name";
    BY_RANKS = "SELECT name FROM items WHERE rank IN (INT_LIST($1)) AND done = $2 ORDER BY name";
    WHOLE = "SELECT id, name, rank, done, body, parent_id, rank > 1 AS many, NULL AS absent FROM items WHERE id = $1";
    OPTIONAL_FILTER = "SELECT name FROM items WHERE CAST($1 AS BIGINT) IS NULL OR rank = $1 ORDER BY name";
    CAST_ID = "SELECT CAST($1 AS UUID) AS id, CAST($2 AS BYTEA) AS body";
    SUM = "SELECT CAST(COALESCE(SUM(rank), 0) AS BIGINT) AS total FROM items";
    UPSERT = "INSERT INTO items (id, name, rank, done) VALUES ($1, $2, $3, $4)
              ON CONFLICT (name) DO UPDATE SET rank = excluded.rank RETURNING id, rank";
    LIKE = "SELECT name FROM items WHERE name LIKE $1 ESCAPE '\\' ORDER BY name";
    LOG = "INSERT INTO log (label) VALUES ($1) RETURNING entry";
    PAIR = "INSERT INTO pairs (a, b) VALUES ($1, $2)";
    NUMBER = "INSERT INTO numbers (number) VALUES ($1)";
    DELETE = "DELETE FROM items WHERE id = $1";
    RECURSIVE = "WITH RECURSIVE up (id, parent_id) AS (
                   SELECT id, parent_id FROM items WHERE id = $1
                   UNION ALL SELECT i.id, i.parent_id FROM items i JOIN up ON i.id = up.parent_id)
                 SELECT COUNT(*) AS depth FROM up";
    RANKED = "SELECT name, ROW_NUMBER() OVER (PARTITION BY done ORDER BY rank DESC) AS place FROM items ORDER BY name";
}

mod broken {
    bothy_storage::statements! {
        NO_TABLE = "SELECT 1 AS one FROM nowhere";
        NO_SYNTAX = "SELEC 1";
        GOOD = "SELECT id FROM items";
    }
}

mod outside {
    bothy_storage::statements! {
        UNCAST_SUM = "SELECT SUM(rank) AS total FROM items";
    }
}

async fn one_name(
    database: &bothy_storage::Database,
    statement: &'static bothy_storage::Statement,
    values: &[Value],
) -> String {
    let reader = database.reader().await.unwrap();
    let rows = reader.all(statement, values).await.unwrap();
    rows.iter().map(|row| row.get::<String>("name").unwrap()).collect::<Vec<_>>().join(" ")
}

both_databases! {
    async fn every_statement_can_be_prepared(db: TestDb) {
        let database = open(&db).await;
        prepare_all(&database, STATEMENTS).await.unwrap();
        prepare_all(&database, common::STATEMENTS).await.unwrap();
        let failures = prepare_all(&database, broken::STATEMENTS).await.unwrap_err();
        let failed: Vec<_> = failures.iter().map(|(name, _)| *name).collect();
        assert_eq!(failed, ["NO_TABLE", "NO_SYNTAX"]);
        assert!(failures[0].1.to_string().contains("nowhere"), "{}", failures[0].1);
        // SQLite cannot tell the type of a column that it has not computed.
        assert_eq!(prepare_all(&database, outside::STATEMENTS).await.is_err(), db.is_postgres());
    }

    async fn values_come_back_as_they_went_in(db: TestDb) {
        let database = open(&db).await;
        let unit = database.begin().await.unwrap();
        let space = SpaceId::from_uuid(id(7));
        let time = Timestamp::from_micros(1_700_000_000_000_001);
        assert_eq!(unit.execute(&INSERT, params![space, "Größe", time, true, vec![0_u8, 255], Value::Null]).await, Ok(1));
        let row = unit.one(&WHOLE, params![space]).await.unwrap();
        assert_eq!(row.get::<SpaceId>("id"), Ok(space));
        assert_eq!(row.get::<Uuid>("id"), Ok(id(7)));
        assert_eq!(row.get::<String>("name").as_deref(), Ok("Größe"));
        assert_eq!(row.get::<Timestamp>("rank"), Ok(time));
        assert_eq!(row.get::<bool>("done"), Ok(true));
        assert_eq!(row.get::<bool>("many"), Ok(true));
        assert_eq!(row.get::<Vec<u8>>("body"), Ok(vec![0, 255]));
        assert_eq!(row.get::<[u8; 2]>("body"), Ok([0, 255]));
        assert_eq!(row.get::<Option<SpaceId>>("parent_id"), Ok(None));
        assert_eq!(row.get::<Option<String>>("absent"), Ok(None));
        assert_eq!(row.get::<Option<bool>>("done"), Ok(Some(true)));
        let row = unit.one(&CAST_ID, params![space, b"bytes"]).await.unwrap();
        assert_eq!(row.get::<SpaceId>("id"), Ok(space));
        assert_eq!(row.get::<Vec<u8>>("body"), Ok(b"bytes".to_vec()));
    }

    async fn wrong_reads_are_errors(db: TestDb) {
        let database = open(&db).await;
        add_committed(&database, 1, "Lotse").await;
        let row = database.reader().await.unwrap().one(&WHOLE, params![id(1)]).await.unwrap();
        let problem = |result: Result<(), StorageError>| match result {
            Err(StorageError::Decode { problem, .. }) => problem,
            other => panic!("{other:?}"),
        };
        assert_eq!(problem(row.get::<i64>("missing").map(drop)), DecodeProblem::UnknownColumn);
        assert!(matches!(problem(row.get::<i64>("name").map(drop)), DecodeProblem::WrongType { .. }));
        assert!(matches!(problem(row.get::<String>("rank").map(drop)), DecodeProblem::WrongType { .. }));
        assert!(matches!(problem(row.get::<Uuid>("name").map(drop)), DecodeProblem::WrongType { .. }));
        assert!(matches!(problem(row.get::<Vec<u8>>("body").map(drop)), DecodeProblem::Null { .. }));
        assert!(!format!("{row:?}").contains("Lotse"));
    }

    async fn parameters_go_by_number_and_lists_by_element(db: TestDb) {
        let database = open(&db).await;
        for (number, name) in [(1, "a"), (2, "B"), (3, "c"), (4, "ä")] {
            add_committed(&database, number, name).await;
        }
        // Text is ordered by its bytes, whatever the locale of the server.
        assert_eq!(stored(&database).await, ["B", "a", "c", "ä"]);
        assert_eq!(one_name(&database, &ORDERED, params!["a", 1_i64]).await, "B c ä");
        assert_eq!(one_name(&database, &BY_IDS, params![vec![id(3), id(1), id(9)]]).await, "a c");
        assert_eq!(one_name(&database, &BY_IDS, params![Vec::<Uuid>::new()]).await, "");
        assert_eq!(one_name(&database, &BY_NAMES, params![vec!["ä", "a\"', {}"]]).await, "ä");
        assert_eq!(one_name(&database, &BY_RANKS, params![vec![1_i64, 5], false]).await, "B a c ä");
        assert_eq!(one_name(&database, &OPTIONAL_FILTER, params![Option::<i64>::None]).await, "B a c ä");
        assert_eq!(one_name(&database, &OPTIONAL_FILTER, params![2_i64]).await, "");
        assert_eq!(one_name(&database, &RANKED, params![]).await, "B a c ä");
        let unit = database.begin().await.unwrap();
        assert_eq!(unit.one(&SUM, params![]).await.unwrap().get::<i64>("total"), Ok(4));
        let row = unit.returning_one(&UPSERT, params![id(5), "a", 8_i64, false]).await.unwrap();
        assert_eq!((row.get::<Uuid>("id"), row.get::<i64>("rank")), (Ok(id(1)), Ok(8)));
        assert_eq!(unit.one(&RECURSIVE, params![id(1)]).await.unwrap().get::<u32>("depth"), Ok(1));
        assert_eq!(unit.returning_one(&LOG, params!["x"]).await.unwrap().get::<i64>("entry"), Ok(1));
        assert_eq!(unit.returning(&LOG, params![Value::Null]).await.unwrap()[0].get::<i64>("entry"), Ok(2));
    }

    async fn like_tells_capitals_apart(db: TestDb) {
        let database = open(&db).await;
        for (number, name) in [(1, "Lotse"), (2, "lotse"), (3, "lo_tse"), (4, "Texter")] {
            add_committed(&database, number, name).await;
        }
        assert_eq!(one_name(&database, &LIKE, params!["lo%"]).await, "lo_tse lotse");
        assert_eq!(one_name(&database, &LIKE, params!["lo\\_%"]).await, "lo_tse");
    }

    async fn no_engine_stores_a_nul_character(db: TestDb) {
        let database = open(&db).await;
        let unit = database.begin().await.unwrap();
        assert!(matches!(add(&unit, 1, "a\0b").await, Err(StorageError::Statement { .. })));
    }

    async fn the_number_of_rows_is_checked(db: TestDb) {
        let database = open(&db).await;
        add_committed(&database, 1, "a").await;
        add_committed(&database, 2, "b").await;
        let reader = database.reader().await.unwrap();
        assert!(matches!(reader.one(&NAMES, params![]).await, Err(StorageError::Rows { found: 2, .. })));
        assert!(matches!(reader.optional(&NAMES, params![]).await, Err(StorageError::Rows { found: 2, .. })));
        assert!(matches!(reader.one(&WHOLE, params![id(9)]).await, Err(StorageError::Rows { found: 0, .. })));
        assert!(reader.optional(&WHOLE, params![id(9)]).await.unwrap().is_none());
        assert!(reader.optional(&WHOLE, params![id(1)]).await.unwrap().is_some());
        assert_eq!(reader.all_long(&NAMES, vec![]).await.unwrap().len(), 2);
    }

    async fn wrong_parameters_are_errors(db: TestDb) {
        let database = open(&db).await;
        let reader = database.reader().await.unwrap();
        for values in [params![], params![id(1), id(2)]] {
            assert!(matches!(reader.all(&WHOLE, values).await, Err(StorageError::Statement { name: "WHOLE", .. })));
        }
    }

    async fn constraints_have_one_name_on_both_engines(db: TestDb) {
        async fn violation(database: &bothy_storage::Database, statement: &'static bothy_storage::Statement, values: &[Value]) -> StorageError {
            let unit = database.begin().await.unwrap();
            unit.execute(statement, values).await.unwrap_err()
        }
        let none = || (Option::<Vec<u8>>::None, Option::<Uuid>::None);
        let database = open(&db).await;
        let unit = database.begin().await.unwrap();
        unit.execute(&INSERT, params![id(1), "a", 3_i64, true, none().0, none().1]).await.unwrap();
        unit.execute(&INSERT, params![id(2), "b", 3_i64, false, none().0, Some(id(1))]).await.unwrap();
        unit.execute(&PAIR, params![1_i64, 2_i64]).await.unwrap();
        unit.execute(&NUMBER, params![1_i64]).await.unwrap();
        unit.commit().await.unwrap();

        let unique = |constraint: &str| StorageError::UniqueViolation { constraint: constraint.to_owned() };
        let error = violation(&database, &INSERT, params![id(3), "a", 1_i64, false, none().0, none().1]).await;
        assert_eq!(error, unique("items_name"));
        assert!(error.is_unique("name") && !error.is_unique("other") && !error.is_retryable());
        let error = violation(&database, &INSERT, params![id(1), "c", 1_i64, false, none().0, none().1]).await;
        assert_eq!(error, unique("items_pkey"));
        let error = violation(&database, &INSERT, params![id(3), "c", 3_i64, true, none().0, none().1]).await;
        assert_eq!(error, unique("items_one_done"));
        assert_eq!(violation(&database, &PAIR, params![1_i64, 2_i64]).await, unique("pairs_pkey"));
        assert_eq!(violation(&database, &NUMBER, params![1_i64]).await, unique("numbers_pkey"));
        let error = violation(&database, &INSERT, params![id(3), "c", 1_i64, false, none().0, Some(id(9))]).await;
        assert_eq!(error, StorageError::ForeignKey { statement: "INSERT" });
        assert_eq!(violation(&database, &DELETE, params![id(1)]).await, StorageError::ForeignKey { statement: "DELETE" });
        let error = violation(&database, &INSERT, params![id(3), "c", -1_i64, false, none().0, none().1]).await;
        assert_eq!(error, StorageError::Check { constraint: "items_rank_check".to_owned() });
        let error = violation(&database, &INSERT, params![id(3), Value::Null, 1_i64, false, none().0, none().1]).await;
        assert_eq!(error, StorageError::Check { constraint: "items.name".to_owned() });
        // A value of another kind is refused by PostgreSQL when it is encoded, by SQLite when it is stored.
        let error = violation(&database, &INSERT, params![id(3), id(4), 1_i64, false, none().0, none().1]).await;
        assert!(matches!(error, StorageError::Statement { .. }), "{error:?}");
    }

    async fn errors_do_not_repeat_values(db: TestDb) {
        let database = open(&db).await;
        add_committed(&database, 1, "canary").await;
        let unit = database.begin().await.unwrap();
        let error = add(&unit, 2, "canary").await.unwrap_err();
        assert!(!format!("{error} {error:?}").contains("canary"));
        drop(unit);
        let unit = database.begin().await.unwrap();
        let error = unit.execute(&INSERT, params![id(3), "x", "canary", false, "canary", Value::Null]).await.unwrap_err();
        assert!(!format!("{error} {error:?}").contains("canary"));
    }

    async fn writing_needs_a_unit_of_work(db: TestDb) {
        let database = open(&db).await;
        let reader = database.consistent_reader().await.unwrap();
        assert!(reader.all(&RENAME, params![id(1), "x"]).await.is_err());
        if !db.is_postgres() {
            assert!(database.reader().await.unwrap().all(&RENAME, params![id(1), "x"]).await.is_err());
        }
    }
}
