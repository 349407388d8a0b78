use std::collections::HashMap;

use super::super::transcript::Message;
use super::client_message_id;

fn message(author: &str, content: &str) -> Message {
    Message {
        channel: "Allgemein".to_owned(),
        author: author.to_owned(),
        content: content.to_owned(),
        key: None,
        thread: None,
        reply_to: None,
    }
}

#[test]
fn ids_are_the_same_in_every_run_and_differ_within_one() {
    let messages = [message("alex", "Ja"), message("sam", "Ja"), message("alex", "Ja"), message("alexJ", "a")];
    let ids = |messages: &[Message]| {
        let mut repeated = HashMap::new();
        messages.iter().map(|message| client_message_id(message, &mut repeated)).collect::<Vec<_>>()
    };
    let first = ids(&messages);
    assert_eq!(first, ids(&messages));
    assert_eq!(first.iter().collect::<std::collections::HashSet<_>>().len(), 4);
    assert_eq!(ids(&messages[..2]), first[..2]);
}
