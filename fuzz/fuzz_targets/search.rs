//! What somebody looks for, and where it stands in a message: no text breaks either.

#![no_main]

use bothy_messaging::fuzz::hits_of_search;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (query, content) = input;
    let Some((text, hits)) = hits_of_search(query, content) else { return };
    assert!(content.contains(&text));
    let length = text.chars().count();
    let mut last = 0;
    for (from, to) in hits {
        assert!(last <= from && from < to && to <= length, "{from}..{to} of {length}");
        last = to;
    }
});
