//! What a node is, and every kind of node there is.
//!
//! A node kind is written once, in one family file, in the operations of the closed [`kernel`]; everything
//! else (the tool list, the documentation, link checks, file formats, evaluators, laws) is derived from it.
//! This crate knows nothing of graphs, files, JSON schema or MCP.
//!
//! ```
//! use fibula_nodes::{Value, catalogue};
//!
//! let sine = catalogue::kind("Sine").expect("every native element has a kind");
//! assert_eq!(sine.element, "sin");
//! assert_eq!(sine.signature.parameters[0].name, "A");
//! assert_eq!(sine.examples[0].inputs[0], Value::Float(0.5));
//! ```

pub mod names;
pub mod value;

pub mod oracle;

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
pub use kernel::{Binary, Expr, Kernel, Operation, Unary};
pub use node::{Example, Family, KindInfo, LowerError, Lowering, Node, Scope};
pub use oracle::{Bounds, Filter, Oracle, OracleUse, Query, TileStyle};
pub use port::{FunctionType, Overload, Parameter, Port, PortSpec, Signature};
pub use value::{ResourceId, ResourceKind, Type, UnknownType, Value, ValueError};
