use bothy_domain::ids::{ChannelId, PrincipalId};
use bothy_storage::{Reader, StorageError, params, statements};

statements! {
    /// Who takes part in a direct message.
    DIRECT_PARTICIPANTS = "SELECT principal_id FROM dm_participants WHERE channel_id = $1 ORDER BY principal_id";
    /// The direct messages that a principal takes part in.
    DIRECTS_OF = "SELECT channel_id FROM dm_participants WHERE principal_id = $1 ORDER BY channel_id";
}

pub(crate) async fn participants(reader: &Reader, channel: ChannelId) -> Result<Vec<PrincipalId>, StorageError> {
    reader.all(&DIRECT_PARTICIPANTS, params![channel]).await?.iter().map(|row| row.get("principal_id")).collect()
}

pub(crate) async fn of_principal(reader: &Reader, principal: PrincipalId) -> Result<Vec<ChannelId>, StorageError> {
    reader.all(&DIRECTS_OF, params![principal]).await?.iter().map(|row| row.get("channel_id")).collect()
}
