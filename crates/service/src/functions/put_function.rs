//! Functions on a stage: from an expression, or as the distance to a mesh.

use fibula_core::edit::{Checked, Stage};
use fibula_core::expression;
use fibula_core::graph::FunctionId;
use fibula_nodes::ResourceId;

use crate::functions::library::{self, InsertedFunction};
use crate::knowledge::{ChangeSource, DistanceField};
use crate::refusal::Result;

/// A function on a stage, with what came with it.
pub(crate) struct PutFunction {
    pub(crate) checked: Checked,
    /// Label in the history.
    pub(crate) label: String,
    pub(crate) inserted: Vec<InsertedFunction>,
    /// The mesh whose distance it is.
    pub(crate) mesh: Option<ResourceId>,
    pub(crate) warnings: Vec<String>,
}

impl PutFunction {
    /// Puts a function from an expression.
    ///
    /// # Errors
    /// A [`Refusal`](crate::refusal::Refusal) if the expression or the name is invalid, or callers do not allow it.
    pub(crate) fn expression(
        mut stage: Stage,
        request: &expression::Request,
        id: Option<FunctionId>,
    ) -> Result<PutFunction> {
        let (change, inserted) = library::put_expression(&mut stage, request, id)?;
        Ok(PutFunction {
            checked: stage.finish_as(change),
            label: format!("create function '{}' from an expression", request.name),
            inserted,
            mesh: None,
            warnings: Vec::new(),
        })
    }

    /// Puts a function that returns the distance to a mesh.
    ///
    /// # Errors
    /// A [`Refusal`](crate::refusal::Refusal) if the name is invalid, callers do not allow it, or the schema of the knowledge
    /// graph does not allow a distance field.
    pub(crate) fn distance(
        mut stage: Stage,
        field: &DistanceField,
        request: &expression::Request,
        id: Option<FunctionId>,
        by: ChangeSource<'_>,
    ) -> Result<PutFunction> {
        let id = match id {
            Some(id) => id,
            None => stage.document().next_id_beside(None)?,
        };
        let mesh = field.put_mesh(&mut stage, &request.name, id)?;
        let distance = field.request(&request.name, mesh);
        let (change, inserted) = library::put_expression(&mut stage, &distance, Some(id))?;
        let (stage, warnings) = field.record(stage, by, &request.name, id, mesh)?;
        Ok(PutFunction {
            checked: stage.finish_as(change),
            label: format!("create function '{}', a distance", request.name),
            inserted,
            mesh: Some(mesh),
            warnings,
        })
    }
}
