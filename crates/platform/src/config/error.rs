use std::fmt;
use std::path::PathBuf;

/// Where a setting comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The built-in default.
    Default,
    /// A line of the configuration file.
    File {
        /// The file.
        path: PathBuf,
        /// The line, counted from one; zero when the file as a whole is meant.
        line: usize,
    },
    /// An environment variable.
    Variable(String),
    /// A flag of the command line, with its dashes.
    Flag(String),
    /// Several settings together.
    Together,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line: 0 } => write!(f, "{}", path.display()),
            Self::File { path, line } => write!(f, "{} line {line}", path.display()),
            Self::Variable(name) => f.write_str(name),
            Self::Flag(flag) => f.write_str(flag),
            Self::Together => f.write_str("configuration"),
        }
    }
}

/// One thing that is wrong with the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Where it stands.
    pub source: Source,
    /// What is wrong and what would be right.
    pub message: String,
}

impl Mistake {
    pub(super) fn new(source: Source, message: impl Into<String>) -> Self {
        Self { source, message: message.into() }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.source, self.message)
    }
}

/// Everything that is wrong with the configuration, one line each. Values are never repeated, since
/// any of them may be a secret in the wrong place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError(Vec<Mistake>);

impl ConfigError {
    /// An error when something is wrong.
    pub(super) fn unless_empty(mistakes: Vec<Mistake>) -> Result<(), Self> {
        if mistakes.is_empty() { Ok(()) } else { Err(Self(mistakes)) }
    }

    /// What is wrong.
    pub fn mistakes(&self) -> &[Mistake] {
        &self.0
    }
}

impl From<Mistake> for ConfigError {
    fn from(mistake: Mistake) -> Self {
        Self(vec![mistake])
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, mistake) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            mistake.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigError {}
