//! Laws of edits, over random edits, against plain models.
//!
//! After every edit: what is held is valid by a check that is written here a second time, the plain way; a refusal
//! has changed nothing; the inverse leads back; the facts, replayed from the beginning, lead to the same document.

use std::collections::{BTreeMap, BTreeSet};

use crate::random::{edit, seeds};
use fibula::edit::undo::{self, UndoError, UndoTarget};
use fibula::edit::{
    Change, Checked, CommitInfo, Edit, Entry, EntryKind, Origin, State, check, restoring,
};
use fibula::graph::{
    ContentHash, Document, Function, FunctionData, FunctionId, NodeData, NodeId, Referrer,
    Resource, Setting,
};
use fibula_nodes::{ResourceId, Signature, catalogue};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

/// The knowledge graph, but for the numbers that were given up.
fn known(document: &Document) -> String {
    let data = document.knowledge().data();
    format!("{:?} {:?} {:?}", data.nodes, data.edges, data.schema)
}

/// Every function of a document, written out, and what is beside them.
fn written(document: &Document) -> (Vec<FunctionData>, Vec<String>) {
    let functions = document.functions().map(Function::data).collect();
    let resources = document
        .resources()
        .map(|resource| format!("{resource:?}"))
        .chain([
            format!("{:?}", document.model().info()),
            format!("{:?}", document.model().items().collect::<Vec<_>>()),
            format!("{:?}", document.model().metadata().collect::<Vec<_>>()),
            format!("{:?}", document.model().parts().collect::<Vec<_>>()),
            known(document),
        ])
        .collect();
    (functions, resources)
}

/// The codes with which random edits are refused.
const CODES: &str = "\
    unknown_edge unknown_function unknown_node unknown_node_type unknown_port unknown_parameter \
    type_mismatch no_overload self_link cycle already_linked recursive_call resource_kind_mismatch \
    parameter_linked invalid_value duplicate_id protected_node in_use invalid_name not_linked \
    too_large unknown_resource no_position unknown_channel recursive_object";

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
    let resource = |id: u32, resource: &Json| json!({"model": {"set_resource": {"resource_id": id, "resource": resource}}});
    let mesh = json!({"object": {"body": {"mesh":
        {"content": ContentHash::digest(b"mesh"), "size": 4, "vertices": 3, "triangles": 1}}}});
    let level_set = json!({"object": {"name": "Part", "body": {"level_set":
        {"field": {"function_id": 2, "channel": "shape"}, "mesh": 5, "volume": null}}}});
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
        resource(5, &mesh),
        resource(6, &level_set),
        resource(
            7,
            &json!({"volume_data": {"color": null, "properties": [
            {"name": "density", "field": {"function_id": 2, "channel": "shape"}}]}}),
        ),
        resource(
            8,
            &json!({"object": {"body": {"components": [{"object": 6}]}}}),
        ),
        json!({"model": {"set_build_item": {"item": {"object": 8}}}}),
    ] {
        let edit: Edit = serde_json::from_value(edit).unwrap();
        edit.apply(&mut document).unwrap();
    }
    document
}

/// References, as the document keeps them.
fn uses(document: &Document) -> BTreeSet<(ResourceId, Referrer)> {
    document.uses().collect()
}

/// References, counted from the written form.
fn counted_uses(document: &Document) -> BTreeSet<(ResourceId, Referrer)> {
    let mut uses = BTreeSet::new();
    let id_of = |node: &NodeData, name: &str| match node.parameters.get(name) {
        Some(Setting::Value(json)) => json.as_u64().map(|id| ResourceId(id as u32)),
        Some(Setting::Source(_)) | None => None,
    };
    for function in document.functions() {
        for node in function.nodes() {
            let parameters = &node.signature().parameters;
            for parameter in parameters.iter().filter(|one| one.refers.is_some()) {
                let data = node.data();
                let id = match data.parameters.get(parameter.name.as_ref()) {
                    Some(Setting::Source(source)) => {
                        let source = function.node(source.node_id).unwrap().data();
                        let is_constant = source.node_type == "Resource";
                        id_of(&source, "resourceid").filter(|_| is_constant)
                    }
                    Some(Setting::Value(_)) | None => id_of(&data, &parameter.name),
                };
                uses.extend(id.map(|id| (id, Referrer::Function(function.id()))));
            }
        }
    }
    for (id, resource) in document.resources() {
        let needs = match resource {
            Resource::Model(resource) => resource.references(),
            Resource::ImageFunction(image) => [image.image].into(),
            Resource::Content(_) | Resource::File(_) => BTreeSet::new(),
        };
        uses.extend(
            needs
                .into_iter()
                .map(|needed| (needed, Referrer::Resource(id))),
        );
    }
    let items = document.model().items();
    uses.extend(items.map(|(id, item)| (item.object, Referrer::Item(id))));
    uses
}

/// Why a document is not valid, by the plain rules.
fn fault(document: &Document) -> Option<String> {
    match document.data().document() {
        Ok(again) if again.hash() == document.hash() => {
            let (kept, anew) = (uses(document), uses(&again));
            if kept != anew || kept != counted_uses(document) {
                return Some(format!(
                    "who refers to what: {kept:?} is kept, {anew:?} is so"
                ));
            }
        }
        Ok(_) => return Some("what is written out is something else".to_owned()),
        Err(error) => return Some(format!("what is written out cannot be read: {error}")),
    }
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
                let wants = signature.overloads[*rule].inputs[place];
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
                        from.overloads[*from_rule].outputs[port]
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

/// A state and the entries that led there from another.
struct Log {
    state: State,
    entries: Vec<Entry>,
}

impl Log {
    fn new(document: Document) -> Self {
        Log {
            state: State::new(document, 0, BTreeMap::new()),
            entries: Vec::new(),
        }
    }

    fn document(&self) -> &Document {
        self.state.document()
    }

    fn commit(&mut self, checked: Checked, label: Option<String>, turn: EntryKind) {
        let origin = Origin::program("test", "proptest");
        let said = CommitInfo {
            origin,
            at: 0,
            label,
            kind: turn,
        };
        let (entry, _) = self.state.commit(checked, said);
        self.entries.push(entry);
    }

    fn roll_back(&mut self, wanted: UndoTarget<'_>) -> Result<String, UndoError> {
        let headings = self.entries.iter().rev();
        let headings = headings.map(|entry| Ok::<_, ()>(entry.heading.clone()));
        let found = undo::find(headings, wanted).unwrap()?;
        let entry = &self.entries[found.revision as usize - 1];
        let (checked, label, turn) = undo::inverse_edit(self.document(), entry)?;
        self.commit(checked, Some(label.clone()), turn);
        Ok(label)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_shrink_iters: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn random_edits_keep_every_law(seeds in seeds(60), empty in any::<bool>()) {
        let document = if empty { Document::default() } else { start() };
        let mut replayed = State::new(document.clone(), 0, BTreeMap::new());
        let mut log = Log::new(document);
        let mut states = vec![written(log.document())];
        let mut documents = vec![log.document().clone()];
        for seed in &seeds {
            let edit = edit(log.document(), seed);
            let before = written(log.document());
            match check(log.document(), &edit) {
                Err(error) => {
                    prop_assert!(CODES.split(' ').any(|code| code == error.code()), "{}", error.code());
                    prop_assert!(!error.to_string().is_empty());
                    prop_assert_eq!(&written(log.document()), &before, "a refusal changed something");
                }
                Ok(checked) => {
                    let inverse = checked.inverse().clone();
                    log.commit(checked, None, EntryKind::Edit);
                    let fault = fault(log.document());
                    prop_assert!(fault.is_none(), "{:?} after {:?}", fault, edit);
                    let mut back = log.document().clone();
                    let undone = inverse.apply(&mut back);
                    prop_assert!(undone.is_ok(), "{:?}: {:?} of {:?}", undone, inverse, edit);
                    prop_assert_eq!(&written(&back), &before, "{:?} is no inverse of {:?}", inverse, edit);
                    states.push(written(log.document()));
                    documents.push(log.document().clone());
                }
            }
        }
        // Facts survive serialisation, and replaying them gives the same document.
        for entry in &log.entries {
            let text = serde_json::to_string(&entry.edit).unwrap();
            let facts: Edit = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(&facts, &entry.edit);
            let followed = replayed.replay(&Entry { edit: facts, ..entry.clone() });
            prop_assert!(followed.is_ok(), "{:?}", followed);
        }
        prop_assert_eq!(&written(replayed.document()), states.last().unwrap());
        // Every state leads to every other in one edit, and back by its inverse.
        for (now, then) in [(0, documents.len() - 1), (documents.len() - 1, documents.len() / 2), (documents.len() - 1, 0)] {
            let mut document = documents[now].clone();
            let checked = restoring(&document, &documents[then]);
            prop_assert!(checked.is_ok(), "{:?}", checked);
            let checked = checked.unwrap();
            let inverse = checked.inverse().clone();
            checked.apply(&mut document);
            prop_assert_eq!(&written(&document), &states[then]);
            prop_assert!(inverse.apply(&mut document).is_ok(), "{:?}", inverse);
            prop_assert_eq!(&written(&document), &states[now]);
        }
        // Undo of everything and redo of everything pass through every state.
        for state in states.iter().rev().skip(1) {
            let undone = log.roll_back(UndoTarget::Undo(None));
            prop_assert!(undone.is_ok(), "{:?}", undone);
            prop_assert_eq!(&written(log.document()), state);
        }
        prop_assert_eq!(log.roll_back(UndoTarget::Undo(None)), Err(UndoError::NothingToUndo));
        for state in states.iter().skip(1) {
            log.roll_back(UndoTarget::Redo(None)).unwrap();
            prop_assert_eq!(&written(log.document()), state);
        }
        prop_assert_eq!(log.roll_back(UndoTarget::Redo(None)), Err(UndoError::NothingToRedo));
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
fn doing_and_undoing_again_and_again_keeps_the_words_short() {
    let mut log = Log::new(Document::default());
    let edit: Edit = serde_json::from_value(function(1, &json!([]))).unwrap();
    let checked = check(log.document(), &edit).unwrap();
    log.commit(checked, None, EntryKind::Edit);
    for _ in 0..3 {
        let undone = log.roll_back(UndoTarget::Undo(None)).unwrap();
        assert_eq!(undone, "undo: set function 'f1'");
        let redone = log.roll_back(UndoTarget::Redo(None)).unwrap();
        assert_eq!(redone, "redo: set function 'f1'");
    }
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
    let kind = function.node(NodeId(3)).unwrap().kind();
    assert_eq!(kind.info().name, "VectorFromScalar");
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
    let shape = serde_json::to_value(&end.parameters["shape"]).unwrap();
    assert_eq!(shape["source"]["port"], "distance");
    assert!(catalogue::kind("FunctionCall").is_ok());
}
