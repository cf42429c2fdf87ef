//! Whole 3MF files in projects: what comes in, what it is asked, and what two of them make of each other.

use std::fs;
use std::io::Cursor;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fibula::graph::FunctionId;
use fibula::service::{
    Dialect, Evaluate, Export, GetStructure, Import, ListFunctions, Options, Service, Structure,
    Undo, WritePackage,
};
use serde_json::{Value as Json, json};

use crate::calls::origin;
use crate::samples::samples;

fn json_of(folder: &Path, name: &str) -> Vec<Json> {
    let json: Json = serde_json::from_slice(&fs::read(folder.join(name)).unwrap()).unwrap();
    let list = json.get("files").unwrap_or(&json);
    list.as_array().unwrap().clone()
}

fn service(folder: &Path) -> Service {
    Service::new(&with_defaults!(Options, roots: vec![folder.to_path_buf()]))
}

fn import(service: &Service, name: &str) -> fibula::service::ImportResult {
    let request = with_defaults!(Import, path: Some(name.to_owned()));
    service
        .import(&origin(), request)
        .unwrap_or_else(|refusal| panic!("{name}: {refusal}"))
}

fn structure(service: &Service) -> Structure {
    service.get_structure(&GetStructure::default()).unwrap()
}

/// The project written as a 3MF file.
fn written(service: &Service, dialect: Dialect) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    let request = with_defaults!(WritePackage, dialect: Some(dialect));
    service
        .write_package(&request, &mut file)
        .unwrap_or_else(|refusal| panic!("{refusal}"));
    file.into_inner()
}

/// A service that has only what a 3MF file holds.
fn read_back(file: &[u8]) -> Service {
    let service = Service::default();
    let request = with_defaults!(Import, content: Some(STANDARD.encode(file)));
    let imported = service.import(&origin(), request).unwrap();
    assert_eq!(imported.left_out.len(), 0, "{:?}", imported.left_out);
    // The names that lib3mf does not have are told of.
    let others = imported.repairs.iter();
    let others: Vec<_> = others.filter(|one| one.code != "element_name").collect();
    assert!(others.is_empty(), "{others:?}");
    service
}

/// The hash of all that a project is, bit for bit.
fn hash(service: &Service) -> String {
    let request = with_defaults!(Export, without_history: true);
    let mut lines = Vec::new();
    service.export(&request, &mut lines).unwrap();
    let first = lines.split(|byte| *byte == b'\n').next().unwrap();
    let first: Json = serde_json::from_slice(first).unwrap();
    first["hash"].as_str().unwrap().to_owned()
}

/// The numbers of a reference value, which writes NaN and infinities as texts.
fn scalars(json: &Json) -> Vec<f64> {
    match json {
        Json::Array(items) => items.iter().flat_map(scalars).collect(),
        Json::Object(members) => members.values().flat_map(scalars).collect(),
        Json::String(text) => vec![text.parse().unwrap()],
        number => vec![number.as_f64().unwrap()],
    }
}

#[test]
fn whole_samples_come_in_and_go_again() {
    let Some((folder, _)) = samples() else {
        return;
    };
    let mut told = Vec::new();
    for file in &json_of(&folder, "manifest.json") {
        let name = file["file"].as_str().unwrap();
        let service = service(&folder);
        let imported = import(&service, name);
        assert!(imported.left_out.is_empty(), "{name}: {imported:?}");
        assert!(imported.renumbered.is_empty(), "{name}");
        let now = structure(&service);
        assert_eq!(now.resources.len(), imported.resource_count, "{name}");
        assert_eq!(now.build_items.len(), imported.build_item_count, "{name}");
        let mut kinds: Vec<&str> = now.resources.iter().map(|one| one.kind).collect();
        kinds.sort_unstable();
        told.push(format!(
            "{name}: {} functions, {} items, {} parts, {} metadata; {}",
            imported.function_count,
            now.build_items.len(),
            now.parts.len(),
            now.metadata.len(),
            kinds.join(", ")
        ));
        service.undo(&origin(), &Undo::default()).unwrap();
        let gone = structure(&service);
        assert_eq!(gone.total, 0, "{name}");
        assert_eq!(gone.function_count + gone.build_item_count, 0, "{name}");
        assert!(gone.parts.is_empty() && gone.metadata.is_empty(), "{name}");
    }
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn what_is_written_is_read_as_it_was() {
    let Some((folder, _)) = samples() else {
        return;
    };
    for file in &json_of(&folder, "manifest.json") {
        let name = file["file"].as_str().unwrap();
        let service = service(&folder);
        import(&service, name);
        for dialect in [Dialect::Lib3mf, Dialect::Specification] {
            let bytes = written(&service, dialect);
            let again = read_back(&bytes);
            assert_eq!(hash(&again), hash(&service), "{name}");
            assert_eq!(written(&again, dialect), bytes, "{name}");
        }
    }
}

#[test]
fn what_comes_twice_is_there_twice() {
    let Some((folder, _)) = samples() else {
        return;
    };
    let service = service(&folder);
    let first = import(&service, "RadialRadiator.3mf");
    let one = structure(&service);
    let second = import(&service, "RadialRadiator.3mf");
    let both = structure(&service);
    assert_eq!(both.total, 2 * one.total);
    assert_eq!(both.function_count, 2 * one.function_count);
    assert_eq!(both.build_item_count, 2);
    // The same thumbnail and the same metadata are there once.
    assert_eq!(both.parts, one.parts);
    assert_eq!(both.metadata, one.metadata);
    assert_eq!(second.left_out.len(), 0);
    let all = first.function_count + first.resource_count;
    assert_eq!(second.renumbered.len(), all);
    // What is written has every id once, and is read as it was.
    let again = read_back(&written(&service, Dialect::Lib3mf));
    assert_eq!(hash(&again), hash(&service));
    // What the second level set asks is the second function, in the second mesh.
    let new = |old: u32| second.renumbered[&old.to_string()];
    let find = |structure: &Structure, id: u32| {
        let mut all = structure.resources.iter();
        all.find(|one| one.resource_id == id).unwrap().clone()
    };
    let mut level_sets = one.resources.iter().filter(|one| one.kind == "level set");
    let old = level_sets.next().unwrap();
    let copy = &find(&both, new(old.resource_id));
    assert_eq!(copy.resource_id, new(old.resource_id));
    assert_eq!(copy.mesh_id, old.mesh_id.map(new));
    assert_eq!(copy.volume_id, old.volume_id.map(new));
    let function = |info: &fibula::service::ResourceInfo| info.field.clone().unwrap().function_id;
    assert_eq!(function(copy), new(function(old)));
    let [one, other] = [0, 1].map(|item| both.build_items[item].object_id);
    assert_eq!(other, new(one));
}

#[test]
fn samples_have_their_values_whatever_they_ask() {
    let Some((folder, _)) = samples() else {
        return;
    };
    let mut asked = 0;
    for file in &json_of(&folder, "reference_values.json") {
        let name = file["file"].as_str().unwrap();
        let service = service(&folder);
        import(&service, name);
        let again = read_back(&written(&service, Dialect::Lib3mf));
        // Twice in one project, so that every id is another.
        let second = import(&service, name);
        let listed = service.list_functions(&ListFunctions::default()).unwrap();
        assert!(listed.total > 0);
        for function in file["functions"].as_array().unwrap() {
            let id = function["id"].as_str().unwrap().parse::<u32>().unwrap();
            let Some(samples) = function["samples"].as_array() else {
                continue;
            };
            for sample in samples {
                let other = second.renumbered[&id.to_string()];
                for (service, id) in [(&service, id), (&service, other), (&again, id)] {
                    let request = Evaluate::new(FunctionId(id), sample["args"].clone());
                    let evaluated = service.evaluate(request);
                    let evaluated =
                        evaluated.unwrap_or_else(|refusal| panic!("{name}, {id}: {refusal}"));
                    for (output, expected) in sample["out"].as_object().unwrap() {
                        let found = scalars(&evaluated.values[output]);
                        let expected = scalars(expected);
                        for (found, expected) in found.iter().zip(&expected) {
                            let close = (found - expected).abs() <= 1e-9 * expected.abs() + 1e-9;
                            assert!(
                                close
                                    || found.to_bits() == expected.to_bits()
                                    || (found.is_nan() && expected.is_nan()),
                                "{name}, function {id}, {output}: {found} is not {expected}"
                            );
                        }
                        asked += 1;
                    }
                }
            }
        }
    }
    println!("{asked} values");
    assert!(asked > 1000, "{asked}");
}

#[test]
fn a_file_is_checked_without_coming_in() {
    let Some((folder, _)) = samples() else {
        return;
    };
    let service = service(&folder);
    let request = with_defaults!(Import, path: Some("F360.3mf".to_owned()), check: true);
    let checked = service.import(&origin(), request).unwrap();
    let findings = checked.findings.unwrap();
    assert!(findings.readable);
    assert_eq!((findings.errors, findings.repairs), (0, 8));
    assert_eq!(checked.revision, 0);
    assert_eq!(structure(&service).total, 0);
    let request: Import = serde_json::from_value(json!({
        "content": "_0 const 1\n", "check": true
    }))
    .unwrap();
    let refused = service.import(&origin(), request).unwrap_err();
    assert_eq!(refused.code, "invalid_arguments");
}
