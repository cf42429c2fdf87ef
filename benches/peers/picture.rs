//! Pictures of what is inside, computed where it matters only, beside fidget's on one thread.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion};
use fibula_eval::prune::{Axis, Cell, Cells, Leaf, Next, Pruner, Region, Tape, Visitor};
use fibula_eval::{Interval, Rounding, Settings};

use crate::{fidget, medians, pixels, workloads};

/// A picture of [-1, 1] x [-1, 1] that is filled in.
struct Picture {
    side: usize,
    inside: Vec<bool>,
}

impl Visitor<f32> for Picture {
    fn bounded(&mut self, cell: &Cell, bounds: Interval<f32>) -> Next {
        if bounds.contains(0.0) || bounds.may_be_undefined() {
            return Next::Divide;
        }
        let [x, y, _] = cell.start;
        let [width, height, _] = cell.size;
        for row in y..y + height {
            let start = row * self.side + x;
            self.inside[start..start + width].fill(bounds.high() < 0.0);
        }
        Next::Done
    }

    fn leaf(&mut self, leaf: &mut Leaf<'_, f32>) {
        let [x, y, _] = leaf.cell().start;
        let [width, _, _] = leaf.counts();
        for (row, values) in leaf.samples().chunks_exact(width).enumerate() {
            let start = (y + row) * self.side + x;
            let places = &mut self.inside[start..start + width];
            for (inside, value) in places.iter_mut().zip(values) {
                *inside = *value < 0.0;
            }
        }
    }
}

/// Pictures of prospero and of slices of the other functions.
pub(crate) fn pictures(criterion: &mut Criterion) {
    println!("\nPictures, one thread: ms (times faster than fidget)");
    for workload in workloads::all() {
        let tape = Tape::<f32>::new(workload.tape.code(Rounding::Fast));
        let tape = tape.expect("the workloads are not too wide");
        let peer = fidget::Fidget::new(workload.tape.operations());
        let mut pruner = Pruner::new(tape, Settings::default().instructions);
        for side in [1024, 4096] {
            if side == 4096 && workload.name != "prospero" {
                continue;
            }
            // The centres of pixels, y upwards, as the peer has them.
            let pixel = 2.0 / side as f32;
            let x: Vec<f32> = (0..side)
                .map(|column| (column as f32 + 0.5) * pixel - 1.0)
                .collect();
            let y: Vec<f32> = x.iter().rev().copied().collect();
            let axis = |input, samples| Axis {
                input,
                samples,
                backwards: false,
            };
            let region = Region {
                axes: &[axis(0, &x), axis(1, &y)],
                inputs: &[0.0; 3],
                sides: &[128, 16],
                cells: Cells::Samples,
            };
            let mut picture = Picture {
                side,
                inside: vec![false; side * side],
            };
            let mut ours = || pruner.explore(&region, 0..region.roots(), &mut picture);
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
            let (theirs, ours) = (
                pixels::inside(&peer, side as u32),
                picture.inside.iter().filter(|&&inside| inside).count(),
            );
            // Pixels at the edge may differ: the peer's pixels lie elsewhere by a part of one.
            assert!(
                theirs.abs_diff(ours) <= side * side / 200,
                "{}: {ours} pixels are inside, and {theirs} by the peer",
                workload.name
            );
        }
    }
}
