use std::collections::BTreeMap;

use super::error::{ConfigError, Mistake, Source};

/// What every variable of ours begins with.
pub(super) const PREFIX: &str = "BOTHY_";
/// Names the configuration file.
pub(super) const CONFIG_FILE: &str = "BOTHY_CONFIG";
/// Read by the tests and by the build, not by the server.
const FOREIGN: [&str; 2] = ["BOTHY_TEST_", "BOTHY_UPDATE"];
/// Any value but the empty one asks for output without colours (no-color.org).
const NO_COLOR: &str = "NO_COLOR";

/// The environment variables that mean something to the server, given from outside, so that a test
/// sets them without touching its process.
#[derive(Debug, Clone, Default)]
pub struct Environment(BTreeMap<String, String>);

impl Environment {
    /// The environment of this process: the one place that reads it.
    ///
    /// # Errors
    /// Names a variable of ours that is not valid UTF-8.
    #[allow(clippy::disallowed_methods, reason = "the one place that reads the environment")]
    pub fn process() -> Result<Self, ConfigError> {
        let mut known = BTreeMap::new();
        for (name, value) in std::env::vars_os() {
            let Some(name) = name.to_str().filter(|name| is_ours(name)) else { continue };
            let Ok(value) = value.into_string() else {
                return Err(Mistake::new(Source::Variable(name.to_owned()), "is not valid UTF-8").into());
            };
            known.insert(name.to_owned(), value);
        }
        Ok(Self(known))
    }

    /// Whether output should be without colours.
    pub fn no_color(&self) -> bool {
        self.0.get(NO_COLOR).is_some_and(|value| !value.is_empty())
    }

    /// The configuration file that the environment names.
    pub(super) fn config_file(&self) -> Option<&str> {
        self.0.get(CONFIG_FILE).map(String::as_str)
    }

    /// The variables that should be settings, in the order of their names.
    pub(super) fn settings(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .filter(|(name, _)| name.starts_with(PREFIX) && *name != CONFIG_FILE)
            .filter(|(name, _)| !FOREIGN.iter().any(|foreign| name.starts_with(foreign)))
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        Self(
            variables
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .filter(|(name, _): &(String, String)| is_ours(name))
                .collect(),
        )
    }
}

fn is_ours(name: &str) -> bool {
    name.starts_with(PREFIX) || name == NO_COLOR
}
