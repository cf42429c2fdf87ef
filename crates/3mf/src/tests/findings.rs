//! Rejected objects, volumes and images, and findings of a check.

use std::ops::ControlFlow;

use super::*;
use crate::{Report, Severity};

const MESH: &str = r#"<vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/>
<vertex x="0" y="1" z="0"/></vertices><triangles><triangle v1="0" v2="1" v3="2"/></triangles>"#;

fn object(id: u32, body: &str) -> String {
    format!("<object id=\"{id}\">{body}</object>")
}

fn mesh(id: u32) -> String {
    object(id, &format!("<mesh>{MESH}</mesh>"))
}

fn components(id: u32, parts: &[u32]) -> String {
    let part = |part: &u32| format!("<component objectid=\"{part}\"/>");
    let parts: String = parts.iter().map(part).collect();
    object(id, &format!("<components>{parts}</components>"))
}

/// A level set 5 of the function 2 and the mesh 1, with these attributes beside.
fn level_set(attributes: &str) -> String {
    object(5, &format!("<v:levelset functionid=\"2\" {attributes}/>"))
}

fn with_build(resources: &str, build: &str) -> Vec<u8> {
    file(&model(resources).replace("<build>", &format!("<build>{build}")))
}

/// Resources and items that are rejected, with a code and a piece of the message; a check reports the same.
#[track_caller]
fn refused_build(resources: &str, build: &str, code: &str, message: &str) {
    let bytes = with_build(resources, build);
    let error = crate::read(&bytes, &Limits::default()).unwrap_err();
    assert_eq!(error.code(), code, "{error}");
    assert!(error.to_string().contains(message), "{error}");
    assert!(error.place.part.is_some(), "{error}");
    let report = crate::check(&bytes, &Limits::default());
    assert!(!report.is_readable());
    let found = report.findings.iter().find(|one| one.code == code).unwrap();
    assert_eq!(found.severity, Severity::Error);
    assert_eq!(found.place, *error.place);
}

/// Like [`refused_build`], without items.
#[track_caller]
fn refused(resources: &str, code: &str, message: &str) {
    refused_build(resources, "", code, message);
}

/// Checks changes of a text that are rejected: "from => to => code => a piece of the message".
#[track_caller]
fn changes_refused(resources: &str, cases: &[&str]) {
    for case in cases {
        let [from, to, code, message] = case.split(" => ").collect::<Vec<_>>()[..] else {
            panic!("{case}");
        };
        assert!(resources.contains(from), "{case}");
        refused(&resources.replace(from, to), code, message);
    }
}

#[test]
fn references_lead_to_resources_of_the_right_kind() {
    let (one, dangling, kind) = (mesh(1), "dangling_reference", "resource_kind_mismatch");
    let function = function(2, &length(), SHAPE);
    let base = one.clone() + &function;
    let message = "build item 1: objectid refers to resource 7";
    refused_build(&one, r#"<item objectid="7"/>"#, dangling, message);
    let message = "which is a function, not an object";
    refused_build(&function, r#"<item objectid="2"/>"#, kind, message);
    let message = "object 3: objectid refers to resource 7";
    refused(&components(3, &[7]), dangling, message);
    let message = "object 3, objectid refers to resource 2";
    refused(&(function.clone() + &components(3, &[2])), kind, message);
    let pid = r#"<object id="4" pid="1"><mesh/></object>"#;
    refused(&(one.clone() + pid), kind, "not a group of materials");
    let triangle = mesh(4).replace("v3=\"2\"", "v3=\"2\" pid=\"9\"");
    let message = "object 4: pid of a triangle refers to resource 9";
    refused(&triangle, dangling, message);
    let set = |attributes: &str| base.clone() + &level_set(attributes);
    let message = "meshid refers to resource 2, which is a function";
    refused(&set(r#"meshid="2" channel="shape""#), kind, message);
    let message = "meshid refers to resource 9";
    refused(&set(r#"meshid="9" channel="shape""#), dangling, message);
    let volume = r#"meshid="1" channel="shape" volumeid="1""#;
    let message = "volumeid refers to resource 1, which is a mesh object, not volume data";
    refused(&set(volume), kind, message);
    let wrong =
        set(r#"meshid="1" channel="shape""#).replace("functionid=\"2\"", "functionid=\"1\"");
    refused(&wrong, kind, "functionid refers to resource 1");
    let composite = r#"<v:volumedata id="6"><v:composite basematerialid="1"/></v:volumedata>"#;
    let message = "volume data 6, basematerialid refers to resource 1";
    refused(&(one + composite), kind, message);
}

#[test]
fn fields_fit_their_functions() {
    let set = |function: String, channel: &str| {
        let attributes = format!("meshid=\"1\" channel=\"{channel}\"");
        mesh(1) + &function + &level_set(&attributes)
    };
    let plain = function(2, &length(), SHAPE);
    let message = "needs the output 'other' of function 2; there is shape: float";
    refused(&set(plain.clone(), "other"), "unknown_channel", message);
    let scalar = plain
        .replace("i:vector identifier=\"pos\"", "i:scalar identifier=\"pos\"")
        .replace("<i:vectorref identifier=\"A\" ref=\"inputs.pos\"/>", "");
    let message = "the function has no input pos of type float3; there is pos: float";
    refused(&set(scalar, "shape"), "no_position", message);
    let shape = r#"<i:vectorref identifier="shape" ref="inputs.pos"/>"#;
    let vector = set(function(2, "", shape), "shape");
    let message = "takes a float, but the output 'shape' of function 2 is a float3";
    refused(&vector, "type_mismatch", message);
    let volume =
        |body: &str| plain.clone() + &format!("<v:volumedata id=\"6\">{body}</v:volumedata>");
    let color = r#"<v:color functionid="2" channel="shape"/>"#;
    let message = "the colour of volume data 6 takes a float3";
    refused(&volume(color), "type_mismatch", message);
    let twice = volume(&color.repeat(2));
    refused(&twice, "invalid_structure", "a second <color>");
    let property = r#"<v:property name="x:a" functionid="2" channel="shape"/>"#;
    let twice = volume(&property.repeat(2));
    refused(
        &twice,
        "duplicate_id",
        "duplicate property '{urn:unknown}a'",
    );
    let unnamed = volume(&property.replace("name=\"x:a\"", ""));
    let message = "<property> has no attribute name";
    refused(&unnamed, "missing_attribute", message);
}

#[test]
fn objects_are_sound() {
    let structure = "invalid_structure";
    refused(&object(1, ""), structure, "object 1 has no mesh");
    let twice = object(1, "<mesh/><mesh/>");
    refused(&twice, structure, "a second <mesh>");
    refused(&(mesh(1) + &mesh(1)), "duplicate_id", "duplicate id 1");
    let cycle = |resources: &str, path: &str| refused(resources, "recursive_object", path);
    cycle(&components(1, &[1]), "1 -> 1");
    let circle = components(1, &[2]) + &components(2, &[3, 3]) + &components(3, &[1]);
    cycle(&circle, "1 -> 2 -> 3 -> 1");
    // Elements of other extensions close cycles as well.
    let group = |id: u32, more: &str| format!("<texture2dgroup id=\"{id}\" {more}/>");
    cycle(&group(5, "texid=\"5\""), "5 -> 5");
    let circle = group(5, "objectid=\"1\"")
        + &mesh(1).replace("<object ", "<object pid=\"5\" pindex=\"0\" ");
    cycle(&circle, "5 -> 1 -> 5");
    // So do functions that name what asks them, or each other, without a call.
    let names = |id: u32, other: u32| {
        let constant = format!(
            "<i:constresourceid identifier=\"n\" value=\"{other}\"><i:out><i:resourceid \
            identifier=\"value\"/></i:out></i:constresourceid>"
        );
        function(id, &(length() + &constant), SHAPE)
    };
    let circle = names(2, 5) + &mesh(1) + &level_set("channel=\"shape\" meshid=\"1\"");
    cycle(&circle, "2 -> 5 -> 2");
    cycle(&(names(2, 3) + &names(3, 2)), "2 -> 3 -> 2");
    let message = "xmlns:a has the reserved prefix xmlns";
    refused("<xmlns:a id=\"5\"/>", "xml", message);
    for name in ["a/b", "1a", ":a", "a:", "a:b:c", "a\u{d7}"] {
        let message = format!("{name} is not a valid name of an element or attribute");
        refused(&group(5, &format!("{name}=\"1\"")), "xml", &message);
        refused(&format!("<{name} id=\"5\"/>"), "xml", &message);
    }
    changes_refused(
        &mesh(1),
        &[
            r#"v3="2" => v3="3" => unknown_vertex => vertex 3, but its mesh has 3 vertices"#,
            r#"v3="2" => v3="-1" => invalid_value => v3="-1""#,
            r#"v3="2" =>  => missing_attribute => <triangle> has no attribute v3"#,
            r#"v3="2" => v3="2" v3="2" => xml => duplicate attribute"#,
            r#"x="1" => x="NaN" => invalid_value => x="NaN""#,
            r#"x="1" => x="1e999" => invalid_value => finite number"#,
            r#"x="1" => x="&evil;" => entity => &evil;"#,
            r#"y="1" =>  => missing_attribute => <vertex> has no attribute y"#,
            r#"v2="1" => v2="1" p1="x" => invalid_value => p1="x""#,
        ],
    );
    let before =
        r#"<mesh><triangles><triangle v1="0" v2="1" v3="2"/></triangles><vertices/></mesh>"#;
    refused(&object(1, before), "unknown_vertex", "its mesh has 0");
    for transform in ["1 0 0 0 1 0 0 0 1 0 0", "1 0 0 0 1 0 0 0 1 0 0 inf"] {
        let item = format!("<item objectid=\"1\" transform=\"{transform}\"/>");
        refused_build(&mesh(1), &item, "invalid_value", "12 finite numbers");
    }
    let odd = object(1, "<mesh/>").replace("id=", "type=\"odd\" id=");
    refused(&odd, "invalid_value", "solidsupport");
}

#[test]
fn the_line_of_a_fault_is_named() {
    let vertices: String = (0..5000)
        .map(|_| "<vertex x=\"0\" y=\"0\" z=\"0\"/>\n")
        .collect();
    let body =
        format!("<mesh><vertices>\n{vertices}<vertex x=\"q\" y=\"0\" z=\"0\"/></vertices></mesh>");
    let bytes = file(&format!(
        "<model xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\"><resources>{}</resources></model>",
        object(1, &body)
    ));
    let error = crate::read(&bytes, &Limits::default()).unwrap_err();
    assert_eq!(error.code(), "invalid_value");
    assert_eq!(error.place.line, Some(5002));
}

#[test]
fn images_have_their_sheets() {
    changes_refused(
        &image(6),
        &[
            r#"sheetcount="1" => sheetcount="2" => invalid_structure => sheetcount is 2, but there are 1"#,
            r#"sheetcount="1" => sheetcount="4294967296" => invalid_value => sheetcount"#,
            r#"rowcount="1" => rowcount="0" => invalid_value => rowcount"#,
            r#"rowcount="1" =>  => missing_attribute => rowcount"#,
            "/volume/a.png => /volume/../../a.png => dangling_reference => is not a part",
            "/volume/a.png => /b.png => dangling_reference => is not a part",
            "/volume/a.png => /3D/3dmodel.model => invalid_image => 3D/3dmodel.model is not a PNG file",
        ],
    );
    let empty = r#"<v:image3d id="6"/>"#;
    refused(empty, "invalid_structure", "no <imagestack>");
    let two = image(6)
        .replace("sheetcount=\"1\"", "sheetcount=\"2\"")
        .replace(
            "</v:imagestack>",
            "<v:imagesheet path=\"/volume/b.png\"/></v:imagestack>",
        );
    let (text, first, second) = (model(&two), png(2, 1), png(3, 1));
    let parts: [(&str, &[u8]); 4] = [
        ("_rels/.rels", RELATIONSHIPS.as_bytes()),
        ("3D/3dmodel.model", text.as_bytes()),
        ("volume/a.png", &first),
        ("volume/b.png", &second),
    ];
    let error = crate::read(&packed(&parts), &Limits::default()).unwrap_err();
    assert_eq!(error.code(), "invalid_image");
    let message = "has 3 columns and 1 rows, but those before it have 2";
    assert!(error.to_string().contains(message), "{error}");
}

#[test]
fn a_damaged_part_is_not_searched() {
    let text = model(&(mesh(1) + &mesh(1)));
    let mut part = super::archive::Entry::stored("3D/3dmodel.model", text.as_bytes());
    part.crc ^= 1;
    let relationships = super::archive::Entry::stored("_rels/.rels", RELATIONSHIPS.as_bytes());
    let bytes = super::archive::archive(&[relationships, part]);
    let report = crate::check(&bytes, &Limits::default());
    assert_eq!(said(&report, Severity::Error), ["damaged"]);
    assert_eq!(report.findings.len(), 1);
}

fn said(report: &Report, severity: Severity) -> Vec<&'static str> {
    let all = report.findings.iter();
    let same = all.filter(|finding| finding.severity == severity);
    same.map(|one| one.code).collect()
}

/// A node of the function that [`function`] writes, whose input has the wrong type.
fn mistyped() -> String {
    let inputs = [("scalar", "A", "inputs.pos")];
    node("length", "length", &inputs, &[("scalar", "result")])
}

#[test]
fn a_check_finds_all_faults() {
    let resources = [
        function(2, &mistyped(), SHAPE),
        function(3, &length(), SHAPE).replace("identifier=\"length\"", ""),
        function(4, &length(), SHAPE),
        mesh(1).replace("x=\"1\"", "x=\"a\""),
        mesh(10).replace("v1=\"0\"", "v1=\"8\""),
        mesh(11),
        mesh(11),
        components(12, &[13]),
        components(13, &[12]),
        object(
            14,
            "<v:levelset functionid=\"4\" meshid=\"1\" channel=\"none\"/>",
        ),
        object(
            15,
            "<v:levelset functionid=\"2\" meshid=\"11\" channel=\"shape\"/>",
        ),
        "<v:volumedata id=\"16\"><v:color functionid=\"99\" channel=\"c\"/></v:volumedata>"
            .to_owned(),
    ];
    let build =
        r#"<item objectid="12"/><item objectid="50"/><item/><item objectid="11" transform="1"/>"#;
    let bytes = with_build(&resources.concat(), build);
    let report = crate::check(&bytes, &Limits::default());
    let expected = [
        "missing_attribute",
        "invalid_value",
        "unknown_vertex",
        "duplicate_id",
        "missing_attribute",
        "invalid_value",
        "dangling_reference",
        "dangling_reference",
        "type_mismatch",
        "unknown_channel",
        "recursive_object",
    ];
    assert_eq!(said(&report, Severity::Error), expected, "{report:#?}");
    let first = crate::read(&bytes, &Limits::default()).unwrap_err();
    assert_eq!(report.findings[0].message, first.problem.to_string());
    assert_eq!(report.findings[0].place, *first.place);
    // A syntax error ends the check; earlier findings are reported.
    let cut = file(&model(&resources.concat()).replace("</resources>", "</resource>"));
    let report = crate::check(&cut, &Limits::default());
    let errors = said(&report, Severity::Error);
    assert_eq!(errors[..4], expected[..4]);
    assert_eq!(errors[4..], ["xml"]);
}

#[test]
fn functions_that_are_in_each_others_way_are_all_named() {
    let call = |id: u32, callee: u32| {
        let constant = format!(
            r#"<i:constresourceid identifier="c"
value="{callee}"><i:out><i:resourceid identifier="value"/></i:out></i:constresourceid>"#
        );
        let inputs = [
            ("resource", "functionID", "c.value"),
            ("vector", "pos", "inputs.pos"),
        ];
        let call = node("functioncall", "call", &inputs, &[("scalar", "shape")]);
        function(
            id,
            &(constant + &call),
            r#"<i:scalarref identifier="shape" ref="call.shape"/>"#,
        )
    };
    let resources = [
        call(1, 2),
        call(2, 1),
        call(3, 3),
        call(4, 9),
        function(5, &length(), SHAPE),
        call(6, 5),
    ];
    let report = crate::check(&file(&model(&resources.concat())), &Limits::default());
    let errors = said(&report, Severity::Error);
    // Callers of a faulty function are not reported.
    let alone = [call(2, 1), call(3, 2), function(1, &mistyped(), SHAPE)];
    let alone = crate::check(&file(&model(&alone.concat())), &Limits::default());
    let of_alone = said(&alone, Severity::Error);
    assert_eq!(of_alone, ["type_mismatch"], "{alone:#?}");
    for code in ["recursive_call", "dangling_reference"] {
        assert!(errors.contains(&code), "{report:#?}");
    }
    let named = |id: u32| {
        let mut all = report.findings.iter();
        all.any(|one| {
            let place = one.place.function.as_ref();
            one.severity == Severity::Error && place.is_some_and(|(one, _)| *one == id)
        })
    };
    let named = [1, 3, 4, 5, 6].map(named);
    assert_eq!(named, [true, true, true, false, false], "{report:#?}");
}

#[test]
fn what_is_wrong_is_a_violation_and_what_is_suspicious_a_warning() {
    let two = function(2, &length(), SHAPE).replace(
        "<i:in><i:vector identifier=\"pos\"/></i:in>",
        "<i:in><i:vector identifier=\"pos\"/><i:scalar identifier=\"r\"/></i:in>",
    );
    let set = level_set(r#"meshid="1" channel="shape""#);
    let flat = mesh(8).replace("v3=\"2\"", "v3=\"1\"");
    let foreign = r#"<m:texture2dgroup id="9" texid="77"
xmlns:m="http://schemas.microsoft.com/3dmanufacturing/material/2015/02"/>"#;
    let resources = [
        object(7, "<mesh/>"),
        set,
        mesh(1),
        two,
        flat,
        function(3, &length(), SHAPE),
        foreign.to_owned(),
    ];
    let build = r#"<item objectid="1" transform="-1 0 0 0 1 0 0 0 1 0 0 0"/><item objectid="1"
transform="0 0 0 0 1 0 0 0 1 0 0 0"/>"#;
    let report = crate::check(&with_build(&resources.concat(), build), &Limits::default());
    assert!(report.is_readable(), "{report:#?}");
    assert_eq!(said(&report, Severity::Repair), [""; 0]);
    let mut violations = said(&report, Severity::Violation);
    violations.dedup();
    violations.sort_unstable();
    violations.dedup();
    let expected = [
        "dangling_reference",
        "degenerate_triangle",
        "forward_reference",
        "missing_element",
        "no_content_types",
        "open_edge",
        "required_extension",
    ];
    assert_eq!(violations, expected, "{report:#?}");
    let mut warnings = said(&report, Severity::Warning);
    warnings.sort_unstable();
    let expected = [
        "empty_mesh",
        "extension_not_required",
        "flat_transform",
        "further_inputs",
        "mirror_transform",
        "unused_function",
    ];
    assert_eq!(warnings, expected, "{report:#?}");
    assert!(
        report
            .findings
            .iter()
            .all(|one| one.severity == Severity::Repair || one.fix.is_some())
    );
}

#[test]
fn a_reading_is_watched_and_can_be_ended() {
    let comments: Vec<String> = (0..60_000).map(|at| format!("<!-- {at} -->")).collect();
    let bytes = file(&model(&(mesh(1) + &comments.concat())));
    let mut reports = Vec::new();
    let read = crate::read_with_progress(&bytes, &Limits::default(), &mut |done, total| {
        reports.push((done, total));
        ControlFlow::Continue(())
    });
    assert_eq!(read.unwrap().objects.len(), 1);
    assert!(reports.len() > 3 && reports.is_sorted(), "{reports:?}");
    let (done, total) = *reports.last().unwrap();
    assert!(done == total && total > 800_000, "{reports:?}");
    let mut calls = 0;
    let ended = crate::read_with_progress(&bytes, &Limits::default(), &mut |_, _| {
        calls += 1;
        if calls == 2 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    assert_eq!(ended.unwrap_err().code(), "cancelled");
    assert_eq!(calls, 2);
}

#[test]
fn many_functions_that_call_themselves_are_not_all_named() {
    let call = |id: usize| {
        let constant = format!(r#"<i:constresourceid identifier="c" value="{id}"/>"#);
        let input = [("resource", "functionID", "c.value")];
        let call = node("functioncall", "call", &input, &[]);
        function(id as u32, &(constant + &call), "")
    };
    let named = |count: usize| {
        let resources: String = (1..=count).map(call).collect();
        let report = crate::check(&file(&model(&resources)), &Limits::default());
        let errors = said(&report, Severity::Error);
        assert!(errors.iter().all(|&code| code == "recursive_call"));
        errors.len()
    };
    assert_eq!(named(50), 50);
    assert!(named(5000) < 50);
}
