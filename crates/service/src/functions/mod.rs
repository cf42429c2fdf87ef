//! Functions and their graphs: nodes, links, node types, the library, and their export as code and diagrams.

pub(crate) mod next_step;

mod node_types;

pub(crate) mod library;

pub(crate) mod written;

pub(crate) mod call_notes;

mod put_function;

pub(crate) mod definitions;

pub(crate) mod parameters;

pub(crate) mod node_parameters;

mod links;
mod nodes;
mod set_parameters;

mod node_list;

mod code_export;
mod graph_layout;
mod graph_picture;

pub(crate) mod link_candidates;

pub use code_export::{FunctionText, GetFunctionText, JsonFloat, TextFormat};
pub use definitions::{
    CreateFunctionFromExpression, FunctionCreated, FunctionInfo, FunctionShown, FunctionsListed,
    GetFunction, GraphFormat, ListFunctions,
};
pub use graph_layout::{ApplyLayout, FunctionLayout, GetLayout, NodeSize};
pub use graph_picture::{FunctionPicture, GetFunctionPicture, PictureFormat};
pub use library::{InsertedFunction, LibraryInfo, LibraryInputInfo, search_cad_terms};
pub use link_candidates::{
    CompatibleFunction, CompatibleLinks, CompatibleNode, CompatibleNodeType, GetCompatibleLinks,
};
pub use links::{CreateLink, DeleteLink, LinkCreated, LinkDeleted};
pub use node_list::{ListNodes, NodesListed};
pub use node_types::{
    Detail, ExampleInfo, ListNodeTypes, NodeTypeInfo, NodeTypesListed, ParameterTypeInfo, RuleInfo,
};
pub use nodes::{
    CreateNode, DeleteNode, GetNodeInfo, NodeCreated, NodeDeleted, NodeInfo, ParameterInfo,
    PortInfo, TargetInfo,
};
pub use parameters::{FunctionParameter, ListParameters, ParameterValue, ParametersListed};
pub use set_parameters::{SetParameterValue, ValueSet};
