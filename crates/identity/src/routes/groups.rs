use std::sync::Arc;

use bothy_domain::action::{Action, actions};
use bothy_domain::problem::Problem;
use bothy_platform::http::{Allowed, Body, Created, Json, NoContent, Query, Routes, delete, get, patch, post, put};
use bothy_platform::paging::Page;

use super::List;
use crate::{CreateGroup, GroupView, Identity, PrincipalView, UpdateGroup};

pub(super) fn add(routes: &mut Routes<Identity>) {
    routes.add(get("listGroups", "/groups", "List groups"), list_groups);
    routes.add(post("createGroup", "/groups", "Make a group").creates().recheck(Action::GroupRead), create_group);
    routes.add(get("getGroup", "/groups/{group_id}", "Read a group"), get_group);
    routes.add(
        patch("updateGroup", "/groups/{group_id}", "Rename a group")
            .describe("Needs `If-Match` with the `ETag` of the group."),
        update_group,
    );
    routes.add(
        delete("deleteGroup", "/groups/{group_id}", "Delete a group")
            .describe("Takes its grants back for good; another group of the same name gets nothing of them."),
        delete_group,
    );
    routes
        .add(get("listGroupMembers", "/groups/{group_id}/members", "List the members of a group"), list_group_members);
    routes.add(
        put("addGroupMember", "/groups/{group_id}/members/{principal_id}", "Take a person into a group"),
        add_group_member,
    );
    routes.add(
        delete("removeGroupMember", "/groups/{group_id}/members/{principal_id}", "Take a person out of a group"),
        remove_group_member,
    );
}

async fn list_groups(
    allowed: Allowed<actions::GroupRead>,
    identity: Arc<Identity>,
    Query(query): Query<List>,
) -> Result<Json<Page<GroupView>>, Problem> {
    identity.list_groups(allowed, query.limit, query.cursor.as_deref()).await.map(Json::new)
}

async fn create_group(
    allowed: Allowed<actions::GroupManage>,
    identity: Arc<Identity>,
    Body(input): Body<CreateGroup>,
) -> Result<Created<GroupView>, Problem> {
    let group = identity.create_group(allowed, input).await?;
    Ok(Created(Json::new(group.view).with_version(group.version)))
}

async fn get_group(
    allowed: Allowed<actions::GroupRead>,
    identity: Arc<Identity>,
    (): (),
) -> Result<Json<GroupView>, Problem> {
    let group = identity.get_group(allowed).await?;
    Ok(Json::new(group.view).with_version(group.version))
}

async fn update_group(
    allowed: Allowed<actions::GroupManage>,
    identity: Arc<Identity>,
    Body(input): Body<UpdateGroup>,
) -> Result<Json<GroupView>, Problem> {
    let group = identity.update_group(allowed, input).await?;
    Ok(Json::new(group.view).with_version(group.version))
}

async fn delete_group(
    allowed: Allowed<actions::GroupManage>,
    identity: Arc<Identity>,
    (): (),
) -> Result<NoContent, Problem> {
    identity.delete_group(allowed).await.map(|()| NoContent)
}

async fn list_group_members(
    allowed: Allowed<actions::GroupRead>,
    identity: Arc<Identity>,
    Query(query): Query<List>,
) -> Result<Json<Page<PrincipalView>>, Problem> {
    identity.list_group_members(allowed, query.limit, query.cursor.as_deref()).await.map(Json::new)
}

async fn add_group_member(
    allowed: Allowed<actions::GroupManage>,
    identity: Arc<Identity>,
    (): (),
) -> Result<NoContent, Problem> {
    identity.add_group_member(allowed).await.map(|()| NoContent)
}

async fn remove_group_member(
    allowed: Allowed<actions::GroupManage>,
    identity: Arc<Identity>,
    (): (),
) -> Result<NoContent, Problem> {
    identity.remove_group_member(allowed).await.map(|()| NoContent)
}
