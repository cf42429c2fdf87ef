use fibula_core::expression;
use fibula_core::graph::{Document, NodeData, NodeId};
use fibula_nodes::{PortSpec, Type};

use super::{LONGEST, dot, mermaid};

/// A function whose names and values have all characters that are special in either language.
fn function() -> Document {
    let mut document = Document::default();
    let name = "a \"name\" <b> &lt; \\ %%{x}%% #;";
    let request = expression::Request {
        name: name.to_owned(),
        expression: "2.5 * x - length(pos) + `a\"<|b`".to_owned(),
        arguments: Some(vec![
            PortSpec::new("pos", Type::Float3),
            PortSpec::new("a\"<|b", Type::Float),
        ]),
        outputs: None,
    };
    let mut data = expression::function(&document, &request).expect("the expression is right");
    for node in &mut data.nodes {
        if node.node_type == "Subtraction" {
            node.display_name = Some(format!("\"<i>&]|{}", "long".repeat(LONGEST)));
        }
    }
    let text = NodeData::new(NodeId(40), "FunctionGradient").value("scalaroutput", "\"</td>&|");
    data.nodes.push(text);
    document.insert(&data).expect("it is a function");
    document
}

#[test]
fn every_node_value_and_link_is_written() {
    let document = function();
    let function = document.functions().next().expect("there is one");
    insta::assert_snapshot!("dot", dot(function));
    insta::assert_snapshot!("mermaid", mermaid(function));
}
