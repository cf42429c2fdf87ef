//! The first workflow of an agent, through the library: a function that adds two numbers, node by node.
//!
//! `cargo run --example adder`

use fibula::eval::{Tape, trace};
use fibula::expression;
use fibula::graph::{Document, NodeId};
use fibula::nodes::Type;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut document = Document::default();
    let adder = document.create_function("MyAdder", &[], &[("shape", Type::Float)])?;

    let five = document.create_node(adder, "ConstantScalar")?;
    let ten = document.create_node(adder, "ConstantScalar")?;
    document.set_value(adder, (five, "Value"), 5.0)?;
    document.set_value(adder, (ten, "Value"), 10.0)?;
    let sum = document.create_node(adder, "Addition")?;
    document.link(adder, (five, "Value"), (sum, "A"))?;
    document.link(adder, (ten, "Value"), (sum, "B"))?;
    document.link(adder, (sum, "Result"), (NodeId::END, "Shape"))?;

    println!("expression:  {}", expression::print(&document, adder)?);
    println!("value:       {:?}", Tape::new(&document, adder)?.at([]));
    for node in trace(&document, adder, &[])?.nodes {
        println!("  {}: {:?}", node.node, node.outputs);
    }

    // Links are checked. A refusal names the reason and changes nothing.
    let cycle = document.create_node(adder, "Addition")?;
    document.link(adder, (sum, "Result"), (cycle, "A"))?;
    let refused = document.link(adder, (cycle, "Result"), (cycle, "B"));
    println!("refused:     {}", refused.unwrap_err());
    let vector = document.create_node(adder, "ConstantVector")?;
    let refused = document.link(adder, (vector, "Vector"), (cycle, "B"));
    println!("refused:     {}", refused.unwrap_err());
    Ok(())
}
