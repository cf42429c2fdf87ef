//! The pretty printer: converts a function to the text of an expression.
//!
//! It prints no redundant parentheses. Nodes that are used more than once or nested deeply are bound to names: their
//! display names if they have one.

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

/// Prints a function as an expression, one statement per line. Parsed with the function's inputs as `arguments`, it gives
/// the same values, bit for bit. Nodes that no output needs are omitted.
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
            writer.text.push_str(name);
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
    use fibula_nodes::{PortSpec, Type};

    use super::*;
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
            ("twin", "pos"),
        ] {
            add_function(&mut document, name, text).unwrap();
        }
        let request = |text: &str, arguments| Request {
            name: "f".to_owned(),
            expression: text.to_owned(),
            arguments,
            outputs: None,
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
    fn parentheses_stand_only_where_they_must() {
        for (text, expected) in [
            ("((a))", "a"),
            ("(a*b)+c", "a*b + c"),
            ("a*(b+c)", "a*(b + c)"),
            ("(a+b)+c", "a + b + c"),
            ("a+(b+c)", "a + (b + c)"),
            ("a-(b-c)", "a - (b - c)"),
            ("(a-b)-c", "a - b - c"),
            ("a/(b*c)", "a/(b*c)"),
            ("(a/b)*c", "a/b*c"),
            ("(a^b)^c", "(a^b)^c"),
            ("a^(b^c)", "a^b^c"),
            ("-(a^2)", "-a^2"),
            ("(-a)^2", "(-a)^2"),
            ("(-2)^a", "(-2)^a"),
            ("2^(-a)", "2^-a"),
            ("(-a)*b", "-a*b"),
            ("-(a*b)", "-(a*b)"),
            ("-(-a)", "-(-a)"),
            ("a - -2", "a - -2"),
            ("a*(-2)", "a*-2"),
            ("a*(a<b?1:2)", "a*(a < b ? 1 : 2)"),
            ("a<b?1:(b<c?2:3)", "a < b ? 1 : b < c ? 2 : 3"),
            ("(a<b?1:2) < c ? 3 : 4", "(a < b ? 1 : 2) < c ? 3 : 4"),
            ("a > 1 ? 2 : 3", "a > 1 ? 2 : 3"),
            ("sin((a+b))", "sin(a + b)"),
            ("(pos + a).x", "(pos + a).x"),
            ("min((a), (b))", "min(a, b)"),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn literals_are_the_shortest_that_read_as_the_same() {
        for (text, expected) in [
            ("1.50", "1.5"),
            ("a*-0", "a*-0"),
            ("a*1e21", "a*1e21"),
            ("a*0.0000001", "a*1e-7"),
            ("a*0.1", "a*0.1"),
            ("a*5e-324", "a*5e-324"),
            ("a*pi - e", "a*pi - e"),
            ("a*-pi", "a*-pi"),
            ("vec3(1, -2, pi)", "vec3(1, -2, pi)"),
            ("pi = a*pi", "pi = a*3.141592653589793"),
            ("`e`*2.718281828459045", "e*2.718281828459045"),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn numbers_among_vectors_need_no_conversion() {
        for (text, expected) in [
            ("pos*2", "pos*2"),
            ("splat(2)*pos", "2*pos"),
            ("splat(2)*splat(a)", "splat(2)*a"),
            ("splat(a + 1)", "splat(a + 1)"),
            ("splat(a)*splat(a)", "splat(a)*a"),
            (
                "splat(a).x + length(splat(a))",
                "splat(a).x + length(splat(a))",
            ),
            ("clamp(pos, 0, splat(1))", "clamp(pos, 0, 1)"),
            ("a < b ? pos : 0", "a < b ? pos : 0"),
            ("cross(pos, splat(1))", "cross(pos, splat(1))"),
            ("-pos", "-pos"),
            ("splat(pos.x)*pos", "pos.x*pos"),
            ("splat(splat(pos.x).y).z", "splat(splat(pos.x).y).z"),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn what_is_used_again_is_named() {
        for (text, expected) in [
            ("(a+b)*(a+b)", "let addition1 = a + b;\naddition1*addition1"),
            (
                "sin(pos).x*sin(pos).y",
                "let sine1 = sin(pos);\nsine1.x*sine1.y",
            ),
            (
                "addition1 + (a+b)*(a+b)",
                "let addition2 = a + b;\naddition1 + addition2*addition2",
            ),
            (
                "shape = length(pos); color = pos*shape",
                "let length1 = length(pos);\nshape = length1;\ncolor = pos*length1",
            ),
            (
                "Sphere(pos, 1)^Sphere(pos, 1)",
                "let sphere1 = Sphere(pos, 1);\nsphere1^sphere1",
            ),
            (
                "`Two parts`(pos).x + `Two parts`(pos).color",
                "let two_parts1 = `Two parts`(pos);\ntwo_parts1.x + two_parts1.color",
            ),
            (
                "log10(a)*log10(a)",
                "let log10_1 = log10(a);\nlog10_1*log10_1",
            ),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn names_find_what_they_name() {
        for (text, expected) in [
            ("`length`(pos)", "`length`(pos)"),
            ("call(4, pos)", "call(4, pos)"),
            ("`a-b`*`let` + `a``b`", "`a-b`*`let` + `a``b`"),
            ("`the shape` = a", "`the shape` = a"),
            (
                "gradient(Sphere, pos, 1).magnitude",
                "functiongradient(Sphere, pos, 1).magnitude",
            ),
            (
                "gradient(Sphere, 0.1, \"shape\", \"\", pos, 1).gradient.x",
                "functiongradient(Sphere, 0.1, \"shape\", \"\", pos, 1).gradient.x",
            ),
            (
                "Sphere = normalizedistance(Sphere, pos, 1)",
                "Sphere = normalizedistance(1, pos, 1)",
            ),
            (
                "decomposematrix(matrixfromrows(pos, pos, pos, pos)).m30",
                "decomposematrix(matrixfromrows(pos, pos, pos, pos)).m30",
            ),
            ("imagesampler(pos, 7).color", "imagesampler(pos, 7).color"),
            (
                "imagesampler(pos, 7, 0, 1).alpha",
                "imagesampler(pos, 7, 0, 1).alpha",
            ),
            ("vec3(a, 1, 2)", "vec3(a, 1, 2)"),
            ("composevector(1, 2, 3)", "composevector(1, 2, 3)"),
            ("result = a", "result = a"),
        ] {
            check(text, expected);
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

    #[test]
    fn a_deep_function_is_divided() {
        let mut document = Document::default();
        let mut nodes = vec![NodeData::new(NodeId(1), "Begin")];
        for id in 2..10_000 {
            let source = if id == 2 { "a" } else { "result" };
            nodes.push(NodeData::new(NodeId(id), "Sine").link("A", NodeId(id - 1), source));
        }
        nodes.push(NodeData::new(NodeId::END, "End").link("shape", NodeId(9_999), "result"));
        let data = FunctionData {
            function_id: None,
            name: "f".to_owned(),
            inputs: vec![PortSpec::new("a", Type::Float)],
            outputs: vec![PortSpec::new("shape", Type::Float)],
            nodes,
        };
        let id = document.insert(&data).unwrap();
        let text = print(&document, id).unwrap();
        assert!(text.lines().count() > 90);
        let again = add_function(&mut document, "g", &text).unwrap();
        assert_eq!(document.function(again).unwrap().node_count(), 9_998);
    }

    #[test]
    fn display_names_are_kept_and_literals_of_parameters_too() {
        let mut document = Document::default();
        let data = FunctionData {
            function_id: None,
            name: "f".to_owned(),
            inputs: vec![PortSpec::new("a", Type::Float)],
            outputs: vec![PortSpec::new("shape", Type::Float)],
            nodes: vec![
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
        };
        let id = document.insert(&data).unwrap();
        assert_eq!(
            print(&document, id).unwrap(),
            "let wall_thickness = a + -1;\nlet sin1 = wall_thickness*wall_thickness;\nsin1/sin1",
        );
    }

    #[test]
    fn an_unfinished_function_has_no_text() {
        let mut document = Document::default();
        let data = FunctionData {
            function_id: None,
            name: "f".to_owned(),
            inputs: vec![],
            outputs: vec![PortSpec::new("shape", Type::Float)],
            nodes: vec![
                NodeData::new(NodeId(1), "Sine"),
                NodeData::new(NodeId::END, "End").link("shape", NodeId(1), "result"),
            ],
        };
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
