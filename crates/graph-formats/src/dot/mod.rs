//! The DOT language of Graphviz (<https://graphviz.org/doc/info/lang.html>).
//!
//! Read are statements of nodes, edges, attributes and subgraphs, chains of edges between all of these, and ids in quotes and
//! in HTML. Known attributes become fields (label, type, weight, pos); the others are data. A node says in which named
//! subgraph it was mentioned first. What "strict" asks for is not done: edges that are there twice stay.
//!
//! Written are labels, first types, weights and positions.

mod lexer;
mod parser;
mod write;

pub(super) use parser::read;
pub(super) use write::{Has, left_out, write};
