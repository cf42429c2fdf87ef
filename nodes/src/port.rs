//! Parameters (inputs), ports (outputs) and the overloads that tie their types together.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::input::{self, InputDetails};
use crate::names::{self, UnknownName};
use crate::value::{ResourceKind, Type, Value};

/// An input of a node: it is linked to a port, holds a literal value, or is unset.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// The name, as 3MF spells it where 3MF has the kind.
    pub name: Cow<'static, str>,
    /// Other names that are understood.
    pub aliases: &'static [&'static str],
    /// The value that an unset parameter has; `None` when it must be set or linked.
    pub default: Option<Value>,
    /// Kind of the resource that the parameter refers to; `None` if it may be any, or it refers to none.
    pub refers: Option<ResourceKind>,
    /// Details of the input of a function that the parameter stands for.
    pub details: Option<Box<InputDetails>>,
}

/// An output of a node.
#[derive(Debug, Clone, PartialEq)]
pub struct Port {
    /// The name, as 3MF spells it where 3MF has the kind.
    pub name: Cow<'static, str>,
    /// Other names that are understood.
    pub aliases: &'static [&'static str],
    /// Details of the input of a function that the port of its `Begin` stands for.
    pub details: Option<Box<InputDetails>>,
}

/// One overload: the type of each parameter and the type of each port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overload {
    /// One type per parameter.
    pub inputs: Vec<Type>,
    /// One type per port.
    pub outputs: Vec<Type>,
}

/// The parameters, ports and overloads of a node; at least one overload, the first is the default.
#[derive(Debug, Clone, PartialEq)]
pub struct Signature {
    /// The inputs, in their order.
    pub parameters: Vec<Parameter>,
    /// The outputs, in their order.
    pub ports: Vec<Port>,
    /// The overloads, in the order in which they are tried.
    pub overloads: Vec<Overload>,
}

impl Signature {
    /// The index of the parameter called `name`: exact, by alias, or alone in ignoring ASCII case.
    ///
    /// # Errors
    /// [`UnknownName`] with the nearest names.
    pub fn parameter(&self, name: &str) -> Result<usize, UnknownName> {
        lookup(name, &self.parameters, |parameter| {
            (&parameter.name, parameter.aliases)
        })
    }

    /// As [`parameter`](Self::parameter), without the nearest names.
    pub fn parameter_position(&self, name: &str) -> Option<usize> {
        position(name, &self.parameters, |parameter| {
            (&parameter.name, parameter.aliases)
        })
    }

    /// As [`port`](Self::port), without the nearest names.
    pub fn port_position(&self, name: &str) -> Option<usize> {
        position(name, &self.ports, |port| (&port.name, port.aliases))
    }

    /// The index of the port called `name`: exact, by alias, or alone in ignoring ASCII case.
    ///
    /// # Errors
    /// [`UnknownName`] with the nearest names.
    pub fn port(&self, name: &str) -> Result<usize, UnknownName> {
        lookup(name, &self.ports, |port| (&port.name, port.aliases))
    }
}

/// Names come before aliases, so that an alias never hides another port's own name.
fn lookup<T>(
    target: &str,
    entries: &[T],
    names_of: impl Fn(&T) -> (&str, &'static [&'static str]),
) -> Result<usize, UnknownName> {
    position(target, entries, &names_of).ok_or_else(|| UnknownName {
        nearest: names::nearest(target, entries.iter().map(|entry| names_of(entry).0)),
    })
}

/// The index of what has a name or alias.
fn position<T>(
    target: &str,
    entries: &[T],
    names_of: impl Fn(&T) -> (&str, &'static [&'static str]),
) -> Option<usize> {
    let named = entries.iter().map(|entry| names_of(entry).0).enumerate();
    names::position(target, named).or_else(|| {
        let aliased = entries
            .iter()
            .enumerate()
            .flat_map(|(index, entry)| names_of(entry).1.iter().map(move |alias| (index, *alias)));
        names::position(target, aliased)
    })
}

/// A named and typed input or output of a function; its text is that of a signature, `radius: float = 10 mm [0.1, 50]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "PortForm", into = "PortForm")]
pub struct PortSpec {
    /// The name, unique on its side of the function.
    pub name: String,
    /// The type.
    pub ty: Type,
    /// Default, unit and limits of an input; `None` if it has none of these.
    pub details: Option<Box<InputDetails>>,
}

/// JSON form of a [`PortSpec`].
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PortForm {
    name: String,
    #[serde(rename = "type")]
    ty: Type,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    default: Option<Json>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unit: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    min: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max: Option<f64>,
}

impl TryFrom<PortForm> for PortSpec {
    type Error = String;

    fn try_from(form: PortForm) -> Result<Self, String> {
        let parse = |json: &Json| input::parse_default(&form.name, form.ty, json);
        let details = InputDetails {
            default: form.default.as_ref().map(parse).transpose()?,
            unit: form.unit,
            min: form.min,
            max: form.max,
        };
        Ok(PortSpec::new(form.name, form.ty).with_details(details))
    }
}

impl From<PortSpec> for PortForm {
    fn from(port: PortSpec) -> Self {
        let details = port.details.map(|details| *details).unwrap_or_default();
        PortForm {
            name: port.name,
            ty: port.ty,
            default: details.default.as_ref().map(Value::to_json),
            unit: details.unit,
            min: details.min,
            max: details.max,
        }
    }
}

impl fmt::Display for PortSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.form())
    }
}

impl PortSpec {
    /// A port called `name` of type `ty`.
    pub fn new(name: impl Into<String>, ty: Type) -> Self {
        PortSpec {
            name: name.into(),
            ty,
            details: None,
        }
    }

    /// The input with these details instead of its own.
    #[must_use]
    pub fn with_details(self, details: InputDetails) -> Self {
        let details = Some(details).filter(|details| !details.is_empty());
        PortSpec {
            details: details.map(Box::new),
            ..self
        }
    }

    /// Text after the name in a signature: `float = 10 mm [0.1, 50]`.
    pub fn form(&self) -> String {
        let details = self.details.as_ref().map(ToString::to_string);
        format!("{}{}", self.ty, details.unwrap_or_default())
    }

    /// Value where the input has no argument.
    pub fn default_value(&self) -> Option<&Value> {
        self.details.as_ref()?.default.as_ref()
    }

    /// Describes the limit that a value exceeds.
    pub fn violation(&self, value: &Value) -> Option<String> {
        self.details.as_ref()?.violation(value)
    }

    fn parameter(&self) -> Parameter {
        Parameter {
            name: Cow::Owned(self.name.clone()),
            aliases: &[],
            default: self.default_value().cloned(),
            refers: None,
            details: self.details.clone(),
        }
    }

    fn port(&self) -> Port {
        Port {
            name: Cow::Owned(self.name.clone()),
            aliases: &[],
            details: self.details.clone(),
        }
    }
}

/// Type of a function: its inputs and outputs. Its text is that of a signature without the name, `(pos: float3) ->
/// (shape: float)`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FunctionType {
    /// The inputs, in their order.
    pub inputs: Vec<PortSpec>,
    /// The outputs, in their order.
    pub outputs: Vec<PortSpec>,
}

impl fmt::Display for FunctionType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (inputs, outputs) = (list(&self.inputs), list(&self.outputs));
        write!(f, "({inputs}) -> ({outputs})")
    }
}

/// Texts of inputs or outputs, separated by commas.
pub fn list(ports: &[PortSpec]) -> String {
    let texts: Vec<String> = ports.iter().map(ToString::to_string).collect();
    texts.join(", ")
}

impl FunctionType {
    /// The type with these inputs and outputs.
    pub fn new(inputs: Vec<PortSpec>, outputs: Vec<PortSpec>) -> Self {
        FunctionType { inputs, outputs }
    }

    /// A node that has `before` and then these inputs as parameters, and these outputs as ports.
    pub fn signature(&self, before: &[(Parameter, Type)]) -> Signature {
        let (first, first_types): (Vec<_>, Vec<_>) = before.iter().cloned().unzip();
        let types = |ports: &[PortSpec]| ports.iter().map(|port| port.ty).collect::<Vec<_>>();
        Signature {
            parameters: [first, self.inputs.iter().map(PortSpec::parameter).collect()].concat(),
            ports: self.outputs.iter().map(PortSpec::port).collect(),
            overloads: vec![Overload {
                inputs: [first_types, types(&self.inputs)].concat(),
                outputs: types(&self.outputs),
            }],
        }
    }
}

/// Overloads of a kind, as `node!` declares them.
#[derive(Debug, Clone, Copy)]
pub enum Overloads {
    /// All operands float, all float3 or all matrix4x4, and the result likewise: componentwise.
    Each,
    /// One overload: the parameters' types and the ports' types.
    One(&'static [Type], &'static [Type]),
}

/// Componentwise over float, float3 and matrix4x4.
pub const EACH: Overloads = Overloads::Each;

impl Overloads {
    /// The overloads of a kind with so many parameters and ports.
    ///
    /// # Panics
    /// If the types of a single overload are not one per parameter and port: the kind is written wrongly.
    pub fn build(self, parameters: usize, ports: usize) -> Vec<Overload> {
        match self {
            Overloads::Each => [Type::Float, Type::Float3, Type::Matrix4x4]
                .into_iter()
                .map(|ty| Overload {
                    inputs: vec![ty; parameters],
                    outputs: vec![ty; ports],
                })
                .collect(),
            Overloads::One(inputs, outputs) => {
                assert_eq!(inputs.len(), parameters, "one type per parameter");
                assert_eq!(outputs.len(), ports, "one type per port");
                vec![Overload {
                    inputs: inputs.to_vec(),
                    outputs: outputs.to_vec(),
                }]
            }
        }
    }
}
