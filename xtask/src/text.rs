//! Rules for the words in the repository: plain dashes, and decisions that give a date and a
//! reason.

#[cfg(test)]
mod tests;

use std::fs;
use std::io::ErrorKind;

use crate::error::TaskError;
use crate::process;

const DECISIONS: &str = "docs/decisions.md";

/// Checks every text file that git tracks or would add, and the table of decisions.
///
/// Errors: `Findings` with each place that breaks a rule; `Failed` when git cannot list the files.
pub(crate) fn check() -> Result<(), TaskError> {
    let mut findings = Vec::new();
    for name in files()? {
        let path = process::root().join(&name);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            // Deleted but not yet committed, or a link to a folder.
            Err(cause) if matches!(cause.kind(), ErrorKind::NotFound | ErrorKind::IsADirectory) => {
                continue;
            }
            Err(cause) => return Err(TaskError::File { path, cause }),
        };
        if let Some(text) = as_text(&bytes) {
            findings.extend(dashes(&name, text));
        }
    }
    match fs::read_to_string(process::root().join(DECISIONS)) {
        Ok(text) => findings.extend(decisions(&text)),
        Err(cause) => findings.push(format!("{DECISIONS}: {cause}")),
    }
    if findings.is_empty() { Ok(()) } else { Err(TaskError::Findings(findings)) }
}

fn files() -> Result<Vec<String>, TaskError> {
    let list = process::capture("git", &["ls-files", "-z", "--cached", "--others", "--exclude-standard"])?;
    Ok(list.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

/// Pictures and fonts are not text: they hold a zero byte or are not UTF-8.
fn as_text(bytes: &[u8]) -> Option<&str> {
    if bytes.contains(&0) {
        return None;
    }
    std::str::from_utf8(bytes).ok()
}

fn dashes(name: &str, text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for (dash, called) in [('\u{2013}', "an en dash"), ('\u{2014}', "an em dash")] {
            if line.contains(dash) {
                findings.push(format!("{name}:{}: {called}", index + 1));
            }
        }
    }
    findings
}

/// Where a reader of `docs/decisions.md` stands.
enum Place {
    Prose,
    /// In a table that says in this order what it holds.
    Table(Columns),
    /// In a table that lacks a column, which was already reported.
    UnknownTable,
}

/// The positions of the cells that each row must fill.
struct Columns {
    date: usize,
    decision: usize,
    reason: usize,
}

fn decisions(text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    let mut rows = 0_usize;
    let mut place = Place::Prose;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let Some(cells) = cells(line) else {
            place = Place::Prose;
            continue;
        };
        match &place {
            Place::Prose => {
                place = match columns(&cells) {
                    Some(columns) => Place::Table(columns),
                    None => {
                        findings.push(format!(
                            "{DECISIONS}:{number}: a table without the columns date, decision and \
                             reason"
                        ));
                        Place::UnknownTable
                    }
                };
            }
            Place::Table(columns) if !is_rule(&cells) => {
                rows += 1;
                for problem in row(columns, &cells) {
                    findings.push(format!("{DECISIONS}:{number}: {problem}"));
                }
            }
            Place::Table(_) | Place::UnknownTable => {}
        }
    }
    if rows == 0 {
        findings.push(format!("{DECISIONS}: holds no decision"));
    }
    findings
}

/// The cells of a line of a Markdown table; `None` for other lines.
fn cells(line: &str) -> Option<Vec<String>> {
    let inner = line.trim().strip_prefix('|')?;
    let mut cells = vec![String::new()];
    let mut escaped = false;
    for letter in inner.chars() {
        if letter == '|' && !escaped {
            cells.push(String::new());
        } else if let Some(cell) = cells.last_mut() {
            cell.push(letter);
        }
        escaped = letter == '\\' && !escaped;
    }
    if cells.last().is_some_and(|cell| cell.trim().is_empty()) {
        cells.pop();
    }
    Some(cells.iter().map(|cell| cell.trim().to_owned()).collect())
}

/// The line of dashes between the head of a table and its rows.
fn is_rule(cells: &[String]) -> bool {
    cells.iter().all(|cell| cell.contains('-') && cell.chars().all(|letter| matches!(letter, '-' | ':')))
}

fn columns(head: &[String]) -> Option<Columns> {
    let position = |name: &str| head.iter().position(|cell| cell.eq_ignore_ascii_case(name));
    Some(Columns { date: position("date")?, decision: position("decision")?, reason: position("reason")? })
}

fn row(columns: &Columns, cells: &[String]) -> Vec<&'static str> {
    let cell = |position: usize| cells.get(position).map_or("", String::as_str);
    let mut problems = Vec::new();
    if !is_date(cell(columns.date)) {
        problems.push("the date is not written as year-month-day");
    }
    if cell(columns.decision).is_empty() {
        problems.push("the decision is empty");
    }
    if cell(columns.reason).is_empty() {
        problems.push("the reason is empty");
    }
    problems
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let number = |part: &str, length: usize| {
        (part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit()))
            .then(|| part.parse::<u32>().ok())
            .flatten()
    };
    match parts.as_slice() {
        [year, month, day] => {
            number(year, 4).is_some()
                && number(month, 2).is_some_and(|month| (1..=12).contains(&month))
                && number(day, 2).is_some_and(|day| (1..=31).contains(&day))
        }
        _ => false,
    }
}
