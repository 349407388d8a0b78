//! Running statements on a connection. All of this is synchronous: a short indexed read costs
//! less than the hop to another thread.

use std::rc::Rc;
use std::sync::Arc;

use rusqlite::{CachedStatement, Connection, types};

use super::error::{Stage, translate};
use super::names::UniqueNames;
use crate::error::{DecodeProblem, StorageError};
use crate::row::{Cell, Row};
use crate::statement::Statement;
use crate::value::Value;

/// Runs a statement to its end and collects its rows.
pub(super) fn query(
    connection: &Connection,
    names: &UniqueNames,
    statement: &'static Statement,
    params: &[Value],
) -> Result<Vec<Row>, StorageError> {
    let mut prepared = prepare(connection, names, statement, params)?;
    let columns: Arc<[Box<str>]> = prepared.column_names().map(Box::from).collect();
    let failed = |error| translate(error, Stage::Run, statement.name(), names);
    let mut found = Vec::new();
    let mut rows = prepared.raw_query();
    while let Some(row) = rows.next().map_err(failed)? {
        let cells: Box<[types::Value]> =
            (0..columns.len()).map(|at| row.get(at)).collect::<Result<_, _>>().map_err(failed)?;
        found.push(Row::sqlite(Arc::clone(&columns), cells));
    }
    Ok(found)
}

/// Runs a statement that returns no rows; says how many it changed.
pub(super) fn execute(
    connection: &Connection,
    names: &UniqueNames,
    statement: &'static Statement,
    params: &[Value],
) -> Result<u64, StorageError> {
    let changed = prepare(connection, names, statement, params)?
        .raw_execute()
        .map_err(|error| translate(error, Stage::Run, statement.name(), names))?;
    Ok(changed.try_into().unwrap_or(u64::MAX))
}

/// Checks that a statement can be prepared.
pub(super) fn check(
    connection: &Connection,
    names: &UniqueNames,
    statement: &'static Statement,
) -> Result<(), StorageError> {
    connection
        .prepare(statement.sqlite())
        .map(drop)
        .map_err(|error| translate(error, Stage::Prepare, statement.name(), names))
}

fn prepare<'a>(
    connection: &'a Connection,
    names: &UniqueNames,
    statement: &'static Statement,
    params: &[Value],
) -> Result<CachedStatement<'a>, StorageError> {
    let mut prepared = connection
        .prepare_cached(statement.sqlite())
        .map_err(|error| translate(error, Stage::Prepare, statement.name(), names))?;
    let expected = prepared.parameter_count();
    if expected != params.len() {
        let problem = format!("takes {expected} parameters, was given {}", params.len());
        return Err(StorageError::Statement { name: statement.name(), problem });
    }
    for (number, value) in (1..).zip(params) {
        if matches!(value, Value::Text(text) if text.contains('\0')) {
            let problem = "a text has a NUL character, which PostgreSQL cannot store".to_owned();
            return Err(StorageError::Statement { name: statement.name(), problem });
        }
        bind(&mut prepared, number, value).map_err(|error| translate(error, Stage::Run, statement.name(), names))?;
    }
    Ok(prepared)
}

fn bind(prepared: &mut CachedStatement<'_>, number: usize, value: &Value) -> rusqlite::Result<()> {
    match value {
        Value::Null => prepared.raw_bind_parameter(number, types::Null),
        Value::Bool(value) => prepared.raw_bind_parameter(number, value),
        Value::Int(value) => prepared.raw_bind_parameter(number, value),
        Value::Text(value) => prepared.raw_bind_parameter(number, value.as_str()),
        Value::Bytes(value) => prepared.raw_bind_parameter(number, value.as_slice()),
        Value::Uuid(value) => prepared.raw_bind_parameter(number, value.as_bytes().as_slice()),
        Value::IdList(list) => {
            prepared.raw_bind_parameter(number, array(list, |id| types::Value::Blob(id.as_bytes().to_vec())))
        }
        Value::TextList(list) => {
            prepared.raw_bind_parameter(number, array(list, |text| types::Value::Text(text.clone())))
        }
        Value::IntList(list) => prepared.raw_bind_parameter(number, array(list, |&int| types::Value::Integer(int))),
    }
}

fn array<T>(list: &[T], element: impl Fn(&T) -> types::Value) -> Rc<Vec<types::Value>> {
    Rc::new(list.iter().map(element).collect())
}

/// One stored value.
pub(crate) fn cell(value: &types::Value) -> Result<Cell<'_>, DecodeProblem> {
    match value {
        types::Value::Null => Ok(Cell::Null),
        types::Value::Integer(value) => Ok(Cell::Int(*value)),
        types::Value::Text(value) => Ok(Cell::Text(value)),
        types::Value::Blob(value) => Ok(Cell::Bytes(value)),
        types::Value::Real(_) => Err(DecodeProblem::UnsupportedType),
    }
}
