//! Candidates of links, tapes whose literals are inputs, and changes between two versions of a shape.

use fibula::eval::{ADDED, NO_COLOR, REMOVED, Request, Tape};
use fibula::expression;
use fibula::graph::{Document, FunctionId, LinkCandidate, LinkStart, NodeId};
use fibula_nodes::Value;

fn document() -> (Document, FunctionId) {
    let mut document = Document::default();
    let ball = expression::add_function(&mut document, "Ball", "length(pos) - 5").unwrap();
    (document, ball)
}

fn node(document: &Document, function: FunctionId, kind: &str) -> NodeId {
    let function = document.function(function).unwrap();
    let mut nodes = function.nodes();
    nodes
        .find(|node| node.kind().info().name == kind)
        .unwrap()
        .id()
}

/// Text of the candidate `NODE.NAME`.
fn check(candidates: &[LinkCandidate], node: NodeId, name: &str) -> String {
    let is_it = |one: &&LinkCandidate| one.node_id == node && one.name == name;
    let found = candidates.iter().find(is_it).expect(name);
    match &found.conversion {
        Ok(None) => "fits".to_owned(),
        Ok(Some(kind)) => (*kind).to_owned(),
        Err(error) => error.code().to_owned(),
    }
}

#[test]
fn every_end_has_a_conversion_or_a_reason() {
    let (document, ball) = document();
    let [length, minus] = ["Length", "Subtraction"].map(|kind| node(&document, ball, kind));
    let begin = document.function(ball).unwrap().begin().unwrap();
    let from = LinkStart::Port(minus, "result");
    let candidates = document.link_candidates(ball, from).unwrap();
    assert_eq!(check(&candidates, NodeId::END, "shape"), "fits");
    assert_eq!(check(&candidates, length, "A"), "cycle");
    assert!(candidates.iter().all(|one| one.node_id != minus));
    let from = LinkStart::Port(begin, "pos");
    let candidates = document.link_candidates(ball, from).unwrap();
    assert_eq!(check(&candidates, length, "A"), "fits");
    assert_eq!(check(&candidates, NodeId::END, "shape"), "DecomposeVector");
    let replaced = candidates.iter().find(|one| one.node_id == NodeId::END);
    assert_eq!(
        replaced.unwrap().replaces,
        Some((minus, "result".to_owned()))
    );
    let to = LinkStart::Parameter(length, "A");
    let candidates = document.link_candidates(ball, to).unwrap();
    assert_eq!(check(&candidates, begin, "pos"), "fits");
    assert_eq!(check(&candidates, minus, "result"), "cycle");
    let unknown = document.link_candidates(ball, LinkStart::Port(length, "none"));
    assert_eq!(unknown.unwrap_err().code(), "unknown_port");
}

#[test]
fn kinds_and_functions_are_candidates_by_their_types() {
    let (mut document, ball) = document();
    let part = expression::add_function(&mut document, "Part", "Ball(pos * 2)").unwrap();
    let length = node(&document, ball, "Length");
    let kinds = document
        .kind_candidates(ball, LinkStart::Port(length, "result"))
        .unwrap();
    let of = |name: &str| {
        let found = kinds
            .iter()
            .find(|(kind, _)| kind.name == name)
            .expect(name);
        found
            .1
            .as_ref()
            .map(|end| (end.name.as_str(), end.conversion))
    };
    assert_eq!(of("Addition"), Some(("A", None)));
    assert_eq!(of("Length"), Some(("A", Some("VectorFromScalar"))));
    assert_eq!(of("Resource"), None);
    assert!(kinds.iter().all(|(kind, _)| kind.name != "End"));
    let calls = document
        .call_candidates(ball, LinkStart::Port(length, "result"))
        .unwrap();
    assert_eq!(calls[0].0, part);
    assert_eq!(calls[0].1.as_ref().unwrap_err().code(), "recursive_call");
    let doubled = node(&document, part, "FunctionCall");
    let from = LinkStart::Port(doubled, "shape");
    let calls = document.call_candidates(part, from).unwrap();
    let end = calls[0].1.as_ref().unwrap().as_ref().unwrap();
    assert_eq!(
        (end.name.as_str(), end.conversion),
        ("pos", Some("VectorFromScalar"))
    );
}

#[test]
fn literals_become_inputs_once_for_each_node() {
    let mut document = Document::default();
    expression::add_function(&mut document, "Ball", "length(pos) - 5").unwrap();
    let text = "min(Ball(pos), Ball(pos - vec3(3, 0, 0)) * 2)";
    let part = expression::add_function(&mut document, "Part", text).unwrap();
    let (tape, literals) = Tape::tunable(&document, part, &Request::default()).unwrap();
    let names: Vec<&str> = tape.inputs().iter().map(|input| &*input.name).collect();
    assert_eq!(names[0], "pos");
    let fives = literals.iter().filter(|one| one.value == Value::Float(5.0));
    assert_eq!(fives.count(), 1, "{names:?}");
    let plain = Tape::new(&document, part).unwrap();
    for point in [[0.0; 3], [3.0, 1.0, 0.0], [9.0, -2.0, 4.0]] {
        let mut all = point.to_vec();
        all.extend(literals.iter().flat_map(|one| one.value.scalars().to_vec()));
        assert_eq!(tape.at(&all), plain.at(point));
        // Another radius needs no other tape.
        let mut scalars = point.to_vec();
        scalars.extend(literals.iter().flat_map(|one| match one.value {
            Value::Float(5.0) => vec![4.0],
            ref other => other.scalars().to_vec(),
        }));
        let larger = (tape.at(&scalars)[0] - plain.at(point)[0]).abs();
        assert!((1.0..=2.0).contains(&larger), "{larger}");
    }
}

#[test]
fn surfaces_of_one_version_only_are_coloured() {
    let mut document = Document::default();
    let mut tape = |name: &str, text: &str| {
        let id = expression::add_function(&mut document, name, text).unwrap();
        Tape::new(&document, id).unwrap()
    };
    let before = tape(
        "Before",
        "min(length(pos) - 5, length(pos - vec3(20, 0, 0)) - 2)",
    );
    let after = tape(
        "After",
        "min(length(pos) - 5, length(pos + vec3(20, 0, 0)) - 3)",
    );
    let changes = after.changes_since(&before, 1e-3);
    let none = [NO_COLOR; 3];
    for (x, expected) in [(5.0, none), (22.0, REMOVED), (-23.0, ADDED)] {
        let found = changes.at([x, 0.0, 0.0]);
        assert_eq!(found[0].to_bits(), 0);
        assert_eq!(found[1..], expected, "{x}");
    }
    assert_eq!(
        after.changes_since(&after, 1e-3).at([5.0, 0.0, 0.0])[1..],
        none
    );
}
