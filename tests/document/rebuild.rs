//! Laws of rebuilding: nodes that a new version of a function still has keep their ids.

use fibula::edit::{Edit, FunctionEdit};
use fibula::expression;
use fibula::graph::{Document, Function, FunctionData, NodeData, NodeId, Setting};
use fibula::refactor::{match_nodes, renumber};
use proptest::prelude::*;

use crate::expression::{any_formula, built};

/// A function that replaces another, renumbered.
fn rebuilt(document: &Document, before: &Function, mut data: FunctionData) -> Function {
    data.function_id = Some(before.id());
    let new = document.build(&data).unwrap();
    renumber(&mut data, Some(before), &new, |_| false).unwrap();
    document.build(&data).unwrap()
}

fn without_positions(function: &Function) -> Vec<NodeData> {
    let nodes = function.nodes().map(|node| NodeData {
        position: None,
        ..node.data()
    });
    nodes.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn node_ids_survive_a_rebuild(formula in any_formula(), other in any_formula(), place in 0..20_usize) {
        let mut document = Document::default();
        let mut old = built(&document, &formula.text(false));
        // Ids in another order than those of the expression.
        let moved = |id: NodeId| if id == NodeId::END { id } else { NodeId(1000 - id.0) };
        for node in &mut old.nodes {
            node.node_id = node.node_id.map(moved);
            for setting in node.parameters.values_mut() {
                if let Setting::Source(source) = setting {
                    source.node_id = moved(source.node_id);
                }
            }
        }
        let id = document.insert(&old).unwrap();
        let before = document.function(id).unwrap().clone();
        let printed = expression::print(&document, id).unwrap();
        let again = rebuilt(&document, &before, built(&document, &printed));
        prop_assert_eq!(without_positions(&again), without_positions(&before), "{}", printed);

        // Another value of a constant.
        let mut changed = before.data();
        let mut constants = changed.nodes.iter_mut().filter(|node| node.node_type == "ConstantScalar");
        if let Some(constant) = constants.by_ref().nth(place) {
            constant.parameters.insert("value".to_owned(), Setting::Value(12_345.678.into()));
            drop(constants);
            Edit::Function(FunctionEdit::Set(changed)).apply(&mut document).unwrap();
            let printed = expression::print(&document, id).unwrap();
            let again = rebuilt(&document, &before, built(&document, &printed));
            let expected = document.function(id).unwrap();
            prop_assert_eq!(without_positions(&again), without_positions(expected), "{}", printed);
        }

        // Another function: a node has an old id only if it corresponds to the old node.
        let new = built(&document, &other.text(false));
        let as_built = document.build(&new).unwrap();
        let matches = match_nodes(&before, &as_built);
        let renumbered = rebuilt(&document, &before, new.clone());
        for (fresh, node) in new.nodes.iter().map(|node| (node.node_id.unwrap(), node)) {
            let kept = matches.get(&fresh);
            if let Some(kept) = kept {
                let kind = before.node(*kept).unwrap().kind().info().name;
                prop_assert_eq!(kind, &node.node_type);
            }
        }
        let known = before.node_ids();
        let kept = renumbered.node_ids().into_iter().filter(|id| known.contains(id));
        prop_assert_eq!(kept.count(), matches.len());
    }
}
