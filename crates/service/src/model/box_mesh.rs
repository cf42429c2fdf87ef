//! A box as a mesh: the domain of a level set without a mesh.

use fibula_3mf::MeshData;
use fibula_core::graph::model::{Body, ModelResource, Object};

use crate::refusal::{Refusal, Result};

/// Returns the mesh of a box between two corners, in the unit of the project, with its bytes.
///
/// # Errors
/// A [`Refusal`] unless the second corner is above the first on every axis.
pub(super) fn box_mesh([low, high]: [[f64; 3]; 2]) -> Result<(ModelResource, Vec<u8>)> {
    let sound = (0..3)
        .all(|axis| low[axis].is_finite() && high[axis].is_finite() && low[axis] < high[axis]);
    if !sound {
        let message = format!("there is no box from {low:?} to {high:?}");
        return Err(Refusal::new("invalid_value", message)
            .hint("pass the lowest corner first: [[x, y, z], [x, y, z]], each number below its counterpart"));
    }
    let data = MeshData::cuboid(low, high);
    let bytes = data.to_bytes();
    let object = Object::new("domain", Body::Mesh(data.body(&bytes)));
    Ok((ModelResource::Object(object.into()), bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fibula_3mf::contents;
    use fibula_nodes::Query;

    #[test]
    fn box_mesh_is_closed_and_oriented() {
        let (_, bytes) = box_mesh([[-1.0, 0.0, 2.0], [1.0, 3.0, 5.0]]).expect("a box");
        let content = contents::load_mesh(&bytes).expect("a mesh");
        let oracle = content.oracle(Query::SignedDistance).expect("it is a mesh");
        for (at, distance) in [
            ([0.0, 1.5, 3.5], -1.0),
            ([2.0, 1.0, 3.0], 1.0),
            ([0.0, 1.5, 1.0], 1.0),
        ] {
            let found = oracle.sample(at, 0);
            assert!((found - distance).abs() < 1e-12, "{at:?}: {found}");
        }
        assert!(box_mesh([[0.0; 3], [1.0, 0.0, 1.0]]).is_err());
        assert!(box_mesh([[0.0; 3], [1.0, f64::NAN, 1.0]]).is_err());
    }
}
