//! Larger changes of functions among the edits of `apply_edits`: extract, inline, remove, add constants, normalise.
//!
//! The laws: whatever is extracted, written out, removed or added, what could be evaluated yields the same bits as
//! before, output by output; undo leads back to the same hash; no edit puts the whole function in the place of itself.

use std::collections::BTreeMap;

use crate::random::{edit, seeds};
use fibula::edit::{Edit, FunctionEdit, Origin, ResourceEdit, check};
use fibula::eval::{Request, Tape};
use fibula::graph::{Document, Function, FunctionId, NodeId};
use fibula::library;
use fibula::service::{ApplyEdits, Events, GetHistory, Refusal, Service, Undo};
use fibula_nodes::catalogue::catalogue;
use fibula_nodes::{ResourceId, Type, Value};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

fn origin() -> Origin {
    Origin::program("test", "reshape")
}

/// A service, and its document as the events tell it.
struct Project {
    service: Service,
    events: Events,
    document: Document,
    /// Facts of the last change.
    last: Option<Edit>,
}

impl Project {
    fn new(edits: Vec<Json>) -> Self {
        let service = Service::default();
        let events = service.events(None, None).expect("events");
        let mut project = Project {
            service,
            events,
            document: Document::default(),
            last: None,
        };
        project.apply(edits).expect("edits");
        project
    }

    fn of_expressions(texts: &[(&str, &str)]) -> Self {
        let made = texts.iter().map(|(name, text)| {
            json!({ "create_function_from_expression": { "name": name, "expression": text } })
        });
        Project::new(made.collect())
    }

    fn apply(&mut self, edits: Vec<Json>) -> Result<Json, Refusal> {
        let request = with_defaults!(ApplyEdits, edits);
        let applied = self.service.apply_edits(&origin(), request)?;
        self.follow();
        Ok(serde_json::to_value(applied).expect("an answer is JSON"))
    }

    /// Makes one change and sees that undo leads back; gives what came of it.
    fn change(&mut self, edit: Json) -> Result<Json, Refusal> {
        let before = self.document.hash();
        let mut applied = self.apply(vec![edit])?;
        let after = self.document.hash();
        if before != after {
            for (redo, expected) in [(false, before), (true, after)] {
                let request = with_defaults!(Undo, redo);
                self.service.undo(&origin(), &request).expect("a step");
                self.follow();
                assert_eq!(self.document.hash(), expected, "redo: {redo}");
            }
        }
        Ok(applied["results"][0].take())
    }

    fn follow(&mut self) {
        while let Some(event) = self.events.ready().expect("events") {
            let edit = event.edit.expect("the log tells");
            edit.apply(&mut self.document)
                .expect("it was applied there");
            self.last = Some(edit);
        }
    }

    fn revision(&self) -> u64 {
        let history = self.service.get_history(&GetHistory::default());
        history.expect("a history").revision
    }

    fn function(&self, id: u32) -> &Function {
        self.document.function(FunctionId(id)).expect("it is there")
    }

    /// The ids of the nodes of some kinds.
    fn nodes(&self, id: u32, kinds: &[&str]) -> Vec<u32> {
        let nodes = self.function(id).nodes();
        let fits = nodes.filter(|node| kinds.contains(&node.kind().info().name));
        fits.map(|node| node.id().0).collect()
    }

    fn values(&self) -> Values {
        let functions = self.document.functions();
        let outputs = functions.flat_map(|function| {
            let names = function.outputs().into_iter().map(|output| output.name);
            names.map(move |name| {
                (
                    (function.id(), name.clone()),
                    value(&self.document, function, name),
                )
            })
        });
        outputs.collect()
    }
}

/// Values of each output of each function, as bits; none if it cannot be evaluated.
type Values = BTreeMap<(FunctionId, String), Option<Vec<u64>>>;

/// Values of an output for some arguments.
fn value(document: &Document, function: &Function, output: String) -> Option<Vec<u64>> {
    let known = |ty: Type| match ty {
        Type::Integer => Some(Value::Integer(1)),
        Type::String => Some(Value::String(String::new())),
        Type::ResourceId => Some(Value::ResourceId(ResourceId(1))),
        Type::Float | Type::Float3 | Type::Matrix4x4 => None,
    };
    let inputs = function.inputs().into_iter();
    let request = Request {
        outputs: Some(vec![output]),
        statics: inputs
            .filter_map(|input| Some((input.name, known(input.ty)?)))
            .collect(),
    };
    let tape = Tape::with(document, function.id(), &request).ok()?;
    let bits = |value: f64| {
        if value.is_nan() {
            u64::MAX
        } else {
            value.to_bits()
        }
    };
    let points = (1..8).map(|index| {
        let scalars = (0..tape.input_width()).map(|place| {
            let step = (f64::from(index) * 0.7549 + place as f64 * 0.5698).fract();
            step * 20.0 - 10.0
        });
        scalars.collect::<Vec<f64>>()
    });
    let values = points.flat_map(|point| tape.at(&point));
    Some(values.map(bits).collect())
}

/// Sees that what could be evaluated yields the same.
fn kept(before: &Values, after: &Values) -> Result<(), TestCaseError> {
    for (output, value) in before.iter().filter(|(_, value)| value.is_some()) {
        prop_assert_eq!(&after[output], value, "{:?}", output);
    }
    Ok(())
}

/// Sees that the last change put no function that there was in the place of itself.
fn was_local(project: &Project, made: Option<u64>) -> Result<(), TestCaseError> {
    fn set(edit: &Edit, found: &mut Vec<u64>) {
        match edit {
            Edit::Function(FunctionEdit::Set(data)) => {
                found.extend(data.function_id.map(|id| u64::from(id.0)));
            }
            Edit::Batch(edits) => edits.iter().for_each(|edit| set(edit, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    set(project.last.as_ref().expect("a change"), &mut found);
    prop_assert_eq!(found, Vec::from_iter(made));
    Ok(())
}

/// Some nodes of a function, `Begin` and `End` left out.
fn some_nodes(function: &Function, chosen: &[bool]) -> Vec<NodeId> {
    let ids = function.node_ids().into_iter();
    let free = ids.filter(|&id| id != NodeId::END && Some(id) != function.begin());
    let chosen = free.zip(chosen.iter().cycle());
    chosen.filter_map(|(id, &is)| is.then_some(id)).collect()
}

/// Extracts nodes and writes the call out again; gives how many steps there were.
fn out_and_in(
    project: &mut Project,
    id: FunctionId,
    nodes: &[NodeId],
) -> Result<usize, TestCaseError> {
    let before = project.values();
    let extracted = project.change(json!({ "extract_function": {
        "function_id": id, "node_ids": nodes, "name": "Piece" } }));
    let extracted = match extracted {
        Ok(extracted) => extracted,
        Err(refusal) => {
            let known = ["no_output", "not_convex", "newly_needed", "invalid_edit"];
            prop_assert!(known.contains(&refusal.code), "{}", refusal);
            return Ok(0);
        }
    };
    was_local(project, extracted["function_id"].as_u64())?;
    let between = project.values();
    kept(&before, &between)?;
    // Nor does anything come to be there that was not.
    for (output, value) in &before {
        prop_assert_eq!(between[output].is_some(), value.is_some(), "{:?}", output);
    }
    let inlined = project.change(json!({ "inline_call": {
        "function_id": id, "node_id": extracted["node_id"] } }));
    match inlined {
        Ok(inlined) => {
            was_local(project, None)?;
            prop_assert!(inlined["node_count"].as_u64() <= extracted["node_count"].as_u64());
        }
        Err(refusal) => {
            prop_assert_eq!(refusal.code, "missing_input", "{}", refusal);
            return Ok(1);
        }
    }
    let after = project.values();
    kept(&between, &after)?;
    kept(&before, &after)?;
    Ok(2)
}

/// The plain edits of one that was checked, but for files, whose bytes would have to be there.
fn leaves(edit: &Edit, found: &mut Vec<Json>) {
    match edit {
        Edit::Batch(edits) => edits.iter().for_each(|edit| leaves(edit, found)),
        Edit::Resource(ResourceEdit::AddFile { .. } | ResourceEdit::RemoveFile { .. }) => {}
        edit => found.push(serde_json::to_value(edit).expect("an edit is JSON")),
    }
}

fn is_beside_functions(edit: &Edit) -> bool {
    match edit {
        Edit::Model(_) | Edit::Knowledge(_) => true,
        Edit::Batch(edits) => edits.iter().any(is_beside_functions),
        _ => false,
    }
}

/// A project that random edits have led to, on top of one with calls, references and two outputs.
fn scrambled(seeds: &[crate::random::Seed]) -> Project {
    let node = |id: u32, kind: &str, parameters: Json| {
        json!({ "create_node": { "function_id": 2, "node_id": id, "node_type": kind,
            "parameters": parameters } })
    };
    let from = |id: u32, port: &str| json!({ "source": { "node_id": id, "port": port } });
    let mut project =
        Project::of_expressions(&[("Ball", "shape = length(pos) - 5; size = length(pos) * 2")]);
    let outputs =
        json!([{ "name": "shape", "type": "float" }, { "name": "color", "type": "float3" }]);
    let mut edits = vec![
        json!({ "set_function": { "function_id": 2, "name": "Part", "outputs": outputs,
            "inputs": [{ "name": "pos", "type": "float3" }, { "name": "part", "type": "resourceid" }] } }),
        node(2, "Resource", json!({ "resourceid": 1 })),
        node(
            3,
            "FunctionCall",
            json!({ "functionID": from(2, "value"), "pos": from(1, "pos") }),
        ),
        node(
            4,
            "FunctionGradient",
            json!({ "functionID": 1, "pos": from(1, "pos") }),
        ),
        node(
            5,
            "Addition",
            json!({ "A": from(3, "shape"), "B": from(4, "magnitude") }),
        ),
        node(
            6,
            "Multiplication",
            json!({ "A": from(4, "gradient"), "B": from(1, "pos") }),
        ),
        node(
            7,
            "SignedDistanceToMesh",
            json!({ "mesh": from(1, "part"), "pos": from(6, "result") }),
        ),
        node(8, "Maximum", json!({ "A": from(5, "result"), "B": 0.25 })),
    ];
    for (id, port, output) in [(8, "result", "shape"), (6, "result", "color")] {
        edits.push(json!({ "create_link": { "function_id": 2, "source_node_id": id, "source_port_name": port,
            "target_node_id": 0, "target_parameter_name": output } }));
    }
    project.apply(edits).expect("edits");
    let mut document = project.document.clone();
    let mut edits = Vec::new();
    for seed in seeds {
        let edit = edit(&document, seed);
        // Agents have other words for these, and no node of a function is in them.
        if is_beside_functions(&edit) {
            continue;
        }
        if let Ok(checked) = check(&document, &edit) {
            leaves(checked.edit(), &mut edits);
            checked.apply(&mut document);
        }
    }
    project.apply(edits).expect("they were checked");
    project
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn functions_of_the_library_are_taken_apart_and_put_together(
        which in 0..library::functions().len(),
        chosen in prop::collection::vec(any::<bool>(), 40),
    ) {
        let data = serde_json::to_value(library::functions()[which].data()).expect("JSON");
        let mut project = Project::new(vec![json!({ "set_function": data })]);
        let id = project.document.functions().next().expect("a function").id();
        let nodes = some_nodes(project.function(id.0), &chosen);
        out_and_in(&mut project, id, &nodes)?;
    }

    #[test]
    fn whatever_is_reshaped_yields_the_same(
        seeds in seeds(50),
        chosen in prop::collection::vec(prop::bool::weighted(0.4), 30),
        with_constants in any::<bool>(),
    ) {
        let mut project = scrambled(&seeds);
        let ids: Vec<FunctionId> = project.document.functions().map(Function::id).collect();
        for &id in ids.iter().filter(|_| with_constants) {
            let before = project.values();
            for node_id in [json!(null), json!(0)] {
                let edit = json!({ "create_missing_constants": { "function_id": id, "node_id": node_id } });
                match project.change(edit) {
                    Ok(_) => kept(&before, &project.values())?,
                    // What stands behind a node with an overload that was kept.
                    Err(refusal) => prop_assert!(refusal.code == "no_overload", "{}", refusal),
                }
            }
        }
        for &id in &ids {
            let nodes = some_nodes(project.function(id.0), &chosen);
            out_and_in(&mut project, id, &nodes)?;
        }
        for &id in &ids {
            for call in project.nodes(id.0, &["FunctionCall"]) {
                let before = project.values();
                let edit = json!({ "inline_call": { "function_id": id, "node_id": call } });
                match project.change(edit) {
                    Ok(_) => {
                        was_local(&project, None)?;
                        kept(&before, &project.values())?;
                    }
                    Err(refusal) => {
                        let known = ["no_call", "missing_input", "resource_kind_mismatch"];
                        prop_assert!(known.contains(&refusal.code), "{}", refusal);
                    }
                }
            }
        }
        for &id in &ids {
            let before = project.values();
            let count = project.function(id.0).node_count();
            let removed = project.change(json!({ "remove_unused_nodes": { "function_id": id } }));
            let removed = removed.expect("they can go");
            let after = project.values();
            kept(&before, &after)?;
            prop_assert_eq!(&before, &after);
            let left = project.function(id.0).node_count();
            prop_assert_eq!(&removed["node_count"], &json!(count - left));
            let revision = project.revision();
            let again = project.change(json!({ "remove_unused_nodes": { "function_id": id } }));
            prop_assert_eq!(&again.expect("nothing to do")["node_count"], &json!(0));
            prop_assert_eq!(project.revision(), revision);
        }
    }

    #[test]
    fn verbs_of_nodes_are_undone_and_refused_in_known_ways(
        seeds in seeds(30),
        kinds in prop::collection::vec(0..catalogue().len(), 4),
        keep in any::<bool>(),
    ) {
        let mut project = scrambled(&seeds);
        let ids: Vec<FunctionId> = project.document.functions().map(Function::id).collect();
        let known = ["protected_node", "cannot_insert", "not_linked", "no_overload"];
        for &id in &ids {
            for (&kind, node) in kinds.iter().zip(project.function(id.0).node_ids()) {
                let own = project.function(id.0).node(node).expect("a node").kind().info().name;
                // The same kind keeps everything, unless an overload was kept that nothing decides.
                let before = project.values();
                let replace = |kind: &str| json!({ "replace_node": {
                    "function_id": id, "node_id": node, "node_type": kind } });
                match project.change(replace(own)) {
                    Ok(replaced) if replaced["dropped"].is_null() => kept(&before, &project.values())?,
                    Ok(_) => {}
                    Err(refusal) => prop_assert!(known.contains(&refusal.code), "{}", refusal),
                }
                for verb in [
                    replace(catalogue()[kind].name),
                    json!({ "insert_into_link": { "function_id": id, "node_id": node, "target_node_id": 0,
                        "target_parameter_name": "shape" } }),
                    json!({ "bypass_node": { "function_id": id, "node_id": node, "keep": keep } }),
                ] {
                    if let Err(refusal) = project.change(verb) {
                        let names = ["unknown_parameter", "unknown_node", "in_use"];
                        let is_known = known.contains(&refusal.code) || names.contains(&refusal.code);
                        prop_assert!(is_known, "{}", refusal);
                    }
                }
            }
        }
    }
}
