//! The words of a text in the one spelling in which they are indexed and looked for, so that both
//! engines find the same: small letters, no accents, no compatibility forms.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Longer words are the same when they begin alike.
const WORD_MAX_BYTES: usize = 64;

/// A word and where it stands in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) folded: String,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The words of a text in their order. Letters and digits make words. Each character of a script
/// that is written without spaces, and each emoji, is a word of its own, so that any part of such a
/// text can be found. Characters that cannot be seen neither make nor part words.
pub(crate) fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut current: Option<Word> = None;
    for (start, c) in text.char_indices() {
        let end = start + c.len_utf8();
        match classify(c) {
            Class::Nothing => {
                if let Some(word) = &mut current {
                    word.end = end;
                }
            }
            Class::Gap => words.extend(current.take().map(bounded)),
            Class::Alone(folded) => {
                words.extend(current.take().map(bounded));
                words.push(Word { folded, start, end });
            }
            Class::Part(folded) => {
                let word = current.get_or_insert_with(|| Word { folded: String::new(), start, end });
                word.folded.push_str(&folded);
                word.end = end;
            }
        }
    }
    words.extend(current.take().map(bounded));
    words
}

/// What a character is to the words around it.
enum Class {
    /// Changes nothing: an accent of its own, or a character that cannot be seen.
    Nothing,
    Gap,
    Alone(String),
    Part(String),
}

fn classify(c: char) -> Class {
    if is_invisible(c) || is_combining_mark(c) {
        return Class::Nothing;
    }
    if is_emoji(c) {
        return Class::Alone(c.to_string());
    }
    let folded = fold(c);
    if folded.is_empty() {
        Class::Nothing
    } else if !folded.chars().all(char::is_alphanumeric) {
        Class::Gap
    } else if is_unspaced(c) {
        Class::Alone(folded)
    } else {
        Class::Part(folded)
    }
}

fn fold(c: char) -> String {
    let mut folded = String::new();
    for part in std::iter::once(c).nfkd().filter(|part| !is_combining_mark(*part)) {
        for small in part.to_lowercase().filter(|small| !is_combining_mark(*small)) {
            match small {
                'ß' => folded.push_str("ss"),
                'ς' => folded.push('σ'),
                small => folded.push(small),
            }
        }
    }
    folded
}

fn bounded(mut word: Word) -> Word {
    if word.folded.len() > WORD_MAX_BYTES {
        let end = (0..=WORD_MAX_BYTES).rev().find(|end| word.folded.is_char_boundary(*end)).unwrap_or(0);
        word.folded.truncate(end);
    }
    word
}

const fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{AD}'
            | '\u{34F}'
            | '\u{200B}'..='\u{200F}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{2064}'
            | '\u{2066}'..='\u{2069}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FEFF}'
            | '\u{1F3FB}'..='\u{1F3FF}'
    )
}

const fn is_emoji(c: char) -> bool {
    matches!(c, '\u{2600}'..='\u{27BF}' | '\u{2B50}' | '\u{2B55}' | '\u{1F1E6}'..='\u{1F1FF}' | '\u{1F300}'..='\u{1FAFF}')
}

/// Whether a character belongs to a script that is written without spaces between words.
const fn is_unspaced(c: char) -> bool {
    matches!(
        c,
        '\u{E00}'..='\u{EFF}'
            | '\u{1000}'..='\u{109F}'
            | '\u{1780}'..='\u{17FF}'
            | '\u{2E80}'..='\u{2FDF}'
            | '\u{3005}'..='\u{3007}'
            | '\u{3041}'..='\u{30FF}'
            | '\u{31F0}'..='\u{31FF}'
            | '\u{3400}'..='\u{4DBF}'
            | '\u{4E00}'..='\u{9FFF}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{FF66}'..='\u{FF9F}'
            | '\u{20000}'..='\u{3FFFF}'
    )
}
