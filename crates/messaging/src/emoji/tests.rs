use super::{EMOJI_MAX_BYTES, canonical_emoji};

#[test]
fn emoji_of_keyboards_are_taken_as_they_are() {
    for emoji in [
        "👍",
        "🎉",
        "😀",
        "👍🏽",
        "❤️",
        "☺️",
        "✔️",
        "👩‍💻",
        "👨‍👩‍👧‍👦",
        "🏳️‍🌈",
        "👁️‍🗨️",
        "❤️‍🔥",
        "👩‍⚕️",
        "⛹🏽‍♂️",
        "🇩🇪",
        "🏴󠁧󠁢󠁳󠁣󠁴󠁿",
        "1️⃣",
        "#️⃣",
        "©️",
        "👩🏽‍❤️‍💋‍👨🏽",
    ] {
        assert_eq!(canonical_emoji(emoji).as_deref(), Some(emoji), "{emoji}");
    }
}

#[test]
fn two_spellings_of_one_emoji_are_one_reaction() {
    for (typed, stored) in [("❤", "❤️"), ("👍\u{FE0F}", "👍"), ("1\u{20E3}", "1️⃣"), ("🏳\u{200D}🌈", "🏳️‍🌈"), ("☺", "☺️")]
    {
        assert_eq!(canonical_emoji(typed).as_deref(), Some(stored), "{typed}");
        assert_eq!(canonical_emoji(stored).as_deref(), Some(stored), "{stored}");
    }
}

#[test]
fn nothing_else_is_an_emoji() {
    let long = "👩\u{200D}".repeat(12) + "👩";
    assert!(long.len() > EMOJI_MAX_BYTES);
    for text in [
        "",
        " ",
        "a",
        "1",
        "#",
        "ok",
        ":+1:",
        "👍👍",
        "👍 ",
        "\u{FE0F}",
        "\u{200D}",
        "👍\u{200D}",
        "\u{200D}👍",
        "🏽",
        "🇩",
        "🇩🇪🇫",
        "👍\u{202E}",
        "\u{0}",
        "👍\u{0}",
        "<b>",
        "🏴\u{E0067}",
        "\u{E0067}\u{E007F}",
        "👍\u{E007F}",
        "a\u{20E3}",
        &long,
    ] {
        assert_eq!(canonical_emoji(text), None, "{text:?}");
    }
}

#[test]
fn the_stored_form_of_any_text_is_stable() {
    let alphabet = ['👍', '❤', '\u{FE0F}', '\u{200D}', '🏽', '🇩', '1', '\u{20E3}', 'a', '🏴', '\u{E0067}', '\u{E007F}'];
    let mut found = 0;
    for number in 0..alphabet.len().pow(4) {
        let text: String = (0..4).map(|place| alphabet[number / alphabet.len().pow(place) % alphabet.len()]).collect();
        if let Some(form) = canonical_emoji(&text) {
            assert_eq!(canonical_emoji(&form).as_deref(), Some(form.as_str()), "{text:?}");
            found += 1;
        }
    }
    assert!(found > 50, "{found}");
}
