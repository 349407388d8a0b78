//! Keeping the index: it changes in the unit of work that changes a message, so that what is found
//! is what is there.

use std::collections::BTreeSet;

use bothy_domain::ids::{ChannelId, MessageId, ThreadId};
use bothy_storage::{StorageError, UnitOfWork};

use super::fold::words;
use crate::store::search as store;

/// How many words of a message are indexed; what stands behind them is not found.
const INDEXED_WORDS: usize = 4096;

/// Stands in the index for a link or for code in a message. No word looks like it.
pub(crate) const LINK: &str = "#link";
/// The same for code.
pub(crate) const CODE: &str = "#code";

/// Puts a new message into the index.
///
/// # Errors
/// When the database fails.
pub(crate) async fn add(
    uow: &UnitOfWork,
    channel: ChannelId,
    message: MessageId,
    content_md: &str,
) -> Result<(), StorageError> {
    let folded = folded(content_md);
    let terms = terms(&folded);
    if terms.is_empty() {
        return Ok(());
    }
    store::insert(uow, channel, message, &folded, terms).await
}

/// Puts the new content of a message into the index in place of the old one.
///
/// # Errors
/// When the database fails.
pub(crate) async fn replace(
    uow: &UnitOfWork,
    channel: ChannelId,
    message: MessageId,
    content_md: &str,
) -> Result<(), StorageError> {
    remove(uow, message).await?;
    add(uow, channel, message, content_md).await
}

/// Takes a message out of the index.
///
/// # Errors
/// When the database fails.
pub(crate) async fn remove(uow: &UnitOfWork, message: MessageId) -> Result<(), StorageError> {
    match store::document(uow, message).await? {
        Some(folded) => store::delete(uow, message, terms(&folded)).await,
        None => Ok(()),
    }
}

/// Follows a thread into another channel.
///
/// # Errors
/// When the database fails.
pub(crate) async fn follow(uow: &UnitOfWork, thread: ThreadId, channel: ChannelId) -> Result<(), StorageError> {
    for (message, folded) in store::documents(uow, thread).await? {
        store::set_channel(uow, channel, message, terms(&folded)).await?;
    }
    Ok(())
}

/// The words of a message in their order, each between spaces, and behind them what it holds.
fn folded(content_md: &str) -> String {
    let mut folded = String::from(" ");
    for word in words(content_md).into_iter().take(INDEXED_WORDS) {
        folded.push_str(&word.folded);
        folded.push(' ');
    }
    let holds = [(LINK, has_link(content_md)), (CODE, has_code(content_md))];
    for (mark, _) in holds.into_iter().filter(|(_, holds)| *holds) {
        folded.push_str(mark);
        folded.push(' ');
    }
    folded
}

fn terms(folded: &str) -> Vec<String> {
    let distinct: BTreeSet<&str> = folded.split(' ').filter(|term| !term.is_empty()).collect();
    distinct.into_iter().map(str::to_owned).collect()
}

fn has_link(content_md: &str) -> bool {
    ["http://", "https://", "mailto:", "]("].iter().any(|mark| content_md.contains(mark))
}

fn has_code(content_md: &str) -> bool {
    content_md.matches('`').count() > 1 || content_md.contains("~~~")
}
