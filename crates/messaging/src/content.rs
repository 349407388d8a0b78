//! What a message may say, and how a repeated request is recognised.

use bothy_domain::ids::{MessageId, ThreadId};
use bothy_domain::problem::Problem;
use sha2::{Digest, Sha256};

/// The longest id that a client may choose for a message, in bytes.
const CLIENT_MESSAGE_ID_MAX_BYTES: usize = 128;

/// Checks the content of a message. It is stored exactly as it came.
pub(crate) fn check_content(content_md: &str, max_bytes: usize) -> Result<(), Problem> {
    let refuse = |message: String| Err(Problem::invalid("/content_md", message));
    if content_md.trim().is_empty() {
        refuse("must not be blank".to_owned())
    } else if content_md.len() > max_bytes {
        refuse(format!("must be at most {max_bytes} bytes long"))
    } else if content_md.contains('\0') {
        refuse("must not contain the character NUL".to_owned())
    } else {
        Ok(())
    }
}

/// Checks the id that a client chose for a message.
pub(crate) fn check_client_message_id(id: &str) -> Result<(), Problem> {
    if id.is_empty() || id.len() > CLIENT_MESSAGE_ID_MAX_BYTES || !id.bytes().all(|byte| byte.is_ascii_graphic()) {
        let message = format!("must be 1 to {CLIENT_MESSAGE_ID_MAX_BYTES} visible ASCII characters");
        return Err(Problem::invalid("/client_message_id", message));
    }
    Ok(())
}

/// What a request asked for, as a hash: two requests with one id of the client are the same request
/// when it is equal. It stays what it was when the message is edited.
pub(crate) fn request_hash(thread: ThreadId, reply_to: Option<MessageId>, content_md: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(thread.uuid().as_bytes());
    match reply_to {
        Some(message) => {
            hash.update([1]);
            hash.update(message.uuid().as_bytes());
        }
        None => hash.update([0]),
    }
    hash.update(content_md.as_bytes());
    hash.finalize().into()
}

#[cfg(test)]
mod tests;
