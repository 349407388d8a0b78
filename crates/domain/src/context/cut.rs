//! Cutting one element (RC-10).

/// The longest prefix of `content` that is valid UTF-8 and at most `max_bytes` long, and whether
/// anything was cut. The triggering message is never handed in here.
pub fn cut_content(content: &str, max_bytes: usize) -> (&str, bool) {
    if content.len() <= max_bytes {
        return (content, false);
    }
    let end = content.floor_char_boundary(max_bytes);
    content.split_at_checked(end).map_or(("", true), |(kept, _)| (kept, true))
}

#[cfg(test)]
mod tests;
