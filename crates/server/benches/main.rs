//! The figures of the main job. Prints a table, and as its last line the same as JSON. Ratios within
//! one run mean something; absolute figures are those of the machine.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "a bench measures real time, prints what it found and ends at the first surprise"
)]

#[path = "main/context.rs"]
mod context;
#[path = "main/decision.rs"]
mod decision;
#[path = "main/gateway.rs"]
mod gateway;
#[path = "main/http.rs"]
mod http;
#[path = "main/scale.rs"]
mod scale;
#[path = "../tests/support/mod.rs"]
mod support;

use serde_json::Value;

/// Each part, by the name with which it is asked for alone: `cargo bench -p bothy --bench main -- scale`.
const PARTS: [&str; 5] = ["decision", "http", "context", "scale", "gateway"];

fn main() {
    let asked: Vec<String> = std::env::args().filter(|argument| PARTS.contains(&argument.as_str())).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut figures = serde_json::Map::new();
    for part in PARTS {
        if !asked.is_empty() && !asked.iter().any(|name| name == part) {
            continue;
        }
        let figure = match part {
            "decision" => decision::run(),
            "http" => runtime.block_on(http::run()),
            "context" => runtime.block_on(context::run()),
            "scale" => runtime.block_on(scale::run()),
            _ => runtime.block_on(gateway::run()),
        };
        figures.insert(part.to_owned(), figure);
    }
    println!("{}", Value::Object(figures));
}
