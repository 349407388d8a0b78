use crate::config::{Config, Flag, Server, Sources};
use crate::serve::{BindError, bind};

fn server(settings: &[&str]) -> Server {
    let flags = settings.iter().map(|text| Flag::Set((*text).to_owned())).collect();
    Config::load(&Sources { flags, ..Sources::default() }).unwrap().config.server
}

#[tokio::test]
async fn loopback_needs_nothing() {
    for listen in ["127.0.0.1:0", "127.1.2.3:0"] {
        let listener = bind(&server(&[&format!("server.listen={listen}")])).await.unwrap();
        assert!(listener.local_addr().unwrap().ip().is_loopback());
    }
}

#[tokio::test]
async fn beyond_loopback_needs_a_proxy_or_an_explicit_word() {
    for listen in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0", "[::ffff:192.0.2.1]:0"] {
        let error = bind(&server(&[&format!("server.listen={listen}")])).await.unwrap_err();
        assert!(matches!(error, BindError::Exposed(_)), "{listen}: {error}");
        assert!(error.to_string().contains("server.trusted_proxies"));
    }
    for word in ["server.trusted_proxies=10.0.0.0/8", "server.allow_plain_http=true"] {
        assert!(bind(&server(&["server.listen=0.0.0.0:0", word])).await.is_ok());
    }
}

#[tokio::test]
async fn what_stands_in_the_way_is_said_in_one_line() {
    let first = bind(&server(&["server.listen=127.0.0.1:0"])).await.unwrap();
    let taken = first.local_addr().unwrap();
    let error = bind(&server(&[&format!("server.listen={taken}")])).await.unwrap_err();
    assert!(matches!(error, BindError::InUse(_)));
    assert!(error.to_string().starts_with(&format!("cannot listen on {taken}: the port is in use; ")));
    assert_eq!(error.to_string().lines().count(), 1);
    let nowhere = bind(&server(&["server.listen=192.0.2.1:0", "server.allow_plain_http=true"])).await.unwrap_err();
    assert!(matches!(nowhere, BindError::NoSuchAddress(_)), "{nowhere}");
}
