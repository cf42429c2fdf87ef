//! Functions and their graphs: nodes, links, node types, the library, and their export as code and diagrams.

mod next_step;

mod node_types;

pub(crate) mod library;

pub(crate) mod definitions;

pub(crate) mod parameters;

pub(crate) mod written;

pub(crate) mod node_parameters;

mod links;
mod nodes;

mod node_list;

mod code_export;
mod graph_picture;

pub use code_export::{FunctionText, GetFunctionText, JsonFloat, TextFormat};
pub use definitions::{
    CreateFunctionFromExpression, FunctionCreated, FunctionInfo, FunctionShown, FunctionsListed,
    GetFunction, GraphFormat, ListFunctions,
};
pub use graph_picture::{FunctionPicture, GetFunctionPicture, PictureFormat};
pub use library::{InsertedFunction, LibraryInfo, LibraryInputInfo};
pub use links::{CreateLink, DeleteLink, LinkCreated, LinkDeleted};
pub use node_list::{ListNodes, NodesListed};
pub use node_types::{
    Detail, ExampleInfo, ListNodeTypes, NodeTypeInfo, NodeTypesListed, ParameterTypeInfo, RuleInfo,
};
pub use nodes::{
    CreateNode, DeleteNode, GetNodeInfo, NodeCreated, NodeDeleted, NodeInfo, ParameterInfo,
    PortInfo, SetParameterValue, TargetInfo, ValueSet,
};
pub use parameters::{FunctionParameter, ListParameters, ParameterValue, ParametersListed};
