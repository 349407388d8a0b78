//! The few words in which the two engines differ, rendered once for each statement and migration.
//!
//! Only whole words in capitals outside of quotes and comments are touched.

use crate::Engine;

/// A piece of SQL.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a str),
    /// The digits of `$1`.
    Parameter(&'a str),
    Space(&'a str),
    /// Quoted text, comments and punctuation.
    Other(&'a str),
}

/// A statement as SQLite takes it.
pub(crate) fn sqlite_statement(text: &str) -> String {
    statement(text, Engine::Sqlite)
}

/// A statement as PostgreSQL takes it.
pub(crate) fn postgres_statement(text: &str) -> String {
    statement(text, Engine::Postgres)
}

/// Renders lists (`ID_LIST($1)`) on both engines, and for SQLite also parameters (it numbers `$1`
/// by its first appearance, `?1` by its number) and the types of casts.
fn statement(text: &str, engine: Engine) -> String {
    let tokens = tokens(text);
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = tokens.as_slice();
    let mut previous_word = "";
    while let Some((&token, after)) = rest.split_first() {
        rest = after;
        match (token, after) {
            (Token::Word(word), [Token::Other("("), Token::Parameter(number), Token::Other(")"), beyond @ ..])
                if list_element(word).is_some() =>
            {
                match engine {
                    Engine::Sqlite => out.push_str(&format!("SELECT value FROM rarray(?{number})")),
                    Engine::Postgres => {
                        let element = list_element(word).unwrap_or_default();
                        out.push_str(&format!("SELECT unnest(${number}::{element}[])"));
                    }
                }
                rest = beyond;
            }
            (Token::Word(word), [Token::Other(")"), ..]) if previous_word == "AS" && engine == Engine::Sqlite => {
                out.push_str(sqlite_type(word).unwrap_or(word));
            }
            (Token::Parameter(number), _) => {
                out.push(if engine == Engine::Sqlite { '?' } else { '$' });
                out.push_str(number);
            }
            (Token::Word(text) | Token::Space(text) | Token::Other(text), _) => out.push_str(text),
        }
        if let Token::Word(word) = token {
            previous_word = word;
        }
    }
    out
}

/// A migration as its engine takes it. It is written with the types of PostgreSQL.
///
/// SQLite gets its own types and strict tables, so that it refuses what PostgreSQL refuses; a table
/// that ends in `KEY_ORDERED` is kept there in the order of its primary key, and nowhere else.
/// PostgreSQL gets the collation "C", so that it orders text like SQLite, whatever the locale of
/// its database.
pub(crate) fn schema(text: &str, engine: Engine) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut previous_word = "";
    for token in tokens(text) {
        match (token, engine) {
            (Token::Word("SERIAL_KEY"), Engine::Sqlite) => out.push_str("INTEGER PRIMARY KEY AUTOINCREMENT"),
            (Token::Word("SERIAL_KEY"), Engine::Postgres) => {
                out.push_str("BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY");
            }
            (Token::Word("KEY_ORDERED"), Engine::Sqlite) => out.push_str("STRICT, WITHOUT ROWID"),
            // Every table is a heap there.
            (Token::Word("KEY_ORDERED"), Engine::Postgres) => {}
            (Token::Word(word), Engine::Sqlite) => out.push_str(sqlite_type(word).unwrap_or(word)),
            (Token::Word("TEXT"), Engine::Postgres) if previous_word != "AS" => out.push_str("TEXT COLLATE \"C\""),
            (Token::Parameter(number), _) => {
                out.push('$');
                out.push_str(number);
            }
            (Token::Word(text) | Token::Space(text) | Token::Other(text), _) => out.push_str(text),
        }
        if let Token::Word(word) = token {
            previous_word = word;
        }
    }
    match engine {
        Engine::Sqlite => out.replace("\n);", "\n) STRICT;"),
        Engine::Postgres => out,
    }
}

/// The PostgreSQL type of the elements of a list.
fn list_element(word: &str) -> Option<&'static str> {
    match word {
        "ID_LIST" => Some("uuid"),
        "TEXT_LIST" => Some("text"),
        "INT_LIST" => Some("bigint"),
        _ => None,
    }
}

/// What SQLite calls a type of PostgreSQL.
fn sqlite_type(word: &str) -> Option<&'static str> {
    match word {
        "UUID" | "BYTEA" => Some("BLOB"),
        "BIGINT" | "BOOLEAN" => Some("INTEGER"),
        _ => None,
    }
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\'' | '"' => rest.match_indices(first).nth(1).map_or(rest.len(), |(end, _)| end + 1),
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '$' => 1 + leading(rest.get(1..).unwrap_or_default(), |c| c.is_ascii_digit()),
            c if is_word(c) => leading(rest, is_word),
            c if c.is_whitespace() => leading(rest, char::is_whitespace),
            c => c.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        tokens.push(match first {
            '$' if length > 1 => Token::Parameter(token.trim_start_matches('$')),
            c if is_word(c) => Token::Word(token),
            c if c.is_whitespace() => Token::Space(token),
            _ => Token::Other(token),
        });
        rest = after;
    }
    tokens
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The length in bytes of the characters at the start that satisfy `accepts`.
fn leading(text: &str, accepts: impl Fn(char) -> bool) -> usize {
    text.find(|c| !accepts(c)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests;
