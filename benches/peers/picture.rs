//! Pictures of what is inside, computed where it matters only, beside fidget's on one thread.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion};
use fibula::geometry::Shape;

use crate::{fidget, medians, pixels, turns, workloads};

/// Pictures of prospero and of slices of the other functions.
pub(crate) fn pictures(criterion: &mut Criterion) {
    println!("\nPictures, one thread: ms (times faster than fidget)");
    let one = turns::pool(1);
    for workload in workloads::all() {
        let shape = Shape::new(&workload.tape).expect("the workloads are shapes");
        let peer = fidget::Fidget::new(workload.tape.operations());
        for side in [1024, 4096] {
            if side == 4096 && workload.name != "prospero" {
                continue;
            }
            let masker = pixels::masker(&shape, side);
            let ours = || one.install(|| pixels::masked(&masker).count() as usize);
            let mut group = criterion.benchmark_group(format!("picture/{}", workload.name));
            group
                .sample_size(10)
                .measurement_time(Duration::from_secs(1));
            group.bench_function(BenchmarkId::new("ours", side), |b| {
                b.iter(|| black_box(ours()));
            });
            group.bench_function(BenchmarkId::new("fidget", side), |b| {
                b.iter(|| black_box(pixels::inside(&peer, side as u32)));
            });
            group.finish();
            let times = medians(&mut [
                Box::new(|| {
                    black_box(pixels::inside(&peer, side as u32));
                }),
                Box::new(|| {
                    black_box(ours());
                }),
            ]);
            let [theirs, time] = [0, 1].map(|place| times[place].as_secs_f64() * 1e3);
            println!(
                "  {:20} {side:5}: ours {time:8.2}  fidget {theirs:8.2}  ({:.1} x)",
                workload.name,
                theirs / time
            );
            let (theirs, ours) = (pixels::inside(&peer, side as u32), ours());
            // Pixels at the edge may differ: the peer's pixels lie elsewhere by a part of one.
            assert!(
                theirs.abs_diff(ours) <= side * side / 200,
                "{}: {ours} pixels are inside, and {theirs} by the peer",
                workload.name
            );
        }
    }
}
