//! Links against a brute-force oracle: every overload of every node tried from the front, until nothing changes.

use std::collections::BTreeMap;

use crate::random::{KINDS, Seed, edit, new_function, seeds};
use fibula::edit::{Edit, FunctionEdit, LinkEdit, NodeEdit};
use fibula::graph::{Document, FunctionData, FunctionId, NodeId, Setting};
use fibula_nodes::{Signature, Type};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_shrink_iters: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn links_agree_with_a_brute_force_oracle(seeds in seeds(40), links in seeds(30)) {
        let mut document = Document::default();
        let id = FunctionId(1);
        let begin = FunctionData { function_id: Some(id), ..new_function(&Seed { verb: 0, a: 0, b: 0, c: 1, d: 0, flag: true }) };
        Edit::Function(FunctionEdit::Set(begin)).apply(&mut document).unwrap();
        for seed in &seeds {
            let kind = KINDS[seed.a as usize % 12].to_owned();
            let create = Edit::Node(NodeEdit::Create { function_id: id, node_type: kind, node_id: None, display_name: None, position: None, callee: None });
            create.apply(&mut document).unwrap();
        }
        for seed in &links {
            let wanted = edit(&document, &Seed { verb: 8, ..seed.clone() });
            let Edit::Link(LinkEdit::Create { source_node_id, source_port_name, target_node_id, target_parameter_name, replace, .. }) = &wanted
            else { continue };
            let wanted = Edit::Link(LinkEdit::Create {
                function_id: id,
                source_node_id: *source_node_id,
                source_port_name: source_port_name.clone(),
                target_node_id: *target_node_id,
                target_parameter_name: target_parameter_name.clone(),
                replace: *replace,
                insert_conversion: false,
            });
            let expected = oracle(&document, &wanted);
            let got = wanted.apply(&mut document);
            match (&expected, &got) {
                (Ok(types), Ok(_)) => prop_assert_eq!(types, &held_types(&document), "{:?}", wanted),
                (Err(codes), Err(error)) => prop_assert!(codes.contains(&error.code()), "{}: {:?}", error, codes),
                _ => prop_assert!(false, "{:?}: expected {:?}, got {:?}", wanted, expected, got),
            }
        }
    }
}

/// The types of every node's inputs and outputs.
type Types = BTreeMap<NodeId, (Vec<Type>, Vec<Type>)>;

fn held_types(document: &Document) -> Types {
    let function = document.function(FunctionId(1)).unwrap();
    let types = |node: fibula::graph::NodeView<'_>| {
        let rule = &node.signature().overloads[node.overload()];
        (node.id(), (rule.inputs.clone(), rule.outputs.clone()))
    };
    function.nodes().map(types).collect()
}

/// Expected outcome of a link: every node's types by trying all overloads from the front, or the codes that fit.
fn oracle(document: &Document, link: &Edit) -> Result<Types, Vec<&'static str>> {
    let Edit::Link(LinkEdit::Create {
        source_node_id,
        source_port_name,
        target_node_id,
        target_parameter_name,
        replace,
        ..
    }) = link
    else {
        unreachable!();
    };
    let function = document.function(FunctionId(1)).unwrap();
    let signatures: BTreeMap<NodeId, Signature> = function
        .nodes()
        .map(|node| (node.id(), node.signature().clone()))
        .collect();
    let (Some(from), Some(to)) = (
        signatures.get(source_node_id),
        signatures.get(target_node_id),
    ) else {
        return Err(vec!["unknown_node"]);
    };
    if !from.ports.iter().any(|port| port.name == *source_port_name) {
        return Err(vec!["unknown_port"]);
    }
    if !to
        .parameters
        .iter()
        .any(|parameter| parameter.name == *target_parameter_name)
    {
        return Err(vec!["unknown_parameter"]);
    }
    if source_node_id == target_node_id {
        return Err(vec!["self_link"]);
    }
    // (target, parameter) -> (source, port)
    let mut links: BTreeMap<(NodeId, String), (NodeId, String)> = BTreeMap::new();
    for node in function.nodes() {
        for (name, setting) in node.data().parameters {
            if let Setting::Source(source) = setting {
                links.insert((node.id(), name), (source.node_id, source.port));
            }
        }
    }
    let place = (*target_node_id, target_parameter_name.clone());
    if links.contains_key(&place) && !replace {
        return Err(vec!["already_linked"]);
    }
    links.insert(place, (*source_node_id, source_port_name.clone()));
    let mut reach = vec![*target_node_id];
    let mut next = 0;
    while let Some(&node) = reach.get(next) {
        next += 1;
        for ((target, _), (source, _)) in &links {
            if *source == node && !reach.contains(target) {
                reach.push(*target);
            }
        }
    }
    let closes = reach.contains(source_node_id);
    // Resolve until nothing changes: as long as the nodes are many.
    let mut rules: BTreeMap<NodeId, usize> = signatures.keys().map(|&id| (id, 0)).collect();
    let mut failed = false;
    for _ in 0..=signatures.len() {
        failed = false;
        for (&id, signature) in &signatures {
            let bound: Vec<Option<Type>> = signature
                .parameters
                .iter()
                .map(|parameter| {
                    let (source, port) = links.get(&(id, parameter.name.to_string()))?;
                    let from = &signatures[source];
                    let port = from.ports.iter().position(|held| held.name == *port)?;
                    Some(from.overloads[rules[source]].outputs[port])
                })
                .collect();
            let fit = signature.overloads.iter().position(|rule| {
                rule.inputs
                    .iter()
                    .zip(&bound)
                    .all(|(ty, bound)| bound.is_none_or(|b| b == *ty))
            });
            match fit {
                Some(rule) => drop(rules.insert(id, rule)),
                None => failed = true,
            }
        }
    }
    match (closes, failed) {
        (true, _) => Err(vec!["cycle", "type_mismatch", "no_overload"]),
        (false, true) => Err(vec!["type_mismatch", "no_overload"]),
        (false, false) => Ok(signatures
            .iter()
            .map(|(&id, signature)| {
                let rule = &signature.overloads[rules[&id]];
                (id, (rule.inputs.clone(), rule.outputs.clone()))
            })
            .collect()),
    }
}
