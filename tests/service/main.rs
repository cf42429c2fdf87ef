//! The service through its library and over HTTP.

#[macro_use]
#[path = "../check/mod.rs"]
mod check;
#[path = "../archive/mod.rs"]
mod archive;
#[path = "../calls/mod.rs"]
#[expect(dead_code, reason = "other programs use the rest")]
mod calls;
#[macro_use]
#[path = "../talk/mod.rs"]
#[expect(dead_code, unused_macros, reason = "the agents' tests use the rest")]
mod talk;

mod attack_run;
mod http;
mod observability;
mod rest;
mod selection;
mod service;
mod soak;
