//! The MCP server through its clients.

#[macro_use]
#[path = "../check/mod.rs"]
#[expect(unused_macros, reason = "other programs use the rest")]
mod check;
#[path = "../archive/mod.rs"]
mod archive;
#[macro_use]
#[path = "../agent/mod.rs"]
mod agent;
#[macro_use]
#[path = "../talk/mod.rs"]
mod talk;

mod batches;
mod decisions;
mod dialects;
mod distances;
mod edit_effects;
mod features;
mod files;
mod fuzz;
mod generative;
mod geometry;
mod gladius;
mod guidance;
mod hostile;
mod inputs;
mod knowledge;
mod marks;
mod mcp;
mod overview;
mod parameters;
mod plate;
mod precise;
mod sampling_clients;
mod steps;
mod subscriptions;
mod surface;
mod tasks;
mod tour;
mod views;
mod walls;
