use std::sync::Arc;

use bothy_domain::action::{Action, actions};
use bothy_domain::ids::{PrincipalId, SpaceId};
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_platform::http::{Allowed, Body, Created, Json, Query, Routes, get, patch, post, put};
use bothy_platform::paging::{Page, Paging};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PageQuery, Rename, SetOperator};
use crate::{Chat, SpaceFacts};

/// A space to be made.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CreateSpace {
    /// Its name; no two spaces have the same, in upper or lower case.
    name: String,
}

/// A space.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Space")]
pub struct SpaceView {
    /// Its id.
    space_id: SpaceId,
    /// Its name.
    name: String,
    /// The agent in charge where channel and thread name none.
    #[serde(skip_serializing_if = "Option::is_none")]
    operator_agent_id: Option<PrincipalId>,
    /// Since when it is archived; absent when it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    archived_at: Option<Timestamp>,
    /// When it was made.
    created_at: Timestamp,
}

impl From<SpaceFacts> for SpaceView {
    fn from(space: SpaceFacts) -> Self {
        Self {
            space_id: space.id,
            name: space.name,
            operator_agent_id: space.operator,
            archived_at: space.archived_at,
            created_at: space.created_at,
        }
    }
}

fn answer(space: SpaceFacts) -> Json<SpaceView> {
    let version = space.version;
    Json::new(space.into()).with_version(version)
}

pub(super) fn add(routes: &mut Routes<Chat>) {
    routes.add(post("createSpace", "/spaces", "Make a space").creates().recheck(Action::SpaceRead), create_space);
    routes.add(get("listSpaces", "/spaces", "List the spaces that you can see"), list_spaces);
    routes.add(get("getSpace", "/spaces/{space_id}", "Read a space"), get_space);
    routes.add(
        patch("updateSpace", "/spaces/{space_id}", "Rename a space")
            .describe("Send `If-Match` with the `ETag` that `getSpace` answered."),
        update_space,
    );
    routes.add(
        post("archiveSpace", "/spaces/{space_id}/archive", "Archive a space")
            .describe("Its channels can still be read; nobody writes in them."),
        archive_space,
    );
    routes.add(post("unarchiveSpace", "/spaces/{space_id}/unarchive", "Bring a space back"), unarchive_space);
    routes.add(
        put("setSpaceOperator", "/spaces/{space_id}/operator", "Put an agent in charge of a space"),
        set_space_operator,
    );
}

async fn create_space(
    allowed: Allowed<actions::SpaceCreate>,
    chat: Arc<Chat>,
    Body(input): Body<CreateSpace>,
) -> Result<Created<SpaceView>, Problem> {
    chat.create_space(allowed, &input.name).await.map(|space| Created(answer(space)))
}

async fn list_spaces(
    allowed: Allowed<actions::SpaceRead>,
    chat: Arc<Chat>,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<SpaceView>>, Problem> {
    let paging = Paging::parse(query.limit, query.cursor.as_deref(), &*chat.config)?;
    let page = chat.list_spaces(allowed, &paging).await?;
    Ok(Json::new(page.map(SpaceView::from)))
}

async fn get_space(allowed: Allowed<actions::SpaceRead>, chat: Arc<Chat>, (): ()) -> Result<Json<SpaceView>, Problem> {
    chat.get_space(allowed).await.map(answer)
}

async fn update_space(
    allowed: Allowed<actions::SpaceUpdate>,
    chat: Arc<Chat>,
    Body(input): Body<Rename>,
) -> Result<Json<SpaceView>, Problem> {
    chat.update_space(allowed, input.name.as_deref()).await.map(answer)
}

async fn archive_space(
    allowed: Allowed<actions::SpaceArchive>,
    chat: Arc<Chat>,
    (): (),
) -> Result<Json<SpaceView>, Problem> {
    chat.archive_space(allowed, true).await.map(answer)
}

async fn unarchive_space(
    allowed: Allowed<actions::SpaceArchive>,
    chat: Arc<Chat>,
    (): (),
) -> Result<Json<SpaceView>, Problem> {
    chat.archive_space(allowed, false).await.map(answer)
}

async fn set_space_operator(
    allowed: Allowed<actions::SpaceOperatorSet>,
    chat: Arc<Chat>,
    Body(input): Body<SetOperator>,
) -> Result<Json<SpaceView>, Problem> {
    chat.set_space_operator(allowed, input.agent_id).await.map(answer)
}
