//! Function graphs, and documents of functions, resources and a knowledge graph.

mod build;
mod compact;
mod data;
mod document;
mod error;
mod file;
pub(crate) mod form;
mod function;
mod hash;
mod ids;
mod link;

mod candidates;

pub mod model;
mod nodes;
mod order;
mod parameter;
mod referrers;
mod resolve;
mod resource;
mod schedule;
mod state;
mod view;

pub use build::{LONGEST_NAME, MOST_NODES, MOST_PORTS, check_name};
pub(crate) use build::{check_ports, check_position, make, node_type};
pub use candidates::{LinkCandidate, LinkStart, NewNodeCandidate};
pub use compact::{Compact, CompactDetails, CompactModel};
pub use data::{FunctionData, NodeData, Setting, SourceData};
pub use document::Document;
pub use error::{Endpoint, GraphError, InvalidValue, NodeLabel, bridges};
pub use file::{ContentHash, File, ParseContentHashError};
pub use function::Function;
pub(crate) use function::{Input, NodeKey, Stored, shortened};
pub use ids::{FunctionId, IdSet, NodeId};
pub(crate) use link::{InputPlan, input_setting};
pub use parameter::NamedConstant;
pub use referrers::Referrer;
pub use resolve::Side;
pub(crate) use resolve::{Rekind, Retyping};
pub use resource::{Content, ImageFunction, Resource, TriangleList};
pub(crate) use schedule::{InputSource, Schedule};
pub use state::{
    ContentData, DocumentData, FileData, ImageFunctionData, ResourceData, StateError, UsedIds,
};
pub use view::{Argument, NodeView};
