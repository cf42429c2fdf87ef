//! JSON schemas of values of the lower crates.
//!
//! Schemas of answers are short where the fields are self-explanatory, since every word of a schema costs context. The
//! types are never constructed; fields refer to them with `#[schemars(with = "...")]`.

#![expect(dead_code, reason = "used only for their schemas")]

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value as Json;

/// The type of a value.
#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TypeForm {
    Float,
    Float3,
    Matrix4x4,
    Integer,
    String,
    #[serde(rename = "resource_id")]
    ResourceId,
}

#[derive(JsonSchema)]
pub(crate) struct PortForm {
    name: String,
    r#type: TypeForm,
}

/// An input or output in an answer, whose schema does not repeat the list of types.
#[derive(JsonSchema)]
pub(crate) struct ShownPort {
    name: String,
    r#type: String,
}

#[derive(JsonSchema)]
pub(crate) struct LinkForm {
    source_node_id: u32,
    source_port_name: String,
    target_node_id: u32,
    target_parameter_name: String,
}

#[derive(JsonSchema)]
pub(crate) struct SourceForm {
    node_id: u32,
    port: String,
}

#[derive(JsonSchema)]
pub(crate) struct NodeForm {
    node_id: u32,
    node_type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<ObjectForm>,
}

/// A value in an answer. Numbers that are not finite are strings, since JSON cannot represent them.
pub(crate) struct ValueForm;

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

/// A function in a request: its id, or its name, which the server resolves.
pub struct FunctionKey;

impl JsonSchema for FunctionKey {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "FunctionKey".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["integer", "string"], "minimum": 0 })
    }
}

impl FunctionKey {
    /// Parses an id in decimal digits; other texts, such as "+1" and "01", are names.
    pub fn parse_id(text: &str) -> Option<u32> {
        text.parse().ok().filter(|id: &u32| id.to_string() == text)
    }
}

/// True if a schema is that of a [`FunctionKey`], required or not.
pub fn is_function_key(schema: &Json) -> bool {
    let types = schema.get("type").and_then(Json::as_array);
    types.is_some_and(|types| {
        let has = |name: &str| types.iter().any(|other| other == name);
        has("integer") && has("string")
    })
}

/// One value, or a list of values.
pub(crate) struct OneOrMany<T>(T);

impl<T: JsonSchema> JsonSchema for OneOrMany<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("OneOrMany_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [one.clone(), { "type": "array", "items": one }] })
    }
}

/// An object with any members.
pub(crate) struct ObjectForm;

impl JsonSchema for ObjectForm {
    fn schema_name() -> Cow<'static, str> {
        "Object".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object" })
    }
}
