//! Fibula: a typed node-graph function editor, as a library.
//!
//! Functions are dataflow graphs of typed nodes. They are held by a [`graph::Document`], changed by
//! [`edit::Edit`]s that are checked before they happen, written as [`expression`]s, read from files by
//! [`format`](mod@format), evaluated by [`eval`] (meshes that they ask are [`oracle`]s), and sampled over space by
//! [`geometry`].
//!
//! ```
//! use fibula::{eval::Tape, expression, graph::Document};
//!
//! let mut document = Document::default();
//! let ball = expression::add_function(&mut document, "Ball", "length(pos) - 5")?;
//! let tape = Tape::new(&document, ball)?;
//! assert_eq!(tape.at([8.0, 0.0, 0.0]), [3.0]); // 3 mm outside
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The program's own floors stand on these: [`service`] takes plain requests and gives plain answers; [`mcp`] and
//! [`http`] speak to agents and programs, [`cli`] to people. Modules are floors, and imports look down only.

pub use fibula_core::{edit, eval, expression, graph, library, oracle};
pub use fibula_geometry as geometry;
pub use fibula_knowledge::{self as knowledge, network, search};
pub use fibula_server::{http, mcp};
pub use fibula_service as service;
pub use fibula_store as store;

/// Files that projects are read from and written to.
pub mod format {
    pub use fibula_3mf as threemf;
    pub use fibula_drawing::{diagram, sketch};
    pub use fibula_formats::{contours, masks, mesh, points, values, vm};
    pub use fibula_graph_formats as network;
}

pub mod cli;

/// The code blocks of the README and the tutorial are compiled and run as tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../README.md")]
    mod readme {}

    #[doc = include_str!("../docs/tutorial.md")]
    mod tutorial {}
}
