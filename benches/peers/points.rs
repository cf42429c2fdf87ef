//! Single points in `f64` beside fasteval and exmex, and the time from a graph to its first value beside fidget.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::Criterion;
use exmex::Express as _;
use fasteval::Compiler as _;
use fibula::eval::Tape;
use fibula::graph::{Document, FunctionId};

use crate::{fidget, values, workloads};

const GYROID: &str = "max(abs(sin(x*12.566370614359172)*cos(y*12.566370614359172)+sin(y*12.566370614359172)\
    *cos(z*12.566370614359172)+sin(z*12.566370614359172)*cos(x*12.566370614359172))-0.4, \
    max(max(abs(x),abs(y)),abs(z))-0.9)";
const SPHERE: &str = "sqrt(x*x+y*y+z*z)-0.8";
const ADDER: &str = "x+y";

/// Single points, one after the other.
pub(crate) fn points(criterion: &mut Criterion) {
    for (name, text) in [("adder", ADDER), ("sphere", SPHERE), ("gyroid", GYROID)] {
        let mut group = criterion.benchmark_group(format!("point/{name}"));
        group
            .warm_up_time(Duration::from_millis(300))
            .measurement_time(Duration::from_secs(2));
        let (document, function) = written(text);
        let tape = Tape::new(&document, function).expect("the function is whole");
        let mut evaluator = tape.evaluator();
        let point = &[0.3, 0.4, 0.5][..];
        let mut result = [0.0];
        group.bench_function("ours", |b| {
            b.iter(|| {
                evaluator.run(black_box(point), &mut result);
                black_box(result)
            });
        });

        // Variables that it reads through pointers are its fastest.
        let mut slab = fasteval::Slab::new();
        for (name, value) in ["x", "y", "z"].into_iter().zip(point) {
            #[expect(unsafe_code, reason = "this is how the peer takes variables")]
            // SAFETY: the point outlives the slab.
            unsafe {
                slab.ps.add_unsafe_var(name.to_owned(), value);
            }
        }
        // It has no square root by name.
        let root = text.replace("sqrt(x*x+y*y+z*z)", "(x*x+y*y+z*z)^0.5");
        let parsed = fasteval::Parser::new().parse(&root, &mut slab.ps);
        let parsed = parsed.expect("it is an expression");
        let compiled = parsed.from(&slab.ps).compile(&slab.ps, &mut slab.cs);
        let mut no_names = fasteval::EmptyNamespace;
        let mut eval = || fasteval::Evaler::eval(&compiled, &slab, &mut no_names);
        let fasteval = eval().expect("all names are known");
        group.bench_function("fasteval", |b| b.iter(|| black_box(eval())));

        let parsed = exmex::parse::<f64>(&exmex_text(text)).expect("it is an expression");
        let named = &point[..parsed.var_names().len()];
        let eval = || parsed.eval(black_box(named));
        let exmex = eval().expect("one number per variable");
        group.bench_function("exmex", |b| b.iter(|| black_box(eval())));
        let ours = tape.at(point)[0];
        for theirs in [fasteval, exmex] {
            assert!((ours - theirs).abs() < 1e-12, "{name}: {ours} and {theirs}");
        }
        group.finish();
    }
}

/// exmex writes minimum and maximum between their operands.
fn exmex_text(text: &str) -> String {
    if text == GYROID {
        "(abs(sin(x*12.566370614359172)*cos(y*12.566370614359172)+sin(y*12.566370614359172)*cos(z*12.566370614359172)\
         +sin(z*12.566370614359172)*cos(x*12.566370614359172))-0.4) max (((abs(x) max abs(y)) max abs(z))-0.9)"
            .to_owned()
    } else {
        text.to_owned()
    }
}

fn written(text: &str) -> (Document, FunctionId) {
    let mut document = Document::default();
    let function = workloads::add(&mut document, text);
    (document, function)
}

/// From a graph in memory to its first value.
pub(crate) fn first_values(_: &mut Criterion) {
    println!("\nFrom a graph to its first value: microseconds");
    for nodes in [10, 1_000, 10_000] {
        let (document, function) = chain(nodes);
        let tape = Tape::new(&document, function).expect("the function is whole");
        let (context, root) = fidget::context(tape.operations());
        let mut ours = || {
            let tape = Tape::new(&document, function).expect("the function is whole");
            black_box(tape.at([0.3, 0.4, 0.5]));
        };
        let mut theirs = || {
            black_box(values::first_value(&context, root, [0.3, 0.4, 0.5]));
        };
        let median = |run: &mut dyn FnMut()| {
            let mut times: Vec<Duration> = (0..31)
                .map(|_| {
                    let begun = Instant::now();
                    run();
                    begun.elapsed()
                })
                .collect();
            times.sort_unstable();
            times[15].as_secs_f64() * 1e6
        };
        let (ours, theirs) = (median(&mut ours), median(&mut theirs));
        println!(
            "  {nodes:6} nodes: ours {ours:9.1}  fidget {theirs:9.1}  ({:.2} x)",
            theirs / ours
        );
    }
}

/// A function of about so many nodes, of the kinds that functions in space are made of.
fn chain(nodes: usize) -> (Document, FunctionId) {
    let mut text = String::from("let d0 = length(pos) - 1;\n");
    // Each of these makes seven nodes.
    let steps = (nodes / 7).max(1);
    for step in 1..=steps {
        let before = step - 1;
        let _ = writeln!(
            text,
            "let d{step} = min(d{before}, abs(x * {0} + y - d{before}) - z * {0});",
            step as f64 / 8.0,
        );
    }
    let _ = write!(text, "d{steps}");
    let mut document = Document::default();
    let function = workloads::add(&mut document, &text);
    (document, function)
}
