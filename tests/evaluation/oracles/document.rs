//! Meshes, lattices and images in documents: nodes ask them, and functions evaluate.

use fibula::eval::Tape;
use fibula::expression;
use fibula::graph::{
    Content, Document, FunctionData, FunctionId, ImageFunction, NodeData, NodeId, Resource,
};
use fibula::oracle::{Beam, BeamLattice, Channels, Image3d};
use fibula_nodes::{Filter, PortSpec, ResourceId, TileStyle, Type};

use super::shapes::{block, mesh};

/// The function `value(pos)` that is `port` of one node, and its tape's answer.
fn answer(document: &mut Document, node: NodeData, port: &str, at: [f64; 3]) -> f64 {
    let data = FunctionData {
        function_id: None,
        name: format!("f{}", document.functions().count()),
        inputs: vec![PortSpec::new("pos", Type::Float3)],
        outputs: vec![PortSpec::new("value", Type::Float)],
        nodes: vec![
            NodeData::new(NodeId(1), "Begin"),
            node,
            NodeData::new(NodeId::END, "End").link("value", NodeId(2), port),
        ],
    };
    let id = document.insert(&data).expect("it is a function");
    Tape::new(document, id).expect("it evaluates").at(at)[0]
}

fn node(kind: &str, resource: (&str, ResourceId), position: &str) -> NodeData {
    NodeData::new(NodeId(2), kind)
        .value(resource.0, resource.1.0)
        .link(position, NodeId(1), "pos")
}

fn add(document: &mut Document, content: impl Content + 'static) -> ResourceId {
    document.add(content).expect("there are ids left")
}

/// Red goes from 0 to 1 with the columns, green with the rows.
fn picture() -> Image3d {
    let samples = (0..16_u16).flat_map(|k| [k % 4, k / 4, 0].map(|step| step * 21845));
    Image3d::new([4, 4, 1], Channels::Rgb, samples.collect::<Vec<u16>>()).expect("sizes fit")
}

fn check(got: f64, expected: f64) {
    assert!((got - expected).abs() < 1e-14, "{got} is not {expected}");
}

#[test]
fn nodes_ask_meshes_and_lattices() {
    let mut document = Document::default();
    let cube = add(&mut document, mesh(block([-1.0; 3], [1.0; 3])));
    let beam = BeamLattice::new(
        vec![[0.0; 3], [9.0, 0.0, 0.0]],
        &[Beam::round([0, 1], 0.5)],
        &[],
    );
    let beam = add(&mut document, beam.expect("it is a lattice"));
    assert_eq!((cube, beam), (ResourceId(1), ResourceId(2)));
    let signed = node("SignedDistanceToMesh", ("mesh", cube), "pos");
    let distance = answer(&mut document, signed, "distance", [0.25, 0.0, 0.0]);
    check(distance, -0.75);
    let unsigned = node("UnsignedDistanceToMesh", ("mesh", cube), "pos");
    let distance = answer(&mut document, unsigned, "distance", [0.25, 0.0, 0.0]);
    check(distance, 0.75);
    let lattice = node("SignedDistanceToBeamLattice", ("beamlattice", beam), "pos");
    let lattice = lattice.value("accuraterange", 2.0);
    let distance = answer(&mut document, lattice, "distance", [4.0, 3.0, 4.0]);
    check(distance, 4.5);
}

#[test]
fn nodes_and_calls_ask_images() {
    let mut document = Document::default();
    let image = add(&mut document, picture());
    let nearest = node("ImageSampler", ("resourceid", image), "uvw").value("filter", 0);
    let alpha = answer(&mut document, nearest, "alpha", [0.4, 0.4, 0.5]);
    check(alpha, 1.0);
    let function = ResourceId(50);
    let called = ImageFunction {
        name: "height".to_owned(),
        image,
        scale: 6.0,
        offset: -1.0,
        filter: Filter::Linear,
        tiles: [TileStyle::Clamp, TileStyle::Mirror, TileStyle::None],
    };
    document
        .insert_resource(function, Resource::ImageFunction(called))
        .expect("the id is free");
    let mut call = |port: &str, at: [f64; 3]| {
        let call = node("FunctionCall", ("functionID", function), "pos");
        answer(&mut document, call, port, at)
    };
    // Half way between the middles of the first column and the last, and of the rows.
    check(call("red", [0.5, 0.5, 0.5]), 2.0);
    check(call("red", [-7.0, 0.5, 0.5]), -1.0);
    // Rows go down from the top, where v is 1.
    check(call("green", [0.5, 0.875, 0.5]), -1.0);
    check(call("green", [0.5, 1.875, 0.5]), 5.0);
    check(call("alpha", [0.5, 0.5, 0.5]), 5.0);
    // Outside there is nothing, times the scale, plus the offset.
    check(call("alpha", [0.5, 0.5, 1.5]), -1.0);
}

#[test]
fn expressions_ask_and_calls_share() {
    let mut document = Document::default();
    let cube = add(&mut document, mesh(block([-1.0; 3], [1.0; 3])));
    expression::add_function(&mut document, "cube", &format!("mesh({cube}, pos)")).unwrap();
    let text = "min(cube(pos), cube(pos - vec3(4, 0, 0))) - 0.25";
    let two: FunctionId = expression::add_function(&mut document, "two", text).unwrap();
    let tape = Tape::new(&document, two).unwrap();
    check(tape.at([2.0, 0.0, 0.0])[0], 0.75);
    check(tape.at([4.5, 0.0, 0.0])[0], -0.75);
    assert!(tape.at([f64::NAN, 0.0, 0.0])[0].is_nan());
}
