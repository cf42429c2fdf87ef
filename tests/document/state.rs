//! Laws of a document's state: its hash, and its written-out forms.

mod hash;

use std::collections::HashMap;
use std::sync::Arc;

use crate::random::{edit, seeds};
use fibula::edit::{Edit, KnowledgeEdit, ModelEdit, check};
use fibula::graph::{
    Compact, CompactModel, Content, ContentHash, Document, DocumentData, Function, FunctionData,
    Resource,
};
use fibula::knowledge::CompactKnowledge;
use fibula_nodes::{Oracle, Query, ResourceId, ResourceKind};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

/// The document, built anew from its written-out functions and its resources.
fn rebuilt(document: &Document) -> Document {
    let mut built = Document::default();
    let mut model = Vec::new();
    for (id, resource) in document.resources() {
        match resource {
            Resource::Model(resource) => model.push(ModelEdit::SetResource {
                resource_id: Some(id),
                resource: resource.clone(),
            }),
            resource => built.insert_resource(id, resource.clone()).unwrap(),
        }
    }
    let mut left: Vec<FunctionData> = document.functions().map(Function::data).collect();
    while !left.is_empty() {
        let before = left.len();
        left.retain(|data| built.insert(data).is_err());
        assert!(left.len() < before, "no function can be built: {left:?}");
    }
    let mut model: Vec<Edit> = model.into_iter().map(Edit::Model).collect();
    while !model.is_empty() {
        let before = model.len();
        model.retain(|edit| edit.apply(&mut built).is_err());
        assert!(model.len() < before, "no resource can be added: {model:?}");
    }
    let held = document.model();
    let items = held.items().map(|(id, item)| ModelEdit::SetBuildItem {
        item_id: Some(id),
        item: item.clone(),
    });
    let metadata = held.metadata().cloned().map(ModelEdit::SetMetadata);
    let parts = held.parts().map(|(name, part)| ModelEdit::SetPart {
        name: name.to_owned(),
        part: part.clone(),
    });
    let info = ModelEdit::SetInfo(held.info().clone());
    for edit in items.chain(metadata).chain(parts).chain([info]) {
        Edit::Model(edit).apply(&mut built).unwrap();
    }
    let known = document.knowledge().data();
    let nodes = known.nodes.into_iter().map(Box::new);
    let edges = known.edges.into_iter().map(Box::new);
    let known = nodes
        .map(KnowledgeEdit::PutNode)
        .chain(edges.map(KnowledgeEdit::PutEdge))
        .chain([KnowledgeEdit::SetSchema(known.schema)]);
    for edit in known {
        Edit::Knowledge(edit).apply(&mut built).unwrap();
    }
    built
}

/// A document as text.
fn written(document: &Document) -> String {
    let functions: Vec<FunctionData> = document.functions().map(Function::data).collect();
    let resources: Vec<_> = document.resources().collect();
    let model = fibula::graph::model::ModelData {
        used: fibula::graph::IdSet::default(),
        ..document.data().model
    };
    let knowledge = fibula::knowledge::KnowledgeData {
        used: fibula::knowledge::UsedNumbers::default(),
        ..document.knowledge().data()
    };
    format!(
        "{} {resources:?} {} {}",
        serde_json::to_string(&functions).unwrap(),
        serde_json::to_string(&model).unwrap(),
        serde_json::to_string(&knowledge).unwrap()
    )
}

/// A document with calls, a gradient, references and values of every type.
fn start() -> Document {
    let mut document = Document::default();
    let edits = json!([
        {"set_function": {
            "function_id": 1, "name": "Ball",
            "inputs": [{"name": "pos", "type": "float3"}, {"name": "radius", "type": "float"}],
            "outputs": [{"name": "shape", "type": "float"}],
            "nodes": [
                {"node_id": 0, "node_type": "End", "parameters": {"shape": {"source": {"node_id": 3, "port": "result"}}}},
                {"node_id": 1, "node_type": "Begin", "position": [-100.5, 20]},
                {"node_id": 2, "node_type": "Length", "parameters": {"A": {"source": {"node_id": 1, "port": "pos"}}}},
                {"node_id": 3, "node_type": "Subtraction", "display_name": "Größe", "parameters": {
                    "A": {"source": {"node_id": 2, "port": "result"}},
                    "B": {"source": {"node_id": 1, "port": "radius"}},
                }},
                {"node_id": 9, "node_type": "MatrixVectorMultiplication", "parameters": {
                    "A": {"value": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, -0.0, 0.1]},
                }},
                {"node_id": 10, "node_type": "Addition", "overload": 1},
            ],
        }},
        {"set_function": {
            "function_id": 2, "name": "Scene", "inputs": [{"name": "pos", "type": "float3"}],
            "outputs": [{"name": "shape", "type": "float"}],
            "nodes": [
                {"node_id": 2, "node_type": "Resource", "parameters": {"resourceid": {"value": 1}}},
                {"node_id": 3, "node_type": "FunctionCall", "position": [0, 0], "parameters": {
                    "functionID": {"source": {"node_id": 2, "port": "value"}},
                    "pos": {"source": {"node_id": 1, "port": "pos"}},
                    "radius": {"value": 2.5},
                }},
                {"node_id": 4, "node_type": "FunctionGradient", "parameters": {
                    "functionID": {"value": 1},
                    "vectorinput": {"value": "pos"},
                    "pos": {"source": {"node_id": 1, "port": "pos"}},
                }},
                {"node_id": 5, "node_type": "Addition", "parameters": {
                    "A": {"source": {"node_id": 3, "port": "shape"}},
                    "B": {"source": {"node_id": 4, "port": "magnitude"}},
                }},
                {"node_id": 6, "node_type": "SignedDistanceToMesh", "parameters": {"mesh": {"value": 5}}},
                {"node_id": 7, "node_type": "FunctionCall", "callee": {
                    "inputs": [{"name": "x", "type": "float"}], "outputs": [{"name": "y", "type": "matrix4x4"}],
                }},
                {"node_id": 0, "node_type": "End", "parameters": {"shape": {"source": {"node_id": 5, "port": "result"}}}},
            ],
        }},
        {"add_image_function": {"resource_id": 7, "image": {
            "name": "Picture", "image": 6, "scale": 0.5, "offset": -1, "filter": "linear",
            "tiles": ["wrap", "mirror", "none"],
        }}},
        {"add_file": {"file": {
            "name": "Ball.3mf", "media_type": "model/3mf", "size": 1_234_567_890_123_u64,
            "content": ContentHash::digest(b"ball"),
        }}},
    ]);
    apply(&mut document, &edits);
    document
}

fn apply(document: &mut Document, edits: &Json) {
    for json in edits.as_array().unwrap() {
        let edit: Edit = serde_json::from_value(json.clone()).unwrap();
        edit.apply(document).unwrap();
    }
}

/// Everything that makes two documents equal, the ids that were given up included.
fn same(left: &Document, right: &Document) {
    assert_eq!(written(left), written(right));
    assert_eq!(left.hash(), right.hash());
    assert_eq!(left.data(), right.data());
    assert_eq!(left.compact(), right.compact());
    assert_eq!(left.next_id(), right.next_id());
    for (left_function, right_function) in left.functions().zip(right.functions()) {
        assert_eq!(left_function.next_node_id(), right_function.next_node_id());
        let callers = |document: &Document| document.callers(left_function.id());
        assert_eq!(callers(left), callers(right));
        for (left, right) in left_function.nodes().zip(right_function.nodes()) {
            assert_eq!(left.overload(), right.overload());
            assert_eq!(left.signature(), right.signature());
            assert_eq!(left.callee(), right.callee());
            assert_eq!(left.consumers(), right.consumers());
        }
    }
}

/// The document by way of the bytes of its compact form.
fn through_bytes(bytes: &[u8]) -> Result<Document, String> {
    let compact: Compact = postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
    compact.document().map_err(|error| error.to_string())
}

/// The document by way of JSON.
fn through_json(text: &str) -> Result<Document, String> {
    let data: DocumentData = serde_json::from_str(text).map_err(|error| error.to_string())?;
    data.document().map_err(|error| error.to_string())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, max_shrink_iters: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn the_hash_follows_every_edit(seeds in seeds(60), empty in any::<bool>()) {
        let mut document = if empty { Document::default() } else { start() };
        // Two states of one hash, and one state of two hashes, would both be seen.
        let mut states: HashMap<u64, String> = HashMap::new();
        let mut hashes: HashMap<String, u64> = HashMap::new();
        for seed in &seeds {
            let edit = edit(&document, seed);
            let before = document.hash();
            let Ok(checked) = check(&document, &edit) else {
                prop_assert_eq!(document.hash(), before);
                continue;
            };
            let inverse = checked.inverse().clone();
            checked.apply(&mut document);
            let after = document.hash();
            prop_assert_eq!(rebuilt(&document).hash(), after, "after {:?}", edit);
            for function in document.functions() {
                prop_assert_eq!(document.build(&function.data()).unwrap().hash(), function.hash());
            }
            let text = written(&document);
            prop_assert_eq!(states.entry(after).or_insert_with(|| text.clone()), &text);
            prop_assert_eq!(*hashes.entry(text).or_insert(after), after);
            let mut back = document.clone();
            inverse.apply(&mut back).unwrap();
            prop_assert_eq!(back.hash(), before, "{:?} is no inverse of {:?}", inverse, edit);
            prop_assert_eq!(document.hash(), after, "a copy was changed");
        }
    }

    #[test]
    fn what_is_written_out_comes_back(seeds in seeds(80), empty in any::<bool>()) {
        let mut document = if empty { Document::default() } else { start() };
        for seed in &seeds {
            drop(edit(&document, seed).apply(&mut document));
        }
        let bytes = postcard::to_stdvec(&document.compact()).unwrap();
        same(&through_bytes(&bytes).unwrap(), &document);
        let text = serde_json::to_string(&document.data()).unwrap();
        same(&through_json(&text).unwrap(), &document);
    }

    #[test]
    fn damaged_bytes_give_an_error_or_a_sound_document(
        seeds in seeds(20),
        flips in prop::collection::vec((any::<prop::sample::Index>(), 0..8_u8), 1..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut document = start();
        for seed in &seeds {
            drop(edit(&document, seed).apply(&mut document));
        }
        let mut bytes = postcard::to_stdvec(&document.compact()).unwrap();
        prop_assert!(through_bytes(&bytes[..cut.index(bytes.len())]).is_err());
        for (place, bit) in flips {
            let place = place.index(bytes.len());
            bytes[place] ^= 1 << bit;
        }
        if let Ok(read) = through_bytes(&bytes) {
            prop_assert_eq!(rebuilt(&read).hash(), read.hash());
            let again = postcard::to_stdvec(&read.compact()).unwrap();
            same(&through_bytes(&again).unwrap(), &read);
        }
    }
}

#[test]
fn a_document_is_written_readably() {
    let mut document = start();
    apply(
        &mut document,
        &json!([
            {"delete_node": {"function_id": 1, "node_id": 10}},
            {"delete_node": {"function_id": 2, "node_id": 7}},
            {"delete_node": {"function_id": 2, "node_id": 6}},
            {"set_function": {"function_id": 12, "name": "gone"}},
            {"delete_function": {"function_id": 12}},
        ]),
    );
    let mut written = serde_json::to_value(document.data()).unwrap();
    for function in written["functions"].as_array_mut().unwrap() {
        function["nodes"] = json!(function["nodes"].as_array().unwrap().len());
    }
    insta::assert_snapshot!(serde_json::to_string_pretty(&written).unwrap());
}

#[test]
fn what_no_edit_could_have_made_is_refused() {
    let good = serde_json::to_value(start().data()).unwrap();
    let refused = |change: &dyn Fn(&mut Json)| {
        let mut written = good.clone();
        change(&mut written);
        through_json(&written.to_string())
            .map(|document| document.hash())
            .unwrap_err()
    };
    let image = |id: u32, image: u32| {
        json!({"resource_id": id, "image": {
            "name": "Picture", "image": image, "scale": 1, "offset": 0, "filter": "linear",
            "tiles": ["wrap", "wrap", "wrap"],
        }})
    };
    let refusals = [
        refused(&|written| written["functions"][1]["function_id"] = json!(1)),
        refused(&|written| written["functions"][1]["function_id"] = json!(7)),
        refused(&|written| written["image_functions"][0] = image(7, 2)),
        refused(&|written| written["image_functions"] = json!([image(7, 8), image(7, 8)])),
        refused(&|written| written["image_functions"][0]["image"]["name"] = json!("")),
        refused(&|written| {
            let call = json!({"node_id": 20, "node_type": "FunctionCall", "parameters": {"functionID": {"value": 2}}});
            written["functions"][0]["nodes"]
                .as_array_mut()
                .unwrap()
                .push(call);
        }),
        refused(&|written| {
            written["functions"][0]["nodes"][2]["parameters"]["A"]["source"]["node_id"] = json!(3);
        }),
        refused(&|written| written["contents"] = json!([{"resource_id": 9, "kind": "mesh"}])),
        refused(&|written| written["files"][0]["resource_id"] = json!(7)),
        refused(&|written| written["files"][0]["file"]["media_type"] = json!("3mf")),
        refused(&|written| {
            let mesh = &mut written["functions"][1]["nodes"][6]["parameters"]["mesh"];
            *mesh = json!({"value": 3});
        }),
        refused(&|written| written["functions"][0]["inputs"][0]["name"] = json!("")),
    ];
    insta::assert_snapshot!(refusals.join("\n"));
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    let bytes = postcard::to_stdvec(&start().compact()).unwrap();
    // A literal, a position and the scale of an image.
    for number in [2.5, -100.5, 0.5_f64] {
        for bad in [f64::NAN, f64::INFINITY] {
            let place = bytes
                .windows(8)
                .position(|part| part == number.to_le_bytes());
            let place = place.unwrap();
            let mut bytes = bytes.clone();
            bytes[place..place + 8].copy_from_slice(&bad.to_le_bytes());
            assert!(through_bytes(&bytes).is_err(), "{bad} for {number}");
        }
    }
}

#[derive(Debug)]
struct Mesh;

impl Content for Mesh {
    fn kind(&self) -> ResourceKind {
        ResourceKind::Mesh
    }

    fn oracle(&self, _: Query) -> Option<Arc<dyn Oracle>> {
        None
    }
}

#[test]
fn a_mesh_is_not_lost_in_silence() {
    let mut document = start();
    let before = document.hash();
    document
        .insert_resource(ResourceId(5), Resource::Content(Arc::new(Mesh)))
        .unwrap();
    assert_ne!(document.hash(), before);
    let bytes = postcard::to_stdvec(&document.compact()).unwrap();
    let refusal = through_bytes(&bytes).unwrap_err();
    assert_starts!(refusal => "resource 5 is a mesh");
    let written = serde_json::to_string(&document.data()).unwrap();
    assert_eq!(through_json(&written).unwrap_err(), refusal);
}

/// Snapshots are stored in this form: when one of these changes, it is another form and needs another name.
#[test]
fn the_compact_form_stays_the_same() {
    let bytes = postcard::to_stdvec(&start().compact()).unwrap();
    let hash = blake3::hash(&bytes).to_hex();
    assert_eq!((bytes.len(), &hash[..16]), (732, "3f2efe1de32b44a0"));
    // The third form is the same without its end, the details of inputs.
    let bytes = bytes.strip_suffix(&[0]).unwrap();
    let hash = blake3::hash(bytes).to_hex();
    assert_eq!((bytes.len(), &hash[..16]), (731, "7aef1218bfd329fd"));
    // The second form is the same without its end, and so is the first of the second.
    let end = postcard::to_stdvec(&CompactKnowledge::default()).unwrap();
    assert_eq!(end, [0; 8]);
    let bytes = bytes.strip_suffix(&end[..]).unwrap();
    let hash = blake3::hash(bytes).to_hex();
    assert_eq!((bytes.len(), &hash[..16]), (723, "084ab1b2b98fec42"));
    let end = postcard::to_stdvec(&CompactModel::default()).unwrap();
    assert_eq!(end, [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let first = bytes.strip_suffix(&end[..]).unwrap();
    let hash = blake3::hash(first).to_hex();
    assert_eq!((first.len(), &hash[..16]), (709, "0707ed9a84e544a3"));
}

#[test]
fn files_are_kept_and_nothing_refers_to_them() {
    let mut document = start();
    let file = |name: &str| json!({"name": name, "media_type": "text/plain", "size": 3, "content": ContentHash::digest(b"abc")});
    let mut edit = |json: Json| {
        let edit: Edit = serde_json::from_value(json).unwrap();
        let checked = check(&document, &edit).map_err(|error| {
            assert!(!error.details().is_null());
            format!("{}: {error}", error.code())
        })?;
        let words = (checked.edit().summary(), checked.inverse().summary());
        let change = checked.apply(&mut document);
        Ok::<_, String>((change.resource_id.map(|id| id.0), words))
    };
    let (id, words) = edit(json!({"add_file": {"file": file("notes.txt")}})).unwrap();
    // Nodes refer to 5 as a mesh and an image function to 6, so these are not free.
    assert_eq!(id, Some(4));
    assert_eq!(words.0, "add file 4 'notes.txt'");
    assert_eq!(words.1, "remove file 4");
    let refusals = [
        edit(json!({"add_file": {"resource_id": 4, "file": file("again.txt")}})),
        edit(json!({"add_file": {"resource_id": 5, "file": file("mesh.txt")}})),
        edit(json!({"add_file": {"file": file("\u{7}")}})),
        edit(json!({"remove_file": {"resource_id": 7}})),
        edit(json!({"remove_image_function": {"resource_id": 4}})),
        edit(json!({"set_parameter_value": {
            "function_id": 2, "node_id": 6, "parameter_name": "mesh", "value": 4,
        }})),
        edit(json!({"set_parameter_value": {
            "function_id": 2, "node_id": 7, "parameter_name": "functionID", "value": 4,
        }})),
    ];
    let refusals: Vec<String> = refusals.into_iter().map(Result::unwrap_err).collect();
    insta::assert_snapshot!(refusals.join("\n"));
    let (id, words) = edit(json!({"remove_file": {"resource_id": 4}})).unwrap();
    assert_eq!((id, words.1), (None, "add file 4 'notes.txt'".to_owned()));
}
