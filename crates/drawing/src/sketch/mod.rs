//! Sketches of knowledge graphs: layouts, scenes and interactive pages.
//!
//! A [`Subject`] is the part of a graph that is drawn: nodes, edges, and the functions at which edges end. Its
//! [`plan`](Subject::plan) has the sizes of the nodes and the edges between them, and [`Plan::lay_out`] computes a position of
//! each node by one of several methods. [`draw`] composes a [`Scene`](crate::scene::Scene) from a subject and positions, and
//! [`page`] writes an HTML file in which a person explores the graph. Nothing here changes a graph or opens a file.
//!
//! ```text
//! Subject --plan--> Plan --lay_out--> positions
//!    |                                   |
//!    +----------------+------------------+
//!                     |
//!               draw  |  page
//!                |         |
//!              Scene     HTML
//!              |   |
//!             SVG PNG
//! ```

mod error;
mod layout;
mod picture;
mod subject;

pub use error::SketchError;
pub use layout::{Flow, Force, MAX_EDGES, MAX_NODES, Method, Plan};
pub use picture::{MAX_PAGE_BYTES, MAX_SIDE, Marks, Options, Theme, draw, page};
pub use subject::{Subject, Vertex};

#[cfg(test)]
mod tests;
