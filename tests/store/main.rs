//! Logs of projects: stores, crashes, faults, several processes.

#[path = "../logs/mod.rs"]
mod logs;
#[path = "../talk/mod.rs"]
#[expect(dead_code, reason = "the agents' tests use the rest")]
mod talk;

mod crash;
mod faults;
mod processes;
mod sqlite;
mod store;
