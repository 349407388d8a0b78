//! Where things are said: spaces, channels, threads and direct messages (chapter 05 section 2).
//!
//! [`Chat`] owns the tree that rights are given on. Other modules read it as [`ChannelFacts`] and
//! [`ThreadFacts`], take sequence numbers and open threads through it, and find its rows behind ids
//! ([`bothy_platform::authorize::Locate`]).

mod admission;
mod agent_config;
mod channels;
mod chat;
mod directs;
mod facts;
mod moves;
mod operators;
mod parents;
mod part;
mod routes;
mod spaces;
mod store;
mod threads;
mod tree;
mod words;

pub use admission::DirectAdmission;
pub use agent_config::AgentConfigChange;
pub use chat::{Chat, Parts};
pub use facts::{AgentConfig, ChannelFacts, DirectFacts, NewThread, SpaceFacts, ThreadFacts, WithMain, Within};
pub use moves::ThreadMove;
pub use routes::{ChannelView, DirectView, SpaceView, ThreadView};
pub use words::{ChannelKind, Egress, SpaceChannelKind, ThreadKind, ThreadState};
