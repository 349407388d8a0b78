use std::net::IpAddr;
use std::time::Duration;

use crate::config::{Network, PublicUrl, Secret, Span};

type Day = Span<0, 86_400_000>;

#[test]
fn durations_are_read_in_every_unit() {
    for (text, millis) in [
        ("0s", 0),
        ("250ms", 250),
        ("30s", 30_000),
        ("15m", 900_000),
        ("1h", 3_600_000),
        ("1h 30m", 5_400_000),
        ("1h30m", 5_400_000),
        ("30m 1h", 5_400_000),
        (" 1s ", 1_000),
        ("1d", 86_400_000),
    ] {
        assert_eq!(text.parse::<Day>().unwrap().get(), Duration::from_millis(millis), "{text}");
    }
}

#[test]
fn what_is_no_duration_is_refused() {
    for text in [
        "",
        " ",
        "5",
        "s",
        "1x",
        "1h 5",
        "1h 1h",
        "-1s",
        "1.5h",
        "1 h",
        "99999999999999999999s",
        "1h,5m",
        "1H",
        "١s",
        "18446744073709551615d",
    ] {
        assert!(text.parse::<Day>().is_err(), "{text:?}");
    }
    assert_eq!("2d".parse::<Day>().unwrap_err().to_string(), "must be between 0s and 1d");
}

#[test]
fn durations_are_written_in_the_largest_units() {
    for text in ["0s", "1ms", "1s 1ms", "1m 30s", "23h 59m 59s 999ms", "1d"] {
        assert_eq!(text.parse::<Day>().unwrap().to_string(), text);
    }
}

#[test]
fn networks_contain_what_they_name() {
    let contains =
        |network: &str, address: &str| network.parse::<Network>().unwrap().contains(address.parse::<IpAddr>().unwrap());
    assert!(contains("10.0.0.0/8", "10.255.0.1"));
    assert!(!contains("10.0.0.0/8", "11.0.0.1"));
    assert!(contains("192.0.2.1", "192.0.2.1"));
    assert!(!contains("192.0.2.1", "192.0.2.2"));
    assert!(contains("192.0.2.1", "::ffff:192.0.2.1"));
    assert!(contains("0.0.0.0/0", "203.0.113.9"));
    assert!(!contains("0.0.0.0/0", "2001:db8::1"));
    assert!(contains("::/0", "2001:db8::1"));
    assert!(contains("2001:db8::/32", "2001:db8:ffff::1"));
    assert!(!contains("2001:db8::/32", "2001:db9::1"));
    assert!(contains("10.1.2.3/8", "10.9.9.9"));
}

#[test]
fn what_is_no_network_is_refused() {
    for text in
        ["", "10.0.0.0/33", "::/129", "10.0.0/8", "10.0.0.0/", "10.0.0.0/+8", "10.0.0.0/8/8", "example.com", "/8"]
    {
        assert!(text.parse::<Network>().is_err(), "{text:?}");
    }
}

#[test]
fn public_addresses_take_the_form_of_a_browser() {
    for (text, origin) in [
        ("https://chat.example.com", "https://chat.example.com"),
        ("https://Chat.Example.com/", "https://chat.example.com"),
        ("https://chat.example.com:443", "https://chat.example.com"),
        ("http://chat.example.com:80", "http://chat.example.com"),
        ("http://chat.example.com:8080/", "http://chat.example.com:8080"),
        ("http://[::1]:7878", "http://[::1]:7878"),
    ] {
        assert_eq!(text.parse::<PublicUrl>().unwrap().to_string(), origin);
    }
    for text in [
        "",
        "chat.example.com",
        "ftp://chat.example.com",
        "https://",
        "https://chat.example.com/path",
        "https://chat.example.com?x=1",
        "https://chat.example.com/#x",
        "https://robin@chat.example.com",
        "//chat.example.com",
    ] {
        assert!(text.parse::<PublicUrl>().is_err(), "{text:?}");
    }
}

#[test]
fn secrets_are_never_printed() {
    let secret = Secret::new("correct horse");
    assert_eq!(secret.expose(), "correct horse");
    assert_eq!(format!("{secret} {secret:?}"), "*** ***");
    assert_eq!(serde_json::to_string(&secret).unwrap(), "\"***\"");
}
