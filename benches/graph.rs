//! Building and evaluating long graphs through edits: time must grow with the nodes, not with their square.
//!
//! `cargo bench --bench graph`; the report ends with the ratio of a chain of 100 000 nodes to one of 50 000.

#[path = "../tests/large_graph/mod.rs"]
mod large_graph;

use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fibula::edit::{Edit, FunctionEdit, LinkEdit, NodeEdit, Stage};
use fibula::eval::Tape;
use fibula::format::diagram::layout::{Spacing, lay_out};
use fibula::graph::{Compact, ContentHash, Document, FunctionData, FunctionId, NodeData, NodeId};
use fibula_nodes::{PortSpec, Type};
use large_graph::large_graph;
use serde_json::json;

const FUNCTION: FunctionId = FunctionId(1);

fn empty() -> Document {
    let mut document = Document::default();
    let data = FunctionData {
        function_id: Some(FUNCTION),
        name: "chain".to_owned(),
        inputs: vec![PortSpec::new("x", Type::Float)],
        outputs: vec![PortSpec::new("shape", Type::Float)],
        nodes: Vec::new(),
    };
    Edit::Function(FunctionEdit::Set(data))
        .apply(&mut document)
        .expect("a function without nodes");
    document
}

fn create(id: u32) -> Edit {
    Edit::Node(NodeEdit::Create {
        function_id: FUNCTION,
        node_type: "Sine".to_owned(),
        node_id: Some(NodeId(id)),
        display_name: None,
        position: None,
        callee: None,
    })
}

fn link(source: u32, port: &str, target: u32, parameter: &str) -> Edit {
    Edit::Link(LinkEdit::Create {
        function_id: FUNCTION,
        source_node_id: NodeId(source),
        source_port_name: port.to_owned(),
        target_node_id: NodeId(target),
        target_parameter_name: parameter.to_owned(),
        replace: false,
        insert_conversion: false,
    })
}

/// A chain of sines from the input to the output, in the order of the links.
fn forward(length: u32) -> Document {
    let mut document = empty();
    let mut apply = |edit: Edit| drop(edit.apply(&mut document).expect("the edit is valid"));
    let (mut last, mut port) = (1, "x");
    for id in 2..length + 2 {
        apply(create(id));
        apply(link(last, port, id, "A"));
        (last, port) = (id, "result");
    }
    apply(link(last, port, 0, "shape"));
    document
}

/// The same chain, each link made against the order of the nodes.
fn backward(length: u32) -> Document {
    let mut document = empty();
    let mut apply = |edit: Edit| drop(edit.apply(&mut document).expect("the edit is valid"));
    let (mut next, mut parameter) = (0, "shape");
    for id in 2..length + 2 {
        apply(create(id));
        apply(link(id, "result", next, parameter));
        (next, parameter) = (id, "A");
    }
    apply(link(1, "x", next, parameter));
    document
}

fn chains(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("chain");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(8));
    for length in [25_000, 50_000, 100_000] {
        group.throughput(Throughput::Elements(u64::from(length)));
        group.bench_function(BenchmarkId::new("edits forward", length), |b| {
            b.iter(|| black_box(forward(length)));
        });
        group.bench_function(BenchmarkId::new("edits backward", length), |b| {
            b.iter(|| black_box(backward(length)));
        });
        let document = forward(length);
        group.bench_function(BenchmarkId::new("flatten", length), |b| {
            b.iter(|| black_box(Tape::new(&document, FUNCTION).expect("the chain is whole")));
        });
        let tape = Tape::new(&document, FUNCTION).expect("the chain is whole");
        group.bench_function(BenchmarkId::new("evaluate one point", length), |b| {
            b.iter(|| black_box(tape.at([0.5])));
        });
    }
    group.finish();
    for (name, build) in [
        ("forward", forward as fn(u32) -> Document),
        ("backward", backward as fn(u32) -> Document),
    ] {
        let time = |length| {
            let mut times: Vec<Duration> = (0..5)
                .map(|_| {
                    let start = Instant::now();
                    black_box(build(length));
                    start.elapsed()
                })
                .collect();
            times.sort_unstable();
            times[2].as_secs_f64()
        };
        let (half, whole) = (time(50_000), time(100_000));
        println!(
            "doubling the chain, {name}: {:.2} times the time (at most 2.3)",
            whole / half
        );
    }
}

fn batch(criterion: &mut Criterion) {
    let document = empty();
    let edits: Vec<Edit> = (2..502)
        .flat_map(|id| {
            let source = if id == 2 {
                (1, "x")
            } else {
                (id - 1, "result")
            };
            [create(id), link(source.0, source.1, id, "A")]
        })
        .collect();
    criterion.bench_function("500 nodes and their links as one edit", |b| {
        b.iter(|| {
            let mut stage = Stage::new(&document);
            for edit in &edits {
                stage.push(edit).expect("the edit is valid");
            }
            black_box(stage.finish())
        });
    });
    let text = serde_json::to_string(&edits).expect("edits are data");
    criterion.bench_function("500 nodes and their links from JSON", |b| {
        b.iter(|| black_box(serde_json::from_str::<Vec<Edit>>(&text).expect("they were edits")));
    });
}

/// A function of many nodes with links, values and positions, as a scene that was drawn has them.
fn scene(length: u32) -> Document {
    let mut node = NodeData::new(NodeId(2), "Addition").link("A", NodeId(1), "x");
    let mut nodes = Vec::new();
    for id in 2..length + 2 {
        node.position = Some([f64::from(id % 100) * 180.5, f64::from(id / 100) * 90.25]);
        let next = NodeData::new(
            NodeId(id + 1),
            ["Multiplication", "Sine", "Addition"][id as usize % 3],
        )
        .link("A", NodeId(id), "result");
        nodes.push(std::mem::replace(&mut node, next));
        if id % 3 != 0 {
            let last = nodes.last_mut().expect("one was added");
            if last.node_type != "Sine" {
                *last = last.clone().value("B", f64::from(id) / 8.0);
            }
        }
    }
    let mut document = Document::default();
    document
        .insert(&FunctionData {
            function_id: Some(FUNCTION),
            name: "scene".to_owned(),
            inputs: vec![PortSpec::new("x", Type::Float)],
            outputs: vec![PortSpec::new("shape", Type::Float)],
            nodes,
        })
        .expect("the scene is whole");
    document
}

fn states(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("100 000 nodes");
    group.sample_size(10);
    for (name, document) in [("chain", forward(100_000)), ("scene", scene(100_000))] {
        let bytes = postcard::to_stdvec(&document.compact()).expect("it is data");
        let data = document.data();
        let text = serde_json::to_string(&data).expect("it is data");
        println!(
            "{name}: {} bytes compact, {} bytes of JSON",
            bytes.len(),
            text.len()
        );
        group.bench_function(BenchmarkId::new("to compact bytes", name), |b| {
            b.iter(|| black_box(postcard::to_stdvec(&document.compact()).expect("it is data")));
        });
        let read = || postcard::from_bytes::<Compact>(&bytes).expect("it was written so");
        group.bench_function(BenchmarkId::new("compact from bytes", name), |b| {
            b.iter(|| black_box(read()));
        });
        group.bench_function(BenchmarkId::new("document from compact bytes", name), |b| {
            b.iter(|| black_box(read().document().expect("it was a document")));
        });
        group.bench_function(BenchmarkId::new("build", name), |b| {
            b.iter(|| black_box(document.build(&data.functions[0]).expect("it was built")));
        });
        group.bench_function(BenchmarkId::new("hash after an edit", name), |b| {
            let mut document = document.clone();
            let mut x = 0.0;
            b.iter(|| {
                x += 1.0;
                let edit = Edit::Node(NodeEdit::Move {
                    function_id: FUNCTION,
                    node_id: NodeId(1000),
                    position: Some([x, 0.0]),
                });
                edit.apply(&mut document).expect("the edit is valid");
                black_box(document.hash())
            });
        });
    }
    group.finish();
}

/// As many meshes, and as many assemblies of one of them, each with its build item, through one stage.
fn objects(criterion: &mut Criterion) {
    let edit = |edit: serde_json::Value| -> Edit {
        serde_json::from_value(json!({ "model": edit })).expect("an edit")
    };
    let body = json!({"mesh":
        {"content": ContentHash::digest(b"mesh"), "size": 4, "vertices": 3, "triangles": 1}});
    let mut group = criterion.benchmark_group("objects");
    group.sample_size(10);
    for count in [5_000, 10_000] {
        let meshes = (1..=count).map(
            |id| json!({"set_resource": {"resource_id": id, "resource": {"object": {"body": body}}}}),
        );
        let wholes = (1..=count).flat_map(|id| {
            let whole = json!({"object": {"body": {"components": [{"object": id}]}}});
            let id = count + id;
            [
                json!({"set_resource": {"resource_id": id, "resource": whole}}),
                json!({"set_build_item": {"item": {"object": id}}}),
            ]
        });
        let edits: Vec<Edit> = meshes.chain(wholes).map(edit).collect();
        group.throughput(Throughput::Elements(edits.len() as u64));
        group.bench_function(BenchmarkId::new("come and go", count), |b| {
            b.iter(|| {
                let mut document = Document::default();
                let mut stage = Stage::new(&document);
                for edit in &edits {
                    stage.push(edit).expect("the edit is valid");
                }
                let checked = stage.finish();
                let inverse = checked.inverse().clone();
                checked.apply(&mut document);
                inverse.apply(&mut document).expect("they can go");
                black_box(document)
            });
        });
    }
    group.finish();
}

fn layouts(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("lay out");
    group.sample_size(10);
    for count in [1_000, 10_000] {
        let graph = large_graph(count);
        group.bench_function(BenchmarkId::from_parameter(count), |b| {
            let mut go_on = || ControlFlow::Continue(());
            b.iter(|| black_box(lay_out(&graph, &Spacing::default(), &mut go_on)));
        });
    }
    group.finish();
}

criterion_group!(benches, chains, batch, states, objects, layouts);
criterion_main!(benches);
