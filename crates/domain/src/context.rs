//! The pure rules of a run's context (chapter 07): who may be followed, which messages belong to
//! it, and how much of them fits. What an agent already knows is planned in [`crate::session`].

mod budget;
mod classify;
mod cut;
mod window;

pub use budget::{Candidates, Fitted, fit_budget, truncated_before_seq};
pub use classify::{AuthorFacts, Role, RunParties, Trust, authors_to_judge, classify};
pub use cut::cut_content;
pub use window::{
    MessagePlace, ParentMessage, SeqWindow, ThreadPlace, TriggerPosition, channel_window, includes_parent_message,
    locate_trigger, thread_window,
};
