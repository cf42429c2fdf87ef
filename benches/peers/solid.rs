//! Meshes, pictures and slices of functions beside those of other programs in the same run: meshes of as many cells beside
//! fidget's and those of scikit-image, meshes of as good an accuracy beside fidget's that meshoptimizer simplifies, pictures of solids beside fidget's, slices beside fidget's pictures of a plane and scikit-image's contours.
//!
//! `cargo bench -p fibula-peers --bench solid`; ours and fidget's take turns on one thread each, and the medians of the
//! processor's time are compared, so that other work on the machine counts little. scikit-image is measured where the
//! Python that `FIBULA_PYTHON` names (default: python3) has it, prospero where `FIBULA_PROSPERO` (default:
//! ../shared/samples/vm/prospero.vm) is its file. `FIBULA_WORKLOADS`, such as "sphere; boxes", measures these functions only.

mod accurate;
mod fidget;
mod judge;
mod mesh;
mod pixels;
mod python;
mod scikit;
mod slice;
mod turns;
mod view;
mod workloads;

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use rustix::time::{ClockId, clock_gettime};

/// Turns that each of several that are compared gets.
const TURNS: usize = 5;

/// The processor's time that all threads took until now.
fn processor() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The medians of several in milliseconds, each run in turn.
fn medians<const N: usize>(runs: [Box<dyn FnMut() + '_>; N]) -> [f64; N] {
    let mut runs = runs;
    let times = turns::medians(TURNS, processor, &mut runs);
    std::array::from_fn(|place| times[place].as_secs_f64() * 1e3)
}

/// Ours, as criterion sees it.
fn ours(criterion: &mut Criterion, what: &str, name: &str, size: usize, mut run: impl FnMut()) {
    let mut group = criterion.benchmark_group(format!("{what}/{name}"));
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_secs(1));
    group.bench_function(BenchmarkId::new("ours", size), |b| b.iter(&mut run));
    group.finish();
}

criterion_group!(
    benches,
    mesh::meshes,
    accurate::accurate_meshes,
    view::pictures,
    slice::slices
);
criterion_main!(benches);
