//! Hostile tokens, all made from one good token and, where it can be, with a signature of the right key
//! that fits: 300 forms and more, and 20,000 mutations. Each has the one answer: it binds nothing.

use std::collections::BTreeSet;

use ed25519_dalek::{Signer as _, SigningKey};

use super::*;

const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// A good token and what is needed to make others.
struct Good {
    key: SigningKey,
    kid: String,
    claims: Value,
    token: String,
}

impl Good {
    async fn of(world: &World) -> Self {
        let signer = world.keys.signer(KeyPurpose::Invocation).await.unwrap();
        let claims = world.claims();
        let token = world.signed(TYPE, &claims.to_string()).await;
        Self { key: SigningKey::from_bytes(&signer.key().to_bytes()), kid: signer.kid().to_owned(), claims, token }
    }

    /// A signature that fits over any header and payload.
    fn signed(&self, header: impl AsRef<[u8]>, payload: impl AsRef<[u8]>) -> String {
        let input = format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(payload));
        let signature = self.key.sign(input.as_bytes()).to_bytes();
        format!("{input}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    fn header(&self) -> String {
        format!(r#"{{"alg":"EdDSA","typ":"{TYPE}","kid":"{}"}}"#, self.kid)
    }

    fn with_payload(&self, payload: impl AsRef<[u8]>) -> String {
        self.signed(self.header(), payload)
    }

    /// Other headers over the good claims.
    fn headers(&self) -> Vec<String> {
        let good = self.header();
        let kid = &self.kid;
        let algorithms = [
            "none",
            "None",
            "NONE",
            "nOnE",
            "",
            "HS256",
            "HS384",
            "HS512",
            "RS256",
            "RS384",
            "RS512",
            "PS256",
            "PS384",
            "PS512",
            "ES256",
            "ES256K",
            "ES384",
            "ES512",
            "Ed25519",
            "Ed448",
            "EdDSA ",
            " EdDSA",
            "eddsa",
            "EDDSA",
            "EdDSA\\u0000",
            "EdDS\\u0041",
            "dir",
            "A256GCM",
            "ECDH-ES",
            "ML-DSA-44",
            "null",
            "undefined",
        ];
        let types =
            ["", "JWT", "jwt", "at+jwt", "audit-checkpoint+jwt", "INVOCATION+JWT", "application/invocation+jwt"];
        let kids = ["", "0", "../../../dev/null", "' OR '1'='1", "%00", "k\\u0000", "*", "http://example.com/key", "-"];
        let members = [
            r#""crit":[]"#,
            r#""crit":["exp"]"#,
            r#""crit":["b64"],"b64":false"#,
            r#""b64":true"#,
            r#""b64":false"#,
            r#""crit":"exp""#,
            r#""crit":null"#,
            r#""jku":"https://example.com/keys""#,
            r#""jku":"file:///etc/passwd""#,
            r#""x5u":"https://example.com/c""#,
            r#""x5c":[]"#,
            r#""x5c":["AAAA"]"#,
            r#""x5t":"AAAA""#,
            r#""x5t#S256":"AAAA""#,
            r#""jwk":null"#,
            r#""jwk":{"kty":"oct","k":"AAAA"}"#,
            r#""zip":"DEF""#,
            r#""cty":"JWT""#,
            r#""enc":"A256GCM""#,
            r#""epk":{}"#,
            r#""p2c":100000000"#,
            r#""nonce":"x""#,
            r#""alg":"EdDSA""#,
            r#""alg":"none""#,
            r#""kid":"x""#,
            r#""typ":"JWT""#,
            r#""Alg":"none""#,
            r#""iss":"x""#,
            r#""exp":1"#,
            r#""":1"#,
            r#""__proto__":{}"#,
        ];
        let scalars = ["null", "true", "0", "1e400", "[]", "{}", "\"\"", "[\"EdDSA\"]"];
        let jwk = URL_SAFE_NO_PAD.encode(SigningKey::from_bytes(&[9; 32]).verifying_key().as_bytes());
        let member = |more: &str| format!("{},{more}}}", good.trim_end_matches('}'));
        let mut headers: Vec<String> = Vec::new();
        headers.extend(algorithms.map(|alg| good.replace("\"EdDSA\"", &format!("\"{alg}\""))));
        headers.extend(types.map(|typ| good.replace(TYPE, typ)));
        headers.extend(kids.map(|other| good.replace(kid.as_str(), other)));
        headers.extend(
            [kid.to_uppercase(), format!("{kid} "), kid.repeat(9)].map(|other| good.replace(kid.as_str(), &other)),
        );
        headers.extend(members.map(member));
        headers.push(member(&format!(r#""jwk":{{"kty":"OKP","crv":"Ed25519","x":"{jwk}"}}"#)));
        headers.extend(scalars.map(|value| good.replace("\"EdDSA\"", value)));
        headers.extend(scalars.map(|value| good.replace(&format!("\"{TYPE}\""), value)));
        headers.extend(scalars.map(|value| good.replace(&format!("\"{kid}\""), value)));
        headers.extend(scalars.map(str::to_owned));
        headers.extend([
            String::new(),
            format!(" {good}"),
            format!("{good} "),
            format!("{good}\n"),
            format!("{good}\0"),
            format!("{good}{good}"),
            format!("\u{feff}{good}"),
            format!("[{good}]"),
            good.replace("\":", "\": "),
            good.replace("alg", "\\u0061lg"),
            format!(r#"["EdDSA","{TYPE}","{kid}"]"#),
            format!(r#"{{"kid":"{kid}","typ":"{TYPE}","alg":"EdDSA"}}"#),
            good.trim_end_matches('}').to_owned(),
            format!("{}{}", "[".repeat(200), "]".repeat(200)),
        ]);
        headers.retain(|header| *header != good);
        headers
    }

    /// Other claims under the good header.
    fn payloads(&self, world: &World) -> Vec<String> {
        let good = self.claims.to_string();
        let members = ["iss", "aud", "sub", "run_id", "thread_id", "trigger_kind", "iat", "exp", "jti"];
        let wrong = [
            json!(true),
            json!(-1.5),
            json!([]),
            json!({}),
            json!(""),
            json!("x"),
            json!([good]),
            json!("\u{0}"),
            json!("00000000-0000-0000-0000-00000000000g"),
            json!(1e300),
            json!(u64::MAX),
        ];
        let mut payloads = Vec::new();
        for member in members {
            for value in &wrong {
                let mut claims = self.claims.clone();
                claims[member] = value.clone();
                payloads.push(claims.to_string());
            }
            // The member twice, with the same value and with another; readers disagree which counts.
            for value in [self.claims[member].to_string(), "null".to_owned(), "0".to_owned()] {
                payloads.push(good.replacen('{', &format!("{{\"{member}\":{value},"), 1));
            }
            payloads.push(good.replace(&format!("\"{member}\""), &format!("\"{}\"", member.to_uppercase())));
            if !matches!(member, "run_id" | "thread_id") {
                let mut claims = self.claims.clone();
                claims.as_object_mut().unwrap().remove(member);
                payloads.push(claims.to_string());
                claims[member] = Value::Null;
                payloads.push(claims.to_string());
            }
        }
        let now = clock_now(&world.clock).seconds();
        for later in [31, 60, 3600, 1 << 33, i64::MAX - now] {
            let mut claims = self.claims.clone();
            claims["iat"] = json!(now + later);
            payloads.push(claims.to_string());
        }
        for number in
            ["9223372036854775808", "-9223372036854775809", "1e3", "1.0", "0x1", "01", "+1", "NaN", "Infinity"]
        {
            payloads.push(good.replace(&format!("\"iat\":{now}"), &format!("\"iat\":{number}")));
        }
        for more in ["\"nbf\":0", "\"cnf\":{}", "\"scope\":\"admin\"", "\"act\":{}", "\"\":0"] {
            payloads.push(good.replacen('{', &format!("{{{more},"), 1));
        }
        let other: InstanceId = world.ids.next();
        payloads.push(good.replace(&world.tokens.instance.to_string(), &other.to_string()));
        payloads.extend(["", "null", "true", "1", "\"x\"", "{}", "[]"].map(str::to_owned));
        payloads.extend([format!("{good}x"), format!("{good}{good}"), format!("[{good}]"), format!(" {good}")]);
        payloads.push(format!("\u{feff}{good}"));
        payloads.push(format!("{{\"x\":{}{}}}", "[".repeat(180), "]".repeat(180)));
        payloads
    }

    /// Other spellings of the good token, and other signatures.
    fn spellings(&self) -> Vec<String> {
        let good = &self.token;
        let (input, signature) = good.rsplit_once('.').unwrap();
        let (header, payload) = input.split_once('.').unwrap();
        let bytes = URL_SAFE_NO_PAD.decode(signature).unwrap();
        let (point, scalar) = bytes.split_at(32);
        let with = |signature: &[u8]| format!("{input}.{}", URL_SAFE_NO_PAD.encode(signature));
        let mut forms = vec![
            String::new(),
            ".".to_owned(),
            "..".to_owned(),
            "...".to_owned(),
            header.to_owned(),
            input.to_owned(),
            format!("{input}."),
            format!("{header}..{signature}"),
            format!(".{payload}.{signature}"),
            format!("{payload}.{header}.{signature}"),
            format!("{good}.{signature}"),
            format!("{header}.{payload}.{payload}.{signature}"),
            format!("{header}=.{payload}.{signature}"),
            format!("{header}.{payload}=.{signature}"),
            format!("{good}="),
            format!("{good}=="),
            good.replace('.', "%2E"),
            good.replace('.', "\u{ff0e}"),
            good.replace('.', ","),
            format!("\"{good}\""),
            format!("Bearer {good}"),
            format!("{good},{good}"),
            format!("{good}\u{200b}"),
            with(&[scalar, point].concat()),
            with(&[0; 64]),
            with(&[0xff; 64]),
            with(&bytes[..63]),
            with(&[bytes.as_slice(), &[0]].concat()),
            sign(TYPE, &self.kid, &SigningKey::from_bytes(&[9; 32]), self.claims.to_string().as_bytes()),
            format!("{{\"payload\":\"{payload}\",\"protected\":\"{header}\",\"signature\":\"{signature}\"}}"),
        ];
        for byte in [" ", "\t", "\n", "\r\n", "\0", "\u{a0}", "\u{feff}"] {
            forms.extend([format!("{byte}{good}"), format!("{good}{byte}"), format!("{input}.{byte}{signature}")]);
        }
        // Sixteen spellings decode to the same 64 bytes; one is canonical.
        let (start, last) = signature.split_at(signature.len() - 1);
        let place = LETTERS.find(last).unwrap() & !15;
        let spare = LETTERS[place..place + 16].chars().map(|letter| format!("{input}.{start}{letter}"));
        forms.extend(spare.filter(|form| form != good));
        forms.extend((1..good.len()).step_by(37).map(|length| good[..length].to_owned()));
        forms
    }
}

#[tokio::test]
async fn three_hundred_hostile_tokens_bind_nothing() {
    let world = World::new(&TestDb::sqlite()).await;
    let good = Good::of(&world).await;
    assert!(world.verifies(&good.with_payload(good.claims.to_string())).await, "the helper makes good tokens");
    let mut forms: BTreeSet<String> =
        good.headers().iter().map(|header| good.signed(header, good.claims.to_string())).collect();
    forms.extend(good.payloads(&world).iter().map(|payload| good.with_payload(payload)));
    forms.extend(good.spellings());
    let mut not_text = good.claims.to_string().into_bytes();
    not_text[2] = 0xff;
    forms.insert(good.with_payload(not_text));
    assert!(forms.len() >= 300, "{}", forms.len());
    let mut taken = Vec::new();
    let reader = world.reader().await;
    for form in &forms {
        if world.tokens.verify(&reader, form).await.unwrap().is_some() {
            taken.push(form);
        }
    }
    assert!(taken.is_empty(), "{taken:#?}");
    assert!(world.verifies(&good.token).await, "none of them spoiled the good one");
}

/// Numbers from a seed (SplitMix64), so that a failure comes again.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = self.0;
        number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((number ^ (number >> 31)) % u64::try_from(limit).unwrap()).unwrap()
    }

    /// Changes one to four places of a text, in bytes or in letters of the alphabet.
    fn mutate(&mut self, text: &[u8]) -> Vec<u8> {
        let mut bytes = text.to_vec();
        for _ in 0..=self.below(3) {
            let place = self.below(bytes.len().max(1));
            let letter = match self.below(4) {
                0 => u8::try_from(self.below(256)).unwrap(),
                1 => b".=+/{}\"\\,:0"[self.below(11)],
                _ => LETTERS.as_bytes()[self.below(64)],
            };
            match self.below(4) {
                0 if place < bytes.len() => drop(bytes.remove(place)),
                1 => bytes.insert(place, letter),
                2 => bytes.truncate(place.max(1)),
                _ if place < bytes.len() => bytes[place] = letter,
                _ => bytes.push(letter),
            }
        }
        bytes
    }
}

#[tokio::test]
async fn twenty_thousand_mutated_tokens_bind_nobody_else() {
    let world = World::new(&TestDb::sqlite()).await;
    let good = Good::of(&world).await;
    let reader = world.reader().await;
    let expected = world.tokens.verify(&reader, &good.token).await.unwrap().unwrap();
    let mut numbers = Numbers(0x0b07_4106);
    for round in 0..20_000 {
        let bytes = numbers.mutate(good.token.as_bytes());
        // The header's value is text by then.
        let Ok(token) = String::from_utf8(bytes) else { continue };
        let found = world.tokens.verify(&reader, &token).await.unwrap();
        assert!(found.is_none() || (token == good.token && found == Some(expected)), "{round}: {token}");
    }
    // Headers changed before they are signed: one spelling of one header is good.
    for round in 0..1_000 {
        let header = numbers.mutate(good.header().as_bytes());
        if header != good.header().as_bytes() {
            let token = good.signed(&header, good.claims.to_string());
            assert_eq!(world.tokens.verify(&reader, &token).await.unwrap(), None, "{round}: {token}");
        }
    }
}
