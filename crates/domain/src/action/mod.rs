//! The closed catalogue of actions (chapter 03 section 4): one row an action, and everything that
//! a decision needs to know of it.

mod catalogue;
mod row;

pub use catalogue::{Action, CATALOGUE, actions};
pub use row::{ActionType, BindingMode, Needs, RateClass, Relation, ResourceKind, Row, Subjects};

#[cfg(test)]
mod tests;
