//! Objects, level sets and the build, by edits of agents.

use fibula::graph::FunctionId;
use fibula::service::{EmptyProject, GetStructure, RemoveUnused, Service, Undo};
use serde_json::{Value as Json, json};

use super::{apply, origin, undo, value};

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
    assert_fields!(now["resources"][1], { "mesh_id": 4, "mesh_bbox_only": false });
    let undo = Undo::default();
    service.undo(&origin(), &undo).expect("it is taken back");
    service.undo(&origin(), &undo).expect("all of it");
    assert_fields!(structure(&service), { "resources": [], "build_items": [], "unit": "millimeter" });
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
    assert_contains!(refused => "in_use");
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
    let refused = |edit| apply(&service, json!([edit])).expect_err("it is refused");
    let texts: Vec<String> = refusals.iter().map(refused).collect();
    insta::assert_snapshot!("refusals", texts.join("\n"));
    assert_eq!(structure(&service)["revision"], 1);
}

/// A project with what is needed and what is not: a level set with colours that calls, another that is not built, an
/// image function, meshes.
fn crowded() -> Service {
    let service = Service::default();
    let edits = json!([
        {"create_function_from_expression": {"alias": "inner", "name": "inner", "expression": "length(pos)"}},
        {"create_function_from_expression": {"alias": "outer", "name": "outer", "expression": "inner(pos) - 5"}},
        {"create_function_from_expression": {"alias": "paint", "name": "paint", "expression": "color = pos * 0.1"}},
        {"set_volume_data": {"alias": "colours", "color": {"function_id": "$paint"}}},
        {"create_level_set": {"alias": "part", "function_id": "$outer", "bounds": [[-6, -6, -6], [6, 6, 6]],
            "name": "Part", "volume_id": "$colours"}},
        {"create_function_from_expression": {"alias": "leaf", "name": "leaf", "expression": "length(pos) * 2"}},
        {"create_function_from_expression": {"alias": "stem", "name": "stem", "expression": "leaf(pos) - 1"}},
        {"create_level_set": {"alias": "spare", "function_id": "$stem", "bounds": [[0, 0, 0], [1, 1, 1]],
            "name": "Spare", "build": false}},
        {"set_mesh": {"alias": "block", "bounds": [[0, 0, 0], [2, 2, 2]], "name": "Block"}},
        {"create_function_from_expression": {"name": "asks the block", "expression": "mesh(11, pos)"}},
        {"set_assembly": {"components": [{"object_id": "$block"}], "name": "Pile"}},
    ]);
    apply(&service, edits).expect("a crowd");
    service
}

#[test]
fn what_nothing_needs_goes_in_one_step() {
    let service = crowded();
    let before = structure(&service);
    let tried = service.remove_unused(&origin(), &with_defaults!(RemoveUnused, dry_run: true));
    let tried = serde_json::to_value(tried.expect("it can be tried")).expect("plain data");
    assert_eq!(structure(&service), before);
    let gone = service.remove_unused(&origin(), &RemoveUnused::default());
    let gone = serde_json::to_value(gone.expect("it goes")).expect("plain data");
    assert_eq!(gone["removed"], tried["removed"]);
    insta::assert_json_snapshot!("unused", gone);
    let now = structure(&service);
    assert_eq!(now["function_count"], 3);
    let resources = now["resources"].as_array().expect("a list").iter();
    let left: Vec<&Json> = resources.map(|one| &one["kind"]).collect();
    assert_eq!(left, ["volume data", "mesh", "level set"]);
    let again = service
        .remove_unused(&origin(), &RemoveUnused::default())
        .expect("nothing is left to go");
    assert_eq!((again.removed_count, again.revision), (0, 2));
    undo(&service);
    let mut back = structure(&service);
    back["revision"] = json!(1);
    assert_eq!(back, before);
}

#[test]
fn the_edit_removes_the_same() {
    let (service, other) = (crowded(), crowded());
    let gone = service
        .remove_unused(&origin(), &RemoveUnused::default())
        .expect("it goes");
    let edits = json!([
        {"remove_unused_resources": {}},
        {"create_function_from_expression": {"name": "late", "expression": "0"}},
    ]);
    let applied = apply(&other, edits).expect("it goes");
    assert_each_eq! {
        applied["results"][0]["removed"] => serde_json::to_value(&gone.removed).expect("plain data");
        structure(&other)["resources"] => structure(&service)["resources"];
    }
    let wrong = apply(&other, json!([{"remove_unused_resources": {"all": true}}]))
        .expect_err("it takes nothing");
    assert_starts!(wrong => "invalid_edit");
}

#[test]
fn a_project_that_builds_nothing_keeps_everything() {
    let service = Service::default();
    let edit = json!([{"set_mesh": {"bounds": [[0, 0, 0], [2, 2, 2]]}}]);
    apply(&service, edit).expect("a mesh");
    let kept = service
        .remove_unused(&origin(), &RemoveUnused::default())
        .expect("it is no refusal");
    assert_eq!((kept.removed_count, kept.revision), (0, 1));
    assert!(kept.message.is_some_and(|text| text.contains("no item")));
    let stale = with_defaults!(RemoveUnused, expected_revision: Some(7));
    let refused = service.remove_unused(&origin(), &stale);
    assert_eq!(refused.expect_err("it is stale").code, "revision_conflict");
}

#[test]
fn a_project_is_emptied_and_filled_again() {
    let service = crowded();
    let before = structure(&service);
    service
        .empty_project(&origin(), &EmptyProject::default())
        .expect("it is emptied");
    let empty = structure(&service);
    assert_fields!(empty, { "function_count": 0, "resources": [], "build_items": [] });
    let again = service
        .empty_project(&origin(), &EmptyProject::default())
        .expect("it is empty");
    assert_eq!(again.revision, 2);
    undo(&service);
    assert_eq!(structure(&service)["resources"], before["resources"]);
}

#[test]
fn items_of_the_build_are_named_by_place_too() {
    let service = crowded();
    let edits = json!([{"modify_build_item": {"index": 0, "part_number": "A-1"}}]);
    apply(&service, edits).expect("there is one");
    assert_eq!(structure(&service)["build_items"][0]["part_number"], "A-1");
    for (edit, code) in cases![
        json!({"modify_build_item": {"index": 1, "part_number": "x"}}) => "unknown_resource";
        json!({"modify_build_item": {"index": 0, "item_id": 1}}) => "invalid_arguments";
        json!({"modify_build_item": {"part_number": "x"}}) => "invalid_arguments";
    ] {
        let refused = apply(&service, json!([edit])).expect_err("it is refused");
        assert_starts!(refused => code);
    }
}

#[test]
fn objects_of_the_type_other_are_not_built() {
    let service = Service::default();
    let edits = json!([
        {"set_mesh": {"bounds": [[0, 0, 0], [2, 2, 2]]}},
        {"set_mesh": {"bounds": [[0, 0, 0], [2, 2, 2]]}},
        {"create_build_item": {"object_id": 1}},
        {"modify_object": {"resource_id": 2, "type": "other"}},
    ]);
    apply(&service, edits).expect("it is not built");
    for edit in [
        json!({"create_build_item": {"object_id": 2}}),
        json!({"modify_build_item": {"item_id": 1, "object_id": 2}}),
        json!({"modify_object": {"resource_id": 1, "type": "other"}}),
    ] {
        let refused = apply(&service, json!([edit])).expect_err("3MF forbids it");
        assert_starts!(refused => "not_buildable: ");
    }
    let edit = json!([{"modify_build_item": {"item_id": 1, "part_number": "a"}}]);
    apply(&service, edit).expect("it is built as before");
}
