//! What a reaction may be: one emoji in its one stored form.
//!
//! It is a sequence as UTS 51 builds them: a pictograph, perhaps with a skin tone, a flag, a keycap,
//! or several of them joined. Whether a font has a picture for it is no matter of the server.

use unicode_properties::UnicodeEmoji;
use unicode_properties::emoji::EmojiStatus;

/// The longest emoji, in bytes; families of four with skin tones need less.
pub(crate) const EMOJI_MAX_BYTES: usize = 64;

const JOINER: char = '\u{200D}';
const PRESENTATION: char = '\u{FE0F}';
const KEYCAP: char = '\u{20E3}';
const BLACK_FLAG: char = '\u{1F3F4}';
const TAG_END: char = '\u{E007F}';

/// The one form in which an emoji is stored: the presentation selector stands exactly where UTS 51
/// wants it, so that two clients that type the same emoji mean the same reaction. `None` for a text
/// that is anything but one emoji.
pub(crate) fn canonical_emoji(text: &str) -> Option<String> {
    if text.len() > EMOJI_MAX_BYTES {
        return None;
    }
    let characters: Vec<char> = text.chars().filter(|&c| c != PRESENTATION).collect();
    let mut form = String::with_capacity(EMOJI_MAX_BYTES);
    let mut rest = characters.as_slice();
    loop {
        rest = element(rest, &mut form)?;
        match rest {
            [] => break,
            [JOINER, after @ ..] => {
                form.push(JOINER);
                rest = after;
            }
            _ => return None,
        }
    }
    (form.len() <= EMOJI_MAX_BYTES).then_some(form)
}

/// Takes one element of a sequence, and gives what follows it.
fn element<'a>(characters: &'a [char], form: &mut String) -> Option<&'a [char]> {
    match characters {
        [one, two, rest @ ..] if is_regional(*one) && is_regional(*two) => {
            form.extend([*one, *two]);
            Some(rest)
        }
        [key @ ('0'..='9' | '#' | '*'), KEYCAP, rest @ ..] => {
            form.extend([*key, PRESENTATION, KEYCAP]);
            Some(rest)
        }
        [BLACK_FLAG, after @ ..] if after.first().copied().is_some_and(is_tag) => {
            let tags = after.iter().take_while(|&&c| is_tag(c)).count();
            let (tags, rest) = after.split_at_checked(tags)?;
            let rest = rest.strip_prefix(&[TAG_END])?;
            form.push(BLACK_FLAG);
            form.extend(tags);
            form.push(TAG_END);
            Some(rest)
        }
        [base, rest @ ..] => pictograph(*base, rest, form),
        [] => None,
    }
}

fn pictograph<'a>(base: char, rest: &'a [char], form: &mut String) -> Option<&'a [char]> {
    use EmojiStatus::{EmojiModifierBase, EmojiOther, EmojiPresentation, EmojiPresentationAndModifierBase};
    let status = base.emoji_status();
    let takes_tone = matches!(status, EmojiModifierBase | EmojiPresentationAndModifierBase);
    let shown_as_text = matches!(status, EmojiModifierBase | EmojiOther);
    if !takes_tone && !shown_as_text && !matches!(status, EmojiPresentation) {
        return None;
    }
    form.push(base);
    match rest {
        [tone, after @ ..] if takes_tone && is_tone(*tone) => {
            form.push(*tone);
            Some(after)
        }
        _ => {
            if shown_as_text {
                form.push(PRESENTATION);
            }
            Some(rest)
        }
    }
}

/// The letters of flags.
const fn is_regional(c: char) -> bool {
    matches!(c, '\u{1F1E6}'..='\u{1F1FF}')
}

const fn is_tone(c: char) -> bool {
    matches!(c, '\u{1F3FB}'..='\u{1F3FF}')
}

/// The letters and digits of the flags of regions such as Scotland.
const fn is_tag(c: char) -> bool {
    matches!(c, '\u{E0030}'..='\u{E0039}' | '\u{E0061}'..='\u{E007A}')
}

#[cfg(test)]
mod tests;
