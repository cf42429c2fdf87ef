//! Nodes, their values and links, one at a time.

use fibula_service::{
    CreateLink, CreateNode, DeleteLink, DeleteNode, EditsApplied, GetNodeInfo, Refusal,
    SetParameterValue,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::edits::apply_to;
use super::{FUNCTION, given};
use crate::operation::{Call, Effect, Operation, Work};

requests! {
    /// How a node is to be shown.
    #[expect(
        clippy::option_option,
        reason = "what is left out stays, and null takes it away"
    )]
    write struct ChangeNode {
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
    }
}

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::quick(|call, request: CreateNode| {
            call.service.create_node(&call.origin, request)
        })
        .post(
            "/api/projects/{project}/functions/{function_id}/nodes",
            "create_node",
            "Adds a node to a function",
        )
        .with_tool(
            FUNCTION,
            Effect::Add,
            "Adds a node and gives its id. For more than a few nodes use apply_edits. \
             Example: {\"function_id\":1,\"node_type\":\"Addition\"}",
        ),
        Operation::quick(|call, request: GetNodeInfo| call.service.get_node_info(&request))
            .get(
                "/api/projects/{project}/functions/{function_id}/nodes/{node_id}",
                "get_node_info",
                "Tells what a node takes and has, and where its ports go",
            )
            .blocking()
            .with_tool(
                FUNCTION,
                Effect::Read,
                "Tells about one node: what each parameter takes and has (a value, a source, a \
                 default or nothing), and where each output goes. Example: {\"function_id\":1,\
                 \"node_id\":3}",
            ),
        Operation::work(change).patch(
            "/api/projects/{project}/functions/{function_id}/nodes/{node_id}",
            "change_node",
            "Calls a node something else, or draws it elsewhere",
        ),
        Operation::quick(|call, request: DeleteNode| {
            call.service.delete_node(&call.origin, &request)
        })
        .delete(
            "/api/projects/{project}/functions/{function_id}/nodes/{node_id}",
            "delete_node",
            "Removes a node and every link to and from it",
        )
        .with_tool(
            FUNCTION,
            Effect::Change,
            "Removes a node and every link to and from it. Begin and End stay. Example: \
             {\"function_id\":1,\"node_id\":3}",
        ),
        Operation::quick(|call, request: SetParameterValue| {
            call.service.set_parameter_value(&call.origin, request)
        })
        .put(
            "/api/projects/{project}/functions/{function_id}/nodes/{node_id}/parameters/{para\
             meter_name}",
            "set_parameter_value",
            "Gives a parameter a value; null takes it away",
        )
        .with_tool(
            FUNCTION,
            Effect::Set,
            "Gives a parameter that is not linked a value, or clears it with null. Also sets \
             the value of constants. Example: {\"function_id\":1,\"node_id\":2,\
             \"parameter_name\":\"value\",\"value\":5}",
        ),
        Operation::quick(|call, request: CreateLink| {
            call.service.create_link(&call.origin, request)
        })
        .post(
            "/api/projects/{project}/functions/{function_id}/links",
            "create_link",
            "Links a port to a parameter of the same type",
        )
        .with_tool(
            FUNCTION,
            Effect::Change,
            "Links a node's port to another node's parameter of the same type. Link to node \
             0 to set the function's output. Example: {\"function_id\":1,\
             \"source_node_id\":3,\"source_port_name\":\"result\",\"target_node_id\":0, \
             \"target_parameter_name\":\"shape\"}",
        ),
        Operation::quick(|call, request: DeleteLink| {
            call.service.delete_link(&call.origin, request)
        })
        .delete(
            "/api/projects/{project}/functions/{function_id}/links/{target_node_id}/{target_p\
             arameter_name}",
            "delete_link",
            "Removes the link to a parameter",
        )
        .with_tool(
            FUNCTION,
            Effect::Change,
            "Removes the link to a parameter. Example: {\"function_id\":1,\
             \"target_node_id\":0,\"target_parameter_name\":\"shape\"}",
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
        let refusal = Refusal::new("invalid_arguments", "nothing is said that is to change");
        return Err(refusal.hint("give display_name, position or both"));
    }
    apply_to(call, project, edits, expected_revision, dry_run)
}
