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
#[path = "../tests/support/mod.rs"]
mod support;

use serde_json::json;

fn main() {
    // `cargo bench -p bothy --bench main -- gateway` measures that alone, and so does `context`.
    let only_gateway = std::env::args().any(|argument| argument == "gateway");
    let only_context = std::env::args().any(|argument| argument == "context");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    if only_gateway {
        println!("{}", json!({ "gateway": runtime.block_on(gateway::run()) }));
        return;
    }
    if only_context {
        println!("{}", json!({ "context": runtime.block_on(context::run()) }));
        return;
    }
    let decision = decision::run();
    let http = runtime.block_on(http::run());
    let context = runtime.block_on(context::run());
    let gateway = runtime.block_on(gateway::run());
    println!("{}", json!({ "decision": decision, "http": http, "context": context, "gateway": gateway }));
}
