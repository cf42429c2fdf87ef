//! Parameters of a new node in JSON: `{NAME: {"value": ..}}`, `{NAME: {"source": {"node_id": .., "port": ..}}}`, or
//! `{NAME: literal}`. The name of a function stands for its id.

use fibula_core::edit::{Edit, LinkEdit};
use fibula_core::graph::{Document, FunctionId, NodeId};
use fibula_nodes::call::FUNCTION_ID;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::name_lookup;
use crate::refusal::{Refusal, Result, quoted};
use crate::schema_types::FunctionKey;

/// Returns the edits that set and link the parameters of a node, in an order in which they are possible.
///
/// # Errors
/// A [`Refusal`] if the parameters are not an object, a source is not a port, or a name is not that of one function.
pub(crate) fn parameter_edits(
    document: &Document,
    function_id: FunctionId,
    node_id: NodeId,
    parameters: Json,
) -> Result<Vec<Edit>> {
    let Json::Object(parameters) = parameters else {
        return Err(Refusal::new("invalid_edit", "parameters must be an object")
            .hint("as in {\"A\": {\"value\": 5}, \"B\": {\"source\": {\"node_id\": 1, \"port\": \"result\"}}}"));
    };
    let mut parameters: Vec<(String, Json)> = parameters.into_iter().collect();
    // The reference determines which other parameters a call has.
    parameters.sort_by_key(|(name, _)| !is_reference(name));
    let edits = parameters
        .into_iter()
        .map(|(name, setting)| parameter_edit(document, function_id, node_id, name, setting));
    edits.collect()
}

/// Returns the value of a parameter, with the name of a function replaced by its id if the parameter refers to one.
///
/// # Errors
/// A [`Refusal`] if no function has the name, or several have it.
pub(crate) fn resolve_reference(document: &Document, parameter: &str, value: Json) -> Result<Json> {
    match value {
        Json::String(name) if is_reference(parameter) && FunctionKey::parse_id(&name).is_none() => {
            Ok(json!(name_lookup::function(document, &name)?))
        }
        value => Ok(value),
    }
}

fn is_reference(parameter: &str) -> bool {
    parameter.eq_ignore_ascii_case(FUNCTION_ID)
}

/// Returns the edit that sets or links a parameter.
fn parameter_edit(
    document: &Document,
    function_id: FunctionId,
    node_id: NodeId,
    name: String,
    setting: Json,
) -> Result<Edit> {
    #[derive(Deserialize)]
    struct Source {
        node_id: NodeId,
        #[serde(alias = "port_name", alias = "name")]
        port: String,
    }
    if let Json::Object(members) = &setting
        && members.contains_key("node_id")
    {
        let message = format!("{} has no value and no source", quoted(&name));
        return Err(Refusal::new("invalid_edit", message)
            .hint("a link is {\"source\": {\"node_id\": 1, \"port\": \"result\"}}"));
    }
    let value = match setting {
        Json::Object(mut members) if members.contains_key("source") => {
            let source = members.remove("source").unwrap_or_default();
            let Source {
                node_id: from,
                port,
            } = serde_json::from_value(source).map_err(|_| {
                let message = format!("the source of {} is not a port", quoted(&name));
                Refusal::new("invalid_edit", message)
                    .hint("a source is {\"node_id\": 1, \"port\": \"result\"}")
            })?;
            return Ok(Edit::Link(LinkEdit::Create {
                function_id,
                source_node_id: from,
                source_port_name: port,
                target_node_id: node_id,
                target_parameter_name: name,
                replace: false,
                insert_conversion: false,
            }));
        }
        Json::Object(mut members) if members.len() == 1 && members.contains_key("value") => {
            members.remove("value").unwrap_or_default()
        }
        literal => literal,
    };
    let value = resolve_reference(document, &name, value)?;
    Ok(Edit::Link(LinkEdit::SetValue {
        function_id,
        node_id,
        parameter_name: name,
        value,
    }))
}
