//! Random functions.

use fibula::edit::{Edit, ModelEdit, ResourceEdit};
use fibula::format::threemf::{Dialect, WriteError, WriteOptions};
use fibula::graph::model::Part;
use fibula::graph::{ContentHash, Document};
use proptest::prelude::*;
use serde_json::json;

use super::{document, functions, packed, read, world, written, xml};
use crate::random::{self, Seed, seeds};

/// A document after random edits of its functions.
fn edited(seeds: &[Seed]) -> Document {
    let mut document = Document::default();
    for seed in seeds {
        let edit = random::edit(&document, seed);
        let only_functions = |edit: &Edit| {
            !matches!(
                edit,
                Edit::Model(_) | Edit::Knowledge(_) | Edit::Resource(ResourceEdit::AddFile { .. })
            )
        };
        let plain = match &edit {
            Edit::Batch(edits) => edits.iter().all(only_functions),
            edit => only_functions(edit),
        };
        if plain {
            // Refused edits change nothing.
            drop(edit.apply(&mut document));
        }
    }
    document
}

#[test]
fn a_function_may_hold_its_own_id() {
    let model = r#"<model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
 xmlns:i="http://schemas.3mf.io/3dmanufacturing/implicit/2023/12" requiredextensions="i"><resources>
 <i:implicitfunction id="2" displayname="f"><i:in><i:vector identifier="pos"/></i:in>
  <i:constresourceid identifier="own" value="2"><i:out><i:resourceid identifier="value"/></i:out></i:constresourceid>
  <i:length identifier="l"><i:in><i:vectorref identifier="A" ref="inputs.pos"/></i:in>
   <i:out><i:scalar identifier="result"/></i:out></i:length>
  <i:out><i:scalarref identifier="shape" ref="l.result"/></i:out>
 </i:implicitfunction></resources><build/></model>"#;
    let first = document(&read(&packed(model)));
    let (package, _) = written(&first, WriteOptions::default());
    assert_eq!(functions(&document(&read(&package))), functions(&first));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn random_functions_come_back(seeds in seeds(80), dialect in 0..2_u8) {
        let dialect = [Dialect::Lib3mf, Dialect::Specification][usize::from(dialect)];
        let before = edited(&seeds);
        let options = WriteOptions { dialect };
        let mut file = std::io::Cursor::new(Vec::new());
        let write = fibula::format::threemf::write(&before, &|_| Ok(None), &options, &mut file);
        let written = match write {
            Ok(written) => written,
            Err(
                WriteError::NoSuchType { .. }
                | WriteError::InvalidId { .. }
                | WriteError::MissingResource { .. }
                | WriteError::Cycle { .. },
            ) => return Ok(()),
            Err(error) => panic!("{error}"),
        };
        let package = file.into_inner();
        let model = read(&package);
        let after = document(&model);
        let lost: Vec<&str> = written.notes.iter()
            .filter(|note| !note.is_unfinished())
            .map(|note| note.place.split(',').next().unwrap())
            .collect();
        for (one, other) in functions(&before).iter().zip(functions(&after)) {
            let label = format!("function {} ({})", one.function_id.unwrap(), one.name);
            if !lost.contains(&label.as_str()) {
                prop_assert_eq!(format!("{one:?}"), format!("{other:?}"), "{}", xml(&package));
            }
        }
        prop_assert_eq!(functions(&before).len(), functions(&after).len());
        // What is read from what was written is written the same.
        let (again, _) = self::written(&after, options);
        let twice = document(&read(&again));
        prop_assert_eq!(functions(&twice), functions(&after));
    }
}

#[test]
fn a_part_that_packs_well_is_read_again() {
    let bytes = vec![0; 3 << 20];
    let content = ContentHash::digest(&bytes);
    let mut document = Document::default();
    let edit = ModelEdit::SetPart {
        name: "Metadata/zeros.bin".to_owned(),
        part: Part {
            media_type: "application/octet-stream".to_owned(),
            size: bytes.len() as u64,
            content,
        },
    };
    Edit::Model(edit).apply(&mut document).unwrap();
    let contents = [(content, bytes)].into();
    let (package, _) = world::write(&document, &contents, WriteOptions::default());
    assert_eq!(read(&package).contents, contents);
}

#[test]
fn what_3mf_never_builds_is_not_written_as_built() {
    let mut document = Document::default();
    let mut write = |edit: serde_json::Value| {
        let edit: Edit = serde_json::from_value(json!({ "model": edit })).unwrap();
        edit.apply(&mut document).unwrap();
        let mut file = std::io::Cursor::new(Vec::new());
        fibula::format::threemf::write(
            &document,
            &|_| Ok(None),
            &WriteOptions::default(),
            &mut file,
        )
    };
    let object = |ty: &str| {
        json!({"set_resource": {"resource_id": 1, "resource":
            {"object": {"name": "Jig", "type": ty, "body": {"components": []}}}}})
    };
    write(object("other")).expect("nothing builds it");
    let item = json!({"set_build_item": {"item_id": 4, "item": {"object": 1}}});
    let refused = write(item).expect_err("3MF forbids it");
    assert_eq!(refused.code(), "not_buildable");
    let text = "build item 4 refers to assembly 1 'Jig', whose type is other";
    assert!(refused.to_string().starts_with(text), "{refused}");
    write(object("support")).expect("such objects are built");
}
