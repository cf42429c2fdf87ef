use super::{LONGEST, dot, mermaid};
use crate::expression;
use crate::graph::Document;

/// A function whose names and values have everything in them that either language might understand.
fn function() -> Document {
    let mut document = Document::default();
    let id = expression::add_function(
        &mut document,
        "a \"name\" <b> \\ %%{x}%% #;",
        "2.5 * x - length(pos)",
    );
    let id = id.expect("the expression is right");
    let mut data = document.function(id).expect("it was added").data();
    for node in &mut data.nodes {
        if node.node_type == "Subtraction" {
            node.display_name = Some(format!("\"<i>&]|{}", "long".repeat(LONGEST)));
        }
    }
    let mut changed = Document::default();
    changed
        .insert(&data)
        .expect("it is as before but for a name");
    changed
}

#[test]
fn every_node_value_and_link_is_drawn() {
    let document = function();
    let function = document.functions().next().expect("there is one");
    insta::assert_snapshot!("dot", dot(function));
    insta::assert_snapshot!("mermaid", mermaid(function));
}
