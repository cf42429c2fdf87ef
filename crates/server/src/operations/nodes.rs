//! Nodes, their values and links, one at a time.

use fibula_service::{
    CreateLink, CreateNode, DeleteLink, DeleteNode, EditsApplied, FunctionKey, GetNodeInfo,
    ListParameters, Refusal, SetParameterValue,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::edits::apply_to;
use super::{FUNCTION, PROJECT_EXTRA, deserialize_some};
use crate::operation::{Call, Effect, Operation, Work};

requests! {
    /// Changes of a node's name and position.
    #[expect(
        clippy::option_option,
        reason = "a field that is left out is kept, and null removes it"
    )]
    write struct ChangeNode {
        /// Function it is in.
        #[schemars(with = "FunctionKey")]
        function_id: u32,
        /// The node.
        node_id: u32,
        /// Name for people; null removes it.
        #[serde(default, deserialize_with = "deserialize_some")]
        display_name: Option<Option<String>>,
        /// Position in drawings, [x, y]; null: chosen by the page.
        #[serde(default, deserialize_with = "deserialize_some")]
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
            "Adds a node and returns its id. For more than a few nodes use apply_edits. Example: \
             {\"function_id\":1,\"node_type\":\"Addition\"}",
        ),
        Operation::quick(|call, request: GetNodeInfo| call.service.get_node_info(&request))
            .get(
                "/api/projects/{project}/functions/{function_id}/nodes/{node_id}",
                "get_node_info",
                "Returns the parameters and ports of a node, with their sources and targets",
            )
            .blocking()
            .with_tool(
                FUNCTION,
                Effect::Read,
                "Returns one node: content of each parameter, and targets of each output.",
            ),
        Operation::work(change).patch(
            "/api/projects/{project}/functions/{function_id}/nodes/{node_id}",
            "change_node",
            "Renames a node, or moves it in drawings",
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
            "Removes a node and every link to and from it.",
        ),
        Operation::quick(|call, request: SetParameterValue| {
            call.service.set_parameter_value(&call.origin, request)
        })
        .put(
            "/api/projects/{project}/functions/{function_id}/nodes/{node_id}/parameters/{para\
             meter_name}",
            "set_parameter_value",
            "Sets a parameter; null clears it",
        )
        .with_tool(
            FUNCTION,
            Effect::Set,
            "Sets a parameter of a node that is not linked, or clears it with null; without \
             node_id, named constants. Examples: {\"function_id\":1,\"node_id\":2,\
             \"parameter_name\":\"value\",\"value\":5}, {\"function_id\":\"Plate\",\
             \"values\":{\"wall\":2,\"hole\":5}}",
        ),
        Operation::quick(|call, request: SetParameterValue| {
            call.service.set_parameter_value(&call.origin, request)
        })
        .put(
            "/api/projects/{project}/functions/{function_id}/parameters/{parameter_name}",
            "set_named_constant",
            "Sets a named constant",
        ),
        Operation::quick(|call, request: SetParameterValue| {
            call.service.set_parameter_value(&call.origin, request)
        })
        .patch(
            "/api/projects/{project}/functions/{function_id}/parameters",
            "set_parameters",
            "Sets several named constants, all or none",
        ),
        Operation::quick(|call, request: ListParameters| call.service.list_parameters(&request))
            .get(
                "/api/projects/{project}/parameters",
                "list_parameters",
                "Lists the named constants of a function or of all functions",
            )
            .with_tool(
                PROJECT_EXTRA,
                Effect::Read,
                "Lists the parameters of a function, or of all: name, value and node. Example: \
                 {\"function\":\"Plate\"}",
            )
            .blocking(),
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
            "Links a node's port to another node's parameter of the same type. The parameters of \
             node 0 are the function's outputs.",
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
        .with_tool(FUNCTION, Effect::Change, "Removes the link to a parameter."),
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
        let refusal = Refusal::new("invalid_arguments", "no change is given");
        return Err(refusal.hint("give display_name, position or both"));
    }
    apply_to(call, project, edits, expected_revision, dry_run)
}
