use std::collections::HashMap;

use super::{Names, to_markdown};

fn markdown(text: &str) -> String {
    let people =
        HashMap::from([("U1".to_owned(), "@sam".to_owned()), ("U2".to_owned(), "@Former Colleague".to_owned())]);
    to_markdown(text, &Names { people: &people })
}

#[test]
fn references_become_names_and_links() {
    for (slack, expected) in [
        ("hello <@U1> and <@U2>", "hello @sam and @Former Colleague"),
        ("<@U9|guest> <@U9>", "@guest @U9"),
        ("see <#C1|general> or <#C2>", "see \\#general or \\#C2"),
        (
            "<!here> <!channel> <!subteam^S1|@crew> <!date^1392734382^{date}|18 February>",
            "@here @channel @crew 18 February",
        ),
        ("<https://example.com>", "<https://example.com>"),
        ("<https://example.com/a?b=1&amp;c=2|the page>", "[the page](https://example.com/a?b=1&c=2)"),
        ("<https://example.com|https://example.com>", "<https://example.com>"),
        ("<mailto:sam@example.com|sam@example.com>", "<sam@example.com>"),
        ("<https://example.com/(x)|odd>", "odd https://example.com/(x)"),
        ("<https://example.com|a] b>", "[a\\] b](https://example.com)"),
        ("a < b and <unclosed", "a \\< b and \\<unclosed"),
        ("<>", "\\<>"),
    ] {
        assert_eq!(markdown(slack), expected, "{slack}");
    }
}

#[test]
fn emphasis_is_spelled_as_in_commonmark() {
    for (slack, expected) in [
        ("*bold* _italic_ ~gone~", "**bold** _italic_ ~~gone~~"),
        ("*bold <@U1>*, 2*3*4 and a * b", "**bold @sam**, 2\\*3\\*4 and a \\* b"),
        ("*not\nover lines*", "\\*not\nover lines\\*"),
        ("*~both~*", "**~~both~~**"),
        ("~/bin and ~/lib", "\\~/bin and \\~/lib"),
    ] {
        assert_eq!(markdown(slack), expected, "{slack}");
    }
}

#[test]
fn code_is_taken_as_it_is() {
    for (slack, expected) in [
        ("run `a *b* &lt;c&gt; &amp;&amp; d`", "run `a *b* <c> && d`"),
        ("```let x = &lt;T&gt;;```", "```\nlet x = <T>;\n```\n"),
        ("before\n```\none\n*two*\n```\nafter", "before\n```\none\n*two*\n```\nafter"),
        ("inline```x```", "inline\n```\nx\n```\n"),
        ("a ` alone", "a \\` alone"),
        ("``", "``"),
        ("`<https://example.com|example>`", "`example`"),
    ] {
        assert_eq!(markdown(slack), expected, "{slack}");
    }
}

#[test]
fn what_means_nothing_in_slack_means_nothing_here() {
    for (slack, expected) in [
        ("# no heading", "\\# no heading"),
        ("&lt;script&gt;alert(1)&lt;/script&gt;", "\\<script>alert(1)\\</script>"),
        ("[no](link)", "\\[no\\](link)"),
        ("&gt; quoted\n&gt; twice", "> quoted\n> twice"),
        ("back\\slash", "back\\\\slash"),
        ("&amp;lt; stays", "&lt; stays"),
        ("", ""),
    ] {
        assert_eq!(markdown(slack), expected, "{slack}");
    }
}

#[test]
fn no_text_breaks_it() {
    let pieces = [
        "<", ">", "`", "```", "*", "~", "_", "&", "&lt;", "&amp;", "|", "@U1", "#", "!", "\n", " ", "a", "é", "👍",
        "[", "]", "\\", "(", ")",
    ];
    let mut state = 7_u32;
    let mut next = |bound: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        usize::try_from(state >> 8).unwrap() % bound
    };
    for _ in 0..20_000 {
        let text: String = (0..next(14)).map(|_| pieces[next(pieces.len())]).collect();
        let made = markdown(&text);
        assert!(text.trim().is_empty() || !made.trim().is_empty() || text.contains('`'), "{text:?}");
    }
}
