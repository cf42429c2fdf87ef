//! Nodes, their values and links, one at a time.

use axum::http::Method;
use fibula_service::{
    CreateLink, CreateNode, DeleteLink, DeleteNode, EditsApplied, GetNodeInfo, Refusal,
    SetParameterValue,
};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::edits::apply;
use super::functions::one;
use super::job::Work;
use super::route::{Call, Route};

/// How a node is to be shown.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::option_option,
    reason = "what is left out stays, and null takes it away"
)]
struct ChangeNode {
    /// The project.
    project: String,
    /// Function it is in.
    function_id: u32,
    /// The node.
    node_id: u32,
    /// Its name for people; null calls it by its kind again.
    #[serde(default, deserialize_with = "given")]
    display_name: Option<Option<String>>,
    /// Where it is drawn, [x, y]; null leaves that to the page.
    #[serde(default, deserialize_with = "given")]
    position: Option<Option<[f64; 2]>>,
    /// Refuse at any other.
    expected_revision: Option<u64>,
    /// true tries it and changes nothing.
    #[serde(default)]
    dry_run: bool,
}

/// What is given, null too.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::quick(
            Method::POST,
            "/api/projects/{project}/functions/{function_id}/nodes",
            "create_node",
            "Adds a node to a function",
            |call, request: CreateNode| call.service.create_node(&call.origin, request),
        ),
        Route::quick(
            Method::GET,
            "/api/projects/{project}/functions/{function_id}/nodes/{node_id}",
            "get_node_info",
            "Tells what a node takes and has, and where its ports go",
            |call, request: GetNodeInfo| call.service.get_node_info(&request),
        )
        .apart(),
        Route::work(
            Method::PATCH,
            "/api/projects/{project}/functions/{function_id}/nodes/{node_id}",
            "change_node",
            "Calls a node something else, or draws it elsewhere",
            change,
        ),
        Route::quick(
            Method::DELETE,
            "/api/projects/{project}/functions/{function_id}/nodes/{node_id}",
            "delete_node",
            "Removes a node and every link to and from it",
            |call, request: DeleteNode| call.service.delete_node(&call.origin, &request),
        ),
        Route::quick(
            Method::PUT,
            "/api/projects/{project}/functions/{function_id}/nodes/{node_id}/parameters/{parameter_name}",
            "set_parameter_value",
            "Gives a parameter a value; null takes it away",
            |call, request: SetParameterValue| {
                call.service.set_parameter_value(&call.origin, request)
            },
        ),
        Route::quick(
            Method::POST,
            "/api/projects/{project}/functions/{function_id}/links",
            "create_link",
            "Links a port to a parameter of the same type",
            |call, request: CreateLink| call.service.create_link(&call.origin, request),
        ),
        Route::quick(
            Method::DELETE,
            "/api/projects/{project}/functions/{function_id}/links/{target_node_id}/{target_parameter_name}",
            "delete_link",
            "Removes the link to a parameter",
            |call, request: DeleteLink| call.service.delete_link(&call.origin, request),
        ),
    ]
}

fn change(call: &Call, request: ChangeNode) -> Result<Work<EditsApplied>, Refusal> {
    let ChangeNode {
        project,
        function_id,
        node_id,
        display_name,
        position,
        expected_revision,
        dry_run,
    } = request;
    let edit = |kind: &str, name: &str, value: Value| json!({ kind: { "function_id": function_id, "node_id": node_id, name: value } });
    let mut edits = Vec::new();
    if let Some(name) = display_name {
        edits.push(edit("rename_node", "display_name", json!(name)));
    }
    if let Some(position) = position {
        edits.push(edit("move_node", "position", json!(position)));
    }
    if edits.is_empty() {
        return Err(
            Refusal::new("invalid_arguments", "nothing is said that is to change")
                .hint("give display_name, position or both"),
        );
    }
    apply(call, one(project, edits, expected_revision, dry_run))
}
