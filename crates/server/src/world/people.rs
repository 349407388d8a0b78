use bothy_sdk::wire::{AcceptInvite, NewInvite, Session, Setup};
use bothy_sdk::{Client, Error};

use super::{Human, Passwords};

/// Robin, the first owner.
pub(super) async fn owner(anonymous: &Client, setup_code: &str, passwords: &Passwords<'_>) -> Result<Human, Error> {
    let (handle, display_name, email) = ("robin", "Robin", "robin@example.com");
    let password = passwords(handle);
    let setup = Setup { setup_code, handle, display_name, email, password: &password };
    let session = anonymous.setup_instance(&setup).await?;
    human(anonymous, handle, display_name, email, password, session)
}

/// Somebody who was invited and accepted.
pub(super) async fn member(
    owner: &Human,
    handle: &str,
    display_name: &str,
    passwords: &Passwords<'_>,
) -> Result<Human, Error> {
    let email = format!("{handle}@example.com");
    let password = passwords(handle);
    let invite = owner.client.invite_person(&NewInvite { handle, display_name, email: &email }).await?;
    let accept = AcceptInvite { code: &invite.code, password: &password, display_name };
    let session = owner.client.accept_invite(&accept).await?;
    human(&owner.client, handle, display_name, &email, password, session)
}

fn human(
    client: &Client,
    handle: &str,
    display_name: &str,
    email: &str,
    password: String,
    session: Session,
) -> Result<Human, Error> {
    Ok(Human {
        id: session.person.person_id,
        handle: handle.to_owned(),
        display_name: display_name.to_owned(),
        email: email.to_owned(),
        password,
        client: client.with_token(&session.token)?,
        token: session.token,
    })
}
