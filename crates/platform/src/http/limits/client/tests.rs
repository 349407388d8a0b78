use super::*;

fn client(peer: &str, forwarded: &[&str]) -> String {
    let proxies: Vec<Network> = ["10.0.0.0/8", "::1"].map(|network| network.parse().unwrap()).to_vec();
    let mut extensions = Extensions::new();
    extensions.insert(Peer(peer.parse().unwrap()));
    let mut headers = HeaderMap::new();
    for line in forwarded {
        headers.append(FORWARDED_FOR, line.parse().unwrap());
    }
    ClientAddress::of(&extensions, &headers, &proxies).0.unwrap().to_string()
}

/// C106: nobody makes budgets by inventing addresses.
#[test]
fn c106_only_trusted_proxies_say_whom_they_saw() {
    let cases: [(&str, &[&str], &str); 14] = [
        ("192.0.2.1:1234", &[], "192.0.2.1"),
        ("192.0.2.1:1234", &["198.51.100.7"], "192.0.2.1"),
        ("10.1.2.3:1234", &[], "10.1.2.3"),
        ("10.1.2.3:1234", &["198.51.100.7"], "198.51.100.7"),
        ("10.1.2.3:1234", &["203.0.113.9, 198.51.100.7"], "198.51.100.7"),
        ("10.1.2.3:1234", &["203.0.113.9, 198.51.100.7, 10.9.9.9"], "198.51.100.7"),
        ("10.1.2.3:1234", &["203.0.113.9", "198.51.100.7"], "198.51.100.7"),
        ("10.1.2.3:1234", &["10.4.4.4, 10.5.5.5"], "10.4.4.4"),
        ("10.1.2.3:1234", &["198.51.100.7, nonsense"], "10.1.2.3"),
        ("10.1.2.3:1234", &[""], "10.1.2.3"),
        ("10.1.2.3:1234", &["198.51.100.7:4711"], "198.51.100.7"),
        ("[::1]:1234", &["[2001:db8:1:2:3::4]:99"], "2001:db8:1:2::"),
        ("[::ffff:10.1.2.3]:1234", &["::ffff:198.51.100.7"], "198.51.100.7"),
        ("[2001:db8:1:2:ffff::1]:1234", &[], "2001:db8:1:2::"),
    ];
    for (peer, forwarded, expected) in cases {
        assert_eq!(client(peer, forwarded), expected, "{peer} {forwarded:?}");
    }
}

#[test]
fn without_a_connection_there_is_no_address() {
    let mut headers = HeaderMap::new();
    headers.insert(FORWARDED_FOR, "198.51.100.7".parse().unwrap());
    assert_eq!(ClientAddress::of(&Extensions::new(), &headers, &[]), ClientAddress(None));
}
