//! Every rule of 3MF files has a file that breaks only it, and is refused with its code.
//!
//! The files are `tests/fixtures/faulty/NAME.model`: the XML of a model, in whose first comment stands which rule is
//! broken, the faulty piece and what mends it, and a piece of the message. The line that a refusal names is marked by
//! `<!-- here -->`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::Cursor;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::archive::{RELATIONSHIPS, archive};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use fibula::format::threemf::{self, Limits, Problem, ReadError, Severity};
use fibula::service::{Import, Service, WritePackage};

/// The files, and the codes with which they are refused.
const RULES: [(&str, &str); 116] = [
    ("another_format", "no_model"),
    ("attribute_twice", "xml"),
    ("attribute_without_quotes", "xml"),
    ("call_of_a_mesh", "resource_kind_mismatch"),
    ("call_of_a_point", "dangling_reference"),
    ("call_of_nothing", "dangling_reference"),
    ("channel_no_scalar", "type_mismatch"),
    ("colour_no_vector", "type_mismatch"),
    ("colour_of_no_function", "dangling_reference"),
    ("component_of_itself", "recursive_object"),
    ("component_of_materials", "resource_kind_mismatch"),
    ("component_of_nothing", "dangling_reference"),
    ("component_without_object", "missing_attribute"),
    ("components_in_a_circle", "recursive_object"),
    ("composite_of_a_mesh", "resource_kind_mismatch"),
    ("composite_of_nothing", "dangling_reference"),
    ("constant_infinite", "invalid_value"),
    ("constant_not_a_number", "invalid_value"),
    ("constant_with_comma", "invalid_value"),
    ("constant_without_value", "missing_attribute"),
    ("coordinate_with_comma", "invalid_value"),
    ("cycle", "cycle"),
    ("cycle_of_one", "cycle"),
    ("document_type", "entity"),
    ("empty_object", "invalid_structure"),
    ("id_too_large", "invalid_value"),
    ("image_of_a_mesh", "resource_kind_mismatch"),
    ("image_without_rowcount", "missing_attribute"),
    ("image_without_rows", "invalid_value"),
    ("image_without_stack", "invalid_structure"),
    ("infinite_fallback", "invalid_value"),
    ("input_called_functionid", "invalid_name"),
    ("input_of_another_type", "type_mismatch"),
    ("item_of_a_function", "resource_kind_mismatch"),
    ("item_of_nothing", "dangling_reference"),
    ("item_of_other_type", "not_buildable"),
    ("item_without_object", "missing_attribute"),
    ("level_set_flag", "invalid_value"),
    ("level_set_in_a_function", "resource_kind_mismatch"),
    ("level_set_in_no_mesh", "dangling_reference"),
    ("level_set_of_a_mesh", "resource_kind_mismatch"),
    ("level_set_of_a_mesh_as_volume", "resource_kind_mismatch"),
    ("level_set_of_no_function", "dangling_reference"),
    ("level_set_of_no_volume", "dangling_reference"),
    ("level_set_transform", "invalid_value"),
    ("level_set_without_channel", "missing_attribute"),
    ("level_set_without_functionid", "missing_attribute"),
    ("level_set_without_meshid", "missing_attribute"),
    ("linked_twice", "duplicate_id"),
    ("material_no_scalar", "type_mismatch"),
    ("matrix_of_fifteen", "invalid_value"),
    ("matrix_without_numbers", "missing_attribute"),
    ("metadata_without_name", "missing_attribute"),
    ("more_after_the_end", "xml"),
    ("negative_feature_size", "invalid_value"),
    ("negative_id", "invalid_value"),
    ("no_end", "xml"),
    ("no_input_at_all", "no_position"),
    ("no_output_at_all", "unknown_channel"),
    ("no_overload_of_inputs", "no_overload"),
    ("no_overload_of_outputs", "no_overload"),
    ("no_position", "no_position"),
    ("no_such_channel", "unknown_channel"),
    ("no_such_image", "dangling_reference"),
    ("no_such_input", "dangling_reference"),
    ("no_such_node", "dangling_reference"),
    ("no_such_output", "dangling_reference"),
    ("node_called_inputs", "reserved_identifier"),
    ("node_called_outputs", "reserved_identifier"),
    ("node_with_empty_identifier", "invalid_value"),
    ("node_without_identifier", "missing_attribute"),
    ("object_of_a_mesh_as_material", "resource_kind_mismatch"),
    ("object_of_no_material", "dangling_reference"),
    ("object_without_id", "missing_attribute"),
    ("output_declared_twice", "duplicate_id"),
    ("output_not_declared", "dangling_reference"),
    ("output_of_another_type", "type_mismatch"),
    ("position_no_vector", "no_position"),
    ("property_without_name", "missing_attribute"),
    ("recursion", "recursive_call"),
    ("recursion_by_another", "recursive_call"),
    ("reference_to_outputs", "dangling_reference"),
    ("reference_without_output", "dangling_reference"),
    ("resource_as_number", "type_mismatch"),
    ("resource_without_value", "missing_attribute"),
    ("same_id_of_two_kinds", "duplicate_id"),
    ("same_id_twice", "duplicate_id"),
    ("same_input_twice", "duplicate_id"),
    ("same_node_twice", "duplicate_id"),
    ("same_output_twice", "duplicate_id"),
    ("same_property_twice", "duplicate_id"),
    ("sheet_no_png", "invalid_image"),
    ("sheet_not_there", "dangling_reference"),
    ("sheet_without_path", "missing_attribute"),
    ("sheets_miscounted", "invalid_structure"),
    ("sheets_of_two_sizes", "invalid_image"),
    ("transform_not_finite", "invalid_value"),
    ("transform_of_eleven", "invalid_value"),
    ("triangle_of_no_material", "dangling_reference"),
    ("triangle_without_corner", "missing_attribute"),
    ("two_bodies", "invalid_structure"),
    ("two_colours", "invalid_structure"),
    ("undeclared_entity", "entity"),
    ("unknown_filter", "invalid_value"),
    ("unknown_input", "unknown_parameter"),
    ("unknown_node", "unknown_element"),
    ("unknown_tile_style", "invalid_value"),
    ("unknown_type_of_input", "unknown_element"),
    ("unknown_type_of_object", "invalid_value"),
    ("unknown_type_of_output", "unknown_element"),
    ("unknown_unit", "invalid_value"),
    ("vector_without_z", "missing_attribute"),
    ("vertex_negative", "invalid_value"),
    ("vertex_not_finite", "invalid_value"),
    ("vertex_too_large", "unknown_vertex"),
    ("vertex_without_z", "missing_attribute"),
];

const TYPES: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
 <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
 <Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/>
 <Default Extension="png" ContentType="image/png"/>
</Types>"#;

/// A file that breaks a rule.
struct Case {
    /// The model as it is in the folder.
    faulty: String,
    /// The model with the faulty piece replaced.
    mended: String,
    /// A piece of the message.
    says: String,
    /// The line that is named.
    line: Option<u64>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/faulty")
}

impl Case {
    fn read(name: &str) -> Case {
        let path = folder().join(format!("{name}.model"));
        let faulty = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        let start = faulty.find("-->").expect("a comment at the beginning");
        let (comment, model) = faulty.split_at(start);
        let said = |what: &str| {
            let mut lines = comment.lines();
            let line = lines.find_map(|line| line.trim_start().strip_prefix(what));
            line.unwrap_or_else(|| panic!("{name} says no {what}"))
                .trim()
        };
        assert!(!said("rule:").is_empty(), "{name} names no rule");
        let (piece, right) = (said("faulty:"), said("mended:"));
        assert_eq!(model.matches(piece).count(), 1, "{name}: {piece}");
        let here = |line: &str| line.contains("<!-- here -->");
        Case {
            mended: format!("{comment}{}", model.replace(piece, right)),
            says: said("says:").to_owned(),
            line: faulty.lines().position(here).map(|at| at as u64 + 1),
            faulty,
        }
    }
}

/// A grey PNG file.
fn png(columns: u32, rows: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, columns, rows);
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header().expect("a header");
    let pixels = vec![7; (columns * rows) as usize];
    writer.write_image_data(&pixels).expect("pixels");
    writer.finish().expect("an end");
    bytes
}

/// The file with this model, and the sheets that it names.
fn package(model: &str) -> Vec<u8> {
    let (square, wide) = (png(2, 1), png(3, 1));
    let mut parts: Vec<(&str, &[u8])> = vec![
        ("[Content_Types].xml", TYPES.as_bytes()),
        ("_rels/.rels", RELATIONSHIPS.as_bytes()),
        ("3D/3dmodel.model", model.as_bytes()),
    ];
    let sheets: [(&str, &[u8]); 4] = [
        ("volume/a.png", &square),
        ("volume/b.png", &square),
        ("volume/wide.png", &wide),
        ("volume/text.png", b"no picture"),
    ];
    let body = model.split_once("-->").map_or(model, |(_, body)| body);
    parts.extend(sheets.iter().filter(|(name, _)| body.contains(name)));
    let mut related =
        "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">"
            .to_owned();
    for (at, (name, _)) in parts[3..].iter().enumerate() {
        let kind = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dtexture";
        let _ = write!(
            related,
            "<Relationship Id=\"r{at}\" Target=\"/{name}\" Type=\"{kind}\"/>"
        );
    }
    related.push_str("</Relationships>");
    parts.push(("3D/_rels/3dmodel.model.rels", related.as_bytes()));
    archive(&parts)
}

fn read(bytes: &[u8]) -> Result<threemf::Model, ReadError> {
    threemf::read(bytes, &Limits::default())
}

/// Returns an error unless the file breaks its rule and no other.
fn wrong(case: &Case, code: &str) -> Result<(), String> {
    let bytes = package(&case.faulty);
    let report = threemf::check(&bytes, &Limits::default());
    let errors = report.findings.iter();
    let errors: Vec<_> = errors
        .filter(|one| one.severity == Severity::Error)
        .collect();
    let [error] = errors[..] else {
        return Err(format!("there is not one error: {errors:#?}"));
    };
    if error.code != code || !error.message.contains(&case.says) || error.place.line != case.line {
        let (says, line) = (&case.says, case.line);
        return Err(format!(
            "not {code} at {line:?} saying {says:?}: {error:#?}"
        ));
    }
    let Err(first) = read(&bytes) else {
        return Err("it is read".to_owned());
    };
    let same = (first.code(), &*first.place, first.problem.to_string())
        == (code, &error.place, error.message.clone())
        && first.hint() == error.fix;
    if !same {
        return Err(format!("reading says otherwise: {first:#?}"));
    }
    let bytes = package(&case.mended);
    let report = threemf::check(&bytes, &Limits::default());
    if !report.findings.is_empty() {
        return Err(format!("what is mended is not: {:#?}", report.findings));
    }
    read(&bytes).map_err(|error| format!("what is mended is refused: {error}"))?;
    Ok(())
}

#[test]
fn each_file_breaks_its_rule_and_no_other() {
    let mut faults = Vec::new();
    for (name, code) in RULES {
        let case = Case::read(name);
        if let Err(fault) = wrong(&case, code) {
            faults.push(format!("{name}: {fault}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn each_file_is_in_the_table() {
    let files = fs::read_dir(folder()).expect("the folder");
    let files: BTreeSet<String> = files
        .map(|file| {
            file.expect("a file")
                .file_name()
                .into_string()
                .expect("a name")
        })
        .collect();
    let rules: BTreeSet<String> = RULES.map(|(name, _)| format!("{name}.model")).into();
    assert_eq!(files, rules);
    assert!(RULES.is_sorted_by(|one, other| one.0 < other.0));
}

/// A list of the variants of [`Problem`], and the name of one. A variant that is missing does not compile.
macro_rules! variants {
    ($($name:ident),+ $(,)?) => {
        const VARIANTS: &[&str] = &[$(stringify!($name)),+];

        fn variant(problem: &Problem) -> &'static str {
            match problem {
                $(Problem::$name { .. } => stringify!($name)),+
            }
        }
    };
}

variants! {
    NotAZip, Truncated, Damaged, Method, TooLarge, TooManyEntries, BadPath, DuplicatePart, Encrypted, Xml, TooDeep,
    Entity, NoModel, MissingAttribute, InvalidValue, UnknownElement, UnknownInput, DanglingReference, MissingPart, PathInChildPart, WrongResource,
    Structure, UnknownVertex, Image, NoPosition, UnknownChannel, ChannelType, RecursiveObject, NotBuildable, Cancelled, DuplicateId,
    ReservedIdentifier, TypeMismatch, NoOverload, Cycle, RecursiveCall, Graph,
}

/// Files that are no package, or a broken one, and the codes with which they are refused.
fn broken() -> Vec<(&'static str, Result<threemf::Model, ReadError>)> {
    let sound = package(&Case::read("cycle").mended);
    let within = |limits: Limits| threemf::read(&sound, &limits);
    let default = Limits::default();
    // What an entry says of itself stands twice: before its bytes, and in the directory at the end.
    let patched = |in_front: usize, value: u16| {
        let mut bytes = sound.clone();
        for (start, at) in [(b"PK\x03\x04", in_front), (b"PK\x01\x02", in_front + 2)] {
            let entries = sound.windows(4).enumerate();
            for (place, _) in entries.filter(|(_, window)| window == start) {
                bytes[place + at..place + at + 2].copy_from_slice(&value.to_le_bytes());
            }
        }
        read(&bytes)
    };
    let types = TYPES.as_bytes();
    let with = |name: &str| {
        read(&archive(&[
            ("_rels/.rels", RELATIONSHIPS.as_bytes()),
            (name, types),
        ]))
    };
    let mut changed = sound.clone();
    let packed_bytes = 60..80;
    changed[packed_bytes].fill(0xa5);
    let deep = "<x>".repeat(100) + &"</x>".repeat(100);
    let deep = Case::read("no_end")
        .mended
        .replace("<build>", &(deep + "<build>"));
    let mut ended = |_, _| ControlFlow::Break(());
    // A build item of the part, whose object has a component with a path.
    let path = |path: &str| {
        format!(
            r#"objectid="1" p:path="{path}" xmlns:p="http://schemas.microsoft.com/3dmanufacturing/production/2015/06""#
        )
    };
    let model = |objects: &str, build: &str| {
        format!(
            r#"<model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><resources>{objects}</resources><build>{build}</build></model>"#
        )
    };
    let root = model("", &format!("<item {}/>", path("/3D/part.model")));
    let component = format!("<component {}/>", path("/3D/3dmodel.model"));
    let part = format!(r#"<object id="1"><components>{component}</components></object>"#);
    let of_parts = |part: Option<&str>| {
        let mut parts = vec![
            ("[Content_Types].xml", types),
            ("_rels/.rels", RELATIONSHIPS.as_bytes()),
            ("3D/3dmodel.model", root.as_bytes()),
        ];
        parts.extend(part.map(|part| ("3D/part.model", part.as_bytes())));
        read(&archive(&parts))
    };
    Vec::from(cases![
        "not_a_zip" => read(b"solid ball");
        "truncated" => read(&sound[..sound.len() / 2]);
        "damaged" => read(&changed);
        "unsupported_method" => patched(8, 12);
        "encrypted" => patched(6, 1);
        "too_large" => within(Limits { package: 100, ..default });
        "too_many_entries" => within(Limits { entries: 2, ..default });
        "bad_path" => with("../outside");
        "duplicate_part" => with("_RELS/.RELS");
        "no_model" => with("3D/other.model");
        "missing_part" => of_parts(None);
        "path_in_child_part" => of_parts(Some(&model(&part, "")));
        "too_deep" => read(&package(&deep));
        "cancelled" => threemf::read_with_progress(&sound, &default, &mut ended);
    ])
}

#[test]
fn every_way_to_be_refused_is_tried_and_documented() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let refusals = fs::read_to_string(root.join("docs/refusals.md")).expect("the document");
    let mut tried = BTreeSet::new();
    let mut note = |error: ReadError, code: &str| {
        assert_eq!(error.code(), code, "{error}");
        assert!(
            refusals.contains(&format!("`{code}`")),
            "{code} is nowhere in docs/refusals.md"
        );
        tried.insert(variant(&error.problem));
    };
    for (name, code) in RULES {
        let error = read(&package(&Case::read(name).faulty)).expect_err(name);
        note(error, code);
    }
    for (code, read) in broken() {
        note(read.expect_err(code), code);
    }
    assert_eq!(tried, VARIANTS.iter().copied().collect());
}

/// Answer of `fibula check` for a file: its exit code and output.
fn checked(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fibula"));
    let command = command.arg("check").args(arguments).current_dir(folder);
    let output = command.output().expect("the program runs");
    let text = String::from_utf8(output.stdout).expect("it speaks UTF-8");
    (output.status.code(), text)
}

#[test]
fn a_check_at_the_command_line_names_the_rule_the_place_and_the_fix() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    for name in ["cycle", "channel_no_scalar"] {
        let case = Case::read(name);
        let faulty = folder.join(format!("{name}.3mf"));
        fs::write(faulty, package(&case.faulty)).expect("a file");
        let mended = folder.join(format!("{name}_mended.3mf"));
        fs::write(mended, package(&case.mended)).expect("a file");
    }
    let (code, text) = checked(folder, &["cycle.3mf"]);
    let expected = "\
cycle.3mf: error (cycle) 3D/3dmodel.model:25, function 2 (ball), node first: the links of the nodes form a \
cycle: first -> second -> first; remove one of these references
cycle.3mf is refused: 1 error, 0 repairs, 0 warnings
";
    assert_eq!((code, text.as_str()), (Some(1), expected));
    let (code, text) = checked(folder, &["cycle_mended.3mf"]);
    let expected = "cycle_mended.3mf is read: 0 errors, 0 repairs, 0 warnings\n";
    assert_eq!((code, text.as_str()), (Some(0), expected));
    let (code, text) = checked(folder, &["--strict", "channel_no_scalar_mended.3mf"]);
    assert_eq!(code, Some(0), "{text}");

    let (code, text) = checked(folder, &["--json", "channel_no_scalar.3mf"]);
    assert_eq!(code, Some(1));
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let file = &json[0];
    assert_eq!(file["file"], "channel_no_scalar.3mf");
    let counts = ["errors", "repairs", "warnings", "readable"].map(|name| &file[name]);
    let found = serde_json::json!(counts);
    assert_eq!(found, serde_json::json!([1, 0, 0, false]));
    let finding = &file["findings"][0];
    assert_eq!(finding["code"], "type_mismatch");
    assert_eq!(finding["severity"], "error");
    assert_eq!(finding["place"], "3D/3dmodel.model:31");
    assert_eq!(finding["fix"], "use another output, or another function");
    // One faulty file among several is enough.
    let files = ["--json", "cycle_mended.3mf", "cycle.3mf"];
    let (code, text) = checked(folder, &files);
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((code, json.as_array().map(Vec::len)), (Some(1), Some(2)));
}

#[test]
fn a_new_id_is_none_that_the_file_names() {
    // Resource 4 is only kept, and names resource 2, which the file does not have.
    let bytes = package(
        r#"<model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><resources>
<thing id="4" objectid="2"/><object id="3"><components/></object></resources><build/></model>"#,
    );
    let service = Service::default();
    let import = |service: &Service, bytes: &[u8]| {
        let request = with_defaults!(Import, content: Some(BASE64.encode(bytes)));
        let imported = service.import(&crate::calls::origin(), request);
        imported.unwrap_or_else(|refusal| panic!("{refusal}"))
    };
    // Beside itself it gets other ids.
    import(&service, &bytes);
    for _ in 0..3 {
        let again = import(&service, &bytes);
        let mut ids = again.renumbered.values();
        assert!(ids.all(|id| *id != 2), "{:?}", again.renumbered);
    }
    let mut written = Cursor::new(Vec::new());
    service
        .write_package(&WritePackage::default(), &mut written)
        .expect("a file");
    import(&Service::default(), written.get_ref());
}
