//! Values in the binary form of PostgreSQL.

use std::error::Error;

use bytes::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type};

use crate::value::Value;

/// A value whose kind does not fit the parameter.
#[derive(Debug, thiserror::Error)]
#[error("{kind} given for a parameter of type {wanted}")]
struct WrongParameter {
    kind: &'static str,
    wanted: String,
}

type Encoded = Result<IsNull, Box<dyn Error + Sync + Send>>;

impl ToSql for Value {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Encoded {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(value) => integer(*value, ty, out),
            Self::Bool(value) => checked(value, self, ty, out),
            Self::Text(value) => checked(value, self, ty, out),
            Self::Bytes(value) => checked(value, self, ty, out),
            Self::Uuid(value) => checked(value, self, ty, out),
            Self::IdList(list) => checked(list, self, ty, out),
            Self::TextList(list) => checked(list, self, ty, out),
            Self::IntList(list) => checked(list, self, ty, out),
        }
    }

    /// The statement says the type; whether the value fits is found out while it is encoded, so
    /// that the error can name both.
    fn accepts(_: &Type) -> bool {
        true
    }

    fn to_sql_checked(&self, ty: &Type, out: &mut BytesMut) -> Encoded {
        self.to_sql(ty, out)
    }
}

fn checked<T: ToSql>(inner: &T, value: &Value, ty: &Type, out: &mut BytesMut) -> Encoded {
    if !T::accepts(ty) {
        return Err(wrong(value, ty));
    }
    inner.to_sql(ty, out)
}

fn integer(value: i64, ty: &Type, out: &mut BytesMut) -> Encoded {
    match *ty {
        Type::INT8 => value.to_sql(ty, out),
        Type::INT4 => i32::try_from(value)?.to_sql(ty, out),
        Type::INT2 => i16::try_from(value)?.to_sql(ty, out),
        _ => Err(wrong(&Value::Int(value), ty)),
    }
}

fn wrong(value: &Value, ty: &Type) -> Box<dyn Error + Sync + Send> {
    Box::new(WrongParameter { kind: value.kind(), wanted: ty.name().to_owned() })
}
