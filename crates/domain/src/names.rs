//! Names and handles (AZ-11, chapter 05 section 1). Whatever somebody writes that is shown as a
//! label is bounded and free of control, bidirectional and invisible characters.

use unicode_normalization::UnicodeNormalization;

/// Longest handle, in bytes.
pub const HANDLE_MAX_BYTES: usize = 32;
/// Longest name of a space, channel, group, principal or thread, in characters.
pub const NAME_MAX_CHARS: usize = 80;

/// Handles that would pass for something that the product says itself.
const RESERVED_HANDLES: [&str; 14] = [
    "admin",
    "administrator",
    "all",
    "bothy",
    "channel",
    "everyone",
    "group",
    "here",
    "me",
    "moderator",
    "owner",
    "root",
    "server",
    "system",
];

/// Why a name or handle cannot be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Nothing visible in it.
    #[error("must not be empty")]
    Empty,
    /// Longer than allowed.
    #[error("is too long")]
    TooLong,
    /// Control, bidirectional or invisible characters.
    #[error("must not contain control, bidirectional or invisible characters")]
    Invisible,
    /// Something other than lower-case Latin letters, digits, `.`, `_` and `-`.
    #[error("must consist of a to z, 0 to 9, '.', '_' and '-', start with a letter and end with a letter or digit")]
    HandleCharacters,
    /// A handle with a meaning of its own.
    #[error("is reserved")]
    Reserved,
}

/// A handle in its one stored form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(String);

impl Handle {
    /// Takes a handle as somebody typed it. Letters are folded to lower case; anything but ASCII is
    /// refused, so that what looks like another handle cannot be made in the first place.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        if text.is_empty() {
            return Err(NameError::Empty);
        }
        if text.len() > HANDLE_MAX_BYTES {
            return Err(NameError::TooLong);
        }
        let folded = text.to_ascii_lowercase();
        let good =
            folded.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'_' | b'-'))
                && folded.starts_with(|c: char| c.is_ascii_lowercase())
                && folded.ends_with(|c: char| c.is_ascii_alphanumeric());
        if !good || uuid::Uuid::try_parse(&folded).is_ok() {
            return Err(NameError::HandleCharacters);
        }
        let handle = Self(folded);
        let skeleton = handle.skeleton();
        if RESERVED_HANDLES.iter().any(|reserved| *reserved == handle.0 || skeleton_of(reserved) == skeleton) {
            return Err(NameError::Reserved);
        }
        Ok(handle)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What handles that look alike have in common (UTS 39); unique in the database.
    pub fn skeleton(&self) -> String {
        skeleton_of(&self.0)
    }
}

/// The key by which look-alike names clash: folded, normalised, confusable characters unified.
pub fn skeleton_of(text: &str) -> String {
    let folded: String = text.nfkc().flat_map(char::to_lowercase).collect();
    // Letters that merge only after folding (I, l, 1) need the mapping on the folded text.
    unicode_security::skeleton(&folded).flat_map(char::to_lowercase).filter(|c| !matches!(c, '.' | '_' | '-')).collect()
}

/// Takes a name as somebody typed it: trimmed, normalised, bounded, free of characters that hide.
///
/// # Errors
/// Says what is wrong with it.
pub fn display_name(text: &str) -> Result<String, NameError> {
    label(text, NAME_MAX_CHARS)
}

/// Takes a text that is shown on one line, such as a description, in the form of a name.
///
/// # Errors
/// Says what is wrong with it.
pub fn label(text: &str, max_chars: usize) -> Result<String, NameError> {
    let name: String = text.trim().nfc().collect();
    if name.is_empty() {
        return Err(NameError::Empty);
    }
    if name.chars().count() > max_chars {
        return Err(NameError::TooLong);
    }
    if name.chars().any(hides) {
        return Err(NameError::Invisible);
    }
    Ok(name)
}

/// The form of a name by which names clash within one place.
pub fn name_key(name: &str) -> String {
    name.nfkc().flat_map(char::to_lowercase).collect()
}

/// Characters that change how text looks without being seen.
fn hides(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests;
