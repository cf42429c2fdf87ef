//! Removal of closed surfaces on request: pieces of material beside the largest one, and cavities.

use fibula_core::vector::{Vector, add, scale};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::bvh::Bvh;
use super::winding::{SKEW, crossings, encloses_once};
use crate::mesh::Shells;
use crate::{Cancelled, TriangleMesh, Watch};

/// What is removed from a mesh.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ShellRemoval {
    /// Pieces of material that share no vertex with the one that encloses the largest volume, the first of several, with their
    /// cavities.
    pub loose_pieces: bool,
    /// Cavities, which become solid, with the pieces inside of them.
    pub cavities: bool,
}

/// A mesh without some of its shells.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FewerShells {
    /// The mesh.
    pub mesh: TriangleMesh,
    /// For each of its vertices the index in the mesh before.
    pub kept: Vec<u32>,
    /// Number of pieces that were removed.
    pub pieces: usize,
    /// Number of cavities that were removed.
    pub cavities: usize,
    /// Volume that the largest of these pieces encloses, and the middle of its box.
    pub largest: Option<(f64, Vector)>,
    /// Volume that was removed, less that of the cavities that were filled.
    pub volume: f64,
}

/// Error returned when shells cannot be removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ShellRemovalError {
    /// The mesh does not bound a solid.
    #[error(
        "the mesh is not closed, or its triangles face opposite ways, so that it has no pieces and cavities"
    )]
    NoSolid,
    /// Shells overlap.
    #[error(
        "shells of the mesh cut or overlap each other, so that none is a loose piece or a cavity for certain"
    )]
    Overlap,
    /// The watch cancelled the work.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Removes shells from a mesh. Takes O(n log n) time for n triangles, and a ray for each shell and each of its crossings.
///
/// # Errors
/// [`NoSolid`](ShellRemovalError::NoSolid) and [`Overlap`](ShellRemovalError::Overlap) for meshes that do not enclose each
/// point of their inside once; [`Cancelled`] if `watch` cancelled it.
pub fn remove_shells(
    mesh: &TriangleMesh,
    removal: ShellRemoval,
    watch: &Watch<'_>,
) -> Result<FewerShells, ShellRemovalError> {
    let topology = mesh.topology();
    if !topology.is_closed() || !topology.is_oriented() {
        return Err(ShellRemovalError::NoSolid);
    }
    if !encloses_once(mesh, watch)? {
        return Err(ShellRemovalError::Overlap);
    }
    let shells = Shells::new(mesh);
    let around = enclosing_pieces(mesh, &shells, watch)?;
    let volume = |shell: &usize| shells.all[*shell].volume;
    let largest = (0..shells.all.len())
        .rev()
        .max_by(|one, other| volume(one).total_cmp(&volume(other)));
    let is_kept = |shell: usize| {
        let (is_cavity, around) = (shells.all[shell].is_cavity(), &around[shell]);
        let is_loose = if is_cavity {
            around.iter().any(|piece| Some(*piece) != largest)
        } else {
            Some(shell) != largest
        };
        let is_within = is_cavity || !around.is_empty();
        !(removal.loose_pieces && is_loose || removal.cavities && is_within)
    };
    let is_kept: Vec<bool> = (0..shells.all.len()).map(is_kept).collect();
    let removed = || (0..shells.all.len()).filter(|shell| !is_kept[*shell]);
    let pieces = || removed().filter(|shell| !shells.all[*shell].is_cavity());
    let mut fewer = mesh.clone();
    let kept = fewer.retain(|triangle| is_kept[shells.of_triangles[triangle] as usize]);
    let most = pieces().max_by(|one, other| volume(one).total_cmp(&volume(other)));
    Ok(FewerShells {
        mesh: fewer,
        kept,
        pieces: pieces().count(),
        cavities: removed().count() - pieces().count(),
        largest: most.map(|shell| (volume(&shell), shells.all[shell].middle())),
        // The sum of none is -0.
        volume: removed().map(|shell| volume(&shell)).sum::<f64>() + 0.0,
    })
}

/// Returns for each shell the pieces that enclose it.
fn enclosing_pieces(
    mesh: &TriangleMesh,
    shells: &Shells,
    watch: &Watch<'_>,
) -> Result<Vec<Vec<usize>>, Cancelled> {
    let rays = Bvh::new(mesh);
    let count = mesh.triangles().len() as u64;
    let enclosing = |(own, triangle): (usize, u32)| {
        if watch(count, count).is_break() {
            return Err(Cancelled);
        }
        let [a, b, c] = mesh.corners(triangle as usize);
        let middle = scale(add(add(a, b), c), 1.0 / 3.0);
        let mut windings: FxHashMap<usize, i32> = FxHashMap::default();
        for (crossed, sign) in crossings(&rays, mesh, middle, SKEW, 0.0, triangle) {
            *windings
                .entry(shells.of_triangles[crossed as usize] as usize)
                .or_default() += sign;
        }
        let around = windings.into_iter().filter(|(shell, winding)| {
            *shell != own && *winding != 0 && !shells.all[*shell].is_cavity()
        });
        let mut around: Vec<usize> = around.map(|(shell, _)| shell).collect();
        around.sort_unstable();
        Ok(around)
    };
    let triangles = shells.largest_triangles(mesh).into_par_iter().enumerate();
    triangles.map(enclosing).collect()
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use fibula_core::vector::{length, sub};

    use super::*;
    use crate::testing::tape;
    use crate::{Bounds, MeshSettings, Shape, mesh};

    fn meshed(text: &str) -> TriangleMesh {
        let tape = tape(text);
        let settings = MeshSettings::new(Bounds::new([-11.0; 3], [11.0; 3]).unwrap(), 0.4);
        let watch = |_, _| ControlFlow::Continue(());
        mesh(&Shape::new(&tape).unwrap(), &settings, &watch)
            .unwrap()
            .mesh
    }

    fn removed(mesh: &TriangleMesh, loose_pieces: bool, cavities: bool) -> FewerShells {
        let removal = ShellRemoval {
            loose_pieces,
            cavities,
        };
        remove_shells(mesh, removal, &|_, _| ControlFlow::Continue(())).unwrap()
    }

    #[test]
    fn loose_pieces_and_cavities_are_removed_with_what_is_in_them() {
        // A ball of 6 with a cavity of 4, in which there is a hollow ball of 3, and beside it a hollow ball of 2.
        let ball =
            |x: f64, radius: f64| format!("length(vec3(pos.x - {x}, pos.y, pos.z)) - {radius}");
        let hollow = |x: f64, outer: f64, inner: f64| {
            format!("max({}, 0 - ({}))", ball(x, outer), ball(x, inner))
        };
        let large = format!(
            "min({}, {})",
            hollow(-4.0, 6.0, 4.0),
            hollow(-4.0, 3.0, 1.0)
        );
        let mesh = meshed(&format!("min({large}, {})", hollow(6.0, 2.0, 1.0)));
        let volume = |radius: f64| 4.0 / 3.0 * std::f64::consts::PI * f64::powi(radius, 3);
        let near = |fewer: &FewerShells, expected: f64| {
            let got = fewer.mesh.volume();
            assert!(
                (got - expected).abs() < 0.03 * expected,
                "{got} for {expected}"
            );
            assert!((mesh.volume() - fewer.volume - got).abs() < 1e-9);
            assert!(fewer.mesh.topology().is_closed());
            assert_eq!(fewer.kept.len(), fewer.mesh.vertices().len());
            for (vertex, before) in fewer.mesh.vertices().iter().zip(&fewer.kept) {
                let moved = length(sub(*vertex, mesh.vertices()[*before as usize]));
                assert!(moved <= 0.0, "{moved}");
            }
        };
        let all = removed(&mesh, false, false);
        assert_eq!((all.pieces, all.cavities, all.largest), (0, 0, None));
        near(&all, mesh.volume());
        let one = removed(&mesh, true, false);
        near(&one, volume(6.0) - volume(4.0));
        assert_eq!((one.pieces, one.cavities), (2, 2));
        let (size, at) = one.largest.unwrap();
        assert!((size - volume(3.0)).abs() < 0.05 * size && (at[0] + 4.0).abs() < 0.1);
        let solid = removed(&mesh, false, true);
        near(&solid, volume(6.0) + volume(2.0));
        assert_eq!((solid.pieces, solid.cavities), (1, 3));
        let both = removed(&mesh, true, true);
        near(&both, volume(6.0));
        assert_eq!((both.pieces, both.cavities), (2, 3));
    }

    #[test]
    fn meshes_that_bound_no_solid_are_refused() {
        let ball = meshed("length(pos) - 5");
        let watch = |_, _| ControlFlow::Continue(());
        let removal = ShellRemoval {
            loose_pieces: true,
            cavities: false,
        };
        let mut open = ball.clone();
        open.retain(|triangle| triangle != 3);
        let refused = remove_shells(&open, removal, &watch);
        assert_eq!(refused, Err(ShellRemovalError::NoSolid));
        // Two balls that overlap.
        let (mut vertices, mut triangles) = (ball.vertices().to_vec(), ball.triangles().to_vec());
        let count = vertices.len() as u32;
        vertices.extend(ball.vertices().iter().map(|at| add(*at, [3.1, 0.2, 0.1])));
        triangles.extend(
            ball.triangles()
                .iter()
                .map(|corners| corners.map(|at| at + count)),
        );
        let twice = TriangleMesh::new(vertices, triangles).unwrap();
        let refused = remove_shells(&twice, removal, &watch);
        assert_eq!(refused, Err(ShellRemovalError::Overlap));
    }
}
