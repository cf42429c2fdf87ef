//! Node kinds: every kind of node of a function graph, with its documentation, types, examples and semantics.
//!
//! A kind is declared once, by [`node!`] in one family file. Everything else is derived from that declaration: the
//! list of kinds for tools, the documentation, the checks of links, the file formats, the evaluators, and the tests
//! that all kinds have to pass. The crate knows nothing of graphs, files, JSON schema or MCP; it does not evaluate
//! either, beyond the definition of each operation: `fibula-eval` does.
//!
//! # A tour
//!
//! Kinds are found in the [`catalogue`](mod@catalogue); a kind lowers its semantics to the operations of a [`Kernel`]:
//!
//! ```
//! use fibula_nodes::example::World;
//! use fibula_nodes::{Bundle, Kernel, Lowering, Operation, Value, catalogue};
//!
//! let sine = catalogue::kind("Sine").expect("every native element has a kind");
//! assert_eq!(sine.element, "sin");
//! assert_eq!(sine.signature.parameters[0].name, "A");
//! assert_eq!(sine.examples[0].inputs[0], Value::Float(0.5));
//!
//! // The sine of the first scalar argument.
//! let mut kernel = Kernel::new();
//! let x = Bundle::Float(kernel.variable(0));
//! let mut lowering = Lowering { kernel: &mut kernel, scope: &mut World };
//! let outputs = (sine.make)().lower(&[x], &mut lowering).expect("it refers to nothing");
//! let [.., last] = kernel.operations() else { unreachable!() };
//! assert!(matches!(last, Operation::Unary(fibula_nodes::Unary::Sin, _)));
//! assert_eq!(outputs[0].float().index(), 1);
//! ```
//!
//! # Concepts
//!
//! - A [`Node`] is a value of some kind; [`KindInfo`] is what all nodes of a kind share. Its [`Signature`] has
//!   [parameters](Parameter) (inputs), [ports](Port) (outputs) and [overloads](Overload), which tie their types together.
//! - A [`Value`] has one of six [types](Type). During lowering a value is a [`Bundle`] of kernel scalars, or known.
//! - A [`Kernel`] is a list of scalar operations, hash-consed and with constants folded. [`Unary::apply`] and
//!   [`Binary::apply`] define the operations in `f64`.
//! - An [`Oracle`] samples what is no formula: meshes, beam lattices, images.
//!
//! # Invariants
//!
//! - No implicit conversions. Angles are radians, lengths are in the document's unit, matrices are row-major and transform
//!   row vectors.
//! - The kernel is closed: every `match` on an operation is exhaustive, so a new operation stops the build at each backend
//!   that lacks it. Kinds are open: `node!` works in other crates, too.
//! - Names are matched exactly first, then ignoring ASCII case; failures come with the [nearest names](names::nearest).
//! - Every kind has at least one worked example, which is its documentation and its test.
//!
//! # Costs
//!
//! Looking a kind up by its name is a hash lookup. Lowering is linear in the operations; equal operations cost a hash
//! lookup each.
//!
//! # Where to start reading
//!
//! `arithmetic` for how kinds look, then [`node`](mod@node) for the trait and the macro, [`port`] for overloads,
//! [`kernel`] for the operations. `call` and `boundary` have the kinds whose ports follow a function.

pub mod names;
pub mod value;

pub mod oracle;

pub mod input;
pub mod kernel;
pub mod port;

pub mod bundle;

#[macro_use]
pub mod node;
pub mod catalogue;
pub mod example;

pub mod arithmetic;
pub mod boundary;
pub mod call;
pub mod choice;
pub mod constant;
pub mod exponential;
pub mod matrix;
pub mod resource;
pub mod rounding;
pub mod trigonometry;
pub mod vector;

#[doc(hidden)]
pub use {inventory, typetag};

pub use bundle::Bundle;
pub use input::InputDetails;
pub use kernel::{Binary, Expr, Kernel, Operation, Unary};
pub use node::{Example, Family, KindInfo, LowerError, Lowering, Node, Scope};
pub use oracle::{Bounds, Filter, Oracle, OracleUse, Query, TileStyle};
pub use port::{FunctionType, Overload, Parameter, Port, PortSpec, Signature};
pub use value::{ResourceId, ResourceKind, Type, UnknownType, Value, ValueError};
