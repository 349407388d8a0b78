use bothy_domain::ids::{ChannelId, PrincipalId, SpaceId};
use bothy_sdk::wire::{
    Capability, ChannelKind, GrantTarget, Level, NewChannel, NewGrant, NewMessage, NewSpace, NewThread, Subject,
};
use bothy_sdk::{Client, Error};

use super::{Forum, Grants, Human, Machine, Place};

pub(super) async fn space(owner: &Client, name: &str) -> Result<SpaceId, Error> {
    Ok(owner.create_space(&NewSpace { name }).await?.space_id)
}

/// A text channel with an agent in charge of it.
pub(super) async fn text(owner: &Client, space: SpaceId, name: &str, operator: &Machine) -> Result<Place, Error> {
    let channel = owner.create_channel(space, &NewChannel { kind: ChannelKind::Text, name }).await?;
    owner.set_channel_operator(channel.channel_id, Some(operator.id)).await?;
    let main = channel.main_thread_id.ok_or_else(|| Error::Unexpected {
        operation: "createChannel",
        cause: "a text channel without a main thread".to_owned(),
    })?;
    Ok(Place { space, id: channel.channel_id, main })
}

/// A forum with a post of the owner.
pub(super) async fn forum(owner: &Client, space: SpaceId, name: &str) -> Result<Forum, Error> {
    let channel = owner.create_channel(space, &NewChannel { kind: ChannelKind::Forum, name }).await?;
    let new = NewThread { title: Some("Auftakt"), ..NewThread::default() };
    let post = owner.create_thread(channel.channel_id, &new).await?.thread_id;
    let first = NewMessage { content_md: "Worum es in diesem Projekt geht.", ..NewMessage::default() };
    owner.create_message(post, &first).await?;
    Ok(Forum { space, id: channel.channel_id, post })
}

/// The grants of chapter 00, in its order.
pub(super) async fn grants(
    owner: &Client,
    support: SpaceId,
    allgemein: ChannelId,
    [alex, sam, writer]: &[&Human; 3],
    [lotse, texter]: &[&Machine; 2],
) -> Result<Grants, Error> {
    let support = GrantTarget::Space(support);
    let allgemein = GrantTarget::Channel(allgemein);
    let give = async |target: GrantTarget, to: PrincipalId, level: Level, capabilities: &[Capability]| {
        let grant = owner.create_grant(target, &NewGrant::new(Subject::Principal(to), level, capabilities)).await?;
        Ok::<_, Error>(grant.grant_id)
    };
    Ok(Grants {
        alex_support: give(support, alex.id, Level::Trigger, &[]).await?,
        sam_allgemein: give(allgemein, sam.id, Level::Trigger, &[]).await?,
        writer_allgemein: give(allgemein, writer.id, Level::Write, &[]).await?,
        lotse_support: give(support, lotse.id, Level::Write, &[Capability::Upload]).await?,
        texter_allgemein: give(allgemein, texter.id, Level::Write, &[]).await?,
    })
}
