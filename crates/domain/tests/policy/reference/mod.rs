//! A slow, obviously correct reading of chapters 03 and 08, for tests only.
//!
//! It was written from the chapters, seed 003 and `docs/decisions.md`, without looking at the fast
//! evaluator, and shares nothing with it but the words (the table of actions and the names of
//! decisions). It keeps a world as plain rows, walks all of them for every question, remembers
//! nothing, and follows the order of the chapter line by line. When both disagree, the chapter
//! decides which one is wrong.

mod evaluate;
mod lists;
mod rights;
mod world;

pub use evaluate::{decide, resolve};
pub use lists::{Lists, lists};
pub use rights::{Who, rights_on, sees};
pub use world::{
    Acting, Caps, Channel, Credential, Grant, Header, Home, Message, On, Principal, Question, Run, Step, Target,
    Thread, To, World,
};
