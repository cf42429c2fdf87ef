//! Types of values, and values.
//!
//! Six types, as in Gladius and the 3MF implicit extension. Nothing is converted implicitly. Lengths are in
//! the document's unit, angles in radians, matrices are row-major and transform row vectors.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

/// The type of a value, a port or a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Type {
    /// A number (3MF: scalar).
    #[serde(rename = "float", alias = "scalar")]
    Float,
    /// Three numbers: a point, a direction or a colour (3MF: vector).
    #[serde(rename = "float3", alias = "vector", alias = "vec3")]
    Float3,
    /// Sixteen numbers, row by row; translation in the last row (3MF: matrix).
    #[serde(rename = "matrix4x4", alias = "matrix", alias = "mat4")]
    Matrix4x4,
    /// A whole number that is known before evaluation, such as a filter mode.
    #[serde(rename = "integer", alias = "int")]
    Integer,
    /// A text that is known before evaluation, such as the name of an output.
    #[serde(rename = "string")]
    String,
    /// The id of a function, mesh, image or other resource of the project (3MF: resourceid).
    #[serde(rename = "resource_id", alias = "resourceid")]
    ResourceId,
}

impl Type {
    /// Every type, in the order in which they are listed.
    pub const ALL: [Type; 6] = [
        Type::Float,
        Type::Float3,
        Type::Matrix4x4,
        Type::Integer,
        Type::String,
        Type::ResourceId,
    ];

    /// The type's name in tools and files of Fibula.
    pub fn name(self) -> &'static str {
        match self {
            Type::Float => "float",
            Type::Float3 => "float3",
            Type::Matrix4x4 => "matrix4x4",
            Type::Integer => "integer",
            Type::String => "string",
            Type::ResourceId => "resource_id",
        }
    }

    /// Number of scalars of a value during evaluation; 0 for types that are known before.
    pub fn width(self) -> usize {
        match self {
            Type::Float => 1,
            Type::Float3 => 3,
            Type::Matrix4x4 => 16,
            Type::Integer | Type::String | Type::ResourceId => 0,
        }
    }

    /// Written form of a value of the type, for messages.
    pub fn form(self) -> &'static str {
        match self {
            Type::Float => "a finite number",
            Type::Float3 => "[x, y, z] or {\"x\":…, \"y\":…, \"z\":…} of finite numbers",
            Type::Matrix4x4 => "16 finite numbers row by row, or 4 rows of 4",
            Type::Integer => "a whole number",
            Type::String => "a text",
            Type::ResourceId => "the id of a resource: a whole number from 0 to 4294967295",
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Error returned when a name is no type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown type '{0}'; the types are float, float3, matrix4x4, integer, string and resource_id"
)]
pub struct UnknownType(pub String);

impl FromStr for Type {
    type Err = UnknownType;

    /// Reads a type's name or one of its aliases (scalar, vector, matrix, vec3, mat4, int, resourceid).
    fn from_str(text: &str) -> Result<Self, UnknownType> {
        Ok(match text {
            "float" | "scalar" => Type::Float,
            "float3" | "vector" | "vec3" => Type::Float3,
            "matrix4x4" | "matrix" | "mat4" => Type::Matrix4x4,
            "integer" | "int" => Type::Integer,
            "string" => Type::String,
            "resource_id" | "resourceid" => Type::ResourceId,
            _ => return Err(UnknownType(text.chars().take(64).collect())),
        })
    }
}

/// The id of a function, mesh, image or other resource, unique in its project.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct ResourceId(pub u32);

impl fmt::Display for ResourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Kind of a resource, as far as references distinguish it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResourceKind {
    /// A function: a graph, or an image that is called like one.
    Function,
    /// A triangle mesh.
    Mesh,
    /// A beam lattice.
    BeamLattice,
    /// A 3D image.
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

impl ResourceKind {
    /// The kind's name in messages.
    pub fn name(self) -> &'static str {
        match self {
            ResourceKind::Function => "function",
            ResourceKind::Mesh => "mesh",
            ResourceKind::BeamLattice => "beam lattice",
            ResourceKind::Image => "image",
            ResourceKind::File => "file",
            ResourceKind::Object => "object",
            ResourceKind::VolumeData => "volume data",
            ResourceKind::Foreign => "other resource",
        }
    }
}

impl fmt::Display for ResourceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A value of one of the [`Type`]s.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// A number.
    Float(f64),
    /// Three numbers.
    Float3([f64; 3]),
    /// Sixteen numbers, row by row.
    Matrix4x4([f64; 16]),
    /// A whole number.
    Integer(i64),
    /// A text.
    String(String),
    /// A reference to a resource.
    ResourceId(ResourceId),
}

/// Error returned when a JSON value is no value of the expected type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a {expected} takes {}, but got {got}", .expected.form())]
pub struct ValueError {
    /// The expected type.
    pub expected: Type,
    /// The JSON value, shortened.
    pub got: String,
}

impl Value {
    /// The value's type.
    pub fn ty(&self) -> Type {
        match self {
            Value::Float(_) => Type::Float,
            Value::Float3(_) => Type::Float3,
            Value::Matrix4x4(_) => Type::Matrix4x4,
            Value::Integer(_) => Type::Integer,
            Value::String(_) => Type::String,
            Value::ResourceId(_) => Type::ResourceId,
        }
    }

    /// The value's scalars, row by row; empty for types that are known before evaluation.
    pub fn scalars(&self) -> &[f64] {
        match self {
            Value::Float(number) => std::slice::from_ref(number),
            Value::Float3(numbers) => numbers,
            Value::Matrix4x4(numbers) => numbers,
            Value::Integer(_) | Value::String(_) | Value::ResourceId(_) => &[],
        }
    }

    /// Builds a float, float3 or matrix4x4 from its scalars; `None` if their count is not the type's width.
    pub fn from_scalars(ty: Type, scalars: &[f64]) -> Option<Value> {
        match ty {
            Type::Float => scalars
                .try_into()
                .ok()
                .map(|[number]: [f64; 1]| Value::Float(number)),
            Type::Float3 => scalars.try_into().ok().map(Value::Float3),
            Type::Matrix4x4 => scalars.try_into().ok().map(Value::Matrix4x4),
            Type::Integer | Type::String | Type::ResourceId => None,
        }
    }

    /// Reads a value of type `ty` as an agent writes it: `5`, `[1, 2, 3]`, `{"x":1,"y":2,"z":3}`, 16 numbers
    /// or 4 rows of 4.
    ///
    /// # Errors
    /// [`ValueError`] when the JSON is of another form, a number is not finite, or a whole number is none.
    pub fn from_json(ty: Type, json: &Json) -> Result<Value, ValueError> {
        let value = match ty {
            Type::Float => parse_finite(json).map(Value::Float),
            Type::Float3 => parse_float3(json).map(Value::Float3),
            Type::Matrix4x4 => parse_matrix(json).map(Value::Matrix4x4),
            Type::Integer => parse_integer(json).map(Value::Integer),
            Type::String => json.as_str().map(|text| Value::String(text.to_owned())),
            Type::ResourceId => parse_integer(json)
                .and_then(|number| u32::try_from(number).ok())
                .map(|number| Value::ResourceId(ResourceId(number))),
        };
        value.ok_or_else(|| ValueError {
            expected: ty,
            got: shorten(json),
        })
    }

    /// The value as JSON; a number that is not finite becomes "NaN", "Infinity" or "-Infinity".
    pub fn to_json(&self) -> Json {
        match self {
            Value::Float(number) => number_json(*number),
            Value::Float3(numbers) => numbers.iter().copied().map(number_json).collect(),
            Value::Matrix4x4(numbers) => numbers.iter().copied().map(number_json).collect(),
            Value::Integer(number) => json!(number),
            Value::String(text) => json!(text),
            Value::ResourceId(id) => json!(id.0),
        }
    }

    /// True if every scalar of the value is a finite number.
    pub fn is_finite(&self) -> bool {
        self.scalars().iter().all(|number| number.is_finite())
    }
}

/// A number as JSON; "NaN", "Infinity" or "-Infinity" when it is not finite.
pub fn number_json(number: f64) -> Json {
    if number.is_finite() {
        json!(number)
    } else if number.is_nan() {
        json!("NaN")
    } else if number > 0.0 {
        json!("Infinity")
    } else {
        json!("-Infinity")
    }
}

fn parse_finite(json: &Json) -> Option<f64> {
    json.as_f64().filter(|number| number.is_finite())
}

fn parse_integer(json: &Json) -> Option<i64> {
    /// Above this a float no longer distinguishes whole numbers.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    json.as_i64().or_else(|| {
        json.as_f64()
            .filter(|number| number.fract() == 0.0 && number.abs() <= EXACT)
            .map(|number| number as i64)
    })
}

fn parse_float3(json: &Json) -> Option<[f64; 3]> {
    match json {
        Json::Array(items) => parse_numbers(items),
        Json::Object(members) if members.len() == 3 => {
            let component = |name| members.get(name).and_then(parse_finite);
            Some([component("x")?, component("y")?, component("z")?])
        }
        _ => None,
    }
}

fn parse_matrix(json: &Json) -> Option<[f64; 16]> {
    let items = json.as_array()?;
    if items.len() != 4 {
        return parse_numbers(items);
    }
    let mut all = [0.0; 16];
    for (row, item) in all.chunks_exact_mut(4).zip(items) {
        row.copy_from_slice(&parse_numbers::<4>(item.as_array()?)?);
    }
    Some(all)
}

fn parse_numbers<const N: usize>(items: &[Json]) -> Option<[f64; N]> {
    let items: &[Json; N] = items.try_into().ok()?;
    let mut all = [0.0; N];
    for (number, item) in all.iter_mut().zip(items) {
        *number = parse_finite(item)?;
    }
    Some(all)
}

/// The JSON text, short enough for a message; long texts and lists are described instead.
fn shorten(json: &Json) -> String {
    const LONGEST: usize = 60;
    match json {
        Json::String(text) if text.len() > LONGEST => format!("a string of {} bytes", text.len()),
        Json::Array(items) if items.len() > 16 => format!("a list of {} items", items.len()),
        Json::Object(members) if members.len() > 4 => {
            format!("an object with {} members", members.len())
        }
        Json::Null
        | Json::Bool(_)
        | Json::Number(_)
        | Json::String(_)
        | Json::Array(_)
        | Json::Object(_) => {
            let text = json.to_string();
            match text.char_indices().nth(LONGEST) {
                None => text,
                Some((end, _)) => format!("{}…", &text[..end]),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_agents_write() {
        let unit = [
            1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0,
        ];
        let rows = json!([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]);
        let vector = Value::Float3([1.0, 2.0, 3.0]);
        let cases = [
            (Type::Float, json!(5), Some(Value::Float(5.0))),
            (Type::Float, json!("5"), None),
            (Type::Float, json!("NaN"), None),
            (Type::Float, json!(null), None),
            (Type::Float3, json!([1, 2, 3]), Some(vector.clone())),
            (Type::Float3, json!({"x":1,"y":2,"z":3}), Some(vector)),
            (Type::Float3, json!({"x":1,"y":2}), None),
            (Type::Float3, json!([1, 2]), None),
            (Type::Float3, json!(1), None),
            (Type::Matrix4x4, json!(unit), Some(Value::Matrix4x4(unit))),
            (Type::Matrix4x4, rows, Some(Value::Matrix4x4(unit))),
            (Type::Matrix4x4, json!([1, 2, 3, 4]), None),
            (Type::Integer, json!(2.0), Some(Value::Integer(2))),
            (Type::Integer, json!(2.5), None),
            (
                Type::ResourceId,
                json!(7),
                Some(Value::ResourceId(ResourceId(7))),
            ),
            (Type::ResourceId, json!(-7), None),
            (Type::String, json!("a"), Some(Value::String("a".into()))),
        ];
        for (ty, json, expected) in cases {
            let found = Value::from_json(ty, &json).ok();
            assert_eq!(found, expected, "{ty} from {json}");
        }
    }

    #[test]
    fn errors_are_short_and_state_the_form() {
        let error = Value::from_json(Type::Float3, &json!("x".repeat(1_000_000))).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a float3 takes [x, y, z] or {\"x\":…, \"y\":…, \"z\":…} of finite numbers, but got a string of 1000000 \
                 bytes"
        );
    }

    #[test]
    fn values_survive_serde_bit_for_bit() {
        let value = Value::Float3([0.1 + 0.2, -0.0, f64::MIN_POSITIVE / 4.0]);
        let text = serde_json::to_string(&value).unwrap();
        let back: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(format!("{value:?}"), format!("{back:?}"));
        assert_eq!(Value::Float(f64::NAN).to_json(), json!("NaN"));
    }
}
