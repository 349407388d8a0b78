use bothy_domain::ids::{RunId, ThreadId};
use bothy_domain::problem::Problem;
use bothy_platform::http::Call;
use http::Method;
use serde_json::{Map, Value};

/// Longest name that a client gives to what it says.
const MAX_REFERENCE: usize = 64;

/// What a client said, as far as it makes sense.
#[derive(Debug)]
pub(super) struct Said {
    /// What the client calls it.
    pub(super) reference: Option<String>,
    /// What it asks for.
    pub(super) asked: Result<Asked, Problem>,
}

/// What a client asks for.
#[derive(Debug)]
pub(super) enum Asked {
    /// To be seen.
    Heartbeat,
    /// An operation, which is judged like the request that it stands for.
    Call(Call),
}

/// Reads a frame; `None` when it is no JSON object with an `op`.
pub(super) fn parse(text: &str) -> Option<Said> {
    let Ok(Value::Object(mut members)) = serde_json::from_str(text) else {
        return None;
    };
    let Some(Value::String(op)) = members.remove("op") else {
        return None;
    };
    let reference = match members.remove("ref") {
        None => None,
        Some(Value::String(reference)) if reference.len() <= MAX_REFERENCE => Some(reference),
        Some(_) => {
            let problem = Problem::invalid("/ref", format!("must be a text of at most {MAX_REFERENCE} bytes"));
            return Some(Said { reference: None, asked: Err(problem) });
        }
    };
    Some(Said { reference, asked: asked(&op, members) })
}

/// The operation that an op stands for. Members that are not its own are left to the operation, which
/// refuses what it does not know.
fn asked(op: &str, mut members: Map<String, Value>) -> Result<Asked, Problem> {
    let (method, path) = match op {
        "heartbeat" if members.is_empty() => return Ok(Asked::Heartbeat),
        "read_state.set" => (Method::PUT, format!("/threads/{}/read-state", thread(&mut members)?)),
        "typing.start" => (Method::POST, format!("/threads/{}/typing", thread(&mut members)?)),
        "presence.set" => (Method::PUT, "/me/presence".to_owned()),
        "run.update" => {
            let run: RunId = id(&mut members, "run_id")?;
            (Method::PATCH, format!("/runs/{run}"))
        }
        "events.ack" => (Method::POST, "/agent/events/ack".to_owned()),
        "heartbeat" => return Err(Problem::invalid("", "a heartbeat has no other members")),
        _ => return Err(Problem::invalid("/op", "is none of the ops")),
    };
    let invocation_token = match members.remove("invocation_token") {
        None => None,
        Some(Value::String(token)) => Some(token),
        Some(_) => return Err(Problem::invalid("/invocation_token", "has the wrong type")),
    };
    let body = match members.is_empty() {
        true => Vec::new(),
        false => serde_json::to_vec(&members).map_err(Problem::internal)?,
    };
    Ok(Asked::Call(Call { method, path, body, invocation_token }))
}

fn thread(members: &mut Map<String, Value>) -> Result<ThreadId, Problem> {
    id(members, "thread_id")
}

/// Takes the member that names the target: only an id ever becomes part of a path.
fn id<I: std::str::FromStr>(members: &mut Map<String, Value>, name: &str) -> Result<I, Problem> {
    match members.remove(name) {
        None => Err(Problem::invalid("", format!("`{name}` is required"))),
        Some(value) => value.as_str().and_then(|text| text.parse().ok()).ok_or_else(|| {
            Problem::invalid(format!("/{name}"), "not an id: expected a UUID in lower case with hyphens")
        }),
    }
}

#[cfg(test)]
mod tests;
