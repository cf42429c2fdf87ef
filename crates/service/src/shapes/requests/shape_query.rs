//! The subject of a request in JSON.

use fibula_core::graph::FunctionId;
use fibula_geometry::Bounds;
use fibula_nodes::ResourceId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::refusal::{Refusal, Result};
use crate::schema_types::{FunctionKey, ObjectForm};
use crate::service::Service;
use crate::shapes::limits::{DEFAULT_TIME_LIMIT, Limits, MAX_TIME_LIMIT};
use crate::shapes::subject::{ResolvedShape, Subject};

/// Subject: an object, or a function, which is negative inside; default: the build.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Looking")]
pub struct ShapeQuery {
    /// Default "default".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// State at this revision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
    /// A mesh, level set or assembly.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<u32>")]
    pub object_id: Option<ResourceId>,
    /// Or a function; default: the build.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<FunctionKey>")]
    pub function_id: Option<FunctionId>,
    /// Output of the function; default: its first float.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// Inputs other than the point: {"radius": 5}.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<ObjectForm>")]
    pub arguments: Option<Map<String, Json>>,
    /// Clips to [[x, y, z], [x, y, z]], in the project's unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<Vec<f64>>>")]
    pub bounds: Option<[[f64; 3]; 2]>,
    /// Seconds; default 45.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<f64>,
}

/// Memory limit in bytes.
const MEMORY: u64 = 2 << 30;

impl ShapeQuery {
    /// Resolves the subject, with its colour and with edits that are tried.
    pub(super) fn resolve(
        &self,
        service: &Service,
        color: Option<&str>,
        plain: bool,
        edits: &[Json],
    ) -> Result<ResolvedShape> {
        let subject = Subject {
            color: color.map(str::to_owned),
            plain,
            ..self.subject()
        };
        service.resolve_shape_with(self.project.as_deref(), self.revision, &subject, edits)
    }

    /// The subject, with the colours of its volume data.
    pub(super) fn subject(&self) -> Subject {
        Subject {
            object_id: self.object_id,
            function_id: self.function_id,
            output: self.output.clone(),
            color: None,
            plain: false,
            arguments: self.arguments.clone(),
        }
    }

    /// Time and memory limits.
    pub(super) fn limits(&self) -> Result<Limits> {
        let time = self.time_limit.unwrap_or(DEFAULT_TIME_LIMIT.into());
        if time > MAX_TIME_LIMIT {
            let message = format!("time_limit is at most {MAX_TIME_LIMIT} seconds, not {time}");
            return Err(Refusal::new("invalid_value", message)
                .hint("use larger cells, or the command line, which has no such limit"));
        }
        Ok(Limits {
            time: Some(time),
            memory: Some(MEMORY),
        })
    }

    /// Bounds of the part of space.
    pub(super) fn bounds(&self) -> Result<Option<Bounds>> {
        let bounds = self.bounds.map(Bounds::try_from).transpose();
        bounds.map_err(|error| {
            Refusal::new("invalid_value", error.to_string())
                .hint("pass the lowest corner first: [[x, y, z], [x, y, z]]")
        })
    }

    /// True if a subject or an option of it is given.
    pub(super) fn names_something(&self) -> bool {
        self.object_id.is_some()
            || self.function_id.is_some()
            || self.output.is_some()
            || self.arguments.is_some()
            || self.bounds.is_some()
    }
}
