//! How values of the lower floors look in the schemas of requests and answers.
//!
//! Schemas of answers are short where the fields speak for themselves, since agents pay for every tool's.
//! These types are never made; fields name them with `#[schemars(with = "...")]`.

#![expect(dead_code, reason = "only their schemas are used")]

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// The type of a value.
#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum TypeForm {
    Float,
    Float3,
    Matrix4x4,
    Integer,
    String,
    #[serde(rename = "resource_id")]
    ResourceId,
}

#[derive(JsonSchema)]
pub(super) struct PortForm {
    name: String,
    r#type: TypeForm,
}

/// An input or output in an answer, whose schema is spared the list of types.
#[derive(JsonSchema)]
pub(super) struct ShownPort {
    name: String,
    r#type: String,
}

#[derive(JsonSchema)]
pub(super) struct LinkForm {
    source_node_id: u32,
    source_port_name: String,
    target_node_id: u32,
    target_parameter_name: String,
}

#[derive(JsonSchema)]
pub(super) struct SourceForm {
    node_id: u32,
    port: String,
}

#[derive(JsonSchema)]
pub(super) struct NodeForm {
    node_id: u32,
    node_type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<ObjectForm>,
}

/// A value in an answer. Numbers that are not finite are texts, since JSON has none.
pub(super) struct ValueForm;

impl JsonSchema for ValueForm {
    fn schema_name() -> Cow<'static, str> {
        "Value".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                { "type": "number" },
                { "type": "string" },
                { "type": "array" },
            ],
        })
    }
}

/// One object, or a list of such.
pub(super) struct OneOrMany<T>(T);

impl<T: JsonSchema> JsonSchema for OneOrMany<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("OneOrMany_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [one.clone(), { "type": "array", "items": one }] })
    }
}

/// Any members with any values.
pub(super) struct ObjectForm;

impl JsonSchema for ObjectForm {
    fn schema_name() -> Cow<'static, str> {
        "Object".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object" })
    }
}
