use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Mistake, check_count, check_identifier, check_label, step};

/// The arguments of a command by name, as a person gives them.
pub type Arguments = BTreeMap<String, ArgumentValue>;

/// A command that an agent offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "AgentCommand")]
pub struct CommandDefinition {
    /// What it is called by: `a` to `z`, `0` to `9`, `_` and `-`.
    pub name: String,
    /// What it does, for people.
    pub description: String,
    /// What it takes, as a JSON Schema of this form; nothing when absent.
    #[serde(default)]
    pub arguments: ArgumentsSchema,
}

/// What a command takes: a JSON Schema of an object with simple members.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "AgentCommandArguments")]
pub struct ArgumentsSchema {
    /// Always `object`.
    #[serde(rename = "type", default)]
    pub object: ObjectType,
    /// The arguments by name.
    #[serde(default)]
    pub properties: BTreeMap<String, ArgumentSchema>,
    /// The names of those that must be given.
    #[serde(default)]
    pub required: BTreeSet<String>,
    /// Whether others may be given; always `false`.
    #[serde(rename = "additionalProperties", default)]
    pub additional: bool,
}

/// The one type of all arguments together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ObjectType {
    /// An object.
    #[default]
    Object,
}

/// What one argument may be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "AgentCommandArgument")]
pub struct ArgumentSchema {
    /// Its type.
    #[serde(rename = "type")]
    pub kind: ArgumentType,
    /// What it means, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The texts that may be given, of the same form as names; any text when absent.
    #[serde(rename = "enum", default, skip_serializing_if = "Option::is_none")]
    pub choices: Option<Vec<String>>,
    /// The fewest characters of a text.
    #[serde(rename = "minLength", default, skip_serializing_if = "Option::is_none")]
    pub min_length: Option<u32>,
    /// The most characters of a text.
    #[serde(rename = "maxLength", default, skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u32>,
    /// The least number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum: Option<i64>,
    /// The greatest number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maximum: Option<i64>,
}

/// The type of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "AgentCommandArgumentType")]
pub enum ArgumentType {
    /// A text.
    String,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// Yes or no.
    Boolean,
}

/// The value of an argument.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "AgentCommandValue")]
pub enum ArgumentValue {
    /// Yes or no.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A number.
    Number(f64),
    /// A text.
    String(String),
}

impl CommandDefinition {
    /// Checks what an agent declares.
    ///
    /// # Errors
    /// The first [`Mistake`].
    pub fn check(&self) -> Result<(), Mistake> {
        check_identifier("/name", &self.name)?;
        check_label("/description", &self.description)?;
        let schema = &self.arguments;
        if schema.additional {
            return Err(Mistake::new("/arguments/additionalProperties", "must be false"));
        }
        check_count("/arguments/properties", schema.properties.len(), 0)?;
        for (name, argument) in &schema.properties {
            let place = format!("/arguments/properties/{}", step(name));
            check_identifier(&place, name)?;
            argument.check().map_err(|mistake| mistake.at(&place))?;
        }
        match schema.required.iter().find(|name| !schema.properties.contains_key(*name)) {
            Some(_) => Err(Mistake::new("/arguments/required", "must name arguments of the command")),
            None => Ok(()),
        }
    }

    /// Checks what a person gives; every mistake.
    pub fn check_arguments(&self, given: &Arguments) -> Vec<Mistake> {
        let schema = &self.arguments;
        let missing = schema.required.iter().filter(|name| !given.contains_key(*name));
        let missing = missing.map(|name| Mistake::new(format!("/{}", step(name)), "is required"));
        let wrong = given.iter().filter_map(|(name, value)| {
            let place = format!("/{}", step(name));
            match schema.properties.get(name) {
                Some(argument) => argument.refuse(value).map(|message| Mistake::new(place, message)),
                None => Some(Mistake::new(place, "is no argument of the command")),
            }
        });
        missing.chain(wrong).collect()
    }
}

impl ArgumentSchema {
    fn check(&self) -> Result<(), Mistake> {
        if let Some(description) = &self.description {
            check_label("/description", description)?;
        }
        let text = self.kind == ArgumentType::String;
        let number = matches!(self.kind, ArgumentType::Integer | ArgumentType::Number);
        if !text && (self.choices.is_some() || self.min_length.is_some() || self.max_length.is_some()) {
            return Err(Mistake::new("/type", "only a text has choices and a length"));
        }
        if !number && (self.minimum.is_some() || self.maximum.is_some()) {
            return Err(Mistake::new("/type", "only a number has a minimum and a maximum"));
        }
        if let Some(choices) = &self.choices {
            check_count("/enum", choices.len(), 1)?;
            for (index, choice) in choices.iter().enumerate() {
                check_identifier(&format!("/enum/{index}"), choice)?;
            }
        }
        let upside_down = matches!((self.min_length, self.max_length), (Some(min), Some(max)) if min > max)
            || matches!((self.minimum, self.maximum), (Some(min), Some(max)) if min > max);
        if upside_down { Err(Mistake::new("", "nothing lies between its bounds")) } else { Ok(()) }
    }

    /// Why a value is not one of this argument.
    fn refuse(&self, value: &ArgumentValue) -> Option<String> {
        match (self.kind, value) {
            (ArgumentType::Boolean, ArgumentValue::Boolean(_)) => None,
            (ArgumentType::String, ArgumentValue::String(text)) => self.refuse_text(text),
            (ArgumentType::Integer | ArgumentType::Number, ArgumentValue::Integer(number)) => {
                let low = self.minimum.is_some_and(|minimum| *number < minimum);
                let high = self.maximum.is_some_and(|maximum| *number > maximum);
                (low || high).then(|| "is out of range".to_owned())
            }
            (ArgumentType::Number, ArgumentValue::Number(number)) => {
                #[allow(clippy::cast_precision_loss, reason = "a bound beyond 2^53 is no exact bound of a float")]
                let low = self.minimum.is_some_and(|minimum| *number < minimum as f64);
                #[allow(clippy::cast_precision_loss, reason = "a bound beyond 2^53 is no exact bound of a float")]
                let high = self.maximum.is_some_and(|maximum| *number > maximum as f64);
                (low || high || !number.is_finite()).then(|| "is out of range".to_owned())
            }
            _ => Some(format!("must be of type {}", self.kind.as_str())),
        }
    }

    fn refuse_text(&self, text: &str) -> Option<String> {
        if let Some(choices) = &self.choices {
            return (!choices.iter().any(|choice| choice == text)).then(|| "is none of the choices".to_owned());
        }
        let long = text.chars().count();
        let fits = |limit: Option<u32>, fits: fn(usize, usize) -> bool| {
            limit.and_then(|limit| usize::try_from(limit).ok()).is_none_or(|limit| fits(long, limit))
        };
        if text.contains('\0') {
            Some("must not contain the character NUL".to_owned())
        } else if !fits(self.min_length, |long, limit| long >= limit) {
            Some("is too short".to_owned())
        } else if !fits(self.max_length, |long, limit| long <= limit) {
            Some("is too long".to_owned())
        } else {
            None
        }
    }
}

impl ArgumentType {
    const fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
        }
    }
}
