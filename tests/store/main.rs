//! Logs of projects: stores, crashes, faults, several processes.

#[macro_use]
#[path = "../check/mod.rs"]
#[expect(unused_macros, reason = "other programs use the rest")]
mod check;
#[path = "../calls/mod.rs"]
#[expect(dead_code, reason = "other programs use the rest")]
mod calls;
#[path = "../logs/mod.rs"]
mod logs;
#[macro_use]
#[path = "../talk/mod.rs"]
#[expect(dead_code, reason = "the agents' tests use the rest")]
mod talk;

mod crash;
mod damage_answers;
mod faults;
mod power;
mod processes;
mod sqlite;
mod store;
