//! Forms that real verifiers let pass (cases C47 to C54), each of them refused.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use ed25519_dalek::{Signer as _, SigningKey, VerifyingKey};
use sha2::{Digest, Sha256};

use super::{KID, MAX, TYP, judge, key};
use crate::jws::{JwsError, sign, verify};

const CLAIMS: &[u8] = br#"{"sub":"someone","n":1}"#;
const GOOD_HEADER: &str = r#"{"alg":"EdDSA","typ":"invocation+jwt","kid":"k1"}"#;
/// The order of the group of signatures, little-endian.
const GROUP_ORDER: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];

fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// A token with a signature that fits, over any header and claims.
fn signed(header: impl AsRef<[u8]>, claims: impl AsRef<[u8]>) -> String {
    let input = format!("{}.{}", encode(header), encode(claims));
    let signature = key().sign(input.as_bytes());
    format!("{input}.{}", encode(signature.to_bytes()))
}

fn refused(name: &str, token: &str, expected: JwsError) {
    assert_eq!(judge(token), Err(expected), "{name}");
}

#[test]
fn the_helper_makes_good_tokens() {
    assert_eq!(signed(GOOD_HEADER, CLAIMS), sign(TYP, KID, &key(), CLAIMS));
    assert!(judge(&signed(GOOD_HEADER, CLAIMS)).is_ok());
}

#[test]
fn hostile_headers() {
    let with_alg = |alg: &str| format!(r#"{{"alg":{alg},"typ":"invocation+jwt","kid":"k1"}}"#);
    let with_typ = |typ: &str| format!(r#"{{"alg":"EdDSA","typ":{typ},"kid":"k1"}}"#);
    let with_kid = |kid: &str| format!(r#"{{"alg":"EdDSA","typ":"invocation+jwt","kid":{kid}}}"#);
    let with_more = |more: &str| format!(r#"{{"alg":"EdDSA","typ":"invocation+jwt","kid":"k1",{more}}}"#);
    let long = format!("\"{}\"", "k".repeat(65));
    use JwsError::{Algorithm, Header, Type, UnknownKey};
    let table: Vec<(&str, String, JwsError)> = vec![
        ("alg none", with_alg(r#""none""#), Algorithm),
        ("alg None", with_alg(r#""None""#), Algorithm),
        ("alg NONE", with_alg(r#""NONE""#), Algorithm),
        ("alg nOnE", with_alg(r#""nOnE""#), Algorithm),
        ("alg empty", with_alg(r#""""#), Algorithm),
        ("alg HS256", with_alg(r#""HS256""#), Algorithm),
        ("alg HS512", with_alg(r#""HS512""#), Algorithm),
        ("alg ES256", with_alg(r#""ES256""#), Algorithm),
        ("alg RS256", with_alg(r#""RS256""#), Algorithm),
        ("alg PS256", with_alg(r#""PS256""#), Algorithm),
        ("alg Ed25519", with_alg(r#""Ed25519""#), Algorithm),
        ("alg Ed448", with_alg(r#""Ed448""#), Algorithm),
        ("alg eddsa", with_alg(r#""eddsa""#), Algorithm),
        ("alg with space", with_alg(r#""EdDSA ""#), Algorithm),
        ("alg null", with_alg("null"), Header),
        ("alg number", with_alg("1"), Header),
        ("alg list", with_alg(r#"["EdDSA"]"#), Header),
        ("alg escaped", with_alg(r#""EdDS\u0041""#), Header),
        ("typ JWT", with_typ(r#""JWT""#), Type),
        ("typ of another token", with_typ(r#""audit+jwt""#), Type),
        ("typ upper case", with_typ(r#""INVOCATION+JWT""#), Type),
        ("typ with application/", with_typ(r#""application/invocation+jwt""#), Type),
        ("typ empty", with_typ(r#""""#), Type),
        ("typ null", with_typ("null"), Header),
        ("kid unknown", with_kid(r#""k2""#), UnknownKey),
        ("kid upper case", with_kid(r#""K1""#), UnknownKey),
        ("kid empty", with_kid(r#""""#), Header),
        ("kid null", with_kid("null"), Header),
        ("kid number", with_kid("1"), Header),
        ("kid path", with_kid(r#""../../dev/null""#), Header),
        ("kid SQL", with_kid(r#""k1' OR '1'='1""#), Header),
        ("kid with NUL", with_kid(r#""k1\u0000""#), Header),
        ("kid with space", with_kid(r#""k1 ""#), Header),
        ("kid too long", with_kid(&long), Header),
        ("crit", with_more(r#""crit":["exp"]"#), Header),
        ("crit empty", with_more(r#""crit":[]"#), Header),
        ("b64 false", with_more(r#""b64":false,"crit":["b64"]"#), Header),
        ("b64 true", with_more(r#""b64":true"#), Header),
        ("jwk", with_more(r#""jwk":{"kty":"OKP","crv":"Ed25519","x":"AAAA"}"#), Header),
        ("jku", with_more(r#""jku":"https://example.com/keys""#), Header),
        ("x5u", with_more(r#""x5u":"https://example.com/cert""#), Header),
        ("x5c", with_more(r#""x5c":["AAAA"]"#), Header),
        ("x5t", with_more(r#""x5t":"AAAA""#), Header),
        ("x5t#S256", with_more(r#""x5t#S256":"AAAA""#), Header),
        ("zip", with_more(r#""zip":"DEF""#), Header),
        ("cty", with_more(r#""cty":"JWT""#), Header),
        ("enc", with_more(r#""enc":"A256GCM""#), Header),
        ("claim in the header", with_more(r#""iss":"x""#), Header),
        ("unknown member", with_more(r#""x":1"#), Header),
        ("alg twice", with_more(r#""alg":"EdDSA""#), Header),
        ("alg twice, none last", with_more(r#""alg":"none""#), Header),
        ("kid twice", with_more(r#""kid":"k2""#), Header),
        ("typ twice", with_more(r#""typ":"invocation+jwt""#), Header),
        ("no alg", r#"{"typ":"invocation+jwt","kid":"k1"}"#.to_owned(), Header),
        ("no typ", r#"{"alg":"EdDSA","kid":"k1"}"#.to_owned(), Header),
        ("no kid", r#"{"alg":"EdDSA","typ":"invocation+jwt"}"#.to_owned(), Header),
        ("upper-case names", r#"{"ALG":"EdDSA","typ":"invocation+jwt","kid":"k1"}"#.to_owned(), Header),
        ("empty object", "{}".to_owned(), Header),
        ("list", r#"["EdDSA","invocation+jwt","k1"]"#.to_owned(), Header),
        ("null", "null".to_owned(), Header),
        ("text", "\"EdDSA\"".to_owned(), Header),
        ("nothing", String::new(), Header),
        ("another order", r#"{"typ":"invocation+jwt","alg":"EdDSA","kid":"k1"}"#.to_owned(), Header),
        ("space inside", r#"{"alg": "EdDSA","typ":"invocation+jwt","kid":"k1"}"#.to_owned(), Header),
        ("space before", format!(" {GOOD_HEADER}"), Header),
        ("line end after", format!("{GOOD_HEADER}\n"), Header),
        ("NUL after", format!("{GOOD_HEADER}\0"), Header),
        ("byte order mark", format!("\u{feff}{GOOD_HEADER}"), Header),
        ("two objects", format!("{GOOD_HEADER}{GOOD_HEADER}"), Header),
        ("escaped name", r#"{"\u0061lg":"EdDSA","typ":"invocation+jwt","kid":"k1"}"#.to_owned(), Header),
        ("comment", format!("{GOOD_HEADER}//"), Header),
        ("cut", GOOD_HEADER.trim_end_matches('}').to_owned(), Header),
    ];
    assert!(table.len() >= 60);
    for (name, header, expected) in table {
        refused(name, &signed(header, CLAIMS), expected);
    }
    let not_text = b"{\"alg\":\"EdDSA\",\"typ\":\"invocation+jwt\",\"kid\":\"k\xff\"}";
    refused("not UTF-8", &signed(not_text, CLAIMS), Header);
}

#[test]
fn hostile_forms() {
    let good = signed(GOOD_HEADER, CLAIMS);
    let (header, rest) = good.split_once('.').unwrap();
    let (payload, signature) = rest.split_once('.').unwrap();
    let json = format!(r#"{{"protected":"{header}","payload":"{payload}","signature":"{signature}"}}"#);
    let table = [
        ("empty", String::new(), JwsError::Form),
        ("no dot", header.to_owned(), JwsError::Form),
        ("two segments", format!("{header}.{payload}"), JwsError::Form),
        ("four segments", format!("{good}.{signature}"), JwsError::Form),
        ("JWE, five segments", format!("{header}.AA.AA.AA.AA"), JwsError::Form),
        ("dots only", "..".to_owned(), JwsError::Signature),
        ("detached payload", format!("{header}..{signature}"), JwsError::Signature),
        ("no signature", format!("{header}.{payload}."), JwsError::Signature),
        ("no header", format!(".{payload}.{signature}"), JwsError::Header),
        ("dot before", format!(".{good}"), JwsError::Form),
        ("dot after", format!("{good}."), JwsError::Form),
        ("flattened JSON", json, JwsError::Form),
        ("general JSON", format!(r#"{{"payload":"{payload}","signatures":[]}}"#), JwsError::Form),
        ("Bearer", format!("Bearer {good}"), JwsError::Encoding),
        ("quotes", format!("\"{good}\""), JwsError::Encoding),
        ("space before", format!(" {good}"), JwsError::Encoding),
        ("space after", format!("{good} "), JwsError::Encoding),
        ("line end", format!("{good}\n"), JwsError::Encoding),
        ("line end inside", format!("{header}.{payload}\n.{signature}"), JwsError::Encoding),
        ("tab inside", format!("{header}\t.{payload}.{signature}"), JwsError::Encoding),
        ("NUL", format!("{good}\0"), JwsError::Encoding),
        ("two tokens", format!("{good},{good}"), JwsError::Form),
        ("padded signature", format!("{good}=="), JwsError::Encoding),
        ("one padding sign", format!("{good}="), JwsError::Encoding),
        ("padded header", format!("{}.{payload}.{signature}", URL_SAFE.encode(GOOD_HEADER)), JwsError::Encoding),
        ("percent-encoded", good.replace('.', "%2E"), JwsError::Form),
        ("full-width dot", good.replace('.', "\u{ff0e}"), JwsError::Form),
        ("zero-width space", format!("{header}.{payload}\u{200b}.{signature}"), JwsError::Encoding),
        ("long signature", format!("{good}AAAA"), JwsError::Signature),
        ("short signature", format!("{header}.{payload}.{}", encode([1; 63])), JwsError::Signature),
        ("too long", "A".repeat(MAX + 1), JwsError::TooLong),
    ];
    for (name, token, expected) in table {
        refused(name, &token, expected);
    }
}

#[test]
fn the_other_alphabet_and_spare_bits_are_no_second_spelling() {
    // Enough tokens that some hold the letters in which the alphabets differ.
    let mut other_alphabet = 0;
    for number in 0..40 {
        let good = signed(GOOD_HEADER, format!("{{\"n\":{number}}}"));
        let (input, signature) = good.rsplit_once('.').unwrap();
        let other = STANDARD_NO_PAD.encode(URL_SAFE_NO_PAD.decode(signature).unwrap());
        if other != signature {
            other_alphabet += 1;
            refused("standard alphabet", &format!("{input}.{other}"), JwsError::Encoding);
        }
        // 64 bytes leave four spare bits in the last letter: fifteen further spellings.
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let (start, last) = signature.split_at(signature.len() - 1);
        let place = alphabet.find(last).unwrap();
        for spare in 1..16 {
            let letter = &alphabet[place + spare..place + spare + 1];
            refused("spare bits", &format!("{input}.{start}{letter}"), JwsError::Encoding);
        }
    }
    assert!(other_alphabet > 10);
}

#[test]
fn wrong_signatures() {
    let other = SigningKey::from_bytes(&[8; 32]);
    refused("another key", &sign(TYP, KID, &other, CLAIMS), JwsError::Signature);
    let good = signed(GOOD_HEADER, CLAIMS);
    let (input, signature) = good.rsplit_once('.').unwrap();
    let bytes: [u8; 64] = URL_SAFE_NO_PAD.decode(signature).unwrap().try_into().unwrap();
    let (point, scalar) = bytes.split_at(32);
    let with = |signature: &[u8]| format!("{input}.{}", encode(signature));
    refused("zeros", &with(&[0; 64]), JwsError::Signature);
    refused("ones", &with(&[0xff; 64]), JwsError::Signature);
    refused("halves swapped", &with(&[scalar, point].concat()), JwsError::Signature);
    // S + L is the same number modulo L: a lenient verifier takes both.
    let mut carry = 0;
    let larger: Vec<u8> = scalar
        .iter()
        .zip(GROUP_ORDER)
        .map(|(left, right)| {
            let sum = u16::from(*left) + u16::from(right) + carry;
            carry = sum >> 8;
            sum.to_le_bytes()[0]
        })
        .collect();
    refused("S + L", &with(&[point, &larger].concat()), JwsError::Signature);
    refused("S = L", &with(&[point, &GROUP_ORDER].concat()), JwsError::Signature);
    let of_other_claims = signed(GOOD_HEADER, b"{}");
    let (_, foreign) = of_other_claims.rsplit_once('.').unwrap();
    refused("of other claims", &format!("{input}.{foreign}"), JwsError::Signature);
    // HMAC keyed with the public key, the classic confusion; it is 32 bytes, no signature at all.
    let mac = Sha256::new().chain_update(key().verifying_key().as_bytes()).chain_update(input).finalize();
    refused("HMAC", &with(&mac), JwsError::Signature);
}

#[test]
fn small_order_keys_and_points_fit_nothing() {
    // The eight points of small order, in the spellings that decode.
    let small_order = [
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    ];
    let bytes = |hex: &str| -> [u8; 32] {
        let digits: Vec<u8> = (0..32).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect();
        digits.try_into().unwrap()
    };
    let input = format!("{}.{}", encode(GOOD_HEADER), encode(CLAIMS));
    let mut tried = 0;
    for hex in small_order {
        let Ok(weak) = VerifyingKey::from_bytes(&bytes(hex)) else { continue };
        tried += 1;
        // With the identity as key and point and S = 0, every message "verifies" leniently.
        for point in small_order {
            let token = format!("{input}.{}", encode([bytes(point).as_slice(), &[0; 32]].concat()));
            assert_eq!(verify(&token, TYP, MAX, |_| Some(weak)), Err(JwsError::WeakKey), "{hex}");
            assert_eq!(judge(&token), Err(JwsError::Signature), "{point}");
        }
    }
    assert!(tried >= 4, "{tried}");
}

#[test]
fn nothing_is_looked_up_for_a_token_of_a_wrong_form() {
    let looked_up = |token: &str| {
        let mut called = false;
        let _ = verify(token, TYP, MAX, |_| {
            called = true;
            None
        });
        called
    };
    assert!(looked_up(&signed(GOOD_HEADER, CLAIMS)));
    assert!(!looked_up(&signed(GOOD_HEADER.replace("EdDSA", "none"), CLAIMS)));
    assert!(!looked_up(&format!("{}=", signed(GOOD_HEADER, CLAIMS))));
}
