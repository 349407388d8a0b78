//! What reaches the consumer of an agent (chapter 05 section 5, chapter 06 section 6): at least once
//! until it is acknowledged, judged at the moment of delivery by the agent's own grants (AF-14).

mod ack;
mod envelope;
mod heartbeat;
mod live;
mod poll;
mod told;

pub(crate) use envelope::Envelope;
pub(crate) use heartbeat::Pulse;
pub use told::{Ground, Told};
