//! The JSON Schema of the lines of a project file, made from the types that are written and read.

use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use serde_json::{Value as Json, json};

use super::format::{First, Line};

const ABOUT: &str = "\
A line of a project file, as `fibula export` writes it: JSON Lines. The first line identifies the file; base, content, \
entry and end lines follow in this order, contents between the entries. $defs/Function is a function, $defs/Edit a \
change, $defs/Document the whole state of a project.";

/// The JSON Schema (draft 2020-12) of one line of an exported project.
///
/// Written lines conform to it. Read lines do, too, except for spellings that are only accepted, such as `vec3` for
/// `float3`. It cannot express the values of hashes, the targets of ids, or the order of lines: reading checks those.
pub fn project_schema() -> Json {
    let settings = SchemaSettings::draft2020_12().with_transform(Plain);
    let mut generator = settings.into_generator();
    let first = generator.subschema_for::<First>();
    let line = generator.subschema_for::<Line<'_>>();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Line of a Fibula project file",
        "description": ABOUT,
        "oneOf": [first, line],
        "$defs": generator.take_definitions(true),
    })
}

/// Says the limits of numbers as JSON Schema does, no defaults that a reader would take for granted, and descriptions
/// without the ends of the lines that they have in the sources.
#[derive(Debug, Clone)]
struct Plain;

impl Transform for Plain {
    fn transform(&mut self, schema: &mut Schema) {
        // Formats such as `uint32` are schemars' own.
        if let Some(Json::String(format)) = schema.remove("format")
            && format == "uint32"
        {
            schema.insert("maximum".to_owned(), u32::MAX.into());
        }
        if let Some(Json::Null | Json::Array(_) | Json::Object(_)) = schema.get("default") {
            schema.remove("default");
        }
        if let Some(Json::String(text)) = schema.get_mut("description") {
            *text = text.replace('\n', " ");
        }
        transform_subschemas(self, schema);
    }
}
