//! The library as a program uses it: functions that expressions and edits bring into a project.

use fibula::graph::FunctionId;
use fibula::service::{CreateFunctionFromExpression, ListFunctions, ListNodeTypes, Service};
use serde_json::{Value as Json, json};

use super::{add, apply, count, origin, undo, value};

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
    add(&service, "Other", "sphere(pos, 2) + 1");
    let all = || count(&service);
    assert_eq!(all(), 4);
    for _ in 0..2 {
        undo(&service);
    }
    assert_eq!(all(), 0);

    // A function that is there is called by a name that differs in case, and none is brought beside it.
    add(&service, "First", "sphere(pos, 2)");
    let second = add(&service, "Second", "SPHERE(pos, 3)");
    assert_eq!(all(), 3);
    let answer = value(&service, second, json!({ "pos": [0, 0, 4] }));
    assert_eq!(answer, json!({ "shape": 1.0 }));
    for _ in 0..2 {
        undo(&service);
    }

    // A function of the project wins.
    add(&service, "sphere", "length(pos) * 100 + radius");
    let own = add(&service, "Own", "sphere(pos, 1)");
    let found = value(&service, own, json!({ "pos": [0, 0, 1] }));
    assert_eq!(found, json!({ "shape": 101.0 }));
}

#[test]
fn edits_insert_functions_of_the_library() {
    let service = Service::default();
    let applied = apply(
        &service,
        json!([
            { "insert_function": { "name": "gyroid", "alias": "$wall" } },
            { "insert_function": { "name": "Torus", "function_id": 9 } },
            { "create_function_from_expression": { "name": "Part", "expression": "max(gyroid(pos, 3, 1), box(pos, vec3(9, 9, 9)))" } },
        ]),
    )
    .expect("edits");
    assert_fields!(applied, {
        "ids": { "$wall": 1 },
        "results": [{ "index": 1, "function_id": 9 }, { "index": 2, "function_id": 2, "library": [{ "function_id": 1001, "name": "box" }] }]
    });
    let refuse = |body: Json| {
        let refused = apply(&service, json!([{ "insert_function": body }]));
        refused.expect_err("it cannot be")
    };
    let refused = refuse(json!({ "name": "gyriod" }));
    assert_contains!(refused => "did you mean gyroid");
    let refused = refuse(json!({ "nam": "gyroid" }));
    let takes = "insert_function takes name, function_id, alias";
    assert_contains!(refused => takes);
    let refused = refuse(json!({ "name": "gyroid", "function_id": 9 }));
    assert_starts!(refused => "duplicate_id");
}

#[test]
fn the_library_is_listed() {
    let service = Service::default();
    let list = |search: &str| {
        let request = with_defaults!(ListFunctions, search: Some(search.to_owned()), library: true);
        service.list_functions(&request).expect("a list")
    };
    let all = list("");
    assert!(all.functions.is_empty() && all.total > 40);
    let smooth = list("SMOOTH").library.expect("a list");
    let names: Vec<&str> = smooth.iter().map(|info| &*info.name).collect();
    let expected = ["smooth_union", "smooth_intersection", "smooth_difference"];
    assert_eq!(names, expected);
    let gyroid = serde_json::to_value(list("gyroid").library).expect("JSON");
    insta::assert_json_snapshot!(gyroid);
    let nothing = list("no such thing");
    assert_eq!(nothing.total, 0);
    assert_contains!(nothing.next.expect("a pointer") => "leave search out");
    assert_contains!(list("arccos").next.expect("a pointer") => "list_node_types");
    for (search, first) in [
        ("fillet", "fillet_union"),
        ("smin", "smooth_union"),
        ("carve", "difference"),
        ("fcc", "face_centred_lattice"),
    ] {
        let found = list(search).library.expect("a list");
        assert_eq!(
            found.first().map(|info| &*info.name),
            Some(first),
            "{search}"
        );
    }
    // Terms of other systems lead to expressions, forms of the language too.
    let next = list("threePointArc").next.expect("an expression");
    assert_contains!(next => "with arcs: arc_polygon(pos, ");
    assert_contains!(list("handrail").next.expect("an expression") => "sweep_polyline(circle(pos, 3), ");
    assert!(list("box").next.is_none());
    for term in fibula::library::cad_terms() {
        let names = term.names.iter().chain([&term.meaning]);
        for name in names.filter(|name| name.contains(char::is_alphanumeric)) {
            let listed = list(name);
            let is_found = listed.library.is_some_and(|found| !found.is_empty());
            let has_expression = listed.next.is_some_and(|next| next.contains("expressions"));
            assert!(is_found || has_expression, "{name}");
        }
    }
    let boxes = list("box").library.expect("a list");
    let is_whole: Vec<(&str, bool)> = boxes
        .iter()
        .map(|info| (&*info.name, info.expression.is_some()))
        .collect();
    assert_eq!(
        is_whole,
        [
            ("box", true),
            ("rounded_box", true),
            ("chamfered_box", true)
        ]
    );
}

#[test]
fn synonyms_find_node_types_and_empty_lists_point_on() {
    let service = Service::default();
    let kinds = |search: &str| {
        let request = with_defaults!(ListNodeTypes, search: Some(search.to_owned()));
        service.list_node_types(&request).expect("a list")
    };
    for (search, kind) in [("fabs", "Abs"), ("norm", "Length"), ("clip", "Clamp")] {
        let names = kinds(search).node_types.into_iter().map(|info| info.name);
        assert!(
            names.collect::<Vec<_>>().contains(&kind.to_owned()),
            "{search}"
        );
    }
    for (search, next) in [
        (
            "gyroid",
            "the library has gyroid: list_functions with library: true, search: \"gyroid\"",
        ),
        (
            "fillet",
            "the library has fillet_union, fillet_difference, fillet_intersection: list_functions with library: true",
        ),
        ("lerp", "expressions have mix"),
    ] {
        let listed = kinds(search);
        assert_eq!(listed.total, 0, "{search}");
        assert_starts!(listed.next.expect("a pointer") => next);
    }
    let request = with_defaults!(ListFunctions, search: None);
    let listed = service.list_functions(&request).expect("a list");
    assert_starts!(listed.next.expect("a pointer") => "create_function_from_expression makes a function");
}

/// A translation that a refusal offers compiles, with the functions of the library that it calls.
#[test]
fn a_translation_is_right_when_it_is_tried() {
    let service = Service::default();
    let create = |text: &str| {
        let request = CreateFunctionFromExpression::new("f", text);
        service.create_function_from_expression(&origin(), request)
    };
    let refused =
        create("difference() { cube(10, center=true); translate([0, 0, 5]) sphere(r=3); }")
            .unwrap_err();
    let line = refused.message.lines().next().expect("a line");
    let (_, translation) = line.split_once("write: ").expect("a translation");
    let made = create(translation).expect("it is right");
    assert_eq!(made.library.len(), 2);
}
