//! Where things are said: spaces, channels and threads (chapter 05 section 2).
//!
//! [`Chat`] owns the tree that rights are given on. Other modules read it as [`ChannelFacts`] and
//! [`ThreadFacts`], take sequence numbers and open threads through it, and find its rows behind ids
//! ([`bothy_platform::authorize::Locate`]).

mod agent_config;
mod channels;
mod chat;
mod facts;
mod operators;
mod routes;
mod spaces;
mod store;
mod threads;
mod tree;
mod words;

pub use agent_config::AgentConfigChange;
pub use chat::{Chat, Parts};
pub use facts::{AgentConfig, ChannelFacts, NewThread, SpaceFacts, ThreadFacts, Within};
pub use routes::ThreadView;
pub use words::{ChannelKind, Egress, SpaceChannelKind, ThreadKind};
