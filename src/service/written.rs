//! Edits as agents write them: `{"create_node": {...}}` or `{"op": "create_node", ...}`, with sugar for parameters.

use fibula_nodes::names;
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::refusal::{Refusal, did_you_mean, quoted};
use crate::edit::Edit;
use crate::graph::{FunctionId, NodeId};

/// What edits are called.
const KINDS: [&str; 20] = [
    "create_node",
    "delete_node",
    "rename_node",
    "move_node",
    "create_link",
    "delete_link",
    "set_parameter_value",
    "set_overload",
    "set_callee",
    "set_function",
    "create_function_from_expression",
    "delete_function",
    "rename_function",
    "add_port",
    "remove_port",
    "rename_port",
    "retype_port",
    "move_port",
    "add_image_function",
    "remove_image_function",
];

/// Reads `{"create_node": {...}}`, or `{"op": "create_node", ...}`.
pub(super) fn kind_and_body(edit: Json) -> Result<(String, Map<String, Json>), Refusal> {
    const FORM: &str =
        "an edit is {\"create_node\": {\"function_id\": 1, \"node_type\": \"Addition\"}}";
    let Json::Object(mut edit) = edit else {
        return Err(Refusal::new("invalid_edit", "the edit is no object").hint(FORM));
    };
    let op = if edit.len() > 1 {
        edit.remove("op").or_else(|| edit.remove("edit"))
    } else {
        None
    };
    let (kind, body) = match op {
        Some(Json::String(kind)) => (kind, Json::Object(edit)),
        Some(_) => {
            return Err(Refusal::new("invalid_edit", "op must be the name of an edit").hint(FORM));
        }
        None if edit.len() == 1 => edit.into_iter().next().expect("there is one member"),
        None => {
            let message = format!(
                "the edit has {} members instead of one, its kind",
                edit.len()
            );
            return Err(Refusal::new("invalid_edit", message).hint(FORM));
        }
    };
    if !KINDS.contains(&kind.as_str()) {
        let nearest = names::nearest(&kind, KINDS.into_iter());
        return Err(Refusal::new(
            "invalid_edit",
            format!("there is no edit {}", quoted(&kind)),
        )
        .hint(did_you_mean(
            &nearest,
            format!("the edits are {}", KINDS.join(", ")),
        )));
    }
    match body {
        Json::Object(body) => Ok((kind, body)),
        _ => Err(Refusal::new(
            "invalid_edit",
            format!("the arguments of {kind} are no object"),
        )
        .hint(FORM)),
    }
}

/// What get_function says beside the function is not part of it; a page of a function is no function.
pub(super) fn whole_function(body: &mut Map<String, Json>) -> Result<(), Refusal> {
    if body.get("truncated") == Some(&Json::Bool(true)) || body.contains_key("next_cursor") {
        return Err(Refusal::new(
            "invalid_edit",
            "this is one page of a function, not the whole of it",
        )
        .hint("read the other pages and send their nodes together"));
    }
    for beside in [
        "success",
        "node_count",
        "link_count",
        "revision",
        "total",
        "truncated",
        "image",
    ] {
        body.remove(beside);
    }
    Ok(())
}

/// The edit that gives a parameter what was written for it.
pub(super) fn setting_edit(
    function_id: FunctionId,
    node_id: NodeId,
    name: String,
    setting: Json,
) -> Result<Edit, Refusal> {
    #[derive(Deserialize)]
    struct Source {
        node_id: NodeId,
        #[serde(alias = "port_name", alias = "name")]
        port: String,
    }
    let value = match setting {
        Json::Object(mut members) if members.contains_key("source") => {
            let source = members.remove("source").unwrap_or_default();
            let Source {
                node_id: from,
                port,
            } = serde_json::from_value(source).map_err(|_| {
                Refusal::new(
                    "invalid_edit",
                    format!("the source of {} is none", quoted(&name)),
                )
                .hint("a source is {\"node_id\": 1, \"port\": \"result\"}")
            })?;
            return Ok(Edit::CreateLink {
                function_id,
                source_node_id: from,
                source_port_name: port,
                target_node_id: node_id,
                target_parameter_name: name,
                replace: false,
                insert_conversion: false,
            });
        }
        Json::Object(mut members) if members.len() == 1 && members.contains_key("value") => {
            members.remove("value").unwrap_or_default()
        }
        literal => literal,
    };
    Ok(Edit::SetParameterValue {
        function_id,
        node_id,
        parameter_name: name,
        value,
    })
}

pub(super) fn malformed(kind: &str, error: &serde_json::Error) -> Refusal {
    let mut text = error.to_string();
    if let Some((end, _)) = text.char_indices().nth(200) {
        text.truncate(end);
        text.push('…');
    }
    let refusal = Refusal::new(
        "invalid_edit",
        format!("the arguments of {kind} are wrong: {text}"),
    );
    match kind {
        "create_node" => refusal.hint("it also takes parameters, and alias"),
        _ => refusal,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_edit_is_known_by_its_name() {
        let error = serde_json::from_value::<Edit>(json!({ "": {} }))
            .unwrap_err()
            .to_string();
        let mut named: Vec<&str> = error
            .split('`')
            .skip(1)
            .step_by(2)
            .filter(|name| !name.is_empty())
            .collect();
        // A batch is what a call is.
        named.retain(|name| *name != "batch");
        named.push("create_function_from_expression");
        named.sort_unstable();
        let mut kinds = KINDS.to_vec();
        kinds.sort_unstable();
        assert_eq!(kinds, named);
    }
}
