//! Kinds that refer to another function of the project; their ports follow its inputs and outputs.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::bundle::Bundle;
use crate::example::{ball, r, s, t, v};
use crate::kernel::Expr;
use crate::node::{Entry, Example, Family, KindInfo, LowerError, Lowering, Node};
use crate::port::{FunctionType, Parameter, Port, PortSpec, Signature};
use crate::value::{ResourceId, ResourceKind, Type, Value};

/// The parameter by which a node names the function that it refers to.
pub const FUNCTION_ID: &str = "functionID";

/// The parameter by which a gradient names an output of its function; empty for the first float.
pub const SCALAR_OUTPUT: &str = "scalaroutput";

/// The parameter by which a gradient names an input of its function; empty for the first float3.
pub const VECTOR_INPUT: &str = "vectorinput";

/// Below this a gradient counts as zero, and a step is widened to it (as in Gladius).
const TINY: f64 = 1e-8;

/// The value of another function for the arguments given.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct FunctionCall {
    /// Type of the called function.
    pub callee: FunctionType,
}

/// The gradient of another function, by central differences.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct FunctionGradient {
    /// The inputs of the function.
    pub inputs: Vec<PortSpec>,
}

/// Another function divided by the magnitude of its gradient.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct NormalizeDistanceField {
    /// The inputs of the function.
    pub inputs: Vec<PortSpec>,
}

fn parameter(name: &'static str, default: Option<Value>) -> Parameter {
    Parameter {
        name: Cow::Borrowed(name),
        aliases: &[],
        default,
        refers: (name == FUNCTION_ID).then_some(ResourceKind::Function),
        details: None,
    }
}

#[typetag::serde]
impl Node for FunctionCall {
    fn info(&self) -> &'static KindInfo {
        static INFO: LazyLock<KindInfo> = LazyLock::new(|| KindInfo {
            name: "FunctionCall",
            element: "functioncall",
            native: true,
            aliases: &["call"],
            family: Family::Call,
            doc: "Calls another function of the project. Set `functionID`. The other parameters are the function's \
            inputs and the ports are its outputs; both follow its changes. Recursion, direct or indirect, is rejected.",
            signature: FunctionCall { callee: ball() }.signature().into_owned(),
            examples: vec![Example {
                inputs: vec![r(1), v(3.0, 4.0, 0.0), s(2.0)],
                outputs: vec![s(3.0)],
            }],
            make: || Box::new(FunctionCall::default()),
        });
        &INFO
    }

    fn signature(&self) -> Cow<'_, Signature> {
        Cow::Owned(
            self.callee
                .signature(&[(parameter(FUNCTION_ID, None), Type::ResourceId)]),
        )
    }

    fn with_callee(&self, callee: &FunctionType) -> Option<Box<dyn Node>> {
        Some(Box::new(FunctionCall {
            callee: callee.clone(),
        }))
    }

    fn lower(&self, inputs: &[Bundle], to: &mut Lowering<'_>) -> Result<Vec<Bundle>, LowerError> {
        to.call(inputs[0].resource(), &inputs[1..])
    }
}

/// The parameters that the two gradient kinds have before the inputs of their function.
fn gradient_parameters() -> [(Parameter, Type); 4] {
    [
        (parameter(FUNCTION_ID, None), Type::ResourceId),
        (parameter("step", Some(s(0.001))), Type::Float),
        (parameter(SCALAR_OUTPUT, Some(t(""))), Type::String),
        (parameter(VECTOR_INPUT, Some(t(""))), Type::String),
    ]
}

fn gradient_signature(inputs: &[PortSpec], ports: Vec<(Port, Type)>) -> Signature {
    let callee = FunctionType::new(inputs.to_vec(), Vec::new());
    let mut signature = callee.signature(&gradient_parameters());
    (signature.ports, signature.overloads[0].outputs) = ports.into_iter().unzip();
    signature
}

fn port(name: &'static str, aliases: &'static [&'static str]) -> Port {
    Port {
        name: Cow::Borrowed(name),
        aliases,
        details: None,
    }
}

#[typetag::serde]
impl Node for FunctionGradient {
    fn info(&self) -> &'static KindInfo {
        static INFO: LazyLock<KindInfo> = LazyLock::new(|| KindInfo {
            name: "FunctionGradient",
            element: "functiongradient",
            native: true,
            aliases: &["gradient"],
            family: Family::Call,
            doc: "Gradient of another function of the project, by central differences with step size `step`. \
                  Set `functionID`; `scalaroutput` and `vectorinput` name the output and the input; if empty, the \
                  first float output and the first float3 input. The normalized gradient is 0 where the magnitude is at \
                  most 1e-8.",
            signature: FunctionGradient {
                inputs: ball().inputs,
            }
            .signature()
            .into_owned(),
            examples: vec![Example {
                inputs: vec![r(1), s(0.001), t(""), t(""), v(0.0, 2.0, 0.0), s(1.0)],
                outputs: vec![v(0.0, 1.0, 0.0), v(0.0, 1.0, 0.0), s(1.0)],
            }],
            make: || Box::new(FunctionGradient::default()),
        });
        &INFO
    }

    fn signature(&self) -> Cow<'_, Signature> {
        let ports = vec![
            (port("normalizedgradient", &["vector"]), Type::Float3),
            (port("gradient", &[]), Type::Float3),
            (port("magnitude", &[]), Type::Float),
        ];
        Cow::Owned(gradient_signature(&self.inputs, ports))
    }

    fn with_callee(&self, callee: &FunctionType) -> Option<Box<dyn Node>> {
        Some(Box::new(FunctionGradient {
            inputs: callee.inputs.clone(),
        }))
    }

    fn lower(&self, inputs: &[Bundle], to: &mut Lowering<'_>) -> Result<Vec<Bundle>, LowerError> {
        let CentralDifferences {
            gradient,
            magnitude,
            ..
        } = central_differences(inputs, to)?;
        let (tiny, zero) = (to.constant(TINY), to.constant(0.0));
        let normalized = gradient.map(|component| {
            let ratio = to.div(component, magnitude);
            to.select(tiny, magnitude, ratio, zero)
        });
        Ok(vec![
            Bundle::Float3(normalized),
            Bundle::Float3(gradient),
            Bundle::Float(magnitude),
        ])
    }
}

#[typetag::serde]
impl Node for NormalizeDistanceField {
    fn info(&self) -> &'static KindInfo {
        static INFO: LazyLock<KindInfo> = LazyLock::new(|| KindInfo {
            name: "NormalizeDistanceField",
            element: "normalizedistance",
            native: true,
            aliases: &["normalizedistancefield"],
            family: Family::Call,
            doc: "Value of another function divided by the magnitude of its gradient, which approximates the distance \
            near the surface. The parameters are those of FunctionGradient. Magnitudes below 1e-8 are raised to 1e-8.",
            signature: NormalizeDistanceField {
                inputs: ball().inputs,
            }
            .signature()
            .into_owned(),
            examples: vec![Example {
                inputs: vec![
                    r(1),
                    s(0.001),
                    t("shape"),
                    t("pos"),
                    v(0.0, 2.0, 0.0),
                    s(1.0),
                ],
                outputs: vec![s(1.0)],
            }],
            make: || Box::new(NormalizeDistanceField::default()),
        });
        &INFO
    }

    fn signature(&self) -> Cow<'_, Signature> {
        Cow::Owned(gradient_signature(
            &self.inputs,
            vec![(port("result", &[]), Type::Float)],
        ))
    }

    fn with_callee(&self, callee: &FunctionType) -> Option<Box<dyn Node>> {
        Some(Box::new(NormalizeDistanceField {
            inputs: callee.inputs.clone(),
        }))
    }

    fn lower(&self, inputs: &[Bundle], to: &mut Lowering<'_>) -> Result<Vec<Bundle>, LowerError> {
        let CentralDifferences {
            value, magnitude, ..
        } = central_differences(inputs, to)?;
        let tiny = to.constant(TINY);
        let divisor = to.max(magnitude, tiny);
        Ok(vec![Bundle::Float(to.div(value, divisor))])
    }
}

/// A function and its gradient at a point.
struct CentralDifferences {
    value: Expr,
    gradient: [Expr; 3],
    magnitude: Expr,
}

/// g = (f(x + h e) - f(x - h e)) / 2h on each axis e, with h = max(|step|, 1e-8).
fn central_differences(
    inputs: &[Bundle],
    to: &mut Lowering<'_>,
) -> Result<CentralDifferences, LowerError> {
    let [function, step, output, input] = &inputs[..4] else {
        panic!("a gradient has four parameters before those of its function");
    };
    let (function, arguments) = (function.resource(), &inputs[4..]);
    let callee = to.scope.function(function)?;
    let output = find_port(
        function,
        &callee.outputs,
        output.text(),
        "output",
        Type::Float,
    )?;
    let input = find_port(
        function,
        &callee.inputs,
        input.text(),
        "input",
        Type::Float3,
    )?;
    let tiny = to.constant(TINY);
    let step = to.abs(step.float());
    let step = to.max(step, tiny);
    let width = to.add(step, step);
    let at = arguments[input].float3();
    let sample = |moved: [Expr; 3], to: &mut Lowering<'_>| {
        let mut arguments = arguments.to_vec();
        arguments[input] = Bundle::Float3(moved);
        to.call(function, &arguments)
            .map(|outputs| outputs[output].float())
    };
    let mut gradient = at;
    for axis in 0..3 {
        let (mut ahead, mut behind) = (at, at);
        ahead[axis] = to.add(at[axis], step);
        behind[axis] = to.sub(at[axis], step);
        let (more, less) = (sample(ahead, to)?, sample(behind, to)?);
        let difference = to.sub(more, less);
        gradient[axis] = to.div(difference, width);
    }
    let magnitude = to.length(&gradient);
    Ok(CentralDifferences {
        value: sample(at, to)?,
        gradient,
        magnitude,
    })
}

/// Index of the port called `name`, or of the first one of its type if the name is empty.
fn find_port(
    function: ResourceId,
    ports: &[PortSpec],
    name: &str,
    side: &str,
    ty: Type,
) -> Result<usize, LowerError> {
    let fits = |port: &PortSpec| port.ty == ty && (name.is_empty() || port.name == name);
    ports
        .iter()
        .position(fits)
        .ok_or_else(|| LowerError::NoSuchPort {
            function,
            what: if name.is_empty() {
                format!("{ty} {side}")
            } else {
                format!("{ty} {side} '{name}'")
            },
            has: match ports {
                [] => "none".to_owned(),
                ports => {
                    let all: Vec<_> = ports
                        .iter()
                        .map(|p| format!("{} {}", p.ty, p.name))
                        .collect();
                    all.join(", ")
                }
            },
        })
}

crate::inventory::submit! { Entry(|| Box::new(FunctionCall::default())) }
crate::inventory::submit! { Entry(|| Box::new(FunctionGradient::default())) }
crate::inventory::submit! { Entry(|| Box::new(NormalizeDistanceField::default())) }
