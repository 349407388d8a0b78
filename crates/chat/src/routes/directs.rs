use std::sync::Arc;

use bothy_domain::action::actions;
use bothy_domain::ids::{ChannelId, PrincipalId, ThreadId};
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_identity::PrincipalView;
use bothy_platform::http::{Allowed, Body, Json, Query, Routes, get, post};
use bothy_platform::paging::{Page, Paging};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PageQuery;
use crate::{Chat, DirectFacts};

/// Whom to speak with.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OpenDm {
    /// One to eight people or agents beside yourself. Naming yourself as well changes nothing.
    participant_ids: Vec<PrincipalId>,
}

/// A direct message.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DirectMessage")]
pub struct DirectView {
    /// Its channel.
    channel_id: ChannelId,
    /// Its one thread.
    main_thread_id: ThreadId,
    /// Who takes part, you among them.
    participants: Vec<PrincipalView>,
    /// When it was opened.
    created_at: Timestamp,
}

impl From<DirectFacts> for DirectView {
    fn from(direct: DirectFacts) -> Self {
        Self {
            channel_id: direct.id,
            main_thread_id: direct.main_thread,
            participants: direct.participants.into_iter().map(PrincipalView::from).collect(),
            created_at: direct.created_at,
        }
    }
}

pub(super) fn add(routes: &mut Routes<Chat>) {
    routes.add(
        post("openDm", "/dms", "Open a direct message, or find it")
            .describe("The same participants always have the same direct message, so this may be repeated."),
        open_dm,
    );
    routes.add(get("listMyDms", "/me/dms", "List your direct messages"), list_my_dms);
}

async fn open_dm(
    allowed: Allowed<actions::DmOpen>,
    chat: Arc<Chat>,
    Body(input): Body<OpenDm>,
) -> Result<Json<DirectView>, Problem> {
    chat.open_dm(allowed, &input.participant_ids).await.map(|direct| Json::new(direct.into()))
}

async fn list_my_dms(
    allowed: Allowed<actions::ChannelRead>,
    chat: Arc<Chat>,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<DirectView>>, Problem> {
    let paging = Paging::parse(query.limit, query.cursor.as_deref(), &*chat.config)?;
    chat.list_my_dms(allowed, &paging).await.map(|page| Json::new(page.map(DirectView::from)))
}
