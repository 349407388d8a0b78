use std::sync::Arc;

use bothy_domain::action::{Action, RateClass};
use bothy_domain::problem::ProblemCode;
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::idempotency;
use super::input::Input;
use super::operation::Operation;
use super::output::Output;
use super::problem::ProblemBody;
use super::router::{BASE_PATH, RouteTable};

type SchemaOf = Arc<dyn Fn(&mut SchemaGenerator) -> Option<Schema> + Send + Sync>;

/// What the API description says of one operation.
pub(super) struct OperationDoc {
    id: &'static str,
    method: String,
    path: &'static str,
    summary: &'static str,
    description: &'static str,
    action: Option<Action>,
    rate: Option<RateClass>,
    creates: bool,
    status: u16,
    query: SchemaOf,
    body: SchemaOf,
    output: SchemaOf,
}

impl OperationDoc {
    pub(super) fn of<I: Input, O: Output>(operation: &Operation, action: Option<Action>) -> Self {
        Self {
            id: operation.id,
            method: operation.method.as_str().to_ascii_lowercase(),
            path: operation.path,
            summary: operation.summary,
            description: operation.description,
            action,
            rate: action.map(|action| operation.rate(action)),
            creates: operation.creates,
            status: O::STATUS.as_u16(),
            query: Arc::new(I::query_schema),
            body: Arc::new(I::body_schema),
            output: Arc::new(O::schema),
        }
    }

    fn render(&self, generator: &mut SchemaGenerator) -> Value {
        let mut operation = Map::new();
        operation.insert("operationId".into(), self.id.into());
        operation.insert("summary".into(), self.summary.into());
        if !self.description.is_empty() {
            operation.insert("description".into(), self.description.into());
        }
        if let Some(action) = self.action {
            let row = action.row();
            operation.insert("x-action".into(), row.id.into());
            operation.insert("x-rate-limit-class".into(), self.rate.unwrap_or(row.rate).as_str().into());
            operation.insert("x-acting-for".into(), row.binding.as_str().into());
        }
        let security = if self.action.is_some() { json!([{ "bearer": [] }, { "cookie": [] }]) } else { json!([]) };
        operation.insert("security".into(), security);
        let mut parameters = path_parameters(self.path);
        parameters.extend(query_parameters((self.query)(generator)));
        if self.creates {
            parameters.push(json!({ "$ref": "#/components/parameters/IdempotencyKey" }));
        }
        if !parameters.is_empty() {
            operation.insert("parameters".into(), parameters.into());
        }
        if let Some(schema) = (self.body)(generator) {
            operation.insert(
                "requestBody".into(),
                json!({ "required": true, "content": { "application/json": { "schema": schema } } }),
            );
        }
        let mut success = Map::new();
        success.insert("description".into(), "Success".into());
        success.insert("headers".into(), rate_limit_headers());
        if let Some(schema) = (self.output)(generator) {
            success.insert("content".into(), json!({ "application/json": { "schema": schema } }));
        }
        operation.insert(
            "responses".into(),
            json!({ self.status.to_string(): success, "default": { "$ref": "#/components/responses/Problem" } }),
        );
        operation.into()
    }
}

/// The fields that every answer has.
fn rate_limit_headers() -> Value {
    json!({
        "RateLimit": { "$ref": "#/components/headers/RateLimit" },
        "RateLimit-Policy": { "$ref": "#/components/headers/RateLimitPolicy" },
    })
}

fn path_parameters(path: &str) -> Vec<Value> {
    path.split('/')
        .filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'))
        .map(|name| {
            let schema = match name {
                "target_kind" => json!({ "type": "string", "enum": ["instance", "space", "channel"] }),
                _ if name.ends_with("_id") => json!({ "type": "string", "format": "uuid" }),
                _ => json!({ "type": "string" }),
            };
            json!({ "name": name, "in": "path", "required": true, "schema": schema })
        })
        .collect()
}

fn query_parameters(schema: Option<Schema>) -> Vec<Value> {
    let Some(schema) = schema else {
        return Vec::new();
    };
    let schema = schema.to_value();
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(name, schema)| {
            let mut schema = schema.clone();
            let description = schema.as_object_mut().and_then(|schema| schema.remove("description"));
            let mut parameter = json!({
                "name": name, "in": "query", "required": required.contains(&name.as_str()), "schema": schema,
            });
            if let (Some(description), Some(parameter)) = (description, parameter.as_object_mut()) {
                parameter.insert("description".into(), description);
            }
            parameter
        })
        .collect()
}

/// What the description says of itself.
#[derive(Debug, Clone, Copy)]
pub struct OpenApiInfo {
    /// The version of the server.
    pub version: &'static str,
    /// Text at its head, in Markdown.
    pub description: &'static str,
}

/// The OpenAPI 3.1 description of all operations, in a stable order.
pub fn openapi(table: &RouteTable, info: &OpenApiInfo) -> Value {
    let mut generator = SchemaSettings::draft2020_12()
        .with(|settings| {
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
        })
        .into_generator();
    let problem = generator.subschema_for::<ProblemBody<'_>>();
    let mut docs: Vec<&OperationDoc> = table.docs().collect();
    docs.sort_by_key(|doc| (doc.path, doc.method.clone()));
    let mut paths = Map::new();
    for doc in docs {
        let rendered = doc.render(&mut generator);
        let path = paths.entry(format!("{BASE_PATH}{}", doc.path)).or_insert_with(|| json!({}));
        if let Some(methods) = path.as_object_mut() {
            methods.insert(doc.method.clone(), rendered);
        }
    }
    let codes: Vec<Value> = ProblemCode::ALL
        .iter()
        .map(|code| json!({ "code": code.as_str(), "status": code.status(), "client_action": code.client_action() }))
        .collect();
    let mut problem_headers = rate_limit_headers();
    if let Some(headers) = problem_headers.as_object_mut() {
        headers.insert("Retry-After".into(), json!({ "$ref": "#/components/headers/RetryAfter" }));
    }
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Bothy", "version": info.version, "description": info.description, "x-problem-codes": codes },
        "paths": paths,
        "components": {
            "schemas": generator.take_definitions(true),
            "responses": {
                "Problem": {
                    "description": "A problem from the closed list",
                    "headers": problem_headers,
                    "content": { "application/problem+json": { "schema": problem } },
                },
            },
            "headers": {
                "RateLimit": {
                    "schema": { "type": "string" },
                    "description": "What is left of the budget that this request was taken from: the name of its class, `r` requests, and `t` seconds until the whole budget is there again. Requests that could not be authenticated are taken from the `rl.public_auth` budget of the address that they come from; other budgets belong to the principal, whatever credential it uses.",
                },
                "RateLimitPolicy": {
                    "schema": { "type": "string" },
                    "description": "The size of that budget: the name of its class, `q` requests, and `w` seconds in which an empty budget fills, evenly.",
                },
                "RetryAfter": {
                    "schema": { "type": "integer", "minimum": 1 },
                    "description": "Seconds to wait before the request is sent again. With `rate_limited` always.",
                },
            },
            "parameters": {
                "IdempotencyKey": {
                    "name": "Idempotency-Key",
                    "in": "header",
                    "required": false,
                    "schema": { "type": "string", "minLength": 1, "maxLength": idempotency::LONGEST_KEY, "pattern": "^[ -~]+$" },
                    "description": "A key of your choice, such as a random UUID, that makes it safe to send the request again: within `http.idempotency_ttl` the same request with the same key creates nothing new and gets the answer of the first one, after it was authenticated and authorized again. While the first one is at work, the second waits for it. The key counts for one principal, one run or none, one operation and one target. With another query or body it is answered 409 `idempotency_conflict`. Failures are not kept.",
                },
                "InvocationToken": {
                    "name": "Invocation-Token",
                    "in": "header",
                    "required": false,
                    "schema": { "type": "string" },
                    "description": "The invocation token of a run, exactly as delivered. Like `Authorization` it is an input of authentication for every operation: it binds the request to the person who triggered the run, so that every read, write, list and counter is decided on the intersection of the agent's and that person's current rights. A value that binds nothing is answered 403 `invocation_token_invalid` with reason `invalid`; the token of a run that has ended with reason `run_inactive`. An agent that may act only inside of a run (`requires_binding`) is answered 403 `invocation_token_required` without it, except where it takes its work.",
                },
            },
            "securitySchemes": {
                "bearer": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "A login session, a personal token, or the API token of an agent or app. An agent inside a run also sends `Invocation-Token` (see `components.parameters.InvocationToken`).",
                },
                "cookie": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": super::credentials::SESSION_COOKIE,
                    "description": "A login session in a browser; unsafe methods count only from the server's own pages.",
                },
            },
        },
    })
}
