//! Knowledge graphs as pictures: places for nodes, and what is drawn there.
//!
//! [`Plan`] says how large the nodes are and which edges join them, and [`Plan::lay_out`] finds places by one of several
//! methods. [`Subject`] is what is to be seen of a graph: nodes, edges, and the functions at which edges end. Of a subject
//! and places a [`Scene`] is composed, discs, boxes, lines and texts, from which the SVG and the PNG are both written;
//! [`page`] is an HTML file in which a graph is looked at. Nothing here changes a graph or opens a file.
//!
//! ```text
//! Subject --plan--> Plan --lay_out--> places
//!    |                                  |
//!    +---------------+------------------+
//!                    |
//!        Scene::new  |  page
//!          |     |       |
//!         svg   png    HTML
//! ```

mod error;
mod layout;
mod picture;
mod subject;

pub use error::SketchError;
pub use layout::{Flow, Force, MOST_EDGES, MOST_NODES, Method, Plan};
pub use picture::{
    Colour, Group, LARGEST_PAGE, LARGEST_SCALE, LINE, MOST_PIXELS, MOST_SIDE, Marks, Options,
    Scene, Shape, Theme, page,
};
pub use subject::{Subject, Vertex};

#[cfg(test)]
mod tests;
