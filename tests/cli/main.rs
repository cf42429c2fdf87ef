//! The command line, and what the documentation says.

#[macro_use]
#[path = "../check/mod.rs"]
#[expect(unused_macros, reason = "other programs use the rest")]
mod check;
#[path = "../archive/mod.rs"]
#[expect(dead_code, reason = "other programs use the rest")]
mod archive;

#[path = "../talk/mod.rs"]
#[expect(unused_macros, dead_code, reason = "other programs use the rest")]
mod talk;

mod cli;
mod doctor;
mod documentation;
mod floors;
