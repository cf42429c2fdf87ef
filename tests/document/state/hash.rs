//! The hash of a state: what is in it, and what it is for ever.

use fibula::graph::{ContentHash, Document, Function};
use serde_json::{Value as Json, json};

use super::{apply, same, start, through_bytes, through_json};

/// These numbers are in stored logs: when one changes, the hash is wrong, not the test.
#[test]
fn the_hash_is_the_same_for_ever() {
    assert_eq!(Document::default().hash(), 0);
    let document = start();
    let hashes: Vec<u64> = document.functions().map(Function::hash).collect();
    assert_eq!(hashes, [0x9116_e54b_a009_eb8f, 0xdc3b_d0ad_adbc_f1ba]);
    assert_eq!(document.hash(), 0x12c6_0093_1264_eb06);
}

/// A node, an edge and a schema; the numbers are in stored logs and snapshots.
#[test]
fn the_hash_of_knowledge_is_the_same_for_ever() {
    let mut document = Document::default();
    let observations = json!([{"text": "noted", "at": 5, "by": "ann"}]);
    let edits = [
        known_node(
            &json!({"data": {"z": [1, null], "a": 0.5}, "observations": observations, "position": [1, -2.5]}),
        ),
        known_edge(
            &json!({"target": "n1", "label": "Größe", "weight": 0.1, "valid_from": -3, "data": {"a": {}}}),
        ),
        json!({"knowledge": {"set_schema": {"node_types": [{"key": "a"}], "strict": "warn",
            "edge_types": [{"key": "a", "inverse": "b", "domain": ["a"]}]}}}),
    ];
    apply(&mut document, &json!(edits));
    assert_eq!(document.hash(), 0x87c5_ff69_cc56_7571);
    let bytes = postcard::to_stdvec(&document.compact()).unwrap();
    // The third form is the same without its end, the details of inputs.
    let third = bytes.strip_suffix(&[0]).unwrap();
    let hash = blake3::hash(third).to_hex();
    assert_eq!((third.len(), &hash[..16]), (242, "9c10b2612ac070cf"));
    same(&through_bytes(&bytes).unwrap(), &document);
    let written = serde_json::to_string(&document.data()).unwrap();
    same(&through_json(&written).unwrap(), &document);
}

/// One of each kind of what is beside the functions; the numbers are in stored logs and snapshots.
#[test]
fn the_hash_of_a_model_is_the_same_for_ever() {
    let mut document = start();
    let field = json!({"function_id": 1, "channel": "shape", "min_feature_size": 0.5, "fallback_value": -0.0});
    let extra = json!({"attributes": [{"namespace": "n", "name": "a", "value": "v"}], "elements": ["<e/>"]});
    let hash = ContentHash::digest(b"bytes");
    let metadata = json!({"name": "Title", "value": "x", "type": "xs:string", "preserve": true});
    let set = |id: u32, resource: Json| json!({"model": {"set_resource": {"resource_id": id, "resource": resource}}});
    let edits = json!([
        {"model": {"set_info": {"unit": "inch", "language": "en", "required": ["r"], "recommended": ["o"], "extra": extra,
            "build": [{"name": "b", "value": "w"}],
            "relationships": [{"source": "", "target": "t.png", "type": "u", "id": "rel0", "external": false}]}}},
        {"model": {"set_metadata": metadata}},
        {"model": {"set_part": {"name": "t.png", "part": {"media_type": "image/png", "size": 5, "content": hash}}}},
        set(50, json!({"foreign": {"namespace": "n", "element": "colorgroup", "content": hash, "size": 5}})),
        set(51, json!({"object": {"name": "Box", "type": "support", "part_number": "1",
            "properties": {"group": 50, "index": 2}, "metadata": [metadata], "extra": extra, "body": {"mesh":
            {"content": hash, "size": 5, "vertices": 3, "triangles": 1, "beams": 2, "bounds": [[0, 0, 0], [1, 1, 1]],
            "references": [50]}}}})),
        set(52, json!({"volume_data": {"properties": [{"name": "d", "required": true, "field": field}],
            "composite": {"base_materials": 50, "materials": [field]}, "extra": extra}})),
        set(53, json!({"object": {"body": {"level_set":
            {"field": field, "mesh": 51, "mesh_bbox_only": true, "volume": 52}}}})),
        set(54, json!({"object": {"body": {"components": [{"object": 53, "extra": extra}]}}})),
        set(55, json!({"image": {"name": "i", "columns": 2, "rows": 3,
            "sheets": [{"path": "a.png", "content": hash, "size": 5}], "extra": extra}})),
        set(56, json!({"object": {"body": {"foreign":
            {"namespace": "n", "element": "shape", "content": hash, "size": 5, "references": [51]}}}})),
        {"model": {"set_build_item": {"item": {"object": 54, "transform": [1, 0, 0, 0, 1, 0, 0, 0, 1, -0.0, 2, 3],
            "part_number": "p", "metadata": [metadata], "extra": extra}}}},
    ]);
    apply(&mut document, &edits);
    assert_eq!(document.hash(), 0xf496_3d37_3462_e659);
    let bytes = postcard::to_stdvec(&document.compact()).unwrap();
    // The third form is the same without its end, the details of inputs.
    let third = bytes.strip_suffix(&[0]).unwrap();
    let hash = blake3::hash(third).to_hex();
    assert_eq!((third.len(), &hash[..16]), (1796, "f242fa2316eda33a"));
    same(&through_bytes(&bytes).unwrap(), &document);
    let written = serde_json::to_string(&document.data()).unwrap();
    same(&through_json(&written).unwrap(), &document);
}

/// The bytes are those that `graph::hash` promises, written out here by hand.
#[test]
fn the_hash_is_that_of_the_bytes_that_are_promised() {
    let mut document = Document::default();
    apply(
        &mut document,
        &json!([
            {"set_function": {
                "function_id": 258, "name": "µ", "outputs": [{"name": "s", "type": "float"}],
                "nodes": [
                    {"node_id": 1, "node_type": "Sine", "display_name": "a", "position": [1, -2],
                     "overload": 0, "parameters": {"A": {"value": 0.5}}},
                    {"node_id": 0, "node_type": "End", "parameters": {"s": {"source": {"node_id": 1, "port": "result"}}}},
                ],
            }},
        ]),
    );
    let function = b"\x01\x02\x01\0\0\x02\0\0\0\xc2\xb5";
    let sine = b"\x02\x02\x01\0\0\x01\0\0\0\x04\0\0\0Sine\0\0\x01\x01\0\0\0a\
        \x01\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\xc0\0\
        \0\0\x01\x01\0\0\0\0\0\0\xe0\x3f";
    let end = b"\x02\x02\x01\0\0\0\0\0\0\x03\0\0\0End\0\0\0\0\
        \x01\x01\0\x01\0\0\0s\0\0\x01\0\x01\0\x01\0\0\
        \0\0\x02\x01\0\0\0\0\0";
    let first = |bytes: &[u8]| {
        let hash = blake3::hash(bytes);
        u64::from_le_bytes(hash.as_bytes()[..8].try_into().unwrap())
    };
    let sum = first(function)
        .wrapping_add(first(sine))
        .wrapping_add(first(end));
    assert_eq!(document.hash(), sum);
}

/// A node of the knowledge graph with something else.
fn known_node(change: &Json) -> Json {
    let mut node = json!({"id": "n1", "label": "a", "types": ["a"], "creator": "a", "created": 1, "modified": 1,
        "version": 1, "order": 1});
    let change = change.as_object().unwrap().clone();
    node.as_object_mut().unwrap().extend(change);
    json!({"knowledge": {"put_node": node}})
}

/// An edge from function 1 to itself with something else.
fn known_edge(change: &Json) -> Json {
    let mut edge = json!({"id": "e1", "source": "fn:1", "target": "fn:1", "type": "a", "creator": "a", "created": 1,
        "modified": 1, "order": 1});
    let change = change.as_object().unwrap().clone();
    edge.as_object_mut().unwrap().extend(change);
    json!({"knowledge": {"put_edge": edge}})
}

/// Each of these changes one thing only, of every kind that there is.
#[test]
fn every_part_of_the_state_is_in_the_hash() {
    let start = start();
    let mut seen = vec![start.hash()];
    for edit in [
        json!({"rename_function": {"function_id": 1, "name": "Bal"}}),
        json!({"rename_node": {"function_id": 1, "node_id": 3, "display_name": null}}),
        json!({"rename_node": {"function_id": 1, "node_id": 9, "display_name": "9"}}),
        json!({"move_node": {"function_id": 1, "node_id": 1, "position": [-100.5, 21]}}),
        json!({"move_node": {"function_id": 2, "node_id": 3, "position": [0, -0.0]}}),
        json!({"move_node": {"function_id": 2, "node_id": 3, "position": null}}),
        json!({"set_overload": {"function_id": 1, "node_id": 10, "overload": 2}}),
        json!({"set_parameter_value": {"function_id": 2, "node_id": 3, "parameter_name": "radius", "value": 2.25}}),
        json!({"set_parameter_value": {"function_id": 2, "node_id": 3, "parameter_name": "radius", "value": null}}),
        json!({"set_parameter_value": {"function_id": 2, "node_id": 4, "parameter_name": "vectorinput", "value": ""}}),
        json!({"set_parameter_value": {"function_id": 2, "node_id": 6, "parameter_name": "mesh", "value": 4}}),
        json!({"set_parameter_value": {"function_id": 1, "node_id": 10, "parameter_name": "A", "value": [1, 2, 3]}}),
        json!({"set_parameter_value": {"function_id": 1, "node_id": 10, "parameter_name": "B", "value": [1, 2, 3]}}),
        json!({"delete_link": {"function_id": 2, "target_node_id": 3, "target_parameter_name": "pos"}}),
        json!({"create_node": {"function_id": 1, "node_type": "Sine", "node_id": 4}}),
        json!({"create_node": {"function_id": 1, "node_type": "Sine", "node_id": 5}}),
        json!({"create_node": {"function_id": 1, "node_type": "Cosine", "node_id": 5}}),
        json!({"create_node": {"function_id": 2, "node_type": "Sine", "node_id": 8}}),
        json!({"delete_node": {"function_id": 1, "node_id": 9}}),
        json!({"add_port": {"function_id": 2, "side": "output", "name": "a", "type": "float"}}),
        json!({"add_port": {"function_id": 2, "side": "output", "name": "a", "type": "float3"}}),
        json!({"add_port": {"function_id": 2, "side": "input", "name": "a", "type": "float"}}),
        json!({"rename_port": {"function_id": 2, "side": "output", "name": "shape", "new_name": "a"}}),
        json!({"set_callee": {"function_id": 2, "node_id": 7, "callee": {"inputs": [], "outputs": []}}}),
        json!({"remove_image_function": {"resource_id": 7}}),
        json!({"remove_file": {"resource_id": 3}}),
        json!({"knowledge": {"set_schema": {"strict": "warn"}}}),
        json!({"knowledge": {"set_schema": {"node_types": [{"key": "warn"}]}}}),
        known_node(&json!({})),
        known_node(&json!({"id": "n2"})),
        known_node(&json!({"label": "b"})),
        known_node(&json!({"types": ["b"]})),
        known_node(&json!({"types": ["a", "b"]})),
        known_node(&json!({"data": {"b": 1}})),
        known_node(&json!({"data": {"b": 1.0}})),
        known_node(&json!({"observations": [{"text": "b", "at": 1, "by": "c"}]})),
        known_node(&json!({"observations": [{"text": "b", "at": 2, "by": "c"}]})),
        known_node(&json!({"position": [0, 0]})),
        known_node(&json!({"position": [0, -0.0]})),
        known_node(&json!({"creator": "b"})),
        known_node(&json!({"created": 2})),
        known_node(&json!({"modified": 2})),
        known_node(&json!({"version": 2})),
        known_node(&json!({"order": 2})),
        known_edge(&json!({})),
        known_edge(&json!({"id": "e2"})),
        known_edge(&json!({"source": "fn:2"})),
        known_edge(&json!({"target": "fn:2"})),
        known_edge(&json!({"type": "b"})),
        known_edge(&json!({"label": ""})),
        known_edge(&json!({"data": {"b": null}})),
        known_edge(&json!({"weight": 0})),
        known_edge(&json!({"weight": -0.0})),
        known_edge(&json!({"valid_from": 1})),
        known_edge(&json!({"valid_to": 1})),
        known_edge(&json!({"creator": "b"})),
        known_edge(&json!({"created": 2})),
        known_edge(&json!({"modified": 2})),
        known_edge(&json!({"order": 2})),
    ] {
        let mut document = start.clone();
        apply(&mut document, &json!([edit]));
        let hash = document.hash();
        assert!(!seen.contains(&hash), "{edit} does not change the hash");
        seen.push(hash);
    }
}
