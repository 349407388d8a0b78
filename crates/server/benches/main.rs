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

#[path = "main/decision.rs"]
mod decision;
#[path = "main/http.rs"]
mod http;
#[path = "../tests/support/mod.rs"]
mod support;

use serde_json::json;

fn main() {
    let decision = decision::run();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let http = runtime.block_on(http::run());
    println!("{}", json!({ "decision": decision, "http": http }));
}
