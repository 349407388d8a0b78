mod cache;
mod claims;
mod hostile;
mod published;

use ed25519_dalek::SigningKey;

use super::{JwsError, sign, verify};

const TYP: &str = "invocation+jwt";
const KID: &str = "k1";
const MAX: usize = 2048;

fn key() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

fn judge(token: &str) -> Result<Vec<u8>, JwsError> {
    verify(token, TYP, MAX, |kid| (kid == KID).then(|| key().verifying_key()))
}

#[test]
fn what_was_signed_is_verified() {
    let claims = br#"{"sub":"x","note":"gr\u00fc\u00dfe"}"#;
    let token = sign(TYP, KID, &key(), claims);
    assert_eq!(judge(&token).unwrap(), claims);
}

#[test]
fn a_token_has_the_form_of_a_compact_jws() {
    let token = sign(TYP, KID, &key(), b"{}");
    assert!(token.starts_with("eyJhbGciOiJFZERTQSIsInR5cCI6Imludm9jYXRpb24rand0Iiwia2lkIjoiazEifQ.e30."));
    assert_eq!(token.split('.').count(), 3);
    assert_eq!(token.rsplit('.').next().unwrap().len(), 86);
}

#[test]
fn every_single_change_of_a_character_is_refused() {
    let token = sign(TYP, KID, &key(), br#"{"sub":"someone"}"#);
    for index in 0..token.len() {
        let mut bytes = token.clone().into_bytes();
        for replacement in [b'A', b'Q', b'=', b'.', b' '] {
            if bytes[index] == replacement {
                continue;
            }
            let original = std::mem::replace(&mut bytes[index], replacement);
            let changed = String::from_utf8(bytes.clone()).unwrap();
            assert!(judge(&changed).is_err(), "{index} {replacement}");
            bytes[index] = original;
        }
    }
}

#[test]
fn every_cut_and_every_appended_character_is_refused() {
    let token = sign(TYP, KID, &key(), br#"{"sub":"someone"}"#);
    for length in 0..token.len() {
        assert!(judge(&token[..length]).is_err());
        assert!(judge(&token[length + 1..]).is_err());
    }
    for extra in ["A", "=", ".", " ", "\n", "\0"] {
        assert!(judge(&format!("{token}{extra}")).is_err());
        assert!(judge(&format!("{extra}{token}")).is_err());
    }
}
