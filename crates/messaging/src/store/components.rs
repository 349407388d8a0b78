use std::collections::HashMap;

use bothy_domain::ids::MessageId;
use bothy_domain::problem::Problem;
use bothy_domain::request::Component;
use bothy_domain::time::Timestamp;
use bothy_platform::failure::OrProblem;
use bothy_storage::{Reader, StorageError, UnitOfWork, params, statements};

use crate::PlacedComponent;

statements! {
    /// A component under a message.
    INSERT_COMPONENT =
        "INSERT INTO message_components (message_id, component_id, ordinal, definition, repeatable) \
         VALUES ($1, $2, $3, $4, $5)";
    /// The components of some messages, in their order.
    COMPONENTS_OF =
        "SELECT message_id, definition, repeatable, used_at FROM message_components \
         WHERE message_id IN (ID_LIST($1)) ORDER BY message_id, ordinal";
    /// Uses a component; one that cannot be used again only once.
    TAKE_COMPONENT =
        "UPDATE message_components SET used_at = $3 WHERE message_id = $1 AND component_id = $2 \
         AND (repeatable OR used_at IS NULL)";
    /// Takes the components of a message away.
    DELETE_COMPONENTS = "DELETE FROM message_components WHERE message_id = $1";
}

pub(crate) async fn insert(uow: &UnitOfWork, message: MessageId, components: &[Component]) -> Result<(), Problem> {
    for (ordinal, component) in (0_i64..).zip(components) {
        let definition = serde_json::to_string(component).map_err(Problem::internal)?;
        let row = params![message, component.id(), ordinal, definition, component.is_repeatable()];
        uow.execute(&INSERT_COMPONENT, row).await.or_problem()?;
    }
    Ok(())
}

pub(crate) async fn of_messages(
    reader: &Reader,
    messages: &[MessageId],
) -> Result<HashMap<MessageId, Vec<PlacedComponent>>, Problem> {
    let mut found: HashMap<MessageId, Vec<PlacedComponent>> = HashMap::new();
    for row in reader.all(&COMPONENTS_OF, params![messages]).await.or_problem()? {
        let definition: String = row.get("definition").or_problem()?;
        let repeatable: bool = row.get("repeatable").or_problem()?;
        let used_at: Option<Timestamp> = row.get("used_at").or_problem()?;
        let component = serde_json::from_str(&definition).map_err(Problem::internal)?;
        let placed = PlacedComponent { component, used: used_at.is_some() && !repeatable };
        found.entry(row.get("message_id").or_problem()?).or_default().push(placed);
    }
    Ok(found)
}

/// Whether the component is there and could be used.
pub(crate) async fn take(
    uow: &UnitOfWork,
    message: MessageId,
    component_id: &str,
    now: Timestamp,
) -> Result<bool, Problem> {
    Ok(uow.execute(&TAKE_COMPONENT, params![message, component_id, now]).await.or_problem()? == 1)
}

pub(crate) async fn delete(uow: &UnitOfWork, message: MessageId) -> Result<(), StorageError> {
    uow.execute(&DELETE_COMPONENTS, params![message]).await.map(drop)
}
