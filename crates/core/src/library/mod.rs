//! The library of built-in functions: primitives, profiles, features, lattices and operators.
//!
//! They are data, `*.toml` beside this file: a name, an expression, inputs with units and defaults, and the quality of
//! the distance. A project gets copies of those that it uses, as functions of its own.
//!
//! ```
//! use fibula_core::library::{self, Distance};
//!
//! let sphere = library::find("sphere").unwrap();
//! assert_eq!(sphere.distance, Distance::Exact);
//! assert_eq!(sphere.signature(), "sphere(pos: float3, radius: float = 10) -> (shape: float)");
//! ```
//!
//! Sources of formulas: E. Lord, A. Mackay, "Periodic minimal surfaces of cubic symmetry", Current Science 85 (2003);
//! I. Quilez, "Distance functions" (2008), for the ideas of the rounded solids and of the quadratic blend.

mod advice;
mod cad;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::LazyLock;

use fibula_nodes::{FunctionType, InputDetails, PortSpec, Type, Value};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::expression::{self, AddError};
use crate::graph::{Document, FunctionData, FunctionId};

pub use advice::{is_copy, limit_warnings, warnings};
pub use cad::{CAD_TERMS, CadTerm, cad_terms};

/// A function of the library.
#[derive(Debug, Clone, PartialEq)]
pub struct LibraryFunction {
    /// Its name.
    pub name: String,
    /// Its group.
    pub group: Group,
    /// Description in one sentence.
    pub about: String,
    /// Quality of its value as a distance. For a function that returns a point: of a distance evaluated at that point;
    /// for one that takes distances: of the result if they are exact.
    pub distance: Distance,
    /// Its expression.
    pub expression: String,
    /// An example: a shape of a few units around the origin.
    pub example: String,
    /// Its inputs, in order.
    pub inputs: Vec<LibraryInput>,
    /// View of the example in pictures.
    pub shown: ExampleView,
    data: FunctionData,
}

/// View of an example in pictures.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ExampleView {
    /// Corners of the box that is shown; the whole shape if left out.
    pub bounds: Option<[[f64; 3]; 2]>,
    /// Direction of the camera: azimuth from x towards y, and elevation, in degrees.
    pub from: [f64; 2],
}

impl Default for ExampleView {
    fn default() -> ExampleView {
        ExampleView {
            bounds: None,
            from: [-60.0, 28.0],
        }
    }
}

/// An input of a function of the library.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LibraryInput {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its unit.
    pub unit: Unit,
    /// Default value; none for points and distances.
    pub default: Option<Value>,
    /// Number that all its numbers exceed.
    pub above: Option<f64>,
    /// Number that none of its numbers is below.
    pub at_least: Option<f64>,
    /// Number that none of its numbers exceeds.
    pub at_most: Option<UpperLimit>,
    /// Description.
    pub about: String,
}

/// Upper limit of an input.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
#[non_exhaustive]
pub enum UpperLimit {
    /// A number.
    Number(f64),
    /// A share of the smallest number of other inputs.
    Share {
        /// The share.
        share: f64,
        /// Names of the other inputs.
        of: Vec<String>,
    },
}

/// Among what a function is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// Solid shapes.
    Primitive,
    /// Planar shapes, and the solids that they make.
    Profile,
    /// Edges and features of machine parts.
    Feature,
    /// Shapes that repeat in space.
    Lattice,
    /// Operators on shapes.
    Operator,
}

/// Accuracy of a value as a distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Distance {
    /// The distance to the surface, negative inside.
    Exact,
    /// In magnitude never more than the distance, so that a step of this length crosses no surface; 0 on the surface,
    /// negative inside.
    Bound,
    /// 0 on the surface and negative inside, no more.
    Field,
    /// No distance: a number for an input of another function.
    Number,
}

/// Unit of a number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// The unit of length of the project.
    Length,
    /// Radians.
    Angle,
    /// A whole number.
    Count,
    /// Dimensionless.
    #[default]
    None,
}

impl Group {
    /// All groups, in order.
    pub const ALL: [Group; 5] = [
        Group::Primitive,
        Group::Profile,
        Group::Feature,
        Group::Lattice,
        Group::Operator,
    ];

    /// Title of the group.
    pub fn title(self) -> &'static str {
        match self {
            Group::Primitive => "Primitives",
            Group::Profile => "Profiles",
            Group::Feature => "Features",
            Group::Lattice => "Lattices",
            Group::Operator => "Operators",
        }
    }
}

impl Distance {
    /// Description of the quality.
    pub fn about(self) -> &'static str {
        match self {
            Distance::Exact => "the exact distance",
            Distance::Bound => "a bound: its magnitude never exceeds the distance",
            Distance::Field => "a field: not a distance",
            Distance::Number => "a number, not a distance",
        }
    }
}

impl UpperLimit {
    /// The limit for the known values of other inputs, and its description beside the number.
    fn most(&self, other: impl Fn(&str) -> Option<Value>) -> (f64, String) {
        match self {
            UpperLimit::Number(most) => (*most, String::new()),
            UpperLimit::Share { share, of } => {
                let values: Vec<Value> = of.iter().filter_map(|name| other(name)).collect();
                let numbers = values.iter().flat_map(Value::scalars).copied();
                let times = match share {
                    1.0 => String::new(),
                    share => format!("{share} times "),
                };
                let of = format!("{times}the smallest number of {}, ", of.join(" and "));
                (share * numbers.fold(f64::INFINITY, f64::min), of)
            }
        }
    }
}

impl Unit {
    /// Name of the unit; empty if dimensionless.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Length => "length",
            Unit::Angle => "radians",
            Unit::Count => "whole number",
            Unit::None => "",
        }
    }
}

/// A file of the library.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    function: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    about: String,
    distance: Distance,
    expression: String,
    example: String,
    #[serde(default)]
    shown: ExampleView,
    inputs: Vec<EntryInput>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryInput {
    name: String,
    #[serde(rename = "type")]
    ty: Type,
    #[serde(default)]
    unit: Unit,
    default: Option<serde_json::Value>,
    above: Option<f64>,
    at_least: Option<f64>,
    at_most: Option<UpperLimit>,
    about: String,
}

const FILES: [(Group, &str); 5] = [
    (Group::Primitive, include_str!("primitives.toml")),
    (Group::Profile, include_str!("profiles.toml")),
    (Group::Feature, include_str!("features.toml")),
    (Group::Lattice, include_str!("lattices.toml")),
    (Group::Operator, include_str!("operators.toml")),
];

static LIBRARY: LazyLock<Vec<LibraryFunction>> = LazyLock::new(|| {
    let read = |(group, text)| {
        let file: File =
            toml::from_str(text).expect("the files of the library are checked by tests");
        file.function
            .into_iter()
            .map(move |entry| function(group, entry))
    };
    FILES.into_iter().flat_map(read).collect()
});

/// All functions of the library, by group, in order.
pub fn functions() -> &'static [LibraryFunction] {
    &LIBRARY
}

/// Finds a function by name, ignoring ASCII case.
pub fn find(name: &str) -> Option<&'static LibraryFunction> {
    functions()
        .iter()
        .find(|function| function.name.eq_ignore_ascii_case(name))
}

/// Functions of the library that an expression calls and that the document and the language lack, in the order of
/// computation. Empty if the text does not parse.
pub fn called(document: &Document, expression: &str) -> Vec<&'static LibraryFunction> {
    let names = expression::unknown_calls(document, expression);
    let mut found: Vec<&LibraryFunction> = Vec::new();
    for function in names.iter().filter_map(|name| find(name)) {
        if !found.iter().any(|other| other.name == function.name) {
            found.push(function);
        }
    }
    found
}

/// Adds the function of an expression, after copies of the library functions that it calls.
///
/// ```
/// use fibula_core::{expression, graph::Document, library};
///
/// let mut doc = Document::default();
/// let part = library::add_function(&mut doc, "Part", "sphere(pos, 5)")?;
/// assert_eq!(doc.functions().count(), 2);
/// # Ok::<(), expression::AddError>(())
/// ```
///
/// # Errors
/// As [`expression::add_function`]; copies of library functions may have been added then.
pub fn add_function(
    document: &mut Document,
    name: &str,
    expression: &str,
) -> Result<FunctionId, AddError> {
    for called in called(document, expression) {
        document.insert(called.data())?;
    }
    expression::add_function(document, name, expression)
}

fn function(group: Group, entry: Entry) -> LibraryFunction {
    let input = |input: EntryInput| LibraryInput {
        default: input
            .default
            .map(|json| Value::from_json(input.ty, &json).expect("defaults are checked by tests")),
        name: input.name,
        ty: input.ty,
        unit: input.unit,
        above: input.above,
        at_least: input.at_least,
        at_most: input.at_most,
        about: input.about,
    };
    let inputs: Vec<LibraryInput> = entry.inputs.into_iter().map(input).collect();
    let ports = inputs.iter().map(LibraryInput::port);
    let request = expression::Request {
        name: entry.name,
        expression: entry.expression.trim().to_owned(),
        arguments: Some(ports.collect()),
        outputs: None,
    };
    let data = expression::function(&Document::default(), &request)
        .expect("the expressions of the library are checked by tests");
    LibraryFunction {
        name: request.name,
        group,
        about: entry.about,
        distance: entry.distance,
        expression: request.expression,
        example: entry.example,
        shown: entry.shown,
        inputs,
        data,
    }
}

impl LibraryFunction {
    /// The function as plain data, without an id.
    pub fn data(&self) -> &FunctionData {
        &self.data
    }

    /// Its outputs, in order.
    pub fn outputs(&self) -> &[PortSpec] {
        &self.data.outputs
    }

    /// True if its first input is the point.
    pub fn takes_point(&self) -> bool {
        let first = self.inputs.first();
        first.is_some_and(|input| input.name == "pos")
    }

    /// Its signature, such as `sphere(pos: float3, radius: float = 10) -> (shape: float)`.
    pub fn signature(&self) -> String {
        let ty = FunctionType::new(self.data.inputs.clone(), self.data.outputs.clone());
        format!("{}{ty}", self.name)
    }
}

impl LibraryInput {
    /// True if not all values are possible.
    fn is_limited(&self) -> bool {
        self.above.is_some()
            || self.at_least.is_some()
            || self.at_most.is_some()
            || matches!(self.unit, Unit::Angle | Unit::Count)
    }

    /// The input of a copy of the function: with the default, and with the unit unless that is the project's unit of
    /// length.
    fn port(&self) -> PortSpec {
        let unit = match self.unit {
            Unit::Angle => Some("rad".to_owned()),
            Unit::Length | Unit::Count | Unit::None => None,
        };
        let details = InputDetails {
            default: self.default.clone(),
            unit,
            ..InputDetails::default()
        };
        PortSpec::new(self.name.clone(), self.ty).with_details(details)
    }
}

impl fmt::Display for LibraryInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.port().fmt(f)
    }
}
