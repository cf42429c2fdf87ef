//! The command line, and what the documentation says.

#[macro_use]
#[path = "../check/mod.rs"]
mod check;

mod cli;
mod documentation;
mod floors;
