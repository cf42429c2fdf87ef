//! Function graphs and the document that holds them.

mod data;
mod ids;

pub use data::{FunctionData, NodeData, Setting, SourceData};
pub use ids::{FunctionId, NodeId};
