//! The pretty printer: converts a function to the text of an expression.
//!
//! It prints no redundant parentheses. Constants with a display name are bound to it. Other nodes that are used more than
//! once or nested deeply are bound to names: their display names if they have one.

use super::callee::SymbolTable;
use super::default_output;
use super::plan::PrintPlan;
use super::writer::{ExpressionWriter, quoted};
use crate::graph::{Document, FunctionId, GraphError, NodeId, NodeLabel};

/// Error returned when a function cannot be printed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "fields are named for what they hold")]
pub enum PrintError {
    /// There is no such function.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// A parameter is unset.
    #[error("{parameter} of {node} has neither a link nor a value; link it or set it")]
    Unset { node: NodeLabel, parameter: String },
    /// The function has no output.
    #[error("function {0} has no output; add one")]
    NoOutput(FunctionId),
}

/// Prints a function as an expression, one statement per line. Parsed with the function's inputs as `arguments`, it
/// gives the same values, bit for bit. Nodes that no output needs are omitted.
///
/// # Errors
/// [`PrintError`].
pub fn print(document: &Document, function: FunctionId) -> Result<String, PrintError> {
    let function = document.function(function)?;
    let symbols = SymbolTable::new(document);
    let plan = PrintPlan::new(function, &symbols)?;
    let mut writer = ExpressionWriter::new(&plan, &symbols);
    for (place, planned) in plan.planned.iter().enumerate() {
        if let Some(name) = &planned.name {
            writer.text.push_str("let ");
            writer.text.push_str(&quoted(name));
            writer.text.push_str(" = ");
            writer.write_bound(place);
            writer.text.push_str(";\n");
        }
    }
    let end = function.node(NodeId::END)?;
    let outputs = &end.signature().parameters;
    for (index, output) in outputs.iter().enumerate() {
        if index > 0 {
            writer.text.push_str(";\n");
        }
        if outputs.len() > 1 || output.name != default_output(end.parameter_type(index)) {
            writer.text.push_str(&quoted(&output.name));
            writer.text.push_str(" = ");
        }
        writer.write_value(plan.source(end, index));
    }
    match outputs.len() {
        0 => Err(PrintError::NoOutput(function.id())),
        _ => Ok(writer.text),
    }
}

#[cfg(test)]
mod tests {
    use fibula_nodes::{InputDetails, PortSpec, Type, Value};

    use super::*;
    use crate::expression::fixtures::for_each_case;
    use crate::expression::{Request, add_function, function};
    use crate::graph::{FunctionData, NodeData};

    /// Checks the printed form of a text, and that it parses to a function of the same nodes and the same printed form.
    fn check(text: &str, expected: &str) {
        let mut document = Document::default();
        for (name, text) in [
            ("Sphere", "length(pos) - r"),
            ("Two parts", "x = pos; color = pos"),
            ("length", "pos"),
            ("twin", "pos"),
            ("twin", "pos + pos"),
        ] {
            add_function(&mut document, name, text).unwrap();
        }
        let request = |text: &str, arguments| Request {
            arguments,
            ..Request::new("f", text)
        };
        let data = function(&document, &request(text, None)).unwrap_or_else(|e| panic!("{e}"));
        let id = document.insert(&data).unwrap();
        let printed = print(&document, id).unwrap();
        assert_eq!(printed, expected, "{text}");
        let again = function(&document, &request(&printed, Some(data.inputs.clone())));
        let again = again.unwrap_or_else(|error| panic!("{error}"));
        let kinds = |data: &FunctionData| {
            let mut kinds: Vec<_> = data.nodes.iter().map(|n| n.node_type.clone()).collect();
            kinds.sort();
            kinds
        };
        assert_eq!(kinds(&again), kinds(&data), "{text}");
        let id = document.insert(&again).unwrap();
        assert_eq!(print(&document, id).unwrap(), printed, "{text}");
    }

    #[test]
    fn texts_are_printed_as_in_the_cases() {
        assert_eq!(for_each_case(include_str!("printed.txt"), check), 74);
    }

    fn function_data(inputs: Vec<PortSpec>, nodes: Vec<NodeData>) -> FunctionData {
        FunctionData {
            function_id: None,
            name: "f".to_owned(),
            inputs,
            outputs: vec![PortSpec::new("shape", Type::Float)],
            nodes,
        }
    }

    #[test]
    fn a_port_that_is_called_like_a_component_is_written_out() {
        let mut document = Document::default();
        add_function(&mut document, "f", "x = pos").unwrap();
        let id = add_function(&mut document, "g", "f(pos).x.x + f(pos).x.y").unwrap();
        let text = print(&document, id).unwrap();
        assert_eq!(text, "let f1 = f(pos);\nf1.x.x + f1.x.y");
    }

    /// Defaults that apply are not printed as values, which would keep them when the defaults change.
    #[test]
    fn arguments_after_a_default_are_named() {
        let mut document = Document::default();
        let with_default = |name: &str, value| {
            let details = InputDetails {
                default: Some(Value::Float(value)),
                ..InputDetails::default()
            };
            PortSpec::new(name, Type::Float).with_details(details)
        };
        let inputs = vec![
            PortSpec::new("pos", Type::Float3),
            with_default("r", 4.0),
            with_default("s", 1.0),
        ];
        let ball = Request {
            arguments: Some(inputs),
            ..Request::new("Ball", "length(pos) - r * s")
        };
        let ball = function(&document, &ball).unwrap();
        document.insert(&ball).unwrap();
        for text in [
            "Ball(pos, s = 2)",
            "Ball(pos)",
            "Ball(pos, 3)",
            "Ball(pos, 3, 2)",
        ] {
            let id = add_function(&mut document, "F", text).unwrap();
            assert_eq!(print(&document, id).unwrap(), text);
        }
    }

    #[test]
    fn a_deep_function_is_divided() {
        let mut document = Document::default();
        let mut nodes = vec![NodeData::new(NodeId(1), "Begin")];
        for id in 2..10_000 {
            let source = if id == 2 { "a" } else { "result" };
            nodes.push(NodeData::new(NodeId(id), "Sine").link("A", NodeId(id - 1), source));
        }
        nodes.push(NodeData::new(NodeId::END, "End").link("shape", NodeId(9_999), "result"));
        let data = function_data(vec![PortSpec::new("a", Type::Float)], nodes);
        let id = document.insert(&data).unwrap();
        let text = print(&document, id).unwrap();
        assert!(text.lines().count() > 90);
        let again = add_function(&mut document, "g", &text).unwrap();
        assert_eq!(document.function(again).unwrap().node_count(), 9_998);
    }

    #[test]
    fn display_names_are_kept_and_literals_of_parameters_too() {
        let mut document = Document::default();
        let data = function_data(
            vec![PortSpec::new("a", Type::Float)],
            vec![
                NodeData::new(NodeId(1), "Begin"),
                NodeData {
                    display_name: Some("wall thickness".to_owned()),
                    ..NodeData::new(NodeId(2), "Addition")
                        .link("A", NodeId(1), "a")
                        .value("B", -1)
                },
                NodeData {
                    display_name: Some("sin".to_owned()),
                    ..NodeData::new(NodeId(3), "Multiplication")
                        .link("A", NodeId(2), "result")
                        .link("B", NodeId(2), "result")
                },
                NodeData::new(NodeId(4), "Division")
                    .link("A", NodeId(3), "result")
                    .link("B", NodeId(3), "result"),
                NodeData::new(NodeId::END, "End").link("shape", NodeId(4), "result"),
            ],
        );
        let id = document.insert(&data).unwrap();
        assert_eq!(
            print(&document, id).unwrap(),
            "let wall_thickness = a + -1;\nlet sin1 = wall_thickness*wall_thickness;\nsin1/sin1",
        );
    }

    #[test]
    fn an_unfinished_function_has_no_text() {
        let mut document = Document::default();
        let data = function_data(
            vec![],
            vec![
                NodeData::new(NodeId(1), "Sine"),
                NodeData::new(NodeId::END, "End").link("shape", NodeId(1), "result"),
            ],
        );
        let id = document.insert(&data).unwrap();
        let error = print(&document, id).unwrap_err().to_string();
        assert_eq!(
            error,
            "A of node 1 (Sine) has neither a link nor a value; link it or set it"
        );
        let empty = FunctionData {
            outputs: vec![],
            nodes: vec![],
            ..data
        };
        let id = document.insert(&empty).unwrap();
        assert_eq!(print(&document, id), Err(PrintError::NoOutput(id)));
        assert!(print(&document, FunctionId(99)).is_err());
    }
}
