//! The library as a program uses it: functions that expressions and edits bring into a project.

use fibula::edit::Origin;
use fibula::graph::FunctionId;
use fibula::service::{
    ApplyEdits, CreateFunctionFromExpression, Evaluate, ListFunctions, Service, Undo,
};
use serde_json::{Value as Json, json};

fn origin() -> Origin {
    Origin::program("library", "test")
}

fn apply(service: &Service, edits: &Json) -> Result<Json, String> {
    let request = ApplyEdits {
        edits: edits.as_array().expect("a list").clone(),
        ..ApplyEdits::default()
    };
    let applied = service
        .apply_edits(&origin(), request)
        .map_err(|refusal| refusal.to_string())?;
    Ok(serde_json::to_value(applied).expect("an answer is JSON"))
}

fn make(service: &Service, name: &str, expression: &str) -> FunctionId {
    let request = CreateFunctionFromExpression::new(name, expression);
    service
        .create_function_from_expression(&origin(), request)
        .expect("a function")
        .function_id
}

fn value(service: &Service, id: FunctionId, arguments: Json) -> Json {
    service
        .evaluate(Evaluate::new(id, arguments))
        .expect("a value")
        .values
}

#[test]
fn expressions_bring_the_functions_of_the_library_that_they_call() {
    let service = Service::default();
    let request = CreateFunctionFromExpression {
        function_id: Some(FunctionId(1)),
        ..CreateFunctionFromExpression::new(
            "Part",
            "smooth_union(sphere(pos, 5), Sphere(pos - vec3(6, 0, 0), 3), 2)",
        )
    };
    let created = service
        .create_function_from_expression(&origin(), request)
        .expect("a function");
    assert_eq!(created.function_id, FunctionId(1));
    let names = created.library.iter().map(|inserted| &*inserted.name);
    assert_eq!(names.collect::<Vec<_>>(), ["sphere", "smooth_union"]);
    let at = |pos: Json| value(&service, FunctionId(1), json!({ "pos": pos }));
    assert_eq!(at(json!([0, 0, 7])), json!({ "shape": 2.0 }));

    // What is there is called, and all of a step is undone together.
    make(&service, "Other", "sphere(pos, 2) + 1");
    let all = || {
        service
            .list_functions(&ListFunctions::default())
            .expect("a list")
            .total
    };
    assert_eq!(all(), 4);
    for _ in 0..2 {
        service.undo(&origin(), &Undo::default()).expect("a step");
    }
    assert_eq!(all(), 0);

    // A function of the project wins.
    make(&service, "sphere", "length(pos) * 100 + radius");
    let own = make(&service, "Own", "sphere(pos, 1)");
    let found = value(&service, own, json!({ "pos": [0, 0, 1] }));
    assert_eq!(found, json!({ "shape": 101.0 }));
}

#[test]
fn edits_insert_functions_of_the_library() {
    let service = Service::default();
    let applied = apply(
        &service,
        &json!([
            { "insert_function": { "name": "gyroid", "alias": "$wall" } },
            { "insert_function": { "name": "Torus", "function_id": 9 } },
            { "create_function_from_expression": { "name": "Part", "expression": "max(gyroid(pos, 3, 1), box(pos, vec3(9, 9, 9)))" } },
        ]),
    )
    .expect("edits");
    assert_eq!(applied["ids"], json!({ "$wall": 1 }));
    let results = applied["results"].as_array().expect("a list");
    let ids: Vec<&Json> = results
        .iter()
        .map(|result| &result["function_id"])
        .collect();
    // The torus, the box, which is inserted for the expression, and the part.
    assert_eq!(ids, [&json!(9), &json!(2), &json!(3)]);
    let refused = apply(
        &service,
        &json!([{ "insert_function": { "name": "gyriod" } }]),
    );
    let refused = refused.expect_err("there is none");
    assert!(refused.contains("gyroid"), "{refused}");
    let refused = apply(
        &service,
        &json!([{ "insert_function": { "nam": "gyroid" } }]),
    );
    assert!(refused.is_err());
}

#[test]
fn the_library_is_listed() {
    let service = Service::default();
    let list = |search: &str| {
        let request = ListFunctions {
            search: Some(search.to_owned()),
            library: true,
            ..ListFunctions::default()
        };
        service.list_functions(&request).expect("a list")
    };
    let all = list("");
    assert!(all.functions.is_empty() && all.total > 40);
    let smooth = list("SMOOTH").library.expect("a list");
    let names: Vec<&str> = smooth.iter().map(|info| &*info.name).collect();
    assert_eq!(
        names,
        ["smooth_union", "smooth_intersection", "smooth_difference"]
    );
    let gyroid = serde_json::to_value(list("gyroid").library).expect("JSON");
    insta::assert_json_snapshot!(gyroid);
    assert_eq!(list("no such thing").total, 0);
}
