//! Random edits: seeds of numbers, and the edit that a seed means for a document.

mod knowledge;
mod model;

use fibula::edit::{Edit, FunctionEdit, LinkEdit, NodeEdit, PortEdit, ResourceEdit};
use fibula::graph::{
    ContentHash, Document, File, Function, FunctionData, FunctionId, ImageFunction, NodeId, Side,
};
use fibula_nodes::{
    Filter, FunctionType, InputDetails, PortSpec, ResourceId, TileStyle, Type, Value,
};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

/// Seed of an edit; numbers are reduced to what there is, so that most edits make sense.
#[derive(Debug, Clone)]
pub(crate) struct Seed {
    pub(crate) verb: u8,
    pub(crate) a: u8,
    pub(crate) b: u8,
    pub(crate) c: u8,
    pub(crate) d: u8,
    pub(crate) flag: bool,
}

/// Up to so many seeds.
pub(crate) fn seeds(most: usize) -> impl Strategy<Value = Vec<Seed>> {
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

/// The kinds of the nodes that are made; the first twelve refer to nothing.
pub(crate) const KINDS: [&str; 17] = [
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
pub(crate) fn edit(document: &Document, seed: &Seed) -> Edit {
    let functions: Vec<FunctionId> = document.functions().map(Function::id).collect();
    let pick = |number: u8| functions[number as usize % functions.len()];
    if functions.is_empty() {
        return Edit::Function(FunctionEdit::Set(new_function(seed)));
    }
    if seed.verb >= 224 {
        return Edit::Knowledge(knowledge::edit(document, seed));
    }
    if seed.verb >= 192 {
        return Edit::Model(model::edit(document, seed));
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
        0..=6 => Edit::Node(NodeEdit::Create {
            function_id,
            node_type: KINDS[seed.a as usize % KINDS.len()].to_owned(),
            node_id: seed
                .b
                .is_multiple_of(8)
                .then_some(NodeId(u32::from(seed.c % 12))),
            display_name: seed.b.is_multiple_of(5).then(|| format!("n{}", seed.c)),
            position: seed.flag.then_some([f64::from(seed.b), f64::from(seed.c)]),
            callee: None,
        }),
        7..=15 => {
            let (from, to) = (node(seed.a), node(seed.b));
            Edit::Link(LinkEdit::Create {
                function_id,
                source_node_id: from,
                source_port_name: port(from, seed.c),
                target_node_id: to,
                target_parameter_name: parameter(to, seed.c.wrapping_mul(31).wrapping_add(seed.d)),
                replace: seed.flag,
                insert_conversion: seed.verb.is_multiple_of(2),
            })
        }
        16 | 17 => {
            let to = node(seed.a);
            Edit::Link(LinkEdit::Delete {
                function_id,
                target_node_id: to,
                target_parameter_name: parameter(to, seed.b),
            })
        }
        18..=21 => {
            let to = node(seed.a);
            Edit::Link(LinkEdit::SetValue {
                function_id,
                node_id: to,
                parameter_name: parameter(to, seed.b),
                value: literal(seed, &functions),
            })
        }
        22 | 23 => Edit::Node(NodeEdit::Delete {
            function_id,
            node_id: node(seed.a),
        }),
        24 => Edit::Port(PortEdit::Add {
            function_id,
            side,
            name: port_name(seed.a),
            ty,
            index: seed.b.is_multiple_of(2).then_some(seed.b as usize % 3),
            begin_id: None,
            default: seed
                .flag
                .then(|| literal(seed, &functions))
                .filter(|_| seed.d.is_multiple_of(2)),
            unit: seed.d.is_multiple_of(3).then(|| "mm".to_owned()),
            min: seed.d.is_multiple_of(5).then_some(-1.0),
            max: seed.d.is_multiple_of(7).then_some(f64::from(seed.b) / 4.0),
        }),
        25 => match seed.b % 4 {
            0 => Edit::Port(PortEdit::Remove {
                function_id,
                side,
                name: own_port(seed.a),
            }),
            1 => Edit::Port(PortEdit::Rename {
                function_id,
                side,
                name: own_port(seed.a),
                new_name: port_name(seed.c),
            }),
            2 => Edit::Port(PortEdit::Retype {
                function_id,
                side,
                name: own_port(seed.a),
                ty: seed.d.is_multiple_of(2).then_some(ty),
                default: match seed.d % 3 {
                    0 => None,
                    1 => Some(None),
                    _ => Some(Some(literal(seed, &functions))),
                },
                unit: seed
                    .flag
                    .then(|| seed.c.is_multiple_of(2).then(|| "mm".to_owned())),
                min: seed.c.is_multiple_of(3).then(|| seed.flag.then_some(0.5)),
                max: seed
                    .c
                    .is_multiple_of(5)
                    .then(|| seed.flag.then_some(f64::from(seed.d) / 8.0)),
            }),
            _ => Edit::Port(PortEdit::Move {
                function_id,
                side,
                name: own_port(seed.a),
                index: seed.c as usize % 3,
            }),
        },
        26 => Edit::Function(FunctionEdit::Set(new_function(seed))),
        27 => match seed.b % 4 {
            0 => Edit::Function(FunctionEdit::Delete { function_id }),
            1 => Edit::Function(FunctionEdit::Rename {
                function_id,
                name: format!("f{}", seed.a),
            }),
            2 => Edit::Node(NodeEdit::Rename {
                function_id,
                node_id: node(seed.a),
                display_name: seed.flag.then(|| format!("n{}", seed.c)),
            }),
            _ => Edit::Node(NodeEdit::Move {
                function_id,
                node_id: node(seed.a),
                position: seed.flag.then_some([f64::from(seed.c), 0.0]),
            }),
        },
        29 if seed.flag => Edit::Resource(ResourceEdit::AddImageFunction {
            resource_id: ResourceId(u32::from(seed.a % 12)),
            image: ImageFunction {
                name: "picture".to_owned(),
                image: ResourceId(u32::from(seed.b % 12)),
                scale: 1.0,
                offset: 0.0,
                filter: Filter::Linear,
                tiles: [TileStyle::Wrap; 3],
            },
        }),
        29 => Edit::Resource(ResourceEdit::RemoveImageFunction {
            resource_id: ResourceId(u32::from(seed.a % 12)),
        }),
        31 if seed.c.is_multiple_of(4) => Edit::Resource(ResourceEdit::AddFile {
            resource_id: seed.flag.then_some(ResourceId(u32::from(seed.a % 12))),
            file: File {
                name: if seed.b.is_multiple_of(8) {
                    ""
                } else {
                    "part.stl"
                }
                .to_owned(),
                media_type: "model/stl".to_owned(),
                size: u64::from(seed.d) << 40,
                content: ContentHash::digest(&[seed.b]),
            },
        }),
        31 if seed.c % 4 == 1 => {
            let mut resources = document.resources().map(|(id, _)| id);
            let count = resources.len().max(1);
            let id = resources.nth(seed.a as usize % count);
            Edit::Resource(ResourceEdit::RemoveFile {
                resource_id: id.unwrap_or(ResourceId(7)),
            })
        }
        30 if seed.flag => Edit::Node(NodeEdit::SetCallee {
            function_id,
            node_id: node(seed.a),
            callee: FunctionType {
                inputs: vec![PortSpec::new(port_name(seed.b), ty).with_details(
                    if ty == Type::Float {
                        details(seed)
                    } else {
                        InputDetails::default()
                    },
                )],
                outputs: vec![PortSpec::new("shape", Type::Float)],
            },
        }),
        28 => Edit::Node(NodeEdit::SetOverload {
            function_id,
            node_id: node(seed.a),
            overload: seed.b as usize % 4,
        }),
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

/// Valid details of a float.
fn details(seed: &Seed) -> InputDetails {
    InputDetails {
        default: seed
            .a
            .is_multiple_of(2)
            .then_some(Value::Float((f64::from(seed.b) / 8.0).clamp(1.0, 24.0))),
        unit: seed.a.is_multiple_of(3).then(|| "mm".to_owned()),
        min: seed.a.is_multiple_of(5).then_some(1.0),
        max: seed.a.is_multiple_of(7).then_some(24.0),
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

/// A function without nodes.
pub(crate) fn new_function(seed: &Seed) -> FunctionData {
    FunctionData {
        function_id: seed
            .c
            .is_multiple_of(3)
            .then_some(FunctionId(u32::from(seed.c % 9) + 1)),
        name: format!("f{}", seed.a),
        inputs: if seed.flag {
            let size = PortSpec::new("size", Type::Float).with_details(details(seed));
            let inputs = vec![PortSpec::new("pos", Type::Float3), size];
            inputs
                .into_iter()
                .take(1 + usize::from(seed.d.is_multiple_of(2)))
                .collect()
        } else {
            Vec::new()
        },
        outputs: vec![PortSpec::new("shape", Type::Float)],
        nodes: Vec::new(),
    }
}
