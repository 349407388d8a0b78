use bothy_domain::ids::{GrantId, PrincipalId};

use crate::client::Client;
use crate::error::Error;
use crate::transport::Call;
use crate::wire::{
    AcceptInvite, AuditEvent, Grant, GrantTarget, Invite, Me, NewGrant, NewInvite, NewSession, Page, Session, Setup,
};

impl Client {
    /// Makes the first owner with the one-time setup code, and signs in as them.
    ///
    /// # Errors
    /// A problem when the code is wrong, spent or expired, or a field is.
    pub async fn setup_instance(&self, setup: &Setup<'_>) -> Result<Session, Error> {
        self.post("setupInstance", "/setup", setup).await
    }

    /// Signs in.
    ///
    /// # Errors
    /// `unauthenticated` for a wrong address or password.
    pub async fn create_session(&self, login: &NewSession<'_>) -> Result<Session, Error> {
        self.post("createSession", "/sessions", login).await
    }

    /// Who the token belongs to.
    ///
    /// # Errors
    /// `unauthenticated` when the token does not count.
    pub async fn get_me(&self) -> Result<Me, Error> {
        self.json(Call::get("getMe", "/me")).await
    }

    /// Invites a person; answers the one-time code.
    ///
    /// # Errors
    /// A problem when the caller is no owner in a session, or a field is wrong.
    pub async fn invite_person(&self, invite: &NewInvite<'_>) -> Result<Invite, Error> {
        self.post("invitePerson", "/invites", invite).await
    }

    /// Accepts an invitation and signs in.
    ///
    /// # Errors
    /// A problem when the code is wrong, spent or expired, or the password is too short.
    pub async fn accept_invite(&self, accept: &AcceptInvite<'_>) -> Result<Session, Error> {
        self.post("acceptInvite", "/invites/accept", accept).await
    }

    /// Disables a person.
    ///
    /// # Errors
    /// A problem when the caller is no owner in a freshly confirmed session.
    pub async fn disable_person(&self, person: PrincipalId) -> Result<(), Error> {
        self.nothing(Call::post("disablePerson", format!("/people/{person}/disable"))).await
    }

    /// Gives rights on a place.
    ///
    /// # Errors
    /// A problem when the caller does not hold them there.
    pub async fn create_grant(&self, target: GrantTarget, grant: &NewGrant<'_>) -> Result<Grant, Error> {
        self.post("createGrant", grants(target), grant).await
    }

    /// The grants that name a place.
    ///
    /// # Errors
    /// A problem when the caller may not manage it.
    pub async fn list_grants(&self, target: GrantTarget) -> Result<Vec<Grant>, Error> {
        self.all("listGrants", grants(target)).await
    }

    /// Takes a grant back.
    ///
    /// # Errors
    /// A problem when the caller may not manage its target.
    pub async fn revoke_grant(&self, grant: GrantId) -> Result<(), Error> {
        self.nothing(Call::delete("revokeGrant", format!("/grants/{grant}"))).await
    }

    /// Reads one page of the audit log, newest first.
    ///
    /// # Errors
    /// A problem when the caller is no owner in a session.
    pub async fn list_audit_events(&self, cursor: Option<&str>) -> Result<Page<AuditEvent>, Error> {
        self.json(Call::get("listAuditEvents", "/audit/events").query("cursor", cursor)).await
    }
}

fn grants(target: GrantTarget) -> String {
    match target {
        GrantTarget::Instance(id) => format!("/access/instance/{id}/grants"),
        GrantTarget::Space(id) => format!("/access/space/{id}/grants"),
        GrantTarget::Channel(id) => format!("/access/channel/{id}/grants"),
    }
}
