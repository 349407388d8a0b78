use super::*;

#[test]
fn handles_have_one_form() {
    assert_eq!(Handle::parse("Alex").unwrap().as_str(), "alex");
    assert_eq!(Handle::parse("build-bot.2").unwrap().as_str(), "build-bot.2");
}

/// C86: variants of a handle that pass for another one are refused outright.
#[test]
fn c86_lookalike_invisible_and_reserved_handles_are_refused() {
    let hostile = [
        "\u{0430}lex",
        "\u{FF41}lex",
        "al\u{200B}ex",
        "al\u{034F}ex",
        "ale\u{301}x",
        "ALE\u{130}X",
        "stra\u{DF}e",
        "al ex",
        "al@ex",
        "-alex",
        "alex-",
        "1alex",
        "",
        "channel",
        "here",
        "Everyone",
        "system",
        "sys.tem",
        "me",
        "own\u{435}r",
        "a193f1f0-0000-7000-8000-000000000000",
    ];
    for text in hostile {
        assert!(Handle::parse(text).is_err(), "{text:?} was taken");
    }
    assert_eq!(Handle::parse(&"a".repeat(HANDLE_MAX_BYTES + 1)), Err(NameError::TooLong));
}

#[test]
fn handles_that_look_alike_share_a_skeleton() {
    for (one, other) in [("robin1", "robinl"), ("mary", "rnary"), ("al.ex", "alex"), ("o0", "oo")] {
        assert_eq!(
            Handle::parse(one).unwrap().skeleton(),
            Handle::parse(other).unwrap().skeleton(),
            "{one} and {other}"
        );
    }
    assert_ne!(Handle::parse("alex").unwrap().skeleton(), Handle::parse("sam").unwrap().skeleton());
}

#[test]
fn az_11_names_are_bounded_and_hide_nothing() {
    assert_eq!(display_name("  Eskalation \u{1F41B} ").unwrap(), "Eskalation \u{1F41B}");
    assert_eq!(display_name(" \t "), Err(NameError::Empty));
    assert_eq!(display_name(&"x".repeat(NAME_MAX_CHARS + 1)), Err(NameError::TooLong));
    for hidden in ['\u{0}', '\n', '\u{1B}', '\u{200B}', '\u{202E}', '\u{2066}', '\u{FEFF}', '\u{E0041}', '\u{AD}'] {
        assert_eq!(display_name(&format!("a{hidden}b")), Err(NameError::Invisible), "{hidden:?}");
    }
}

#[test]
fn names_clash_under_case_and_compatibility() {
    assert_eq!(name_key("Allgemein"), name_key("\u{FF21}llgemein"));
    assert_ne!(name_key("Allgemein"), name_key("Eskalation"));
}
