//! Fibula: a typed node-graph function editor, as a library.
//!
//! Modules are floors, and imports look down only: [`graph`]; [`edit`], [`eval`] and [`expression`];
//! [`format`](mod@format); [`service`]; [`mcp`] and [`http`]; [`cli`].

pub mod graph;

pub mod edit;
pub mod eval;
pub mod expression;

pub mod format;

pub mod service;

pub mod http;
pub mod mcp;

pub mod cli;
