//! Evaluation of whole functions: sharing, folding, what is missing, what is too much, and what is undefined.

use fibula::eval::{EvalError, Request, Tape, explain, trace};
use fibula::expression;
use fibula::graph::{Document, FunctionData, FunctionId, NodeData, NodeId, Setting};
use fibula_nodes::{PortSpec, Type, Value};
use serde_json::json;

fn shape() -> Vec<PortSpec> {
    vec![PortSpec::new("shape", Type::Float)]
}

fn function(id: u32, inputs: Vec<PortSpec>, nodes: Vec<NodeData>) -> FunctionData {
    FunctionData {
        function_id: Some(FunctionId(id)),
        name: format!("f{id}"),
        inputs,
        outputs: shape(),
        nodes,
    }
}

fn end(node: u32, port: &str) -> NodeData {
    NodeData::new(NodeId::END, "End").link("shape", NodeId(node), port)
}

/// Number of operations of an expression's tape, its variables and constants included.
fn operations(text: &str) -> usize {
    let mut document = Document::default();
    let id = expression::add_function(&mut document, "f", text).unwrap();
    Tape::new(&document, id).unwrap().operations().len()
}

#[test]
fn equal_subexpressions_are_there_once_and_constants_are_folded() {
    assert_eq!(operations("sin(x) + sin(x)"), 3); // x, sin, +
    assert_eq!(operations("x * (2 + 3) * 4"), 5); // x, 5, *, 4, *
    assert_eq!(operations("length(pos) - (sqrt(16) + 1)"), 11); // 3 in, 3 *, 2 +, sqrt, 5, -
    assert_eq!(operations("2 < 3 ? x : y"), 1);
    // What no output needs is not there.
    assert_eq!(operations("let unused = sin(y); x"), 1);
}

#[test]
fn a_call_with_equal_arguments_is_written_once() {
    let mut document = Document::default();
    expression::add_function(&mut document, "f0", "sin(a) + a").unwrap();
    // Each calls the one before it twice with one argument: 2^60 calls, if they were written out one by one.
    for n in 1..=60 {
        let text = format!("f{}(a) + f{}(a)", n - 1, n - 1);
        expression::add_function(&mut document, &format!("f{n}"), &text).unwrap();
    }
    let last = document.functions().last().unwrap().id();
    let tape = Tape::new(&document, last).unwrap();
    assert_eq!(tape.operations().len(), 3 + 60);
    let expected = (0.5_f64.sin() + 0.5) * 2.0_f64.powi(60);
    let values = tape.values(&[Value::Float(0.5)]).unwrap();
    assert_eq!(values, [Value::Float(expected)]);
}

#[test]
fn a_function_that_grows_without_end_is_refused() {
    let mut document = Document::default();
    expression::add_function(&mut document, "f0", "sin(a) + a").unwrap();
    for n in 1..=40 {
        let text = format!("f{}(a) + f{}(a + 1)", n - 1, n - 1);
        expression::add_function(&mut document, &format!("f{n}"), &text).unwrap();
    }
    // The sums a + 1 + 1 ... are shared, so this one stays small ...
    let last = document.functions().last().unwrap().id();
    assert!(Tape::new(&document, last).unwrap().operations().len() < 5000);
    // ... but these arguments are all different.
    expression::add_function(&mut document, "g0", "sin(a) + a").unwrap();
    for n in 1..=40 {
        let text = format!("g{}(a * 0.99 + {n}) + g{}(a * 1.01)", n - 1, n - 1);
        expression::add_function(&mut document, &format!("g{n}"), &text).unwrap();
    }
    let last = document.functions().last().unwrap().id();
    let error = Tape::new(&document, last).unwrap_err();
    assert_eq!(error.code(), "too_large");
}

#[test]
fn a_long_chain_needs_no_stack() {
    const LENGTH: u32 = 100_000;
    let mut nodes = vec![NodeData::new(NodeId(1), "Begin")];
    let (mut last, mut port) = (NodeId(1), "x");
    for id in 2..LENGTH + 2 {
        nodes.push(
            NodeData::new(NodeId(id), "Addition")
                .link("A", last, port)
                .link("B", NodeId(1), "x"),
        );
        (last, port) = (NodeId(id), "result");
    }
    nodes.push(end(LENGTH + 1, "result"));
    let mut document = Document::default();
    let data = function(1, vec![PortSpec::new("x", Type::Float)], nodes);
    let id = document.insert(&data).unwrap();
    let tape = Tape::new(&document, id).unwrap();
    assert_eq!(tape.at([1.0]), [f64::from(LENGTH + 1)]);
    let steps = trace(&document, id, &[Value::Float(1.0)]).unwrap();
    assert_eq!(steps.nodes.len(), LENGTH as usize + 1);
    drop(document.function(id).unwrap().data());
}

#[test]
fn calls_within_calls_grow_the_stack_on_the_heap() {
    const DEPTH: u32 = 5_000;
    let mut document = Document::default();
    let x = || vec![PortSpec::new("x", Type::Float)];
    let begin = || NodeData::new(NodeId(1), "Begin");
    let one = NodeData::new(NodeId(2), "ConstantScalar").value("value", 1.0);
    let sum = NodeData::new(NodeId(3), "Addition")
        .link("A", NodeId(1), "x")
        .link("B", NodeId(2), "value");
    document
        .insert(&function(1, x(), vec![begin(), one, sum, end(3, "result")]))
        .unwrap();
    for id in 2..=DEPTH {
        let call = NodeData::new(NodeId(2), "FunctionCall")
            .value("functionID", id - 1)
            .link("x", NodeId(1), "x");
        document
            .insert(&function(id, x(), vec![begin(), call, end(2, "shape")]))
            .unwrap();
    }
    let tape = Tape::new(&document, FunctionId(DEPTH)).unwrap();
    assert_eq!(tape.at([1.0]), [2.0]);
}

#[test]
fn everything_that_is_missing_is_named_at_once_with_its_place() {
    let mut document = Document::default();
    let ball = vec![
        NodeData::new(NodeId(1), "Begin"),
        NodeData::new(NodeId(2), "Length").link("A", NodeId(1), "pos"),
        NodeData::new(NodeId(3), "Subtraction").link("A", NodeId(2), "result"),
        end(3, "result"),
    ];
    document
        .insert(&function(1, vec![PortSpec::new("pos", Type::Float3)], ball))
        .unwrap();
    let caller = vec![
        NodeData::new(NodeId(1), "FunctionCall").value("functionID", 1),
        NodeData::new(NodeId(2), "Addition").link("A", NodeId(1), "shape"),
        NodeData::new(NodeId(3), "Sine"), // not needed, so not missing anything
        end(2, "result"),
    ];
    let id = document.insert(&function(2, Vec::new(), caller)).unwrap();
    let error = Tape::new(&document, id).unwrap_err();
    assert_eq!(error.code(), "missing_input");
    assert_eq!(
        error.to_string(),
        "3 inputs are not set or linked yet: B (float) of node 3 (Subtraction) in function 1 (f1); \
         pos (float3) of node 1 (FunctionCall) in function 2 (f2); \
         B (float) of node 2 (Addition) in function 2 (f2); set or link them"
    );
    let empty = document
        .insert(&function(3, Vec::new(), Vec::new()))
        .unwrap();
    let error = Tape::new(&document, empty).unwrap_err();
    assert_eq!(
        error.to_string(),
        "one input is not set or linked yet: shape (float) of node 0 (End) in function 3 (f3); set or link it"
    );
}

#[test]
fn a_resource_is_named_until_it_is_there() {
    let mesh = |id: u32| {
        let node = NodeData::new(NodeId(2), "SignedDistanceToMesh")
            .value("mesh", id)
            .link("pos", NodeId(1), "pos");
        let nodes = vec![NodeData::new(NodeId(1), "Begin"), node, end(2, "distance")];
        function(9, vec![PortSpec::new("pos", Type::Float3)], nodes)
    };
    let mut document = Document::default();
    let id = document.insert(&mesh(2)).unwrap();
    let error = Tape::new(&document, id).unwrap_err();
    assert_eq!(error.code(), "missing_resource");
    assert_eq!(
        error.to_string(),
        "node 2 (SignedDistanceToMesh) in function 9 (f9): mesh 2 is not in this project; \
         add it under this id, or change the reference"
    );
    let mut document = crate::world::document();
    let id = document.insert(&mesh(2)).unwrap();
    assert_eq!(Tape::new(&document, id).unwrap().at([3.0, 0.0, 0.0]), [2.0]);
    // An image that is put where the mesh was expected is found when the reference is made.
    let error = crate::world::document().insert(&mesh(4)).unwrap_err();
    assert_eq!(error.code(), "resource_kind_mismatch");
}

#[test]
fn images_are_called_like_functions() {
    let mut document = crate::world::document();
    let image = fibula::graph::ImageFunction {
        name: "picture".to_owned(),
        image: fibula_nodes::ResourceId(4),
        scale: 2.0,
        offset: 0.5,
        filter: fibula_nodes::Filter::Linear,
        tiles: [fibula_nodes::TileStyle::Wrap; 3],
    };
    let resource = fibula::graph::Resource::ImageFunction(image);
    document
        .insert_resource(fibula_nodes::ResourceId(5), resource)
        .unwrap();
    let nodes = vec![
        NodeData::new(NodeId(1), "Begin"),
        NodeData::new(NodeId(2), "FunctionCall")
            .value("functionID", 5)
            .link("pos", NodeId(1), "pos"),
        end(2, "green"),
    ];
    let data = function(9, vec![PortSpec::new("pos", Type::Float3)], nodes);
    let id = document.insert(&data).unwrap();
    let tape = Tape::new(&document, id).unwrap();
    assert_eq!(tape.at([0.25, 0.5, 0.75]), [1.5]);
}

#[test]
fn a_trace_tells_why() {
    let mut document = Document::default();
    let id = expression::add_function(&mut document, "ball", "length(pos) - 5").unwrap();
    let trace = trace(&document, id, &[Value::Float3([8.0, 0.0, 0.0])]).unwrap();
    let lines: Vec<String> = trace
        .nodes
        .iter()
        .map(|node| {
            let inputs = node.inputs.iter().map(|input| (&*input.name, &input.value));
            let inputs: Vec<_> = inputs.collect();
            format!("{}: {inputs:?} -> {:?}", node.node.node_type, node.outputs)
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"));
    let outputs = trace.outputs.iter();
    let outputs: Vec<_> = outputs
        .map(|output| (&*output.name, &output.value))
        .collect();
    assert_eq!(outputs, [("shape", &Value::Float(3.0))]);
    assert_eq!(trace.outputs[0].source, Some((trace.nodes.len() - 1, 0)));
}

/// Only the side of a minimum or choice that is taken is followed, through calls, down to inputs and parameters.
#[test]
fn an_explanation_follows_what_decides() {
    let mut document = Document::default();
    expression::add_function(
        &mut document,
        "ball",
        "length(pos - vec3(centre, 0, 0)) - radius",
    )
    .unwrap();
    let text = "let wall = 2; let far = 9; \
                min(ball(pos = pos, centre = far, radius = wall*2), x < 0 ? pos.y : clamp(pos.z, -wall, wall))";
    let id = expression::add_function(&mut document, "part", text).unwrap();
    let explained = |at: [f64; 3]| {
        let why = explain(&document, id, &[Value::Float3(at)], 0, 30, &|_| false).unwrap();
        assert!(!why.is_truncated);
        why.to_string()
    };
    let points = [[8.0, 0.0, 3.0], [1.0, 0.0, 3.0], [-1.0, -7.0, 3.0]];
    insta::assert_snapshot!(points.map(explained).join("\n\n"));
    // The third reason is a call, which adds two.
    for most in [0, 2, 3, 8] {
        let cut = explain(
            &document,
            id,
            &[Value::Float3([8.0, 0.0, 0.0])],
            0,
            most,
            &|_| false,
        )
        .unwrap();
        assert!(cut.is_truncated && cut.reasons.len() == most, "{most}");
    }
}

#[test]
fn what_is_known_before_evaluation_is_given_as_static_arguments() {
    let mut document = crate::world::document();
    let inputs = vec![
        PortSpec::new("pos", Type::Float3),
        PortSpec::new("which", Type::ResourceId),
        PortSpec::new("filter", Type::Integer),
    ];
    let sampler = NodeData::new(NodeId(2), "ImageSampler")
        .link("uvw", NodeId(1), "pos")
        .link("resourceid", NodeId(1), "which")
        .link("filter", NodeId(1), "filter");
    let nodes = vec![NodeData::new(NodeId(1), "Begin"), sampler, end(2, "alpha")];
    let id = document.insert(&function(9, inputs, nodes)).unwrap();
    let mut request = Request::default();
    let error = Tape::with(&document, id, &request).unwrap_err();
    assert!(matches!(error, EvalError::Arguments { .. }), "{error}");
    request.statics.insert(
        "which".to_owned(),
        Value::ResourceId(fibula_nodes::ResourceId(4)),
    );
    request
        .statics
        .insert("filter".to_owned(), Value::Integer(0));
    let tape = Tape::with(&document, id, &request).unwrap();
    assert_eq!(tape.inputs(), [PortSpec::new("pos", Type::Float3)]);
    assert_eq!(tape.at([0.1, 0.2, 0.3]), [1.0]);
    request
        .statics
        .insert("filter".to_owned(), Value::Integer(7));
    let error = Tape::with(&document, id, &request).unwrap_err();
    assert_eq!(error.code(), "invalid_value");
    let message = "filter is 7, but must be 0 to 1 (nearest, linear)";
    assert!(error.to_string().ends_with(message));
}

#[test]
fn undefined_values_are_told_as_they_are() {
    let cases = [
        ("1 / x", 0.0, f64::INFINITY),
        ("log(x)", 0.0, f64::NEG_INFINITY),
        ("min(sqrt(x), 3)", -1.0, 3.0),
        ("sqrt(x) < 1 ? 2 : 3", -1.0, 3.0),
        ("round(x)", -2.5, -3.0),
        ("mod(x, 3)", -1.0, 2.0),
        ("fmod(x, 3)", -1.0, -1.0),
        ("clamp(x, 1, 0)", 5.0, 1.0),
        ("sign(x)", 0.0, 0.0),
    ];
    for (text, x, expected) in cases {
        let mut document = Document::default();
        let id = expression::add_function(&mut document, "f", text).unwrap();
        let tape = Tape::new(&document, id).unwrap();
        assert_eq!(tape.at([x, 0.0, 0.0]), [expected], "{text}");
    }
    let mut document = Document::default();
    let id = expression::add_function(&mut document, "f", "sqrt(x)").unwrap();
    assert!(Tape::new(&document, id).unwrap().at([-1.0, 0.0, 0.0])[0].is_nan());
}

#[test]
fn arguments_are_checked() {
    let mut document = Document::default();
    let id = expression::add_function(&mut document, "ball", "length(pos) - r").unwrap();
    let tape = Tape::new(&document, id).unwrap();
    let error = tape.values(&[Value::Float(1.0)]).unwrap_err();
    let expected = "the function takes pos: float3, r: float, but got float";
    assert_eq!(error.to_string(), expected);
    let unknown = with_defaults!(Request, outputs: Some(vec!["color".to_owned()]));
    let error = Tape::with(&document, id, &unknown).unwrap_err();
    let expected = "function 1 has no output 'color'; it has shape";
    assert_eq!(error.to_string(), expected);
    assert!(Tape::new(&document, FunctionId(77)).is_err());
}

#[test]
fn a_written_out_function_says_what_cannot_be() {
    let nodes = vec![
        NodeData::new(NodeId(1), "Sine").link("A", NodeId(2), "result"),
        NodeData::new(NodeId(2), "Cosine").link("A", NodeId(1), "result"),
    ];
    let document = Document::default();
    let code = |nodes: Vec<NodeData>| {
        document
            .build(&function(1, Vec::new(), nodes))
            .unwrap_err()
            .code()
    };
    assert_each_eq! {
        code(nodes) => "cycle";
        code(vec![NodeData::new(NodeId(1), "Sine").link("A", NodeId(1), "result")]) => "self_link";
        code(vec![NodeData::new(NodeId(1), "Sine"), NodeData::new(NodeId(1), "Sine")]) => "duplicate_id";
        code(vec![NodeData::new(NodeId(0), "Sine")]) => "duplicate_id";
        code(vec![NodeData::new(NodeId(1), "Begin")]) => "protected_node";
        code(vec![NodeData::new(NodeId(1), "Sine").link("A", NodeId(7), "result")]) => "unknown_node";
        code(vec![NodeData::new(NodeId(1), "FunctionCall").value("functionID", 1)]) => "unknown_function";
    }
    let mut nested = NodeData::new(NodeId(1), "ConstantScalar");
    nested
        .parameters
        .insert("value".to_owned(), Setting::Value(json!({"x": [[[]]]})));
    assert_eq!(code(vec![nested]), "invalid_value");
}
