use bothy_sdk::{Client, Retry};
use serde_json::json;

use super::Failure;
use super::arguments::Healthcheck;
use super::output::{say, say_json};

/// Asks once: whoever watches the server repeats the question by itself.
pub(super) async fn run(arguments: Healthcheck) -> Result<(), Failure> {
    let once = Retry { attempts: 1, ..Retry::default() };
    Client::anonymous(&arguments.server)?.with_retry(once).ready().await?;
    if arguments.json { say_json(&json!({ "ready": true })) } else { say("ready") }
}
