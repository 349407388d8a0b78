//! Facts into decisions.
