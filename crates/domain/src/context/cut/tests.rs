//! RC-10 and C11: no cut splits a character, at whatever offset it falls.

use proptest::prelude::*;

use super::cut_content;

#[test]
fn below_equal_to_and_above_the_limit() {
    assert_eq!(cut_content("abc", 4), ("abc", false));
    assert_eq!(cut_content("abc", 3), ("abc", false));
    assert_eq!(cut_content("abc", 2), ("ab", true));
    assert_eq!(cut_content("abc", 0), ("", true));
    assert_eq!(cut_content("", 0), ("", false));
}

#[test]
fn a_character_across_the_limit_is_left_out_whole() {
    assert_eq!(cut_content("aé", 2), ("a", true));
    assert_eq!(cut_content("aé", 3), ("aé", false));
    assert_eq!(cut_content("漢字", 5), ("漢", true));
    assert_eq!(cut_content("\u{1F600}", 3), ("", true));
}

/// The longest valid prefix, found by asking the decoder about every shorter one.
fn reference(content: &str, max_bytes: usize) -> &str {
    (0..=max_bytes.min(content.len()))
        .rev()
        .find_map(|end| std::str::from_utf8(&content.as_bytes()[..end]).ok())
        .unwrap()
}

#[test]
fn c11_every_offset_of_multi_byte_text_with_every_padding() {
    let texts = [
        "\u{1F600}",
        "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}",
        "\u{1F1E9}\u{1F1EA}",
        "e\u{301}",
        "漢字かな",
        "Größe",
        "\u{FEFF}\u{0}\u{FFFD}",
    ];
    for text in texts {
        for padding in 0..=8 {
            let padded = format!("{}{text}", "x".repeat(padding));
            for limit in 0..=padded.len() + 1 {
                let (kept, cut) = cut_content(&padded, limit);
                assert_eq!(kept, reference(&padded, limit), "{padded:?} {limit}");
                assert!(kept.len() <= limit && padded.starts_with(kept));
                assert_eq!(cut, kept.len() < padded.len());
            }
        }
    }
}

proptest! {
    #[test]
    fn rc10_is_the_longest_valid_prefix(content in any::<String>(), limit in 0usize..200) {
        let (kept, cut) = cut_content(&content, limit);
        prop_assert_eq!(kept, reference(&content, limit));
        prop_assert_eq!(cut, content.len() > limit);
    }

    /// Bytes that are no text never reach the cut: the lossy reading is what is stored.
    #[test]
    fn rc10_never_adds_a_replacement_character(bytes in any::<Vec<u8>>(), limit in any::<u8>()) {
        let content = String::from_utf8_lossy(&bytes);
        let (kept, _) = cut_content(&content, limit.into());
        prop_assert!(content.starts_with(kept));
        prop_assert!(kept.len() <= usize::from(limit));
    }
}
