use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Map, Value, json};
use tracing_subscriber::EnvFilter;

use super::environment::{CONFIG_FILE, Environment, PREFIX};
use super::error::{ConfigError, Mistake, Source};
use super::keys::{self, Key};
use super::{Config, file, value};
use crate::keys::InstanceSecret;

/// What a secret's companion is called that names a file with the secret in it.
pub(super) const FILE_SUFFIX: &str = "_file";

/// Where settings are taken from.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// What the command line says, later flags over earlier ones.
    pub flags: Vec<Flag>,
    /// The environment.
    pub environment: Environment,
    /// The file. `BOTHY_CONFIG` counts unless the command line asks for one.
    pub file: ConfigFile,
}

/// A setting of the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flag {
    /// `--set section.key=value`.
    Set(String),
    /// A flag with a name of its own.
    Named {
        /// The flag with its dashes, as errors name it.
        flag: &'static str,
        /// The setting, `section.key`.
        key: &'static str,
        /// The value.
        value: String,
    },
}

/// The configuration file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ConfigFile {
    /// None, unless the environment names one.
    #[default]
    None,
    /// The command line asks for this one, so it must exist.
    Required(PathBuf),
    /// This one when it exists, unless the environment names one.
    IfPresent(PathBuf),
}

/// The settings in force and where each comes from.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The settings.
    pub config: Config,
    sources: BTreeMap<String, Source>,
}

/// One setting in force, fit to be shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Shown {
    /// `section.key`.
    pub key: String,
    /// Its value; a secret is masked, and absent settings are `null`.
    pub value: Value,
    /// Where it comes from.
    pub source: String,
}

/// A setting on its way: what is wanted, and by whom.
struct Setting {
    path: String,
    source: Source,
    value: Raw,
}

enum Raw {
    /// From a place that knows only text.
    Text(String),
    /// From the file.
    Typed(Value),
}

impl Config {
    /// Takes settings from their sources and checks them.
    ///
    /// # Errors
    /// Everything that is wrong, each with its source.
    pub fn load(sources: &Sources) -> Result<Loaded, ConfigError> {
        // From the weakest source to the strongest: what comes later wins.
        let mut settings = from_file(sources)?;
        settings.extend(from_environment(&sources.environment)?);
        settings.extend(from_flags(&sources.flags)?);
        let mut mistakes = Vec::new();
        let mut taken: BTreeMap<String, (Source, Value)> = BTreeMap::new();
        for setting in settings {
            match resolve(&setting) {
                Ok((key, value)) => {
                    taken.insert(key.path(), (setting.source, value));
                }
                Err(message) => mistakes.push(Mistake::new(setting.source, message)),
            }
        }
        ConfigError::unless_empty(mistakes)?;
        let mut tree = Map::new();
        let mut origins = BTreeMap::new();
        for (path, (source, value)) in taken {
            let (section, name) = path.split_once('.').unwrap_or((&path, ""));
            if let Value::Object(section) = tree.entry(section).or_insert_with(|| json!({})) {
                section.insert(name.to_owned(), value);
            }
            origins.insert(path, source);
        }
        let config: Self = serde_json::from_value(Value::Object(tree))
            .map_err(|error| Mistake::new(Source::Together, error.to_string()))?;
        config.check_together()?;
        Ok(Loaded { config, sources: origins })
    }

    /// Rules that concern more than one setting, or a value that its type cannot judge.
    fn check_together(&self) -> Result<(), ConfigError> {
        let mut mistakes = Vec::new();
        let mut at_most = |small: (&str, u64), large: (&str, u64)| {
            if small.1 > large.1 {
                let message = format!("{} ({}) must be at most {} ({})", small.0, small.1, large.0, large.1);
                mistakes.push(Mistake::new(Source::Together, message));
            }
        };
        at_most(
            ("http.page_limit_default", self.http.page_limit_default.get()),
            ("http.page_limit_max", self.http.page_limit_max.get()),
        );
        at_most(
            ("http.max_url_bytes", self.http.max_url_bytes.get()),
            ("http.max_header_bytes", self.http.max_header_bytes.get()),
        );
        at_most(
            ("channel.history_backfill_limit_default", self.channel.history_backfill_limit_default.get()),
            ("channel.history_backfill_limit_max", self.channel.history_backfill_limit_max.get()),
        );
        at_most(
            ("message.max_bytes", self.message.max_bytes.get()),
            ("http.max_body_bytes", self.http.max_body_bytes.get()),
        );
        if EnvFilter::builder().parse(&self.log.level).is_err() {
            let message =
                "log.level: expected error, warn, info, debug or trace, or directives such as info,bothy_runs=debug";
            mistakes.push(Mistake::new(Source::Together, message));
        }
        if self.open_options().is_err() {
            let message =
                "server.database_url: expected sqlite:///path/of/the/data/folder or postgres://user:password@host/name";
            mistakes.push(Mistake::new(Source::Together, message));
        }
        if self.server.secret.as_ref().is_some_and(|secret| secret.expose().len() < InstanceSecret::SHORTEST) {
            let message = format!("server.secret: must have at least {} characters", InstanceSecret::SHORTEST);
            mistakes.push(Mistake::new(Source::Together, message));
        }
        ConfigError::unless_empty(mistakes)
    }
}

impl Loaded {
    /// Every setting with its value and source, by name.
    pub fn shown(&self) -> Vec<Shown> {
        let tree = serde_json::to_value(&self.config).unwrap_or_default();
        keys::keys()
            .map(|key| Shown {
                key: key.path(),
                value: tree.get(&key.section).and_then(|section| section.get(&key.name)).cloned().unwrap_or_default(),
                source: self.source(key).to_string(),
            })
            .collect()
    }

    /// The settings in force as TOML with masked secrets, the source of each beside it.
    pub fn show(&self) -> String {
        let shown = self.shown();
        let lines: Vec<(String, String)> = shown
            .iter()
            .map(|setting| {
                let line = match &setting.value {
                    Value::Null => format!("# {} is not set", setting.key),
                    value => format!("{} = {value}", setting.key),
                };
                (line, setting.source.clone())
            })
            .collect();
        let width = lines.iter().map(|(line, _)| line.chars().count()).max().unwrap_or(0).min(60);
        lines.iter().map(|(line, source)| format!("{line:<width$}  # {source}\n")).collect()
    }

    fn source(&self, key: &Key) -> &Source {
        self.sources.get(&key.path()).unwrap_or(&Source::Default)
    }
}

fn from_file(sources: &Sources) -> Result<Vec<Setting>, ConfigError> {
    let (path, required, asked_by) = match (&sources.file, sources.environment.config_file()) {
        (ConfigFile::Required(path), _) => (path.as_path(), true, Source::Flag("--config".to_owned())),
        (_, Some(path)) => (Path::new(path), true, Source::Variable(CONFIG_FILE.to_owned())),
        (ConfigFile::IfPresent(path), None) => (path.as_path(), false, Source::Together),
        (ConfigFile::None, None) => return Ok(Vec::new()),
    };
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound && !required => return Ok(Vec::new()),
        Err(error) => return Err(Mistake::new(asked_by, format!("cannot read {}: {error}", path.display())).into()),
    };
    let settings = file::read(path, &text).map_err(|mistakes| match ConfigError::unless_empty(mistakes) {
        Err(error) => error,
        Ok(()) => Mistake::new(Source::File { path: path.to_owned(), line: 0 }, "cannot be read").into(),
    })?;
    Ok(settings
        .into_iter()
        .map(|setting| Setting { path: setting.path, source: setting.source, value: Raw::Typed(setting.value) })
        .collect())
}

fn from_environment(environment: &Environment) -> Result<Vec<Setting>, ConfigError> {
    let mut settings = Vec::new();
    let mut mistakes = Vec::new();
    for (name, text) in environment.settings() {
        let source = Source::Variable(name.to_owned());
        let rest = name.strip_prefix(PREFIX).unwrap_or(name).to_ascii_lowercase();
        match rest.split_once("__") {
            Some((section, key)) => {
                settings.push(Setting { path: format!("{section}.{key}"), source, value: Raw::Text(text.to_owned()) });
            }
            None => {
                let nearest = keys::nearest(name, keys::keys().map(Key::variable));
                mistakes.push(Mistake::new(source, unknown("variable", name, nearest)));
            }
        }
    }
    ConfigError::unless_empty(mistakes)?;
    Ok(settings)
}

fn from_flags(flags: &[Flag]) -> Result<Vec<Setting>, ConfigError> {
    let mut settings = Vec::new();
    let mut mistakes = Vec::new();
    for flag in flags {
        let (source, path, text) = match flag {
            Flag::Named { flag, key, value } => (Source::Flag((*flag).to_owned()), *key, value.as_str()),
            Flag::Set(assignment) => match assignment.split_once('=') {
                Some((path, text)) => (Source::Flag(format!("--set {}", path.trim())), path.trim(), text),
                None => {
                    mistakes.push(Mistake::new(Source::Flag("--set".to_owned()), "expected section.key=value"));
                    continue;
                }
            },
        };
        settings.push(Setting { path: path.to_owned(), source, value: Raw::Text(text.to_owned()) });
    }
    ConfigError::unless_empty(mistakes)?;
    Ok(settings)
}

/// Finds the key of a setting, reads a secret's file, and checks the value as far as one setting can
/// be checked alone.
fn resolve(setting: &Setting) -> Result<(&'static Key, Value), String> {
    let path = setting.path.as_str();
    let direct = keys::key(path);
    let companion = || path.strip_suffix(FILE_SUFFIX).and_then(keys::key).filter(|key| key.secret);
    let Some(key) = direct.or_else(companion) else {
        return Err(unknown("key", path, keys::nearest(path, known_paths())));
    };
    let raw = match &setting.value {
        Raw::Text(text) => Ok(text.as_str()),
        Raw::Typed(value) => Err(value),
    };
    let value = if direct.is_none() {
        let file = raw.or_else(|value| value.as_str().ok_or_else(|| format!("`{path}`: expected a text in quotes")))?;
        Value::from(secret_of(file).map_err(|message| format!("`{path}`: {message}"))?)
    } else {
        match raw {
            Ok(text) => value::from_text(key, text).map_err(|message| format!("`{path}`: {message}"))?,
            Err(value) => value.clone(),
        }
    };
    value::check_form(key, &value).map_err(|message| format!("`{}`: {message}", key.path()))?;
    let mut alone = Map::new();
    alone.insert(key.section.clone(), json!({ key.name.clone(): value }));
    match serde_json::from_value::<Config>(Value::Object(alone)) {
        Ok(_) => Ok((key, value)),
        Err(error) => Err(format!("`{}`: {error}", key.path())),
    }
}

fn secret_of(file: &str) -> Result<String, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("cannot read {file}: {error}"))?;
    let secret = text.trim_end_matches(['\n', '\r']);
    if secret.is_empty() { Err(format!("{file} is empty")) } else { Ok(secret.to_owned()) }
}

fn known_paths() -> impl Iterator<Item = String> {
    keys::keys().flat_map(|key| {
        let companion = key.secret.then(|| format!("{}{FILE_SUFFIX}", key.path()));
        std::iter::once(key.path()).chain(companion)
    })
}

fn unknown(what: &str, name: &str, nearest: Option<String>) -> String {
    match nearest {
        Some(nearest) => format!("unknown {what} `{name}`; did you mean `{nearest}`?"),
        None => format!("unknown {what} `{name}`; `bothy config example` shows all that exist"),
    }
}
