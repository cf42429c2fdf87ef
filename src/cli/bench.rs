//! `fibula bench`: speed of evaluation on this machine.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use fibula_core::eval::Tape;
use fibula_eval::{Batch, Code, Float, InstructionSet, Rounding, Settings};
use fibula_geometry::{SampleGrid, Sampler};
use fibula_service::{CreateFunctionFromExpression, Refusal, Service, workloads};
use serde::Serialize;

use super::files;
use super::output::{Failure, OutputArgs, table_with_head};

/// Points of a batch on one thread: few enough for the caches.
const POINTS: usize = 32_768;
/// Points on each axis of the grid for all threads.
const SIDE: usize = 128;
/// Duration of a measurement, unless one run takes longer.
const TIME: Duration = Duration::from_millis(60);
/// Maximal number of runs of a measurement.
const MOST_RUNS: usize = 101;

#[derive(Debug, Args)]
pub(super) struct Bench {
    /// A 3MF or .vm file with a function to measure, too.
    file: Option<PathBuf>,
    /// The function's name or id; may be left out if there is only one.
    function: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

/// A measured speed.
#[derive(Debug, Clone, Serialize)]
struct Figure {
    function: String,
    operations: usize,
    precision: &'static str,
    instructions: &'static str,
    machine_code: bool,
    /// On all threads, on a grid.
    grid: bool,
    ns_per_point: f64,
}

impl Bench {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let mut figures = Vec::new();
        for (name, tape) in self.tapes()? {
            measure::<f32>(&name, &tape, ("f32", Rounding::Fast), &mut figures);
            measure::<f64>(&name, &tape, ("f64", Rounding::Exact), &mut figures);
        }
        self.output.print(&figures[..], text)
    }

    /// Compiles the built-in functions and the user's.
    fn tapes(&self) -> Result<Vec<(String, Arc<Tape>)>, Failure> {
        let service = Service::default();
        let mut tapes = Vec::new();
        for workload in workloads() {
            let request = CreateFunctionFromExpression::new(workload.name, &workload.expression);
            let created =
                service.create_function_from_expression(&files::origin("bench"), request)?;
            let tape = service.tape(None, created.function_id)?;
            tapes.push((workload.name.to_owned(), tape));
        }
        if let Some(file) = &self.file {
            let (service, _) = files::open(file)?;
            let function = files::only_or_named(&service, self.function.as_deref())?;
            let tape = service.tape(None, function.function_id)?;
            if tape.input_width() == 0 || tape.output_width() == 0 {
                let message = format!("{} has no numeric input or output", function.name);
                return Err(Refusal::new("invalid_arguments", message).into());
            }
            tapes.push((function.name, tape));
        }
        Ok(tapes)
    }
}

/// Measures a function with all instruction sets of the processor.
fn measure<T: Float>(
    name: &str,
    tape: &Tape,
    (precision, rounding): (&'static str, Rounding),
    figures: &mut Vec<Figure>,
) {
    let code = tape.code(rounding);
    let mut add = |settings: Settings, grid: bool, ns_per_point: f64| {
        figures.push(Figure {
            function: name.to_owned(),
            operations: code.instructions().len(),
            precision,
            instructions: settings.instructions.name(),
            machine_code: settings.machine_code,
            grid,
            ns_per_point,
        });
    };
    for instructions in InstructionSet::ALL {
        for machine_code in [false, true] {
            let is_written = !machine_code || instructions != InstructionSet::Portable;
            if instructions.is_available() && is_written {
                let settings = Settings {
                    instructions,
                    machine_code,
                };
                add(settings, false, on_one_thread::<T>(code, settings));
            }
        }
    }
    let settings = Settings::default();
    if let Some(ns_per_point) = on_grid::<T>(code, settings) {
        add(settings, true, ns_per_point);
    }
}

/// Measures nanoseconds per point on scattered points, on one thread.
fn on_one_thread<T: Float>(code: &Code, settings: Settings) -> f64 {
    let inputs: Vec<Vec<T>> = (0..code.inputs()).map(scattered).collect();
    let inputs: Vec<&[T]> = inputs.iter().map(Vec::as_slice).collect();
    let mut outputs = vec![vec![T::ZERO; POINTS]; code.outputs().len()];
    let batch = Batch::<T>::new(code, code.inputs(), settings);
    let mut evaluator = batch.evaluator();
    let seconds = median(|| {
        let mut outputs: Vec<&mut [T]> = outputs.iter_mut().map(Vec::as_mut_slice).collect();
        evaluator.run(&inputs, &[], &mut outputs);
    });
    seconds * 1e9 / POINTS as f64
}

/// Measures nanoseconds per point on a grid of the first three inputs; `None` if there are fewer.
fn on_grid<T: Float>(code: &Arc<Code>, settings: Settings) -> Option<f64> {
    let others = vec![T::from_f64(0.5); code.inputs().checked_sub(3)?];
    let step = |place: usize| T::from_f64(place as f64 * 2.0 / (SIDE - 1) as f64 - 1.0);
    let coordinates: Vec<T> = (0..SIDE).map(step).collect();
    let axes: [(usize, &[T]); 3] = [0, 1, 2].map(|input| (input, coordinates.as_slice()));
    let lattice = SampleGrid {
        axes: &axes,
        others: &others,
    };
    let mut outputs = vec![vec![T::ZERO; lattice.len()]; code.outputs().len()];
    let sampler = Sampler::<T>::from_code(code, settings);
    let seconds = median(|| {
        let mut outputs: Vec<&mut [T]> = outputs.iter_mut().map(Vec::as_mut_slice).collect();
        let whole = sampler.grid(&lattice, &mut outputs, &|_, _| {
            std::ops::ControlFlow::Continue(())
        });
        whole.expect("the benchmark is never cancelled");
    });
    Some(seconds * 1e9 / lattice.len() as f64)
}

/// Returns scattered numbers in [-1, 1], different for each input.
fn scattered<T: Float>(input: usize) -> Vec<T> {
    // Weyl sequence: multiples of an irrational number are equidistributed.
    let step = ((input + 2) as f64).sqrt().fract() + 0.618;
    let number = |place: usize| T::from_f64((place as f64 * step).fract() * 2.0 - 1.0);
    (0..POINTS).map(number).collect()
}

/// Returns the median duration of a run in seconds, after one to warm up.
fn median(mut run: impl FnMut()) -> f64 {
    run();
    let begun = Instant::now();
    let mut seconds = Vec::new();
    while seconds.is_empty() || seconds.len() < MOST_RUNS && begun.elapsed() < TIME {
        let start = Instant::now();
        run();
        seconds.push(start.elapsed().as_secs_f64());
    }
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

/// Formats figures as tables: a row per function, a column per evaluator.
fn text(figures: &[Figure]) -> String {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut text = "ns per point; one thread, scattered points; grid: all threads\n".to_owned();
    let processor = InstructionSet::best().name();
    let _ = writeln!(text, "processor: {processor}, {threads} threads");
    for precision in ["f32", "f64"] {
        let own = figures.iter().filter(|one| one.precision == precision);
        let own: Vec<&Figure> = own.collect();
        let mut ways: Vec<String> = Vec::new();
        let mut names: Vec<&str> = Vec::new();
        for figure in &own {
            let way = way(figure);
            if !ways.contains(&way) {
                ways.push(way);
            }
            if !names.contains(&figure.function.as_str()) {
                names.push(&figure.function);
            }
        }
        let head = [precision, "operations"].into_iter();
        let head: Vec<&str> = head.chain(ways.iter().map(String::as_str)).collect();
        let rows = names.iter().map(|name| {
            let row_of = || own.iter().filter(|figure| figure.function == *name);
            let operations = row_of().next().map(|figure| figure.operations.to_string());
            let figures = ways.iter().map(|wanted| {
                let figure = row_of().find(|figure| way(figure) == *wanted);
                figure.map_or_else(|| "-".to_owned(), |figure| rounded(figure.ns_per_point))
            });
            let name = std::iter::once((*name).to_owned());
            name.chain(operations).chain(figures).collect()
        });
        let _ = write!(text, "\n{}", table_with_head(&head, rows));
    }
    text
}

/// Returns the name of the evaluator.
fn way(figure: &Figure) -> String {
    match (figure.grid, figure.machine_code) {
        (true, _) => "grid".to_owned(),
        (false, true) => format!("{} machine code", figure.instructions),
        (false, false) => figure.instructions.to_owned(),
    }
}

/// Formats a number with three significant digits.
fn rounded(number: f64) -> String {
    let places = match number {
        100.0.. => 0,
        10.0.. => 1,
        _ => 2,
    };
    format!("{number:.places$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(function: &str, machine_code: bool, grid: bool, ns_per_point: f64) -> Figure {
        Figure {
            function: function.to_owned(),
            operations: 7,
            precision: "f32",
            instructions: "avx2",
            machine_code,
            grid,
            ns_per_point,
        }
    }

    #[test]
    fn figures_stand_in_columns() {
        let figures = [
            figure("ball", false, false, 0.6149),
            figure("ball", true, false, 12.345),
            figure("ball", true, true, 123.45),
            figure("row", false, false, 1.0),
        ];
        let text = text(&figures);
        let lines: Vec<&str> = text.lines().skip(3).collect();
        assert_eq!(
            lines[..3],
            [
                "f32   operations  avx2  avx2 machine code  grid",
                "ball  7           0.61  12.3               123",
                "row   7           1.00  -                  -",
            ]
        );
    }

    #[test]
    fn scattered_numbers_fill_the_range() {
        for input in 0..20 {
            let numbers: Vec<f64> = scattered(input);
            let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
            assert!(mean.abs() < 0.01, "{input}: {mean}");
            assert!(numbers.iter().all(|number| (-1.0..=1.0).contains(number)));
        }
    }
}
