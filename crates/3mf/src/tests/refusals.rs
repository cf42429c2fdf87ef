//! Files that are not function graphs: each is rejected with its code, its location, and what is wrong.

use super::*;
use crate::Severity;

/// Reads a file that is rejected with this code; the message has every one of `texts`.
#[track_caller]
fn check(resources: &str, code: &str, texts: &[&str]) {
    let error = read(resources).expect_err(resources);
    let message = error.to_string();
    assert_eq!(error.code(), code, "{message}");
    for text in texts {
        assert!(message.contains(text), "{message:?} has no {text:?}");
    }
}

/// Like [`check`], for a function of these nodes and outputs.
#[track_caller]
fn check_function(nodes: &str, outputs: &str, code: &str, texts: &[&str]) {
    check(&function(3, nodes, outputs), code, texts);
}

fn scalar(element: &str, identifier: &str, reference: &str) -> String {
    let result = [("scalar", "result")];
    node(element, identifier, &[("scalar", "A", reference)], &result)
}

/// A constant `r` that names this resource.
fn names(id: u32) -> String {
    format!(r#"<i:constresourceid identifier="r" value="{id}"/>"#)
}

/// A call of the function that this reference names.
fn call_of(reference: &str) -> String {
    let inputs = [("resource", "functionID", reference)];
    node("functioncall", "call", &inputs, &[])
}

#[test]
fn cycles() {
    let nodes = [
        length(),
        scalar("abs", "a", "b.result"),
        scalar("abs", "b", "c.result"),
        scalar("abs", "c", "a.result"),
    ];
    let texts = ["a -> b -> c -> a", "function 3 (f), node a"];
    check_function(&nodes.concat(), SHAPE, "cycle", &texts);
    check_function(&scalar("abs", "a", "a.result"), "", "cycle", &["a -> a"]);
}

#[test]
fn references_between_unequal_types() {
    let message = "A takes a float, but inputs.pos is a float3";
    let texts = [message, "node a", "3D/3dmodel.model:7"];
    let abs = scalar("abs", "a", "inputs.pos");
    check_function(&abs, "", "type_mismatch", &texts);
    let text = function(3, &length(), &SHAPE.replace("scalar", "vector"));
    let message = "shape takes a float3, but length.result is a float";
    check(&text, "type_mismatch", &[message, "function 3 (f)"]);
    let hint = read(&text).unwrap_err().hint();
    assert_eq!(hint.unwrap(), "insert a vectorfromscalar node between them");
}

#[test]
fn types_that_are_no_overload() {
    let inputs = [("vector", "A", "inputs.pos")];
    let nodes = node("abs", "a", &inputs, &[("scalar", "result")]);
    let texts = ["A: float3, result: float", "node a"];
    check_function(&nodes, "", "no_overload", &texts);
    let inputs = [
        ("scalar", "A", "length.result"),
        ("vector", "B", "inputs.pos"),
    ];
    let nodes = length() + &node("min", "m", &inputs, &[]);
    let texts = ["A: float, B: float3", "node m"];
    check_function(&nodes, "", "no_overload", &texts);
}

#[test]
fn recursion() {
    let call = |own: u32, id: u32| {
        let inputs = [
            ("resource", "functionID", "r.value"),
            ("vector", "pos", "inputs.pos"),
        ];
        let call = node("functioncall", "call", &inputs, &[]);
        function(own, &(names(id) + &call), "")
    };
    check(&call(3, 3), "recursive_call", &["3 (f) -> 3 (f)"]);
    let text = call(1, 2) + &call(2, 5) + &call(5, 2);
    check(&text, "recursive_call", &["2 (f) -> 5 (f) -> 2 (f)"]);
}

#[test]
fn a_check_reports_independent_cycles() {
    let object = |id: u32, part: u32| {
        let part = format!("<components><component objectid=\"{part}\"/></components>");
        format!("<object id=\"{id}\">{part}</object>")
    };
    let resources = [
        function(1, &(names(1) + &call_of("r.value")), ""),
        // These name each other, and one has another fault.
        function(2, &(names(3) + &scalar("abs", "a", "inputs.pos")), ""),
        function(3, &names(2), ""),
        object(4, 5),
        object(5, 4),
        object(6, 6),
        object(7, 6),
    ];
    let errors = |resources: &str| -> Vec<(&'static str, String)> {
        let report = crate::check(&file(&model(resources)), &Limits::default());
        let errors = report.findings.into_iter();
        let errors = errors.filter(|one| one.severity == Severity::Error);
        errors.map(|one| (one.code, one.message)).collect()
    };
    let all = errors(&resources.concat());
    let codes: Vec<&str> = all.iter().map(|(code, _)| *code).collect();
    let object_circle = "recursive_object";
    let functions = ["recursive_call", "type_mismatch"];
    assert_eq!(codes[..2], functions, "{all:?}");
    assert_eq!(codes[2..], [object_circle; 2], "{all:?}");
    assert!(all[2].1.contains("4 -> 5 -> 4"), "{all:?}");
    assert!(all[3].1.contains("6 -> 6"), "{all:?}");
    // However many there are, the first are enough.
    let many: String = (1..2_000).map(|id| object(id, id)).collect();
    let many = errors(&many);
    assert!(many.iter().all(|(code, _)| *code == object_circle));
    assert_eq!(many.len(), 8);
}

#[test]
fn dangling_references() {
    let shape = |reference: &str| format!(r#"<i:scalarref identifier="shape" ref="{reference}"/>"#);
    let code = "dangling_reference";
    let missing = "node 'lengt', which is not in the function; there is length";
    for (reference, text) in [
        ("lengt.result", missing),
        ("length.shape", "an output that length does not have"),
        ("inputs.position", "is not an input of the function"),
        ("length", "use the form node.output"),
        ("outputs.shape", "node 'outputs'"),
    ] {
        check_function(&length(), &shape(reference), code, &[text, reference]);
    }
    let abs = node("abs", "a", &[("scalar", "A", "")], &[]);
    let texts = ["which the node does not declare"];
    check_function(&abs, &shape("a.result"), code, &texts);
    let texts = ["is not a resource of the file", "node r"];
    check_function(&names(77), "", code, &texts);
    let image = r#"<v:functionfromimage3d id="1" image3did="4"/>"#;
    check(image, code, &["resource 4"]);
    let texts = ["must refer to a constresourceid"];
    check_function(&call_of("inputs.pos"), "", code, &texts);
}

#[test]
fn resources_of_another_kind() {
    let code = "resource_kind_mismatch";
    let mesh = r#"<object id="9"><mesh/></object>"#;
    let call = function(3, &(names(9) + &call_of("r.value")), "");
    let message = "resource 9, which is a mesh object, not a function";
    check(&(mesh.to_owned() + &call), code, &[message, "node call"]);
    let image = r#"<v:functionfromimage3d id="1" image3did="9"/>"#;
    check(&(mesh.to_owned() + image), code, &["a mesh object"]);
}

#[test]
fn duplicate_and_reserved_identifiers() {
    let code = "duplicate_id";
    let twice = length() + &length();
    check_function(&twice, SHAPE, code, &["'length'", "node length"]);
    for reserved in ["inputs", "outputs"] {
        let identifier = format!("identifier=\"{reserved}\"");
        let nodes = length().replace("identifier=\"length\"", &identifier);
        check_function(&nodes, "", "reserved_identifier", &[reserved]);
    }
    let functions = function(3, "", "") + &function(3, "", "");
    check(&functions, code, &["id 3"]);
    let both = function(9, "", "") + r#"<object id="9"/>"#;
    let message = "duplicate id 9: an object and a function";
    check(&both, code, &[message]);
    let output = |name: &str| SHAPE.replace("\"shape\"", &format!("\"{name}\""));
    let outputs = output("a-b") + &output("a_b");
    check_function(&length(), &outputs, code, &["'a-b' and 'a_b'"]);
    let inputs = [("vector", "A", "inputs.pos"); 2];
    let twice = node("abs", "a", &inputs, &[]);
    check_function(&twice, "", code, &["duplicate link of input A"]);
}

#[test]
fn unknown_elements_and_inputs() {
    let code = "unknown_element";
    check_function(&scalar("sine", "s", ""), "", code, &["<sine>", "node s"]);
    let error = read(&function(3, &scalar("lenght", "s", ""), "")).unwrap_err();
    assert_eq!(error.hint().unwrap(), "there is length");
    let sine = node("sin", "s", &[("vector", "Q", "inputs.pos")], &[]);
    check_function(&sine, "", "unknown_parameter", &["no input 'Q'"]);
    let output = r#"<i:floatref identifier="shape" ref=""/>"#;
    check_function("", output, code, &["<floatref>"]);
}

#[test]
fn values_and_attributes() {
    // Start of the element, code, and a piece of the message.
    for case in [
        r#"constant identifier="c" value="1,5" => invalid_value => value="1,5", but it takes a finite number"#,
        r#"constant identifier="c" value="NaN" => invalid_value => NaN"#,
        r#"constant identifier="c" value="1e999" => invalid_value => 1e999"#,
        r#"constant identifier="c" => missing_attribute => <constant> has no attribute value"#,
        r#"constvec identifier="c" x="1" y="2" => missing_attribute => attribute z"#,
        r#"constmat identifier="c" matrix="1 2 3" => invalid_value => 16 finite numbers"#,
        r#"constmat identifier="c" => missing_attribute => attribute matrix"#,
        r#"constresourceid identifier="c" => missing_attribute => attribute value"#,
        r#"constresourceid identifier="c" value="0" => invalid_value => the id of a resource"#,
        r#"abs identifier="" => invalid_value => identifier"#,
        "abs => missing_attribute => <abs> has no attribute identifier",
    ] {
        let [start, code, text] = case.split(" => ").collect::<Vec<_>>()[..] else {
            panic!("{case}");
        };
        let texts = [text, "function 3 (f)"];
        check_function(&format!("<i:{start}/>"), "", code, &texts);
    }
    let with_id = |id: &str| function(3, "", "").replace("id=\"3\"", id);
    check(&with_id(""), "missing_attribute", &["attribute id"]);
    check(&with_id("id=\"-3\""), "invalid_value", &["id=\"-3\""]);
    for (attribute, text) in [
        (r#"filter="cubic""#, "linear or nearest"),
        (r#"tilestylev="repeat""#, "tilestylev"),
        (r#"valuescale="x""#, "valuescale"),
    ] {
        let function = format!(r#"<v:functionfromimage3d id="1" image3did="2" {attribute}/>"#);
        check(&(image(2) + &function), "invalid_value", &[text]);
    }
}

#[test]
fn the_graph_has_the_last_word() {
    let text = function(3, "", "").replace("identifier=\"pos\"", "identifier=\"functionID\"");
    check(&text, "invalid_name", &["function 3 (f)"]);
}

#[test]
fn models_that_are_not_found() {
    let check = |parts: &[(&str, &str)], text: &str| {
        let error = crate::read(&package(parts), &Limits::default()).unwrap_err();
        assert_eq!(error.code(), "no_model", "{error}");
        assert!(error.to_string().contains(text), "{error}");
    };
    let empty = model("");
    let with = |relationships: &str, text: &str| {
        check(&[("_rels/.rels", relationships)], text);
    };
    check(&[], "no part _rels/.rels");
    check(&[("3D/3dmodel.model", &empty)], "no part _rels/.rels");
    let missing = "the model should be /3D/3dmodel.model, but there is no such part";
    with(RELATIONSHIPS, missing);
    with("<a/>", "the part is not a list of relationships");
    let other = RELATIONSHIPS.replace("2013/01/3dmodel", "other");
    with(&other, "no relationship to a model");
    let second = r#"<Relationship Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel" Target="/b.model" Id="s"/></R"#;
    with(&RELATIONSHIPS.replace("</R", second), "two models");
    let parts = [
        ("_rels/.rels", RELATIONSHIPS),
        ("3D/3dmodel.model", "<html/>"),
    ];
    check(&parts, "root element <html>");
}
