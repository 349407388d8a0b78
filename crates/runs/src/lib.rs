//! The work of agents.
