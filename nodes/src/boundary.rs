//! The two ends of a function: `Begin`, whose ports are its inputs, and `End`, whose parameters are its outputs.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::bundle::Bundle;
use crate::example::{s, v};
use crate::node::{Entry, Example, Family, KindInfo, LowerError, Lowering, Node};
use crate::port::{FunctionType, PortSpec, Signature};
use crate::value::Type;

/// Beginning of a function; its ports are the function's inputs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Begin {
    /// The function's inputs.
    pub ports: Vec<PortSpec>,
}

/// End of a function; its parameters are the function's outputs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct End {
    /// The function's outputs.
    pub parameters: Vec<PortSpec>,
}

#[typetag::serde]
impl Node for Begin {
    fn info(&self) -> &'static KindInfo {
        static INFO: LazyLock<KindInfo> = LazyLock::new(|| {
            let begin = Begin {
                ports: vec![PortSpec::new("pos", Type::Float3)],
            };
            KindInfo {
                name: "Begin",
                element: "inputs",
                native: false,
                aliases: &["Input"],
                family: Family::Boundary,
                doc: "The inputs of a function. Every function with an input has exactly one. It cannot be created or \
                      deleted; its ports follow the function's inputs.",
                signature: begin.signature().into_owned(),
                examples: vec![Example {
                    inputs: vec![],
                    outputs: vec![v(1.0, 2.0, 3.0)],
                }],
                make: || {
                    Box::new(Begin {
                        ports: vec![PortSpec::new("pos", Type::Float3)],
                    })
                },
            }
        });
        &INFO
    }

    fn signature(&self) -> Cow<'_, Signature> {
        Cow::Owned(FunctionType::new(Vec::new(), self.ports.clone()).signature(&[]))
    }

    /// The outputs are the inputs: a function's arguments are given to its `Begin` as they are.
    fn lower(&self, inputs: &[Bundle], _: &mut Lowering<'_>) -> Result<Vec<Bundle>, LowerError> {
        Ok(inputs.to_vec())
    }
}

#[typetag::serde]
impl Node for End {
    fn info(&self) -> &'static KindInfo {
        static INFO: LazyLock<KindInfo> = LazyLock::new(|| {
            let end = End {
                parameters: vec![PortSpec::new("shape", Type::Float)],
            };
            KindInfo {
                name: "End",
                element: "outputs",
                native: false,
                aliases: &["Output"],
                family: Family::Boundary,
                doc: "The outputs of a function. Every function has exactly one, with id 0. It cannot be created or \
                      deleted; its parameters follow the function's outputs.",
                signature: end.signature().into_owned(),
                examples: vec![Example {
                    inputs: vec![s(1.5)],
                    outputs: vec![],
                }],
                make: || {
                    Box::new(End {
                        parameters: vec![PortSpec::new("shape", Type::Float)],
                    })
                },
            }
        });
        &INFO
    }

    fn signature(&self) -> Cow<'_, Signature> {
        Cow::Owned(FunctionType::new(self.parameters.clone(), Vec::new()).signature(&[]))
    }

    /// The function's results are the inputs of its `End`, as they are.
    fn lower(&self, inputs: &[Bundle], _: &mut Lowering<'_>) -> Result<Vec<Bundle>, LowerError> {
        Ok(inputs.to_vec())
    }
}

crate::inventory::submit! { Entry(|| Box::new(Begin { ports: Vec::new() })) }
crate::inventory::submit! { Entry(|| Box::new(End { parameters: Vec::new() })) }
