use axum::http::{HeaderName, Method};

use super::*;

fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        headers.append(name.parse::<HeaderName>().unwrap(), value.parse().unwrap());
    }
    headers
}

fn token(method: Method, pairs: &[(&str, &str)]) -> Result<Option<String>, Problem> {
    Credentials::of(&headers(pairs), &method).map(|credentials| credentials.token)
}

/// C47: what is shown twice is refused, never resolved to one of both.
#[test]
fn c47_two_authorization_headers_are_refused() {
    assert!(token(Method::GET, &[("authorization", "Bearer a"), ("authorization", "Bearer b")]).is_err());
    assert!(token(Method::GET, &[("authorization", "Basic YTpi")]).is_err());
    assert!(token(Method::GET, &[("authorization", "Bearer ")]).is_err());
    assert!(token(Method::GET, &[("authorization", "Bearer a b")]).is_err());
    assert_eq!(token(Method::GET, &[("authorization", "bearer abc")]).unwrap().as_deref(), Some("abc"));
    let doubled = [("cookie", "bothy_session=a; bothy_session=b")];
    assert_eq!(token(Method::GET, &doubled).unwrap(), None);
}

#[test]
fn af_3_every_value_of_the_invocation_header_is_kept() {
    let found =
        Credentials::of(&headers(&[("invocation-token", ""), ("Invocation-Token", "b")]), &Method::GET).unwrap();
    assert_eq!(found.invocation_tokens, [b"".to_vec(), b"b".to_vec()]);
    assert!(!format!("{found:?}").contains('b') || !format!("{found:?}").contains("\"b\""));
}

/// A cookie counts for unsafe methods only from our own pages.
#[test]
fn cookies_are_safe_from_other_sites() {
    let cookie = ("cookie", "other=1; bothy_session=abc");
    let own = Some("abc".to_owned());
    assert_eq!(token(Method::GET, &[cookie]).unwrap(), own);
    assert_eq!(token(Method::POST, &[cookie]).unwrap(), None);
    assert_eq!(token(Method::POST, &[cookie, ("sec-fetch-site", "same-origin")]).unwrap(), own);
    for site in ["cross-site", "same-site", "none"] {
        assert_eq!(token(Method::POST, &[cookie, ("sec-fetch-site", site)]).unwrap(), None, "{site}");
    }
    let host = ("host", "chat.example.com");
    assert_eq!(token(Method::POST, &[cookie, host, ("origin", "https://chat.example.com")]).unwrap(), own);
    assert_eq!(
        token(Method::POST, &[cookie, host, ("origin", "https://chat.example.com.evil.example.com")]).unwrap(),
        None
    );
}

#[tokio::test]
async fn without_credentials_the_answer_is_401() {
    let door = Door::open(TestDb::sqlite()).await;
    for path in [channel_path(VISIBLE), channel_path(UNKNOWN), "/api/v1/channels/nonsense".to_owned()] {
        let answer = door.send(Request::builder().uri(&path).body(HttpBody::empty()).unwrap()).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (401, "unauthenticated"), "{path}");
        assert_eq!(answer.headers["www-authenticate"], "Bearer");
    }
}
