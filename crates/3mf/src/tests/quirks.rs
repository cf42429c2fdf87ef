//! What programs in the field write wrongly: each is read, and reported.

use super::*;

/// Reads a file and holds the codes of its repairs against `expected`.
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
    let text = format!(
        r#"<i:implicitfunction id="3"><i:in><i:vector identifier="pos"/></i:in><i:out>{SHAPE}</i:out>"#
    );
    let model = check(
        &(text + &length() + "</i:implicitfunction>"),
        &["outputs_before_nodes"],
    );
    assert_eq!(only(&model, 3).name, "function_3");
}

#[test]
fn nodes_in_any_order() {
    let abs = node(
        "abs",
        "abs",
        &[("scalar", "A", "length.result")],
        &[("scalar", "result")],
    );
    let model = check(&function(3, &(abs + &length()), SHAPE), &["node_order"]);
    let function = only(&model, 3);
    assert_eq!(
        source(named(function, "abs"), "A"),
        Some((NodeId(3), "result"))
    );
}

#[test]
fn empty_references_leave_parameters_unset() {
    let inputs = [("vector", "A", ""), ("vector", "B", "inputs.pos")];
    let text = node("min", "min", &inputs, &[("vector", "result")]);
    let model = check(
        &function(3, &text, r#"<i:scalarref identifier="shape" ref=""/>"#),
        &["empty_reference"; 2],
    );
    let function = only(&model, 3);
    assert_eq!(
        named(function, "min").parameters.keys().collect::<Vec<_>>(),
        ["B"]
    );
    assert!(function.nodes[0].parameters.is_empty());
}

#[test]
fn types_as_they_are_written_choose_the_overload() {
    let inputs = [("vector", "A", ""), ("vector", "B", "")];
    let model = check(
        &function(3, &node("min", "min", &inputs, &[("vector", "result")]), ""),
        &["empty_reference"],
    );
    assert_eq!(named(only(&model, 3), "min").overload, Some(1));
}

#[test]
fn matrices_with_two_outputs() {
    let matrix = node(
        "composematrix",
        "compose",
        &[],
        &[("matrix", "result"), ("matrix", "matrix")],
    );
    let inputs = [
        ("matrix", "A", "compose.matrix"),
        ("vector", "B", "inputs.pos"),
    ];
    let nodes = matrix
        + &node(
            "matvecmultiplication",
            "turned",
            &inputs,
            &[("vector", "result")],
        );
    let model = check(&function(3, &nodes, ""), &["extra_output"]);
    assert_eq!(
        source(named(only(&model, 3), "turned"), "A"),
        Some((NodeId(2), "result"))
    );
    assert!(
        model.repairs[0]
            .message
            .contains("'matrix', read as 'result'"),
        "{}",
        model.repairs[0].message
    );
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
    let text = mesh.to_owned()
        + &node("mesh", "m", &inputs, &[("scalar", "distance")])
        + "</i:implicitfunction>";
    let model = check(&text, &["extra_input"]);
    assert_eq!(named(only(&model, 3), "m").parameters.len(), 2);
}

#[test]
fn resourceid_for_value() {
    let text = r#"<i:constresourceid identifier="r" resourceid="9"><i:out><i:resourceid identifier="value"/></i:out></i:constresourceid>"#;
    let text = r#"<object id="9"><mesh/></object>"#.to_owned() + &function(3, text, "");
    let model = check(&text, &["resourceid_attribute"]);
    assert_eq!(
        named(only(&model, 3), "r").parameters["resourceid"],
        Setting::Value(9.into())
    );
}

#[test]
fn hyphens_in_names_become_underscores_everywhere() {
    let resources = [
        function(3, &length(), &SHAPE.replace("\"shape\"", "\"shape-diff\"")),
        function(
            4,
            &(r#"<i:constresourceid identifier="r-1" value="3"><i:out><i:resourceid identifier="value"/></i:out></i:constresourceid>"#
                .to_owned()
                + &node(
                    "functioncall",
                    "call",
                    &[("resource", "functionID", "r-1.value"), ("vector", "pos", "inputs.pos")],
                    &[("scalar", "shape-diff"), ("scalar", "shape_diff"), ("scalar", "gone")],
                )),
            r#"<i:scalarref identifier="shape" ref="call.shape-diff"/>"#,
        ),
    ];
    let model = check(&resources.concat(), &["renamed_identifier", "extra_output"]);
    assert_eq!(only(&model, 3).outputs[0].name, "shape_diff");
    assert_eq!(
        source(&only(&model, 4).nodes[0], "shape"),
        Some((NodeId(3), "shape_diff"))
    );
    let message = &model.repairs[1].message;
    assert!(
        message.contains("'shape-diff', read as 'shape_diff'; 'gone', which nothing reads"),
        "{message}"
    );
}

#[test]
fn both_dialects_of_arc_functions() {
    let one = [("scalar", "A", "length.result")];
    let two = [
        ("scalar", "A", "length.result"),
        ("scalar", "B", "length.result"),
    ];
    let dialects = [
        ("asin", "arcsin", 1),
        ("acos", "arccos", 1),
        ("atan", "arctan", 1),
        ("atan2", "arctan2", 2),
    ];
    for (native, other, inputs) in dialects {
        let inputs = if inputs == 1 { one.as_slice() } else { &two };
        let text = |element| {
            function(
                3,
                &(length() + &node(element, "n", inputs, &[("scalar", "result")])),
                SHAPE,
            )
        };
        let (written, read) = (
            check(&text(native), &[]),
            check(&text(other), &["element_name"]),
        );
        assert_eq!(written.functions, read.functions);
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
    let text = length() + &node("pow", "pow", &inputs, &[("scalar", "value")]);
    let text = function(
        3,
        &text,
        r#"<i:scalarref identifier="shape" ref="pow.value"/>"#,
    );
    let model = check(
        &text,
        &["output_name", "input_name", "input_name", "empty_reference"],
    );
    let pow = named(only(&model, 3), "pow");
    assert_eq!(pow.parameters.keys().collect::<Vec<_>>(), ["A", "B"]);
}

#[test]
fn linked_constants_attributes_and_names() {
    let constant = r#"<i:constant identifier="c" displayname="&#x200B;c&#10;d" value="5" colour="red">
        <i:in><i:scalarref identifier="value" ref="length.result"/></i:in>
        <i:out><i:scalar identifier="value"/></i:out></i:constant>"#;
    let text = function(3, &(length() + constant), SHAPE);
    let model = check(
        &text,
        &["cleaned_name", "unknown_attribute", "linked_constant"],
    );
    assert!(source(named(only(&model, 3), "cd"), "value").is_some());
}

#[test]
fn attributes_of_gradients_become_parameters() {
    let nodes = r#"<i:constresourceid identifier="r" value="3"><i:out><i:resourceid identifier="value"/></i:out></i:constresourceid>
        <i:normalizedistance identifier="n" scalaroutput="shape" vectorinput="pos"><i:in>
        <i:resourceref identifier="functionID" ref="r.value"/><i:vectorref identifier="pos" ref="inputs.pos"/></i:in>
        <i:out><i:scalar identifier="result"/></i:out></i:normalizedistance>"#;
    let model = check(
        &(function(3, &length(), SHAPE) + &function(4, nodes, "")),
        &[],
    );
    let node = named(only(&model, 4), "n");
    assert_eq!(
        node.parameters["scalaroutput"],
        Setting::Value("shape".into())
    );
    assert_eq!(node.parameters["vectorinput"], Setting::Value("pos".into()));
}

#[test]
fn what_is_not_understood_is_kept_or_named() {
    let text = function(
        3,
        &(length() + r#"<x:note><x:more a="1"/></x:note>"#),
        SHAPE,
    );
    let model = check(&(text + r#"<x:thing id="12"/><x:thing b="&lt;"/>"#), &[]);
    let left_out: Vec<_> = model
        .left_out
        .iter()
        .map(|one| (one.what.as_str(), one.count, one.ids.as_slice()))
        .collect();
    let none: &[u32] = &[];
    assert_eq!(left_out, [("element note in a function", 1, none)]);
    assert_eq!(model.foreign[0].0.0, 12);
    assert_eq!(
        model.info.extra.elements,
        [r#"<x:thing b="&lt;" xmlns:x="urn:unknown"/>"#]
    );
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
