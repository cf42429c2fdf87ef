//! Flowcharts of Mermaid (<https://mermaid.js.org/syntax/flowchart.html>), which many sites show where Markdown has a block of
//! them.
//!
//! Read are nodes of all shapes with their texts and properties, links of all kinds with their texts and ids, chains, and
//! groups (`A & B`). The text of a link is its type; one that no type can be is its label. A node keeps as data its shape, its
//! classes, and in which subgraph it was mentioned first. A subgraph at which a link ends becomes a node. What says how the
//! whole is drawn is left out and told. Other diagrams of Mermaid are refused.
//!
//! Written are labels and types. Both come back: the types are the slanted last line of a text in quotes.

mod cursor;
mod link;
mod parser;
mod shape;
mod text;
mod vertex;
mod write;

pub(super) use parser::{DIRECTIONS, read};
pub(super) use write::write;
