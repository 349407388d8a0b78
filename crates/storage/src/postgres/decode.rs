//! Values out of the binary form of PostgreSQL.

use std::error::Error;

use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, Type};
use uuid::Uuid;

use crate::error::DecodeProblem;
use crate::row::Cell;

/// The column of a row.
pub(crate) fn cell(row: &Row, at: usize) -> Result<Cell<'_>, DecodeProblem> {
    row.try_get::<_, Column<'_>>(at).map(|column| column.0).map_err(|_| DecodeProblem::UnsupportedType)
}

/// Whether values of a type can be read.
pub(super) fn supports(ty: &Type) -> bool {
    <Column<'_> as FromSql<'_>>::accepts(ty)
}

struct Column<'a>(Cell<'a>);

impl<'a> FromSql<'a> for Column<'a> {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(match *ty {
            Type::BOOL => Cell::Bool(bool::from_sql(ty, raw)?),
            Type::INT8 => Cell::Int(i64::from_sql(ty, raw)?),
            Type::INT4 => Cell::Int(i32::from_sql(ty, raw)?.into()),
            Type::INT2 => Cell::Int(i16::from_sql(ty, raw)?.into()),
            Type::BYTEA => Cell::Bytes(raw),
            Type::UUID => Cell::Uuid(Uuid::from_sql(ty, raw)?),
            _ => Cell::Text(<&str>::from_sql(ty, raw)?),
        }))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(Cell::Null))
    }

    fn accepts(ty: &Type) -> bool {
        matches!(*ty, Type::BOOL | Type::INT8 | Type::INT4 | Type::INT2 | Type::BYTEA | Type::UUID)
            || <&str as FromSql<'_>>::accepts(ty)
    }
}
