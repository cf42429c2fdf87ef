//! References to resources, and the kinds that ask a mesh, a beam lattice or an image.

use crate::bundle::Bundle;
use crate::example::{i, r, s, v};
use crate::node::{LowerError, Lowering};
use crate::oracle::{Filter, Query, TileStyle};
use crate::port::Overloads::One;
use crate::value::Type::{Float, Float3, Integer, ResourceId};

node! {
    /// The id of a function, mesh, image or other resource. Set `resourceid`, and link `value` to the input that needs it.
    Resource, "constresourceid" | "ConstantResource", Resource, (resourceid | value) -> (value), One(&[ResourceId], &[ResourceId]),
    [(r(2)) -> (r(2))],
    |x, _k| x[0].clone()
}

node! {
    /// Signed distance from `pos` to the closed mesh with the id `mesh`, negative inside.
    SignedDistanceToMesh, "mesh", Resource, (mesh: Mesh, pos) -> (distance), One(&[ResourceId, Float3], &[Float]),
    [(r(2), v(3.0, 0.0, 0.0)) -> (s(2.0)), (r(2), v(0.5, 0.0, 0.0)) -> (s(-0.5))],
    |x, k| k.query_oracle(x[0].resource(), Query::SignedDistance, x[1].float3()).map(|distance| distance[0])
}

node! {
    /// Unsigned distance from `pos` to the mesh with the id `mesh`, which may be open.
    UnsignedDistanceToMesh, "unsignedmesh", Resource, (mesh: Mesh, pos) -> (distance), One(&[ResourceId, Float3], &[Float]),
    [(r(2), v(0.5, 0.0, 0.0)) -> (s(0.5))],
    |x, k| k.query_oracle(x[0].resource(), Query::UnsignedDistance, x[1].float3()).map(|distance| distance[0])
}

node! {
    /// Signed distance from `pos` to a beam lattice, negative inside. Exact within `accuraterange` of the surface, or everywhere if that is negative.
    SignedDistanceToBeamLattice, "beamlattice", Resource,
    (beamlattice | beamlatticeid: BeamLattice, pos, accuraterange = s(-1.0)) -> (distance), One(&[ResourceId, Float3, Float], &[Float]),
    [(r(3), v(5.0, 3.0, 0.0), s(-1.0)) -> (s(2.0))],
    |x, k| beams(x, k)
}

node! {
    /// Colour and alpha of a 3D image at `uvw`, where the image fills [0, 1] on each axis. `filter`: 0 nearest, 1 linear; `tilestyle_u`, `_v`, `_w`: 0 wrap, 1 mirror, 2 clamp, 3 none.
    ImageSampler, helper "imagesampler", Resource,
    (uvw, resourceid: Image, filter = i(1), tilestyle_u = i(0), tilestyle_v = i(0), tilestyle_w = i(0)) -> (color, alpha),
    One(&[Float3, ResourceId, Integer, Integer, Integer, Integer], &[Float3, Float]),
    [(v(0.25, 0.5, 0.75), r(4), i(1), i(0), i(0), i(0)) -> (v(0.25, 0.5, 0.75), s(1.0))],
    |x, k| image(x, k)
}

/// The range is part of the query, so it has to be known before evaluation.
fn beams(x: &[Bundle], k: &mut Lowering<'_>) -> Result<Bundle, LowerError> {
    let accurate_range = k
        .constant_of(x[2].float())
        .ok_or(LowerError::NotConstant("accuraterange"))?;
    let distance = k.query_oracle(
        x[0].resource(),
        Query::BeamLattice { accurate_range },
        x[1].float3(),
    )?;
    Ok(Bundle::Float(distance[0]))
}

fn image(x: &[Bundle], k: &mut Lowering<'_>) -> Result<Vec<Bundle>, LowerError> {
    let filter = match x[2].integer() {
        0 => Filter::Nearest,
        1 => Filter::Linear,
        value => {
            let meaning = "nearest, linear";
            return Err(LowerError::OutOfRange {
                parameter: "filter",
                value,
                last: 1,
                meaning,
            });
        }
    };
    let tile = |parameter: &'static str, value: i64| match value {
        0 => Ok(TileStyle::Wrap),
        1 => Ok(TileStyle::Mirror),
        2 => Ok(TileStyle::Clamp),
        3 => Ok(TileStyle::None),
        _ => {
            let meaning = "wrap, mirror, clamp, none";
            Err(LowerError::OutOfRange {
                parameter,
                value,
                last: 3,
                meaning,
            })
        }
    };
    let tiles = [
        tile("tilestyle_u", x[3].integer())?,
        tile("tilestyle_v", x[4].integer())?,
        tile("tilestyle_w", x[5].integer())?,
    ];
    let channels = k.query_oracle(
        x[1].resource(),
        Query::Image { filter, tiles },
        x[0].float3(),
    )?;
    let color = channels[..3]
        .try_into()
        .expect("an image answers with four channels");
    Ok(vec![Bundle::Float3(color), Bundle::Float(channels[3])])
}
