//! Every kind with every overload.

use fibula::format::threemf::{Dialect, WriteOptions};
use fibula::graph::model::{Body, MeshBody, ModelResource, Object};
use fibula::graph::{ContentHash, Document, FunctionData, FunctionId, NodeData, NodeId, Setting};
use fibula_nodes::{About, Family, PortSpec, ResourceId, Signature, Type, Value, catalogue};
use serde_json::json;

use super::{check_functions, written, xml};

const DIALECTS: [Dialect; 2] = [Dialect::Lib3mf, Dialect::Specification];

/// The function that calls refer to.
const CALLEE: FunctionId = FunctionId(5);

fn callee() -> FunctionData {
    let end = NodeData::new(NodeId::END, "End")
        .link("a b", NodeId(2), "result")
        .link("color", NodeId(1), "from here");
    FunctionData {
        function_id: Some(CALLEE),
        name: "ball <&\"> 'of' Größe".to_owned(),
        inputs: vec![
            PortSpec::new("from here", Type::Float3),
            PortSpec::new("radius", Type::Float),
            PortSpec::new("turn", Type::Matrix4x4),
        ],
        outputs: vec![
            PortSpec::new("color", Type::Float3),
            PortSpec::new("a b", Type::Float),
        ],
        nodes: vec![
            end,
            NodeData::new(NodeId(2), "Length").link("A", NodeId(1), "from here"),
        ],
    }
}

/// A value of a type, another for each number.
fn value(ty: Type, number: usize) -> serde_json::Value {
    let real = (number as f64 + 0.1).powi(7) * if number.is_multiple_of(2) { -1e-9 } else { 1.0 };
    match ty {
        Type::Float => json!(real),
        Type::Float3 => json!([real, -0.0, 5e-324]),
        Type::Matrix4x4 => json!(
            (0..16)
                .map(|at| real / f64::from(at + 1))
                .collect::<Vec<_>>()
        ),
        Type::Integer => json!(number % 2),
        Type::String => json!(""),
        Type::ResourceId => json!(CALLEE.0),
    }
}

fn signature(about: &About) -> Signature {
    let callee = callee();
    let ty = fibula_nodes::FunctionType {
        inputs: callee.inputs,
        outputs: callee.outputs,
    };
    let node = (about.make)();
    let node = node.following(&ty).unwrap_or(node);
    node.signature().into_owned()
}

/// Whether a parameter may be linked in 3MF, or only has a value.
fn linkable(about: &About, name: &str, ty: Type) -> bool {
    let attribute = matches!(name, "accuraterange" | "functionID" | "resourceid");
    !attribute && !matches!(ty, Type::Integer | Type::String) && about.name != "Resource"
}

/// A function with one node of a kind, some of whose parameters are linked to the inputs and some have values.
fn function(about: &About, rule: usize, linked: impl Fn(usize) -> Option<bool>) -> FunctionData {
    let signature = signature(about);
    let types = &signature.rules[rule];
    let mut node = NodeData::new(NodeId(7), about.name);
    let mut inputs = vec![PortSpec::new("pos", Type::Float3)];
    for (at, (parameter, &ty)) in signature.parameters.iter().zip(&types.inputs).enumerate() {
        let name = parameter.name.to_string();
        match linked(at) {
            Some(true) if linkable(about, &name, ty) => {
                inputs.push(PortSpec::new(format!("in{at}"), ty));
                node = node.link(&name, NodeId(3), &format!("in{at}"));
            }
            None if name != "functionID" => {}
            Some(_) | None => {
                let resource = ty == Type::ResourceId && name != "functionID";
                let resource = resource
                    .then(|| json!(9))
                    .filter(|_| about.family != Family::Call);
                let value = resource.unwrap_or_else(|| value(ty, at));
                node.parameters.insert(name, Setting::Value(value));
            }
        }
    }
    node.overload = Some(rule).filter(|&rule| rule > 0 && node.parameters.is_empty());
    let mut end = NodeData::new(NodeId::END, "End");
    let mut outputs = Vec::new();
    for (at, (port, &ty)) in signature.ports.iter().zip(&types.outputs).enumerate() {
        outputs.push(PortSpec::new(format!("out{at}"), ty));
        end = end.link(&format!("out{at}"), NodeId(7), &port.name);
    }
    node.display_name = (rule == 1).then(|| "the node".to_owned());
    node.position = linked(0).map(|_| [1.5, -2e30]);
    FunctionData {
        function_id: Some(FunctionId(3)),
        name: about.name.to_owned(),
        inputs,
        outputs,
        nodes: vec![end, NodeData::new(NodeId(3), "Begin"), node],
    }
}

fn document(function: &FunctionData) -> Document {
    let mut document = Document::default();
    document.insert(&callee()).unwrap();
    document
        .insert(function)
        .unwrap_or_else(|error| panic!("{}: {error}", function.name));
    document
}

#[test]
fn every_kind_comes_back_with_every_overload() {
    let mut count = 0;
    for about in catalogue::catalogue() {
        if about.family == Family::Boundary {
            continue;
        }
        for rule in 0..about.signature.rules.len() {
            for choice in 0..4_usize {
                let linked = |at: usize| match choice {
                    0 => Some(true),
                    1 => Some(false),
                    2 => Some(at.is_multiple_of(2)),
                    _ => None,
                };
                let data = function(about, rule, linked);
                let document = document(&data);
                for dialect in DIALECTS {
                    let options = WriteOptions { dialect };
                    let asks = signature(about).rules[rule]
                        .inputs
                        .contains(&Type::ResourceId);
                    if asks && about.family != Family::Call {
                        continue;
                    }
                    let notes = check_functions(&document, &options);
                    let unset = notes.iter().all(|code| *code == "unset_parameter");
                    assert!(
                        unset && (choice == 3 || notes.is_empty()),
                        "{}: {notes:?}",
                        about.name
                    );
                    count += 1;
                }
            }
        }
    }
    assert!(count > 500, "{count}");
}
