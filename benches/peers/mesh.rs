//! Meshes of what is inside, beside fidget's and scikit-image's on the same number of cells.

use std::hint::black_box;
use std::ops::ControlFlow;

use criterion::Criterion;
use fibula::geometry::{Bounds, MeshSettings, Shape, ShapeMesh, mesh};
use fidget_mesh::{Mesh, Octree, Settings};

use crate::fidget::Fidget;
use crate::judge::{Distance, distance};
use crate::workloads::Workload;
use crate::{medians, scikit, turns, workloads};

/// Cells along an axis, as a power of two.
const DEPTH: u8 = 7;

/// The peer's mesh of [-1, 1] on each axis, in the leaves of an octree.
fn theirs(peer: &Fidget) -> Mesh {
    let settings = Settings {
        depth: DEPTH,
        threads: None,
        ..Settings::default()
    };
    let octree = Octree::build(&peer.shape(), &settings).expect("nobody cancels it");
    octree.walk_dual()
}

/// Ours in as many cells along each axis.
fn ours(shape: &Shape<'_>) -> ShapeMesh {
    let cells = 1_u32 << DEPTH;
    let bounds = Bounds::new([-1.0; 3], [1.0; 3]).expect("a box");
    // The cells at both ends are shorter: there is one more than the size of the others asks for.
    let meshing = MeshSettings::new(bounds, 2.0 / f64::from(cells - 1));
    let made = mesh(shape, &meshing, &|_, _| ControlFlow::Continue(()));
    let made = made.expect("they are not empty");
    assert_eq!(made.cells, [cells as usize; 3]);
    made
}

/// Meshes of the functions in [-1, 1] on each axis.
pub(crate) fn meshes(criterion: &mut Criterion) {
    let mut all = workloads::all();
    // It has no surface that is closed.
    all.retain(|workload| workload.name != "prospero");
    let one = turns::pool(1);
    let cells = 1_usize << DEPTH;
    println!("\nMeshes of {cells} cells along each axis: ms (times faster than fidget)");
    for workload in &all {
        let peer = Fidget::new(workload.tape.operations());
        let shape = Shape::new(&workload.tape).expect("the workloads are shapes");
        let make = || {
            black_box(one.install(|| ours(&shape)));
        };
        crate::ours(criterion, "mesh", workload.name, cells, make);
        let [theirs, time] = medians([
            Box::new(|| {
                black_box(theirs(&peer));
            }),
            Box::new(make),
        ]);
        println!(
            "  {:22} ours {time:8.2}  fidget {theirs:8.2}  ({:.1} x)",
            workload.name,
            theirs / time
        );
    }
    judged(&all);
}

/// Distance of the meshes from the surface, and time of scikit-image.
fn judged(all: &[Workload]) {
    let cells = 1_usize << DEPTH;
    println!(
        "\nThe same: triangles, and how far their centres are from the surface in cells (root of the mean square, most)"
    );
    let one = turns::pool(1);
    let told = |peer: &str, count: usize, Distance { most, mean }: Distance| {
        println!("    {peer:13} {count:8} triangles  {mean:.6}  {most:.4}");
    };
    let found = match scikit::found("mesh", cells, all) {
        Ok(found) => found,
        Err(why) => {
            println!("SKIPPED: scikit-image. {why}");
            Vec::new()
        }
    };
    let cell = 2.0 / cells as f64;
    for workload in all {
        let shape = Shape::new(&workload.tape).expect("the workloads are shapes");
        let made = ours(&shape).mesh;
        assert!(made.topology().is_sound(), "{}", workload.name);
        let triangles: Vec<_> = (0..made.triangles().len())
            .map(|place| made.corners(place))
            .collect();
        println!("  {}", workload.name);
        let own = distance(&workload.tape, &triangles, cell);
        told("ours", triangles.len(), own);
        let peer = theirs(&Fidget::new(workload.tape.operations()));
        let corners = peer.triangles.iter().map(|triangle| {
            let corner = |place: usize| peer.vertices[triangle[place]];
            [0, 1, 2].map(|place| [0, 1, 2].map(|axis| f64::from(corner(place)[axis])))
        });
        let corners: Vec<_> = corners.collect();
        let other = distance(&workload.tape, &corners, cell);
        told("fidget", corners.len(), other);
        let Some(scikit) = found.iter().find(|found| found.name == workload.name) else {
            continue;
        };
        let theirs = distance(&workload.tape, &scikit.triangles, cell);
        told("scikit-image", scikit.count as usize, theirs);
        let [time] = medians([Box::new(|| {
            black_box(one.install(|| ours(&shape)));
        })]);
        let whole = scikit.evaluate + scikit.extract;
        println!(
            "    scikit-image takes {:.0} ms, and numpy {:.0} ms before, ours {time:.1} ms for both ({:.0} x; {:.0} x the \
             marching cubes alone)",
            scikit.extract,
            scikit.evaluate,
            whole / time,
            scikit.extract / time
        );
    }
}
