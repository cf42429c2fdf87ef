//! Edits in words, for the history.

use serde_json::Value as Json;

use super::Edit;

impl Edit {
    /// What the edit does, in a few words.
    #[expect(clippy::too_many_lines, reason = "one arm for each edit")]
    pub fn summary(&self) -> String {
        match self {
            Edit::Batch(edits) => match &edits[..] {
                [] => "nothing".to_owned(),
                [only] => only.summary(),
                [first, _] => format!("{} and another edit", first.summary()),
                [first, rest @ ..] => format!("{} and {} more edits", first.summary(), rest.len()),
            },
            Edit::Model(edit) => edit.summary(),
            Edit::Knowledge(edit) => edit.summary(),
            Edit::AddImageFunction { resource_id, image } => {
                format!("add image function {resource_id} '{}'", image.name)
            }
            Edit::RemoveImageFunction { resource_id } => {
                format!("remove image function {resource_id}")
            }
            Edit::AddFile {
                resource_id: Some(id),
                file,
            } => format!("add file {id} '{}'", file.name),
            Edit::AddFile {
                resource_id: None,
                file,
            } => format!("add file '{}'", file.name),
            Edit::RemoveFile { resource_id } => format!("remove file {resource_id}"),
            Edit::SetFunction(data) => format!("set function '{}'", data.name),
            Edit::DeleteFunction { function_id } => format!("delete function {function_id}"),
            Edit::RenameFunction { function_id, name } => {
                format!("rename function {function_id} to '{name}'")
            }
            Edit::AddPort {
                function_id,
                side,
                name,
                ty,
                ..
            } => {
                format!(
                    "add {ty} {} '{name}' to function {function_id}",
                    side.name()
                )
            }
            Edit::RemovePort {
                function_id,
                side,
                name,
            } => {
                format!("remove {} '{name}' of function {function_id}", side.name())
            }
            Edit::RenamePort {
                function_id,
                side,
                name,
                new_name,
            } => {
                format!(
                    "rename {} '{name}' of function {function_id} to '{new_name}'",
                    side.name()
                )
            }
            Edit::RetypePort {
                function_id,
                side,
                name,
                ty,
            } => {
                format!(
                    "make {} '{name}' of function {function_id} a {ty}",
                    side.name()
                )
            }
            Edit::MovePort {
                function_id,
                side,
                name,
                index,
            } => {
                format!(
                    "move {} '{name}' of function {function_id} to place {index}",
                    side.name()
                )
            }
            Edit::CreateNode {
                function_id,
                node_type,
                node_id,
                ..
            } => {
                let id = node_id.map(|id| format!(" {id}")).unwrap_or_default();
                format!("create {node_type}{id} in function {function_id}")
            }
            Edit::DeleteNode {
                function_id,
                node_id,
            } => {
                format!("delete node {node_id} of function {function_id}")
            }
            Edit::RenameNode {
                function_id,
                node_id,
                ..
            } => {
                format!("rename node {node_id} of function {function_id}")
            }
            Edit::MoveNode {
                function_id,
                node_id,
                ..
            } => {
                format!("move node {node_id} of function {function_id}")
            }
            Edit::CreateLink {
                function_id,
                source_node_id,
                source_port_name,
                target_node_id,
                target_parameter_name,
                ..
            } => format!(
                "link {source_node_id}.{source_port_name} to {target_node_id}.{target_parameter_name} \
                 in function {function_id}"
            ),
            Edit::DeleteLink {
                function_id,
                target_node_id,
                target_parameter_name,
            } => {
                format!("unlink {target_node_id}.{target_parameter_name} in function {function_id}")
            }
            Edit::SetParameterValue {
                function_id,
                node_id,
                parameter_name,
                value,
            } => format!(
                "set {node_id}.{parameter_name} to {} in function {function_id}",
                shortened(value)
            ),
            Edit::SetOverload {
                function_id,
                node_id,
                overload,
            } => {
                format!("choose overload {overload} of node {node_id} in function {function_id}")
            }
            Edit::SetCallee {
                function_id,
                node_id,
                ..
            } => {
                format!("change what node {node_id} of function {function_id} follows")
            }
        }
    }
}

fn shortened(value: &Json) -> String {
    const LONGEST: usize = 60;
    let mut text = value.to_string();
    if let Some((end, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(end);
        text.push('…');
    }
    text
}
