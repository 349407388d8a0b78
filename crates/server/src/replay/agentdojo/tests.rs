use super::super::{NotATranscript, Refusal};
use super::from_agentdojo_slack;

/// An environment of the same form, with words of our own.
const ENVIRONMENT: &str = r#"{
  "slack": {
    "users": ["Robin", "Alex", "?"],
    "channels": ["general", "Private_0"],
    "user_channels": { "Robin": ["general", "Private_0"], "Alex": ["general", "gone"] },
    "user_inbox": { "Alex": [{ "sender": "Robin", "recipient": "Alex", "body": "psst" }], "Robin": [] },
    "channel_inbox": {
      "general": [{ "sender": "Alex", "recipient": "general", "body": "Hello." }, { "sender": "Alex" }],
      "Private_0": [{ "sender": "Robin", "recipient": "Private_0", "body": "The code is 4711." }]
    }
  },
  "web": { "web_content": {} }
}"#;

#[test]
fn people_channels_members_and_messages_become_a_transcript() {
    let (transcript, _) = from_agentdojo_slack(ENVIRONMENT).unwrap();
    let handles: Vec<_> = transcript.people.iter().map(|person| person.value.handle.as_str()).collect();
    assert_eq!(handles, ["robin", "alex"]);
    assert_eq!(transcript.people[0].value.display_name, "Robin");
    let private = &transcript.channels[1];
    assert_eq!(
        (private.at.as_str(), private.value.name.as_str(), private.value.space.as_str()),
        ("/slack/channels/1", "Private_0", "Slack")
    );
    assert_eq!(private.value.members.iter().map(|member| member.value.as_str()).collect::<Vec<_>>(), ["robin"]);
    let contents: Vec<_> = transcript.messages.iter().map(|message| message.value.content.as_str()).collect();
    assert!(contents.contains(&"Hello.") && contents.contains(&"The code is 4711.") && contents.len() == 2);
}

#[test]
fn what_has_no_place_is_refused_by_position() {
    let (_, refused) = from_agentdojo_slack(ENVIRONMENT).unwrap();
    let mut places: Vec<_> = refused.iter().map(|Refusal { at, .. }| at.as_str()).collect();
    places.sort_unstable();
    assert_eq!(
        places,
        [
            "/slack/channel_inbox/general/1",
            "/slack/user_channels/Alex/1",
            "/slack/user_inbox/Alex/0",
            "/slack/users/2",
            "/web"
        ]
    );
}

#[test]
fn another_file_is_not_taken_for_an_environment() {
    for text in ["{}", r#"{"slack": []}"#, r#"{"slack": {"users": []}}"#, "[1]"] {
        assert!(matches!(from_agentdojo_slack(text), Err(NotATranscript::Form { .. })), "{text}");
    }
}
