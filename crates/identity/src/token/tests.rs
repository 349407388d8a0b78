use bothy_platform::entropy::SeededEntropy;
use proptest::prelude::*;

use super::{SecretToken, TokenKind, crc32, parse};

#[test]
fn a_token_shows_its_kind_and_is_found_again_by_its_hash() {
    let entropy = SeededEntropy::new(1);
    for kind in TokenKind::ALL {
        let token = SecretToken::generate(kind, &entropy);
        let hash = token.hash();
        assert_eq!(format!("{token:?}"), "SecretToken");
        let text = token.into_text();
        assert_eq!(text.len(), 59);
        assert!(text.starts_with(kind.prefix()));
        assert_eq!(parse(&text), Some((kind, hash)));
    }
}

#[test]
fn tokens_do_not_repeat() {
    let entropy = SeededEntropy::new(2);
    let texts: std::collections::HashSet<String> =
        (0..1000).map(|_| SecretToken::generate(TokenKind::Agent, &entropy).into_text()).collect();
    assert_eq!(texts.len(), 1000);
}

#[test]
fn the_checksum_is_the_common_one() {
    assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
}

#[test]
fn any_single_wrong_character_is_refused() {
    let text = SecretToken::generate(TokenKind::Session, &SeededEntropy::new(3)).into_text();
    for at in 0..text.len() {
        for other in ['0', 'z', '_', ' ', '\u{e9}'] {
            let mut changed: Vec<char> = text.chars().collect();
            if changed[at] != other {
                changed[at] = other;
                let changed: String = changed.into_iter().collect();
                assert_eq!(parse(&changed), None, "{at} {other}");
            }
        }
    }
    for wrong in ["", "bothy_ses_", &text[1..], &text[..58], &format!("{text} "), &text.replace("ses", "agt")] {
        assert_eq!(parse(wrong), None);
    }
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,80}") {
        prop_assert_eq!(parse(&text), None);
        prop_assert_eq!(parse(&format!("bothy_agt_{text}")), None);
    }
}
