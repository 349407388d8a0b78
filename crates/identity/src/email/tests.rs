use super::parse;

#[test]
fn addresses_have_one_form() {
    assert_eq!(parse(" Robin@Example.COM ").unwrap(), "robin@example.com");
    assert_eq!(parse("a+b@localhost").unwrap(), "a+b@localhost");
}

#[test]
fn what_is_no_address_is_refused() {
    let long = format!("{}@example.com", "a".repeat(300));
    for text in [
        "",
        "robin",
        "@",
        "robin@",
        "@example.com",
        "a@b@c",
        "a b@example.com",
        "a@.com",
        "a@com.",
        "<a@b.c>",
        "a\u{0}@b.c",
        &long,
    ] {
        assert_eq!(parse(text).unwrap_err().errors()[0].pointer, "/email", "{text}");
    }
}
