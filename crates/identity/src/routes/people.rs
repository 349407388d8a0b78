use std::sync::Arc;

use bothy_domain::action::actions;
use bothy_domain::problem::Problem;
use bothy_platform::http::{
    Allowed, Anyone, Body, Created, Json, NoContent, Query, Routes, delete, get, patch, post, put,
};
use bothy_platform::paging::Page;

use super::List;
use super::account::with_cookie;
use crate::{AcceptInvite, Identity, InvitePerson, InviteView, PersonView, SignedIn, UpdatePerson};

pub(super) fn add(routes: &mut Routes<Identity>) {
    routes.add(get("listPeople", "/people", "List people"), list_people);
    routes.add(get("getPerson", "/people/{person_id}", "Read a person"), get_person);
    routes.add(patch("updatePerson", "/people/{person_id}", "Change the account of a person"), update_person);
    routes.add(
        post("disablePerson", "/people/{person_id}/disable", "Shut a person out")
            .describe("Ends every session of the person. The last owner who can act cannot be disabled."),
        disable_person,
    );
    routes.add(post("enablePerson", "/people/{person_id}/enable", "Let a person in again"), enable_person);
    routes.add(
        post("invitePerson", "/invites", "Invite a person").creates().describe(
            "The one-time code is in the answer and nowhere else. Inviting a person again who has not accepted yet makes a new code.",
        ),
        invite_person,
    );
    routes.add_open(
        post("acceptInvite", "/invites/accept", "Accept an invitation").describe("Signs the person in."),
        accept_invite,
    );
    routes.add(put("addOwner", "/owners/{person_id}", "Make a person an owner"), add_owner);
    routes.add(
        delete("removeOwner", "/owners/{person_id}", "Take ownership from a person")
            .describe("The last owner who can act cannot be removed."),
        remove_owner,
    );
}

async fn list_people(
    allowed: Allowed<actions::PersonRead>,
    identity: Arc<Identity>,
    Query(query): Query<List>,
) -> Result<Json<Page<PersonView>>, Problem> {
    identity.list_people(allowed, query.limit, query.cursor.as_deref()).await.map(Json::new)
}

async fn get_person(
    allowed: Allowed<actions::PersonRead>,
    identity: Arc<Identity>,
    (): (),
) -> Result<Json<PersonView>, Problem> {
    identity.get_person(allowed).await.map(Json::new)
}

async fn update_person(
    allowed: Allowed<actions::PersonUpdate>,
    identity: Arc<Identity>,
    Body(input): Body<UpdatePerson>,
) -> Result<Json<PersonView>, Problem> {
    identity.update_person(allowed, input).await.map(Json::new)
}

async fn disable_person(
    allowed: Allowed<actions::PersonDisable>,
    identity: Arc<Identity>,
    (): (),
) -> Result<Json<PersonView>, Problem> {
    identity.disable_person(allowed).await.map(Json::new)
}

async fn enable_person(
    allowed: Allowed<actions::PersonDisable>,
    identity: Arc<Identity>,
    (): (),
) -> Result<Json<PersonView>, Problem> {
    identity.enable_person(allowed).await.map(Json::new)
}

async fn invite_person(
    allowed: Allowed<actions::PersonInvite>,
    identity: Arc<Identity>,
    Body(input): Body<InvitePerson>,
) -> Result<Created<InviteView>, Problem> {
    identity.invite_person(allowed, input).await.map(Created::new)
}

async fn accept_invite(
    _: Anyone,
    identity: Arc<Identity>,
    Body(input): Body<AcceptInvite>,
) -> Result<Created<SignedIn>, Problem> {
    let signed_in = identity.accept_invite(input).await?;
    with_cookie(&identity, signed_in)
}

async fn add_owner(
    allowed: Allowed<actions::OwnerAdd>,
    identity: Arc<Identity>,
    (): (),
) -> Result<Json<PersonView>, Problem> {
    identity.add_owner(allowed).await.map(Json::new)
}

async fn remove_owner(
    allowed: Allowed<actions::OwnerRemove>,
    identity: Arc<Identity>,
    (): (),
) -> Result<NoContent, Problem> {
    identity.remove_owner(allowed).await.map(|()| NoContent)
}
