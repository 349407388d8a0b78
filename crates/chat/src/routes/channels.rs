use std::sync::Arc;

use bothy_domain::action::{Action, actions};
use bothy_domain::ids::{ChannelId, PrincipalId, SpaceId, ThreadId};
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_platform::http::{Allowed, Body, Created, Json, Query, Routes, get, patch, post, put};
use bothy_platform::paging::{Page, Paging};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PageQuery, Rename, SetOperator};
use crate::{ChannelKind, Chat, SpaceChannelKind, WithMain};

/// A channel to be made.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CreateChannel {
    /// What it is to be.
    kind: SpaceChannelKind,
    /// Its name; no two channels of a space have the same, in upper or lower case.
    name: String,
}

/// A channel.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Channel")]
pub struct ChannelView {
    /// Its id.
    channel_id: ChannelId,
    /// Its space; a direct message has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    space_id: Option<SpaceId>,
    /// What it is.
    kind: ChannelKind,
    /// Its name; a direct message has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The thread that it begins with; forums have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    main_thread_id: Option<ThreadId>,
    /// The agent that was put in charge of the channel itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    operator_agent_id: Option<PrincipalId>,
    /// The agent in charge: the channel's, else the space's.
    #[serde(skip_serializing_if = "Option::is_none")]
    effective_operator_agent_id: Option<PrincipalId>,
    /// Whether the channel or its space is archived.
    archived: bool,
    /// Since when the channel itself is archived; absent when it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    archived_at: Option<Timestamp>,
    /// When it was made.
    created_at: Timestamp,
}

impl From<WithMain> for ChannelView {
    fn from((channel, main): WithMain) -> Self {
        Self {
            channel_id: channel.id,
            space_id: channel.space,
            kind: channel.kind,
            name: channel.name,
            main_thread_id: main,
            operator_agent_id: channel.own_operator,
            effective_operator_agent_id: channel.operator,
            archived: channel.archived,
            archived_at: channel.archived_at,
            created_at: channel.created_at,
        }
    }
}

fn answer(found: WithMain) -> Json<ChannelView> {
    let version = found.0.version;
    Json::new(found.into()).with_version(version)
}

pub(super) fn add(routes: &mut Routes<Chat>) {
    routes.add(
        post("createChannel", "/spaces/{space_id}/channels", "Make a channel").creates().recheck(Action::ChannelRead),
        create_channel,
    );
    routes.add(
        get("listSpaceChannels", "/spaces/{space_id}/channels", "List the channels of a space that you can see"),
        list_space_channels,
    );
    routes.add(get("getChannel", "/channels/{channel_id}", "Read a channel"), get_channel);
    routes.add(
        patch("updateChannel", "/channels/{channel_id}", "Rename a channel")
            .describe("Send `If-Match` with the `ETag` that `getChannel` answered."),
        update_channel,
    );
    routes.add(
        post("archiveChannel", "/channels/{channel_id}/archive", "Archive a channel")
            .describe("It can still be read; nobody writes in it."),
        archive_channel,
    );
    routes.add(post("unarchiveChannel", "/channels/{channel_id}/unarchive", "Bring a channel back"), unarchive_channel);
    routes.add(
        put("setChannelOperator", "/channels/{channel_id}/operator", "Put an agent in charge of a channel"),
        set_channel_operator,
    );
}

async fn create_channel(
    allowed: Allowed<actions::ChannelCreate>,
    chat: Arc<Chat>,
    Body(input): Body<CreateChannel>,
) -> Result<Created<ChannelView>, Problem> {
    chat.create_channel(allowed, input.kind, &input.name).await.map(|found| Created(answer(found)))
}

async fn list_space_channels(
    allowed: Allowed<actions::SpaceRead>,
    chat: Arc<Chat>,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<ChannelView>>, Problem> {
    let paging = Paging::parse(query.limit, query.cursor.as_deref(), &*chat.config)?;
    let page = chat.list_space_channels(allowed, &paging).await?;
    Ok(Json::new(page.map(ChannelView::from)))
}

async fn get_channel(
    allowed: Allowed<actions::ChannelRead>,
    chat: Arc<Chat>,
    (): (),
) -> Result<Json<ChannelView>, Problem> {
    chat.get_channel(allowed).await.map(answer)
}

async fn update_channel(
    allowed: Allowed<actions::ChannelUpdate>,
    chat: Arc<Chat>,
    Body(input): Body<Rename>,
) -> Result<Json<ChannelView>, Problem> {
    chat.update_channel(allowed, input.name.as_deref()).await.map(answer)
}

async fn archive_channel(
    allowed: Allowed<actions::ChannelArchive>,
    chat: Arc<Chat>,
    (): (),
) -> Result<Json<ChannelView>, Problem> {
    chat.archive_channel(allowed, true).await.map(answer)
}

async fn unarchive_channel(
    allowed: Allowed<actions::ChannelArchive>,
    chat: Arc<Chat>,
    (): (),
) -> Result<Json<ChannelView>, Problem> {
    chat.archive_channel(allowed, false).await.map(answer)
}

async fn set_channel_operator(
    allowed: Allowed<actions::ChannelOperatorSet>,
    chat: Arc<Chat>,
    Body(input): Body<SetOperator>,
) -> Result<Json<ChannelView>, Problem> {
    chat.set_channel_operator(allowed, input.agent_id).await.map(answer)
}
