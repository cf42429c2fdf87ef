//! What cannot be a function graph: each is refused with its code, its place, and what is wrong.

use super::*;
use crate::Severity;

/// Reads a file that is refused with this code; the message has every one of `texts`.
fn check(resources: &str, code: &str, texts: &[&str]) {
    let error = read(resources).expect_err(resources);
    let message = error.to_string();
    assert_eq!(error.code(), code, "{message}");
    for text in texts {
        assert!(message.contains(text), "{message:?} has no {text:?}");
    }
}

fn scalar(element: &str, identifier: &str, reference: &str) -> String {
    node(
        element,
        identifier,
        &[("scalar", "A", reference)],
        &[("scalar", "result")],
    )
}

#[test]
fn cycles() {
    let nodes = length()
        + &scalar("abs", "a", "b.result")
        + &scalar("abs", "b", "c.result")
        + &scalar("abs", "c", "a.result");
    check(
        &function(3, &nodes, SHAPE),
        "cycle",
        &["a -> b -> c -> a", "function 3 (f), node a"],
    );
    check(
        &function(3, &scalar("abs", "a", "a.result"), ""),
        "cycle",
        &["a -> a"],
    );
}

#[test]
fn references_between_unequal_types() {
    check(
        &function(3, &scalar("abs", "a", "inputs.pos"), ""),
        "type_mismatch",
        &[
            "A takes a float, but inputs.pos yields a float3",
            "node a",
            "3D/3dmodel.model:7",
        ],
    );
    let text = function(3, &length(), &SHAPE.replace("scalar", "vector"));
    check(
        &text,
        "type_mismatch",
        &[
            "shape takes a float3, but length.result yields a float",
            "function 3 (f)",
        ],
    );
    assert_eq!(
        read(&text).unwrap_err().hint().unwrap(),
        "put a vectorfromscalar node between"
    );
}

#[test]
fn types_that_are_no_overload() {
    let nodes = node(
        "abs",
        "a",
        &[("vector", "A", "inputs.pos")],
        &[("scalar", "result")],
    );
    check(
        &function(3, &nodes, ""),
        "no_overload",
        &["A: float3, result: float", "node a"],
    );
    let nodes = length()
        + &node(
            "min",
            "m",
            &[
                ("scalar", "A", "length.result"),
                ("vector", "B", "inputs.pos"),
            ],
            &[],
        );
    check(
        &function(3, &nodes, ""),
        "no_overload",
        &["A: float, B: float3", "node m"],
    );
}

#[test]
fn recursion() {
    let call = |id: u32| {
        let resource = format!(r#"<i:constresourceid identifier="r" value="{id}"/>"#);
        resource
            + &node(
                "functioncall",
                "call",
                &[
                    ("resource", "functionID", "r.value"),
                    ("vector", "pos", "inputs.pos"),
                ],
                &[],
            )
    };
    check(
        &function(3, &call(3), ""),
        "recursive_call",
        &["3 (f) -> 3 (f)"],
    );
    let text = function(1, &call(2), "") + &function(2, &call(5), "") + &function(5, &call(2), "");
    check(&text, "recursive_call", &["2 (f) -> 5 (f) -> 2 (f)"]);
}

#[test]
fn a_check_tells_of_circles_beside_those_that_it_told_of() {
    let names = |id: u32| format!(r#"<i:constresourceid identifier="r" value="{id}"/>"#);
    let call = node(
        "functioncall",
        "call",
        &[("resource", "functionID", "r.value")],
        &[],
    );
    let object = |id: u32, part: u32| {
        let part = format!("<components><component objectid=\"{part}\"/></components>");
        format!("<object id=\"{id}\">{part}</object>")
    };
    let resources = [
        function(1, &(names(1) + &call), ""),
        // These name each other, and one has another fault.
        function(2, &(names(3) + &scalar("abs", "a", "inputs.pos")), ""),
        function(3, &names(2), ""),
        object(4, 5),
        object(5, 4),
        object(6, 6),
        object(7, 6),
    ];
    let told = |resources: &str| -> Vec<(&'static str, String)> {
        let report = crate::check(&file(&model(resources)), &Limits::default());
        let errors = report.findings.into_iter();
        let errors = errors.filter(|one| one.severity == Severity::Error);
        errors.map(|one| (one.code, one.message)).collect()
    };
    let all = told(&resources.concat());
    let codes: Vec<&str> = all.iter().map(|(code, _)| *code).collect();
    let object_circle = "recursive_object";
    let expected = [
        "recursive_call",
        "type_mismatch",
        object_circle,
        object_circle,
    ];
    assert_eq!(codes, expected, "{all:?}");
    assert!(
        all[2].1.contains("4 -> 5 -> 4") && all[3].1.contains("6 -> 6"),
        "{all:?}"
    );
    // However many there are, the first are enough.
    let many: String = (1..2_000).map(|id| object(id, id)).collect();
    let many = told(&many);
    assert!(many.iter().all(|(code, _)| *code == object_circle));
    assert_eq!(many.len(), 8);
}

#[test]
fn dangling_references() {
    let cases = [
        (
            "lengt.result",
            "node 'lengt', which is not in the function; there is length",
        ),
        ("length.shape", "an output that length does not have"),
        ("inputs.position", "names no input of the function"),
        ("length", "it takes the form node.output"),
        ("outputs.shape", "node 'outputs'"),
    ];
    for (reference, text) in cases {
        let shape = format!(r#"<i:scalarref identifier="shape" ref="{reference}"/>"#);
        check(
            &function(3, &length(), &shape),
            "dangling_reference",
            &[text, reference],
        );
    }
    let abs = node("abs", "a", &[("scalar", "A", "")], &[]);
    let text = function(
        3,
        &abs,
        r#"<i:scalarref identifier="shape" ref="a.result"/>"#,
    );
    check(
        &text,
        "dangling_reference",
        &["which the node does not declare"],
    );
    let resource = r#"<i:constresourceid identifier="r" value="77"/>"#;
    check(
        &function(3, resource, ""),
        "dangling_reference",
        &["names no resource of the file", "node r"],
    );
    check(
        r#"<v:functionfromimage3d id="1" image3did="4"/>"#,
        "dangling_reference",
        &["resource 4"],
    );
    let call = node(
        "functioncall",
        "call",
        &[("resource", "functionID", "inputs.pos")],
        &[],
    );
    check(
        &function(3, &call, ""),
        "dangling_reference",
        &["must refer to a constresourceid"],
    );
}

#[test]
fn resources_of_another_kind() {
    let call = r#"<object id="9"><mesh/></object>"#.to_owned()
        + &function(
            3,
            &(r#"<i:constresourceid identifier="r" value="9"/>"#.to_owned()
                + &node(
                    "functioncall",
                    "call",
                    &[("resource", "functionID", "r.value")],
                    &[],
                )),
            "",
        );
    check(
        &call,
        "resource_kind_mismatch",
        &[
            "resource 9, which is a mesh object, but it needs a function",
            "node call",
        ],
    );
    let image = r#"<object id="9"><mesh/></object><v:functionfromimage3d id="1" image3did="9"/>"#;
    check(image, "resource_kind_mismatch", &["a mesh object"]);
}

#[test]
fn duplicate_and_reserved_identifiers() {
    check(
        &function(3, &(length() + &length()), SHAPE),
        "duplicate_id",
        &["'length'", "node length"],
    );
    for reserved in ["inputs", "outputs"] {
        let nodes = length().replace(
            "identifier=\"length\"",
            &format!("identifier=\"{reserved}\""),
        );
        check(&function(3, &nodes, ""), "reserved_identifier", &[reserved]);
    }
    check(
        &(function(3, "", "") + &function(3, "", "")),
        "duplicate_id",
        &["id 3"],
    );
    check(
        &(function(9, "", "") + r#"<object id="9"/>"#),
        "duplicate_id",
        &["an object has the id 9, but a function has it"],
    );
    let outputs = SHAPE.replace("\"shape\"", "\"a-b\"") + &SHAPE.replace("\"shape\"", "\"a_b\"");
    check(
        &function(3, &length(), &outputs),
        "duplicate_id",
        &["'a-b' and 'a_b'"],
    );
    let twice = node(
        "abs",
        "a",
        &[("vector", "A", "inputs.pos"), ("vector", "A", "inputs.pos")],
        &[],
    );
    check(&function(3, &twice, ""), "duplicate_id", &["linked twice"]);
}

#[test]
fn unknown_elements_and_inputs() {
    check(
        &function(3, &scalar("sine", "s", ""), ""),
        "unknown_element",
        &["<sine>", "node s"],
    );
    let error = read(&function(3, &scalar("lenght", "s", ""), "")).unwrap_err();
    assert_eq!(error.hint().unwrap(), "there is length");
    check(
        &function(
            3,
            &node("sin", "s", &[("vector", "Q", "inputs.pos")], &[]),
            "",
        ),
        "unknown_parameter",
        &["no input 'Q'"],
    );
    check(
        &function(3, "", r#"<i:floatref identifier="shape" ref=""/>"#),
        "unknown_element",
        &["<floatref>"],
    );
}

#[test]
fn values_and_attributes() {
    let cases = [
        (
            r#"<i:constant identifier="c" value="1,5"/>"#,
            "invalid_value",
            "value=\"1,5\", but it takes a finite number",
        ),
        (
            r#"<i:constant identifier="c" value="NaN"/>"#,
            "invalid_value",
            "NaN",
        ),
        (
            r#"<i:constant identifier="c" value="1e999"/>"#,
            "invalid_value",
            "1e999",
        ),
        (
            r#"<i:constant identifier="c"/>"#,
            "missing_attribute",
            "<constant> has no attribute value",
        ),
        (
            r#"<i:constvec identifier="c" x="1" y="2"/>"#,
            "missing_attribute",
            "attribute z",
        ),
        (
            r#"<i:constmat identifier="c" matrix="1 2 3"/>"#,
            "invalid_value",
            "16 finite numbers",
        ),
        (
            r#"<i:constmat identifier="c"/>"#,
            "missing_attribute",
            "attribute matrix",
        ),
        (
            r#"<i:constresourceid identifier="c"/>"#,
            "missing_attribute",
            "attribute value",
        ),
        (
            r#"<i:constresourceid identifier="c" value="0"/>"#,
            "invalid_value",
            "the id of a resource",
        ),
        (r#"<i:abs identifier=""/>"#, "invalid_value", "identifier"),
        (
            "<i:abs/>",
            "missing_attribute",
            "<abs> has no attribute identifier",
        ),
    ];
    for (node, code, text) in cases {
        check(&function(3, node, ""), code, &[text, "function 3 (f)"]);
    }
    check(
        &function(3, "", "").replace("id=\"3\"", ""),
        "missing_attribute",
        &["attribute id"],
    );
    check(
        &function(3, "", "").replace("id=\"3\"", "id=\"-3\""),
        "invalid_value",
        &["id=\"-3\""],
    );
    let image = |attribute: &str| {
        image(2) + &format!(r#"<v:functionfromimage3d id="1" image3did="2" {attribute}/>"#)
    };
    check(
        &image(r#"filter="cubic""#),
        "invalid_value",
        &["linear or nearest"],
    );
    check(
        &image(r#"tilestylev="repeat""#),
        "invalid_value",
        &["tilestylev"],
    );
    check(
        &image(r#"valuescale="x""#),
        "invalid_value",
        &["valuescale"],
    );
}

#[test]
fn the_graph_has_the_last_word() {
    let text = function(3, "", "").replace("identifier=\"pos\"", "identifier=\"functionID\"");
    check(&text, "invalid_name", &["function 3 (f)"]);
}

#[test]
fn models_that_are_not_found() {
    let check = |parts: &[(&str, &str)], text: &str| {
        let error = super::super::read(&package(parts), &Limits::default()).unwrap_err();
        assert_eq!(error.code(), "no_model", "{error}");
        assert!(error.to_string().contains(text), "{error}");
    };
    let empty = model("");
    check(&[], "no part _rels/.rels");
    check(&[("3D/3dmodel.model", &empty)], "no part _rels/.rels");
    check(
        &[("_rels/.rels", RELATIONSHIPS)],
        "the model should be /3D/3dmodel.model, but there is no such part",
    );
    check(
        &[("_rels/.rels", "<a/>")],
        "the part holds no relationships",
    );
    check(
        &[(
            "_rels/.rels",
            &RELATIONSHIPS.replace("2013/01/3dmodel", "other"),
        )],
        "no relationship to a model",
    );
    let two = RELATIONSHIPS.replace(
        "</Relationships>",
        r#"<Relationship Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel" Target="/b.model" Id="s"/></Relationships>"#,
    );
    check(&[("_rels/.rels", &two)], "two models");
    check(
        &[
            ("_rels/.rels", RELATIONSHIPS),
            ("3D/3dmodel.model", "<html/>"),
        ],
        "starts with <html>",
    );
}
