use std::sync::Arc;

use bothy_domain::action::actions;
use bothy_domain::problem::Problem;
use bothy_platform::http::{Allowed, Json, NoContent, Query, Routes, delete, get, put};
use bothy_platform::paging::{Page, Paging};
use schemars::JsonSchema;
use serde::Serialize;

use super::List;
use crate::reactions::ReactorView;
use crate::{Messaging, ReactionCount};

const REACTION: &str = "/messages/{message_id}/reactions/{emoji}";

/// How a message was reacted to.
#[derive(Debug, Serialize, JsonSchema)]
struct Reactions {
    /// The emoji that was used first comes first.
    reactions: Vec<ReactionCount>,
}

pub(super) fn add(routes: &mut Routes<Messaging>) {
    routes.add(
        put("addReaction", REACTION, "React to a message")
            .describe("With one emoji, percent-encoded in the path. Each of yours counts once for each emoji."),
        add_reaction,
    );
    routes.add(delete("removeReaction", REACTION, "Take a reaction of one's own away"), remove_reaction);
    routes
        .add(get("listReactions", "/messages/{message_id}/reactions", "List who reacted to a message"), list_reactions);
}

async fn add_reaction(
    allowed: Allowed<actions::ReactionAdd>,
    messaging: Arc<Messaging>,
    (): (),
) -> Result<Json<Reactions>, Problem> {
    messaging.add_reaction(allowed).await.map(|reactions| Json::new(Reactions { reactions }))
}

async fn remove_reaction(
    allowed: Allowed<actions::ReactionRemove>,
    messaging: Arc<Messaging>,
    (): (),
) -> Result<NoContent, Problem> {
    messaging.remove_reaction(allowed).await.map(|()| NoContent)
}

async fn list_reactions(
    allowed: Allowed<actions::MessageRead>,
    messaging: Arc<Messaging>,
    Query(query): Query<List>,
) -> Result<Json<Page<ReactorView>>, Problem> {
    let paging = Paging::parse(query.limit, query.cursor.as_deref(), &*messaging.config)?;
    messaging.list_reactions(allowed, &paging).await.map(Json::new)
}
