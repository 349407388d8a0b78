//! One binary, `bothy`: the wiring of the features, the command line, the demo, and the loading of
//! transcripts.

pub mod cli;
pub mod demo;
pub mod import;
pub mod replay;
pub mod wiring;
pub mod world;
