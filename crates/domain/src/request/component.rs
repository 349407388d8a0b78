use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Mistake, check_count, check_identifier, check_label, step};
use crate::time::Timestamp;

/// The most characters of what a person types into one field.
const FIELD_MAX_CHARS: u32 = 4_000;

/// Something that people can press under a message of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "MessageComponent")]
pub enum Component {
    /// A button.
    Button {
        /// What it is called by within the message.
        component_id: String,
        /// What stands on it.
        label: String,
        /// How it looks.
        #[serde(default)]
        style: ButtonStyle,
        /// Whether it can be pressed more than once.
        #[serde(default)]
        repeatable: bool,
    },
    /// A choice of some of several options.
    Selection {
        /// What it is called by within the message.
        component_id: String,
        /// What is asked.
        label: String,
        /// The options.
        options: Vec<SelectionOption>,
        /// How many may be chosen; at least one must be.
        #[serde(default = "one")]
        max_selected: u8,
        /// Whether it can be answered more than once.
        #[serde(default)]
        repeatable: bool,
    },
    /// Some fields to fill in.
    Form {
        /// What it is called by within the message.
        component_id: String,
        /// What it is for.
        label: String,
        /// The fields.
        fields: Vec<FormField>,
        /// Whether it can be sent more than once.
        #[serde(default)]
        repeatable: bool,
    },
}

/// How a button looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ButtonStyle {
    /// Like any other.
    #[default]
    Plain,
    /// As what is expected.
    Primary,
    /// As what cannot be undone.
    Danger,
}

/// An option of a selection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SelectionOption {
    /// What is sent when it is chosen.
    pub value: String,
    /// What is shown.
    pub label: String,
}

/// A field of a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FormField {
    /// What it is called by within the form.
    pub name: String,
    /// What is shown.
    pub label: String,
    /// Whether it must be filled in.
    #[serde(default)]
    pub required: bool,
    /// Whether it may have several lines.
    #[serde(default)]
    pub multiline: bool,
    /// The most characters.
    #[serde(default = "field_max_chars")]
    pub max_length: u32,
}

/// What a person chose or typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pressed {
    /// The chosen values of a selection.
    pub values: Vec<String>,
    /// The fields of a form by name.
    pub fields: BTreeMap<String, String>,
}

/// How the question of a run stands that a component belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionState {
    /// It waits for its answer.
    Open,
    /// It was answered, or the run does not wait any more.
    Answered,
    /// Its time is over.
    Expired,
}

/// How a question stands. A time that is over counts also before anybody has noted it: an approval
/// after it is none.
pub fn question_state(waits: bool, expires_at: Option<Timestamp>, now: Timestamp) -> QuestionState {
    match (waits, expires_at) {
        (true, Some(until)) if until <= now => QuestionState::Expired,
        (true, _) => QuestionState::Open,
        (false, _) => QuestionState::Answered,
    }
}

const fn one() -> u8 {
    1
}

const fn field_max_chars() -> u32 {
    1_000
}

/// Checks the components of one message.
///
/// # Errors
/// The first [`Mistake`], with a pointer into the list.
pub fn check_components(components: &[Component]) -> Result<(), Mistake> {
    let mut ids = BTreeSet::new();
    for (index, component) in components.iter().enumerate() {
        let place = format!("/{index}");
        component.check().map_err(|mistake| mistake.at(&place))?;
        if !ids.insert(component.id()) {
            return Err(Mistake::new(format!("{place}/component_id"), "stands under the message already"));
        }
    }
    Ok(())
}

impl Component {
    /// What it is called by within its message.
    pub fn id(&self) -> &str {
        match self {
            Self::Button { component_id, .. }
            | Self::Selection { component_id, .. }
            | Self::Form { component_id, .. } => component_id,
        }
    }

    /// Whether it can be pressed more than once.
    pub const fn is_repeatable(&self) -> bool {
        match self {
            Self::Button { repeatable, .. } | Self::Selection { repeatable, .. } | Self::Form { repeatable, .. } => {
                *repeatable
            }
        }
    }

    fn check(&self) -> Result<(), Mistake> {
        check_identifier("/component_id", self.id())?;
        match self {
            Self::Button { label, .. } => check_label("/label", label),
            Self::Selection { label, options, max_selected, .. } => {
                check_label("/label", label)?;
                check_count("/options", options.len(), 1)?;
                let mut values = BTreeSet::new();
                for (index, option) in options.iter().enumerate() {
                    check_identifier(&format!("/options/{index}/value"), &option.value)?;
                    check_label(&format!("/options/{index}/label"), &option.label)?;
                    if !values.insert(&option.value) {
                        return Err(Mistake::new(format!("/options/{index}/value"), "is an option already"));
                    }
                }
                if (1..=options.len()).contains(&usize::from(*max_selected)) {
                    Ok(())
                } else {
                    Err(Mistake::new("/max_selected", "must be between one and the number of options"))
                }
            }
            Self::Form { label, fields, .. } => {
                check_label("/label", label)?;
                check_count("/fields", fields.len(), 1)?;
                let mut names = BTreeSet::new();
                for (index, field) in fields.iter().enumerate() {
                    check_identifier(&format!("/fields/{index}/name"), &field.name)?;
                    check_label(&format!("/fields/{index}/label"), &field.label)?;
                    if !names.insert(&field.name) {
                        return Err(Mistake::new(format!("/fields/{index}/name"), "is a field already"));
                    }
                    if !(1..=FIELD_MAX_CHARS).contains(&field.max_length) {
                        let message = format!("must be between 1 and {FIELD_MAX_CHARS}");
                        return Err(Mistake::new(format!("/fields/{index}/max_length"), message));
                    }
                }
                Ok(())
            }
        }
    }

    /// Checks what a person chose or typed; every mistake.
    pub fn check_pressed(&self, pressed: &Pressed) -> Vec<Mistake> {
        let mut mistakes = Vec::new();
        if !matches!(self, Self::Selection { .. }) && !pressed.values.is_empty() {
            mistakes.push(Mistake::new("/values", "belongs to a selection"));
        }
        if !matches!(self, Self::Form { .. }) && !pressed.fields.is_empty() {
            mistakes.push(Mistake::new("/fields", "belongs to a form"));
        }
        match self {
            Self::Button { .. } => {}
            Self::Selection { options, max_selected, .. } => {
                mistakes.extend(refuse_values(options, usize::from(*max_selected), &pressed.values));
            }
            Self::Form { fields, .. } => mistakes.extend(refuse_fields(fields, &pressed.fields)),
        }
        mistakes
    }
}

fn refuse_values(options: &[SelectionOption], most: usize, values: &[String]) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    if !(1..=most).contains(&values.len()) {
        mistakes.push(Mistake::new("/values", format!("must have 1 to {most} items")));
    }
    let mut seen = BTreeSet::new();
    for (index, value) in values.iter().enumerate() {
        if !options.iter().any(|option| option.value == *value) {
            mistakes.push(Mistake::new(format!("/values/{index}"), "is no option"));
        } else if !seen.insert(value) {
            mistakes.push(Mistake::new(format!("/values/{index}"), "was chosen already"));
        }
    }
    mistakes
}

fn refuse_fields(fields: &[FormField], given: &BTreeMap<String, String>) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    for field in fields {
        let place = || format!("/fields/{}", step(&field.name));
        match given.get(&field.name).filter(|text| !text.trim().is_empty()) {
            None if field.required => mistakes.push(Mistake::new(place(), "is required")),
            None => {}
            Some(text) => {
                let too_long = usize::try_from(field.max_length).is_ok_and(|most| text.chars().count() > most);
                let control = |c: char| c.is_control() && !(field.multiline && matches!(c, '\n' | '\t'));
                if too_long {
                    mistakes.push(Mistake::new(place(), "is too long"));
                } else if text.chars().any(control) {
                    mistakes.push(Mistake::new(place(), "must not contain control characters"));
                }
            }
        }
    }
    let unknown = given.keys().filter(|name| !fields.iter().any(|field| field.name == **name));
    mistakes.extend(unknown.map(|name| Mistake::new(format!("/fields/{}", step(name)), "is no field of the form")));
    mistakes
}
