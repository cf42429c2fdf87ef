//! Laws of edits, over random edits, against plain models.
//!
//! After every edit: what is held is valid by a check that is written here a second time, the plain way; a refusal
//! has changed nothing; the inverse leads back; the facts, replayed from the beginning, lead to the same document.

use std::collections::{BTreeMap, BTreeSet};

use fibula::edit::{Change, Edit, History, Origin, check};
use fibula::graph::{
    Document, FunctionData, FunctionId, ImageFunction, NodeData, NodeId, Setting, Side,
};
use fibula_nodes::{
    Filter, FunctionType, PortSpec, ResourceId, Signature, TileStyle, Type, catalogue,
};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

/// Every function of a document, written out.
fn written(document: &Document) -> (Vec<FunctionData>, Vec<String>) {
    let functions = document
        .functions()
        .map(fibula::graph::Function::data)
        .collect();
    let resources = document
        .resources()
        .map(|resource| format!("{resource:?}"))
        .collect();
    (functions, resources)
}

const CODES: [&str; 21] = [
    "unknown_function",
    "unknown_node",
    "unknown_node_type",
    "unknown_port",
    "unknown_parameter",
    "type_mismatch",
    "no_overload",
    "self_link",
    "cycle",
    "already_linked",
    "recursive_call",
    "resource_kind_mismatch",
    "parameter_linked",
    "invalid_value",
    "duplicate_id",
    "protected_node",
    "in_use",
    "invalid_name",
    "not_linked",
    "too_large",
    "unknown_resource",
];

/// What an edit is made of; numbers are reduced to what there is, so that most edits make sense.
#[derive(Debug, Clone)]
struct Seed {
    verb: u8,
    a: u8,
    b: u8,
    c: u8,
    d: u8,
    flag: bool,
}

fn seeds(most: usize) -> impl Strategy<Value = Vec<Seed>> {
    let seed = (
        any::<u8>(),
        any::<u8>(),
        any::<u8>(),
        any::<u8>(),
        any::<u8>(),
        any::<bool>(),
    )
        .prop_map(|(verb, a, b, c, d, flag)| Seed {
            verb,
            a,
            b,
            c,
            d,
            flag,
        });
    prop::collection::vec(seed, 1..most)
}

const KINDS: [&str; 17] = [
    "ConstantScalar",
    "ConstantVector",
    "Addition",
    "Sine",
    "Select",
    "Clamp",
    "DotProduct",
    "DecomposeVector",
    "VectorFromScalar",
    "MatrixVectorMultiplication",
    "ComposeMatrixFromRows",
    "Length",
    "Resource",
    "FunctionCall",
    "FunctionGradient",
    "SignedDistanceToMesh",
    "NormalizeDistanceField",
];

/// The edit that a seed means for this document.
#[expect(clippy::too_many_lines, reason = "one arm for each edit")]
fn edit(document: &Document, seed: &Seed) -> Edit {
    let functions: Vec<FunctionId> = document
        .functions()
        .map(fibula::graph::Function::id)
        .collect();
    let pick = |number: u8| functions[number as usize % functions.len()];
    if functions.is_empty() {
        return Edit::SetFunction(new_function(seed));
    }
    let function_id = pick(seed.d);
    let function = document.function(function_id).unwrap();
    let ids = function.node_ids();
    let node = |number: u8| {
        if number == 255 {
            NodeId(9999)
        } else {
            ids[number as usize % ids.len()]
        }
    };
    let signature = |id: NodeId| function.node(id).map(|node| node.signature().clone());
    let parameter = |id: NodeId, number: u8| match signature(id) {
        Ok(signature) if number != 255 && !signature.parameters.is_empty() => signature.parameters
            [number as usize % signature.parameters.len()]
        .name
        .to_string(),
        Ok(_) | Err(_) => "nowhere".to_owned(),
    };
    let port = |id: NodeId, number: u8| match signature(id) {
        Ok(signature) if number != 255 && !signature.ports.is_empty() => signature.ports
            [number as usize % signature.ports.len()]
        .name
        .to_string(),
        Ok(_) | Err(_) => "nowhere".to_owned(),
    };
    let side = if seed.flag { Side::Input } else { Side::Output };
    let own_port = |number: u8| {
        let ports = match side {
            Side::Input => function.inputs(),
            Side::Output => function.outputs(),
        };
        match ports.len() {
            0 => "nothing".to_owned(),
            count => ports[number as usize % count].name.clone(),
        }
    };
    let ty = Type::ALL[seed.c as usize % 6];
    match seed.verb % 32 {
        0..=6 => Edit::CreateNode {
            function_id,
            node_type: KINDS[seed.a as usize % KINDS.len()].to_owned(),
            node_id: seed
                .b
                .is_multiple_of(8)
                .then_some(NodeId(u32::from(seed.c % 12))),
            display_name: seed.b.is_multiple_of(5).then(|| format!("n{}", seed.c)),
            position: seed.flag.then_some([f64::from(seed.b), f64::from(seed.c)]),
            callee: None,
        },
        7..=15 => {
            let (from, to) = (node(seed.a), node(seed.b));
            Edit::CreateLink {
                function_id,
                source_node_id: from,
                source_port_name: port(from, seed.c),
                target_node_id: to,
                target_parameter_name: parameter(to, seed.c.wrapping_mul(31).wrapping_add(seed.d)),
                replace: seed.flag,
                insert_conversion: seed.verb.is_multiple_of(2),
            }
        }
        16 | 17 => {
            let to = node(seed.a);
            Edit::DeleteLink {
                function_id,
                target_node_id: to,
                target_parameter_name: parameter(to, seed.b),
            }
        }
        18..=21 => {
            let to = node(seed.a);
            Edit::SetParameterValue {
                function_id,
                node_id: to,
                parameter_name: parameter(to, seed.b),
                value: literal(seed, &functions),
            }
        }
        22 | 23 => Edit::DeleteNode {
            function_id,
            node_id: node(seed.a),
        },
        24 => Edit::AddPort {
            function_id,
            side,
            name: port_name(seed.a),
            ty,
            index: seed.b.is_multiple_of(2).then_some(seed.b as usize % 3),
            begin_id: None,
        },
        25 => match seed.b % 4 {
            0 => Edit::RemovePort {
                function_id,
                side,
                name: own_port(seed.a),
            },
            1 => Edit::RenamePort {
                function_id,
                side,
                name: own_port(seed.a),
                new_name: port_name(seed.c),
            },
            2 => Edit::RetypePort {
                function_id,
                side,
                name: own_port(seed.a),
                ty,
            },
            _ => Edit::MovePort {
                function_id,
                side,
                name: own_port(seed.a),
                index: seed.c as usize % 3,
            },
        },
        26 => Edit::SetFunction(new_function(seed)),
        27 => match seed.b % 4 {
            0 => Edit::DeleteFunction { function_id },
            1 => Edit::RenameFunction {
                function_id,
                name: format!("f{}", seed.a),
            },
            2 => Edit::RenameNode {
                function_id,
                node_id: node(seed.a),
                display_name: seed.flag.then(|| format!("n{}", seed.c)),
            },
            _ => Edit::MoveNode {
                function_id,
                node_id: node(seed.a),
                position: seed.flag.then_some([f64::from(seed.c), 0.0]),
            },
        },
        29 if seed.flag => Edit::AddImageFunction {
            resource_id: ResourceId(u32::from(seed.a % 12)),
            image: ImageFunction {
                name: "picture".to_owned(),
                image: ResourceId(u32::from(seed.b % 12)),
                scale: 1.0,
                offset: 0.0,
                filter: Filter::Linear,
                tiles: [TileStyle::Wrap; 3],
            },
        },
        29 => Edit::RemoveImageFunction {
            resource_id: ResourceId(u32::from(seed.a % 12)),
        },
        30 if seed.flag => Edit::SetCallee {
            function_id,
            node_id: node(seed.a),
            callee: FunctionType {
                inputs: vec![PortSpec::new(port_name(seed.b), ty)],
                outputs: vec![PortSpec::new("shape", Type::Float)],
            },
        },
        28 => Edit::SetOverload {
            function_id,
            node_id: node(seed.a),
            overload: seed.b as usize % 4,
        },
        _ => {
            let one_of = |verb: u8| {
                edit(
                    document,
                    &Seed {
                        verb,
                        ..seed.clone()
                    },
                )
            };
            Edit::Batch(vec![
                one_of(seed.a % 24),
                one_of(seed.b % 24),
                one_of(seed.c % 24),
            ])
        }
    }
}

fn port_name(number: u8) -> String {
    match number % 9 {
        6 => "step".to_owned(),
        7 => "FUNCTIONID".to_owned(),
        8 => "pos".to_owned(),
        number => format!("p{number}"),
    }
}

fn literal(seed: &Seed, functions: &[FunctionId]) -> Json {
    match seed.c % 9 {
        0 => json!(null),
        1 | 2 => json!(f64::from(seed.d) / 8.0),
        3 => json!([1, 2, seed.d]),
        4 => json!([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]),
        5 => json!(["text", "pos", "shape", ""][seed.d as usize % 4]),
        6 => json!(functions[seed.a as usize % functions.len()]),
        // Perhaps nothing has this id yet.
        7 => json!(seed.a % 12),
        _ => json!(2.5),
    }
}

fn new_function(seed: &Seed) -> FunctionData {
    FunctionData {
        function_id: seed
            .c
            .is_multiple_of(3)
            .then_some(FunctionId(u32::from(seed.c % 9) + 1)),
        name: format!("f{}", seed.a),
        inputs: if seed.flag {
            vec![PortSpec::new("pos", Type::Float3)]
        } else {
            Vec::new()
        },
        outputs: vec![PortSpec::new("shape", Type::Float)],
        nodes: Vec::new(),
    }
}

/// A document with calls, a gradient and references, so that random edits meet them.
fn start() -> Document {
    let mut document = Document::default();
    let pos = json!([{"name": "pos", "type": "float3"}]);
    let node = |kind: &str| json!({"create_node": {"function_id": 2, "node_type": kind}});
    let link = |source: u32, port: &str, target: u32, parameter: &str| {
        json!({"create_link": {
            "function_id": 2, "source_node_id": source, "source_port_name": port,
            "target_node_id": target, "target_parameter_name": parameter,
        }})
    };
    let set = |node: u32, parameter: &str, value: Json| {
        json!({"set_parameter_value": {
            "function_id": 2, "node_id": node, "parameter_name": parameter, "value": value,
        }})
    };
    for edit in [
        function(1, &pos),
        function(2, &pos),
        node("Resource"),
        set(2, "resourceid", json!(1)),
        node("FunctionCall"),
        link(2, "value", 3, "functionID"),
        link(1, "pos", 3, "pos"),
        node("FunctionGradient"),
        set(4, "functionID", json!(1)),
        set(4, "vectorinput", json!("pos")),
        link(1, "pos", 4, "pos"),
        node("Addition"),
        link(3, "shape", 5, "A"),
        link(4, "magnitude", 5, "B"),
        link(5, "result", 0, "shape"),
        node("SignedDistanceToMesh"),
        set(6, "mesh", json!(5)),
    ] {
        let edit: Edit = serde_json::from_value(edit).unwrap();
        edit.apply(&mut document).unwrap();
    }
    document
}

/// Why a document is not valid, by the plain rules.
fn fault(document: &Document) -> Option<String> {
    document.functions().find_map(|function| {
        let nodes: BTreeMap<NodeId, NodeData> = function
            .nodes()
            .map(|node| (node.id(), node.data()))
            .collect();
        let signatures: BTreeMap<NodeId, (Signature, usize)> = function
            .nodes()
            .map(|node| (node.id(), (node.signature().clone(), node.overload())))
            .collect();
        for (id, node) in &nodes {
            let (signature, rule) = &signatures[id];
            for (name, setting) in &node.parameters {
                let Some(place) = signature.parameters.iter().position(|p| p.name == *name) else {
                    return Some(format!("{id} has no parameter {name}"));
                };
                let wants = signature.rules[*rule].inputs[place];
                let gets = match setting {
                    Setting::Value(json) => match fibula_nodes::Value::from_json(wants, json) {
                        Ok(value) => value.ty(),
                        Err(error) => return Some(format!("{id}.{name}: {error}")),
                    },
                    Setting::Source(source) => {
                        let Some((from, from_rule)) = signatures.get(&source.node_id) else {
                            return Some(format!("{id}.{name} comes from nowhere"));
                        };
                        let Some(port) = from.ports.iter().position(|p| p.name == source.port)
                        else {
                            return Some(format!("{id}.{name} comes from no port"));
                        };
                        from.rules[*from_rule].outputs[port]
                    }
                };
                if wants != gets {
                    return Some(format!("{id}.{name} takes {wants}, gets {gets}"));
                }
            }
        }
        if cyclic(&nodes) {
            return Some("a cycle".to_owned());
        }
        let begins = nodes
            .values()
            .filter(|node| node.node_type == "Begin")
            .count();
        if begins != usize::from(!function.inputs().is_empty()) {
            return Some(format!("{begins} Begins"));
        }
        if nodes[&NodeId::END].node_type != "End" {
            return Some("no End".to_owned());
        }
        let rebuilt = document.build(&function.data());
        match rebuilt {
            Ok(rebuilt) if rebuilt.data() == function.data() => None,
            Ok(rebuilt) => Some(format!("{:?} became {:?}", function.data(), rebuilt.data())),
            Err(error) => Some(format!("it cannot be built again: {error}")),
        }
    })
}

fn sources(node: &NodeData) -> impl Iterator<Item = NodeId> {
    node.parameters
        .values()
        .filter_map(|setting| match setting {
            Setting::Source(source) => Some(source.node_id),
            Setting::Value(_) => None,
        })
}

/// Takes away nodes without sources until none is left, or only a cycle.
fn cyclic(nodes: &BTreeMap<NodeId, NodeData>) -> bool {
    let mut left: BTreeSet<NodeId> = nodes.keys().copied().collect();
    while let Some(&free) = left
        .iter()
        .find(|id| !sources(&nodes[id]).any(|source| left.contains(&source)))
    {
        left.remove(&free);
    }
    !left.is_empty()
}

fn origin() -> Origin {
    Origin {
        client: "test".to_owned(),
        tool: "proptest".to_owned(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_shrink_iters: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn random_edits_keep_every_law(seeds in seeds(60), empty in any::<bool>()) {
        let mut document = if empty { Document::default() } else { start() };
        let mut replayed = document.clone();
        let mut history = History::default();
        let mut states = vec![written(&document)];
        for seed in &seeds {
            let edit = edit(&document, seed);
            let before = written(&document);
            match check(&document, &edit) {
                Err(error) => {
                    prop_assert!(CODES.contains(&error.code()), "{}", error.code());
                    prop_assert!(!error.to_string().is_empty());
                    prop_assert_eq!(&written(&document), &before, "a refusal changed something");
                }
                Ok(checked) => {
                    let inverse = checked.inverse().clone();
                    history.apply(&mut document, checked, None, origin(), 0);
                    let fault = fault(&document);
                    prop_assert!(fault.is_none(), "{:?} after {:?}", fault, edit);
                    let mut back = document.clone();
                    let undone = inverse.apply(&mut back);
                    prop_assert!(undone.is_ok(), "{:?}: {:?} of {:?}", undone, inverse, edit);
                    prop_assert_eq!(&written(&back), &before, "{:?} is no inverse of {:?}", inverse, edit);
                    states.push(written(&document));
                }
            }
        }
        // Facts survive serialisation, and replaying them gives the same document.
        for entry in history.entries() {
            let text = serde_json::to_string(&entry.edit).unwrap();
            let facts: Edit = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(&facts, &entry.edit);
            let change = facts.apply(&mut replayed);
            prop_assert!(change.is_ok(), "{:?}", change);
        }
        prop_assert_eq!(&written(&replayed), states.last().unwrap());
        // Undo of everything and redo of everything pass through every state.
        for state in states.iter().rev().skip(1) {
            let undone = history.undo(&mut document, origin(), 0).map(|entry| entry.revision);
            prop_assert!(undone.is_ok(), "{:?}", undone);
            prop_assert_eq!(&written(&document), state);
        }
        prop_assert!(history.undo(&mut document, origin(), 0).is_err());
        for state in states.iter().skip(1) {
            history.redo(&mut document, origin(), 0).unwrap();
            prop_assert_eq!(&written(&document), state);
        }
        prop_assert!(history.redo(&mut document, origin(), 0).is_err());
    }

    #[test]
    fn links_agree_with_a_brute_force_oracle(seeds in seeds(40), links in seeds(30)) {
        let mut document = Document::default();
        let id = FunctionId(1);
        let begin = FunctionData { function_id: Some(id), ..new_function(&Seed { verb: 0, a: 0, b: 0, c: 1, d: 0, flag: true }) };
        Edit::SetFunction(begin).apply(&mut document).unwrap();
        for seed in &seeds {
            let kind = KINDS[seed.a as usize % 12].to_owned();
            let create = Edit::CreateNode { function_id: id, node_type: kind, node_id: None, display_name: None, position: None, callee: None };
            create.apply(&mut document).unwrap();
        }
        for seed in &links {
            let wanted = edit(&document, &Seed { verb: 8, ..seed.clone() });
            let Edit::CreateLink { source_node_id, source_port_name, target_node_id, target_parameter_name, replace, .. } = &wanted
            else { continue };
            let wanted = Edit::CreateLink {
                function_id: id,
                source_node_id: *source_node_id,
                source_port_name: source_port_name.clone(),
                target_node_id: *target_node_id,
                target_parameter_name: target_parameter_name.clone(),
                replace: *replace,
                insert_conversion: false,
            };
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
        let rule = &node.signature().rules[node.overload()];
        (node.id(), (rule.inputs.clone(), rule.outputs.clone()))
    };
    function.nodes().map(types).collect()
}

/// What should come of a link: every node's types by trying all overloads from the front, or the codes that fit.
fn oracle(document: &Document, link: &Edit) -> Result<Types, Vec<&'static str>> {
    let Edit::CreateLink {
        source_node_id,
        source_port_name,
        target_node_id,
        target_parameter_name,
        replace,
        ..
    } = link
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
                    Some(from.rules[rules[source]].outputs[port])
                })
                .collect();
            let fit = signature.rules.iter().position(|rule| {
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
                let rule = &signature.rules[rules[&id]];
                (id, (rule.inputs.clone(), rule.outputs.clone()))
            })
            .collect()),
    }
}

/// A document with one function without inputs, and what edits give.
fn scratch(edits: &[Json]) -> (Document, Vec<Result<Change, String>>) {
    let mut document = Document::default();
    let results = edits
        .iter()
        .map(|json| {
            let edit: Edit = serde_json::from_value(json.clone()).unwrap();
            edit.apply(&mut document)
                .map_err(|error| format!("{}: {error}", error.code()))
        })
        .collect();
    (document, results)
}

fn create(kind: &str) -> Json {
    json!({"create_node": {"function_id": 1, "node_type": kind}})
}

fn link(source: u32, port: &str, target: u32, parameter: &str) -> Json {
    json!({"create_link": {
        "function_id": 1, "source_node_id": source, "source_port_name": port,
        "target_node_id": target, "target_parameter_name": parameter,
    }})
}

fn function(id: u32, inputs: &Json) -> Json {
    json!({"set_function": {
        "function_id": id, "name": format!("f{id}"), "inputs": inputs,
        "outputs": [{"name": "shape", "type": "float"}],
    }})
}

#[test]
fn refusals_say_what_is_true_and_what_to_do() {
    let pos = json!([{"name": "pos", "type": "float3"}]);
    let call = |id: u32, node: u32, callee: u32| json!({"set_parameter_value": {"function_id": id, "node_id": node, "parameter_name": "functionID", "value": callee}});
    let (_, results) = scratch(&[
        function(1, &pos),
        create("ConstantScalar"),
        create("Sin"),
        create("Adition"),
        create("Begin"),
        create("DotProduct"),
        create("Addition"),
        create("Addition"),
        link(2, "Value", 3, "a"),
        link(2, "valu", 3, "A"),
        link(2, "value", 3, "C"),
        link(2, "value", 4, "A"),
        link(1, "pos", 5, "A"),
        link(2, "value", 5, "B"),
        link(5, "result", 6, "A"),
        link(5, "result", 0, "shape"),
        link(6, "result", 5, "B"),
        link(6, "result", 6, "B"),
        link(3, "result", 5, "A"),
        link(7, "result", 0, "shape"),
        json!({"delete_node": {"function_id": 1, "node_id": 0}}),
        json!({"delete_link": {"function_id": 1, "target_node_id": 6, "target_parameter_name": "B"}}),
        json!({"set_parameter_value": {"function_id": 1, "node_id": 6, "parameter_name": "A", "value": 3}}),
        json!({"set_parameter_value": {"function_id": 1, "node_id": 6, "parameter_name": "B", "value": 3}}),
        json!({"set_parameter_value": {"function_id": 1, "node_id": 2, "parameter_name": "value", "value": "x"}}),
        json!({"create_node": {"function_id": 1, "node_type": "Sine", "node_id": 3}}),
        json!({"create_node": {"function_id": 1, "node_type": "Sine", "display_name": ""}}),
        json!({"create_node": {"function_id": 1, "node_type": "Sine", "display_name": "a\u{200b}b"}}),
        json!({"create_node": {"function_id": 4, "node_type": "Sine"}}),
        function(2, &pos),
        create("FunctionCall"),
        call(1, 7, 9),
        call(1, 7, 1),
        call(1, 7, 2),
        json!({"create_node": {"function_id": 2, "node_type": "FunctionCall"}}),
        call(2, 2, 1),
        json!({"delete_function": {"function_id": 2}}),
        json!({"create_node": {"function_id": 1, "node_type": "SignedDistanceToMesh"}}),
        json!({"set_parameter_value": {"function_id": 1, "node_id": 8, "parameter_name": "mesh", "value": 2}}),
        link(1, "pos", 7, "pos"),
        json!({"remove_port": {"function_id": 2, "side": "input", "name": "pos"}}),
        json!({"retype_port": {"function_id": 1, "side": "input", "name": "pos", "type": "float"}}),
        json!({"add_port": {"function_id": 1, "side": "output", "name": "shape", "type": "float"}}),
        json!({"set_overload": {"function_id": 1, "node_id": 5, "overload": 0}}),
    ]);
    let texts: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    insta::assert_snapshot!(texts.join("\n"));
}

#[test]
fn a_conversion_is_put_between_when_asked() {
    let mut wanted = link(1, "value", 2, "A");
    wanted["create_link"]["insert_conversion"] = json!(true);
    let (document, results) = scratch(&[
        function(1, &json!([])),
        create("ConstantScalar"),
        create("Length"),
        wanted,
    ]);
    assert_eq!(results[3].as_ref().unwrap().conversion, Some(NodeId(3)));
    let function = document.function(FunctionId(1)).unwrap();
    assert_eq!(
        function.node(NodeId(3)).unwrap().kind().about().name,
        "VectorFromScalar"
    );
    assert_eq!(function.link_count(), 2);
}

#[test]
fn calls_follow_what_they_call() {
    let pos = json!([{"name": "pos", "type": "float3"}, {"name": "radius", "type": "float"}]);
    let (document, results) = scratch(&[
        function(1, &pos),
        function(2, &pos),
        create("Resource"),
        create("FunctionCall"),
        link(2, "value", 3, "functionID"),
        json!({"set_parameter_value": {"function_id": 1, "node_id": 2, "parameter_name": "resourceid", "value": 2}}),
        link(1, "pos", 3, "pos"),
        link(1, "radius", 3, "radius"),
        link(3, "shape", 0, "shape"),
        json!({"rename_port": {"function_id": 2, "side": "input", "name": "radius", "new_name": "r"}}),
        json!({"move_port": {"function_id": 2, "side": "input", "name": "r", "index": 0}}),
        json!({"rename_port": {"function_id": 2, "side": "output", "name": "shape", "new_name": "distance"}}),
        json!({"add_port": {"function_id": 2, "side": "input", "name": "k", "type": "matrix"}}),
    ]);
    assert!(results.iter().all(Result::is_ok), "{results:#?}");
    let function = document.function(FunctionId(1)).unwrap();
    let data = function.node(NodeId(3)).unwrap().data();
    let names: Vec<_> = data.parameters.keys().map(String::as_str).collect();
    assert_eq!(names, ["functionID", "pos", "r"]);
    let end = function.node(NodeId::END).unwrap().data();
    assert_eq!(
        serde_json::to_value(&end.parameters["shape"]).unwrap()["source"]["port"],
        "distance"
    );
    assert!(catalogue::kind("FunctionCall").is_ok());
}
