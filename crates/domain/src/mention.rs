//! Finding mentions in a message (chapter 05 section 1). This only finds the text of handles;
//! what is a handle is said by [`crate::names`], and whom it names is resolved by the caller.
//!
//! A mention is an `@` and a handle in the text that a reader sees. It is none
//!
//! - inside code (spans, blocks, raw HTML code elements), raw HTML blocks and image descriptions;
//! - inside an address: `sam@example.com`, `@sam@example.com`, `https://example.com/@sam`;
//! - when its `@` is escaped (`\@sam`) or written as an entity, since neither is markup in
//!   CommonMark;
//! - when the word goes on with other letters or with invisible characters (`@sаm` with a
//!   Cyrillic letter), because a reader would see another handle than the one that is named.
//!
//! Emphasis is resolved first, as the reader sees it: `@a-_b_-c` reads `@a-b-c`.

use std::collections::BTreeSet;
use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use unicode_normalization::char::is_combining_mark;

/// How many different handles of one message are looked at. It bounds the work of resolving them;
/// how many agents a message may reach is `agent.max_invocations_per_message`.
pub const MAX_MENTIONS: usize = 100;

/// Stands for what is no text, and for an `@` that was escaped.
const GAP: char = '\u{FFFC}';

/// The handles that a message mentions: in lower case, in the order of their first mention, each
/// once, at most [`MAX_MENTIONS`].
///
/// ```
/// use bothy_domain::mention::extract_mentions;
/// assert_eq!(extract_mentions("@Lotse, please ask @sam. Not `@texter`."), ["lotse", "sam"]);
/// ```
pub fn extract_mentions(markdown: &str) -> Vec<String> {
    let text = visible_text(markdown);
    let mut seen = BTreeSet::new();
    text.split(char::is_whitespace)
        .flat_map(mentions_of_word)
        .filter(|handle| seen.insert(handle.clone()))
        .take(MAX_MENTIONS)
        .collect()
}

/// What a reader sees as text. Emphasis and links join what they touch; code leaves a gap.
fn visible_text(markdown: &str) -> String {
    let mut text = VisibleText { markdown, text: String::new(), hidden: 0, raw_code: 0 };
    for (event, range) in Parser::new(markdown).into_offset_iter() {
        text.push(event, range);
    }
    text.text
}

struct VisibleText<'a> {
    markdown: &'a str,
    text: String,
    /// Open code blocks and images.
    hidden: usize,
    /// Open code elements of raw HTML in the current block.
    raw_code: usize,
}

impl VisibleText<'_> {
    fn push(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::Image { .. }) => {
                self.hidden += 1;
                self.text.push(GAP);
            }
            Event::End(TagEnd::CodeBlock | TagEnd::Image) => {
                self.hidden = self.hidden.saturating_sub(1);
                self.text.push(GAP);
            }
            Event::Text(text) if self.hidden == 0 && self.raw_code == 0 => {
                self.push_text(&text, range);
            }
            Event::InlineHtml(tag) => self.push_tag(&tag),
            Event::Start(tag) if is_inline(&tag.to_end()) => {}
            Event::End(tag) if is_inline(&tag) => {}
            Event::SoftBreak | Event::HardBreak => self.text.push('\n'),
            Event::Start(_) | Event::End(_) | Event::Rule => {
                self.raw_code = 0;
                self.text.push('\n');
            }
            // Code, hidden text, HTML blocks, and extensions that are not switched on.
            Event::Text(_)
            | Event::Code(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::Html(_)
            | Event::FootnoteReference(_)
            | Event::TaskListMarker(_) => self.text.push(GAP),
        }
    }

    fn push_text(&mut self, text: &str, range: Range<usize>) {
        let before = self.markdown.get(..range.start).unwrap_or_default();
        let as_written = self.markdown.get(range) == Some(text);
        if !as_written {
            // An entity was decoded.
            self.text.extend(text.chars().map(|c| if c == '@' { GAP } else { c }));
        } else if let Some(rest) = text.strip_prefix('@').filter(|_| before.ends_with('\\')) {
            // The parser starts a new text behind the backslash of an escape.
            self.text.push(GAP);
            self.text.push_str(rest);
        } else {
            self.text.push_str(text);
        }
    }

    fn push_tag(&mut self, tag: &str) {
        let inner = tag.trim_start_matches('<');
        let (closes, name) = inner.strip_prefix('/').map_or((false, inner), |name| (true, name));
        let name = name.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        if ["code", "kbd", "pre", "samp"].iter().any(|code| name.eq_ignore_ascii_case(code)) {
            self.raw_code = if closes { self.raw_code.saturating_sub(1) } else { self.raw_code + 1 };
            self.text.push(GAP);
        }
    }
}

fn is_inline(tag: &TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::Link
    )
}

/// The handles mentioned in one word, which may hold several (`@alex/@sam`).
fn mentions_of_word(word: &str) -> Vec<String> {
    // What follows the scheme of an address is a path, in which an `@` means something else.
    let mut rest = word.split("://").next().unwrap_or_default();
    let mut before = None;
    let mut found = Vec::new();
    while let Some((head, tail)) = rest.split_once('@') {
        before = head.chars().next_back().or(before);
        let end = tail.find(|c| !continues_handle(c)).unwrap_or(tail.len());
        let (token, after) = tail.split_at_checked(end).unwrap_or((tail, ""));
        let is_address = after.strip_prefix('@').is_some_and(|host| host.starts_with(char::is_alphanumeric));
        if before.is_none_or(may_precede_mention) && !is_address {
            found.extend(handle_of(token));
        }
        before = token.chars().next_back().or(Some('@'));
        rest = after;
    }
    found
}

/// The handle in what follows an `@`, without the punctuation that ends a sentence.
fn handle_of(token: &str) -> Option<String> {
    let handle = token.trim_end_matches(['.', '_', '-']);
    let starts_well = handle.starts_with(|c: char| c.is_ascii_alphanumeric());
    (starts_well && handle.is_ascii()).then(|| handle.to_ascii_lowercase())
}

/// Whether a reader would take the character as part of the handle, or not see it at all.
fn continues_handle(c: char) -> bool {
    matches!(c, '.' | '_' | '-') || is_word(c)
}

/// Whether an `@` behind this character may begin a mention; behind a word it belongs to an
/// address.
fn may_precede_mention(c: char) -> bool {
    !is_word(c) && !matches!(c, '_' | '+' | '%' | '@')
}

/// Letters, digits, and what attaches to them. Scripts that are written without spaces do not
/// count: a mention stands right between their letters, and none of them looks like a handle's.
fn is_word(c: char) -> bool {
    is_invisible(c) || !is_of_unspaced_script(c) && (c.is_alphanumeric() || is_combining_mark(c))
}

/// Thai, Lao, Myanmar, Khmer, kana, Han and Hangul (whose particles attach).
fn is_of_unspaced_script(c: char) -> bool {
    matches!(
        c,
        '\u{0E00}'..='\u{0EFF}'
            | '\u{1000}'..='\u{109F}'
            | '\u{1100}'..='\u{11FF}'
            | '\u{1780}'..='\u{17FF}'
            | '\u{2E80}'..='\u{9FFF}'
            | '\u{AC00}'..='\u{D7AF}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{20000}'..='\u{3FFFF}'
    )
}

fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{AD}'
            | '\u{61C}'
            | '\u{115F}'..='\u{1160}'
            | '\u{17B4}'..='\u{17B5}'
            | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{3164}'
            | '\u{FEFF}'
            | '\u{FFA0}'
            | '\u{E0000}'..='\u{E0FFF}'
    )
}

#[cfg(test)]
mod tests;
