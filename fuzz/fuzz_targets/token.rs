//! Invocation tokens: nothing that was not signed with the key passes, whatever it looks like.

#![no_main]

use bothy_platform::jws::{Unverified, sign};
use ed25519_dalek::SigningKey;
use libfuzzer_sys::fuzz_target;

const TYPE: &str = "invocation+jwt";
const LONGEST: usize = 1024;

fuzz_target!(|input: (&str, u16, u8)| {
    let (text, place, change) = input;
    let key = SigningKey::from_bytes(&[7; 32]);
    if let Ok(token) = Unverified::parse(text, TYPE, LONGEST) {
        assert!(token.verify(&key.verifying_key()).is_err(), "{text:?} passes");
    }
    // A good one, changed in one place.
    let good = sign(TYPE, "kid", &key, br#"{"iat":1}"#);
    let mut bytes = good.clone().into_bytes();
    let place = usize::from(place) % bytes.len();
    bytes[place] ^= change;
    let Ok(changed) = String::from_utf8(bytes) else { return };
    let passes = Unverified::parse(&changed, TYPE, LONGEST)
        .is_ok_and(|token| token.verify(&key.verifying_key()).is_ok());
    assert_eq!(passes, changed == good, "{changed}");
});
