//! The evaluators beside their peers, in the same run: fidget for batches and flat pictures, numpy and numexpr for batches
//! in double precision, fasteval and exmex for single points.
//!
//! `cargo bench -p fibula-peers`; the report ends with a table of medians and ratios for each of these, measured in turns
//! so that a busy machine disturbs all alike. numpy and numexpr are measured where `FIBULA_PYTHON` (default: python3)
//! has them, prospero where `FIBULA_PROSPERO` (default: ../shared/samples/vm/prospero.vm) is its file.

mod fidget;
mod numpy;
mod picture;
mod pixels;
mod points;
mod python;
mod turns;
mod values;
mod workloads;

use std::hint::black_box;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fibula::geometry::{SampleGrid, Sampler};
use fibula_eval::{Batch, BatchEvaluator, Float, InstructionSet, Rounding, Settings};

use workloads::Workload;

/// Points of a large batch.
const POINTS: usize = 1 << 18;
/// Turns that each of several that are compared gets.
const TURNS: usize = 15;

/// Settings with their names, the fastest first.
fn settings() -> Vec<(String, Settings)> {
    let sets = InstructionSet::ALL.into_iter().rev();
    let mut all = Vec::new();
    for instructions in sets.filter(|set| set.is_available()) {
        for machine_code in [true, false] {
            if machine_code && instructions == InstructionSet::Portable {
                continue;
            }
            let how = if machine_code {
                "machine code"
            } else {
                "blocks"
            };
            let settings = Settings {
                instructions,
                machine_code,
            };
            all.push((format!("{how}, {}", instructions.name()), settings));
        }
    }
    all
}

/// Points in [-1, 1] on each axis.
fn random<T: Float>(count: usize) -> [Vec<T>; 3] {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        T::from_f64((state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0)
    };
    std::array::from_fn(|_| (0..count).map(|_| next()).collect())
}

/// The medians of the times of several, each run in turn.
fn medians(runs: &mut [Box<dyn FnMut() + '_>]) -> Vec<Duration> {
    static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);
    turns::medians(TURNS, || BEGUN.elapsed(), runs)
}

/// A batch and an evaluator of it, warm.
struct Ours<'a, T: Float> {
    evaluator: BatchEvaluator<'a, T>,
    results: Vec<T>,
}

impl<'a, T: Float> Ours<'a, T> {
    fn new(batch: &'a Batch<T>, points: &[Vec<T>; 3]) -> Self {
        let mut ours = Ours {
            evaluator: batch.evaluator(),
            results: vec![T::ZERO; points[0].len()],
        };
        ours.run(points);
        ours
    }

    fn run(&mut self, points: &[Vec<T>; 3]) {
        let inputs = points.each_ref().map(Vec::as_slice);
        self.evaluator.run(&inputs, &[], &mut [&mut self.results]);
        black_box(&self.results);
    }
}

fn batch<T: Float>(workload: &Workload, settings: Settings) -> Batch<T> {
    let code = workload.tape.code(Rounding::Fast);
    Batch::new(code, code.inputs(), settings)
}

fn nanoseconds(time: Duration, points: usize) -> f64 {
    time.as_secs_f64() * 1e9 / points as f64
}

/// Large batches on one thread, as criterion sees them.
fn batches(criterion: &mut Criterion) {
    let (single, double) = (random::<f32>(POINTS), random::<f64>(POINTS));
    for workload in workloads::all() {
        let mut group = criterion.benchmark_group(format!("batch/{}", workload.name));
        group
            .sample_size(10)
            .warm_up_time(Duration::from_millis(200))
            .measurement_time(Duration::from_secs(1))
            .throughput(Throughput::Elements(POINTS as u64));
        let mut peer = values::Values::new(workload.tape.operations());
        group.bench_function("fidget, f32", |b| {
            b.iter(|| black_box(peer.at(&single)));
        });
        for (name, settings) in settings() {
            let batch = batch::<f32>(&workload, settings);
            let mut ours = Ours::new(&batch, &single);
            group.bench_function(format!("{name}, f32"), |b| b.iter(|| ours.run(&single)));
        }
        let batch = batch::<f64>(&workload, Settings::default());
        let mut ours = Ours::new(&batch, &double);
        group.bench_function("ours, f64", |b| b.iter(|| ours.run(&double)));
        group.finish();
    }
}

/// The table of large batches: medians in nanoseconds per point, and how many times faster than fidget.
fn batch_table(_: &mut Criterion) {
    let (single, double) = (random::<f32>(POINTS), random::<f64>(POINTS));
    let all = workloads::all();
    println!(
        "\nLarge batches of {POINTS} points, one thread: ns per point (times faster than fidget)"
    );
    for workload in &all {
        let batches: Vec<(String, Batch<f32>)> = settings()
            .into_iter()
            .map(|(name, settings)| (name, batch(workload, settings)))
            .collect();
        let wide = batch::<f64>(workload, Settings::default());
        let mut widest = Ours::new(&wide, &double);
        let mut peer = values::Values::new(workload.tape.operations());
        let mut runs: Vec<Box<dyn FnMut() + '_>> = vec![Box::new(|| {
            black_box(peer.at(&single));
        })];
        for (_, batch) in &batches {
            let mut ours = Ours::new(batch, &single);
            runs.push(Box::new({
                let single = &single;
                move || ours.run(single)
            }));
        }
        runs.push(Box::new(|| widest.run(&double)));
        let times: Vec<f64> = medians(&mut runs)
            .into_iter()
            .map(|time| nanoseconds(time, POINTS))
            .collect();
        println!("  {}: fidget {:.2}", workload.name, times[0]);
        for ((name, _), time) in batches.iter().zip(&times[1..]) {
            println!("    {name:28} {time:9.3}  ({:.2} x)", times[0] / time);
        }
        let time = times[times.len() - 1];
        println!(
            "    {:28} {time:9.3}  ({:.2} times the best f32)",
            "f64, best",
            time / times[1]
        );
    }
    match numpy::times(&all) {
        Ok(peers) => {
            println!(
                "\nThe same in f64 beside numpy and numexpr: ns per point (times faster than the better)"
            );
            for (workload, numpy, numexpr) in peers {
                let workload = all.iter().find(|one| one.name == workload);
                let workload = workload.expect("a workload was asked for");
                let batch = batch::<f64>(workload, Settings::default());
                let mut ours = Ours::new(&batch, &double);
                let time = nanoseconds(medians(&mut [Box::new(|| ours.run(&double))])[0], POINTS);
                let better = numexpr.map_or(numpy, |numexpr| numexpr.min(numpy));
                let numexpr = numexpr.map_or("-".to_owned(), |time| format!("{time:.1}"));
                println!(
                    "  {:20} ours {time:8.2}  numpy {numpy:8.1}  numexpr {numexpr:>8}  ({:.1} x)",
                    workload.name,
                    better / time
                );
            }
        }
        Err(why) => println!("SKIPPED: numpy and numexpr. {why}"),
    }
}

/// The gyroid on a grid, where what depends on one axis is computed once, beside fidget on the same points.
fn grids(criterion: &mut Criterion) {
    const SIDES: [usize; 3] = [512, 128, 64];
    const POINTS: usize = SIDES[0] * SIDES[1] * SIDES[2];
    let axes: [Vec<f32>; 3] = SIDES.map(|side| {
        (0..side)
            .map(|place| place as f32 / side as f32 * 2.0 - 1.0)
            .collect()
    });
    let points: [Vec<f32>; 3] = std::array::from_fn(|input| {
        let stride: usize = SIDES[..input].iter().product();
        (0..POINTS)
            .map(|point| axes[input][point / stride % SIDES[input]])
            .collect()
    });
    let one = turns::pool(1);
    println!("\nGrids of {SIDES:?} points, one thread: ns per point (times faster than fidget)");
    for workload in workloads::all() {
        if workload.name == "prospero" {
            continue;
        }
        let sampler = Sampler::<f32>::new(&workload.tape, Rounding::Fast, Settings::default());
        let mut results = vec![0.0; POINTS];
        let inputs = [0, 1, 2].map(|input| (input, &axes[input][..]));
        let lattice = SampleGrid {
            axes: &inputs,
            others: &[],
        };
        let mut run = || {
            one.install(|| {
                sampler
                    .grid(&lattice, &mut [&mut results], &|_, _| {
                        std::ops::ControlFlow::Continue(())
                    })
                    .expect("nobody ends it");
            });
        };
        let mut group = criterion.benchmark_group(format!("grid/{}", workload.name));
        group
            .sample_size(10)
            .measurement_time(Duration::from_secs(1))
            .throughput(Throughput::Elements(points[0].len() as u64));
        group.bench_function("ours", |b| b.iter(&mut run));
        group.finish();
        let mut peer = values::Values::new(workload.tape.operations());
        let times = medians(&mut [
            Box::new(|| {
                black_box(peer.at(&points));
            }),
            Box::new(run),
        ]);
        let [theirs, ours] = [0, 1].map(|place| nanoseconds(times[place], points[0].len()));
        println!(
            "  {:20} ours {ours:8.3}  fidget {theirs:8.2}  ({:.1} x)",
            workload.name,
            theirs / ours
        );
    }
}

/// Two threads beside one, on large batches.
fn threads(_: &mut Criterion) {
    let pools = [turns::pool(1), turns::pool(2)];
    let points = random::<f32>(1 << 21);
    let inputs = points.each_ref().map(Vec::as_slice);
    println!("\nTwo threads beside one, {} points", points[0].len());
    for workload in workloads::all() {
        let sampler = Sampler::<f32>::new(&workload.tape, Rounding::Fast, Settings::default());
        let mut runs: Vec<Box<dyn FnMut() + '_>> = Vec::new();
        for pool in &pools {
            let (sampler, inputs) = (&sampler, &inputs);
            let mut results = vec![0.0; points[0].len()];
            runs.push(Box::new(move || {
                pool.install(|| {
                    sampler
                        .points(inputs, &mut [&mut results], &|_, _| {
                            std::ops::ControlFlow::Continue(())
                        })
                        .expect("nobody ends it");
                });
            }));
        }
        let times = medians(&mut runs);
        println!(
            "  {:20} {:.2} times faster",
            workload.name,
            times[0].as_secs_f64() / times[1].as_secs_f64()
        );
    }
}

criterion_group!(
    benches,
    threads,
    points::first_values,
    points::points,
    batches,
    batch_table,
    grids,
    picture::pictures
);
criterion_main!(benches);
