use std::sync::Arc;

use bothy_domain::action::{Action, actions};
use bothy_domain::problem::Problem;
use bothy_platform::config::Config;
use bothy_platform::http::{
    Allowed, Anyone, Body, Created, Json, NoContent, Query, Routes, SESSION_COOKIE, delete, get, patch, post,
};
use bothy_platform::paging::Page;
use http::{HeaderValue, header};

use super::List;
use crate::{
    ChangePassword, ConfirmSession, CreatePersonalToken, CreateSession, Identity, InstanceView, IssuedTokenView,
    MeView, SessionView, SetupInstance, SignedIn, TokenView, UpdateMe,
};

pub(super) fn add(routes: &mut Routes<Identity>) {
    routes.add_open(get("getInstance", "/instance", "Read what anybody may know of the instance"), get_instance);
    routes.add_open(
        post("setupInstance", "/setup", "Make the first owner")
            .describe("Needs the one-time code that the server printed, and works once. Signs the owner in."),
        setup_instance,
    );
    routes.add_open(
        post("createSession", "/sessions", "Sign in").describe(
            "Answers the secret of the session for `Authorization: Bearer` and sets it as a cookie. One answer for an unknown address, a wrong password and an account that is not active.",
        ),
        create_session,
    );
    routes.add(get("listMySessions", "/sessions", "List one's login sessions"), list_my_sessions);
    routes.add(
        post("confirmSession", "/sessions/confirm", "Confirm the password")
            .guesses()
            .describe("Administration of owners, people and tokens needs a fresh confirmation (`step_up_required`)."),
        confirm_session,
    );
    routes.add(delete("deleteSession", "/sessions/{session_id}", "End a login session of one's own"), delete_session);
    routes.add(get("getMe", "/me", "Read who is calling"), get_me);
    routes.add(patch("updateMe", "/me", "Change one's name"), update_me);
    routes.add(
        post("changePassword", "/me/password", "Change one's password").guesses().describe("Ends all other sessions."),
        change_password,
    );
    routes.add(
        post("createPersonalToken", "/me/tokens", "Make a token for scripts")
            .creates()
            .recheck(Action::TokenRevoke)
            .describe("The secret is in the answer and nowhere else. Ownership does not count with a token."),
        create_personal_token,
    );
    routes.add(get("listPersonalTokens", "/me/tokens", "List one's tokens"), list_personal_tokens);
    routes.add(
        delete("revokePersonalToken", "/me/tokens/{token_id}", "Revoke a token of one's own"),
        revoke_personal_token,
    );
}

async fn get_instance(_: Anyone, identity: Arc<Identity>, (): ()) -> Result<Json<InstanceView>, Problem> {
    identity.instance().await.map(Json::new)
}

async fn setup_instance(
    _: Anyone,
    identity: Arc<Identity>,
    Body(input): Body<SetupInstance>,
) -> Result<Created<SignedIn>, Problem> {
    let signed_in = identity.setup_instance(input).await?;
    with_cookie(&identity, signed_in)
}

async fn create_session(
    _: Anyone,
    identity: Arc<Identity>,
    Body(input): Body<CreateSession>,
) -> Result<Created<SignedIn>, Problem> {
    let signed_in = identity.create_session(input).await?;
    with_cookie(&identity, signed_in)
}

async fn list_my_sessions(
    allowed: Allowed<actions::SessionRead>,
    identity: Arc<Identity>,
    Query(query): Query<List>,
) -> Result<Json<Page<SessionView>>, Problem> {
    identity.list_sessions(allowed, query.limit, query.cursor.as_deref()).await.map(Json::new)
}

async fn confirm_session(
    allowed: Allowed<actions::SelfUpdate>,
    identity: Arc<Identity>,
    Body(input): Body<ConfirmSession>,
) -> Result<Json<SessionView>, Problem> {
    identity.confirm_session(allowed, input).await.map(Json::new)
}

async fn delete_session(
    allowed: Allowed<actions::SessionRevoke>,
    identity: Arc<Identity>,
    (): (),
) -> Result<NoContent, Problem> {
    identity.delete_session(allowed).await.map(|()| NoContent)
}

async fn get_me(allowed: Allowed<actions::SelfRead>, identity: Arc<Identity>, (): ()) -> Result<Json<MeView>, Problem> {
    identity.me(allowed).await.map(Json::new)
}

async fn update_me(
    allowed: Allowed<actions::SelfUpdate>,
    identity: Arc<Identity>,
    Body(input): Body<UpdateMe>,
) -> Result<Json<MeView>, Problem> {
    identity.update_me(allowed, input).await.map(Json::new)
}

async fn change_password(
    allowed: Allowed<actions::SelfUpdate>,
    identity: Arc<Identity>,
    Body(input): Body<ChangePassword>,
) -> Result<NoContent, Problem> {
    identity.change_password(allowed, input).await.map(|()| NoContent)
}

async fn create_personal_token(
    allowed: Allowed<actions::TokenCreate>,
    identity: Arc<Identity>,
    Body(input): Body<CreatePersonalToken>,
) -> Result<Created<IssuedTokenView>, Problem> {
    identity.create_personal_token(allowed, input).await.map(Created::new)
}

async fn list_personal_tokens(
    allowed: Allowed<actions::TokenRead>,
    identity: Arc<Identity>,
    Query(query): Query<List>,
) -> Result<Json<Page<TokenView>>, Problem> {
    identity.list_personal_tokens(allowed, query.limit, query.cursor.as_deref()).await.map(Json::new)
}

async fn revoke_personal_token(
    allowed: Allowed<actions::TokenRevoke>,
    identity: Arc<Identity>,
    (): (),
) -> Result<NoContent, Problem> {
    identity.revoke_personal_token(allowed).await.map(|()| NoContent)
}

/// The answer to a sign-in, which also sets the session as a cookie.
pub(super) fn with_cookie(identity: &Identity, signed_in: SignedIn) -> Result<Created<SignedIn>, Problem> {
    let cookie = HeaderValue::from_str(&cookie(&identity.parts.config, &signed_in.token)).map_err(Problem::internal)?;
    Ok(Created(Json::new(signed_in).with_header(header::SET_COOKIE, cookie)))
}

/// Out of reach of scripts, and sent along only by our own pages (chapter 04 section 2).
fn cookie(config: &Config, token: &str) -> String {
    let age = config.auth.session_ttl.get().as_secs();
    let secure = if config.server.public_origin().starts_with("https://") { "; Secure" } else { "" };
    format!("{SESSION_COOKIE}={token}; HttpOnly; SameSite=Lax; Path=/; Max-Age={age}{secure}")
}
