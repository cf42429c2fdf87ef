//! The toolset `gladius`: the tools of Gladius's MCP server. It is off by default.
//!
//! Tools with the same name in both systems are those of the toolset `function`: `create_node`, `delete_node`,
//! `create_link`, `delete_link`, `set_parameter_value`, `get_node_info` and `create_function_from_expression`. Gladius
//! works on one open document; here every tool has an argument `project`, by default "default". Tools without an
//! equivalent are left out; docs/gladius.md gives the reasons.

#![expect(
    clippy::doc_markdown,
    reason = "descriptions of fields appear unchanged in schemas"
)]

/// Declares requests: the project, and the given fields.
macro_rules! requests {
    ($($(#[$meta:meta])* $name:ident { $($fields:tt)* })*) => {$(
        $(#[$meta])*
        #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        struct $name {
            /// Default "default".
            project: Option<String>,
            $($fields)*
        }
    )*};
}

mod document;
mod graph;
mod library;
mod model;
mod nodes;

use fibula_core::graph::FunctionId;
use fibula_nodes::Type;
use fibula_server::operation::{Call, Operation};
use fibula_service::{
    ApplyEdits, EditsApplied, Effects, FunctionShown, GetFunction, GraphFormat, Intent, MovedEdge,
    NodeInfo, Refusal, Service,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Name of the toolset.
pub(crate) const NAME: &str = "gladius";

/// Members of a JSON object without a fixed type.
type Members = Map<String, Value>;

requests! {
    /// Arguments of tools that have only a project.
    OfProject {}
}

/// Answer of tools that only confirm a change.
#[derive(Debug, Serialize, JsonSchema)]
struct Confirmation {
    success: bool,
    message: String,
    revision: u64,
    #[serde(flatten)]
    notes: EditNotes,
}

impl Confirmation {
    fn new(message: impl Into<String>, revision: u64, notes: EditNotes) -> Self {
        Confirmation {
            success: true,
            message: message.into(),
            revision,
            notes,
        }
    }

    fn of(message: impl Into<String>, applied: EditsApplied) -> Self {
        Confirmation::new(message, applied.revision, applied.into())
    }
}

/// Additions of Fibula to the answer of a change: what changed and what follows, edges of the knowledge graph at what was
/// changed, those that lost an end or moved to another, and warnings.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct EditNotes {
    #[serde(flatten)]
    effects: Effects,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<Members>")]
    intent: Vec<Intent>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<Members>")]
    dangling: Vec<Intent>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<Members>")]
    moved: Vec<MovedEdge>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl From<EditsApplied> for EditNotes {
    fn from(applied: EditsApplied) -> Self {
        EditNotes {
            effects: applied.effects,
            intent: applied.intent,
            dangling: applied.dangling,
            moved: applied.moved,
            warnings: applied.warnings,
        }
    }
}

/// The tools.
pub(crate) fn operations() -> Vec<Operation> {
    [
        document::operations(),
        graph::operations(),
        library::operations(),
        model::operations(),
        nodes::operations(),
    ]
    .concat()
}

/// Applies edits: all of them, or none.
fn apply(call: &Call, project: Option<String>, edits: Vec<Value>) -> Result<EditsApplied, Refusal> {
    let request = ApplyEdits {
        project,
        edits,
        ..ApplyEdits::default()
    };
    let is_one = request.edits.len() == 1;
    let applied = call.service.apply_edits(&call.origin, request);
    applied.map_err(|refusal| if is_one { of_edit(refusal) } else { refusal })
}

/// Returns a function without its nodes.
fn function(
    service: &Service,
    project: Option<String>,
    function_id: FunctionId,
) -> Result<FunctionShown, Refusal> {
    service.get_function(&GetFunction {
        project,
        function_id,
        format: GraphFormat::Graph,
        revision: None,
        limit: Some(1),
        cursor: None,
    })
}

/// Rewords the refusal of a list of one edit as one of the edit.
fn of_edit(refusal: Refusal) -> Refusal {
    let Some(edit) = refusal.details.get("edit").and_then(Value::as_str) else {
        return refusal;
    };
    let place = match edit {
        "" => "edit 0: ".to_owned(),
        edit => format!("edit 0 ({edit}): "),
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

/// Returns the members of an object.
fn members(value: Value) -> Members {
    match value {
        Value::Object(members) => members,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Members::new()
        }
    }
}

/// Returns the members of an object that are not null.
fn without_nulls(value: Value) -> Members {
    let mut all = members(value);
    all.retain(|_, value| !value.is_null());
    all
}

/// Returns Gladius's name of a type, and lib3mf's name of it as the type of an input or output.
fn type_names(ty: Type) -> [&'static str; 2] {
    match ty {
        Type::Float => ["float", "scalar"],
        Type::Float3 => ["vec3", "vector"],
        Type::Matrix4x4 => ["mat4", "matrix"],
        Type::Integer => ["int", "unknown"],
        Type::String => ["string", "unknown"],
        Type::ResourceId => ["resource_id"; 2],
    }
}

/// Returns Gladius's name of a type.
fn type_name(ty: Type) -> &'static str {
    type_names(ty)[0]
}

/// Returns Gladius's unique name of a node.
fn unique_name(kind: &str, id: u32) -> String {
    format!("{kind}_{id}")
}

/// Returns Gladius's name of a node type: the same, except for the two ends of a function.
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

/// Returns name and type of an input or output.
fn port(name: &str, ty: Type) -> Members {
    members(json!({ "name": name, "type": type_name(ty) }))
}

/// Returns the id and the names of a node.
fn named(info: &NodeInfo) -> Members {
    let kind = kind_name(&info.node_type);
    members(json!({
        "id": info.node_id,
        "unique_name": unique_name(kind, info.node_id.0),
        "display_name": kind_name(&info.display_name),
        "type": kind,
    }))
}
