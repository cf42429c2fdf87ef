//! The JSON Schema of projects says of every line, function and edit what reading them says.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::random::{Seed, edit, seeds};
use fibula::edit::{CommitInfo, Edit, EntryKind, State, check};
use fibula::graph::{ContentHash, DocumentData, FunctionData};
use fibula::service::{
    Compact, Export, GetFunction, ImportProject, Options, Service, Undo, project_schema,
};
use fibula::store::{Memory, ProjectId, Record, Registration, Store};
use fibula_nodes::{Type, Value};
use jsonschema::Validator;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

const NAME: &str = "bracket";

/// Validator of a definition; of a line if none is named.
fn validator(definition: Option<&str>) -> Validator {
    let mut schema = project_schema();
    if let Some(name) = definition {
        assert!(schema["$defs"][name].is_object(), "no definition {name}");
        schema = json!({ "$schema": schema["$schema"], "$defs": schema["$defs"],
            "$ref": format!("#/$defs/{name}") });
    }
    jsonschema::validator_for(&schema).expect("the schema is one")
}

fn assert_valid(validator: &Validator, json: &Json) {
    let problems: Vec<String> = validator
        .iter_errors(json)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(problems.is_empty(), "{problems:#?}\n{json:#}");
}

/// Edits of every kind, each of which may come after those before it.
fn edits() -> Vec<Json> {
    [of_functions(), of_the_model(), of_images(), of_knowledge()].concat()
}

/// Edits of the knowledge graph.
fn of_knowledge() -> Vec<Json> {
    let node = |id: &str| {
        json!({"id": id, "label": "Wall", "types": ["Claim"], "data": {"mm": [2, null]}, "position": [1, 2],
            "observations": [{"text": "thin", "at": 1, "by": "ann"}], "creator": "ann", "created": 1, "modified": 2,
            "version": 1, "order": 0})
    };
    let edge = json!({"id": "e1", "source": "n1", "target": "fn:1/2", "type": "constrains", "label": "at least",
        "data": {"a": 1}, "weight": 0.5, "valid_from": -1, "valid_to": 5, "creator": "ann", "created": 1,
        "modified": 2, "order": 0});
    let schema = json!({"strict": "reject", "node_types": [{"key": "Claim", "label": "claim", "description": "What."}],
        "edge_types": [{"key": "constrains", "inverse": "is constrained by", "domain": ["Claim"], "range": ["Claim"]}]});
    [
        json!({"put_node": node("n1")}),
        json!({"put_node": node("n2")}),
        json!({"put_edge": edge}),
        json!({"observe": {"id": "n1", "remove": [0], "insert": [[0, {"text": "thick", "at": 2, "by": "bob"}]],
            "modified": 3, "version": 2}}),
        json!({"set_schema": schema}),
        json!({"remove_edge": {"id": "e1"}}),
        json!({"move_node": {"id": "n1", "position": [3, 4.5]}}),
        json!({"move_node": {"id": "n1"}}),
        json!({"put_edge": edge}),
        json!({"remove_node": {"id": "n2"}}),
    ]
    .map(|edit| json!({ "knowledge": edit }))
    .to_vec()
}

/// Edits of functions and files.
fn of_functions() -> Vec<Json> {
    let content = ContentHash::digest(b"a").to_string();
    vec![
        json!({"set_function": {"function_id": 1, "name": "F",
            "inputs": [{"name": "pos", "type": "float3"}, {"name": "radius", "type": "float"}],
            "outputs": [{"name": "shape", "type": "float"}, {"name": "color", "type": "float3"}]}}),
        json!({"set_function": {"function_id": 2, "name": "G",
        "inputs": [{"name": "pos", "type": "float3"}],
        "outputs": [{"name": "shape", "type": "float"}],
        "nodes": [
            {"node_id": 2, "node_type": "FunctionGradient", "display_name": "slope", "position": [1, -2.5],
                "parameters": {"functionID": {"value": 1}, "scalaroutput": {"value": "shape"},
                    "vectorinput": {"value": "pos"}, "pos": {"source": {"node_id": 1, "port": "pos"}}}},
            {"node_id": 3, "node_type": "Addition", "overload": 2},
            {"node_id": 4, "node_type": "Addition",
                    "parameters": {"A": {"value": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]}}},
                {"node_id": 5, "node_type": "Length", "parameters": {"A": {"value": [1, 2, 3.5]}}},
            {"node_id": 6, "node_type": "FunctionCall",
                "callee": {"inputs": [{"name": "k", "type": "integer"}], "outputs": []}},
        ]}}),
        json!({"rename_function": {"function_id": 2, "name": "G 2"}}),
        json!({"add_port": {"function_id": 2, "side": "input", "name": "a", "type": "float", "index": 0}}),
        json!({"rename_port": {"function_id": 2, "side": "input", "name": "a", "new_name": "b"}}),
        json!({"retype_port": {"function_id": 2, "side": "input", "name": "b", "type": "matrix4x4"}}),
        json!({"move_port": {"function_id": 2, "side": "input", "name": "b", "index": 1}}),
        json!({"remove_port": {"function_id": 2, "side": "input", "name": "b"}}),
        json!({"create_node": {"function_id": 2, "node_type": "Sine", "node_id": 9, "display_name": "wave",
            "position": [0.5, 2]}}),
        json!({"create_node": {"function_id": 2, "node_type": "FunctionCall", "node_id": 10,
            "callee": {"inputs": [], "outputs": [{"name": "s", "type": "string"}]}}}),
        json!({"rename_node": {"function_id": 2, "node_id": 9, "display_name": null}}),
        json!({"move_node": {"function_id": 2, "node_id": 9, "position": [4, 5]}}),
        json!({"create_link": {"function_id": 2, "source_node_id": 5, "source_port_name": "result",
            "target_node_id": 9, "target_parameter_name": "A"}}),
        json!({"create_link": {"function_id": 2, "source_node_id": 5, "source_port_name": "result",
            "target_node_id": 9, "target_parameter_name": "A", "replace": true, "insert_conversion": true}}),
        json!({"delete_link": {"function_id": 2, "target_node_id": 9, "target_parameter_name": "A"}}),
        json!({"set_parameter_value": {"function_id": 2, "node_id": 9, "parameter_name": "A", "value": 0.5}}),
        json!({"set_parameter_value": {"function_id": 2, "node_id": 9, "parameter_name": "A", "value": null}}),
        json!({"set_overload": {"function_id": 2, "node_id": 9, "overload": 1}}),
        json!({"set_callee": {"function_id": 2, "node_id": 10,
            "callee": {"inputs": [{"name": "r", "type": "resource_id"}], "outputs": []}}}),
        json!({"delete_node": {"function_id": 2, "node_id": 9}}),
        json!({"add_file": {"resource_id": 3, "file":
            {"name": "a.stl", "media_type": "model/stl", "size": 1, "content": content}}}),
        json!({"add_file": {"resource_id": 4, "file":
            {"name": "b.stl", "media_type": "model/stl", "size": 1, "content": content}}}),
        json!({"remove_file": {"resource_id": 4}}),
    ]
}

/// Edits of objects, images, the build and the package.
fn of_the_model() -> Vec<Json> {
    let content = ContentHash::digest(b"a").to_string();
    let placed = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 5.0, 0.5, -5.0];
    let field = json!({"function_id": 1, "channel": "shape", "transform": placed, "min_feature_size": 0.1,
        "fallback_value": 1.0, "extra": {"elements": ["<e/>"]}});
    let metadata =
        json!({"name": "Title", "value": "Bracket", "type": "xs:string", "preserve": true});
    let attribute = json!({"namespace": "http://example.com", "name": "x", "value": "1"});
    let resource = |id: u32, resource: Json| json!({"set_resource": {"resource_id": id, "resource": resource}});
    let edits = vec![
        resource(
            5,
            json!({"image": {"name": "noise", "columns": 2, "rows": 3,
            "sheets": [{"path": "volume/a.png", "content": content, "size": 1}],
            "extra": {"attributes": [attribute]}}}),
        ),
        resource(
            6,
            json!({"object": {"name": "Box", "type": "solidsupport", "part_number": "7",
            "body": {"mesh": {"content": content, "size": 1, "vertices": 3, "triangles": 1, "beams": 1,
                "bounds": [[0, 0, 0], [1.5, 1, 1]], "volume": null, "references": []}}, "metadata": [metadata]}}),
        ),
        resource(
            7,
            json!({"foreign": {"namespace": "http://example.com", "element": "colorgroup",
            "content": content, "size": 1, "references": []}}),
        ),
        resource(
            8,
            json!({"volume_data": {"color": {"function_id": 1, "channel": "color"},
            "properties": [{"name": "density", "required": true, "field": field}]}}),
        ),
        resource(
            9,
            json!({"object": {"body": {"level_set":
            {"field": field, "mesh": 6, "mesh_bbox_only": true, "volume": 8}}}}),
        ),
        resource(
            10,
            json!({"object": {"type": "support", "properties": {"group": 7, "index": 2},
            "body": {"components": [{"object": 9, "transform": placed}, {"object": 6}]}}}),
        ),
        resource(
            11,
            json!({"foreign": {"namespace": "http://example.com", "element": "e", "content": content,
            "size": 1}}),
        ),
        json!({"remove_resource": {"resource_id": 11}}),
        json!({"set_build_item": {"item_id": 1, "item": {"object": 10, "transform": placed, "part_number": "8",
            "metadata": [metadata], "extra": {"attributes": [attribute], "elements": []}}}}),
        json!({"set_build_item": {"item_id": 2, "item": {"object": 9}}}),
        json!({"remove_build_item": {"item_id": 2}}),
        json!({"set_metadata": metadata}),
        json!({"set_metadata": {"name": "Designer", "value": "Ada"}}),
        json!({"remove_metadata": {"name": "Designer"}}),
        json!({"set_part": {"name": "Metadata/thumbnail.png", "part":
            {"media_type": "image/png", "size": 1, "content": content}}}),
        json!({"set_part": {"name": "a.xml", "part": {"media_type": "text/xml", "size": 1, "content": content}}}),
        json!({"remove_part": {"name": "a.xml"}}),
        json!({"set_info": {"unit": "inch", "language": "en-US", "required": ["http://example.com/x"],
            "recommended": [], "extra": {}, "build": [attribute], "relationships":
            [{"source": "3D/3dmodel.model", "target": "http://example.com", "type": "http://example.com/t",
                "id": "rel9", "external": true}]}}),
    ];
    edits
        .into_iter()
        .map(|edit| json!({ "model": edit }))
        .collect()
}

/// Edits of images that are called like functions, removals, and several edits at once.
fn of_images() -> Vec<Json> {
    let image = json!({"name": "picture", "image": 5, "scale": 2.0, "offset": -1, "filter": "nearest",
        "tiles": ["wrap", "mirror", "clamp"]});
    vec![
        json!({"add_image_function": {"resource_id": 12, "image": image}}),
        json!({"add_image_function": {"resource_id": 13, "image": image}}),
        json!({"remove_image_function": {"resource_id": 13}}),
        json!({"set_function": {"function_id": 14, "name": "H"}}),
        json!({"delete_function": {"function_id": 14}}),
        json!({"batch": [{"rename_function": {"function_id": 1, "name": "ball"}},
            {"batch": [{"delete_node": {"function_id": 2, "node_id": 3}}]},
            {"delete_node": {"function_id": 2, "node_id": 4}}]}),
    ]
}

/// A service on a store of its own, with an empty project.
fn service() -> (Arc<Memory>, ProjectId, Service) {
    let store = Arc::new(Memory::default());
    let create = Registration::Create {
        name: NAME.to_owned(),
        at: 1,
    };
    let id = store.register(create).expect("the name is free");
    store.put_content(id, b"a").expect("it takes a file");
    let service = Service::with_store(store.clone(), &Options::default());
    (store, id, service)
}

/// Makes the edits that `next` gives for the state, as far as they may be; checkpoints now and then.
fn fill(
    store: &Memory,
    id: ProjectId,
    edits: impl Iterator<Item = impl FnOnce(&State) -> Edit>,
) -> State {
    let mut state = State::default();
    for (place, next) in edits.enumerate() {
        let Ok(checked) = check(state.document(), &next(&state)) else {
            continue;
        };
        let mut said = CommitInfo::edit(crate::calls::origin(), 1_000 + place as u64);
        if place % 7 == 3 {
            said.kind = EntryKind::Checkpoint(format!("checkpoint {place}"));
        }
        let before = state.head();
        let (entry, _) = state.commit(checked, said);
        let appended = store.append(id, before, Record::new(&entry)).wait();
        appended.expect("it follows");
    }
    state
}

fn export(service: &Service, request: &Export) -> Vec<Json> {
    let mut bytes = Vec::new();
    service.export(request, &mut bytes).expect("it is exported");
    lines(&String::from_utf8(bytes).expect("UTF-8"))
}

fn named() -> Export {
    with_defaults!(Export, project: Some(NAME.to_owned()))
}

fn lines(text: &str) -> Vec<Json> {
    let line = |line: &str| serde_json::from_str(line).expect("JSON");
    text.lines().map(line).collect()
}

/// A project with every edit of [`edits`], undone and done again; and the same without most of its history.
fn whole() -> (Service, Vec<Json>, Vec<Json>) {
    let (store, id, service) = service();
    let edits = edits();
    let next = edits.iter().map(|edit| {
        move |state: &State| {
            let edit: Edit = serde_json::from_value(edit.clone()).expect("an edit");
            if let Err(error) = check(state.document(), &edit) {
                panic!("{error}: {edit:?}");
            }
            edit
        }
    });
    fill(&store, id, next);
    let undo = with_defaults!(Undo, project: Some(NAME.to_owned()), anyone: true);
    let origin = crate::calls::origin();
    service.undo(&origin, &undo).expect("it is undone");
    let redo = Undo { redo: true, ..undo };
    service.undo(&origin, &redo).expect("it is done again");
    let exported = export(&service, &named());
    let compact = Compact {
        project: Some(NAME.to_owned()),
        revision: None,
        expected_revision: None,
        dry_run: false,
    };
    service.compact(&compact).expect("it is compacted");
    let compacted = export(&service, &named());
    (service, exported, compacted)
}

/// Names of the variants of an enum in the schema.
fn variants(definition: &str) -> BTreeSet<String> {
    let schema = project_schema();
    let variants = schema["$defs"][definition]["oneOf"].as_array().cloned();
    let variants = variants.unwrap_or_else(|| panic!("{definition} has variants"));
    let name = |variant: &Json| match (&variant["const"], variant["required"].as_array()) {
        (Json::String(name), _) => name.clone(),
        (_, Some(required)) => required[0].as_str().unwrap_or_default().to_owned(),
        (_, None) => panic!("{variant}"),
    };
    variants.iter().map(name).collect()
}

/// The names of the members of objects at the end of this path.
fn found(lines: &[Json], path: &[&str]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in lines {
        match path.iter().try_fold(line, |json, name| json.get(name)) {
            Some(Json::Object(members)) => found.extend(members.keys().cloned()),
            Some(Json::String(text)) => drop(found.insert(text.clone())),
            Some(_) | None => {}
        }
    }
    found
}

#[test]
fn the_schema_is_plain_json_schema() {
    let schema = project_schema();
    jsonschema::meta::validate(&schema).expect("it is as JSON Schema says");
    let text = schema.to_string();
    for odd in [
        "](",
        "[`",
        "\\n",
        "\"format\"",
        "#/components",
        "fibula_nodes",
    ] {
        assert!(!text.contains(odd), "{odd}");
    }
    let defs = schema["$defs"].as_object().expect("definitions");
    for (name, definition) in defs {
        assert!(
            definition["description"].is_string(),
            "{name} says not what it is"
        );
        assert!(
            !name.ends_with(|c: char| c.is_ascii_digit()),
            "two are called {name}"
        );
    }
    for name in ["Document", "Function", "Node", "Edit", "Object", "LevelSet"] {
        assert!(defs.contains_key(name), "{name}");
    }
}

#[test]
fn every_line_of_a_project_is_as_the_schema_says() {
    let line = validator(None);
    let (service, exported, compacted) = whole();
    for one in exported.iter().chain(&compacted) {
        assert_valid(&line, one);
    }
    for old in lines(include_str!("../fixtures/project-1.jsonl")) {
        assert_valid(&line, &old);
    }
    // Nothing was left out.
    assert_each_eq! {
        found(&exported, &["entry", "edit"]) => variants("Edit");
        found(&exported, &["entry", "edit", "model"]) => variants("ModelEdit");
        found(&exported, &["entry", "edit", "knowledge"]) => variants("KnowledgeEdit");
        found(&exported, &["entry", "turn"]) => variants("EntryKind");
    }
    let all: Vec<Json> = exported.iter().chain(&compacted).cloned().collect();
    assert_eq!(found(&all[1..], &[]), {
        let mut all = variants("Line");
        all.extend(found(&exported[..1], &[]));
        all
    });
    let document = found(&compacted, &["base", "document"]);
    let mut wanted = found(&[project_schema()], &["$defs", "Document", "properties"]);
    wanted.remove("contents"); // Only what a library adds in memory, which is not exported.
    assert_eq!(document, wanted);
    // A function as the service tells it.
    let request = json!({ "project": NAME, "function_id": 2 });
    let request: GetFunction = serde_json::from_value(request).expect("a request");
    let told = service.get_function(&request).expect("it is there");
    let mut told = serde_json::to_value(told).expect("JSON");
    let members = told.as_object_mut().expect("an object");
    members
        .retain(|name, _| ["function_id", "name", "inputs", "outputs", "nodes"].contains(&&**name));
    assert_valid(&validator(Some("Function")), &told);
    serde_json::from_value::<FunctionData>(told).expect("it is read as well");
}

/// The JSON with one thing wrong, or another: without a member, with an unknown one, with a value of another type.
/// Damaged variants of a value. Literals are left alone: `Json` accepts anything, and the node's type decides.
fn damaged(json: &Json) -> Vec<Json> {
    let others = [
        json!(null),
        json!(true),
        json!("x"),
        json!(7.5),
        json!(-1),
        json!(1_u64 << 32),
        json!({}),
    ];
    let mut all = Vec::new();
    match json {
        Json::Object(members) => {
            for (name, member) in members {
                let mut less = members.clone();
                less.remove(name);
                all.push(Json::Object(less));
                let literal = name == "value"
                    && (members.len() == 1 || members.contains_key("parameter_name"));
                let changes = if literal { Vec::new() } else { damaged(member) };
                let others = others.iter().filter(|_| !literal).cloned();
                all.extend(changes.into_iter().chain(others).map(|other| {
                    let mut members = members.clone();
                    members.insert(name.clone(), other);
                    Json::Object(members)
                }));
            }
            let mut more = members.clone();
            more.insert("unknown".to_owned(), json!(1));
            all.push(Json::Object(more));
        }
        Json::Array(items) => {
            for (place, item) in items.iter().enumerate().take(3) {
                all.extend(
                    damaged(item)
                        .into_iter()
                        .chain(others.clone())
                        .map(|other| {
                            let mut items = items.clone();
                            items[place] = other;
                            Json::Array(items)
                        }),
                );
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
    all
}

/// The schema and reading agree on all that may be wrong with what is right; how much was wrong.
fn assert_agrees<T: serde::de::DeserializeOwned>(validator: &Validator, right: &Json) -> usize {
    assert_valid(validator, right);
    let mut wrong = 0;
    for json in damaged(right) {
        let read = serde_json::from_value::<T>(json.clone());
        let is_valid = validator.is_valid(&json);
        assert_eq!(is_valid, read.is_ok(), "{:?}\n{json:#}", read.err());
        wrong += usize::from(read.is_err());
    }
    wrong
}

#[test]
fn the_schema_says_of_edits_what_reading_says() {
    let validator = validator(Some("Edit"));
    let wrong: usize = edits()
        .iter()
        .map(|edit| assert_agrees::<Edit>(&validator, edit))
        .sum();
    assert!(wrong > 1_000, "{wrong}");
}

#[test]
fn the_schema_says_of_documents_what_reading_says() {
    let (_, _, compacted) = whole();
    let mut bases = compacted.iter().filter_map(|line| line.get("base"));
    let mut document = bases.next().expect("a base")["document"].clone();
    document["contents"] = json!([{"resource_id": 60, "kind": "beam_lattice"}]);
    let wrong = assert_agrees::<DocumentData>(&validator(Some("Document")), &document);
    assert!(wrong > 500, "{wrong}");
}

#[test]
fn the_schema_says_of_literals_what_reading_says() {
    let row = json!([1, 2, 3, 4]);
    let long = |count: usize| Json::from(vec![0.5; count]);
    let samples = [
        json!(1.5),
        json!(-3),
        json!("text"),
        json!(""),
        json!(null),
        json!(true),
        json!({}),
        json!([]),
        long(2),
        long(3),
        long(4),
        long(15),
        long(16),
        long(17),
        json!(["1", 2, 3]),
        json!([1, 2, null]),
        json!([row, row, row, row]),
        json!([row, row, row]),
        json!([row, row, row, [1, 2, 3]]),
        json!({"x": 1, "y": 2, "z": 3}),
        json!({"x": 1, "y": 2}),
        json!({"x": 1, "y": 2, "z": "3"}),
        json!({"x": 1, "y": 2, "z": 3, "w": 4}),
    ];
    let validator = validator(Some("Value"));
    for json in samples {
        let read = Type::ALL
            .iter()
            .any(|&ty| Value::from_json(ty, &json).is_ok());
        assert_eq!(validator.is_valid(&json), read, "{json}");
    }
}

#[test]
fn what_the_schema_refuses_is_not_imported() {
    let validator = validator(None);
    let (store, id, service) = service();
    let edits = &edits()[..1];
    fill(
        &store,
        id,
        edits
            .iter()
            .map(|edit| move |_: &State| serde_json::from_value(edit.clone()).expect("an edit")),
    );
    let mut wrong = 0;
    for without_history in [false, true] {
        let right = export(
            &service,
            &Export {
                without_history,
                ..named()
            },
        );
        for (place, line) in right.iter().enumerate() {
            for json in damaged(line) {
                if validator.is_valid(&json) {
                    continue;
                }
                wrong += 1;
                let mut lines: Vec<String> = right.iter().map(Json::to_string).collect();
                lines[place] = json.to_string();
                let there = Service::with_store(Arc::new(Memory::default()), &Options::default());
                let lines = lines.join("\n");
                let imported =
                    there.import_project(&ImportProject::default(), &mut lines.as_bytes());
                assert!(imported.is_err(), "{json:#}");
            }
        }
    }
    assert!(wrong > 100, "{wrong}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, ..ProptestConfig::default() })]

    #[test]
    fn random_projects_are_as_the_schema_says(seeds in seeds(40), without_history in any::<bool>()) {
        let (store, id, service) = service();
        let (line, one) = (validator(None), validator(Some("Edit")));
        let next = |seed: &Seed| {
            let seed = seed.clone();
            let one = &one;
            move |state: &State| {
                let edit = edit(state.document(), &seed);
                let json = serde_json::to_value(&edit).expect("JSON");
                // A number that is none is null, and is refused.
                let read = serde_json::from_value::<Edit>(json.clone());
                assert_eq!(one.is_valid(&json), read.is_ok(), "{json:#}");
                edit
            }
        };
        fill(&store, id, seeds.iter().map(next));
        for json in export(&service, &Export { without_history, ..named() }) {
            assert_valid(&line, &json);
        }
    }
}
