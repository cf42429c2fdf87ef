//! Flowcharts of Mermaid (<https://mermaid.js.org/syntax/flowchart.html>), which many sites render in Markdown.
//!
//! The reader supports nodes of all shapes with their texts and properties, links of all kinds with their texts and ids,
//! chains, and groups (`A & B`). The text of a link is its type, or its label if it is no valid type. The data of a node has
//! its shape, its classes, and the subgraph in which it occurs first. A subgraph at which a link ends becomes a node. Styles
//! are left out with a repair. Other diagrams of Mermaid are rejected.
//!
//! The writer writes labels and types, and the reader restores both: the types are the italic last line of a quoted text.

mod cursor;
mod link;
mod parser;
mod shape;
mod text;
mod vertex;
mod write;

pub(super) use parser::{DIRECTIONS, read};
pub(super) use write::write;
