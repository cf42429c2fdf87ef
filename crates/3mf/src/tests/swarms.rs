//! Files with a great many faults: so many are named and no more, and each of them costs the same.

use super::*;
use crate::Severity;

/// So many errors, and so many warnings, are named.
const NAMED: usize = 10_000;

/// A file with so many faults that not all are named; reading reports the first, and all have this code.
#[track_caller]
fn check(bytes: &[u8], code: &str) {
    let error = crate::read(bytes, &Limits::default()).unwrap_err();
    assert_eq!(error.code(), code, "{error}");
    let report = crate::check(bytes, &Limits::default());
    assert_eq!(report.count(Severity::Error), NAMED);
    assert!(report.findings.len() <= 3 * NAMED);
    let mut errors = report.findings[..NAMED].iter();
    assert!(errors.all(|one| one.code == code));
    let size: usize = report.findings.iter().map(|one| one.message.len()).sum();
    assert!(size < 400 * NAMED, "{size}");
}

fn with_build(resources: &str, build: &str) -> Vec<u8> {
    file(&model(resources).replace("<build>", &format!("<build>{build}")))
}

#[test]
fn objects_without_bodies() {
    let objects = many(1..20_001, |id| format!("<object id=\"{id}\"/>"));
    check(&file(&model(&objects)), "invalid_structure");
}

#[test]
fn objects_with_one_id() {
    let objects = "<object id=\"7\"><mesh/></object>".repeat(20_000);
    check(&file(&model(&objects)), "duplicate_id");
}

#[test]
fn triangles_without_vertices() {
    let triangles = "<triangles><triangle v1=\"0\" v2=\"1\" v3=\"2\"/></triangles>";
    let object = |id| format!("<object id=\"{id}\"><mesh>{triangles}</mesh></object>");
    check(&file(&model(&many(1..20_001, object))), "unknown_vertex");
}

#[test]
fn triangles_of_no_material() {
    let vertices = "<vertex x=\"0\" y=\"0\" z=\"0\"/>".repeat(3);
    let triangle = |id| format!("<triangle v1=\"0\" v2=\"1\" v3=\"2\" pid=\"{}\"/>", id + 2);
    let triangles = many(0..100_000, triangle);
    let mesh = format!("<vertices>{vertices}</vertices><triangles>{triangles}</triangles>");
    let object = format!("<object id=\"1\"><mesh>{mesh}</mesh></object>");
    check(&file(&model(&object)), "dangling_reference");
}

#[test]
fn items_and_components_of_nothing() {
    let items = "<item objectid=\"5\"/>".repeat(20_000);
    check(&with_build("", &items), "dangling_reference");
    let components = "<component objectid=\"5\"/>".repeat(20_000);
    let object = format!("<object id=\"1\"><components>{components}</components></object>");
    check(&file(&model(&object)), "dangling_reference");
}

#[test]
fn functions_that_refer_to_nothing() {
    let inputs = [("scalar", "A", "no.such")];
    let abs = node("abs", "n", &inputs, &[("scalar", "result")]);
    let functions = many(1..12_001, |id| function(id as u32, &abs, ""));
    check(&file(&model(&functions)), "dangling_reference");
}

#[test]
fn transforms_that_mirror() {
    let item = "<item objectid=\"1\" transform=\"-1 0 0 0 1 0 0 0 1 0 0 0\"/>";
    let object = "<object id=\"1\"><mesh/></object>";
    let swarm = with_build(object, &item.repeat(20_000));
    let report = crate::check(&swarm, &Limits::default());
    assert!(report.is_readable());
    assert_eq!(report.count(Severity::Warning), NAMED);
}
