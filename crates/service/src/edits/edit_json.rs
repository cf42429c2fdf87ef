//! Edits in JSON: `{"create_node": {...}}` or `{"op": "create_node", ...}`, with shorthands for parameters.

use fibula_nodes::names;
use serde_json::{Map, Value as Json, json};

use crate::edits::edit_request::{EditRequest, created_id, edit_kinds, is_kind};
use crate::refusal::{Refusal, Result, did_you_mean, quoted};

/// True if a value is the name of a kind of edit.
fn names_kind(value: &Json) -> bool {
    value.as_str().is_some_and(is_kind)
}

/// Parses `{"create_node": {...}}` or `{"op": "create_node", ...}`.
pub(crate) fn kind_and_body(edit: Json) -> Result<(String, Map<String, Json>)> {
    const FORM: &str =
        "an edit is {\"create_node\": {\"function_id\": 1, \"node_type\": \"Addition\"}}";
    let Json::Object(mut edit) = edit else {
        return Err(Refusal::new("invalid_edit", "the edit is not an object").hint(FORM));
    };
    let op = if edit.len() > 1 {
        // The member `type` may also be the type of a port.
        let named = ["kind", "type"]
            .into_iter()
            .find(|name| edit.get(*name).is_some_and(names_kind));
        edit.remove("op")
            .or_else(|| edit.remove("edit"))
            .or_else(|| edit.remove(named?))
    } else {
        None
    };
    let (kind, body) = match op {
        Some(Json::String(kind)) => (kind, Json::Object(edit)),
        Some(_) => {
            return Err(Refusal::new("invalid_edit", "op must be the name of an edit").hint(FORM));
        }
        None if edit.len() == 1 => edit.into_iter().next().expect("there is only one member"),
        None => {
            let message = format!(
                "the edit has {} members instead of one, its name",
                edit.len()
            );
            return Err(Refusal::new("invalid_edit", message).hint(FORM));
        }
    };
    if !is_kind(&kind) {
        let nearest = names::nearest(&kind, edit_kinds());
        let message = format!("there is no edit {}", quoted(&kind));
        return Err(Refusal::new("invalid_edit", message).hint(did_you_mean(
            &nearest,
            format!(
                "the edits are {}",
                edit_kinds().collect::<Vec<_>>().join(", ")
            ),
        )));
    }
    let Json::Object(body) = body else {
        let message = format!("the arguments of {kind} are not an object");
        return Err(Refusal::new("invalid_edit", message).hint(FORM));
    };
    Ok((kind, body))
}

/// Removes the members that `get_function` adds to a function; refuses a page of a function.
pub(crate) fn strip_listing_fields(body: &mut Map<String, Json>) -> Result<()> {
    if body.get("truncated") == Some(&Json::Bool(true)) || body.contains_key("next_cursor") {
        let message = "this is one page of a function, not the whole function";
        return Err(Refusal::new("invalid_edit", message)
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
        "parameters",
        "more_parameters",
        "next",
        "intent",
        "warnings",
    ] {
        body.remove(beside);
    }
    Ok(())
}

/// Returns the refusal of invalid arguments, with the arguments of the edit.
pub(crate) fn malformed(kind: &str, error: &serde_json::Error) -> Refusal {
    let error = error.to_string();
    let own = fields(kind);
    let mut text = without_rust_types(&error);
    let mut hint = Some(usage(kind, &own));
    if let Some(alias) = name_in_place_of_id(&error) {
        hint = Some(format!("write \"${alias}\" for an alias, or a number"));
    } else if error.starts_with("unknown field") {
        if backquoted(&error)
            .skip(1)
            .eq(own.iter().map(String::as_str))
        {
            // The hint lists the fields.
            text.truncate(text.find(", expected").unwrap_or(text.len()));
        } else {
            hint = None;
        }
    }
    if let Some((end, _)) = text.char_indices().nth(200) {
        text.truncate(end);
        text.push('…');
    }
    let message = format!("invalid arguments of {kind}: {text}");
    let refusal = Refusal::new("invalid_edit", message);
    match hint {
        Some(hint) => refusal.hint(hint),
        None => refusal,
    }
}

/// Texts between back quotes.
fn backquoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Fields of an edit, as serde lists them for an unknown field.
fn fields(kind: &str) -> Vec<String> {
    let error = EditRequest::parse(kind, json!({ "": null })).err();
    let text = error.map(|error| error.to_string()).unwrap_or_default();
    backquoted(&text).skip(1).map(str::to_owned).collect()
}

/// Describes the arguments of an edit, for a hint.
fn usage(kind: &str, fields: &[String]) -> String {
    // The call has the project, and `functionID` determines the callee.
    let omitted = ["project", "expected_revision", "callee"];
    let more: &[&str] = match created_id(kind) {
        Some("node_id") => &["parameters", "alias"],
        Some("new_function_id") | None => &[],
        Some(_) => &["alias"],
    };
    let documented = fields.iter().map(String::as_str);
    let documented: Vec<&str> = documented
        .filter(|field| kind == "set_callee" || !omitted.contains(field))
        .chain(more.iter().copied())
        .collect();
    let inside = match kind {
        "set_function" => {
            "; an input or output is {name, type}, a node {node_id, node_type, parameters}"
        }
        _ => "",
    };
    format!("{kind} takes {}{inside}", documented.join(", "))
}

/// Returns a name that was given where an id is expected.
fn name_in_place_of_id(error: &str) -> Option<&str> {
    let name = error
        .strip_prefix("invalid type: string \"")?
        .strip_suffix("\", expected u32")?;
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    (!name.is_empty() && name.len() <= 63 && name.chars().all(is_name)).then_some(name)
}

/// Rewrites serde's message without the names of Rust types.
fn without_rust_types(error: &str) -> String {
    let Some((problem, expected)) = error.rsplit_once(", expected ") else {
        return error.to_owned();
    };
    let expected = match expected {
        "u32" | "u64" | "usize" => "a whole number from 0 on",
        "f64" => "a number",
        "a sequence" => "a list",
        "a map" => "an object",
        _ if expected.starts_with("struct ") || expected.starts_with("enum ") => "an object",
        _ => expected,
    };
    let problem = problem
        .replacen("invalid type: sequence", "invalid type: list", 1)
        .replacen("invalid type: map", "invalid type: object", 1)
        .replacen("unknown variant", "unknown name", 1);
    format!("{problem}, expected {expected}")
}

/// Adds the index and summary of an edit to its refusal.
pub(super) fn with_index(index: usize, summary: &str, refusal: Refusal) -> Refusal {
    let place = if summary.is_empty() {
        format!("edit {index}")
    } else {
        format!("edit {index} ({summary})")
    };
    let hint = refusal.hint.map(|hint| format!("{hint}; "));
    let hint = hint.unwrap_or_default();
    let (message, details) = (refusal.message, refusal.details);
    Refusal::new(refusal.code, format!("{place}: {message}"))
        .hint(format!(
            "{hint}nothing was changed: correct this edit and resend all of them"
        ))
        .details(json!({ "index": index, "edit": summary, "error": details }))
}

#[cfg(test)]
mod tests {
    use fibula_core::edit::Edit;

    use super::*;

    #[test]
    fn kind_may_be_tagged_in_several_ways() {
        for key in ["op", "edit", "kind", "type"] {
            let edit = json!({ key: "create_node", "node_type": "Sine" });
            let (kind, body) = kind_and_body(edit).unwrap();
            assert_eq!((kind.as_str(), body.len()), ("create_node", 1), "{key}");
        }
        let port = json!({ "kind": "add_port", "side": "input", "name": "r", "type": "float" });
        let (kind, body) = kind_and_body(port).unwrap();
        assert_eq!(kind, "add_port");
        assert_eq!(body["type"], "float");
        let refusal = kind_and_body(json!({ "kind": "float", "name": "r" })).unwrap_err();
        assert!(refusal.message.contains("2 members"), "{refusal}");
        let refusal = kind_and_body(json!({ "paint": {} })).unwrap_err();
        assert!(!refusal.to_string().contains("set_callee"), "{refusal}");
        assert!(kind_and_body(json!({ "set_callee": {} })).is_ok());
    }

    #[test]
    fn errors_do_not_mention_rust_types() {
        let check = |kind: &str, body: Json, expected: &str| {
            let error = serde_json::from_value::<Edit>(json!({ kind: body })).unwrap_err();
            let refusal = malformed(kind, &error);
            let text = format!("{}; {}", refusal.message, refusal.hint.unwrap_or_default());
            assert_eq!(text, format!("invalid arguments of {kind}: {expected}"));
        };
        check(
            "create_node",
            json!({ "function_id": 1, "node_type": "Sine", "node_id": "sum" }),
            "invalid type: string \"sum\", expected a whole number from 0 on; \
             write \"$sum\" for an alias, or a number",
        );
        check(
            "create_node",
            json!({ "function_id": 1 }),
            "missing field `node_type`; \
             create_node takes function_id, node_type, node_id, display_name, position, parameters, alias",
        );
        check(
            "delete_node",
            json!({ "function_id": 1, "node": 2 }),
            "unknown field `node`; delete_node takes function_id, node_id",
        );
        check(
            "delete_node",
            json!({ "function_id": 1, "node_id": -2 }),
            "invalid value: integer `-2`, expected a whole number from 0 on; delete_node takes function_id, node_id",
        );
    }
}
