//! Values that are bound to the parameters of a statement.

use std::fmt;

use bothy_domain::ids::Id;
use bothy_domain::time::Timestamp;
use uuid::Uuid;

/// A value for a parameter. Write parameters with [`params!`](crate::params).
///
/// `Debug` shows the kind only, since values are what people wrote and must not reach a log.
#[derive(Clone, PartialEq, Eq)]
pub enum Value {
    /// No value, of any type.
    Null,
    /// A boolean.
    Bool(bool),
    /// A 64-bit integer.
    Int(i64),
    /// A text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// An id.
    Uuid(Uuid),
    /// For `ID_LIST($n)`.
    IdList(Vec<Uuid>),
    /// For `TEXT_LIST($n)`.
    TextList(Vec<String>),
    /// For `INT_LIST($n)`.
    IntList(Vec<i64>),
}

/// The parameters of a statement, in order: `params![space_id, name, true]`.
#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => { &[$($crate::Value::from($value)),*] as &[$crate::Value] };
}

impl Value {
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Int(_) => "integer",
            Self::Text(_) => "text",
            Self::Bytes(_) => "bytes",
            Self::Uuid(_) => "id",
            Self::IdList(_) => "list of ids",
            Self::TextList(_) => "list of texts",
            Self::IntList(_) => "list of integers",
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())
    }
}

macro_rules! from {
    ($($(@[$($generic:tt)*])? $type:ty, $value:ident => $made:expr;)*) => {
        $(impl $(<$($generic)*>)? From<$type> for Value {
            fn from($value: $type) -> Self {
                $made
            }
        })*
    };
}

from! {
    bool, value => Self::Bool(value);
    i64, value => Self::Int(value);
    i32, value => Self::Int(value.into());
    u32, value => Self::Int(value.into());
    u16, value => Self::Int(value.into());
    u8, value => Self::Int(value.into());
    &str, value => Self::Text(value.to_owned());
    String, value => Self::Text(value);
    &String, value => Self::Text(value.clone());
    Vec<u8>, value => Self::Bytes(value);
    &Vec<u8>, value => Self::Bytes(value.clone());
    &[u8], value => Self::Bytes(value.to_vec());
    @[const N: usize] [u8; N], value => Self::Bytes(value.to_vec());
    @[const N: usize] &[u8; N], value => Self::Bytes(value.to_vec());
    Uuid, value => Self::Uuid(value);
    @[K] Id<K>, value => Self::Uuid(value.uuid());
    @[K] &Id<K>, value => Self::Uuid(value.uuid());
    Timestamp, value => Self::Int(value.micros());
    &Timestamp, value => Self::Int(value.micros());
    @[K] Vec<Id<K>>, value => Self::IdList(value.into_iter().map(Id::uuid).collect());
    @[K] &Vec<Id<K>>, value => Self::IdList(value.iter().map(|id| id.uuid()).collect());
    @[K] &[Id<K>], value => Self::IdList(value.iter().map(|id| id.uuid()).collect());
    Vec<Uuid>, value => Self::IdList(value);
    Vec<String>, value => Self::TextList(value);
    &Vec<String>, value => Self::TextList(value.clone());
    &[String], value => Self::TextList(value.to_vec());
    Vec<&str>, value => Self::TextList(value.into_iter().map(str::to_owned).collect());
    &[&str], value => Self::TextList(value.iter().map(|&text| text.to_owned()).collect());
    Vec<i64>, value => Self::IntList(value);
    &[i64], value => Self::IntList(value.to_vec());
    @[T: Into<Value>] Option<T>, value => value.map_or(Self::Null, Into::into);
    @[T: Clone + Into<Value>] &Option<T>, value => value.clone().map_or(Self::Null, Into::into);
}

#[cfg(test)]
mod tests;
