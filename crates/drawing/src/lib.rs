//! Layouts and pictures of graphs, without a browser or a display.
//!
//! The crate draws two kinds of graphs: the dataflow graphs of functions, whose nodes have ports, and knowledge graphs, whose
//! nodes have labels and types. Both become a [`Scene`](scene::Scene) of shapes, texts and paths, from which one SVG writer
//! and one rasteriser make files. It opens no files, changes no graphs, and is no general drawing library: a scene has the
//! shapes that diagrams need.
//!
//! | module | contents |
//! |---|---|
//! | [`image`] | RGB pixels, alpha blending, PNG files |
//! | [`lettering`] | texts of all scripts in images, with fonts of the program and of the system |
//! | [`scene`] | shapes, text metrics, the SVG writer, the rasteriser |
//! | [`diagram`] | functions as scenes, Graphviz DOT and Mermaid; the layered layout with ports (Sugiyama framework) |
//! | [`sketch`] | knowledge graphs as scenes and HTML pages; force-directed, layered, radial, grid and circular layouts |
//!
//! A knowledge graph is laid out by a [method](sketch::Method), and drawn with the positions:
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use fibula_drawing::sketch::{self, Method, Options, Subject};
//! use fibula_knowledge::KnowledgeData;
//!
//! let data: KnowledgeData = serde_json::from_str(
//!     r#"{ "nodes": [
//!              { "id": "a", "label": "Ann", "types": ["Person"], "creator": "me", "created": 0, "modified": 0,
//!                "version": 1, "order": 0 },
//!              { "id": "b", "label": "Bob", "types": ["Person"], "creator": "me", "created": 0, "modified": 0,
//!                "version": 1, "order": 1 }],
//!          "edges": [
//!              { "id": "e", "source": "a", "target": "b", "type": "knows", "creator": "me", "created": 0,
//!                "modified": 0, "order": 0 }] }"#,
//! )?;
//! let knowledge = data.knowledge()?;
//! let watch = |_, _| ControlFlow::Continue(());
//!
//! let options = Options::default();
//! let subject = Subject::new(&knowledge.sorted_nodes(), &knowledge.sorted_edges())?;
//! let positions = subject.plan(options.marks).lay_out(&Method::default(), &watch)?;
//! let scene = sketch::draw(&subject, &positions, &options, &watch)?;
//!
//! assert!(scene.svg().contains(">Ann</text>"));
//! assert_eq!(scene.png(1, &watch)?[..4], *b"\x89PNG");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Promises
//! 1. The same graph, options and positions always yield the same bytes, on every machine and with any number of threads;
//!    texts with characters that only fonts of the system have depend on these.
//! 2. Nodes do not overlap in a layout, and links of a diagram run through no node.
//! 3. A text is as wide in a picture as the layout expects, whatever characters it has. Names and labels are escaped: no text
//!    becomes markup or script.
//! 4. Every long computation calls a callback, which may cancel it.
//!
//! # Costs and limits
//! A layered layout takes the time of a few dozen sorts of its links and has at most
//! [`MAX_VERTICES`](diagram::layout::MAX_VERTICES) vertices. An iteration of the force-directed layout takes time in
//! O(n log n) for n nodes, and runs on all threads. A sketch has at most [`MAX_NODES`](sketch::MAX_NODES) nodes and
//! [`MAX_EDGES`](sketch::MAX_EDGES) edges, and an image at most [`MAX_PIXELS`](scene::MAX_PIXELS) pixels. The fonts in the
//! program take 3.4 MB. Texts are as wide as their shaped letters; characters of no font are boxes with their code points.
//!
//! # Where to start reading
//! [`scene`] for the model of pictures, [`diagram::layout`] for the layered layout, and [`sketch`] for the way from a
//! knowledge graph to a picture.

pub mod image;
mod rasterizer;

pub mod lettering;

pub mod scene;

pub mod diagram;

pub mod sketch;
