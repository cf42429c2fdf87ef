//! The first workflow of an agent, through the library: a function that adds two numbers, node by node.
//!
//! `cargo run --example adder`

use fibula::edit::{Edit, LinkEdit, NodeEdit};
use fibula::eval::{Tape, trace};
use fibula::expression;
use fibula::graph::{Document, FunctionId, NodeId};
use serde_json::json;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut document = Document::default();
    // A bare constant leaves the output as a literal, so the function begins empty.
    let adder = expression::add_function(&mut document, "MyAdder", "0")?;

    let five = create(&mut document, adder, "ConstantScalar")?;
    let ten = create(&mut document, adder, "ConstantScalar")?;
    set(&mut document, adder, five, 5.0)?;
    set(&mut document, adder, ten, 10.0)?;
    let sum = create(&mut document, adder, "Addition")?;
    link(&mut document, adder, (five, "Value"), (sum, "A"))?;
    link(&mut document, adder, (ten, "Value"), (sum, "B"))?;
    link(
        &mut document,
        adder,
        (sum, "Result"),
        (NodeId::END, "Shape"),
    )?;

    println!(
        "as an expression:  {}",
        expression::print(&document, adder)?
    );
    println!(
        "its value:         {:?}",
        Tape::new(&document, adder)?.at([])
    );
    for node in trace(&document, adder, &[])?.nodes {
        println!("  {}: {:?}", node.node, node.outputs);
    }

    // Links are checked. A refusal says what is in the way, and changes nothing.
    let refused = link(&mut document, adder, (sum, "Result"), (sum, "A")).unwrap_err();
    println!("refused:           {refused}");
    let vector = create(&mut document, adder, "ConstantVector")?;
    let refused = link(
        &mut document,
        adder,
        (vector, "Vector"),
        (NodeId::END, "Shape"),
    )
    .unwrap_err();
    println!("refused:           {refused}");
    Ok(())
}

fn create(
    document: &mut Document,
    function_id: FunctionId,
    node_type: &str,
) -> Result<NodeId, Box<dyn std::error::Error>> {
    let edit = Edit::Node(NodeEdit::Create {
        function_id,
        node_type: node_type.to_owned(),
        node_id: None,
        display_name: None,
        position: None,
        callee: None,
    });
    let change = edit.apply(document)?;
    Ok(change.node_id.ok_or("a node was created")?)
}

fn set(
    document: &mut Document,
    function_id: FunctionId,
    node_id: NodeId,
    value: f64,
) -> Result<(), Box<dyn std::error::Error>> {
    let parameter_name = "Value".to_owned();
    let edit = Edit::Link(LinkEdit::SetValue {
        function_id,
        node_id,
        parameter_name,
        value: json!(value),
    });
    edit.apply(document)?;
    Ok(())
}

fn link(
    document: &mut Document,
    function_id: FunctionId,
    (source_node_id, port): (NodeId, &str),
    (target_node_id, parameter): (NodeId, &str),
) -> Result<(), Box<dyn std::error::Error>> {
    let edit = Edit::Link(LinkEdit::Create {
        function_id,
        source_node_id,
        source_port_name: port.to_owned(),
        target_node_id,
        target_parameter_name: parameter.to_owned(),
        replace: true,
        insert_conversion: false,
    });
    edit.apply(document)?;
    Ok(())
}
