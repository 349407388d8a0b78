use ed25519_dalek::SigningKey;

use super::{KID, MAX, TYP, key};
use crate::jws::{JwsError, SignatureCache, Unverified, sign};

fn judge(token: &str, signer: &SigningKey, cache: &SignatureCache) -> Result<Vec<u8>, JwsError> {
    Unverified::parse(token, TYP, MAX)?.verify_cached(&signer.verifying_key(), cache)
}

#[test]
fn a_good_signature_is_remembered_and_a_bad_one_is_not() {
    let cache = SignatureCache::new(10);
    let good = sign(TYP, KID, &key(), b"{}");
    let bad = sign(TYP, KID, &SigningKey::from_bytes(&[8; 32]), b"{}");
    assert!(cache.is_empty());
    for _ in 0..2 {
        assert_eq!(judge(&good, &key(), &cache), Ok(b"{}".to_vec()));
        assert_eq!(judge(&bad, &key(), &cache), Err(JwsError::Signature));
        assert_eq!(cache.len(), 1);
    }
}

#[test]
fn another_key_under_the_same_id_does_not_inherit_what_was_good() {
    let cache = SignatureCache::new(10);
    let token = sign(TYP, KID, &key(), b"{}");
    assert!(judge(&token, &key(), &cache).is_ok());
    assert_eq!(judge(&token, &SigningKey::from_bytes(&[8; 32]), &cache), Err(JwsError::Signature));
}

#[test]
fn another_signature_over_the_same_claims_is_not_known() {
    let cache = SignatureCache::new(10);
    let token = sign(TYP, KID, &key(), b"{}");
    assert!(judge(&token, &key(), &cache).is_ok());
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let forged = format!("{signed}.{}", "A".repeat(signature.len()));
    assert_eq!(judge(&forged, &key(), &cache), Err(JwsError::Signature));
}

#[test]
fn a_retired_key_is_forgotten_and_no_other() {
    let cache = SignatureCache::new(10);
    judge(&sign(TYP, "k1", &key(), b"{}"), &key(), &cache).unwrap();
    judge(&sign(TYP, "k2", &key(), b"{}"), &key(), &cache).unwrap();
    cache.forget("k1");
    assert_eq!(cache.len(), 1);
    cache.forget("k2");
    assert!(cache.is_empty());
}

#[test]
fn it_never_holds_more_than_it_may_and_keeps_what_is_in_use() {
    let cache = SignatureCache::new(20);
    let used = sign(TYP, KID, &key(), b"{}");
    for number in 0..100 {
        judge(&used, &key(), &cache).unwrap();
        judge(&sign(TYP, KID, &key(), format!("{{\"n\":{number}}}").as_bytes()), &key(), &cache).unwrap();
        assert!(cache.len() <= 20);
    }
    let before = cache.len();
    judge(&used, &key(), &cache).unwrap();
    assert_eq!(cache.len(), before);
}
