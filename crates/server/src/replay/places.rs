use bothy_domain::ids::SpaceId;
use bothy_domain::names::name_key;
use bothy_sdk::Error;
use bothy_sdk::wire::{self, ChannelKind, GrantTarget, Level, NewChannel, NewGrant, NewSpace, Subject};

use super::kept::KeptChannel;
use super::load::{Place, Replay, ReplayError};
use super::transcript::{Channel, Element};

impl Replay<'_> {
    /// Makes the channels that are missing, in spaces that are made when they are, and gives their
    /// members level `trigger` there, so that they can ask agents about what they loaded.
    pub(super) async fn load_channels(&mut self, channels: &[Element<Channel>]) -> Result<(), ReplayError> {
        for (done, Element { at, value: channel }) in channels.iter().enumerate() {
            (self.progress)("channels", done, channels.len());
            let answer = self.space(&channel.space).await;
            let Some(space) = self.judge(at, answer)? else { continue };
            let answer = self.channel(space, &channel.name).await;
            let Some(found) = self.judge(at, answer)? else { continue };
            let Some(main) = found.main_thread_id else {
                self.refuse(at, "there is a channel of this name that is no text channel");
                continue;
            };
            let place = Place { id: found.channel_id, space, main };
            self.members(&place, &channel.members).await?;
            self.kept.keep_channel(KeptChannel {
                name: channel.name.clone(),
                id: place.id,
                space_id: place.space,
                main_thread_id: place.main,
            });
            self.places.insert(channel.name.clone(), place);
            self.report.channels += 1;
        }
        (self.progress)("channels", channels.len(), channels.len());
        Ok(())
    }

    async fn space(&self, name: &str) -> Result<SpaceId, Error> {
        let spaces = self.owner.list_spaces().await?;
        match spaces.into_iter().find(|space| name_key(&space.name) == name_key(name)) {
            Some(space) => Ok(space.space_id),
            None => Ok(self.owner.create_space(&NewSpace { name }).await?.space_id),
        }
    }

    async fn channel(&self, space: SpaceId, name: &str) -> Result<wire::Channel, Error> {
        let channels = self.owner.list_space_channels(space).await?;
        let same = |channel: &wire::Channel| channel.name.as_deref().map(name_key) == Some(name_key(name));
        match channels.into_iter().find(same) {
            Some(channel) => Ok(channel),
            None => self.owner.create_channel(space, &NewChannel { kind: ChannelKind::Text, name }).await,
        }
    }

    async fn members(&mut self, place: &Place, members: &[Element<String>]) -> Result<(), ReplayError> {
        let target = GrantTarget::Channel(place.id);
        let mut granted = match members.first() {
            None => return Ok(()),
            Some(first) => {
                let answer = self.owner.list_grants(target).await;
                self.judge(&first.at, answer)?.unwrap_or_default()
            }
        };
        granted.retain(|grant| grant.level == Level::Trigger);
        for Element { at, value: handle } in members {
            let Some(id) = self.people.get(handle).map(|member| member.id) else {
                self.refuse(at, "this person is not among those that were taken");
                continue;
            };
            if granted.iter().any(|grant| grant.principal_id == Some(id)) {
                continue;
            }
            let grant = NewGrant::new(Subject::Principal(id), Level::Trigger, &[]);
            let answer = self.owner.create_grant(target, &grant).await;
            granted.extend(self.judge(at, answer)?);
        }
        Ok(())
    }
}
