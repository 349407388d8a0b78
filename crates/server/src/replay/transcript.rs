/// Something of a transcript and where it stands in the file it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element<T> {
    /// A JSON pointer into the file.
    pub at: String,
    /// What stands there.
    pub value: T,
}

/// A transcript whose elements are well-formed, each by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Transcript {
    /// The people.
    pub people: Vec<Element<Person>>,
    /// The channels.
    pub channels: Vec<Element<Channel>>,
    /// The messages, in the order in which they were written.
    pub messages: Vec<Element<Message>>,
}

/// Somebody who wrote or could read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The handle, as the server stores it.
    pub handle: String,
    /// The name that is shown.
    pub display_name: String,
    /// The address for the login.
    pub email: String,
}

/// A channel and who was in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    /// The name, by which messages refer to it.
    pub name: String,
    /// The space that it stands in.
    pub space: String,
    /// The handles of its members.
    pub members: Vec<Element<String>>,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The name of its channel.
    pub channel: String,
    /// The handle of its author.
    pub author: String,
    /// The text, in Markdown.
    pub content: String,
    /// A name of its own, for others to refer to.
    pub key: Option<String>,
    /// The key of the message whose thread it stands in; else it stands in the channel itself.
    pub thread: Option<String>,
    /// The key of the message that it answers.
    pub reply_to: Option<String>,
}
