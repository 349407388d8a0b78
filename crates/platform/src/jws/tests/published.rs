//! The published edge vectors of "Taming the many EdDSAs" (IACR 2020/1244; case C52): libraries disagree about
//! them. Whoever changes the library or the call sees here what the new one lets pass.

use ed25519_dalek::{Signature, VerifyingKey};

use super::super::check_signature;

const SMALL: &str = "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa";
const MIXED: &str = "f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43";
const MIXED_2: &str = "cdb267ce40c5cd45306fa5d2f29731459387dbf9eb933b7bd5aed9a765b88d4d";
const PRIME: &str = "442aad9f089ad9e14647b1ef9099a1ff4798d78589e66f28eca69c11f582a623";
const NOT_CANONICAL: &str = "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f";

/// What it is, the message, the key, both halves of the signature, whether we take it.
const VECTORS: [(&str, &str, &str, &str, &str, bool); 10] = [
    (
        "small key, small point, S = 0",
        "8c93255d71dcab10e8f379c26200f3c7bd5f09d9bc3068d3ef4edeb4853022b6",
        SMALL,
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "0000000000000000000000000000000000000000000000000000000000000000",
        false,
    ),
    (
        "small key",
        "9bd9f44f4dcc75bd531b56b2cd280b0bb38fc1cd6d1230e14861d861de092e79",
        SMALL,
        MIXED,
        "a5bb704786be79fc476f91d3f3f89b03984d8068dcf1bb7dfc6637b45450ac04",
        false,
    ),
    (
        "small point",
        "aebf3f2601a0c8c5d39cc7d8911642f740b78168218da8471772b35f9d35b9ab",
        MIXED,
        SMALL,
        "8c4bd45aecaca5b24fb97bc10ac27ac8751a7dfe1baff8b953ec9f5833ca260e",
        false,
    ),
    // Both equations hold and every encoding is canonical. Only who makes the key can make it of mixed
    // order, and keys are our own.
    (
        "mixed key and point",
        "9bd9f44f4dcc75bd531b56b2cd280b0bb38fc1cd6d1230e14861d861de092e79",
        MIXED_2,
        "9046a64750444938de19f227bb80485e92b83fdb4b6506c160484c016cc1852f",
        "87909e14428a7a1d62e9f22f3d3ad7802db02eb2e688b6c52fcd6648a98bd009",
        true,
    ),
    (
        "holds with the cofactor only",
        "e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec4011eaccd55b53f56c",
        MIXED_2,
        "160a1cb0dc9c0258cd0a7d23e94d8fa878bcb1925f2c64246b2dee1796bed512",
        "5ec6bc982a269b723e0668e540911a9a6a58921d6925e434ab10aa7940551a09",
        false,
    ),
    (
        "holds with the cofactor only, not reduced first",
        "e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec4011eaccd55b53f56c",
        MIXED_2,
        "21122a84e0b5fca4052f5b1235c80a537878b38f3142356b2c2384ebad4668b7",
        "e40bc836dac0f71076f9abe3a53f9c03c1ceeeddb658d0030494ace586687405",
        false,
    ),
    (
        "S not below L",
        "85e241a07d148b41e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec40",
        PRIME,
        "e96f66be976d82e60150baecff9906684aebb1ef181f67a7189ac78ea23b6c0e",
        "547f7690a0e2ddcd04d87dbc3490dc19b3b3052f7ff0538cb68afb369ba3a514",
        false,
    ),
    (
        "S far above L",
        "85e241a07d148b41e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec40",
        PRIME,
        "8ce5b96c8f26d0ab6c47958c9e68b937104cd36e13c33566acd2fe8d38aa1942",
        "7e71f98a473474f2f13f06f97c20d58cc3f54b8bd0d272f42b695dd7e89a8c22",
        false,
    ),
    (
        "point not canonical",
        "fdaebc429f4a735932a160da1301080c13280eea8bc280d1b392c6b9e6ba3a5a",
        MIXED,
        NOT_CANONICAL,
        "454d370c8d9fc323a41450f8d513eafeb5b0697390c1e505a0d4ddc71f566607",
        false,
    ),
    (
        "point not canonical, hashed as canonical",
        "84b698d39be126ff55fe45079e6c8bf64a0d7db6994560b4e96b7021eb39c1a1",
        MIXED,
        NOT_CANONICAL,
        "084d5b99c2a9463d9c8bd5026916996984eeec87ddf1d3be329006ace1b37b09",
        false,
    ),
];

fn bytes(hex: &str) -> [u8; 32] {
    let digits: Vec<u8> = (0..32).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect();
    digits.try_into().unwrap()
}

#[test]
fn the_published_edge_vectors_of_ed25519() {
    for (name, message, key, point, scalar, taken) in VECTORS {
        let key = VerifyingKey::from_bytes(&bytes(key)).unwrap();
        let signature = Signature::from_components(bytes(point), bytes(scalar));
        assert_eq!(check_signature(&key, &bytes(message), &signature).is_ok(), taken, "{name}");
    }
}
