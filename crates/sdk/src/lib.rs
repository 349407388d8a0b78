//! What an adapter needs.
