//! JSON Schemas for types of `fibula_nodes`, which does not depend on schemars.
//!
//! These types are never constructed; fields name them with `#[schemars(with = "...")]`.

#![expect(dead_code, reason = "only their schemas are used")]

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// The type of a value, a port or a parameter.
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Type {
    /// A number.
    Float,
    /// Three numbers: a point, a direction or a colour.
    Float3,
    /// Sixteen numbers, row by row; translation in the last row.
    Matrix4x4,
    /// A whole number that is known before evaluation, such as a filter mode.
    Integer,
    /// A text that is known before evaluation, such as the name of an output.
    String,
    /// The id of a function, mesh, image or other resource of the project.
    ResourceId,
}

/// A named and typed input or output of a function.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PortSpec {
    /// The name, unique on its side of the function.
    name: String,
    /// The type.
    r#type: Type,
    /// Value of an input that has no argument.
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<Value>,
    /// Unit of an input, such as mm: a label that converts nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<String>,
    /// Smallest value of each number of an input.
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<f64>,
    /// Largest value of each number of an input.
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<f64>,
}

/// Inputs and outputs of a function.
#[derive(JsonSchema)]
pub(crate) struct FunctionType {
    /// The inputs, in their order.
    inputs: Vec<PortSpec>,
    /// The outputs, in their order.
    outputs: Vec<PortSpec>,
}

/// The id of a function, mesh, image or other resource, unique in its project.
#[derive(JsonSchema)]
pub(crate) struct ResourceId(u32);

/// Kind of a resource, as far as references distinguish it.
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ResourceKind {
    /// A function: a graph, or an image that is called like one.
    Function,
    /// A triangle mesh.
    Mesh,
    /// A beam lattice.
    BeamLattice,
    /// An image in three dimensions.
    Image,
    /// A file that is kept with the project; nothing refers to it.
    File,
    /// An object that is no mesh: an assembly, a level set.
    Object,
    /// Properties of the volume of objects.
    VolumeData,
    /// A resource that only other programs understand, such as a group of colours.
    Foreign,
}

/// Interpolation of an image between its voxels.
#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Filter {
    /// The nearest voxel's value.
    Nearest,
    /// Trilinear interpolation.
    Linear,
}

/// Continuation of an image outside of [0, 1].
#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TileStyle {
    /// Repeated.
    Wrap,
    /// Repeated, every other time mirrored.
    Mirror,
    /// Continued from its border.
    Clamp,
    /// Nothing: all channels are 0.
    None,
}

/// A value, in a form of its type.
pub(crate) struct Value;

impl JsonSchema for Value {
    fn schema_name() -> Cow<'static, str> {
        "Value".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A value, in a form of its type.",
            "anyOf": [
                { "description": "float, integer or resource_id", "type": "number" },
                { "description": "string", "type": "string" },
                { "description": "float3: x, y and z", "type": "array",
                    "items": { "type": "number" }, "minItems": 3, "maxItems": 3 },
                { "description": "float3", "type": "object",
                    "properties": { "x": { "type": "number" }, "y": { "type": "number" }, "z": { "type": "number" } },
                    "required": ["x", "y", "z"], "additionalProperties": false },
                { "description": "matrix4x4, row by row", "type": "array",
                    "items": { "type": "number" }, "minItems": 16, "maxItems": 16 },
                { "description": "matrix4x4: four rows", "type": "array",
                    "items": { "type": "array", "items": { "type": "number" }, "minItems": 4, "maxItems": 4 },
                    "minItems": 4, "maxItems": 4 },
            ],
        })
    }
}

/// A value, or null.
pub(crate) struct ValueOrNull;

impl JsonSchema for ValueOrNull {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "ValueOrNull".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let value = generator.subschema_for::<Value>();
        json_schema!({ "anyOf": [value, { "type": "null" }] })
    }
}

#[cfg(test)]
mod tests {
    use fibula_nodes as nodes;
    use serde::de::DeserializeOwned;

    use super::*;

    /// Names of an enum's variants in its schema.
    fn schema_names<T: JsonSchema>() -> Vec<String> {
        let schema = SchemaGenerator::default().into_root_schema_for::<T>();
        let variants = schema.get("oneOf").and_then(serde_json::Value::as_array);
        let variants = variants.expect("it is an enum").iter();
        variants
            .map(|variant| variant["const"].as_str().expect("a name").to_owned())
            .collect()
    }

    /// Names of an enum's variants that serde accepts.
    fn accepted_names<T: DeserializeOwned>() -> Vec<String> {
        let error = serde_json::from_str::<T>("\"?\"").err();
        let error = error.expect("that is no name").to_string();
        let (_, names) = error.split_once("expected ").expect("it tells the names");
        let names = names.split('`').skip(1).step_by(2);
        names.map(str::to_owned).collect()
    }

    #[test]
    fn names_of_schemas_and_serde_agree() {
        let types = nodes::Type::ALL.map(nodes::Type::name);
        assert_eq!(schema_names::<Type>(), types);
        let kinds = accepted_names::<nodes::ResourceKind>();
        assert_eq!(schema_names::<ResourceKind>(), kinds);
        assert_eq!(schema_names::<Filter>(), accepted_names::<nodes::Filter>());
        let styles = accepted_names::<nodes::TileStyle>();
        assert_eq!(schema_names::<TileStyle>(), styles);
    }
}
