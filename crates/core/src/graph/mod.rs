//! Function graphs and the document that holds them.

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
pub mod model;
mod nodes;
mod order;
mod resolve;
mod resource;
mod schedule;
mod state;
mod users;
mod view;

pub use build::{LONGEST_NAME, MOST_NODES, MOST_PORTS, check_name};
pub(crate) use build::{check_ports, check_position, make, node_type};
pub use compact::{Compact, More};
pub use data::{FunctionData, NodeData, Setting, SourceData};
pub use document::Document;
pub use error::{End, GraphError, InvalidValue, NodeLabel, bridges};
pub use file::{ContentHash, File, NoContentHash};
pub use function::Function;
pub(crate) use function::{Input, NodeKey, Stored, shortened};
pub use ids::{FunctionId, NodeId, Used};
pub(crate) use link::{InputPlan, setting_of};
pub use resolve::Side;
pub(crate) use resolve::{Rekind, Retyping};
pub use resource::{Content, ImageFunction, Resource};
pub use schedule::{Schedule, Source, Step};
pub use state::{
    ContentData, DocumentData, FileData, ImageFunctionData, ResourceData, StateError, UsedIds,
};
pub use users::User;
pub use view::{Argument, NodeView};
