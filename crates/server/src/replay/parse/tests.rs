use super::super::Refusal;
use super::{NotATranscript, parse};

fn refused(text: &str) -> Vec<String> {
    let (_, refused) = parse(text).unwrap();
    refused.into_iter().map(|Refusal { at, message }| format!("{at}: {message}")).collect()
}

#[test]
fn a_whole_transcript() {
    let (transcript, refused) = parse(
        r#"{
          "people": [{ "handle": "Robin", "display_name": "Robin" }, { "handle": "alex", "email": "a@example.com" }],
          "channels": [{ "name": "Allgemein", "space": "Support", "members": ["robin", "ALEX"] }, { "name": "Leer" }],
          "messages": [
            { "channel": "Allgemein", "author": "robin", "content": "Hallo", "key": "m1" },
            { "channel": "Allgemein", "author": "alex", "content": "Tag", "thread": "m1", "reply_to": "m1" }
          ]
        }"#,
    )
    .unwrap();
    assert!(refused.is_empty());
    assert_eq!(transcript.people[0].value.handle, "robin");
    assert_eq!(transcript.people[0].value.email, "robin@example.com");
    assert_eq!(transcript.people[1].value.display_name, "alex");
    assert_eq!(transcript.channels[0].value.members[1].value, "alex");
    assert_eq!(transcript.channels[1].value.space, "Transcript");
    assert_eq!(transcript.messages[1].at, "/messages/1");
    assert_eq!(transcript.messages[1].value.thread.as_deref(), Some("m1"));
}

#[test]
fn every_malformed_element_is_named_and_the_others_are_kept() {
    let text = r#"{
      "people": [7, { "handle": "robin" }, { "handle": "Robin" }, { "handle": "r b" }, { "handle": "alex", "age": 3 }],
      "channels": [{ "name": "a", "members": "robin" }, { "name": "b", "members": [1] }, {}, { "name": "c" }, { "name": "c" }],
      "messages": [
        { "channel": "c", "author": "robin" },
        { "channel": "c", "author": "robin", "content": 1 },
        { "channel": "c", "author": "robin", "content": "x", "key": "k" },
        { "channel": "c", "author": "robin", "content": "y", "key": "k" },
        null
      ],
      "emoji": []
    }"#;
    assert_eq!(
        refused(text),
        [
            "/emoji: unknown member; expected people, channels and messages",
            "/people/0: expected an object",
            "/people/2/handle: another person before has this handle",
            "/people/3/handle: not a handle: must consist of a to z, 0 to 9, '.', '_' and '-', start with a letter and end with a letter or digit",
            "/people/4/age: unknown member",
            "/channels/0/members: expected a list of handles",
            "/channels/1/members/0: expected a handle",
            "/channels/2/name: is missing",
            "/channels/4/name: another channel before has this name",
            "/messages/0/content: is missing",
            "/messages/1/content: expected a text",
            "/messages/3/key: another message before has this key",
            "/messages/4: expected an object",
        ]
    );
    let (transcript, _) = parse(text).unwrap();
    assert_eq!((transcript.people.len(), transcript.channels.len(), transcript.messages.len()), (1, 1, 1));
}

#[test]
fn what_is_no_transcript_at_all_says_where() {
    assert!(matches!(parse("{\n  \"people\": [,]}").unwrap_err(), NotATranscript::Json { line: 2, .. }));
    for text in ["[]", "7", r#"{"people": {}}"#] {
        assert!(matches!(parse(text).unwrap_err(), NotATranscript::Form { .. }), "{text}");
    }
}

#[test]
fn member_names_are_escaped_in_positions() {
    assert_eq!(refused(r#"{"a/b~c": 1}"#), ["/a~1b~0c: unknown member; expected people, channels and messages"]);
}
