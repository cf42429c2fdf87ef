//! The command line, and what the documentation says.

#[macro_use]
#[path = "../check/mod.rs"]
#[expect(unused_macros, reason = "other programs use the rest")]
mod check;

mod cli;
mod documentation;
mod floors;
