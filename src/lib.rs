//! Fibula: a typed node-graph function editor, as a library.
//!
//! A function is a dataflow graph of typed nodes, as in the 3MF implicit extension: above all a signed distance function,
//! negative inside, with lengths in millimetres and angles in radians. This crate is the facade of the workspace and the
//! program `fibula`; each module is a crate of its own. It is not a CAD kernel: there are no boundary representations,
//! and meshes are made of functions, not edited.
//!
//! # Build a function
//! By an expression, or node by node. Every change is an [`edit::Edit`], which is checked before it is applied; a refused
//! one has changed nothing.
//! ```
//! use fibula::expression;
//! use fibula::graph::{Document, NodeId};
//! use fibula::nodes::Type;
//!
//! let mut document = Document::default();
//! let ball = expression::add_function(&mut document, "Ball", "length(pos) - 5")?;
//!
//! let shell = document.create_function("Shell", &[("pos", Type::Float3)], &[("shape", Type::Float)])?;
//! let length = document.create_node(shell, "Length")?;
//! let distance = document.create_node(shell, "Subtraction")?;
//! let thickness = document.create_node(shell, "Abs")?;
//! document.link(shell, (NodeId(1), "pos"), (length, "A"))?; // node 1 is Begin, which has the inputs
//! document.link(shell, (length, "result"), (distance, "A"))?;
//! document.set_value(shell, (distance, "B"), 5.0)?;
//! document.link(shell, (distance, "result"), (thickness, "A"))?;
//! document.link(shell, (thickness, "result"), (NodeId::END, "shape"))?;
//! assert_eq!(expression::print(&document, shell)?, "abs(length(pos) - 5)");
//!
//! let refused = document.link(shell, (length, "result"), (thickness, "A")).unwrap_err();
//! assert_eq!(refused.code(), "already_linked");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Evaluate it
//! A function is compiled once to a tape, which evaluates points, gradients and intervals.
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
//! # Use the service
//! A [`service::Service`] keeps projects with their history. Requests and answers are plain types with JSON forms; many
//! edits are one transaction. It also draws, measures, slices and meshes.
//! ```
//! use std::ops::ControlFlow;
//!
//! use fibula::edit::Origin;
//! use fibula::service::{ApplyEdits, MakePart, MeasurePart, Service, Validate};
//! use serde_json::{from_value, json, to_value};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let service = Service::default();
//! let origin = Origin::program("tour", "example");
//! let edits: ApplyEdits = from_value(json!({ "edits": [
//!     { "set_function": { "function_id": 1, "name": "Ball",
//!         "inputs": [{ "name": "pos", "type": "float3" }],
//!         "outputs": [{ "name": "shape", "type": "float" }] } },
//!     { "create_node": { "function_id": 1, "node_id": "$length", "node_type": "Length",
//!         "parameters": { "A": { "source": { "node_id": 1, "port": "pos" } } } } },
//!     { "create_node": { "node_id": "$radius", "node_type": "Subtraction",
//!         "parameters": { "A": { "source": { "node_id": "$length", "port": "result" } }, "B": { "value": 5 } } } },
//!     { "create_link": { "source_node_id": "$radius", "source_port_name": "result",
//!         "target_node_id": 0, "target_parameter_name": "shape" } },
//! ] }))?;
//! assert_eq!(service.apply_edits(&origin, edits)?.revision, 1);
//!
//! let progress = &mut |_, _| ControlFlow::Continue(());
//! // Check that every function can be evaluated.
//! let checked = service.validate(&Validate { project: None, code: true }, progress)?;
//! assert!(checked.faults.is_empty());
//! // Measure it: a sphere of radius 5.
//! let request: MeasurePart = from_value(json!({ "function_id": 1, "cell": 0.5 }))?;
//! let measured = to_value(service.measure_part(&request, progress)?)?;
//! let volume = measured["figures"]["volume"]["value"].as_f64().unwrap();
//! assert!((volume - 523.6).abs() < 5.0);
//! // Mesh it, as a file of triangles.
//! let request: MakePart = from_value(json!({ "function_id": 1, "format": "stl", "cell": 0.5 }))?;
//! assert!(service.part_bytes(&request, progress)?.len() > 84);
//! # Ok(())
//! # }
//! ```
//!
//! # Keep knowledge
//! Each project has a knowledge graph, whose edges may end at functions; see [`knowledge`], [`network`] and [`search`].
//! ```
//! use fibula::edit::Origin;
//! use fibula::service::{AddNodes, SearchNodes, Service};
//! use serde_json::{from_value, json};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let service = Service::default();
//! let request: AddNodes = from_value(json!({
//!     "nodes": [{ "label": "wall >= 2 mm", "types": "requirement" }, { "label": "bracket", "types": "part" }],
//!     "edges": [{ "source": "wall >= 2 mm", "target": "bracket", "type": "constrains" }],
//! }))?;
//! service.add_nodes(&Origin::program("tour", "example"), request)?;
//! let request: SearchNodes = from_value(json!({ "query": "braket" }))?;
//! assert_eq!(service.search_nodes(&request)?.nodes[0].node.label, "bracket");
//! # Ok(())
//! # }
//! ```
//!
//! # Serve it
//! [`mcp`] serves agents, [`http`] programs and pages, [`cli`] people at a terminal; all three call the service only.
//! With the feature `compat` (on by default), [`mcp::TOOLSETS`] has toolsets with the tools of other systems.
//!
//! # Invariants
//! - Documents are valid at all times: types of links agree, there are no cycles, and calls do not recurse.
//! - Values of a function are the same on every platform and with every evaluator in double precision.
//! - A change is durable when its call returns, unless the store is opened otherwise.

pub use fibula_core::{edit, eval, expression, graph, library, oracle, refactor};
pub use fibula_geometry as geometry;
pub use fibula_knowledge::{self as knowledge, network, search};
pub use fibula_nodes as nodes;
pub use fibula_server::{http, operation};
pub use fibula_service as service;
pub use fibula_store as store;

#[cfg(feature = "compat")]
pub use fibula_compat as compat;

/// The MCP server, with every toolset of the program.
pub mod mcp {
    pub use fibula_server::mcp::*;

    /// Every toolset, in the order in which their tools are listed.
    pub const TOOLSETS: &[Toolset] = &[
        Toolset::PROJECT,
        Toolset::FUNCTION,
        Toolset::GEOMETRY,
        Toolset::KNOWLEDGE,
        Toolset::PROJECT_EXTRA,
        Toolset::KNOWLEDGE_EXTRA,
        #[cfg(feature = "compat")]
        fibula_compat::GLADIUS,
        #[cfg(feature = "compat")]
        fibula_compat::MEMORY,
        #[cfg(feature = "compat")]
        fibula_compat::GRAPH_MODE,
        #[cfg(feature = "compat")]
        fibula_compat::GRAPHINATE,
        #[cfg(feature = "compat")]
        fibula_compat::DISCOURSE,
    ];
}

/// Files that projects are read from and written to.
pub mod format {
    pub use fibula_3mf as threemf;
    pub use fibula_drawing::{diagram, scene, sketch};
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
