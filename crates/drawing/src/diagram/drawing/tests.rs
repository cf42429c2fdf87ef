use std::ops::ControlFlow;

use fibula_core::expression;
use fibula_core::graph::{NodeData, NodeId};
use fibula_nodes::{PortSpec, Type};

use super::*;

fn drawn(document: &Document) -> Scene {
    let function = document.functions().last().expect("there is one");
    draw(document, function, &mut || ControlFlow::Continue(())).expect("it is small")
}

fn function(document: &mut Document, name: &str, text: &str, arguments: Vec<PortSpec>) {
    let request = expression::Request {
        name: name.to_owned(),
        expression: text.to_owned(),
        arguments: Some(arguments),
        outputs: None,
    };
    let data = expression::function(document, &request).expect("the expression is right");
    document.insert(&data).expect("it is a function");
}

/// All texts of elements; asserts that the file is well-formed XML.
fn texts(svg: &str) -> Vec<String> {
    let mut reader = quick_xml::Reader::from_str(svg);
    let (mut open, mut texts) = (Vec::new(), Vec::new());
    let mut text = String::new();
    loop {
        match reader.read_event().expect("it is XML") {
            quick_xml::events::Event::Start(tag) => {
                for attribute in tag.attributes() {
                    attribute.expect("an attribute");
                }
                open.push(tag.name().as_ref().to_owned());
                text.clear();
            }
            quick_xml::events::Event::End(tag) => {
                assert_eq!(open.pop().as_deref(), Some(tag.name().as_ref()));
                texts.push(std::mem::take(&mut text));
            }
            quick_xml::events::Event::Text(part) => text.push_str(&part),
            quick_xml::events::Event::GeneralRef(name) => {
                text.push_str(match &*name {
                    "amp" => "&",
                    "lt" => "<",
                    "gt" => ">",
                    "quot" => "\"",
                    other => panic!("&{other};"),
                });
            }
            quick_xml::events::Event::Eof => break,
            _ => {}
        }
    }
    assert!(open.is_empty());
    texts
}

#[test]
fn a_small_function_is_drawn() {
    let mut document = Document::default();
    function(
        &mut document,
        "shell",
        "abs(length(pos) - radius) - 0.25",
        vec![
            PortSpec::new("pos", Type::Float3),
            PortSpec::new("radius", Type::Float),
        ],
    );
    insta::assert_snapshot!("svg", drawn(&document).svg());
}

#[test]
fn hostile_names_are_escaped() {
    let mut document = Document::default();
    let hostile = "]]><script>alert('&amp;\")</script>\u{5d0}\u{5d1}ẞ漢字<!--";
    let worse = format!("{hostile}\u{202e}\u{0}\u{1b}\u{ffff}\u{200b}\n\t");
    let argument = "a\"<|b&\u{5d0}\u{5d1}";
    let text = format!("2.5 * x - length(pos) + `{argument}`");
    let arguments = vec![
        PortSpec::new("pos", Type::Float3),
        PortSpec::new(argument, Type::Float),
    ];
    let request = expression::Request {
        name: "a <b> \"&lt;".to_owned(),
        expression: text,
        arguments: Some(arguments),
        outputs: None,
    };
    let mut data = expression::function(&document, &request).expect("the expression is right");
    for (number, node) in data.nodes.iter_mut().enumerate() {
        node.display_name = Some(hostile.repeat(1 + 3 * (number % 2)));
    }
    let text = NodeData::new(NodeId(40), "FunctionGradient").value("scalaroutput", worse.as_str());
    data.nodes.push(text);
    document.insert(&data).expect("it is a function");
    let drawing = drawn(&document);
    let texts = texts(&drawing.svg());
    let has = |part: &str| texts.iter().any(|text| text.contains(part));
    assert!(has("a\"<|b&"), "{texts:?}");
    assert!(has("<script>alert"));
    let wrong = |c: char| c.is_control() && c != '\n' || matches!(c, '\u{202e}' | '\u{ffff}');
    assert!(texts.iter().all(|text| !text.contains(wrong)), "{texts:?}");
    assert!(texts.iter().any(|text| text == "needs a value"));
    // No text is wider than the picture.
    let [max_width, _] = drawing.size.map(f64::from);
    for shape in drawing.groups.iter().flat_map(|group| &group.shapes) {
        if let Shape::Text {
            at, width, text, ..
        } = shape
        {
            assert!(at[0] + width <= max_width, "{text}");
            assert!(*width <= 80.0 * LETTER, "{text}");
        }
    }
}

#[test]
fn every_port_has_a_disc_and_every_link_ends_at_two() {
    let mut document = Document::default();
    function(
        &mut document,
        "f",
        "let q = abs(pos) - 2; length(max(q, splat(0))) + min(max(q.x, max(q.y, q.z)), 0)",
        vec![PortSpec::new("pos", Type::Float3)],
    );
    let drawing = drawn(&document);
    let function = document.functions().next().expect("there is one");
    let (mut discs, mut ends, mut sides, mut ports) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for shape in drawing.groups.iter().flat_map(|group| &group.shapes) {
        match shape {
            Shape::Disc { at, .. } => discs.push(*at),
            Shape::Path {
                segments, stroke, ..
            } if stroke.colour != WHITE => {
                ends.extend(segments.last().map(|segment| segment.end()));
            }
            Shape::Panel { at, size, .. } => sides.push((at[0], at[1]..at[1] + size[1])),
            Shape::Path { .. } | Shape::Plate { .. } | Shape::Text { .. } => {}
        }
    }
    for node in function.nodes() {
        ports += node.signature().parameters.len() + node.signature().ports.len();
    }
    let legend = 3;
    assert_eq!(discs.len(), ports + legend);
    let is_input = |disc: &[f64; 2]| {
        let mut sides = sides.iter();
        sides.any(|(left, range)| (left - disc[0]).abs() < 1e-9 && range.contains(&disc[1]))
    };
    let inputs = discs.iter().filter(|disc| is_input(disc));
    let reached = inputs.filter(|disc| ends.contains(disc)).count();
    assert_eq!(reached, function.link_count());
}

#[test]
fn calls_are_headed_by_their_functions() {
    let mut document = Document::default();
    let pos = || vec![PortSpec::new("pos", Type::Float3)];
    function(&mut document, "ball", "length(pos) - 3", pos());
    function(&mut document, "part", "ball(pos * 2)", pos());
    let texts = texts(&drawn(&document).svg());
    assert!(texts.iter().any(|text| text == "ball"), "{texts:?}");
    assert!(texts.iter().any(|text| text == "FunctionCall"), "{texts:?}");
}
