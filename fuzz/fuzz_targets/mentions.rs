//! Markdown in messages: whatever is written, what is found has the letters of a handle, and comes once.

#![no_main]

use std::collections::BTreeSet;

use bothy_domain::mention::{MAX_MENTIONS, extract_mentions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|markdown: &str| {
    let found = extract_mentions(markdown);
    assert!(found.len() <= MAX_MENTIONS);
    assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), found.len());
    for handle in &found {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-".contains(&byte);
        assert!(!handle.is_empty() && handle.bytes().all(plain), "{handle}");
    }
    assert!(found.is_empty() || markdown.contains('@'));
});
