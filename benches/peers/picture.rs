//! Pictures of what is inside, computed where it matters only, beside fidget's on one thread.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion};

use crate::{fidget, medians, pixels, workloads};

/// Pictures of prospero and of slices of the other functions.
pub(crate) fn pictures(criterion: &mut Criterion) {
    println!("\nPictures, one thread: ms (times faster than fidget)");
    for workload in workloads::all() {
        let peer = fidget::Fidget::new(workload.tape.operations());
        for side in [1024, 4096] {
            if side == 4096 && workload.name != "prospero" {
                continue;
            }
            let mut filling = pixels::Filling::new(&workload, side);
            let mut ours = || filling.fill();
            let mut group = criterion.benchmark_group(format!("picture/{}", workload.name));
            group
                .sample_size(10)
                .measurement_time(Duration::from_secs(1));
            group.bench_function(BenchmarkId::new("ours", side), |b| b.iter(&mut ours));
            group.bench_function(BenchmarkId::new("fidget", side), |b| {
                b.iter(|| black_box(pixels::inside(&peer, side as u32)));
            });
            group.finish();
            let times = medians(&mut [
                Box::new(|| {
                    black_box(pixels::inside(&peer, side as u32));
                }),
                Box::new(ours),
            ]);
            let [theirs, ours] = [0, 1].map(|place| times[place].as_secs_f64() * 1e3);
            println!(
                "  {:20} {side:5}: ours {ours:8.2}  fidget {theirs:8.2}  ({:.1} x)",
                workload.name,
                theirs / ours
            );
            let (theirs, ours) = (pixels::inside(&peer, side as u32), filling.count());
            // Pixels at the edge may differ: the peer's pixels lie elsewhere by a part of one.
            assert!(
                theirs.abs_diff(ours) <= side * side / 200,
                "{}: {ours} pixels are inside, and {theirs} by the peer",
                workload.name
            );
        }
    }
}
