use std::collections::BTreeSet;

use bothy_domain::problem::Problem;

use super::fold::{Word, words};

/// The longest text that can be looked for.
const MAX_CHARS: usize = 256;
/// The most words in it.
const MAX_WORDS: usize = 32;
/// A shorter last word has to stand there as a whole: too much begins with it.
const BEGINNING_MIN_CHARS: usize = 3;

/// What a message must say: all of the parts, in any order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Query {
    parts: Vec<Part>,
}

/// Words that follow each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    words: Vec<String>,
    /// Whether the last word is only the beginning of one.
    open: bool,
}

impl Query {
    /// Reads what somebody typed. Words between quotation marks follow each other, and so do those
    /// of something like `a.b@example.com`; the last word outside of quotation marks, unless there is a
    /// space behind it, may be the beginning of one. Nothing else means anything, so no text is an error of syntax.
    ///
    /// # Errors
    /// `validation_failed` at `/query/q` when there is no word in it, or too many.
    pub(crate) fn parse(text: &str) -> Result<Self, Problem> {
        let refuse = |message: String| Err(Problem::invalid("/query/q", message));
        if text.chars().count() > MAX_CHARS {
            return refuse(format!("must be at most {MAX_CHARS} characters long"));
        }
        let mut parts = Vec::new();
        let mut last_is_plain = false;
        for (index, piece) in text.split(is_quotation_mark).enumerate() {
            if index % 2 == 1 {
                parts.extend(Part::of(piece));
                last_is_plain = false;
                continue;
            }
            for chunk in piece.split_whitespace() {
                parts.extend(Part::of(chunk));
                last_is_plain = true;
            }
        }
        let complete = text.ends_with(char::is_whitespace);
        if let Some(part) = parts.last_mut().filter(|_| last_is_plain && !complete) {
            part.open = part.words.last().is_some_and(|word| word.chars().count() >= BEGINNING_MIN_CHARS);
        }
        match parts.iter().map(|part| part.words.len()).sum::<usize>() {
            0 => refuse("needs a word to look for".to_owned()),
            count if count > MAX_WORDS => refuse(format!("must be at most {MAX_WORDS} words")),
            _ => Ok(Self { parts }),
        }
    }

    /// The words that must stand in a message as they are.
    pub(crate) fn whole_words(&self) -> BTreeSet<&str> {
        self.parts.iter().flat_map(Part::whole_words).map(String::as_str).collect()
    }

    /// What the last word begins with, if it stands alone.
    pub(crate) fn beginning(&self) -> Option<&str> {
        let part = self.parts.last().filter(|part| part.open && part.words.len() == 1)?;
        part.words.first().map(String::as_str)
    }

    /// Patterns for the words of a message, each between spaces, that say what whole words alone
    /// cannot: which words follow each other, and how the last one begins.
    pub(crate) fn patterns(&self) -> Vec<String> {
        self.parts.iter().filter(|part| part.open || part.words.len() > 1).map(Part::pattern).collect()
    }

    /// The same without the one for a last word that stands alone.
    pub(crate) fn patterns_without_beginning(&self) -> Vec<String> {
        self.parts.iter().filter(|part| part.words.len() > 1).map(Part::pattern).collect()
    }

    /// Where the parts stand in the words of a text, as ranges of bytes, ascending and apart.
    pub(crate) fn hits(&self, text: &[Word]) -> Vec<(usize, usize)> {
        let mut found: Vec<(usize, usize)> = self
            .parts
            .iter()
            .flat_map(|part| text.windows(part.words.len().max(1)).filter(|window| part.fits(window)))
            .filter_map(|window| Some((window.first()?.start, window.last()?.end)))
            .collect();
        found.sort_unstable();
        let mut apart: Vec<(usize, usize)> = Vec::new();
        for (start, end) in found {
            match apart.last_mut() {
                Some(last) if start < last.1 => last.1 = last.1.max(end),
                _ => apart.push((start, end)),
            }
        }
        apart
    }
}

impl Part {
    fn of(text: &str) -> Option<Self> {
        let words: Vec<String> = words(text).into_iter().map(|word| word.folded).collect();
        if words.is_empty() { None } else { Some(Self { words, open: false }) }
    }

    /// Words are letters, digits and emoji: nothing in them means anything in a pattern.
    fn pattern(&self) -> String {
        format!("% {}{}", self.words.join(" "), if self.open { "%" } else { " %" })
    }

    fn whole_words(&self) -> impl Iterator<Item = &String> {
        self.words.iter().take(self.words.len() - usize::from(self.open && !self.words.is_empty()))
    }

    fn fits(&self, window: &[Word]) -> bool {
        let last = self.words.len().saturating_sub(1);
        self.words.iter().zip(window).enumerate().all(|(at, (wanted, found))| {
            if self.open && at == last { found.folded.starts_with(wanted.as_str()) } else { found.folded == *wanted }
        })
    }
}

const fn is_quotation_mark(c: char) -> bool {
    matches!(c, '"' | '\u{201C}'..='\u{201F}')
}
