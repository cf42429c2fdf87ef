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
use crate::kernel::Kernel;
use crate::node::{LowerError, Scope};
use crate::oracle::{Bounds, Oracle, OracleUse, Query};
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
        let wants = query.resource_kind();
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

fn finite(at: [f64; 3]) -> bool {
    at.iter().all(|x| x.is_finite())
}

/// Bounds of the length of a vector whose components go from `low` to `high`.
fn lengths(low: [f64; 3], high: [f64; 3]) -> [f64; 2] {
    let near = std::array::from_fn(|axis| 0.0_f64.clamp(low[axis], high[axis]));
    let far = std::array::from_fn(|axis| low[axis].abs().max(high[axis].abs()));
    [length(near), length(far)]
}

/// The unit vector of a vector's direction; that of x when it has none.
fn direction(of: [f64; 3]) -> [f64; 3] {
    match length(of) {
        0.0 => [1.0, 0.0, 0.0],
        length => of.map(|x| x / length),
    }
}

#[derive(Debug)]
struct Sphere;

impl Oracle for Sphere {
    fn sample(&self, at: [f64; 3], _channel: u8) -> f64 {
        if finite(at) {
            length(at) - 1.0
        } else {
            f64::NAN
        }
    }

    fn gradient(&self, at: [f64; 3], _channel: u8) -> [f64; 3] {
        if finite(at) {
            direction(at)
        } else {
            [f64::NAN; 3]
        }
    }

    fn bounds(&self, low: [f64; 3], high: [f64; 3], _channel: u8) -> Bounds {
        if !(finite(low) && finite(high)) {
            return Bounds::UNKNOWN;
        }
        let [near, far] = lengths(low, high);
        Bounds::new(near - 1.0, far - 1.0)
    }
}

#[derive(Debug)]
struct Shell;

impl Oracle for Shell {
    fn sample(&self, at: [f64; 3], channel: u8) -> f64 {
        Sphere.sample(at, channel).abs()
    }

    fn gradient(&self, at: [f64; 3], channel: u8) -> [f64; 3] {
        let outward = Sphere.gradient(at, channel);
        if Sphere.sample(at, channel) < 0.0 {
            outward.map(|x| -x)
        } else {
            outward
        }
    }

    fn bounds(&self, low: [f64; 3], high: [f64; 3], channel: u8) -> Bounds {
        let Bounds {
            low,
            high,
            undefined,
        } = Sphere.bounds(low, high, channel);
        Bounds {
            low: low.max(-high).max(0.0),
            high: high.max(-low),
            undefined,
        }
    }
}

#[derive(Debug)]
struct Beam;

impl Beam {
    /// From the nearest point of the axis to the point.
    fn from_axis([x, y, z]: [f64; 3]) -> [f64; 3] {
        [x - x.clamp(0.0, 10.0), y, z]
    }
}

impl Oracle for Beam {
    fn sample(&self, at: [f64; 3], channel: u8) -> f64 {
        Sphere.sample(Beam::from_axis(at), channel)
    }

    fn gradient(&self, at: [f64; 3], channel: u8) -> [f64; 3] {
        Sphere.gradient(Beam::from_axis(at), channel)
    }

    fn bounds(&self, low: [f64; 3], high: [f64; 3], channel: u8) -> Bounds {
        Sphere.bounds(Beam::from_axis(low), Beam::from_axis(high), channel)
    }
}

#[derive(Debug)]
struct Ramp;

impl Oracle for Ramp {
    fn sample(&self, at: [f64; 3], channel: u8) -> f64 {
        if finite(at) {
            at.get(channel as usize).copied().unwrap_or(1.0)
        } else {
            f64::NAN
        }
    }

    fn gradient(&self, at: [f64; 3], channel: u8) -> [f64; 3] {
        let along = |axis| f64::from(u8::from(axis == channel as usize));
        if finite(at) {
            std::array::from_fn(along)
        } else {
            [f64::NAN; 3]
        }
    }

    fn bounds(&self, low: [f64; 3], high: [f64; 3], channel: u8) -> Bounds {
        if !(finite(low) && finite(high)) {
            return Bounds::UNKNOWN;
        }
        Bounds::new(self.sample(low, channel), self.sample(high, channel))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers from a small generator (Numerical Recipes' constants), in [-3, 3].
    fn numbers() -> impl FnMut() -> f64 {
        let mut state = 1_u32;
        move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 8) / f64::from(1 << 24) * 6.0 - 3.0
        }
    }

    #[test]
    fn bounds_and_gradients_agree_with_samples() {
        let mut number = numbers();
        let oracles: [&dyn Oracle; 4] = [&Sphere, &Shell, &Beam, &Ramp];
        for (oracle, channel) in oracles
            .into_iter()
            .flat_map(|o| (0..4).map(move |c| (o, c)))
        {
            for _ in 0..200 {
                let (a, b) = (
                    [number(), number(), number()],
                    [number(), number(), number()],
                );
                let low: [f64; 3] = std::array::from_fn(|i| a[i].min(b[i]));
                let high: [f64; 3] = std::array::from_fn(|i| a[i].max(b[i]));
                let bounds = oracle.bounds(low, high, channel);
                assert!(!bounds.undefined);
                for part in 0..27 {
                    let share =
                        [part % 3, part / 3 % 3, part / 9].map(|step| f64::from(step) / 2.0);
                    let at = std::array::from_fn(|i| {
                        (low[i] + (high[i] - low[i]) * share[i]).clamp(low[i], high[i])
                    });
                    let value = oracle.sample(at, channel);
                    assert!(bounds.low <= value, "{oracle:?} {at:?}");
                    assert!(value <= bounds.high, "{oracle:?} {at:?}");
                }
                let gradient = oracle.gradient(a, channel);
                let step = 1e-6;
                for axis in 0..3 {
                    let moved = |by: f64| {
                        let mut at = a;
                        at[axis] += by;
                        oracle.sample(at, channel)
                    };
                    let slope = (moved(step) - moved(-step)) / (2.0 * step);
                    // None of the points is within a step of a kink.
                    assert!((gradient[axis] - slope).abs() < 1e-6, "{oracle:?} {a:?}");
                }
            }
            for bad in [f64::NAN, f64::INFINITY] {
                assert!(oracle.sample([0.0, bad, 0.0], channel).is_nan());
                assert!(oracle.gradient([0.0, bad, 0.0], channel)[0].is_nan());
                let bounds = oracle.bounds([-bad, 0.0, 0.0], [1.0; 3], channel);
                assert!(bounds.undefined, "{oracle:?}");
            }
        }
    }
}
