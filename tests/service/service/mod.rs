//! The service as a program uses it: whole requests and whole answers.

mod library;
mod model;
mod reshape;
mod subject;
mod trial;

use std::ops::ControlFlow;
use std::sync::Arc;

use fibula::edit::{Edit, FunctionEdit};
use fibula::graph::FunctionId;
use fibula::service::{
    ApplyEdits, CreateFunctionFromExpression, CreateProject, Evaluate, GetHistory, GraphFormat,
    ListFunctions, ListNodeTypes, ListProjects, Service, Undo,
};
use serde_json::{Value as Json, json};

use crate::calls::{self, add, origin, stop_if};

fn apply(service: &Service, edits: Json) -> Result<Json, String> {
    let applied = calls::apply(service, edits).map_err(|refusal| refusal.to_string())?;
    Ok(serde_json::to_value(applied).expect("an answer is JSON"))
}

fn undo(service: &Service) {
    let undone = service.undo(&origin(), &Undo::default());
    undone.expect("an undo");
}

/// Number of functions of the project "default".
fn count(service: &Service) -> usize {
    let listed = service.list_functions(&ListFunctions::default());
    listed.expect("a list").total
}

fn graph(service: &Service, function_id: FunctionId) -> Json {
    let shown = calls::graph(service, function_id, None).expect("a function");
    serde_json::to_value(shown).expect("an answer is JSON")
}

fn value(service: &Service, id: FunctionId, arguments: Json) -> Json {
    service
        .evaluate(Evaluate::new(id, arguments))
        .expect("a value")
        .values
}

#[test]
fn one_call_builds_the_adder_and_one_step_takes_it_back() {
    let service = Service::default();
    let edits = json!([
        { "set_function": { "function_id": "$f", "name": "MyAdder", "outputs": [{ "name": "shape", "type": "float" }] } },
        { "create_node": { "node_id": "$a", "node_type": "ConstantScalar", "parameters": { "Value": 5 } } },
        { "op": "create_node", "alias": "b", "node_type": "ConstantScalar" },
        { "set_parameter_value": { "node_id": "$b", "parameter_name": "value", "value": 10 } },
        { "create_node": { "node_id": "$sum", "node_type": "Addition", "parameters": {
            "A": { "source": { "node_id": "$a", "port": "value" } }, "B": { "source": { "node_id": "$b", "port": "Value" } } } } },
        { "create_link": { "source_node_id": "$sum", "source_port_name": "result", "target_node_id": 0, "target_parameter_name": "Shape" } },
        { "create_function_from_expression": { "name": "Twice", "expression": "2 * MyAdder()", "function_id": "$g" } },
        { "create_node": { "function_id": "$g", "node_type": "FunctionCall", "parameters": { "functionID": "$f" } } },
    ]);
    let applied = apply(&service, edits).expect("all of them");
    let expected = json!({ "$f": 1, "$a": 1, "$b": 2, "$sum": 3, "$g": 2 });
    assert_eq!(applied["ids"], expected);
    assert_fields!(applied, { "revision": 1, "applied": 8 });
    let expected = json!({ "shape": 30.0 });
    assert_eq!(value(&service, FunctionId(2), json!({})), expected);
    undo(&service);
    assert_eq!(count(&service), 0);
    let redo = with_defaults!(Undo, redo: true);
    service.undo(&origin(), &redo).expect("a step forth");
    let expected = json!({ "shape": 30.0 });
    assert_eq!(value(&service, FunctionId(2), json!({})), expected);
}

#[test]
fn a_function_comes_back_as_it_was_read() {
    let service = Service::default();
    let id = add(
        &service,
        "F",
        "let d = length(pos - vec3(1, 2, 3)); shape = d - 5; color = vec3(d, 0, pos.x)",
    );
    let before = graph(&service, id);
    apply(&service, json!([{ "set_function": before }])).expect("it is a function");
    let mut after = graph(&service, id);
    after["revision"] = before["revision"].clone();
    assert_eq!(after, before);
}

#[test]
fn a_refused_batch_and_a_dry_run_leave_no_trace() {
    let service = Service::default();
    let id = add(&service, "F", "0");
    let before = graph(&service, id);
    let edits = json!([
        { "create_node": { "function_id": id, "node_type": "Sine", "node_id": "$a" } },
        { "create_link": { "source_node_id": "$a", "source_port_name": "result", "target_node_id": "$a", "target_parameter_name": "A" } },
    ]);
    let refused = apply(&service, edits.clone()).expect_err("a link to itself");
    assert_starts!(refused => "self_link: edit 1 (link 1.result to 1.A in function 1): ");
    assert_eq!(graph(&service, id), before);
    let request = with_defaults!(ApplyEdits, edits: vec![edits[0].clone()], dry_run: true);
    let tried = service
        .apply_edits(&origin(), request)
        .expect("it could be");
    assert_eq!(tried.dry_run, Some(true));
    assert_eq!((tried.revision, tried.ids["$a"]), (1, 1));
    assert_eq!(graph(&service, id), before);
}

#[test]
fn who_expects_another_revision_is_told_what_came_since() {
    let service = Service::default();
    let id = add(&service, "F", "0");
    add(&service, "G", "1");
    let edits = vec![json!({ "create_node": { "function_id": id, "node_type": "Sine" } })];
    let at = |expected_revision| {
        let request = with_defaults!(ApplyEdits, edits: edits.clone(), expected_revision: Some(expected_revision));
        service.apply_edits(&origin(), request)
    };
    let refusal = at(1).expect_err("the project has moved on");
    assert_eq!(refusal.code, "revision_conflict");
    let expected = json!(["2 (create function 'G' from an expression, library)"]);
    assert_eq!(refusal.details["since"], expected);
    assert_eq!(at(2).expect("it is the present one").revision, 3);
}

/// Edits that take long to check.
fn many_nodes(id: FunctionId, count: usize) -> ApplyEdits {
    let edit =
        json!({ "create_node": { "function_id": id, "node_type": "Sine", "display_name": "n" } });
    with_defaults!(ApplyEdits, edits: vec![edit; count])
}

#[test]
fn nobody_waits_while_edits_are_checked() {
    let service = Service::default();
    let id = add(&service, "F", "0");
    let request = many_nodes(id, 10);
    let mut turns = 0;
    // Whoever watches may read and change the project; with a lock held this would never end.
    let applied = service.apply_edits_watched(&origin(), request, &mut |done, total| {
        assert_eq!(total, 10);
        if done == 5 && turns < 2 {
            turns += 1;
            add(&service, "Other", "1");
        }
        graph(&service, id);
        ControlFlow::Continue(())
    });
    let applied = applied.expect("the edits are checked again");
    assert_eq!((turns, applied.revision, applied.applied), (2, 4, 10));
    assert_eq!(graph(&service, id)["total"], 11);
    let listed = service.list_functions(&ListFunctions::default());
    assert_eq!(listed.expect("functions").total, 3);
}

#[test]
fn edits_get_through_however_busy_the_others_are() {
    let service = Service::default();
    let id = add(&service, "F", "0");
    let mut turns = 0;
    let applied = service.apply_edits_watched(&origin(), many_nodes(id, 10), &mut |done, _| {
        if done == 0 {
            turns += 1;
            // The fourth turn holds the lock.
            if turns <= 3 {
                add(&service, "Other", "1");
            }
        }
        ControlFlow::Continue(())
    });
    assert_eq!((turns, applied.expect("in the end").revision), (4, 5));
}

#[test]
fn edits_are_called_off_whole() {
    let service = Service::default();
    let id = add(&service, "F", "0");
    let before = graph(&service, id);
    for end in [0, 5, 10] {
        let mut watch = |done: u64, _: u64| stop_if(done == end);
        let refusal = service.apply_edits_watched(&origin(), many_nodes(id, 10), &mut watch);
        assert_eq!(refusal.expect_err("it was called off").code, "cancelled");
        assert_eq!(graph(&service, id), before);
    }
}

#[test]
fn what_takes_long_is_known_before() {
    let check = |edits: Json, expected: bool| {
        let edits: Vec<Json> = serde_json::from_value(edits).expect("a list");
        let request = with_defaults!(ApplyEdits, edits);
        assert_eq!(request.is_quick(), expected);
    };
    let (short, long) = ("1+".repeat(9_000), "1+".repeat(11_000));
    let written = |text: &str| json!({ "create_function_from_expression": { "name": "F", "expression": text } });
    check_each! { check;
        json!([]) => true;
        json!(vec![json!({ "delete_node": {} }); 2_000]) => true;
        json!(vec![json!({ "delete_node": {} }); 2_001]) => false;
        json!([written(&short)]) => true;
        json!([written(&long)]) => false;
        json!([written(&short), written(&short)]) => false;
        json!([{ "op": "create_function_from_expression", "expression": long }]) => false;
        json!([{ "set_function": { "nodes": vec![0; 2_000] } }]) => false;
    }
    assert!(CreateFunctionFromExpression::new("F", short).is_quick());
    assert!(!CreateFunctionFromExpression::new("F", long).is_quick());
}

#[test]
fn projects_are_apart_and_events_tell_of_all() {
    let service = Service::default();
    let mut events = service.events(None, None).expect("events");
    service
        .create_project(CreateProject {
            project: "größe 2".to_owned(),
        })
        .expect("a project");
    let mut request = CreateFunctionFromExpression::new("F", "0");
    request.project = Some("größe 2".to_owned());
    service
        .create_function_from_expression(&origin(), request)
        .expect("a function");
    assert_eq!(count(&service), 0);
    let listed = service
        .list_projects(&ListProjects::default())
        .expect("a list");
    let names: Vec<&str> = listed
        .projects
        .iter()
        .map(|project| project.project.as_str())
        .collect();
    assert_eq!(names, ["default", "größe 2"]);
    let event = events.ready().expect("events").expect("a change was told");
    let Some(Edit::Function(FunctionEdit::Set(set))) = &event.edit else {
        panic!("a function was set: {event:?}")
    };
    assert_eq!(event.id(), "größe 2:1");
    assert_eq!(set.function_id, Some(FunctionId(1)));
    assert_eq!(events.ready().expect("events"), None);
}

#[test]
fn long_lists_come_in_pages_that_fit() {
    let service = Service::default();
    let edits: Vec<Json> = (0..800)
        .map(|n| json!({ "create_function_from_expression": { "name": format!("function {n}"), "expression": "x" } }))
        .collect();
    apply(&service, edits.into()).expect("800 functions");
    let (mut request, mut names) = (ListFunctions::default(), Vec::new());
    loop {
        let page = service.list_functions(&request).expect("a page");
        assert_eq!(page.total, 800);
        assert!(serde_json::to_string(&page).expect("JSON").len() < 30_000);
        names.extend(page.functions.into_iter().map(|function| function.name));
        assert_eq!(page.truncated.is_some(), page.next_cursor.is_some());
        match page.next_cursor {
            Some(cursor) => request.cursor = Some(cursor),
            None => break,
        }
    }
    let expected: Vec<String> = (0..800).map(|n| format!("function {n}")).collect();
    assert_eq!(names, expected);
    let history = service
        .get_history(&GetHistory::default())
        .expect("a history");
    assert_eq!((history.total, history.entries[0].revision), (1, 1));
}

#[test]
fn every_argument_that_is_missing_is_named() {
    let service = Service::default();
    let id = add(&service, "F", "a + b * c");
    let refused = |arguments: Json| {
        service
            .evaluate(Evaluate::new(id, arguments))
            .expect_err("it is refused")
    };
    let refusal = refused(json!({ "b": 1 }));
    assert_each_eq! {
        refusal.code => "missing_argument";
        refusal.message => "a: float, c: float are missing";
        refused(json!({ "a": 1, "b": 1, "c": 1, "d": 1 })).code => "unknown_argument";
        refused(json!({ "a": 1, "A": 1, "b": 1, "c": 1 })).message => "a is given twice";
        value(&service, id, json!({ "A": 1, "b": 2, "c": 3 })) => json!({ "shape": 7.0 });
    }
    let strange = add(&service, "G", "log(a)");
    let answer = service
        .evaluate(Evaluate::new(
            strange,
            json!([{ "a": 0 }, { "a": -1 }, { "a": 1 }]),
        ))
        .expect("values");
    assert_each_eq! {
        answer.values => json!([{ "shape": "-Infinity" }, { "shape": "NaN" }, { "shape": 0.0 }]);
        answer.warnings => ["shape is not finite at 2 points, first -Infinity at point 0"];
    }
}

#[test]
fn values_may_come_as_texts_of_json() {
    let service = Service::default();
    let ball = add(&service, "Ball", "length(pos) - 5");
    let check = |arguments: &str, expected: Json| {
        assert_eq!(value(&service, ball, json!(arguments)), expected);
    };
    check("{\"pos\":[8,0,0]}", json!({ "shape": 3.0 }));
    check(" [{\"pos\":[5,0,0]}]", json!([{ "shape": 0.0 }]));
    let refused = |arguments: &str| {
        let request = Evaluate::new(ball, json!(arguments));
        service.evaluate(request).unwrap_err().message
    };
    for text in ["8", "{pos: 1}"] {
        let expected = "arguments is a text, not an object or a list of objects";
        assert_eq!(refused(text), expected);
    }

    let nodes = json!([
        { "create_node": { "function_id": ball, "node_type": "ConstantScalar", "node_id": "$number" } },
        { "create_node": { "node_type": "Length", "node_id": "$length" } },
        { "create_node": { "node_type": "FunctionGradient", "node_id": "$gradient" } },
    ]);
    let ids = apply(&service, nodes).expect("all of them")["ids"].clone();
    let set = |node: &str, parameter: &str, text: &str| {
        let request = json!({ "function_id": ball, "node_id": ids[node], "parameter_name": parameter, "value": text });
        let request = serde_json::from_value(request).expect("a request");
        service
            .set_parameter_value(&origin(), request)
            .map(|_| ())
            .map_err(|refusal| refusal.to_string())
    };
    let read = |node: &str, parameter: &str| {
        let request = json!({ "function_id": ball, "node_id": ids[node] });
        let request = serde_json::from_value(request).expect("a request");
        let info = service.get_node_info(&request).expect("a node");
        info.parameters[parameter].value.clone().expect("a value")
    };
    assert_eq!(set("$number", "value", "1.5"), Ok(()));
    assert_eq!(read("$number", "value"), 1.5);
    assert_eq!(set("$length", "A", "[1,2,3]"), Ok(()));
    assert_eq!(read("$length", "A"), json!([1.0, 2.0, 3.0]));
    // What is meant as a text stays one.
    assert_eq!(set("$gradient", "scalaroutput", "1"), Ok(()));
    assert_eq!(read("$gradient", "scalaroutput"), "1");
    for text in ["five", "null", "[1,2,3]", "true"] {
        let refusal = set("$number", "value", text).unwrap_err();
        let end = format!("but got \"{text}\"");
        assert!(refusal.ends_with(&end), "{refusal}");
    }
}

#[test]
fn a_kind_that_is_named_is_told_in_full() {
    let service = Service::default();
    let list = |search: &str| {
        let request = with_defaults!(ListNodeTypes, search: Some(search.to_owned()));
        service
            .list_node_types(&request)
            .expect("a list")
            .node_types
    };
    for search in ["Sine", "sin", "sine"] {
        let kinds = list(search);
        assert!(kinds.len() > 1, "{search}");
        for (place, kind) in kinds.iter().enumerate() {
            assert_eq!(kind.name == "Sine", place == 0, "{search}");
            assert_eq!(kind.description.is_some(), place == 0, "{search}");
        }
    }
    let found = list("vector length");
    assert!(found.iter().all(|kind| kind.description.is_none()));

    let check = |kind: &str, signature: &str, parameters: &[&str], ports: &[&str]| {
        let told = &list(kind)[0];
        assert_eq!(told.signature.as_deref(), Some(signature));
        let own: Vec<&str> = told
            .parameters
            .iter()
            .map(|parameter| &*parameter.name)
            .collect();
        assert_each_eq! {
            (&own[..], &told.ports[..].iter().map(|port| &**port).collect::<Vec<_>>()[..]) => (parameters, ports);
            told.overloads[0].inputs.len() => parameters.len();
        }
    };
    check_each! { check;
        "FunctionCall"
            => "(functionID, ...the function's inputs) -> (...the function's outputs)", &["functionID"], &[];
        "NormalizeDistanceField"
            => "(functionID, step = 0.001, scalaroutput = \"\", vectorinput = \"\", ...the function's inputs) -> (result)",
            &["functionID", "step", "scalaroutput", "vectorinput"], &["result"];
        "Sine" => "(A) -> (result)", &["A"], &["result"];
    }
}

#[test]
fn a_name_that_is_not_enough_comes_with_advice() {
    let service = Service::default();
    let next = |name: &str| {
        let request = CreateFunctionFromExpression::new(name, "length(pos) - 5");
        service
            .create_function_from_expression(&origin(), request)
            .expect("a function")
            .next
    };
    assert_eq!(next("Ball"), None);
    let again = next("Ball").expect("advice");
    assert_contains!(again => "function 1 has", "call(2, ...)");
    let shadowed = next("length").expect("advice");
    assert_contains!(shadowed => "`length`(...)");
    assert_eq!(next("End"), None);
    add(&service, "Second", "call(2, pos)");
    add(&service, "Third", "`length`(pos)");
}

#[test]
fn formats_are_read_in_any_case() {
    for (text, expected) in [
        ("Graph", GraphFormat::Graph),
        ("EXPRESSION", GraphFormat::Expression),
    ] {
        let format: GraphFormat = serde_json::from_value(json!(text)).expect("a format");
        assert_eq!(format, expected);
    }
}

#[test]
fn many_may_edit_and_evaluate_at_once() {
    let service = Arc::new(Service::default());
    let id = add(&service, "F", "x");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    let sine =
                        json!([{ "create_node": { "function_id": id, "node_type": "Sine" } }]);
                    apply(&service, sine).expect("a node");
                    let answer = value(&service, id, json!({ "pos": [2, 0, 0] }));
                    assert_eq!(answer["shape"], 2.0);
                }
            });
        }
    });
    let history = service
        .get_history(&GetHistory::default())
        .expect("a history");
    assert_eq!(history.revision, 201);
    assert_eq!(graph(&service, id)["node_count"], 201);
}
