//! Where things are said.
