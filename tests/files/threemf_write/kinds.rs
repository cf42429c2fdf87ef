//! Every kind with every overload.

use fibula::eval::Tape;
use fibula::format::threemf::{Dialect, WriteOptions};
use fibula::graph::{Document, FunctionData, FunctionId, NodeData, NodeId, Setting};
use fibula_nodes::{Family, KindInfo, PortSpec, Signature, Type, Value, catalogue};
use serde_json::json;

use super::{check_functions, packed, read, written, xml};

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

fn signature(about: &KindInfo) -> Signature {
    let callee = callee();
    let ty = fibula_nodes::FunctionType {
        inputs: callee.inputs,
        outputs: callee.outputs,
    };
    let node = (about.make)();
    let node = node.with_callee(&ty).unwrap_or(node);
    node.signature().into_owned()
}

/// True if a parameter may be linked in 3MF, and does not only have a value.
fn linkable(about: &KindInfo, name: &str, ty: Type) -> bool {
    let attribute = matches!(name, "accuraterange" | "functionID" | "resourceid");
    !attribute && !matches!(ty, Type::Integer | Type::String) && about.name != "Resource"
}

/// A function with one node of a kind, some of whose parameters are linked to the inputs and some have values.
fn function(about: &KindInfo, rule: usize, linked: impl Fn(usize) -> Option<bool>) -> FunctionData {
    let signature = signature(about);
    let types = &signature.overloads[rule];
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
                    .then(|| json!(CALLEE.0))
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

/// Which parameters are linked, by a choice; `None` leaves one unset.
fn linked(choice: usize) -> impl Fn(usize) -> Option<bool> {
    move |at| match choice {
        0 => Some(true),
        1 => Some(false),
        2 => Some(at.is_multiple_of(2)),
        _ => None,
    }
}

/// The kinds that a document without meshes and images can have, with the indexes of their overloads.
fn all() -> Vec<(&'static KindInfo, usize)> {
    let kinds = catalogue::catalogue().iter().copied();
    let kinds = kinds.filter(|about| about.family != Family::Boundary);
    let with_rules = |about: &'static KindInfo| {
        let rules = about.signature.overloads.iter().enumerate();
        let plain = rules.filter(move |(_, rule)| {
            let asks = rule.inputs.contains(&Type::ResourceId);
            !asks || matches!(about.family, Family::Call) || about.name == "Resource"
        });
        plain.map(move |(rule, _)| (about, rule))
    };
    kinds.flat_map(with_rules).collect()
}

/// A document for every kind, overload and way of giving values, with a name.
pub(crate) fn documents() -> Vec<(String, Document)> {
    let choices = |(about, rule): (&'static KindInfo, usize)| {
        // A resource that names nothing is left out.
        let choices = if about.name == "Resource" { 0..3 } else { 0..4 };
        choices.map(move |choice| {
            let name = format!("{}_{rule}_{choice}", about.name);
            (name, document(&function(about, rule, linked(choice))))
        })
    };
    all().into_iter().flat_map(choices).collect()
}

#[test]
fn every_kind_comes_back_with_every_overload() {
    let documents = documents();
    for (name, document) in &documents {
        for dialect in DIALECTS {
            let notes = check_functions(document, WriteOptions { dialect });
            let unset = notes.iter().all(|code| *code == "unset_parameter");
            let free = name.ends_with("_3") || name.starts_with("Resource");
            assert!(unset && (free || notes.is_empty()), "{name}: {notes:?}");
        }
    }
    assert!(documents.len() > 400, "{}", documents.len());
}

/// The nodes that helpers are written as have the same values: read without their marks, they are other nodes.
#[test]
fn helpers_have_their_values_as_native_nodes() {
    for name in [
        "Transformation",
        "BoxMinMax",
        "DecomposeMatrix",
        "ConstantScalar",
        "ConstantVector",
        "ConstantMatrix",
    ] {
        let about = catalogue::kind(name).unwrap();
        let before = document(&function(about, 0, linked(0)));
        let (package, _) = written(&before, WriteOptions::default());
        let text = xml(&package);
        assert_contains!(text => &format!(" part={name}.0"));
        let plain = text.replace("tag=\"fibula:", "tag=\"");
        let after = super::document(&read(&packed(&plain)));
        let kinds = after.function(FunctionId(3)).unwrap();
        let native = |node: fibula::graph::NodeView<'_>| {
            matches!(node.kind().info().name, "Begin" | "End") || node.kind().info().native
        };
        assert!(kinds.nodes().all(native), "{name}");
        let values = |document: &Document| {
            let tape = Tape::new(document, FunctionId(3)).unwrap();
            let inputs = tape.inputs().iter().enumerate();
            let arguments: Vec<Value> = inputs
                .map(|(at, port)| Value::from_json(port.ty, &value(port.ty, at + 1)).unwrap())
                .collect();
            tape.values(&arguments).unwrap()
        };
        assert_eq!(values(&before), values(&after), "{name}");
    }
}

/// A group of nodes that another program changed is read as changed.
#[test]
fn a_changed_group_is_not_folded() {
    let about = catalogue::kind("BoxMinMax").unwrap();
    let given = document(&function(about, 0, linked(0)));
    let (package, _) = written(&given, WriteOptions::default());
    let text = xml(&package);
    let kinds = |text: &str| -> Vec<String> {
        let model = read(&packed(text));
        let function = model
            .functions
            .iter()
            .find(|one| one.name == "BoxMinMax")
            .unwrap();
        function
            .nodes
            .iter()
            .map(|node| node.node_type.clone())
            .collect()
    };
    assert_eq!(kinds(&text), ["End", "Begin", "BoxMinMax"]);
    for (old, new) in cases![
        "z=\"0\"" => "z=\"1\"";
        "<i:length" => "<i:length tag=\"mine\" x=\"1\"";
        "part=BoxMinMax.3" => "part=BoxMinMax.2";
        "ref=\"BoxMinMax_7_2.result\"" => "ref=\"BoxMinMax_7_0.result\"";
        "identifier=\"out0\" ref=\"BoxMinMax_7_11.result\"" => "identifier=\"out0\" ref=\"BoxMinMax_7_10.result\"";
    ] {
        let changed = match old {
            "<i:length" => text.replacen("part=BoxMinMax.5", "part=BoxMinMax.77", 1),
            old => text.replacen(old, new, 1),
        };
        assert_ne!(changed, text, "{old}");
        let found = kinds(&changed);
        assert!(found.len() > 12, "{old}: {found:?}");
        assert!(!found.contains(&"BoxMinMax".to_owned()), "{old}: {found:?}");
    }
    // A literal may be another number.
    let about = catalogue::kind("Addition").unwrap();
    let given = document(&function(about, 0, linked(1)));
    let (package, _) = written(&given, WriteOptions::default());
    let text = xml(&package).replacen("value=\"-", "value=\"7", 1);
    let model = read(&packed(&text));
    let mut functions = model.functions.iter();
    let addition = functions.find(|one| one.name == "Addition").unwrap();
    let node = addition.nodes.last().unwrap();
    let is_value = |one: &Setting| matches!(one, Setting::Value(_));
    assert!(node.parameters.values().all(is_value), "{node:?}");
}
