//! The DOT language of Graphviz (<https://graphviz.org/doc/info/lang.html>).
//!
//! The reader supports statements of nodes, edges, attributes and subgraphs, chains of edges between all of these, and ids in
//! quotes and in HTML. Known attributes become fields (label, type, weight, pos); the others are data. The data of a node
//! names the named subgraph in which it occurs first. "strict" is ignored: repeated edges stay.
//!
//! The writer writes labels, first types, weights and positions.

mod lexer;
mod parser;
mod write;

pub(super) use parser::read;
pub(super) use write::{Coverage, omissions, write};
