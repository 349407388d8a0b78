//! A small reader of Rust: it tells words of code from literals and comments, no more.

/// What a Rust file says, without its comments.
#[derive(Default)]
pub(crate) struct Rust {
    pub(crate) words: Vec<Word>,
    pub(crate) literals: Vec<Literal>,
}

/// An identifier or keyword.
pub(crate) struct Word {
    pub(crate) line: usize,
    pub(crate) text: String,
    /// Whether `::` follows.
    pub(crate) before_path: bool,
}

/// A string literal as it is written, with its escapes.
pub(crate) struct Literal {
    pub(crate) line: usize,
    pub(crate) text: String,
}

impl Rust {
    /// Reads a file that the compiler accepts; of others it may understand less.
    pub(crate) fn read(text: &str) -> Rust {
        let mut reader = Reader { rest: text, line: 1 };
        let mut rust = Rust::default();
        while let Some(letter) = reader.rest.chars().next() {
            let line = reader.line;
            if reader.rest.starts_with("//") {
                reader.take_while(|letter| letter != '\n');
            } else if reader.rest.starts_with("/*") {
                reader.block_comment();
            } else if let Some(text) = reader.string() {
                rust.literals.push(Literal { line, text });
            } else if letter.is_alphabetic() || letter == '_' {
                let text = reader.take_while(is_word).to_owned();
                let before_path = reader.rest.trim_start().starts_with("::");
                rust.words.push(Word { line, text, before_path });
            } else if letter.is_ascii_digit() {
                reader.take_while(is_word);
            } else if letter == '\'' {
                reader.character_or_lifetime();
            } else {
                reader.take(letter.len_utf8());
            }
        }
        rust
    }
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length.min(self.rest.len()));
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let length = self.rest.find(|letter| !wanted(letter));
        self.take(length.unwrap_or(self.rest.len()))
    }

    /// Block comments hold one another.
    fn block_comment(&mut self) {
        let mut depth = 0_usize;
        while !self.rest.is_empty() {
            if self.rest.starts_with("/*") {
                depth += 1;
                self.take(2);
            } else if self.rest.starts_with("*/") {
                depth -= 1;
                self.take(2);
                if depth == 0 {
                    return;
                }
            } else {
                let length = self.rest.chars().next().map_or(0, char::len_utf8);
                self.take(length);
            }
        }
    }

    /// A plain or raw string with its prefix, if one begins here.
    fn string(&mut self) -> Option<String> {
        let after = ["br", "cr", "r", "b", "c", ""].into_iter().find_map(|prefix| {
            let after = self.rest.strip_prefix(prefix)?;
            let raw = prefix.ends_with('r');
            let marks = after.len() - after.trim_start_matches('#').len();
            let opens = after[marks..].starts_with('"') && (raw || marks == 0);
            opens.then_some((prefix.len(), raw, marks))
        });
        let (prefix, raw, marks) = after?;
        self.take(prefix + marks + 1);
        let end = if raw { self.rest.find(&format!("\"{}", "#".repeat(marks))) } else { closing_quote(self.rest) };
        let text = self.take(end.unwrap_or(self.rest.len())).to_owned();
        self.take(1 + marks);
        Some(text)
    }

    fn character_or_lifetime(&mut self) {
        self.take(1);
        let mut letters = self.rest.chars();
        match (letters.next(), letters.next()) {
            (Some('\\'), Some(escaped)) => {
                self.take(1 + escaped.len_utf8());
                self.take_while(|letter| letter != '\'');
                self.take(1);
            }
            (Some(letter), Some('\'')) => {
                self.take(letter.len_utf8() + 1);
            }
            _ => {
                self.take_while(is_word);
            }
        }
    }
}

fn closing_quote(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, letter)| {
        let closes = letter == '"' && !escaped;
        escaped = letter == '\\' && !escaped;
        closes.then_some(at)
    })
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

#[test]
fn code_literals_and_comments_are_told_apart() {
    let rust = Rust::read(
        r##"
// use hidden::comment; "no literal"
/* outer /* inner */ still */ use bothy_domain::ids;
fn a<'long>(x: &'long str) -> char { '"' }
const B: &str = "one \" two";
const C: &[u8] = br#"raw "quoted" text"#;
const D: char = '\''; const E: &str = "";
let r#type = 1u8; bothy :: run();
"##,
    );
    let words: Vec<&str> = rust.words.iter().map(|word| word.text.as_str()).collect();
    assert!(words.contains(&"bothy_domain"), "{words:?}");
    assert!(!words.contains(&"hidden") && !words.contains(&"inner"), "{words:?}");
    assert!(!words.contains(&"still") && !words.contains(&"u8x"), "{words:?}");
    let literals: Vec<(usize, &str)> =
        rust.literals.iter().map(|literal| (literal.line, literal.text.as_str())).collect();
    assert_eq!(literals, [(5, "one \\\" two"), (6, "raw \"quoted\" text"), (7, ""),]);
    let paths: Vec<&str> = rust.words.iter().filter(|word| word.before_path).map(|word| word.text.as_str()).collect();
    assert_eq!(paths, ["bothy_domain", "bothy"]);
}
