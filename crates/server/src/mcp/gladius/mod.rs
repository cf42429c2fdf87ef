//! The toolset `gladius`: the tools of Gladius's MCP server by their names, arguments and answers, over the same
//! service. It is off by default.
//!
//! What both systems call the same is in the toolset `function` and stays as it is there: `create_node`, `delete_node`,
//! `create_link`, `delete_link`, `set_parameter_value`, `get_node_info` and `create_function_from_expression`. Gladius
//! works on one open document; here every tool takes a `project`, which is "default" if left out. What cannot be done
//! here is left out, and docs/gladius.md says why.

mod document;
mod graph;
mod library;
mod model;
mod nodes;

use fibula_core::edit::Origin;
use fibula_nodes::Type;
use fibula_service::{ApplyEdits, EditsApplied, NodeInfo, Refusal};
use rmcp::handler::server::router::tool::ToolRouter;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::reply::Fail;
use super::server::Server;

/// Members whose names and values depend on what they are about.
type Members = Map<String, Value>;

/// A project, and nothing else.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OfProject {
    /// Left out: "default".
    project: Option<String>,
}

/// What was done, in words.
#[derive(Debug, Serialize, JsonSchema)]
struct Said {
    success: bool,
    message: String,
    revision: u64,
}

impl Server {
    /// All tools of the toolset.
    pub(super) fn gladius_tools() -> ToolRouter<Self> {
        Self::gladius_document_tools()
            + Self::gladius_graph_tools()
            + Self::gladius_library_tools()
            + Self::gladius_model_tools()
            + Self::gladius_node_tools()
    }

    /// Makes edits as one.
    fn edits(
        &self,
        origin: &Origin,
        project: Option<String>,
        edits: Vec<Value>,
    ) -> Result<EditsApplied, Fail> {
        let request = ApplyEdits {
            project,
            edits,
            ..ApplyEdits::default()
        };
        let is_one = request.edits.len() == 1;
        let applied = self.service().apply_edits(origin, request);
        Ok(applied.map_err(|refusal| if is_one { alone(refusal) } else { refusal })?)
    }
}

/// The refusal of an edit that is no list of edits for who asked.
fn alone(refusal: Refusal) -> Refusal {
    let Some(edit) = refusal.details.get("edit").and_then(Value::as_str) else {
        return refusal;
    };
    let place = if edit.is_empty() {
        "edit 0: ".to_owned()
    } else {
        format!("edit 0 ({edit}): ")
    };
    let message = refusal.message.strip_prefix(&place);
    let message = message.unwrap_or(&refusal.message).to_owned();
    let hint = refusal.hint.unwrap_or_default();
    let hint = hint.rsplit_once("nothing was changed");
    let hint = hint.map(|(own, _)| own.trim_end_matches("; ").to_owned());
    Refusal {
        code: refusal.code,
        message,
        hint: hint.filter(|own| !own.is_empty()),
        details: refusal.details.get("error").cloned().unwrap_or_default(),
    }
}

/// The members of an object that is written here.
fn members(value: Value) -> Members {
    match value {
        Value::Object(members) => members,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Members::new()
        }
    }
}

/// An object without the members that are null.
fn some(value: Value) -> Members {
    let mut all = members(value);
    all.retain(|_, value| !value.is_null());
    all
}

/// What Gladius calls a type.
fn type_name(ty: Type) -> &'static str {
    match ty {
        Type::Float => "float",
        Type::Float3 => "vec3",
        Type::Matrix4x4 => "mat4",
        Type::Integer => "int",
        Type::String => "string",
        Type::ResourceId => "resource_id",
    }
}

/// What lib3mf calls a type of a function's input or output.
fn port_type(ty: Type) -> &'static str {
    match ty {
        Type::Float => "scalar",
        Type::Float3 => "vector",
        Type::Matrix4x4 => "matrix",
        Type::Integer | Type::String => "unknown",
        Type::ResourceId => "resource_id",
    }
}

/// A name by which Gladius tells nodes apart.
fn unique_name(kind: &str, id: u32) -> String {
    format!("{kind}_{id}")
}

/// What Gladius calls a kind of node: ours, but for the two ends of a function.
fn kind_name(kind: &str) -> &str {
    match kind {
        "Begin" => "Input",
        "End" => "Output",
        other => other,
    }
}

fn invalid(message: impl Into<String>) -> Refusal {
    Refusal::new("invalid_arguments", message)
}

/// An input or output by name and type.
fn port(name: &str, ty: Type) -> Members {
    members(json!({ "name": name, "type": type_name(ty) }))
}

/// A node by its names.
fn named(info: &NodeInfo) -> Members {
    let kind = kind_name(&info.node_type);
    members(json!({
        "id": info.node_id,
        "unique_name": unique_name(kind, info.node_id.0),
        "display_name": kind_name(&info.display_name),
        "type": kind,
    }))
}
