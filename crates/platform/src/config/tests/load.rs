use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::config::{Config, ConfigFile, Environment, Flag, Loaded, LogFormat, MigrateMode, Source, Sources};

struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        use crate::entropy::{SystemEntropy, bytes};
        let name: [u8; 8] = bytes(&SystemEntropy::new().unwrap());
        let path = std::env::temp_dir().join(format!("bothy-config-{}", u64::from_be_bytes(name)));
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn set(assignments: &[&str]) -> Sources {
    Sources { flags: assignments.iter().map(|text| Flag::Set((*text).to_owned())).collect(), ..Sources::default() }
}

fn environment(variables: &[(&str, &str)]) -> Sources {
    Sources { environment: variables.iter().copied().collect(), ..Sources::default() }
}

fn mistakes(sources: &Sources) -> String {
    Config::load(sources).unwrap_err().to_string()
}

fn source(loaded: &Loaded, key: &str) -> String {
    loaded.shown().into_iter().find(|shown| shown.key == key).unwrap().source
}

#[test]
fn nothing_set_gives_the_defaults() {
    let loaded = Config::load(&Sources::default()).unwrap();
    assert_eq!(loaded.config, Config::default());
    assert_eq!(loaded.config.server.listen.to_string(), "127.0.0.1:7878");
    assert_eq!(loaded.config.server.public_origin(), "http://127.0.0.1:7878");
    assert!(loaded.shown().iter().all(|shown| shown.source == Source::Default.to_string()));
}

#[test]
fn flag_beats_environment_beats_file_beats_default() {
    let folder = Folder::new();
    let file = folder.file(
        "bothy.toml",
        "[http]\nmax_connections = 1\npage_limit_default = 1\nheader_timeout = \"1s\"\n\n[log]\nformat = \"text\"\n",
    );
    let sources = Sources {
        file: ConfigFile::Required(file.clone()),
        environment: [("BOTHY_HTTP__MAX_CONNECTIONS", "2"), ("BOTHY_HTTP__PAGE_LIMIT_DEFAULT", "2")]
            .into_iter()
            .collect(),
        flags: vec![Flag::Set("http.max_connections=3".to_owned())],
    };
    let loaded = Config::load(&sources).unwrap();
    assert_eq!(loaded.config.http.max_connections.get(), 3);
    assert_eq!(loaded.config.http.page_limit_default.get(), 2);
    assert_eq!(loaded.config.http.header_timeout.get(), Duration::from_secs(1));
    assert_eq!(loaded.config.log.format, LogFormat::Text);
    assert_eq!(source(&loaded, "http.max_connections"), "--set http.max_connections");
    assert_eq!(source(&loaded, "http.page_limit_default"), "BOTHY_HTTP__PAGE_LIMIT_DEFAULT");
    assert_eq!(source(&loaded, "http.header_timeout"), format!("{} line 4", file.display()));
    assert_eq!(source(&loaded, "http.body_timeout"), "default");
}

#[test]
fn a_named_flag_beats_an_earlier_set() {
    let mut sources = set(&["server.listen=127.0.0.1:1"]);
    sources.flags.push(Flag::Named { flag: "--listen", key: "server.listen", value: "127.0.0.1:2".to_owned() });
    let loaded = Config::load(&sources).unwrap();
    assert_eq!(loaded.config.server.listen.port(), 2);
    assert_eq!(source(&loaded, "server.listen"), "--listen");
}

#[test]
fn every_kind_of_value_comes_from_text() {
    let loaded = Config::load(&environment(&[
        ("BOTHY_SERVER__ALLOW_PLAIN_HTTP", "true"),
        ("BOTHY_SERVER__TRUSTED_PROXIES", "10.0.0.0/8, 192.0.2.1,"),
        ("BOTHY_SERVER__MIGRATE", "check"),
        ("BOTHY_SERVER__PUBLIC_URL", "https://chat.example.com"),
        ("BOTHY_AUTH__SESSION_TTL", "1d"),
        ("BOTHY_MESSAGE__MAX_MENTIONS", " 7 "),
        ("BOTHY_SERVER__DATA_FOLDER", "/var/lib/bothy"),
    ]))
    .unwrap();
    let config = loaded.config;
    assert!(config.server.allow_plain_http);
    assert_eq!(config.server.trusted_proxies.len(), 2);
    assert_eq!(config.server.migrate, MigrateMode::Check);
    assert_eq!(config.server.public_origin(), "https://chat.example.com");
    assert_eq!(config.auth.session_ttl.get(), Duration::from_secs(86_400));
    assert_eq!(config.message.max_mentions.get(), 7);
    assert_eq!(config.server.data_folder, PathBuf::from("/var/lib/bothy"));
}

#[test]
fn unknown_keys_name_their_source_and_the_nearest_key() {
    let folder = Folder::new();
    let file = folder.file("bothy.toml", "[server]\n\nlisen = \"127.0.0.1:1\"\n");
    let sources = Sources { file: ConfigFile::Required(file.clone()), ..Sources::default() };
    assert_eq!(
        mistakes(&sources),
        format!("{} line 3: unknown key `server.lisen`; did you mean `server.listen`?", file.display())
    );
    assert_eq!(
        mistakes(&environment(&[("BOTHY_HTTP__MAX_BDY_BYTES", "1")])),
        "BOTHY_HTTP__MAX_BDY_BYTES: unknown key `http.max_bdy_bytes`; did you mean `http.max_body_bytes`?"
    );
    assert_eq!(
        mistakes(&environment(&[("BOTHY_SERVER_LISTEN", "127.0.0.1:1")])),
        "BOTHY_SERVER_LISTEN: unknown variable `BOTHY_SERVER_LISTEN`; did you mean `BOTHY_SERVER__LISTEN`?"
    );
    assert_eq!(
        mistakes(&set(&["server.listn=127.0.0.1:1"])),
        "--set server.listn: unknown key `server.listn`; did you mean `server.listen`?"
    );
    assert!(mistakes(&set(&["weather.tomorrow=sun"])).contains("`bothy config example`"));
    assert_eq!(mistakes(&set(&["server.listen"])), "--set: expected section.key=value");
}

#[test]
fn variables_of_others_and_of_tests_are_left_alone() {
    let sources = environment(&[
        ("PATH", "/bin"),
        ("BOTHY_TEST_POSTGRES_URL", "postgres://x"),
        ("BOTHY_UPDATE", "1"),
        ("NO_COLOR", "1"),
    ]);
    assert!(Config::load(&sources).is_ok());
    assert!(sources.environment.no_color());
    assert!(!Environment::default().no_color());
}

#[test]
fn wrong_values_say_what_would_be_right_and_never_repeat_themselves() {
    for (assignment, message) in [
        ("server.listen=secret-value", "invalid socket address syntax"),
        ("server.migrate=secret-value", "expected one of auto, check"),
        ("server.allow_plain_http=secret-value", "expected true or false"),
        ("server.trusted_proxies=secret-value", "expected an address such as"),
        ("server.public_url=secret-value", "expected an address without a path"),
        ("http.max_connections=secret-value", "expected a whole number"),
        ("http.max_connections=0", "must be between 1 and 1000000"),
        ("http.max_connections=-1", "must be between 1 and 1000000"),
        ("http.header_timeout=secret-value", "expected a duration such as"),
        ("http.header_timeout=2h", "must be between 100ms and 1h"),
        ("auth.password_min_length=11", "must be between 12 and 128"),
        ("log.format=secret-value", "expected one of auto, text, json"),
        ("log.level=info,=,[", "expected error, warn, info, debug or trace"),
    ] {
        let found = mistakes(&set(&[assignment]));
        assert!(found.contains(message), "{assignment}: {found}");
        assert!(!found.contains("secret-value"), "{assignment}: {found}");
    }
}

#[test]
fn wrong_kinds_in_the_file_are_refused_with_their_line() {
    let folder = Folder::new();
    for (text, message) in [
        ("[http]\nmax_connections = \"5\"\n", "line 2: `http.max_connections`: expected a whole number"),
        ("[http]\nheader_timeout = 5\n", "line 2: `http.header_timeout`: expected a duration in quotes"),
        ("[http]\nheader_timeout = 1.5\n", "line 2: `http.header_timeout` has a value of a kind that no setting takes"),
        ("[server]\nallow_plain_http = 1\n", "line 2: `server.allow_plain_http`: expected true or false"),
        ("[server]\ntrusted_proxies = \"10.0.0.0/8\"\n", "line 2: `server.trusted_proxies`: expected a list"),
        ("[server.http]\nx = 1\n", "`server.http` has a value of a kind that no setting takes"),
        ("listen = \"127.0.0.1:1\"\n", "line 1: `listen` stands outside of a section"),
        ("[http]\nmax_connections = 1\nmax_connections = 2\n", "line 3: duplicate key"),
        ("[http\n", "line 1: "),
    ] {
        let file = folder.file("bothy.toml", text);
        let found = mistakes(&Sources { file: ConfigFile::Required(file), ..Sources::default() });
        assert!(found.contains(message), "{text}: {found}");
    }
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let found = Config::load(&set(&["http.max_connections=0", "log.format=x", "a.b=c"])).unwrap_err();
    assert_eq!(found.mistakes().len(), 3);
    assert_eq!(found.to_string().lines().count(), 3);
}

#[test]
fn settings_that_contradict_each_other_are_refused() {
    for pair in [
        ["http.page_limit_default=100", "http.page_limit_max=50"],
        ["http.max_url_bytes=65536", "http.max_header_bytes=8192"],
        ["channel.history_backfill_limit_default=2", "channel.history_backfill_limit_max=1"],
        ["message.max_bytes=2048", "http.max_body_bytes=1024"],
    ] {
        assert!(mistakes(&set(&pair)).contains("must be at most"), "{pair:?}");
    }
}

#[test]
fn secrets_come_from_files_too_and_are_masked() {
    let folder = Folder::new();
    let file = folder.file("secret", "0123456789abcdef0123456789abcdef\n");
    let path = file.display().to_string();
    for sources in [
        environment(&[("BOTHY_SERVER__SECRET_FILE", &path)]),
        set(&[&format!("server.secret_file={path}")]),
        Sources {
            file: ConfigFile::Required(folder.file("bothy.toml", &format!("[server]\nsecret_file = {path:?}\n"))),
            ..Sources::default()
        },
    ] {
        let loaded = Config::load(&sources).unwrap();
        assert_eq!(loaded.config.server.secret.as_ref().unwrap().expose(), "0123456789abcdef0123456789abcdef");
        assert!(loaded.show().contains("server.secret = \"***\""));
        assert!(!loaded.show().contains("0123456789"));
        assert!(!format!("{loaded:?}").contains("0123456789"));
    }
    let direct =
        Config::load(&environment(&[("BOTHY_SERVER__DATABASE_URL", "postgres://bothy:hush@localhost/bothy")])).unwrap();
    assert!(!direct.show().contains("hush"));
    let empty = folder.file("empty", "\n");
    assert!(
        mistakes(&environment(&[("BOTHY_SERVER__SECRET_FILE", &empty.display().to_string())])).contains("is empty")
    );
    assert!(
        mistakes(&environment(&[("BOTHY_SERVER__SECRET_FILE", "/nonexistent/x")]))
            .contains("cannot read /nonexistent/x")
    );
    assert!(mistakes(&set(&["server.listen_file=x"])).contains("unknown key"));
}

#[test]
fn the_database_is_the_configured_one_or_sqlite_in_the_data_folder() {
    let url = |sources: &Sources| Config::load(sources).unwrap().config.open_options().unwrap().url.to_string();
    assert_eq!(url(&set(&["server.data_folder=/srv/chat"])), "sqlite:///srv/chat/bothy.db");
    assert_eq!(url(&set(&["server.database_url=sqlite:///srv/other"])), "sqlite:///srv/other/bothy.db");
    assert!(url(&set(&["server.database_url=postgres://bothy@db.example.com/chat"])).starts_with("postgres://"));
    assert!(mistakes(&set(&["server.database_url=mysql://x"])).contains("server.database_url: expected sqlite://"));
    assert!(mistakes(&set(&["server.secret=short"])).contains("server.secret: must have at least 32 characters"));
}

#[test]
fn the_file_is_chosen_by_flag_then_environment_then_place() {
    let folder = Folder::new();
    let one = folder.file("one.toml", "[http]\nmax_connections = 1\n");
    let two = folder.file("two.toml", "[http]\nmax_connections = 2\n");
    let named = || [("BOTHY_CONFIG", two.display().to_string())].into_iter().collect::<Environment>();
    let load = |file, environment| {
        Config::load(&Sources { file, environment, flags: Vec::new() })
            .map(|loaded| loaded.config.http.max_connections.get())
    };
    assert_eq!(load(ConfigFile::Required(one.clone()), named()), Ok(1));
    assert_eq!(load(ConfigFile::IfPresent(one.clone()), named()), Ok(2));
    assert_eq!(load(ConfigFile::None, named()), Ok(2));
    assert_eq!(load(ConfigFile::IfPresent(one), Environment::default()), Ok(1));
    let missing = folder.0.join("missing.toml");
    assert_eq!(load(ConfigFile::IfPresent(missing.clone()), Environment::default()), Ok(16_384));
    let error = load(ConfigFile::Required(missing), Environment::default()).unwrap_err().to_string();
    assert!(error.starts_with("--config: cannot read "), "{error}");
}
