//! What is looked at in space: the first output of a tape, as code.

use fibula_eval::{Code, Rounding};
use fibula_nodes::{PortSpec, Type};

use crate::eval::Tape;

/// Why a tape says nothing of a place in space.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NoField {
    /// The inputs are not the coordinates of a place.
    #[error(
        "a shape is a function of a place: of one float3 input, or of three floats; this one has {}",
        listed(inputs)
    )]
    Inputs {
        /// The inputs that it has.
        inputs: Vec<PortSpec>,
    },
    /// The first output is not one number.
    #[error(
        "a shape is a function whose first output is a float, negative inside; this one has {}",
        listed(output.as_slice())
    )]
    Output {
        /// The first output that it has.
        output: Option<PortSpec>,
    },
}

/// The code of the first output, a float, whose inputs are the coordinates of a place.
///
/// # Errors
/// [`NoField`] if they are not, or it is not.
pub(super) fn field(tape: &Tape) -> Result<Code, NoField> {
    let types: Vec<Type> = tape.inputs().iter().map(|input| input.ty).collect();
    if types != [Type::Float3] && types != [Type::Float; 3] {
        return Err(NoField::Inputs {
            inputs: tape.inputs().to_vec(),
        });
    }
    let output = tape.outputs().first();
    if output.map(|output| output.ty) != Some(Type::Float) {
        return Err(NoField::Output {
            output: output.cloned(),
        });
    }
    let (operations, oracles) = (tape.operations(), tape.oracles());
    let field = &tape.roots()[..1];
    Ok(Code::new(operations, field, 3, oracles, Rounding::Fast))
}

/// Ports as a message names them.
fn listed(ports: &[PortSpec]) -> String {
    match ports {
        [] => "none".to_owned(),
        ports => {
            let named = ports.iter().take(20);
            let named: Vec<String> = named
                .map(|port| format!("{}: {}", port.name, port.ty))
                .collect();
            named.join(", ")
        }
    }
}
