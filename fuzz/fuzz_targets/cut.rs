//! Cutting an element of a context: a whole number of characters, as many as fit, at every limit.

#![no_main]

use bothy_domain::context::cut_content;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, u16)| {
    let (content, limit) = (input.0, usize::from(input.1));
    let (kept, cut) = cut_content(content, limit);
    assert!(content.starts_with(kept));
    assert_eq!(cut, content.len() > limit);
    assert!(kept.len() <= limit || !cut);
    if cut {
        let next = content[kept.len()..].chars().next().expect("something was cut");
        assert!(kept.len() + next.len_utf8() > limit);
    }
});
