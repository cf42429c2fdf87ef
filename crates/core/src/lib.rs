//! Typed function graphs: documents, checked edits, expressions, and their evaluation.
//!
//! A [`Document`](graph::Document) holds functions, the resources that they use, a 3MF model and a knowledge graph. A
//! function is an acyclic dataflow graph of typed nodes; most of them are signed distance functions, which describe
//! solids implicitly. This crate builds, changes, checks, prints and evaluates them. It is the model of Fibula, not an
//! application: files, projects, meshing and drawing are in crates above it, and it does no input or output.
//!
//! # Tour
//!
//! Text becomes a function, edits change the document, and a tape evaluates it:
//!
//! ```
//! use fibula_core::edit::{self, Edit, FunctionEdit};
//! use fibula_core::eval::Tape;
//! use fibula_core::expression;
//! use fibula_core::graph::{Document, NodeId};
//! use fibula_nodes::Type;
//!
//! // A function from an expression.
//! let mut document = Document::default();
//! let ball = expression::add_function(&mut document, "Ball", "length(pos) - 5")?;
//!
//! // A function node by node: the absolute value of the ball. Each step is an edit, which is checked first.
//! let (inputs, outputs) = ([("pos", Type::Float3)], [("shape", Type::Float)]);
//! let surface = document.create_function("Surface", &inputs, &outputs)?;
//! let call = document.create_node(surface, "FunctionCall")?;
//! document.set_value(surface, (call, "functionID"), ball.0)?;
//! let abs = document.create_node(surface, "Abs")?;
//! document.link(surface, (NodeId(1), "pos"), (call, "pos"))?; // node 1 is Begin
//! document.link(surface, (call, "shape"), (abs, "A"))?;
//! document.link(surface, (abs, "result"), (NodeId::END, "shape"))?;
//! assert_eq!(expression::print(&document, surface)?, "abs(Ball(pos))");
//!
//! // An edit that breaks a rule is rejected with a stable code, and one that was applied is undone by its inverse.
//! let second = document.link(surface, (abs, "result"), (call, "pos"));
//! assert_eq!(second.unwrap_err().code(), "already_linked");
//! let delete = Edit::Function(FunctionEdit::Delete { function_id: surface });
//! let checked = edit::check(&document, &delete)?;
//! let undo = checked.inverse().clone();
//! checked.apply(&mut document);
//! undo.apply(&mut document)?;
//!
//! // Calls are inlined into a tape, which is optimised once and evaluated at many points.
//! let tape = Tape::new(&document, surface)?;
//! assert_eq!(tape.at([0.0, 0.0, 3.0]), [2.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//!
//! 1. Every function in a document is acyclic and well typed, and no function calls itself, directly or indirectly.
//! 2. A document changes only by checked edits and checked insertions. [`edit::check`] leaves the document unchanged,
//!    applying its result cannot fail, and its inverse restores the previous state.
//! 3. Ids are never reused. The hash of a state is the same on every platform and in every version.
//! 4. Cloning a document is cheap (copy-on-write), so readers keep snapshots while others write.
//! 5. All evaluators give the same bits, except for the sign and payload of NaN; a printed expression parses to a
//!    function with the same values.
//!
//! # Costs and limits
//!
//! Checks of a link take time in the nodes between its ends, other edits in the elements that they change. Building,
//! printing and flattening are linear. Parsers, walks and flattening need no stack in proportion to their input.
//! Limits: [`MOST_NODES`](graph::MOST_NODES) per function, [`MOST_PORTS`](graph::MOST_PORTS) per side of a function,
//! and [`MOST_OPERATIONS`](eval::MOST_OPERATIONS) after all calls are inlined.
//!
//! # Where to start
//!
//! [`graph`] is the document and its functions, [`edit`] its changes, history and undo, [`expression`] the text form,
//! [`eval`] tapes and solids, [`oracle`] meshes, beam lattices and images, [`refactor`] composite edits, and [`library`]
//! the built-in functions. Node kinds are in `fibula_nodes`, the optimiser and evaluators in `fibula_eval`.

pub mod colour;
pub mod escape;
pub mod quote;
pub mod vector;

pub use fibula_knowledge::progress;

pub mod graph;

pub mod edit;
pub mod eval;
pub mod expression;
pub mod oracle;
pub mod refactor;

pub mod library;
