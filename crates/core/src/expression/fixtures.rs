//! A project with functions to call, and a short notation of functions, for tests.

use fibula_nodes::{PortSpec, Type};

use super::{Request, add_function, function};
use crate::eval::Tape;
use crate::graph::{Document, NodeData, Setting};

/// A project of five functions: `Sphere`, `Two parts`, one called like a kind, and two of one name.
pub(super) fn project() -> Document {
    let mut document = Document::default();
    let argument = |name: &str, ty| PortSpec::new(name, ty);
    let sphere = Request {
        arguments: Some(vec![
            argument("pos", Type::Float3),
            argument("radius", Type::Float),
        ]),
        ..Request::new("Sphere", "length(pos) - radius")
    };
    document
        .insert(&function(&document, &sphere).unwrap())
        .unwrap();
    let texts = [
        ("Two parts", "shape = pos.x; color = pos"),
        ("Length", "x"),
        ("twin", "x"),
        ("twin", "y"),
    ];
    for (name, text) in texts {
        add_function(&mut document, name, text).unwrap();
    }
    document
}

/// Tape of the function of a text.
pub(super) fn tape(text: &str) -> Tape {
    let mut document = Document::default();
    let id = add_function(&mut document, "f", text);
    let id = id.unwrap_or_else(|error| panic!("{text}: {error}"));
    Tape::new(&document, id).unwrap()
}

/// The error of a text that is refused.
pub(super) fn refusal(text: &str) -> String {
    let refused = add_function(&mut Document::default(), "f", text);
    refused.unwrap_err().to_string()
}

/// Fails if a text is not refused with what stands beside it.
pub(super) fn assert_refused(cases: &[(&str, &str)]) {
    for (text, message) in cases {
        let refused = refusal(text);
        assert!(refused.contains(message), "{text}: {refused}");
    }
}

/// Nodes of the function of a text, one per line as `id Kind(parameter=value, parameter=id.port) name`, or its error.
pub(super) fn describe(text: &str) -> String {
    let request = Request::new("f", text);
    let document = project();
    let data = match function(&document, &request) {
        Ok(data) => data,
        Err(error) => return error.to_string(),
    };
    document
        .build(&data)
        .unwrap_or_else(|error| panic!("{text}: {error}"));
    let node = |node: &NodeData| {
        let parameters = node.parameters.iter().map(|(name, setting)| match setting {
            Setting::Value(value) => format!("{name}={value}"),
            Setting::Source(source) => format!("{name}={}.{}", source.node_id, source.port),
        });
        let id = node.node_id.unwrap();
        let parameters: Vec<String> = parameters.collect();
        let name = node.display_name.iter().map(|name| format!(" {name}"));
        let name: String = name.collect();
        format!("{id} {}({}){name}", node.node_type, parameters.join(", "))
    };
    data.nodes.iter().map(node).collect::<Vec<_>>().join("\n")
}

pub(super) fn check(text: &str, expected: &str) {
    assert_eq!(describe(text), expected, "{text}");
}

/// Calls `check` with each text of a file of cases and its result; returns the number of texts.
pub(super) fn for_each_case(cases: &str, check: fn(&str, &str)) -> usize {
    let mut count = 0;
    for case in cases.split("\n\n").filter(|case| case.starts_with("> ")) {
        let texts = case.lines().map_while(|line| line.strip_prefix("> "));
        let result = case.lines().skip_while(|line| line.starts_with("> "));
        let expected = result.collect::<Vec<_>>().join("\n");
        for text in texts {
            check(text, &expected);
            count += 1;
        }
    }
    count
}
