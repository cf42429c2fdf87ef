//! The small world in which the worked examples of kinds live, and values to write them with.
//!
//! | resource | what it is |
//! |---|---|
//! | 1 | a function: `pos: float3`, `radius: float` -> `shape: float`, the length of pos less radius |
//! | 2 | a mesh: a sphere of radius 1 around the origin |
//! | 3 | a beam lattice: one beam of radius 1 from (0, 0, 0) to (10, 0, 0) |
//! | 4 | an image: red is u, green is v, blue is w, alpha is 1 |

use std::sync::Arc;

use crate::bundle::Bundle;
use crate::kernel::{Kernel, Oracle, OracleUse};
use crate::node::{LowerError, Query, Scope};
use crate::port::{FunctionType, PortSpec};
use crate::value::ResourceKind::{BeamLattice, Image, Mesh};
use crate::value::{ResourceId, Type, Value};

/// A float.
pub fn s(number: f64) -> Value {
    Value::Float(number)
}

/// A float3.
pub fn v(x: f64, y: f64, z: f64) -> Value {
    Value::Float3([x, y, z])
}

/// A matrix, row by row.
pub fn m(numbers: [f64; 16]) -> Value {
    Value::Matrix4x4(numbers)
}

/// A whole number.
pub fn i(number: i64) -> Value {
    Value::Integer(number)
}

/// A text.
pub fn t(text: &str) -> Value {
    Value::String(text.to_owned())
}

/// A resource of the [world](self).
pub fn r(id: u32) -> Value {
    Value::ResourceId(ResourceId(id))
}

/// The scope of the examples; see the [module](self) for what it holds.
#[derive(Debug, Default)]
pub struct World;

/// The type of the world's function 1.
pub fn ball() -> FunctionType {
    FunctionType {
        inputs: vec![
            PortSpec::new("pos", Type::Float3),
            PortSpec::new("radius", Type::Float),
        ],
        outputs: vec![PortSpec::new("shape", Type::Float)],
    }
}

impl Scope for World {
    fn inline(
        &mut self,
        function: ResourceId,
        arguments: &[Bundle],
        kernel: &mut Kernel,
    ) -> Result<Vec<Bundle>, LowerError> {
        self.function(function)?;
        let length = kernel.length(&arguments[0].float3());
        Ok(vec![Bundle::Float(
            kernel.sub(length, arguments[1].float()),
        )])
    }

    fn function(&self, function: ResourceId) -> Result<FunctionType, LowerError> {
        match function.0 {
            1 => Ok(ball()),
            _ => Err(LowerError::NoFunction(function)),
        }
    }

    fn oracle(&self, resource: ResourceId, query: Query) -> Result<OracleUse, LowerError> {
        let wants = query.wants();
        let answers: Arc<dyn Oracle> = match (resource.0, query) {
            (2, Query::SignedDistance) => Arc::new(Sphere),
            (2, Query::UnsignedDistance) => Arc::new(Shell),
            (3, Query::BeamLattice { .. }) => Arc::new(Beam),
            (4, Query::Image { .. }) => Arc::new(Ramp),
            (2..=4, _) => {
                let is = [Mesh, BeamLattice, Image][resource.0 as usize - 2];
                return Err(LowerError::WrongResource {
                    resource,
                    wants,
                    is,
                });
            }
            _ => return Err(LowerError::NoResource { resource, wants }),
        };
        Ok(OracleUse {
            resource,
            query,
            answers,
        })
    }
}

fn length(at: [f64; 3]) -> f64 {
    at.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[derive(Debug)]
struct Sphere;

impl Oracle for Sphere {
    fn sample(&self, at: [f64; 3], _channel: u8) -> f64 {
        length(at) - 1.0
    }
}

#[derive(Debug)]
struct Shell;

impl Oracle for Shell {
    fn sample(&self, at: [f64; 3], _channel: u8) -> f64 {
        (length(at) - 1.0).abs()
    }
}

#[derive(Debug)]
struct Beam;

impl Oracle for Beam {
    fn sample(&self, [x, y, z]: [f64; 3], _channel: u8) -> f64 {
        length([x - x.clamp(0.0, 10.0), y, z]) - 1.0
    }
}

#[derive(Debug)]
struct Ramp;

impl Oracle for Ramp {
    fn sample(&self, at: [f64; 3], channel: u8) -> f64 {
        at.get(channel as usize).copied().unwrap_or(1.0)
    }
}
