//! Which text mentions whom (chapter 05 section 1, C86, C87).

use proptest::prelude::*;

use super::{MAX_MENTIONS, extract_mentions};

fn assert_mentions(markdown: &str, expected: &[&str]) {
    assert_eq!(extract_mentions(markdown), expected, "{markdown:?}");
}

#[test]
fn handles_in_their_order_each_once_in_lower_case() {
    assert_mentions("@lotse and @sam", &["lotse", "sam"]);
    assert_mentions("@Sam, @lotse, @SAM @sam", &["sam", "lotse"]);
    assert_mentions("@a.b-c_d1", &["a.b-c_d1"]);
    assert_mentions("no mention, @ alone, @, @-x, @.x and @_x", &[]);
    assert_mentions("", &[]);
}

#[test]
fn punctuation_behind_a_handle_is_not_part_of_it() {
    for markdown in [
        "@lotse",
        "@lotse.",
        "@lotse!",
        "(@lotse)",
        "@lotse's",
        "@lotse: hi",
        "\"@lotse\"",
        ".@lotse",
        "@lotse...",
        "@lotse-",
        "@lotse_",
        "-@lotse",
        "@lotse\u{2026}",
        "\u{201C}@lotse\u{201D}",
        "hi,@lotse",
        "@lotse\u{1F600}",
        "@lotse@",
        "line\n@lotse",
        "&@lotse",
    ] {
        assert_mentions(markdown, &["lotse"]);
    }
    assert_mentions("@alex/@sam", &["alex", "sam"]);
}

#[test]
fn addresses_are_no_mentions() {
    for markdown in [
        "sam@example.com",
        "<sam@example.com>",
        "mailto:sam@example.com",
        "sam+tag@example.com",
        "sam_@example.com",
        "@sam@example.com",
        "@@sam",
        "https://example.com/@sam",
        "<https://example.com/@sam>",
        "[here](https://example.com/@sam \"@sam\")",
        "[here]\n\n[here]: https://example.com/@sam",
        "größe@sam",
    ] {
        assert_mentions(markdown, &[]);
    }
    assert_mentions("@sam:https://example.com/@lotse", &["sam"]);
}

#[test]
fn code_holds_no_mention() {
    for markdown in [
        "`@lotse`",
        "``a ` @lotse``",
        "    @lotse",
        "```\n@lotse\n```",
        "~~~ @lotse\n@lotse\n~~~",
        "```\n@lotse",
        "> ```\n> @lotse\n> ```",
        "- `@lotse`",
        "**`@lotse`**",
        "<code>@lotse</code>",
        "a <CODE class=x>*@lotse*</code>",
        "a <pre>@lotse</pre>",
        "<pre>\n@lotse\n\n@lotse\n</pre>",
    ] {
        assert_mentions(markdown, &[]);
    }
    assert_mentions("`@lotse` @sam `@lotse`", &["sam"]);
    assert_mentions("not closed: ` @lotse", &["lotse"]);
    assert_mentions("a <code>@lotse</code> @sam", &["sam"]);
    assert_mentions("never closed <code>@lotse\n\n@sam", &["sam"]);
    assert_mentions("escaped \\`@lotse\\`", &["lotse"]);
    assert_mentions("<b>@lotse</b>", &["lotse"]);
}

#[test]
fn what_is_not_shown_as_text_holds_no_mention() {
    assert_mentions("![@lotse](https://example.com/a.png)", &[]);
    assert_mentions("<div title='@lotse'>\n@lotse\n</div>", &[]);
    assert_mentions("a <!-- @lotse --> b", &[]);
    assert_mentions("a <b title=\"@lotse\">b</b>", &[]);
}

#[test]
fn an_escaped_at_sign_is_no_mention() {
    assert_mentions(r"\@lotse", &[]);
    assert_mentions(r"hi \@lotse and @sam", &["sam"]);
    assert_mentions(r"\\\@lotse", &[]);
    assert_mentions(r"\\@lotse", &["lotse"]);
    assert_mentions("break\\\n@lotse", &["lotse"]);
    assert_mentions("&#64;lotse &commat;lotse", &[]);
}

#[test]
fn markup_joins_what_it_touches_as_the_reader_sees_it() {
    assert_mentions("**@lotse** _@sam_ ~~@alex~~", &["lotse", "sam", "alex"]);
    assert_mentions("*hi*@lotse", &[]);
    assert_mentions("@lot**se**", &["lotse"]);
    assert_mentions("[@lotse](https://example.com)", &["lotse"]);
    assert_mentions("# @lotse\n- @sam\n1. @alex\n\n> @writer", &["lotse", "sam", "alex", "writer"]);
    assert_mentions("@lotse\n@sam\\\n@alex", &["lotse", "sam", "alex"]);
    assert_mentions("@lotse\n\nse", &["lotse"]);
}

#[test]
fn underscores_in_a_handle_survive_the_parser() {
    assert_mentions("@my_agent_2", &["my_agent_2"]);
    assert_mentions("@my_agent and @your_agent", &["my_agent", "your_agent"]);
    assert_mentions("_@my_agent_", &["my_agent"]);
    assert_mentions("@a-_b_-c", &["a-b-c"]);
}

#[test]
fn c86_a_look_alike_is_not_cut_down_to_somebody_elses_handle() {
    for markdown in [
        "@s\u{430}m",      // Cyrillic a in the middle
        "@sam\u{430}",     // and at the end
        "@sam\u{200B}uel", // invisible
        "@sam\u{AD}uel",
        "@sam\u{34F}uel",
        "@sa\u{301}m",        // combining
        "@\u{FF53}\u{FF41}m", // fullwidth
        "@samß",
        "@\u{202E}mas",
    ] {
        assert_mentions(markdown, &[]);
    }
}

#[test]
fn scripts_without_spaces_end_a_handle() {
    assert_mentions("请问@sam这个怎么样", &["sam"]);
    assert_mentions("@samさん、@lotse。", &["sam", "lotse"]);
    assert_mentions("@lotse님", &["lotse"]);
}

#[test]
fn c87_the_number_of_handles_is_bounded() {
    let many: Vec<String> = (0..MAX_MENTIONS + 50).map(|n| format!("@agent{n}")).collect();
    let found = extract_mentions(&many.join(" "));
    assert_eq!(found.len(), MAX_MENTIONS);
    assert_eq!(found[MAX_MENTIONS - 1], format!("agent{}", MAX_MENTIONS - 1));
    // Repeating one handle takes no place from others.
    assert_mentions(&format!("{}@sam", "@lotse ".repeat(200)), &["lotse", "sam"]);
}

#[test]
fn hostile_text_takes_no_more_than_linear_work() {
    for piece in ["@", "@a", "@a@", "[", "*@a", "`", "<code>", "\\@", "> ", "- ", "&#64;", "![@a]("] {
        assert!(extract_mentions(&piece.repeat(20_000)).len() <= MAX_MENTIONS);
    }
}

/// Pieces that meet each other in every order.
fn markdown_pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("@lotse"),
        Just("@sam"),
        Just("`"),
        Just("```"),
        Just("\n"),
        Just("\n\n"),
        Just("    "),
        Just(" "),
        Just("\\"),
        Just("*"),
        Just("_"),
        Just("<code>"),
        Just("</code>"),
        Just("["),
        Just("](x)"),
        Just("!"),
        Just("> "),
        Just("- "),
        Just("&#64;"),
        Just("é"),
        Just("漢"),
        Just("\u{200B}"),
        Just("https://"),
        Just("."),
        Just("~~~"),
        Just("<"),
        Just(">"),
    ];
    proptest::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

fn assert_well_formed(markdown: &str) {
    let found = extract_mentions(markdown);
    let source = markdown.to_ascii_lowercase();
    for handle in &found {
        assert!(handle.starts_with(|c: char| c.is_ascii_alphanumeric()));
        assert!(handle.ends_with(|c: char| c.is_ascii_alphanumeric()));
        let in_handle = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '_' | '-');
        assert!(handle.chars().all(in_handle), "{handle:?}");
        assert!(source.contains(&handle[..1]));
    }
    let mut distinct = found.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), found.len());
    assert!(found.len() <= MAX_MENTIONS);
}

proptest! {
    #[test]
    fn never_panics_and_yields_only_handles(text in any::<String>()) {
        assert_well_formed(&text);
    }

    #[test]
    fn never_panics_on_markup(text in markdown_pieces()) {
        assert_well_formed(&text);
    }

    #[test]
    fn never_yields_from_a_fenced_block(text in markdown_pieces()) {
        let inside: String = text.replace(['`', '~'], "");
        prop_assert_eq!(extract_mentions(&format!("````\n{inside}\n````\n")), Vec::<String>::new());
    }

    #[test]
    fn never_yields_from_an_indented_block(text in markdown_pieces()) {
        let inside: String = text.lines().map(|line| format!("    {line}\n")).collect();
        prop_assert_eq!(extract_mentions(&inside), Vec::<String>::new());
    }

    #[test]
    fn never_yields_from_a_code_span(text in markdown_pieces()) {
        let inside = text.replace(['`', '\n'], "");
        prop_assert_eq!(extract_mentions(&format!("a ``{inside} x`` b")), Vec::<String>::new());
    }

    #[test]
    fn finds_a_handle_among_words(
        before in "[a-z ]{0,20}",
        handle in "[a-z][a-z0-9]{0,5}([._-][a-z0-9]{1,5}){0,3}",
        after in "[a-z ]{0,20}",
    ) {
        let text = format!("x {before} @{handle} {after}");
        prop_assert_eq!(extract_mentions(&text), vec![handle]);
    }
}
