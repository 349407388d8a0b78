//! What is said.
