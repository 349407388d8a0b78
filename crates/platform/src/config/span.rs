use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(super) const MILLISECOND: u64 = 1;
pub(super) const SECOND: u64 = 1000 * MILLISECOND;
pub(super) const MINUTE: u64 = 60 * SECOND;
pub(super) const HOUR: u64 = 60 * MINUTE;
pub(super) const DAY: u64 = 24 * HOUR;

const UNITS: [(&str, u64); 5] = [("d", DAY), ("h", HOUR), ("m", MINUTE), ("s", SECOND), ("ms", MILLISECOND)];

/// A duration between `MIN` and `MAX` milliseconds, written like `30s`, `1h 30m` or `7d`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span<const MIN: u64, const MAX: u64>(u64);

/// A text that is no duration, or one out of range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSpan {
    /// Not a duration.
    #[error("expected a duration such as 30s, 15m, 1h 30m or 7d")]
    Form,
    /// Shorter or longer than allowed.
    #[error("must be between {min} and {max}")]
    Range {
        /// The shortest.
        min: String,
        /// The longest.
        max: String,
    },
}

impl<const MIN: u64, const MAX: u64> Span<MIN, MAX> {
    /// For defaults; a value out of range ends at the nearest that is allowed.
    pub(super) const fn of(millis: u64) -> Self {
        if millis < MIN {
            Self(MIN)
        } else if millis > MAX {
            Self(MAX)
        } else {
            Self(millis)
        }
    }

    /// The duration.
    pub const fn get(self) -> Duration {
        Duration::from_millis(self.0)
    }
}

impl<const MIN: u64, const MAX: u64> FromStr for Span<MIN, MAX> {
    type Err = InvalidSpan;

    fn from_str(text: &str) -> Result<Self, InvalidSpan> {
        let millis = parse(text).ok_or(InvalidSpan::Form)?;
        if (MIN..=MAX).contains(&millis) {
            Ok(Self(millis))
        } else {
            Err(InvalidSpan::Range { min: written(MIN), max: written(MAX) })
        }
    }
}

impl<const MIN: u64, const MAX: u64> fmt::Display for Span<MIN, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&written(self.0))
    }
}

impl<const MIN: u64, const MAX: u64> Serialize for Span<MIN, MAX> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de, const MIN: u64, const MAX: u64> Deserialize<'de> for Span<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl<const MIN: u64, const MAX: u64> JsonSchema for Span<MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Span_{MIN}_{MAX}").into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "x-kind": "duration",
            "x-minimum": written(MIN),
            "x-maximum": written(MAX),
        })
    }
}

/// Numbers with units, largest first or not, each unit at most once.
fn parse(text: &str) -> Option<u64> {
    let mut rest = text.trim();
    let mut used = [false; UNITS.len()];
    let mut total: u64 = 0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let (number, after) = rest.split_at(digits);
        let letters = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, after) = after.split_at(letters);
        let (seen, (_, millis)) = used.iter_mut().zip(UNITS).find(|(_, (name, _))| *name == unit)?;
        if std::mem::replace(seen, true) {
            return None;
        }
        total = number.parse::<u64>().ok()?.checked_mul(millis)?.checked_add(total)?;
        rest = after.trim_start();
    }
    Some(total)
}

/// The shortest text in the largest units that fit.
fn written(millis: u64) -> String {
    let mut left = millis;
    let mut parts = Vec::new();
    for (name, unit) in UNITS {
        if left >= unit {
            parts.push(format!("{}{name}", left / unit));
            left %= unit;
        }
    }
    if parts.is_empty() { "0s".to_owned() } else { parts.join(" ") }
}
