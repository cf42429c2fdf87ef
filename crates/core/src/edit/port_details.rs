//! Defaults, units and limits in edits of inputs: absent, null or given.

use fibula_nodes::{InputDetails, PortSpec, Type, Value, input};
use serde::{Deserialize, Deserializer};
use serde_json::Value as Json;

use super::{Edit, PortEdit};
use crate::graph::{FunctionId, GraphError, NodeId, Side, shortened};

/// Field of an edit that keeps, clears or sets a value.
pub(super) type FieldChange<T> = Option<Option<T>>;

/// Reads a field that is present: null clears it.
pub(super) fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<FieldChange<T>, D::Error> {
    Option::deserialize(from).map(Some)
}

/// Changes of the details of an input.
#[derive(Debug, Clone, Default)]
pub(super) struct DetailsChange {
    pub(super) default: FieldChange<Json>,
    pub(super) unit: FieldChange<String>,
    pub(super) min: FieldChange<f64>,
    pub(super) max: FieldChange<f64>,
}

impl DetailsChange {
    /// The change that sets all details, or none if neither the input has details now nor is to have any.
    pub(super) fn between(now: &InputDetails, wanted: &InputDetails) -> DetailsChange {
        if now.is_empty() && wanted.is_empty() {
            return DetailsChange::default();
        }
        DetailsChange {
            default: Some(wanted.default.as_ref().map(Value::to_json)),
            unit: Some(wanted.unit.clone()),
            min: Some(wanted.min),
            max: Some(wanted.max),
        }
    }

    /// Applies the change to the details of an input of a type.
    ///
    /// # Errors
    /// [`GraphError::InvalidPort`] if the default has another type.
    pub(super) fn apply(
        &self,
        name: &str,
        ty: Type,
        mut details: InputDetails,
    ) -> Result<InputDetails, GraphError> {
        if let Some(default) = &self.default {
            let parse = |json: &Json| input::parse_default(name, ty, json);
            let given = default.as_ref().filter(|json| !json.is_null());
            let parsed = given.map(parse).transpose();
            details.default = parsed.map_err(|_| {
                let shown = default.as_ref().map(Json::to_string).unwrap_or_default();
                GraphError::InvalidPort {
                    name: shortened(name),
                    problem: format!(
                        "has the default {}, but takes {}",
                        shortened(&shown),
                        ty.form()
                    ),
                }
            })?;
        }
        if let Some(unit) = &self.unit {
            details.unit.clone_from(unit);
        }
        if let Some(min) = self.min {
            details.min = min;
        }
        if let Some(max) = self.max {
            details.max = max;
        }
        Ok(details)
    }
}

/// The edit that adds a port with its details.
pub(super) fn addition(
    function_id: FunctionId,
    side: Side,
    port: PortSpec,
    index: usize,
    begin_id: Option<NodeId>,
) -> Edit {
    let details = port.details.map(|details| *details).unwrap_or_default();
    Edit::Port(PortEdit::Add {
        function_id,
        side,
        name: port.name,
        ty: port.ty,
        index: Some(index),
        begin_id,
        default: details.default.as_ref().map(Value::to_json),
        unit: details.unit,
        min: details.min,
        max: details.max,
    })
}
