//! Commands and components: what an agent may declare, and what a person may give.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::time::Timestamp;

fn text(choices: Option<&[&str]>) -> ArgumentSchema {
    ArgumentSchema {
        kind: ArgumentType::String,
        description: None,
        choices: choices.map(|choices| choices.iter().map(|choice| (*choice).to_owned()).collect()),
        min_length: None,
        max_length: None,
        minimum: None,
        maximum: None,
    }
}

fn number(kind: ArgumentType, minimum: i64, maximum: i64) -> ArgumentSchema {
    ArgumentSchema { kind, minimum: Some(minimum), maximum: Some(maximum), ..text(None) }
}

fn command(arguments: &[(&str, ArgumentSchema)], required: &[&str]) -> CommandDefinition {
    CommandDefinition {
        name: "deploy".to_owned(),
        description: "Brings a version into service.".to_owned(),
        arguments: ArgumentsSchema {
            properties: arguments.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect(),
            required: required.iter().map(|name| (*name).to_owned()).collect(),
            ..ArgumentsSchema::default()
        },
    }
}

fn given(arguments: &[(&str, ArgumentValue)]) -> Arguments {
    arguments.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

fn string(value: &str) -> ArgumentValue {
    ArgumentValue::String(value.to_owned())
}

fn pointers(mistakes: &[Mistake]) -> Vec<&str> {
    mistakes.iter().map(|mistake| mistake.pointer.as_str()).collect()
}

#[test]
fn names_and_choices_carry_no_sentence() {
    for name in ["", "Deploy", "de ploy", "-x", "_x", "ä", "x\u{200b}", "do.it", &"x".repeat(65)] {
        let named = CommandDefinition { name: name.to_owned(), ..command(&[], &[]) };
        assert_eq!(named.check().unwrap_err().pointer, "/name", "{name:?}");
        let argument = command(&[(name, text(None))], &[]);
        assert!(argument.check().is_err(), "{name:?}");
        let choice = command(&[("a", text(Some(&[name])))], &[]);
        assert_eq!(choice.check().unwrap_err().pointer, "/arguments/properties/a/enum/0", "{name:?}");
    }
    for name in ["a", "1", "deploy_now-2", &"x".repeat(64)] {
        let named = CommandDefinition { name: name.to_owned(), ..command(&[(name, text(Some(&[name])))], &[name]) };
        assert_eq!(named.check(), Ok(()), "{name:?}");
    }
}

#[test]
fn a_declaration_that_cannot_be_met_is_refused() {
    let open = ArgumentsSchema { additional: true, ..ArgumentsSchema::default() };
    let wrong = [
        (CommandDefinition { arguments: open, ..command(&[], &[]) }, "/arguments/additionalProperties"),
        (command(&[], &["missing"]), "/arguments/required"),
        (command(&[("n", number(ArgumentType::Integer, 2, 1))], &[]), "/arguments/properties/n"),
        (command(&[("n", number(ArgumentType::Boolean, 1, 2))], &[]), "/arguments/properties/n/type"),
        (
            command(&[("n", ArgumentSchema { kind: ArgumentType::Number, ..text(Some(&["a"])) })], &[]),
            "/arguments/properties/n/type",
        ),
        (command(&[("t", text(Some(&[])))], &[]), "/arguments/properties/t/enum"),
        (CommandDefinition { description: "a\u{202e}b".to_owned(), ..command(&[], &[]) }, "/description"),
    ];
    for (definition, pointer) in wrong {
        assert_eq!(definition.check().unwrap_err().pointer, pointer);
    }
}

#[test]
fn arguments_are_held_to_the_declaration() {
    let definition = command(
        &[
            ("env", text(Some(&["prod", "test"]))),
            ("count", number(ArgumentType::Integer, 1, 3)),
            ("share", number(ArgumentType::Number, 0, 1)),
            ("note", ArgumentSchema { min_length: Some(2), max_length: Some(3), ..text(None) }),
            ("force", ArgumentSchema { kind: ArgumentType::Boolean, ..text(None) }),
        ],
        &["env"],
    );
    assert_eq!(definition.check(), Ok(()));
    let good = given(&[
        ("env", string("prod")),
        ("count", ArgumentValue::Integer(3)),
        ("share", ArgumentValue::Number(0.5)),
        ("note", string("äöü")),
        ("force", ArgumentValue::Boolean(false)),
    ]);
    assert_eq!(definition.check_arguments(&good), []);
    assert_eq!(pointers(&definition.check_arguments(&given(&[]))), ["/env"]);
    let bad = given(&[
        ("env", string("elsewhere")),
        ("count", ArgumentValue::Integer(4)),
        ("share", ArgumentValue::Number(1.5)),
        ("note", string("long one")),
        ("force", string("true")),
        ("a/b", ArgumentValue::Integer(1)),
    ]);
    assert_eq!(pointers(&definition.check_arguments(&bad)), ["/a~1b", "/count", "/env", "/force", "/note", "/share"]);
    // A whole number is a number, but a number is not a whole one.
    assert_eq!(
        definition.check_arguments(&given(&[("env", string("prod")), ("share", ArgumentValue::Integer(1))])),
        []
    );
    let broken = given(&[("env", string("prod")), ("count", ArgumentValue::Number(1.5))]);
    assert_eq!(pointers(&definition.check_arguments(&broken)), ["/count"]);
}

fn selection(values: &[&str], max_selected: u8) -> Component {
    Component::Selection {
        component_id: "pick".to_owned(),
        label: "Which?".to_owned(),
        options: values
            .iter()
            .map(|value| SelectionOption { value: (*value).to_owned(), label: "One".to_owned() })
            .collect(),
        max_selected,
        repeatable: false,
    }
}

fn form(required: bool, multiline: bool) -> Component {
    let field = FormField { name: "why".to_owned(), label: "Why?".to_owned(), required, multiline, max_length: 5 };
    Component::Form {
        component_id: "form".to_owned(),
        label: "Reason".to_owned(),
        fields: vec![field],
        repeatable: true,
    }
}

#[test]
fn components_have_an_id_of_their_own() {
    let button = |id: &str| Component::Button {
        component_id: id.to_owned(),
        label: "Yes".to_owned(),
        style: ButtonStyle::Primary,
        repeatable: false,
    };
    assert_eq!(check_components(&[button("a"), button("b"), selection(&["x"], 1), form(true, false)]), Ok(()));
    assert_eq!(check_components(&[button("a"), button("a")]).unwrap_err().pointer, "/1/component_id");
    assert_eq!(check_components(&[button("a b")]).unwrap_err().pointer, "/0/component_id");
    assert_eq!(check_components(&[selection(&[], 1)]).unwrap_err().pointer, "/0/options");
    assert_eq!(check_components(&[selection(&["x", "x"], 1)]).unwrap_err().pointer, "/0/options/1/value");
    assert_eq!(check_components(&[selection(&["x"], 2)]).unwrap_err().pointer, "/0/max_selected");
    assert_eq!(check_components(&[selection(&["x"], 0)]).unwrap_err().pointer, "/0/max_selected");
}

#[test]
fn what_is_pressed_is_held_to_the_component() {
    let values = |values: &[&str]| Pressed {
        values: values.iter().map(|value| (*value).to_owned()).collect(),
        ..Pressed::default()
    };
    let fields =
        |text: &str| Pressed { fields: BTreeMap::from([("why".to_owned(), text.to_owned())]), ..Pressed::default() };
    let pick = selection(&["a", "b", "c"], 2);
    assert_eq!(pick.check_pressed(&values(&["c", "a"])), []);
    assert_eq!(pointers(&pick.check_pressed(&values(&[]))), ["/values"]);
    assert_eq!(pointers(&pick.check_pressed(&values(&["a", "b", "c"]))), ["/values"]);
    assert_eq!(pointers(&pick.check_pressed(&values(&["d"]))), ["/values/0"]);
    assert_eq!(pointers(&pick.check_pressed(&values(&["a", "a"]))), ["/values/1"]);
    assert_eq!(pointers(&pick.check_pressed(&fields("x"))), ["/fields", "/values"]);
    assert_eq!(form(true, false).check_pressed(&fields("later")), []);
    assert_eq!(pointers(&form(true, false).check_pressed(&fields(" "))), ["/fields/why"]);
    assert_eq!(form(false, false).check_pressed(&Pressed::default()), []);
    assert_eq!(pointers(&form(false, false).check_pressed(&fields("longer"))), ["/fields/why"]);
    assert_eq!(pointers(&form(false, false).check_pressed(&fields("a\nb"))), ["/fields/why"]);
    assert_eq!(form(false, true).check_pressed(&fields("a\nb")), []);
    let unknown = Pressed { fields: BTreeMap::from([("x".to_owned(), String::new())]), ..Pressed::default() };
    assert_eq!(pointers(&form(false, false).check_pressed(&unknown)), ["/fields/x"]);
}

#[test]
fn a_question_ends_at_its_time_whether_or_not_somebody_noted_it() {
    let at = Timestamp::from_micros;
    assert_eq!(question_state(true, None, at(5)), QuestionState::Open);
    assert_eq!(question_state(true, Some(at(6)), at(5)), QuestionState::Open);
    assert_eq!(question_state(true, Some(at(5)), at(5)), QuestionState::Expired);
    assert_eq!(question_state(false, Some(at(5)), at(9)), QuestionState::Answered);
    assert_eq!(question_state(false, None, at(9)), QuestionState::Answered);
}

proptest! {
    /// Whatever is accepted as an identifier is one word without a space or a sign that means something.
    #[test]
    fn an_identifier_is_one_plain_word(name in any::<String>()) {
        let accepted = CommandDefinition { name: name.clone(), ..command(&[], &[]) }.check().is_ok();
        let plain = !name.is_empty() && name.len() <= IDENTIFIER_MAX_BYTES
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-')
            && name.starts_with(|c: char| c.is_ascii_alphanumeric());
        prop_assert_eq!(accepted, plain);
    }
}
