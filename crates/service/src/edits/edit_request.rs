//! One edit of a call as a type, and the names of all kinds of edits.

use std::sync::LazyLock;

use fibula_core::edit::{
    Edit, FunctionEdit, LinkEdit, NodeEdit, PortEdit, ResourceEdit, has_variant, variant_names,
};
use fibula_core::refactor::Refactoring;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use crate::functions::definitions::CreateFunctionFromExpression;
use crate::functions::library::Insertion;
use crate::model::ModelEditForm;

/// An edit that a call may contain; in JSON `{"KIND": {arguments}}`. The groups do not show.
#[derive(Debug)]
pub(crate) enum EditRequest {
    /// An edit of functions or image functions.
    Document(Edit),
    /// An edit of objects or the build.
    Model(ModelEditForm),
    /// A refactoring of a function.
    Refactoring(Refactoring),
    /// A new function with what it calls.
    Definition(Definition),
}

/// A new function that is defined by a text or the library.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Definition {
    /// Adds a function from a formula, or replaces the one with its id.
    CreateFunctionFromExpression(Box<CreateFunctionFromExpression>),
    /// Adds a function of the library.
    InsertFunction(Insertion),
}

/// Edits of the document that a call cannot contain: the bytes of a file have to be stored first.
const EXCLUDED: [&str; 2] = ["add_file", "remove_file"];
/// Edits that hints do not mention.
const UNDOCUMENTED: [&str; 3] = ["set_callee", "add_image_function", "remove_image_function"];

/// Names of all kinds.
static KINDS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let groups = [
        variant_names::<NodeEdit>(),
        variant_names::<LinkEdit>(),
        variant_names::<FunctionEdit>(),
        variant_names::<Definition>(),
        variant_names::<PortEdit>(),
        variant_names::<ResourceEdit>(),
        variant_names::<Refactoring>(),
        variant_names::<ModelEditForm>(),
    ];
    let mut kinds = groups.concat();
    kinds.retain(|kind| !EXCLUDED.contains(kind));
    kinds
});

/// True if a name is that of a kind.
pub(crate) fn is_kind(name: &str) -> bool {
    KINDS.contains(&name)
}

/// True if a kind is a refactoring.
pub(crate) fn is_refactoring(kind: &str) -> bool {
    has_variant::<Refactoring>(kind)
}

/// Names of the kinds of edits that hints mention, such as `delete_function`.
pub fn edit_kinds() -> impl Iterator<Item = &'static str> {
    let kinds = KINDS.iter().copied();
    kinds.filter(|kind| !UNDOCUMENTED.contains(kind))
}

/// Returns the member that has the id of what an edit of this kind creates.
pub(crate) fn created_id(kind: &str) -> Option<&'static str> {
    match kind {
        "create_node" => Some("node_id"),
        "set_function" | "create_function_from_expression" | "insert_function" => {
            Some("function_id")
        }
        "create_level_set" | "set_mesh" | "set_assembly" | "set_volume_data" => Some("resource_id"),
        "create_build_item" => Some("item_id"),
        "extract_function" | "normalize_function" => Some("new_function_id"),
        _ => None,
    }
}

/// True if an edit of this kind without a `function_id` changes the function of the edit before.
pub(crate) fn has_default_function(kind: &str) -> bool {
    matches!(kind, "delete_function" | "rename_function")
        || has_variant::<PortEdit>(kind)
        || has_variant::<NodeEdit>(kind)
        || has_variant::<LinkEdit>(kind)
        || has_variant::<Refactoring>(kind)
}

impl EditRequest {
    /// Parses the arguments of a kind.
    ///
    /// # Errors
    /// That of serde if the kind is unknown or the arguments do not fit it.
    pub(crate) fn parse(kind: &str, arguments: Json) -> Result<Self, serde_json::Error> {
        let json = Json::Object(Map::from_iter([(kind.to_owned(), arguments)]));
        if has_variant::<Definition>(kind) {
            serde_json::from_value(json).map(EditRequest::Definition)
        } else if has_variant::<Refactoring>(kind) {
            serde_json::from_value(json).map(EditRequest::Refactoring)
        } else if has_variant::<ModelEditForm>(kind) {
            serde_json::from_value(json).map(EditRequest::Model)
        } else {
            serde_json::from_value(json).map(EditRequest::Document)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_of_one_group() {
        let mut kinds = KINDS.clone();
        assert!(kinds.len() > 30, "{kinds:?}");
        kinds.sort_unstable();
        kinds.dedup();
        assert_eq!(kinds.len(), KINDS.len(), "a name is used twice");
        assert!(
            EXCLUDED
                .iter()
                .all(|kind| has_variant::<ResourceEdit>(kind))
        );
        assert!(UNDOCUMENTED.iter().all(|kind| is_kind(kind)));
        for kind in kinds {
            let error = EditRequest::parse(kind, serde_json::json!({ "": null })).unwrap_err();
            assert!(
                !error.to_string().contains("unknown variant"),
                "{kind}: {error}"
            );
        }
    }
}
