//! Edits of objects, images and the build: what follows, what is refused and why.

use fibula::edit::{Edit, Stage};
use fibula::graph::model::{Body, ModelResource};
use fibula::graph::{ContentHash, Document};
use fibula_nodes::ResourceId;
use serde_json::{Value as Json, json};

fn apply(document: &mut Document, edit: &Json) -> Result<Json, String> {
    let edit: Edit = serde_json::from_value(edit.clone()).expect("an edit");
    let before = document.hash();
    let change = edit.apply(document).map_err(|error| {
        assert_eq!(document.hash(), before, "a refusal changed something");
        format!("{}: {error}", error.code())
    })?;
    Ok(serde_json::to_value(change).expect("plain data"))
}

fn resource(id: u32, resource: &Json) -> Json {
    json!({"model": {"set_resource": {"resource_id": id, "resource": resource}}})
}

fn mesh() -> Json {
    json!({"object": {"name": "Box", "body": {"mesh":
        {"content": ContentHash::digest(b"mesh"), "size": 4, "vertices": 3, "triangles": 1}}}})
}

fn level_set(function: u32, channel: &str, mesh: u32) -> Json {
    json!({"object": {"name": "Part", "body": {"level_set":
        {"field": {"function_id": function, "channel": channel}, "mesh": mesh}}}})
}

/// Function 1 with `pos`, `shape` and `color`; mesh 2, level set 3, volume data 4, and an item that builds the level set.
fn start() -> Document {
    let mut document = Document::default();
    for edit in [
        json!({"set_function": {"function_id": 1, "name": "F",
            "inputs": [{"name": "pos", "type": "float3"}],
            "outputs": [{"name": "shape", "type": "float"}, {"name": "color", "type": "float3"}]}}),
        resource(2, &mesh()),
        resource(3, &level_set(1, "shape", 2)),
        resource(
            4,
            &json!({"volume_data": {"color": {"function_id": 1, "channel": "color"}}}),
        ),
        json!({"model": {"set_build_item": {"item": {"object": 3}}}}),
    ] {
        apply(&mut document, &edit).expect("it can be");
    }
    document
}

#[test]
fn fields_follow_the_outputs_that_they_ask_for() {
    let mut document = start();
    let before = document.hash();
    let rename = |name: &str, new: &str| json!({"rename_port": {"function_id": 1, "side": "output", "name": name, "new_name": new}});
    apply(&mut document, &rename("shape", "distance")).expect("it follows");
    apply(&mut document, &rename("color", "paint")).expect("it follows");
    let channels: Vec<String> = document
        .model_resources()
        .flat_map(|(_, resource)| {
            resource
                .fields()
                .into_iter()
                .map(|field| field.channel.clone())
        })
        .collect();
    assert_eq!(channels, ["distance", "paint"]);
    apply(&mut document, &rename("distance", "shape")).expect("back");
    apply(&mut document, &rename("paint", "color")).expect("back");
    assert_eq!(document.hash(), before);
}

#[test]
fn what_is_in_use_stays_as_it_is_needed() {
    let refusals = [
        json!({"delete_function": {"function_id": 1}}),
        json!({"remove_port": {"function_id": 1, "side": "output", "name": "shape"}}),
        json!({"retype_port": {"function_id": 1, "side": "output", "name": "shape", "type": "float3"}}),
        json!({"rename_port": {"function_id": 1, "side": "input", "name": "pos", "new_name": "p"}}),
        json!({"set_function": {"function_id": 1, "name": "F"}}),
        json!({"model": {"remove_resource": {"resource_id": 2}}}),
        json!({"model": {"remove_resource": {"resource_id": 3}}}),
        json!({"model": {"remove_resource": {"resource_id": 1}}}),
        json!({"model": {"remove_build_item": {"item_id": 2}}}),
        json!({"model": {"remove_metadata": {"name": "Title"}}}),
        json!({"model": {"remove_part": {"name": "a.png"}}}),
        resource(1, &mesh()),
        resource(2, &level_set(1, "shape", 2)),
        resource(2, &level_set(1, "shape", 3)),
        resource(5, &level_set(1, "color", 2)),
        resource(5, &level_set(1, "Shape", 2)),
        resource(5, &level_set(9, "shape", 2)),
        resource(5, &level_set(1, "shape", 9)),
        resource(5, &level_set(1, "shape", 4)),
        resource(3, &json!({"volume_data": {}})),
        resource(
            5,
            &json!({"volume_data": {"color": {"function_id": 1, "channel": "shape"}}}),
        ),
        resource(
            5,
            &json!({"volume_data": {"composite": {"base_materials": 2, "materials": []}}}),
        ),
        resource(
            5,
            &json!({"object": {"body": {"components": [{"object": 4}]}}}),
        ),
        resource(
            5,
            &json!({"object": {"name": "a\u{0}", "body": {"components": []}}}),
        ),
        resource(
            5,
            &json!({"image": {"columns": 0, "rows": 1, "sheets": []}}),
        ),
        json!({"model": {"set_build_item": {"item": {"object": 1}}}}),
        json!({"model": {"set_part": {"name": "../a.png",
            "part": {"media_type": "image/png", "size": 1, "content": ContentHash::digest(b"")}}}}),
        json!({"model": {"set_metadata": {"name": " ", "value": "x"}}}),
    ];
    let mut document = start();
    let texts: Vec<String> = refusals
        .iter()
        .map(|edit| apply(&mut document, edit).expect_err("it is refused"))
        .collect();
    insta::assert_snapshot!(texts.join("\n"));
}

#[test]
fn an_object_is_no_part_of_itself() {
    let mut document = start();
    let assembly = |parts: &[u32]| {
        let parts: Vec<Json> = parts.iter().map(|id| json!({ "object": id })).collect();
        json!({"object": {"body": {"components": parts}}})
    };
    apply(&mut document, &resource(5, &assembly(&[3, 3]))).expect("two parts");
    apply(&mut document, &resource(6, &assembly(&[2, 5]))).expect("an assembly of one");
    let refused = apply(&mut document, &resource(5, &assembly(&[2, 6]))).expect_err("a circle");
    let expected = "recursive_object: a resource cannot contain itself: 5 -> 6 -> 5";
    assert_eq!(refused, expected);
    let path = json!({"object": 5, "extra": {"attributes": [{
        "namespace": "http://schemas.microsoft.com/3dmanufacturing/production/2015/06",
        "name": "path", "value": "/3D/other.model"}]}});
    let other = json!({"object": {"body": {"components": [path]}}});
    apply(&mut document, &resource(5, &other)).expect("it is an object of another part");
}

#[test]
fn ids_are_given_out_once() {
    let mut document = start();
    let added = json!({"model": {"set_resource": {"resource": mesh()}}});
    assert_eq!(apply(&mut document, &added), Ok(json!({"resource_id": 5})));
    let removed = json!({"model": {"remove_resource": {"resource_id": 5}}});
    apply(&mut document, &removed).expect("nothing needs it");
    assert_eq!(apply(&mut document, &added), Ok(json!({"resource_id": 6})));
    let item = json!({"model": {"set_build_item": {"item": {"object": 2}}}});
    assert_eq!(apply(&mut document, &item), Ok(json!({"item_id": 2})));
    let removal = json!({"model": {"remove_build_item": {"item_id": 2}}});
    apply(&mut document, &removal).expect("it is there");
    assert_eq!(apply(&mut document, &item), Ok(json!({"item_id": 3})));
    let Some(ModelResource::Object(object)) = document.model_resource(ResourceId(3)) else {
        panic!("it is there");
    };
    let Body::LevelSet(level) = &object.body else {
        panic!("it is a level set");
    };
    assert_eq!((level.mesh, level.mesh_bbox_only), (ResourceId(2), false));
}

#[test]
fn two_thousand_objects_come_and_go_in_one_stage() {
    const PARTS: u32 = 1_000;
    let mut document = Document::default();
    let mut stage = Stage::new(&document);
    let mut push = |edit: Json| {
        let edit: Edit = serde_json::from_value(edit).expect("an edit");
        stage.push(&edit).expect("it can be");
    };
    for id in 1..=PARTS {
        push(resource(id, &mesh()));
    }
    for id in 1..=PARTS {
        let whole = json!({"object": {"body": {"components": [{"object": id}]}}});
        push(resource(PARTS + id, &whole));
        push(json!({"model": {"set_build_item": {"item": {"object": PARTS + id}}}}));
    }
    let checked = stage.finish();
    let inverse = checked.inverse().clone();
    checked.apply(&mut document);
    assert_eq!(document.uses().count(), 2 * PARTS as usize);
    inverse.apply(&mut document).expect("they can go");
    assert_eq!(document.resources().len(), 0);
    assert_eq!(document.uses().count(), 0);
}

#[test]
fn attributes_that_no_xml_can_have_are_refused() {
    let mut document = start();
    let named = |name: &str| {
        let attribute = json!({"namespace": "", "name": name, "value": "1"});
        let mut object = mesh();
        object["object"]["extra"] = json!({"attributes": [attribute], "elements": []});
        resource(2, &object)
    };
    for name in ["", "a b", "a/", "<", "1", "a:", ":a"] {
        let refused = apply(&mut document, &named(name)).expect_err(name);
        assert_contains!(refused => "not an XML name");
    }
    for name in ["xmlns", "xmlns:p"] {
        let refused = apply(&mut document, &named(name)).expect_err(name);
        assert_contains!(refused => "declares a namespace");
    }
    for name in ["pid", "p:pid", "\u{e4}-1"] {
        apply(&mut document, &named(name)).expect(name);
    }
}
