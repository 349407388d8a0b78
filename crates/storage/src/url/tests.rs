use std::path::PathBuf;

use super::{DatabaseUrl, InvalidDatabaseUrl};

#[test]
fn reads_both_forms() {
    assert_eq!("sqlite:///srv/bothy".parse(), Ok(DatabaseUrl::Sqlite(PathBuf::from("/srv/bothy/bothy.db"))));
    assert_eq!("sqlite://data/other.db".parse(), Ok(DatabaseUrl::Sqlite(PathBuf::from("data/other.db"))));
    let url = "postgres://robin:secret@db.example.com:5433/bothy";
    assert_eq!(url.parse(), Ok(DatabaseUrl::Postgres(url.to_owned())));
    assert!("postgresql:///bothy?host=/run/postgresql".parse::<DatabaseUrl>().is_ok());
}

#[test]
fn refuses_everything_else() {
    for text in ["", "sqlite://", "sqlite", "mysql://host/bothy", "postgres://host:notaport/bothy", "/srv/bothy"] {
        assert_eq!(text.parse::<DatabaseUrl>(), Err(InvalidDatabaseUrl), "{text}");
    }
}

#[test]
fn never_prints_the_password() {
    let url: DatabaseUrl = "postgres://robin:secret@db.example.com:5433/bothy".parse().unwrap();
    assert_eq!(format!("{url}"), "postgres://db.example.com:5433/bothy");
    assert_eq!(format!("{url:?}"), "postgres://db.example.com:5433/bothy");
}
