//! The document and its meaning: node kinds, edits, history, expressions.

#[macro_use]
#[path = "../check/mod.rs"]
#[expect(unused_macros, reason = "other programs use the rest")]
mod check;
#[path = "../calls/mod.rs"]
#[expect(dead_code, reason = "other programs use the rest")]
mod calls;
#[path = "../random/mod.rs"]
mod random;
#[path = "../world/mod.rs"]
mod world;

mod candidates;
mod catalogue;
mod edits;
mod expression;
mod history;
mod links;
mod model_edits;
mod rebuild;
mod reshape;
mod state;
