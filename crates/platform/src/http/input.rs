use axum::http::HeaderMap;
use bothy_domain::problem::{Problem, ProblemCode};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;

use super::body::is_json;

/// What an operation takes beside its path. Parsed after the decision, so that nothing about a
/// request is judged before the visibility of its target (chapter 04 section 3).
pub trait Input: Sized + Send + 'static {
    /// Reads the query and the body; unknown members are errors.
    ///
    /// # Errors
    /// `validation_failed` with a pointer, or `unsupported_media_type`.
    fn parse(query: &str, headers: &HeaderMap, body: &[u8]) -> Result<Self, Problem>;

    /// The schema of the query, if it has one.
    fn query_schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }

    /// The schema of the body, if it has one.
    fn body_schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }
}

/// Members of the query string.
#[derive(Debug, Clone)]
pub struct Query<T>(pub T);

/// A JSON body.
#[derive(Debug, Clone)]
pub struct Body<T>(pub T);

impl Input for () {
    fn parse(query: &str, _: &HeaderMap, body: &[u8]) -> Result<Self, Problem> {
        no_query(query)?;
        no_body(body)
    }
}

impl<T: DeserializeOwned + JsonSchema + Send + 'static> Input for Query<T> {
    fn parse(query: &str, _: &HeaderMap, body: &[u8]) -> Result<Self, Problem> {
        no_body(body)?;
        parse_query(query).map(Self)
    }

    fn query_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(T::json_schema(generator))
    }
}

impl<T: DeserializeOwned + JsonSchema + Send + 'static> Input for Body<T> {
    fn parse(query: &str, headers: &HeaderMap, body: &[u8]) -> Result<Self, Problem> {
        no_query(query)?;
        parse_body(headers, body).map(Self)
    }

    fn body_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<T>())
    }
}

impl<Q, B> Input for (Query<Q>, Body<B>)
where
    Q: DeserializeOwned + JsonSchema + Send + 'static,
    B: DeserializeOwned + JsonSchema + Send + 'static,
{
    fn parse(query: &str, headers: &HeaderMap, body: &[u8]) -> Result<Self, Problem> {
        Ok((Query(parse_query(query)?), Body(parse_body(headers, body)?)))
    }

    fn query_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Query::<Q>::query_schema(generator)
    }

    fn body_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Body::<B>::body_schema(generator)
    }
}

fn no_query(query: &str) -> Result<(), Problem> {
    if query.is_empty() { Ok(()) } else { Err(Problem::invalid("/query", "this operation takes no query")) }
}

fn no_body(body: &[u8]) -> Result<(), Problem> {
    if body.is_empty() { Ok(()) } else { Err(Problem::invalid("", "this operation takes no body")) }
}

fn parse_query<T: DeserializeOwned>(query: &str) -> Result<T, Problem> {
    let deserializer = serde_urlencoded::Deserializer::new(form_urlencoded::parse(query.as_bytes()));
    serde_path_to_error::deserialize(deserializer).map_err(|error| {
        let pointer = pointer("/query", error.path());
        Problem::invalid(pointer, public_message(&error.into_inner().to_string()))
    })
}

fn parse_body<T: DeserializeOwned>(headers: &HeaderMap, body: &[u8]) -> Result<T, Problem> {
    if !is_json(headers) {
        return Err(Problem::new(ProblemCode::UnsupportedMediaType));
    }
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let pointer = pointer("", error.path());
        let error = error.into_inner();
        let message = match error.classify() {
            serde_json::error::Category::Data => public_message(&error.to_string()),
            _ => format!("not valid JSON at line {} column {}", error.line(), error.column()),
        };
        Problem::invalid(pointer, message)
    })?;
    deserializer.end().map_err(|_| Problem::invalid("", "more than one JSON value"))?;
    Ok(value)
}

fn pointer(root: &str, path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    let mut pointer = root.to_owned();
    for segment in path.iter() {
        match segment {
            Segment::Seq { index } => pointer.push_str(&format!("/{index}")),
            // Unknown member names are the sender's text: they never come back in an answer.
            Segment::Map { key } if is_our_name(key) => pointer.push_str(&format!("/{key}")),
            _ => {}
        }
    }
    pointer
}

fn is_our_name(key: &str) -> bool {
    key.len() <= 40 && key.bytes().all(|b| b.is_ascii_lowercase() || b == b'_' || b.is_ascii_digit())
}

/// What went wrong, without any value of the request: the libraries quote values in backticks and
/// double quotes, and only names that the schema knows may stay.
fn public_message(message: &str) -> String {
    const FIXED: [(&str, &str); 7] = [
        ("unknown field", "unknown member"),
        ("missing field", "a required member is missing"),
        ("duplicate field", "a member is there twice"),
        ("invalid type", "has the wrong type"),
        ("unknown variant", "is none of the allowed values"),
        ("invalid value", "has a value that is not allowed"),
        ("invalid length", "has the wrong number of elements"),
    ];
    if let Some((found, text)) = FIXED.iter().find(|(found, _)| message.starts_with(found)) {
        // `missing field` quotes a name of the schema, never the sender's text.
        if *found == "missing field" {
            let name = message.split('`').nth(1).filter(|name| is_our_name(name));
            return name.map_or_else(|| (*text).to_owned(), |name| format!("`{name}` is required"));
        }
        return (*text).to_owned();
    }
    // Messages of our own types are fixed texts; serde_json appends the place.
    let message = message.split(" at line ").next().unwrap_or_default();
    if message.len() <= 200 && !message.contains(['`', '"']) { message.to_owned() } else { "is not valid".to_owned() }
}
