//! Functions that go from one project to another, with what they call and query.

use std::ops::ControlFlow;

use fibula::format::threemf::Model;
use fibula::graph::FunctionId;
use fibula::graph::model::ModelResource;
use fibula::nodes::ResourceId;
use fibula::service::{Evaluate, Service};
use serde_json::json;

use crate::calls::{apply, origin};

#[test]
fn functions_go_from_one_project_to_another_with_what_they_ask() {
    let source = Service::default();
    apply(
        &source,
        json!([{"set_mesh": {"bounds": [[0, 0, 0], [1, 1, 1]]}}]),
    )
    .expect("a mesh");
    let edits = json!([
        {"create_function_from_expression": {"name": "Distance", "expression": "mesh(1, pos)", "alias": "$d"}},
        {"create_function_from_expression": {"name": "Wall", "expression": "abs(Distance(pos)) - 0.1", "alias": "$w"}},
        {"create_function_from_expression": {"name": "Other", "expression": "length(pos)"}},
    ]);
    let ids = apply(&source, edits).expect("edits").ids;
    let wall = FunctionId(ids["$w"]);
    let closure = source
        .function_closure(None, None, wall)
        .expect("a function");
    assert_eq!(closure.contents.len(), 1);
    // Those that nothing of it calls need no bytes.
    let other = closure
        .document
        .functions()
        .find(|one| one.name() == "Other");
    let other = other.expect("it is in the document").id();
    let alone = source
        .function_closure(None, None, other)
        .expect("a function");
    assert!(alone.contents.is_empty());
    let missing = source.function_closure(None, None, FunctionId(99));
    assert_eq!(missing.unwrap_err().code, "unknown_function");

    let mut model = Model::default();
    for id in [ids["$d"], ids["$w"]] {
        let function = closure.document.function(FunctionId(id)).expect("it");
        model.functions.push(function.data());
    }
    let object = closure.document.model_resource(ResourceId(1));
    let Some(ModelResource::Object(object)) = object else {
        panic!("resource 1 is the mesh");
    };
    model.objects.push((ResourceId(1), (**object).clone()));
    model.contents = closure.contents;
    let target = Service::default();
    // The ids are taken there.
    apply(
        &target,
        json!([{"set_mesh": {"bounds": [[0, 0, 0], [9, 9, 9]]}},
               {"create_function_from_expression": {"name": "A", "expression": "x"}}]),
    )
    .expect("edits");
    let watch = &mut |_, _| ControlFlow::Continue(());
    let inserted = target
        .insert_model(&origin(), None, &model, "a test", watch)
        .expect("it is inserted");
    let new = inserted.renumbered.get(&wall.to_string()).copied();
    let new = FunctionId(new.unwrap_or(wall.0));
    let at = json!({ "pos": [0.2, 0.2, -1.0] });
    let value = |service: &Service, id| {
        service
            .evaluate(Evaluate::new(id, at.clone()))
            .expect("a value")
            .values
    };
    assert_eq!(value(&target, new), value(&source, wall));
    let created = target.insert_model(&origin(), Some("new"), &model, "a test", watch);
    assert_eq!(created.expect("a project").project_created, Some(true));
}
