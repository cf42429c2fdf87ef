//! Mistakes of programs in the field: each is read, and reported.

use super::*;

/// Reads a file and checks the codes of its repairs.
#[track_caller]
fn check(resources: &str, expected: &[&str]) -> Model {
    let model = read(resources).unwrap_or_else(|error| panic!("{error}\n{resources}"));
    let codes: Vec<&str> = model.repairs.iter().map(|repair| repair.code).collect();
    assert_eq!(codes, expected, "{:#?}", model.repairs);
    model
}

#[test]
fn the_tag_of_a_draft() {
    let text = function(3, &length(), SHAPE).replace("i:implicitfunction", "i:function");
    check(&text, &["old_function_tag"]);
}

#[test]
fn outputs_before_the_nodes() {
    let start = r#"<i:implicitfunction id="3"><i:in><i:vector identifier="pos"/></i:in>"#;
    let text = format!(
        "{start}<i:out>{SHAPE}</i:out>{}</i:implicitfunction>",
        length()
    );
    let model = check(&text, &["outputs_before_nodes"]);
    assert_eq!(only(&model, 3).name, "function_3");
}

#[test]
fn nodes_in_any_order() {
    let inputs = [("scalar", "A", "length.result")];
    let abs = node("abs", "abs", &inputs, &[("scalar", "result")]);
    let model = check(&function(3, &(abs + &length()), SHAPE), &["node_order"]);
    let from = source(named(only(&model, 3), "abs"), "A");
    assert_eq!(from, Some((NodeId(3), "result")));
}

#[test]
fn empty_references_leave_parameters_unset() {
    let inputs = [("vector", "A", ""), ("vector", "B", "inputs.pos")];
    let min = node("min", "min", &inputs, &[("vector", "result")]);
    let text = function(3, &min, r#"<i:scalarref identifier="shape" ref=""/>"#);
    let model = check(&text, &["empty_reference"; 2]);
    let function = only(&model, 3);
    let set = named(function, "min").parameters.keys();
    assert_eq!(set.collect::<Vec<_>>(), ["B"]);
    assert!(function.nodes[0].parameters.is_empty());
}

#[test]
fn inputs_without_source_and_default_are_violations() {
    let empty = [("vector", "A", ""), ("vector", "B", "inputs.pos")];
    let min = node("min", "min", &empty, &[("vector", "result")]);
    // The elements of a matrix have defaults.
    let matrix = node("composematrix", "matrix", &[], &[("matrix", "result")]);
    let bytes = file(&model(&function(3, &(min + &matrix), "")));
    let report = crate::check(&bytes, &Limits::default());
    let missing = report.findings.iter();
    let missing: Vec<_> = missing.filter(|one| one.code == "missing_input").collect();
    assert!(matches!(missing[..], [one] if one.message.contains("source for A,")));
    assert_eq!(missing[0].place.node.as_deref(), Some("min"));
}

#[test]
fn types_as_they_are_written_choose_the_overload() {
    let inputs = [("vector", "A", ""), ("vector", "B", "")];
    let min = node("min", "min", &inputs, &[("vector", "result")]);
    let model = check(&function(3, &min, ""), &["empty_reference"]);
    assert_eq!(named(only(&model, 3), "min").overload, Some(1));
}

#[test]
fn matrices_with_two_outputs() {
    let outputs = [("matrix", "result"), ("matrix", "matrix")];
    let matrix = node("composematrix", "compose", &[], &outputs);
    let inputs = [
        ("matrix", "A", "compose.matrix"),
        ("vector", "B", "inputs.pos"),
    ];
    let result = [("vector", "result")];
    let nodes = matrix + &node("matvecmultiplication", "turned", &inputs, &result);
    let model = check(&function(3, &nodes, ""), &["extra_output"]);
    let from = source(named(only(&model, 3), "turned"), "A");
    assert_eq!(from, Some((NodeId(2), "result")));
    let message = &model.repairs[0].message;
    assert!(message.contains("'matrix', read as 'result'"), "{message}");
}

#[test]
fn inputs_that_the_kind_does_not_have() {
    let mesh = r#"<object id="9"><mesh/></object>
        <i:implicitfunction id="3"><i:in><i:vector identifier="pos"/></i:in>
        <i:constresourceid identifier="r" value="9"><i:out><i:resourceid identifier="value"/></i:out></i:constresourceid>"#;
    let inputs = [
        ("vector", "pos", "inputs.pos"),
        ("resource", "mesh", "r.value"),
        ("resource", "end", ""),
        ("resource", "start", ""),
    ];
    let node = node("mesh", "m", &inputs, &[("scalar", "distance")]);
    let text = format!("{mesh}{node}</i:implicitfunction>");
    let model = check(&text, &["extra_input"]);
    assert_eq!(named(only(&model, 3), "m").parameters.len(), 2);
}

#[test]
fn resourceid_for_value() {
    let text = r#"<i:constresourceid identifier="r" resourceid="9"><i:out><i:resourceid identifier="value"/></i:out></i:constresourceid>"#;
    let text = r#"<object id="9"><mesh/></object>"#.to_owned() + &function(3, text, "");
    let model = check(&text, &["resourceid_attribute"]);
    let parameters = &named(only(&model, 3), "r").parameters;
    assert_eq!(parameters["resourceid"], Setting::Value(9.into()));
}

#[test]
fn hyphens_in_names_become_underscores_everywhere() {
    let constant = r#"<i:constresourceid identifier="r-1" value="3"><i:out><i:resourceid identifier="value"/></i:out></i:constresourceid>"#;
    let inputs = [
        ("resource", "functionID", "r-1.value"),
        ("vector", "pos", "inputs.pos"),
    ];
    let outputs = ["shape-diff", "shape_diff", "gone"].map(|name| ("scalar", name));
    let call = node("functioncall", "call", &inputs, &outputs);
    let shape = r#"<i:scalarref identifier="shape" ref="call.shape-diff"/>"#;
    let resources = [
        function(3, &length(), &SHAPE.replace("\"shape\"", "\"shape-diff\"")),
        function(4, &(constant.to_owned() + &call), shape),
    ];
    let model = check(&resources.concat(), &["renamed_identifier", "extra_output"]);
    assert_eq!(only(&model, 3).outputs[0].name, "shape_diff");
    let from = source(&only(&model, 4).nodes[0], "shape");
    assert_eq!(from, Some((NodeId(3), "shape_diff")));
    let message = &model.repairs[1].message;
    let expected = "'shape-diff', read as 'shape_diff'; 'gone', which no node uses";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn both_dialects_of_arc_functions() {
    let inputs = ["A", "B"].map(|name| ("scalar", name, "length.result"));
    for (native, other, count) in [
        ("asin", "arcsin", 1),
        ("acos", "arccos", 1),
        ("atan", "arctan", 1),
        ("atan2", "arctan2", 2),
    ] {
        let read = |element, codes: &[&str]| {
            let node = node(element, "n", &inputs[..count], &[("scalar", "result")]);
            check(&function(3, &(length() + &node), SHAPE), codes).functions
        };
        assert_eq!(read(native, &[]), read(other, &["element_name"]));
    }
}

#[test]
fn other_names_of_inputs_and_outputs() {
    let inputs = [
        ("scalar", "base", "length.result"),
        ("scalar", "exponent", "length.result"),
        ("scalar", "A", ""),
        ("scalar", "B", ""),
    ];
    let nodes = length() + &node("pow", "pow", &inputs, &[("scalar", "value")]);
    let shape = r#"<i:scalarref identifier="shape" ref="pow.value"/>"#;
    let codes = ["output_name", "input_name", "input_name", "empty_reference"];
    let model = check(&function(3, &nodes, shape), &codes);
    let pow = named(only(&model, 3), "pow");
    assert_eq!(pow.parameters.keys().collect::<Vec<_>>(), ["A", "B"]);
}

#[test]
fn linked_constants_attributes_and_names() {
    let constant = r#"<i:constant identifier="c" displayname="&#x200B;c&#10;d" value="5" colour="red">
        <i:in><i:scalarref identifier="value" ref="length.result"/></i:in>
        <i:out><i:scalar identifier="value"/></i:out></i:constant>"#;
    let text = function(3, &(length() + constant), SHAPE);
    let codes = ["cleaned_name", "unknown_attribute", "linked_constant"];
    let model = check(&text, &codes);
    assert!(source(named(only(&model, 3), "cd"), "value").is_some());
}

#[test]
fn attributes_of_gradients_become_parameters() {
    let nodes = r#"<i:constresourceid identifier="r" value="3"><i:out><i:resourceid identifier="value"/></i:out></i:constresourceid>
        <i:normalizedistance identifier="n" scalaroutput="shape" vectorinput="pos"><i:in>
        <i:resourceref identifier="functionID" ref="r.value"/><i:vectorref identifier="pos" ref="inputs.pos"/></i:in>
        <i:out><i:scalar identifier="result"/></i:out></i:normalizedistance>"#;
    let text = function(3, &length(), SHAPE) + &function(4, nodes, "");
    let model = check(&text, &[]);
    let parameters = &named(only(&model, 4), "n").parameters;
    for (name, port) in [("scalaroutput", "shape"), ("vectorinput", "pos")] {
        assert_eq!(parameters[name], Setting::Value(port.into()));
    }
}

#[test]
fn what_is_not_understood_is_kept_or_named() {
    let note = r#"<x:note><x:more a="1"/></x:note>"#;
    let text = function(3, &(length() + note), SHAPE);
    let model = check(&(text + r#"<x:thing id="12"/><x:thing b="&lt;"/>"#), &[]);
    let left_out: Vec<_> = model
        .left_out
        .iter()
        .map(|one| (one.what.as_str(), one.count, one.ids.as_slice()))
        .collect();
    let expected: (&str, usize, &[u32]) = ("element note in a function", 1, &[3]);
    assert_eq!(left_out, [expected]);
    assert_eq!(model.foreign[0].0.0, 12);
    // With its place among the resources.
    let kept = r#"<f:inner xmlns:f="urn:fibula:inner" f:of="resources" f:order="3 12 *"><x:thing b="&lt;" xmlns:x="urn:unknown"/></f:inner>"#;
    assert_eq!(model.info.extra.elements, [kept]);
}

#[test]
fn a_constant_for_a_literal_that_somebody_named_is_a_node() {
    let constant = |name: &str, mark: &str, said: &str| {
        format!(
            r#"<i:constant identifier="{name}" value="2" tag="fibula:{mark}"{said}><i:out><i:scalar
identifier="value"/></i:out></i:constant>"#
        )
    };
    let read_with = |mark: &str, said: &str| {
        let inputs = [
            ("scalar", "A", "length.result"),
            ("scalar", "B", "two.value"),
        ];
        let less = node("subtraction", "less", &inputs, &[("scalar", "result")]);
        let nodes = length() + &constant("two", mark, said) + &less;
        let shape = r#"<i:scalarref identifier="shape" ref="less.result"/>"#;
        let model = check(&function(3, &nodes, shape), &[]);
        only(&model, 3).clone()
    };
    for mark in ["literal", "default"] {
        for said in ["", r#" displayname="""#] {
            let folded = read_with(mark, said);
            let less = named(&folded, "less");
            assert_eq!(less.parameters["B"], Setting::Value(2.0.into()), "{said}");
        }
        let kept = read_with(mark, r#" displayname="Wall""#);
        let wall = named(&kept, "Wall");
        assert_eq!(wall.parameters["value"], Setting::Value(2.0.into()));
        let from = source(named(&kept, "less"), "B");
        assert_eq!(from, Some((wall.node_id.expect("it has one"), "value")));
    }
}
