//! Edits of whole functions.

use fibula_nodes::ResourceKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::Step;
use super::footprint::{Footprint, ProjectItem};
use super::group::EditGroup;
use super::resources::ResourceEdit;
use super::{Change, Checked, EditError, Plan, callers};
use crate::graph::{self, Document, FunctionData, FunctionId, GraphError};

/// Edits of a function as a whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum FunctionEdit {
    /// Adds a function, or replaces the one with its id.
    #[serde(rename = "set_function")]
    Set(FunctionData),
    /// Removes a function graph or image function that no other calls.
    #[serde(rename = "delete_function")]
    Delete {
        /// The function.
        function_id: FunctionId,
    },
    /// Renames a function.
    #[serde(rename = "rename_function")]
    Rename {
        /// The function.
        function_id: FunctionId,
        /// The new name.
        name: String,
    },
}

impl EditGroup for FunctionEdit {
    fn check(&self, document: &Document) -> Result<Checked, EditError> {
        match self {
            FunctionEdit::Set(data) => set(document, data),
            FunctionEdit::Delete { function_id } => delete(document, *function_id),
            FunctionEdit::Rename { function_id, name } => rename(document, *function_id, name),
        }
    }

    fn summary(&self) -> String {
        match self {
            FunctionEdit::Set(data) => format!("set function '{}'", data.name),
            FunctionEdit::Delete { function_id } => format!("delete function {function_id}"),
            FunctionEdit::Rename { function_id, name } => {
                format!("rename function {function_id} to '{name}'")
            }
        }
    }

    fn add_to(&self, footprint: &mut Footprint) {
        let Some(id) = self.function_id() else { return };
        footprint.write(match self {
            FunctionEdit::Set(_) | FunctionEdit::Delete { .. } => ProjectItem::Function(id),
            FunctionEdit::Rename { .. } => ProjectItem::FunctionName(id),
        });
    }

    fn function_id(&self) -> Option<FunctionId> {
        match self {
            FunctionEdit::Set(data) => data.function_id,
            FunctionEdit::Delete { function_id } | FunctionEdit::Rename { function_id, .. } => {
                Some(*function_id)
            }
        }
    }

    fn added_nodes(&self) -> usize {
        match self {
            FunctionEdit::Set(data) => data.nodes.len(),
            FunctionEdit::Delete { .. } | FunctionEdit::Rename { .. } => 0,
        }
    }

    fn size(&self) -> usize {
        1 + match self {
            FunctionEdit::Set(data) => {
                let settings = data.nodes.iter().map(|node| node.parameters.len());
                data.nodes.len() + settings.sum::<usize>()
            }
            FunctionEdit::Delete { .. } | FunctionEdit::Rename { .. } => 0,
        }
    }
}

fn set(document: &Document, data: &FunctionData) -> Result<Checked, EditError> {
    let mut function = document.build(data)?;
    let (id, facts) = (function.id(), function.data());
    let inverse = match document.find_function(id) {
        Some(before) => {
            function.keep_used_ids(before);
            FunctionEdit::Set(before.data())
        }
        None if document.has(id.into()) => {
            return Err(GraphError::DuplicateId {
                what: "resource",
                id: id.to_string(),
            }
            .into());
        }
        None => {
            let kind = ResourceKind::Function;
            document.check_new(id.into(), kind, |wants| wants == kind)?;
            FunctionEdit::Delete { function_id: id }
        }
    };
    let ty = function.ty();
    document.check_field_types(id.into(), Some(&ty))?;
    let plan = if document.callers(id).is_empty() {
        Plan::Function(Box::new(function))
    } else {
        let mut staged = document.clone();
        staged.put(function);
        callers::follow_callers(&mut staged, id.into(), &ty, &|_, _| None)?;
        Plan::Staged(staged)
    };
    Ok(
        Checked::new(FunctionEdit::Set(facts), inverse, plan).with_change(Change {
            function_id: Some(id),
            ..Change::default()
        }),
    )
}

fn delete(document: &Document, function_id: FunctionId) -> Result<Checked, EditError> {
    let resource_id = function_id.into();
    if document.image_function(resource_id).is_some() {
        return ResourceEdit::RemoveImageFunction { resource_id }.check(document);
    }
    let function = document.function(function_id)?;
    callers::check_uncalled(document, function_id.into(), function.name())?;
    document.check_field_types(function_id.into(), None)?;
    document.check_unused(function_id.into(), format!("function {function_id}"))?;
    Ok(Checked::new(
        FunctionEdit::Delete { function_id },
        FunctionEdit::Set(function.data()),
        Plan::DeleteFunction(function_id),
    ))
}

fn rename(document: &Document, function_id: FunctionId, name: &str) -> Result<Checked, EditError> {
    let function = document.function(function_id)?;
    graph::check_name("a function's name", name)?;
    let to = |name: &str| FunctionEdit::Rename {
        function_id,
        name: name.to_owned(),
    };
    let step = Step::Rename(name.to_owned());
    let plan = Plan::Steps(function_id, vec![step]);
    Ok(Checked::new(to(name), to(function.name()), plan))
}
