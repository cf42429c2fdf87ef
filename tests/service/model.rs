//! Objects, level sets and the build, by edits of agents.

use fibula::graph::FunctionId;
use fibula::service::{GetStructure, Service, Undo};
use serde_json::{Value as Json, json};

use super::{apply, origin, value};

fn structure(service: &Service) -> Json {
    let structure = service
        .get_structure(&GetStructure::default())
        .expect("there");
    serde_json::to_value(structure).expect("plain data")
}

#[test]
fn a_part_is_made_in_one_call() {
    let service = Service::default();
    let edits = json!([
        {"create_function_from_expression": {"alias": "f", "name": "ball", "expression": "length(pos) - 5",
            "outputs": [{"name": "shape", "type": "float"}]}},
        {"create_level_set": {"alias": "part", "function_id": "$f", "bounds": [[-6, -6, -6], [6, 6, 6]], "name": "Ball"}},
        {"create_build_item": {"alias": "second", "object_id": "$part", "transform": [1,0,0, 0,1,0, 0,0,1, 20,0,0]}},
        {"modify_build_item": {"item_id": "$second", "part_number": "B-2"}},
        {"set_metadata": {"name": "Title", "value": "Two balls"}},
        {"set_unit": {"unit": "inch"}},
    ]);
    let applied = apply(&service, edits).expect("it is a part");
    insta::assert_json_snapshot!("applied", applied);
    insta::assert_json_snapshot!("structure", structure(&service));
    let modify = json!([{"modify_level_set": {"resource_id": 3, "min_feature_size": 0.2, "mesh_bbox_only": false,
        "bounds": [[-7, -7, -7], [7, 7, 7]]}}]);
    apply(&service, modify).expect("it is a level set");
    let now = structure(&service);
    assert_eq!(now["resources"][1]["mesh_id"], 4);
    assert_eq!(now["resources"][1]["mesh_bbox_only"], false);
    let undo = Undo::default();
    service.undo(&origin(), &undo).expect("it is taken back");
    service.undo(&origin(), &undo).expect("all of it");
    assert_eq!(structure(&service)["resources"], json!([]));
    assert_eq!(structure(&service)["build_items"], json!([]));
    assert_eq!(structure(&service)["unit"], "millimeter");
}

#[test]
fn meshes_are_asked() {
    let service = Service::default();
    let edits = json!([
        {"set_mesh": {"alias": "box", "bounds": [[0, 0, 0], [2, 2, 2]]}},
        {"create_function_from_expression": {"alias": "f", "name": "around", "expression": "mesh(1, pos) - 0.5"}},
    ]);
    apply(&service, edits).expect("a mesh and a function");
    let points = json!([{"pos": [3, 1, 1]}, {"pos": [1, 1, 1]}]);
    let values = value(&service, FunctionId(2), points);
    assert_eq!(values, json!([{"shape": 0.5}, {"shape": -1.5}]));
    let refused =
        apply(&service, json!([{"remove_resource": {"resource_id": 1}}])).expect_err("in use");
    assert!(refused.contains("in_use"), "{refused}");
}

#[test]
fn edits_of_objects_are_refused_in_words() {
    let service = Service::default();
    let edits = json!([
        {"create_function_from_expression": {"name": "two", "expression": "a = length(pos); b = 1"}},
        {"set_mesh": {"bounds": [[0, 0, 0], [2, 2, 2]]}},
    ]);
    apply(&service, edits).expect("a mesh and a function");
    let refusals = [
        json!({"create_level_set": {"function_id": 1, "mesh_id": 2}}),
        json!({"create_level_set": {"function_id": 1, "channel": "a"}}),
        json!({"create_level_set": {"function_id": 1, "channel": "a", "mesh_id": 2, "bounds": [[0,0,0],[1,1,1]]}}),
        json!({"create_level_set": {"function_id": 1, "channel": "a", "bounds": [[0,0,0],[1,0,1]]}}),
        json!({"create_level_set": {"function_id": 7, "channel": "a", "mesh_id": 2}}),
        json!({"create_level_set": {"function": 1}}),
        json!({"create_level_set": {"function_id": "$f"}}),
        json!({"modify_level_set": {"resource_id": 2}}),
        json!({"modify_level_set": {"resource_id": 9}}),
        json!({"set_mesh": {"vertices": [[0,0,0]]}}),
        json!({"set_mesh": {"vertices": [[0,0,0]], "triangles": [[0,1,2]]}}),
        json!({"modify_object": {"resource_id": 1}}),
        json!({"modify_build_item": {"item_id": 1, "part_number": "x"}}),
        json!({"create_build_item": {"object_id": 2, "transform": [1, 2]}}),
        json!({"set_unit": {"unit": "mile"}}),
        json!({"remove_resource": {"resource_id": 1}}),
        json!({"create_levelset": {}}),
    ];
    let texts: Vec<String> = refusals
        .iter()
        .map(|edit| apply(&service, json!([edit])).expect_err("it is refused"))
        .collect();
    insta::assert_snapshot!("refusals", texts.join("\n"));
    assert_eq!(structure(&service)["revision"], 1);
}
