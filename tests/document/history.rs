//! The history of projects, through services that share a store.

use std::sync::Arc;
use std::thread;

use crate::random::{edit, seeds};
use fibula::edit::{Edit, Origin};
use fibula::graph::{ContentHash, FunctionId};
use fibula::service::{
    AddFile, ApplyEdits, Checkpoint, Compact, CreateFunctionFromExpression, CreateNode, Evaluate,
    GetHistory, ListFiles, ListFunctions, Options, Redact, Refusal, RemoveFile, Restore, Service,
    SetParameterValue, Undo,
};
use fibula::store::{LogRange, Memory, ProjectId, Store, load};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

/// So many services on one store, as if each were a process.
fn services(count: usize) -> (Arc<Memory>, Vec<Service>) {
    let store = Arc::new(Memory::default());
    let service = |_| Service::with_store(store.clone(), &Options::default());
    (store.clone(), (0..count).map(service).collect())
}

fn by(client: &str) -> Origin {
    Origin::program(client, "test")
}

fn make(service: &Service, origin: &Origin, name: &str, expression: &str) -> FunctionId {
    let request = CreateFunctionFromExpression::new(name, expression);
    let made = service.create_function_from_expression(origin, request);
    made.expect("a function").function_id
}

fn apply(service: &Service, origin: &Origin, edits: Json) -> Result<u64, Refusal> {
    let Json::Array(edits) = edits else {
        panic!("edits are a list")
    };
    let request = with_defaults!(ApplyEdits, edits);
    Ok(service.apply_edits(origin, request)?.revision)
}

fn set(service: &Service, origin: &Origin, node: u32, value: f64) -> Result<u64, Refusal> {
    let request: SetParameterValue = serde_json::from_value(json!({
        "function_id": 1, "node_id": node, "parameter_name": "value", "value": value,
    }))
    .expect("a request");
    Ok(service.set_parameter_value(origin, request)?.revision)
}

fn take_back(service: &Service, origin: &Origin, request: Json) -> Result<String, Refusal> {
    let request: Undo = serde_json::from_value(request).expect("a request");
    Ok(service.undo(origin, &request)?.label)
}

fn graph(service: &Service, id: FunctionId, revision: Option<u64>) -> Result<Json, Refusal> {
    let shown = crate::calls::graph(service, id, revision)?;
    let mut json = serde_json::to_value(shown).expect("JSON");
    json.as_object_mut().expect("an object").remove("revision");
    Ok(json)
}

/// Function 1 with two constants and their sum, by `a`.
fn adder(service: &Service) {
    let node = |kind: &str| json!({"create_node": {"function_id": 1, "node_type": kind}});
    make(service, &by("a"), "F", "0");
    apply(
        service,
        &by("a"),
        json!([
            node("ConstantScalar"),
            node("ConstantScalar"),
            node("Addition")
        ]),
    )
    .expect("nodes");
}

#[test]
fn each_takes_back_its_own_and_is_told_what_is_in_the_way() {
    let (_, services) = services(2);
    let (here, there) = (&services[0], &services[1]);
    let (a, b) = (by("a"), by("b"));
    adder(here);
    set(here, &a, 1, 1.0).expect("a value");
    set(there, &b, 2, 2.0).expect("a value");
    // The newest step is b's; a's own last is the one before.
    assert_each_eq! {
        take_back(here, &a, json!({})).expect("an undo") => "undo: set 1.value to 1.0 in function 1";
        take_back(here, &a, json!({ "redo": true })).expect("a redo") => "redo: set 1.value to 1.0 in function 1";
    }
    set(there, &b, 1, 3.0).expect("a value");
    let refused = take_back(here, &a, json!({})).expect_err("b changed it since");
    assert_eq!(refused.code, "in_the_way");
    assert_eq!(refused.details["in_the_way"], 7);
    assert!(refused.message.contains("by b"), "{refused}");
    // Where b takes that back, nothing is in the way any more.
    take_back(there, &b, json!({})).expect("an undo");
    take_back(here, &a, json!({})).expect("an undo");
    let refused = take_back(here, &by("c"), json!({})).expect_err("c did nothing");
    assert_eq!(refused.code, "nothing_to_undo");
    let refused = take_back(here, &a, json!({ "revision": 3 })).expect_err("it is taken back");
    assert_eq!(refused.code, "already_undone");
    take_back(there, &by("c"), json!({ "anyone": true })).expect("anyone's");
    let refused = take_back(here, &a, json!({ "revision": 99 })).expect_err("no such");
    assert_eq!(refused.code, "unknown_revision");
    let refused = take_back(here, &a, json!({ "revision": 2, "redo": true })).expect_err("both");
    assert_eq!(refused.code, "invalid_arguments");
}

#[test]
fn a_try_changes_nothing_and_answers_like_the_real_call() {
    let service = Service::default();
    adder(&service);
    let before = graph(&service, FunctionId(1), None).expect("a function");
    let request = |dry_run: bool| {
        serde_json::from_value::<CreateNode>(
            json!({ "function_id": 1, "node_type": "Sine", "dry_run": dry_run }),
        )
        .expect("a request")
    };
    let tried = service.create_node(&by("a"), request(true)).expect("a try");
    assert_eq!((tried.dry_run, tried.revision), (Some(true), 2));
    let shown = graph(&service, FunctionId(1), None);
    assert_eq!(shown.expect("a function"), before);
    let made = service
        .create_node(&by("a"), request(false))
        .expect("a node");
    assert_eq!((made.dry_run, made.revision), (None, 3));
    assert_eq!(made.node_id, tried.node_id);
}

#[test]
fn the_past_is_read_and_restored() {
    let (_, services) = services(2);
    let (here, there) = (&services[0], &services[1]);
    adder(here);
    let checkpoint: Checkpoint =
        serde_json::from_value(json!({ "name": "empty" })).expect("a request");
    here.checkpoint(&by("a"), &checkpoint)
        .expect("a checkpoint");
    let refused = there
        .checkpoint(&by("b"), &checkpoint)
        .expect_err("it is taken");
    assert_eq!(refused.code, "duplicate_id");
    let before = graph(here, FunctionId(1), None).expect("a function");
    set(here, &by("a"), 1, 7.0).expect("a value");
    make(there, &by("b"), "G", "sin(a)");
    apply(
        there,
        &by("b"),
        json!([{ "create_function_from_expression":
        { "name": "H", "expression": "G(a) + F()" } }]),
    )
    .expect("a caller");
    let past = graph(there, FunctionId(1), Some(3));
    assert_eq!(past.expect("the past"), before);
    let past = with_defaults!(ListFunctions, revision: Some(4));
    assert_each_eq! {
        here.list_functions(&past).expect("a list").total => 1;
        graph(here, FunctionId(1), Some(99)).expect_err("the future").code => "unknown_revision";
    }
    let restore = |request: Json| {
        let request: Restore = serde_json::from_value(request).expect("a request");
        there.restore(&by("b"), &request)
    };
    let expected = "invalid_arguments";
    assert_eq!(restore(json!({})).expect_err("nothing").code, expected);
    let refused = restore(json!({ "checkpoint": "emty" })).expect_err("a slip");
    assert_eq!(refused.code, "unknown_checkpoint");
    assert_eq!(refused.hint.as_deref(), Some("did you mean empty?"));
    let restored = restore(json!({ "checkpoint": "empty" })).expect("it is there");
    assert_each_eq! {
        (restored.revision, &*restored.label) => (7, "restore checkpoint 'empty' (revision 3)");
        graph(here, FunctionId(1), None).expect("a function") => before;
        here.list_functions(&ListFunctions::default()).expect("a list").total => 1;
    }
    let again = restore(json!({ "revision": 3 })).expect_err("it is so");
    assert_eq!(again.code, "nothing_to_restore");
    take_back(there, &by("b"), json!({})).expect("an undo");
    let listed = here.list_functions(&ListFunctions::default());
    assert_eq!(listed.expect("a list").total, 3);
    let later: Checkpoint = serde_json::from_value(json!({ "name": "later" })).expect("a request");
    there.checkpoint(&by("b"), &later).expect("a checkpoint");
    let request = with_defaults!(GetHistory, checkpoints: true, limit: Some(1));
    let first = here.get_history(&request).expect("a page");
    let cursor = first.next_cursor.clone();
    let second = here.get_history(&GetHistory { cursor, ..request });
    let second = second.expect("a page");
    assert_each_eq! {
        (first.entries.len(), first.total, first.revision) => (1, 2, 9);
        (second.entries.len(), second.total, second.entries[0].revision) => (1, 2, 3);
    }
}

#[test]
fn what_is_forgotten_is_gone_and_the_rest_stays() {
    let (store, services) = services(2);
    let (here, there) = (&services[0], &services[1]);
    adder(here);
    for value in 0..5 {
        set(there, &by("b"), 1, f64::from(value)).expect("a value");
    }
    let compact = |request: Json| {
        let request: Compact = serde_json::from_value(request).expect("a request");
        here.compact(&request)
    };
    let refused = compact(json!({ "revision": 7 })).expect_err("the newest");
    assert_eq!(refused.code, "unknown_revision");
    let tried = compact(json!({ "revision": 4, "dry_run": true })).expect("a try");
    assert_eq!((tried.entries, tried.dry_run), (4, Some(true)));
    assert_eq!(store.base(ProjectId(1)), Ok(0));
    let stale = compact(json!({ "revision": 4, "expected_revision": 3 })).expect_err("stale");
    assert_eq!(stale.code, "revision_conflict");
    compact(json!({ "revision": 4, "expected_revision": 7 })).expect("it goes");
    let shown = there
        .get_history(&GetHistory::default())
        .expect("a history");
    let revisions: Vec<u64> = shown.entries.iter().map(|entry| entry.revision).collect();
    assert_eq!((shown.total, revisions), (3, vec![7, 6, 5]));
    let refused = graph(there, FunctionId(1), Some(3)).expect_err("gone");
    assert_eq!(refused.code, "unknown_revision");
    graph(there, FunctionId(1), Some(4)).expect("the beginning");
    for _ in 0..3 {
        take_back(there, &by("b"), json!({})).expect("an undo");
    }
    let refused = take_back(there, &by("b"), json!({})).expect_err("forgotten");
    assert_eq!(refused.code, "nothing_to_undo");
    let again = Service::with_store(store, &Options::default());
    let found = graph(&again, FunctionId(1), None);
    assert_eq!(found, graph(here, FunctionId(1), None));
}

#[test]
fn a_text_is_taken_out_of_everything() {
    let (store, services) = services(2);
    let (here, there) = (&services[0], &services[1]);
    make(here, &by("Erika Mustermann"), "House of Erika", "a * 2");
    make(here, &by("b"), "G", "`House of Erika`(3)");
    take_back(here, &by("b"), json!({})).expect("an undo");
    make(there, &by("b"), "H", "`House of Erika`(b)");
    let redact = |request: Json| {
        let request: Redact = serde_json::from_value(request).expect("a request");
        here.redact(&request)
    };
    assert_each_eq! {
        redact(json!({ "text": "a" })).expect_err("short").code => "invalid_value";
        redact(json!({ "text": "Max" })).expect_err("nowhere").code => "nothing_to_redact";
    }
    let refused = redact(json!({ "text": "Multiplication" })).expect_err("a kind of node");
    assert_eq!(refused.code, "cannot_redact");
    let tried = redact(json!({ "text": "Erika", "dry_run": true })).expect("a try");
    let done = redact(json!({ "text": "Erika", "replacement": "E." })).expect("it goes");
    assert_eq!((done.entries, done.places), (tried.entries, tried.places));
    assert!(done.places > 2);
    let mut found = Vec::new();
    let each = &mut |record: fibula::store::Record| {
        found.extend(record.heading);
        found.extend(record.body);
        std::ops::ControlFlow::Continue(())
    };
    store
        .read(ProjectId(1), LogRange::After(0), true, each)
        .expect("a log");
    let found = String::from_utf8(found).expect("text");
    assert!(!found.contains("Erika"), "{found}");
    assert!(found.contains("E. Mustermann"), "{found}");
    // Everybody goes on from there.
    let value = |service: &Service| {
        let request = Evaluate::new(FunctionId(3), json!({ "b": 4 }));
        service.evaluate(request).expect("a value").values["shape"].clone()
    };
    assert_eq!((value(here), value(there)), (json!(8.0), json!(8.0)));
    make(there, &by("b"), "I", "1");
    take_back(here, &by("b"), json!({})).expect("an undo");
    let loaded = load(&*store, ProjectId(1), None).expect("a state");
    assert_eq!((loaded.damage, loaded.state.revision()), (None, 6));
}

/// The text is in the past only, so the newest state does not tell that anything was rewritten.
#[test]
fn a_past_that_was_rewritten_is_not_told_by_who_has_read_it_before() {
    let (_, services) = services(2);
    let (here, there) = (&services[0], &services[1]);
    make(here, &by("a"), "Erika", "a * 2");
    make(here, &by("a"), "G", "1");
    let deletion = json!([{ "delete_function": { "function_id": 1 } }]);
    apply(here, &by("a"), deletion).expect("it goes");
    let name = |service: &Service| {
        graph(service, FunctionId(1), Some(1)).map(|function| function["name"].clone())
    };
    assert_eq!(name(there), Ok(json!("Erika")));
    let redact = serde_json::from_value(json!({ "text": "Erika" })).expect("a request");
    here.redact(&redact).expect("it goes");
    assert_eq!(name(there), Ok(json!("(redacted)")));
    let compact = serde_json::from_value(json!({ "revision": 2 })).expect("a request");
    here.compact(&compact).expect("it goes");
    let expected = "unknown_revision";
    assert_eq!(name(there).expect_err("it is gone").code, expected);
}

#[test]
fn what_comes_back_with_a_node_is_not_put_over_what_others_did() {
    let service = Service::default();
    adder(&service);
    let link = |source: u32| {
        json!([{ "create_link": { "function_id": 1, "source_node_id": source, "source_port_name": "value",
            "target_node_id": 3, "target_parameter_name": "A" } }])
    };
    apply(&service, &by("a"), link(1)).expect("a link");
    let delete = json!([{ "delete_node": { "function_id": 1, "node_id": 1 } }]);
    apply(&service, &by("a"), delete).expect("it goes");
    apply(&service, &by("b"), link(2)).expect("a link");
    let refused = take_back(&service, &by("a"), json!({})).expect_err("b's link is there now");
    assert_eq!(refused.code, "in_the_way");
    assert_eq!(refused.details["in_the_way"], 5);
    take_back(&service, &by("b"), json!({})).expect("an undo");
    take_back(&service, &by("a"), json!({})).expect("an undo");
}

#[test]
fn many_edit_one_project_and_none_is_lost() {
    const EACH: usize = 100;
    let (store, services) = services(4);
    make(&services[0], &by("a"), "F", "0");
    let services = &services;
    thread::scope(|scope| {
        for (place, service) in services.iter().enumerate() {
            for half in 0..2 {
                scope.spawn(move || {
                    let origin = by(&format!("{place}.{half}"));
                    for _ in 0..EACH / 2 {
                        let request = json!({ "function_id": 1, "node_type": "Addition" });
                        let request = serde_json::from_value(request).expect("a request");
                        let made: fibula::service::NodeCreated =
                            service.create_node(&origin, request).expect("a node");
                        // What was answered is there for the one who asked.
                        let shown = graph(service, FunctionId(1), None).expect("a function");
                        let ids = shown["nodes"].as_array().expect("nodes").iter();
                        let id = json!(made.node_id);
                        let mut more = shown.get("next_cursor").is_some();
                        more |= ids.map(|node| &node["node_id"]).any(|other| *other == id);
                        assert!(more, "node {id} is not there");
                    }
                });
            }
        }
    });
    let shown = graph(&services[3], FunctionId(1), None).expect("a function");
    assert_eq!(shown["node_count"], services.len() * EACH);
    for service in services {
        let again = graph(service, FunctionId(1), None);
        assert_eq!(again.expect("a function"), shown);
    }
    let loaded = load(&*store, ProjectId(1), None).expect("a state");
    assert_eq!(loaded.damage, None);
    let stored = store.head(ProjectId(1)).expect("a head");
    assert_eq!(loaded.state.head(), stored);
    assert_eq!(loaded.state.revision(), (services.len() * EACH + 1) as u64);
}

#[test]
fn files_are_kept_once_and_come_back_with_the_past() {
    let (store, services) = services(2);
    let (here, there) = (&services[0], &services[1]);
    let add = |name: &str, bytes: &[u8], dry_run: bool| AddFile {
        project: None,
        name: name.to_owned(),
        media_type: "text/plain".to_owned(),
        bytes: bytes.to_vec(),
        expected_revision: None,
        dry_run,
    };
    let tried = here
        .add_file(&by("a"), add("a.txt", b"drawing", true))
        .expect("a try");
    assert_eq!((tried.dry_run, tried.revision), (Some(true), 0));
    let hash: ContentHash = tried.file.content.parse().expect("a hash");
    assert_eq!(store.content(hash), Ok(None));
    let kept = here
        .add_file(&by("a"), add("a.txt", b"drawing", false))
        .expect("a file");
    let other = there
        .add_file(&by("b"), add("b.txt", b"drawing", false))
        .expect("a file");
    assert_eq!((kept.file.resource_id, other.file.resource_id), (1, 2));
    assert_eq!(kept.file.content, other.file.content);
    let (info, bytes) = there.get_file(None, 1, None).expect("a file");
    assert_eq!((&*info.name, &*bytes), ("a.txt", &b"drawing"[..]));
    let remove: RemoveFile =
        serde_json::from_value(json!({ "resource_id": 1 })).expect("a request");
    there.remove_file(&by("b"), &remove).expect("it goes");
    assert_each_eq! {
        here.get_file(None, 1, None).expect_err("gone").code => "unknown_resource";
        here.get_file(None, 1, Some(2)).expect("the past").1 => b"drawing";
    }
    take_back(there, &by("b"), json!({})).expect("an undo");
    let listed = here.list_files(&ListFiles::default()).expect("a list");
    let names: Vec<&str> = listed.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["a.txt", "b.txt"]);
    let refused = here
        .add_file(&by("a"), add("", b"", false))
        .expect_err("no name");
    assert_eq!(refused.code, "invalid_name");
}

#[test]
fn projects_that_nobody_uses_are_let_go_and_come_back() {
    let store = Arc::new(Memory::default());
    let options = with_defaults!(Options, most_nodes: 100);
    let service = Service::with_store(store, &options);
    for number in 0..20 {
        let project = format!("p{number}");
        let create = json!({ "project": project });
        let create = serde_json::from_value(create).expect("a request");
        service.create_project(create).expect("a project");
        let mut request = CreateFunctionFromExpression::new("F", "a+b+c+d+k+f+g+h+i+j");
        request.project = Some(project);
        let made = service.create_function_from_expression(&by("a"), request);
        made.expect("a function");
    }
    let open = service.open_projects();
    assert!(open < 8, "{open} are open");
    for number in 0..20 {
        let mut request = Evaluate::new(
            FunctionId(1),
            json!({
                "a": number, "b": 1, "c": 1, "d": 1, "k": 1, "f": 1, "g": 1, "h": 1, "i": 1, "j": 1,
            }),
        );
        request.project = Some(format!("p{number}"));
        let values = service.evaluate(request).expect("a value").values;
        assert_eq!(values["shape"], f64::from(number) + 9.0);
    }
    let open = service.open_projects();
    assert!(open < 8, "{open} are open");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    /// Two processes make random edits; both see the same, and so does who replays the log, whole or from a snapshot.
    #[test]
    fn all_converge(seeds in seeds(40), turns in prop::collection::vec(any::<u8>(), 40)) {
        let (store, services) = services(2);
        for (seed, turn) in seeds.iter().zip(turns) {
            let (service, origin) = (&services[usize::from(turn % 2)], by(["a", "b"][usize::from(turn % 2)]));
            let _ = match turn % 16 {
                14 => take_back(service, &origin, json!({})).map(drop),
                15 => take_back(service, &origin, json!({ "redo": true })).map(drop),
                13 => take_back(service, &origin, json!({ "anyone": true })).map(drop),
                12 => service.restore(&origin, &Restore { revision: Some(u64::from(seed.a % 8)), ..Restore::default() }).map(drop),
                11 => service.compact(&Compact { revision: Some(u64::from(seed.a % 4)), ..Compact::default() }).map(drop),
                10 => fibula::store::renew_snapshot(&*store, ProjectId(1)).map(drop).map_err(Refusal::from),
                _ => {
                    let state = load(&*store, ProjectId(1), None).map(|loaded| loaded.state).unwrap_or_default();
                    let edit: Edit = edit(state.document(), seed);
                    let json = serde_json::to_value(&edit).expect("JSON");
                    let edits = match edit { Edit::Batch(_) => json["batch"].clone(), _ => json!([json]) };
                    apply(service, &origin, edits).map(drop)
                }
            };
        }
        let loaded = load(&*store, ProjectId(1), None);
        if let Ok(loaded) = loaded {
            prop_assert_eq!(loaded.damage, None);
            prop_assert_eq!(loaded.state.head(), store.head(ProjectId(1)).unwrap());
            let ids: Vec<FunctionId> = loaded.state.document().functions().map(fibula::graph::Function::id).collect();
            for id in ids {
                let [one, other] = [0, 1].map(|place| graph(&services[place], id, None).expect("a function"));
                prop_assert_eq!(one, other);
            }
            // Everything can be taken back, one after the other, and done again.
            let end = loaded.state.hash();
            let mut steps = 0;
            while take_back(&services[0], &by("c"), json!({ "anyone": true })).is_ok() { steps += 1; }
            for _ in 0..steps { take_back(&services[0], &by("c"), json!({ "redo": true })).expect("a redo"); }
            prop_assert_eq!(load(&*store, ProjectId(1), None).expect("a state").state.hash(), end);
        }
    }
}
