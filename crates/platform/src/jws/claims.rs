use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::jws::JwsError;

/// Reads the claims of a verified token.
///
/// # Errors
/// [`JwsError::Claims`] when they are no JSON object, hold a member twice at any depth, or are not
/// what `T` expects.
pub fn claims<T: DeserializeOwned>(payload: &[u8]) -> Result<T, JwsError> {
    if payload.first() != Some(&b'{') {
        return Err(JwsError::Claims);
    }
    let mut reader = serde_json::Deserializer::from_slice(payload);
    NoDuplicates.deserialize(&mut reader).map_err(|_| JwsError::Claims)?;
    reader.end().map_err(|_| JwsError::Claims)?;
    serde_json::from_slice(payload).map_err(|_| JwsError::Claims)
}

/// Walks over JSON and fails at the first object that holds a member twice: readers disagree about
/// which of the two counts.
struct NoDuplicates;

impl<'de> DeserializeSeed<'de> for NoDuplicates {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for NoDuplicates {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON without duplicate members")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut seen = HashSet::new();
        while let Some(name) = members.next_key::<String>()? {
            if !seen.insert(name) {
                return Err(serde::de::Error::custom("duplicate member"));
            }
            members.next_value_seed(Self)?;
        }
        Ok(())
    }
}
