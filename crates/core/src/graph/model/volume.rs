//! Properties of a volume that functions define.

use fibula_nodes::ResourceId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::extra::Extra;
use super::transform::Transform;
use crate::graph::form;

/// Value of a function at each point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// The function, which takes `pos: float3`.
    #[schemars(with = "form::ResourceId")]
    pub function_id: ResourceId,
    /// Which of its outputs.
    pub channel: String,
    /// From the object's coordinates to those of the function.
    #[serde(default)]
    pub transform: Transform,
    /// Details smaller than this may get lost, in the project's unit; 0 if unspecified.
    #[serde(default)]
    pub min_feature_size: f64,
    /// Value where the function is undefined.
    #[serde(default)]
    pub fallback_value: f64,
    /// Attributes and elements that Fibula does not interpret.
    #[serde(default)]
    pub extra: Extra,
}

impl Field {
    /// Creates a field of an output with the identity transform.
    pub fn new(function_id: ResourceId, channel: impl Into<String>) -> Self {
        Field {
            function_id,
            channel: channel.into(),
            transform: Transform::IDENTITY,
            min_feature_size: 0.0,
            fallback_value: 0.0,
            extra: Extra::default(),
        }
    }
}

/// Properties of the volume of objects (3MF: volumedata).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VolumeData {
    /// Of which materials it consists.
    #[serde(default)]
    pub composite: Option<Composite>,
    /// Its colour: a float3 of red, green and blue from 0 to 1, linear.
    #[serde(default)]
    pub color: Option<Field>,
    /// Other properties.
    #[serde(default)]
    pub properties: Vec<Property>,
    /// Attributes and elements that Fibula does not interpret.
    #[serde(default)]
    pub extra: Extra,
}

impl VolumeData {
    /// Every field in it.
    pub fn fields(&self) -> impl Iterator<Item = &Field> {
        let composite = self.composite.iter().flat_map(|one| &one.materials);
        let properties = self.properties.iter().map(|property| &property.field);
        composite.chain(&self.color).chain(properties)
    }

    /// Every field in it, to be changed.
    pub fn fields_mut(&mut self) -> impl Iterator<Item = &mut Field> {
        let composite = self.composite.iter_mut().flat_map(|one| &mut one.materials);
        let properties = self.properties.iter_mut().map(|one| &mut one.field);
        composite.chain(&mut self.color).chain(properties)
    }
}

/// A mixture of materials.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Composite {
    /// The group of base materials.
    #[schemars(with = "form::ResourceId")]
    pub base_materials: ResourceId,
    /// Share of each material, in the order of the group: a float, relative to the sum of all.
    pub materials: Vec<Field>,
}

/// A property with a name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Property {
    /// Its name; a namespace stands before it in braces: `{http://example.com}Density`.
    pub name: String,
    /// True if readers of the file must support it.
    #[serde(default)]
    pub required: bool,
    /// Value: a float or a float3.
    pub field: Field,
}
