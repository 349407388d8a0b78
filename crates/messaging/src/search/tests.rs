//! Folding, queries and snippets.

use super::fold::words;
use super::index::{CODE, LINK};
use super::query::Query;
use super::snippet::snippet;

fn folded(text: &str) -> Vec<String> {
    words(text).into_iter().map(|word| word.folded).collect()
}

#[test]
fn words_have_one_spelling() {
    for (text, expected) in [
        ("Straße STRASSE straẞe", vec!["strasse"; 3]),
        ("Größe grosse gro\u{308}ße", vec!["grosse"; 3]),
        ("café CAFE\u{301} Café", vec!["cafe"; 3]),
        ("ΟΔΟΣ οδος", vec!["οδοσ"; 2]),
        ("İstanbul istanbul ISTANBUL", vec!["istanbul"; 3]),
        ("ﬁnden ｆｉｎｄｅｎ finden", vec!["finden"; 3]),
        ("pass\u{200B}word pass\u{AD}word", vec!["password"; 2]),
        ("don't a_b x-1", vec!["don", "t", "a", "b", "x", "1"]),
        ("東京都", vec!["東", "京", "都"]),
        ("がか\u{3099}", vec!["か", "か"]),
        ("ok👍🏽yes", vec!["ok", "👍", "yes"]),
        ("-- \"*():^ \u{0}\u{FFFD}", vec![]),
    ] {
        assert_eq!(folded(text), expected, "{text}");
    }
    assert_eq!(folded(&"ä".repeat(100)), ["a".repeat(64)]);
    assert_eq!(folded(&"ж".repeat(100)), ["ж".repeat(32)]);
}

#[test]
fn words_know_where_they_stand() {
    let text = "Ein Gru\u{308}n, 東👍";
    let found: Vec<&str> = words(text).iter().map(|word| &text[word.start..word.end]).collect();
    assert_eq!(found, ["Ein", "Gru\u{308}n", "東", "👍"]);
}

#[test]
fn a_query_has_words_phrases_and_a_beginning() {
    let query = Query::parse("Alpha \"beta Gamma\" a.b@example.com delt").unwrap();
    let whole: Vec<&str> = query.whole_words().into_iter().collect();
    assert_eq!(whole, ["a", "alpha", "b", "beta", "com", "example", "gamma"]);
    assert_eq!(query.beginning(), Some("delt"));
    assert_eq!(query.patterns(), ["% beta gamma %", "% a b example com %", "% delt%"]);

    let open_phrase = Query::parse("foo.barb").unwrap();
    assert_eq!(open_phrase.beginning(), None);
    assert_eq!(open_phrase.patterns(), ["% foo barb%"]);
    assert_eq!(open_phrase.whole_words().into_iter().collect::<Vec<_>>(), ["foo"]);

    for exact in ["be", "beginning ", "\"beginning\"", "東", "word \"last\"", "“quoted”"] {
        assert_eq!(Query::parse(exact).unwrap().beginning(), None, "{exact}");
    }
    for (unclosed, words) in [("\"open phrase", 2), ("one \"", 1)] {
        let query = Query::parse(unclosed).unwrap();
        assert_eq!(query.whole_words().len() + usize::from(query.beginning().is_some()), words, "{unclosed}");
    }
}

#[test]
fn c61_a_query_without_a_word_is_refused() {
    let many = "w ".repeat(33);
    let long = "x".repeat(257);
    for text in ["", " ", "\"\"", "*", "\u{200B}", ":-)", "\u{0}", &many, &long] {
        assert!(Query::parse(text).is_err(), "{text:?}");
    }
    // The marks of the index cannot be looked for as words.
    assert_eq!(Query::parse("#link").unwrap().patterns(), ["% link%"]);
    assert!([LINK, CODE].iter().all(|mark| folded(mark) != [*mark]));
}

#[test]
fn snippets_mark_hits_by_characters() {
    let text = format!("{} Äpfel und Birnen, äpfel.", "früher ".repeat(30));
    let found = snippet(&text, &Query::parse("ÄPFEL birn").unwrap());
    let marked: Vec<String> =
        found.hits.iter().map(|(start, end)| found.text.chars().skip(*start).take(end - start).collect()).collect();
    assert_eq!(marked, ["Äpfel", "Birnen", "äpfel"]);
    assert!(found.cut_start && !found.cut_end);
    assert!(text.ends_with(&found.text));

    let phrase = snippet("a b a b c", &Query::parse("\"a b\"").unwrap());
    assert_eq!((phrase.hits, phrase.cut_start, phrase.cut_end), (vec![(0, 3), (4, 7)], false, false));
    let long = snippet(&"Wort ".repeat(200), &Query::parse("wort").unwrap());
    assert_eq!(long.text.chars().count(), 240);
    assert!(long.cut_end && long.hits.iter().all(|(start, end)| start < end && *end <= 240));
    let nothing = snippet("nothing", &Query::parse("else").unwrap());
    assert_eq!((nothing.text.as_str(), nothing.hits.len()), ("nothing", 0));
}

#[test]
fn nothing_that_somebody_types_breaks_anything() {
    let pieces = [
        "\"",
        "a",
        " ",
        "é",
        "東",
        "👨‍👩‍👧",
        "%",
        "_",
        "\\",
        "*",
        "NEAR(",
        "-",
        ":",
        "\u{301}",
        "\u{0}",
        "ß",
        "x1",
        "”",
        "\n",
    ];
    // A plain sequence of its own, so that a failure repeats.
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = |bound: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % bound
    };
    for _ in 0..20_000 {
        let mut text = || -> String { (0..next(12)).map(|_| pieces[next(pieces.len())]).collect() };
        let (typed, said) = (text(), text());
        let Ok(query) = Query::parse(&typed) else { continue };
        assert!(
            query.patterns().iter().all(|pattern| !pattern.trim_matches('%').contains(['%', '_', '\\'])),
            "{typed:?}"
        );
        let found = snippet(&said, &query);
        assert!(said.contains(&found.text), "{typed:?} in {said:?}");
        let count = found.text.chars().count();
        assert!(found.hits.iter().all(|(start, end)| start < end && *end <= count), "{typed:?} in {said:?}");
    }
}
