//! The service through its library and over HTTP.

#[path = "../talk/mod.rs"]
#[expect(dead_code, reason = "the agents' tests use the rest")]
mod talk;

mod http;
mod rest;
mod service;
