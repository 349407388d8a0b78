//! The operations of this module and what they send and take.

use std::sync::Arc;
use std::time::Duration;

use bothy_domain::action::actions;
use bothy_domain::problem::Problem;
use bothy_platform::http::{Allowed, Body, Json, NoContent, Query, RouteTable, Routes, Upgrade, get, post, put};
use bothy_platform::paging::Paging;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::list::EventList;
use crate::presence::PresenceState;
use crate::shown::EventView;
use crate::snapshot::SnapshotView;
use crate::{Delivery, cursor};

pub(crate) fn table(delivery: &Arc<Delivery>) -> RouteTable {
    let mut routes = Routes::new(Arc::clone(delivery));
    routes.add(
        get("getSnapshot", "/snapshot", "Read the state to begin with")
            .describe("One consistent read. Go on with the events after its `cursor`."),
        get_snapshot,
    );
    routes.add(
        get("listEvents", "/events", "Read or wait for the events since a cursor")
            .describe(
                "Ids only, judged at this moment. Without a cursor from now on. `cursor_expired` says that the log \
                 begins later: take a snapshot.",
            )
            .waits(),
        list_events,
    );
    routes.add(
        get("openGateway", "/gateway", "Follow live over a WebSocket").describe(
            "For people and agents. The first frame is the `greeting`; then come `event` frames with what they are \
             about as it is at that moment, `heartbeat` frames, and a `result` or `problem` for each frame that you \
             send: `{\"op\": \"heartbeat\"}`, and for people `read_state.set`, `typing.start` and `presence.set`, for \
             agents `run.update` and `events.ack`, with the members of the operation of the same purpose, `ref` to \
             recognise the answer, and `invocation_token` in place of the header.",
        ),
        open_gateway,
    );
    routes.add(
        post("startTyping", "/threads/{thread_id}/typing", "Say that you are writing in a thread")
            .describe("Told to those who read the thread and follow live, while it is fresh."),
        start_typing,
    );
    routes.add(
        put("setPresence", "/me/presence", "Say how present you are")
            .describe("For people with an open gateway; without one it says nothing to anybody."),
        set_presence,
    );
    routes.into_table()
}

/// Which events.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListEvents {
    /// The `cursor` of a snapshot, of an event or of the answer before; from now on when absent.
    #[serde(default)]
    cursor: Option<String>,
    /// How many events at most.
    #[serde(default)]
    limit: Option<u32>,
    /// How many seconds to wait for an event when there is none; at most `events.max_wait`.
    #[serde(default)]
    wait: Option<u32>,
}

/// Events since a cursor.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Events")]
struct EventsView {
    /// The events, in order.
    items: Vec<EventView>,
    /// Where to go on.
    cursor: String,
    /// There and true when there is more already.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    more: bool,
}

/// How to follow.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OpenGateway {
    /// The `cursor` of a snapshot, of an event or of a heartbeat. Absent: people follow from now on,
    /// agents from what they acknowledged.
    #[serde(default)]
    pub(crate) cursor: Option<String>,
    /// Whether to be told who comes and goes (people only).
    #[serde(default)]
    pub(crate) presence: bool,
}

/// How present somebody is.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SetPresence {
    /// `online` or `away`.
    state: PresenceState,
}

async fn get_snapshot(
    allowed: Allowed<actions::MessageRead>,
    delivery: Arc<Delivery>,
    (): (),
) -> Result<Json<SnapshotView>, Problem> {
    delivery.get_snapshot(allowed).await.map(Json::new)
}

async fn list_events(
    allowed: Allowed<actions::MessageRead>,
    delivery: Arc<Delivery>,
    Query(query): Query<ListEvents>,
) -> Result<Json<EventsView>, Problem> {
    let limit = Paging::parse(query.limit, None, delivery.pages())?.limit;
    let wait = Duration::from_secs(query.wait.unwrap_or_default().into());
    let found = delivery.list_events(&allowed, EventList { cursor: query.cursor, limit, wait }).await?;
    Ok(Json::new(EventsView {
        items: found.events.iter().map(|told| EventView::from(&told.event)).collect(),
        cursor: cursor::text(found.cursor),
        more: found.more,
    }))
}

async fn open_gateway(
    allowed: Allowed<actions::SelfRead>,
    delivery: Arc<Delivery>,
    Query(query): Query<OpenGateway>,
) -> Result<Upgrade, Problem> {
    delivery.open_gateway(allowed, query).await
}

async fn start_typing(
    allowed: Allowed<actions::MessageCreate>,
    delivery: Arc<Delivery>,
    (): (),
) -> Result<NoContent, Problem> {
    delivery.start_typing(allowed).await.map(|()| NoContent)
}

async fn set_presence(
    allowed: Allowed<actions::SelfRead>,
    delivery: Arc<Delivery>,
    Body(input): Body<SetPresence>,
) -> Result<NoContent, Problem> {
    delivery.say_presence(allowed, input.state).await.map(|()| NoContent)
}
