use super::Failure;
use super::output::say_json;

pub(super) async fn run() -> Result<(), Failure> {
    say_json(&crate::wiring::openapi().await?)
}
