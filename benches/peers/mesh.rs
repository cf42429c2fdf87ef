//! Meshes of what is inside, beside fidget's on the same number of cells.

use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion};
use fibula::geometry::{Bounds, Meshed, Meshing, Shape, mesh};

use crate::{fibula_rayon, fidget, medians, workloads};

/// Cells along an axis, as a power of two.
const DEPTH: u8 = 7;

/// Meshes of the functions in [-1, 1] on each axis, one thread.
pub(crate) fn meshes(criterion: &mut Criterion) {
    let cells = 1_u32 << DEPTH;
    println!(
        "\nMeshes of {cells} cells along each axis, one thread: ms (times faster than fidget)"
    );
    let bounds = Bounds::new([-1.0; 3], [1.0; 3]).expect("a box");
    // The cells at both ends are shorter: there is one more than the size of the others asks for.
    let meshing = Meshing::new(bounds, 2.0 / f64::from(cells - 1));
    let one = fibula_rayon(1);
    for workload in workloads::all() {
        if workload.name == "prospero" {
            continue;
        }
        let peer = fidget::Fidget::new(workload.tape.operations());
        let shape = Shape::new(&workload.tape).expect("the workloads are shapes");
        let ours = || -> Meshed {
            let made = one.install(|| mesh(&shape, &meshing, &|_, _| ControlFlow::Continue(())));
            made.expect("they are not empty")
        };
        let mut group = criterion.benchmark_group(format!("mesh/{}", workload.name));
        group
            .sample_size(10)
            .measurement_time(Duration::from_secs(1));
        group.bench_function(BenchmarkId::new("ours", cells), |b| b.iter(ours));
        group.finish();
        let times = medians(&mut [
            Box::new(|| {
                black_box(peer.mesh(DEPTH));
            }),
            Box::new(|| {
                black_box(ours());
            }),
        ]);
        let [theirs, time] = [0, 1].map(|place| times[place].as_secs_f64() * 1e3);
        let made = ours();
        assert_eq!(made.cells, [cells as usize; 3]);
        assert!(made.mesh.topology().is_sound(), "{}", workload.name);
        println!(
            "  {:20} ours {time:8.2}  fidget {theirs:8.2}  ({:.1} x); {} triangles, {} by fidget",
            workload.name,
            theirs / time,
            made.mesh.triangles().len(),
            peer.mesh(DEPTH)
        );
    }
}
