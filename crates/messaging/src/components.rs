//! Components under messages (RC-17): an agent puts them there, people press them.

use std::collections::HashMap;

use bothy_domain::ids::MessageId;
use bothy_domain::message::Origin;
use bothy_domain::problem::Problem;
use bothy_domain::request::{Component, check_components};
use bothy_platform::failure::OrProblem;
use bothy_storage::{Reader, UnitOfWork};

use crate::store::components;
use crate::{Messaging, StoredMessage};

/// A component under a message, and whether it was used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedComponent {
    /// What it is.
    pub component: Component,
    /// Whether it was pressed and cannot be pressed again.
    pub used: bool,
}

/// Checks the components of a message that is to be written. `place` is where they stand in the
/// request.
///
/// # Errors
/// `validation_failed` with a pointer to the first mistake.
pub fn check_message_components(components: &[Component], most: usize, place: &str) -> Result<(), Problem> {
    if components.len() > most {
        return Err(Problem::invalid(place, format!("must have at most {most} items")));
    }
    check_components(components).map_err(|mistake| {
        let mistake = mistake.at(place);
        Problem::invalid(mistake.pointer, mistake.message)
    })
}

impl Messaging {
    /// Puts components under a message in the unit of work that writes it. They were checked.
    ///
    /// # Errors
    /// `unavailable` when the database fails.
    pub async fn put_components(
        &self,
        uow: &UnitOfWork,
        message: MessageId,
        components: &[Component],
    ) -> Result<(), Problem> {
        components::insert(uow, message, components).await
    }

    /// The components of some messages that the caller may read, in their order; messages without any
    /// are left out. One query, however many messages there are.
    ///
    /// # Errors
    /// `unavailable` when the database fails.
    pub async fn components_of(
        &self,
        reader: &Reader,
        messages: &[MessageId],
    ) -> Result<HashMap<MessageId, Vec<PlacedComponent>>, Problem> {
        if messages.is_empty() {
            return Ok(HashMap::new());
        }
        components::of_messages(reader, messages).await
    }

    /// Messages that are shown, with their components. One query, and none when no agent wrote any of
    /// them.
    pub(crate) async fn with_components(
        &self,
        reader: &Reader,
        mut messages: Vec<StoredMessage>,
    ) -> Result<Vec<StoredMessage>, Problem> {
        let of_agents = messages.iter().filter(|message| message.origin == Some(Origin::Agent));
        let ids: Vec<MessageId> = of_agents.map(|message| message.id).collect();
        let mut found = self.components_of(reader, &ids).await?;
        for message in &mut messages {
            message.components = found.remove(&message.id).unwrap_or_default();
        }
        Ok(messages)
    }

    /// Uses a component up, unless it is repeatable. Whether it was still there to be used: of two who
    /// press at once, one does.
    ///
    /// # Errors
    /// `unavailable` when the database fails.
    pub async fn use_component(
        &self,
        uow: &UnitOfWork,
        message: MessageId,
        component_id: &str,
    ) -> Result<bool, Problem> {
        components::take(uow, message, component_id, self.clock.now()).await
    }

    /// Takes the components of a message away; a deleted message has none.
    ///
    /// # Errors
    /// `unavailable` when the database fails.
    pub async fn forget_components(&self, uow: &UnitOfWork, message: MessageId) -> Result<(), Problem> {
        components::delete(uow, message).await.or_problem()
    }
}
