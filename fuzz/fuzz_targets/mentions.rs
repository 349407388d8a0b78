//! Markdown in messages: whatever is written, the handles that are found are handles, each once, and stand
//! in the text.

#![no_main]

use std::collections::BTreeSet;

use bothy_domain::mention::{MAX_MENTIONS, extract_mentions};
use bothy_domain::names::Handle;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|markdown: &str| {
    let found = extract_mentions(markdown);
    assert!(found.len() <= MAX_MENTIONS);
    assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), found.len());
    for handle in &found {
        let parsed = Handle::parse(handle).expect("a handle");
        assert_eq!(parsed.as_str(), handle);
    }
    assert!(found.is_empty() || markdown.contains('@'));
});
