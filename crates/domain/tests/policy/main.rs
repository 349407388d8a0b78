//! How chapters 03 and 08 are proven (chapter 03 section 9): the evaluator of the product against
//! a slow reference, over random worlds and over every small one; the decision table of the test
//! world; and that the comparison has teeth.
//!
//! `BOTHY_TEST_SEED=<n>` repeats one random world. `BOTHY_UPDATE=1` rewrites the decision table.

#![allow(unreachable_pub, reason = "the modules of a test")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as it should be"
)]

mod agreement;
mod binding;
mod bridge;
mod compare;
mod decisions;
mod exhaustive;
mod generate;
mod random;
mod reference;
mod rulings;
mod teeth;
