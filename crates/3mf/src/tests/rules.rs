//! Every rule has packages that break it and no other: small edits of one package that breaks none.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use fibula_core::graph::model::Attribute;

use super::archive::{Entry, archive};
use super::*;
use crate::{RULES, Severity};

#[path = "rules/fixtures.rs"]
mod fixtures;

use fixtures::FIXTURES;

/// Edit of a package.
enum Edit {
    /// Replaces the first occurrence of a text in a part.
    Replace(&'static str, &'static str, &'static str),
    Add(&'static str, &'static [u8]),
    Remove(&'static str),
    /// Changes the entry of a part in the archive.
    Entry(&'static str, fn(&mut Entry)),
    /// Replaces the whole file.
    File(&'static [u8]),
}

/// A package that breaks one rule.
struct Fixture {
    name: &'static str,
    code: &'static str,
    edits: &'static [Edit],
}

/// Parts of the package that breaks no rule.
fn base() -> BTreeMap<String, Vec<u8>> {
    let text = |text: &str| text.as_bytes().to_vec();
    let model = fixtures::MODEL
        .replace("{function}", &function(42, &length(), SHAPE))
        .replace("{tetrahedron}", fixtures::TETRAHEDRON);
    let parts = fixtures::PARTS.replace("{tetrahedron}", fixtures::TETRAHEDRON);
    let image = png(2, 1);
    [
        ("[Content_Types].xml", text(fixtures::TYPES)),
        ("_rels/.rels", text(fixtures::PACKAGE_RELATIONSHIPS)),
        ("3D/3dmodel.model", text(&model)),
        (
            "3D/_rels/3dmodel.model.rels",
            text(fixtures::MODEL_RELATIONSHIPS),
        ),
        ("3D/parts.model", text(&parts)),
        ("2D/slices.model", text(fixtures::SLICES)),
        ("3D/Textures/a.png", image.clone()),
        ("3D/Textures/b.png", image.clone()),
        ("3D/volumetric/1.png", image.clone()),
        ("3D/volumetric/2.png", image.clone()),
        ("3D/Metadata/pt.xml", text("<ticket/>")),
        ("Metadata/part.png", image.clone()),
        ("Metadata/thumbnail.png", image),
        ("Metadata/keep.txt", text("kept")),
    ]
    .into_iter()
    .map(|(name, bytes)| (name.to_owned(), bytes))
    .collect()
}

/// The package with edits.
fn edited(name: &str, edits: &[Edit]) -> Vec<u8> {
    let mut parts = base();
    let mut change = None;
    for edit in edits {
        match edit {
            Edit::Replace(part, from, to) => {
                let bytes = parts.get_mut(*part).unwrap();
                let text = String::from_utf8(bytes.clone()).unwrap();
                assert!(text.contains(from), "{name}: {from}");
                *bytes = text.replacen(from, to, 1).into_bytes();
            }
            Edit::Add(part, bytes) => {
                parts.insert((*part).to_owned(), bytes.to_vec());
            }
            Edit::Remove(part) => {
                parts.remove(*part).unwrap();
            }
            Edit::Entry(part, edit) => change = Some((*part, *edit)),
            Edit::File(bytes) => return bytes.to_vec(),
        }
    }
    let entries = parts.iter().map(|(part, bytes)| {
        let mut entry = Entry::stored(part, bytes);
        if let Some((_, edit)) = change.filter(|(name, _)| name == part) {
            edit(&mut entry);
        }
        entry
    });
    archive(&entries.collect::<Vec<_>>())
}

#[test]
fn the_package_that_is_edited_breaks_no_rule() {
    let bytes = edited("base", &[]);
    let report = crate::check(&bytes, &Limits::default());
    assert_eq!(report.findings, []);
    assert!(report.conforms());
    crate::read(&bytes, &Limits::default()).unwrap();
}

#[test]
fn every_package_breaks_its_rule_and_no_other() {
    let mut wrong = String::new();
    for fixture in FIXTURES {
        let bytes = edited(fixture.name, fixture.edits);
        let report = crate::check(&bytes, &Limits::default());
        let rule = RULES.iter().find(|rule| rule.code == fixture.code).unwrap();
        let is_warning = rule.severity == Severity::Warning;
        let of_rule = |one: &&crate::Finding| (one.severity == Severity::Warning) == is_warning;
        let found: Vec<_> = report.findings.iter().filter(of_rule).collect();
        let is_right =
            matches!(found[..], [one] if one.code == rule.code) && report.conforms() == is_warning;
        if !is_right {
            let _ = writeln!(
                wrong,
                "{} is not {}: {:#?}",
                fixture.name, fixture.code, report.findings
            );
        }
        // Only errors prevent that a file is read.
        let read = crate::read(&bytes, &Limits::default());
        if read.is_ok() != report.is_readable() {
            let _ = writeln!(wrong, "{} is read: {:?}", fixture.name, read.err());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_rule_has_a_package_that_breaks_it() {
    let broken: BTreeSet<&str> = FIXTURES.iter().map(|fixture| fixture.code).collect();
    let rules: BTreeSet<&str> = RULES.iter().map(|rule| rule.code).collect();
    assert_eq!(rules.len(), RULES.len(), "a code is that of two rules");
    let without: Vec<_> = rules.difference(&broken).collect();
    assert!(without.is_empty(), "{without:?}");
    let names: BTreeSet<&str> = FIXTURES.iter().map(|fixture| fixture.name).collect();
    assert_eq!(
        names.len(),
        FIXTURES.len(),
        "a name is that of two packages"
    );
}

#[test]
fn the_list_of_rules_is_that_of_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/3mf-rules.md");
    let mut text = fixtures::INTRODUCTION.to_owned();
    for rule in RULES {
        let fixtures = FIXTURES.iter().filter(|one| one.code == rule.code);
        let fixtures: Vec<&str> = fixtures.map(|one| one.name).collect();
        let (code, clause, severity) = (rule.code, rule.clause, rule.severity.name());
        let _ = writeln!(
            text,
            "| `{code}` | {clause} | {severity} | {} | {} |",
            rule.sentence,
            fixtures.join(", ")
        );
    }
    if std::env::var_os("FIBULA_BLESS").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    let written = std::fs::read_to_string(path).unwrap();
    assert_eq!(written, text, "run this test with FIBULA_BLESS=1");
}

#[test]
fn a_package_of_before_the_specification_is_named_as_such() {
    let old = "http://schemas.microsoft.com/3dmanufacturing/2013/01";
    let text = model("").replace(
        "http://schemas.microsoft.com/3dmanufacturing/core/2015/02",
        old,
    );
    let error = crate::read(&file(&text), &Limits::default()).unwrap_err();
    assert_eq!(error.code(), "no_model");
    assert!(error.to_string().contains("before 3MF 1.0"), "{error}");
}

#[test]
fn undeclared_prefixes_that_can_be_ignored_are_read() {
    let object = r#"<object id="9" ms:a="1"><mesh><vertices/><triangles/></mesh></object>"#;
    for resources in [object, r#"<ms:a id="5"><ms:b/></ms:a>"#] {
        let bytes = file(&model(resources));
        let report = crate::check(&bytes, &Limits::default());
        assert!(report.is_readable(), "{report:?}");
        assert!(
            report
                .findings
                .iter()
                .any(|one| one.code == "undeclared_prefix"),
            "{report:?}"
        );
        let read = crate::read(&bytes, &Limits::default()).unwrap();
        if resources == object {
            let kept = &read.objects[0].1.extra.attributes;
            assert_eq!(*kept, [Attribute::new("urn:undeclared:ms", "a", "1")]);
            assert!(
                read.repairs
                    .iter()
                    .any(|one| one.message.contains("urn:undeclared:ms")),
                "{:?}",
                read.repairs
            );
        }
    }
}
