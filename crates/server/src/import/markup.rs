//! From the markup of Slack to CommonMark.

use std::collections::HashMap;

/// What to write for somebody or something that a text names by id.
pub(super) struct Names<'a> {
    /// By the id of the person: `@handle`, or a name.
    pub(super) people: &'a HashMap<String, String>,
}

/// Converts a text. What has a meaning in CommonMark and none in Slack is escaped, so that it is shown
/// as it was.
pub(super) fn to_markdown(text: &str, names: &Names<'_>) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut rest = text;
    // Code is taken as it is; everything between is prose.
    while let Some(start) = rest.find('`') {
        let fence = if rest.get(start..).is_some_and(|code| code.starts_with("```")) { "```" } else { "`" };
        let (before, code) = rest.split_at(start);
        let inside = code.get(fence.len()..).unwrap_or_default();
        // A single tick does not reach over lines.
        let end =
            inside.find(fence).filter(|end| fence.len() > 1 || !inside.get(..*end).unwrap_or_default().contains('\n'));
        prose(&mut out, before, names);
        let Some(end) = end else {
            out.push_str("\\`");
            rest = code.get(1..).unwrap_or_default();
            continue;
        };
        let (code, after) = inside.split_at(end);
        let code = plain(code, names);
        if fence.len() > 1 {
            let gap = |at_edge: bool| if at_edge { "" } else { "\n" };
            out.push_str(gap(out.is_empty() || out.ends_with('\n')));
            out.push_str("```");
            out.push_str(gap(code.starts_with('\n')));
            out.push_str(&code);
            out.push_str(gap(code.ends_with('\n')));
            out.push_str("```\n");
        } else {
            out.push('`');
            out.push_str(&code);
            out.push('`');
        }
        rest = after.get(fence.len()..).unwrap_or_default();
        if fence.len() > 1 {
            rest = rest.strip_prefix('\n').unwrap_or(rest);
        }
    }
    prose(&mut out, rest, names);
    out
}

/// Text outside of code.
fn prose(out: &mut String, text: &str, names: &Names<'_>) {
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        let at_line_start = out.is_empty() || out.ends_with('\n');
        let taken = match c {
            '<' => angle(after).map(|(inside, beyond)| {
                reference(out, inside, names);
                beyond
            }),
            '&' => entity(rest).map(|(c, beyond)| {
                // At the start of a line it quotes, in both.
                if c == '>' && at_line_start {
                    out.push('>')
                } else {
                    escaped(out, c)
                }
                beyond
            }),
            '*' | '~' => emphasis(out, c, after).map(|(inside, beyond)| {
                let mark = if c == '*' { "**" } else { "~~" };
                out.push_str(mark);
                prose_inside(out, inside, names);
                out.push_str(mark);
                beyond
            }),
            _ => None,
        };
        rest = taken.unwrap_or_else(|| {
            match c {
                '#' | '+' if at_line_start => {
                    out.push('\\');
                    out.push(c);
                }
                '*' | '~' | '[' | ']' | '\\' | '<' => escaped(out, c),
                _ => out.push(c),
            }
            after
        });
    }
}

/// Text between two marks: it does not begin a line.
fn prose_inside(out: &mut String, text: &str, names: &Names<'_>) {
    let mut inside = String::from(" ");
    prose(&mut inside, text, names);
    out.push_str(inside.strip_prefix(' ').unwrap_or(&inside));
}

/// What stands between angle brackets, and what follows.
fn angle(after: &str) -> Option<(&str, &str)> {
    let end = after.find(['>', '<', '\n'])?;
    let beyond = after.get(end..)?.strip_prefix('>')?;
    Some((after.get(..end)?, beyond)).filter(|(inside, _)| !inside.is_empty())
}

/// A person, a channel, a link or a word to everybody.
fn reference(out: &mut String, inside: &str, names: &Names<'_>) {
    let (target, label) = inside.split_once('|').map_or((inside, None), |(target, label)| (target, Some(label)));
    match target.split_at_checked(1) {
        Some(("@", id)) => out.push_str(&person(id, label, names)),
        Some(("#", id)) => {
            out.push_str("\\#");
            escaped_all(out, label.filter(|label| !label.is_empty()).unwrap_or(id));
        }
        Some(("!", word)) => escaped_all(out, &unescaped(&to_everybody(word, label))),
        _ => link(out, &unescaped(target), label.map(unescaped).as_deref()),
    }
}

fn person(id: &str, label: Option<&str>, names: &Names<'_>) -> String {
    let known = names.people.get(id).cloned();
    known.unwrap_or_else(|| format!("@{}", label.unwrap_or(id)))
}

fn to_everybody(word: &str, label: Option<&str>) -> String {
    match label {
        Some(label) => label.to_owned(),
        None => format!("@{}", word.split('^').next().unwrap_or(word)),
    }
}

fn link(out: &mut String, target: &str, label: Option<&str>) {
    let address = target.strip_prefix("mailto:").unwrap_or(target);
    let is_address = target.contains(':') && !target.contains([' ', '<', '>', '(', ')']);
    match label.filter(|label| *label != target && *label != address) {
        Some(label) if is_address => {
            out.push('[');
            escaped_all(out, label);
            out.push_str("](");
            out.push_str(target);
            out.push(')');
        }
        Some(label) => {
            escaped_all(out, label);
            out.push(' ');
            escaped_all(out, target);
        }
        None if is_address => {
            out.push('<');
            out.push_str(address);
            out.push('>');
        }
        None => escaped_all(out, target),
    }
}

/// What stands between this mark and the next one that ends it on the same line.
fn emphasis<'a>(out: &str, mark: char, after: &'a str) -> Option<(&'a str, &'a str)> {
    let opens = out.chars().next_back().is_none_or(|c| !c.is_alphanumeric());
    let line = after.split('\n').next().unwrap_or_default();
    if !opens || line.starts_with([' ', mark]) {
        return None;
    }
    let end = line.match_indices(mark).map(|(at, _)| at).find(|at| {
        let inside = line.get(..*at).unwrap_or_default();
        let next = after.get(*at + 1..).and_then(|beyond| beyond.chars().next());
        !inside.is_empty() && !inside.ends_with(' ') && next.is_none_or(|c| !c.is_alphanumeric() && c != mark)
    })?;
    Some((after.get(..end)?, after.get(end + 1..)?))
}

/// The character of one of the three entities of Slack, and what follows.
fn entity(text: &str) -> Option<(char, &str)> {
    [("&amp;", '&'), ("&lt;", '<'), ("&gt;", '>')]
        .into_iter()
        .find_map(|(entity, c)| text.strip_prefix(entity).map(|beyond| (c, beyond)))
}

/// A text without the three entities of Slack.
pub(super) fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// Code: references become what they show.
fn plain(code: &str, names: &Names<'_>) -> String {
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(start) = rest.find('<') {
        let (before, from) = rest.split_at(start);
        out.push_str(before);
        let after = from.get(1..).unwrap_or_default();
        match angle(after) {
            Some((inside, beyond)) => {
                let (target, label) = inside.split_once('|').map_or((inside, None), |(a, b)| (a, Some(b)));
                out.push_str(&match target.strip_prefix('@') {
                    Some(id) => person(id, label, names),
                    None => label.unwrap_or(target).to_owned(),
                });
                rest = beyond;
            }
            None => {
                out.push('<');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    unescaped(&out)
}

fn escaped_all(out: &mut String, text: &str) {
    text.chars().for_each(|c| escaped(out, c));
}

fn escaped(out: &mut String, c: char) {
    if matches!(c, '*' | '~' | '[' | ']' | '\\' | '<' | '`') {
        out.push('\\');
    }
    out.push(c);
}

#[cfg(test)]
mod tests;
