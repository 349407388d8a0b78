use bothy_domain::time::Timestamp;
use ed25519_dalek::{Signer as _, SigningKey};

use super::{Breach, Statement, Witness, bytes};
use crate::wire::Checkpoint;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A checkpoint of this many entries, the last of them with this hash.
fn signed(key: u8, position: i64, count: i64, hash: u8) -> Checkpoint {
    let key = SigningKey::from_bytes(&[key; 32]);
    let (at, hash, kid) = (Timestamp::from_micros(position), hex(&[hash; 32]), "the key".to_owned());
    let statement =
        Statement { at: at.micros(), count, hash: &hash, kid: &kid, position, kind: "bothy.audit.checkpoint" };
    let signature = hex(&key.sign(&serde_json::to_vec(&statement).unwrap()).to_bytes());
    Checkpoint { position, hash, count, at, kid, public_key: hex(key.verifying_key().as_bytes()), signature }
}

fn at(position: i64) -> Checkpoint {
    signed(1, position, position, 7)
}

/// A witness that has seen a log of ten entries.
fn witness() -> Witness {
    let witness = Witness::default();
    witness.see(Some(&at(10))).unwrap();
    witness
}

#[test]
fn what_is_signed_has_the_canonical_form() {
    let statement =
        Statement { at: 1, count: 2, hash: "ab", kid: "k\"\n", position: 2, kind: "bothy.audit.checkpoint" };
    assert_eq!(
        serde_json::to_string(&statement).unwrap(),
        r#"{"at":1,"count":2,"hash":"ab","kid":"k\"\n","position":2,"type":"bothy.audit.checkpoint"}"#
    );
}

#[test]
fn a_log_that_grows_is_remembered() {
    let witness = Witness::default();
    assert_eq!(witness.see(None), Ok(()), "there is no checkpoint yet");
    for position in [1, 1, 10, 500] {
        assert_eq!(witness.see(Some(&at(position))), Ok(()));
        assert_eq!(witness.kept(), Some(at(position)));
    }
}

#[test]
fn a_log_that_became_shorter_is_found_and_the_longer_one_is_kept() {
    let witness = witness();
    for position in [9, 1, 0, -1] {
        assert_eq!(witness.see(Some(&at(position))), Err(Breach::Shrunk { kept: 10, shown: position }));
    }
    assert_eq!(witness.see(None), Err(Breach::Withheld { kept: 10 }));
    assert_eq!(witness.kept(), Some(at(10)));
}

#[test]
fn another_log_of_the_same_length_is_found() {
    assert_eq!(witness().see(Some(&signed(1, 10, 10, 8))), Err(Breach::Rewritten { position: 10 }));
}

#[test]
fn a_count_that_does_not_fit_is_found() {
    for count in [9, 11, 0] {
        assert_eq!(witness().see(Some(&signed(1, 10, count, 7))), Err(Breach::Count { position: 10, count }));
    }
}

#[test]
fn whatever_is_changed_after_it_was_signed_is_found() {
    let tampers: [fn(&mut Checkpoint); 9] = [
        |checkpoint| checkpoint.position += 1,
        |checkpoint| checkpoint.count += 1,
        |checkpoint| checkpoint.hash = hex(&[9; 32]),
        |checkpoint| checkpoint.at = Timestamp::from_micros(1),
        |checkpoint| checkpoint.kid.push('x'),
        |checkpoint| checkpoint.public_key = hex(SigningKey::from_bytes(&[2; 32]).verifying_key().as_bytes()),
        |checkpoint| checkpoint.public_key.clear(),
        |checkpoint| checkpoint.signature = checkpoint.signature.to_uppercase(),
        |checkpoint| checkpoint.signature.push('0'),
    ];
    for tamper in tampers {
        let mut shown = at(20);
        tamper(&mut shown);
        let position = shown.position;
        assert_eq!(witness().see(Some(&shown)), Err(Breach::Signature { position }), "{shown:?}");
    }
    // A key that every signature fits.
    let mut weak = at(20);
    weak.public_key = format!("01{}", "0".repeat(62));
    weak.signature = format!("01{}", "0".repeat(126));
    assert_eq!(witness().see(Some(&weak)), Err(Breach::Signature { position: 20 }));
}

#[test]
fn another_key_under_the_same_id_or_than_the_trusted_one_is_found() {
    let other = signed(2, 20, 20, 7);
    assert_eq!(witness().see(Some(&other)), Err(Breach::Key { position: 20 }));
    let trusting = Witness::default().trusting(at(1).public_key);
    assert_eq!(trusting.see(Some(&other)), Err(Breach::Key { position: 20 }));
    assert_eq!(trusting.see(Some(&at(20))), Ok(()));
}

#[test]
fn a_stored_checkpoint_goes_on() {
    let stored: Checkpoint = serde_json::from_value(serde_json::to_value(at(10)).unwrap()).unwrap();
    let witness = Witness::since(stored);
    assert_eq!(witness.see(Some(&at(9))), Err(Breach::Shrunk { kept: 10, shown: 9 }));
    assert_eq!(witness.clone().see(Some(&at(11))), Ok(()));
    assert_eq!(witness.kept(), Some(at(11)), "clones remember together");
}

#[test]
fn hexadecimal_digits_are_lower_case_and_complete() {
    assert_eq!(bytes("00ff1a"), Some([0, 0xff, 0x1a]));
    for text in ["", "00ff1", "00ff1A", "00ff1g", "00ff1a00", "00ff"] {
        assert_eq!(bytes::<3>(text), None, "{text}");
    }
}
