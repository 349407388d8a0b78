use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bothy_domain::ids::Id;
use uuid::Uuid;

/// The first byte of every cursor, so that a later form can be told apart.
const VERSION: u8 = 1;
const INT: u8 = 1;
const ID: u8 = 2;
/// Longer texts are no cursors of ours.
const MAX_TEXT: usize = 256;

/// One part of the key that a list is ordered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A number: a sequence, a position.
    Int(i64),
    /// An id.
    Id(Uuid),
}

/// The key of an item of a list. Opaque to clients, but no secret: it holds nothing but the key,
/// and what it reaches is judged anew at each request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor(Vec<Part>);

impl Cursor {
    /// A key of several parts.
    pub const fn new(parts: Vec<Part>) -> Self {
        Self(parts)
    }

    /// A key that is one number.
    pub fn int(number: i64) -> Self {
        Self(vec![Part::Int(number)])
    }

    /// A key that is one id.
    pub fn id<K>(id: Id<K>) -> Self {
        Self(vec![Part::Id(id.uuid())])
    }

    /// The parts, in order.
    pub fn parts(&self) -> &[Part] {
        &self.0
    }

    /// The text on the wire.
    pub fn encode(&self) -> String {
        let mut bytes = vec![VERSION];
        for part in &self.0 {
            match part {
                Part::Int(number) => {
                    bytes.push(INT);
                    bytes.extend_from_slice(&number.to_be_bytes());
                }
                Part::Id(id) => {
                    bytes.push(ID);
                    bytes.extend_from_slice(id.as_bytes());
                }
            }
        }
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The key in a text; `None` when the text is no cursor in its one spelling.
    pub fn decode(text: &str) -> Option<Self> {
        if text.len() > MAX_TEXT {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (&version, mut rest) = bytes.split_first()?;
        if version != VERSION {
            return None;
        }
        let mut parts = Vec::new();
        while let Some((&tag, after)) = rest.split_first() {
            let part;
            (part, rest) = match tag {
                INT => {
                    let (number, rest) = after.split_first_chunk()?;
                    (Part::Int(i64::from_be_bytes(*number)), rest)
                }
                ID => {
                    let (id, rest) = after.split_first_chunk()?;
                    (Part::Id(Uuid::from_bytes(*id)), rest)
                }
                _ => return None,
            };
            parts.push(part);
        }
        if parts.is_empty() { None } else { Some(Self(parts)) }
    }
}
