//! The sample files of the 3MF Consortium, when they are there: what is read of them, and what it evaluates to.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Read as _};
use std::path::Path;

use fibula::eval::Tape;
use fibula::format::threemf::{self, Limits, MeshData, Model, Severity, contents};
use fibula::graph::model::Body;
use fibula::graph::{ContentHash, Document, FunctionId, Resource};
use fibula_nodes::{Value, catalogue};
use serde_json::Value as Json;

use crate::samples::samples;

fn json(folder: &Path, name: &str) -> Vec<Json> {
    let json: Json = serde_json::from_slice(&fs::read(folder.join(name)).unwrap()).unwrap();
    let list = json.get("files").unwrap_or(&json);
    list.as_array().unwrap().clone()
}

fn read(folder: &Path, file: &Json) -> Model {
    let name = file["file"].as_str().unwrap();
    let bytes = fs::read(folder.join(name)).unwrap();
    assert!(threemf::is_3mf(&bytes), "{name}");
    threemf::read(&bytes, &Limits::default()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn document(model: &Model) -> Document {
    let mut document = Document::default();
    for (id, object) in &model.objects {
        if let Body::Mesh(mesh) = &object.body {
            let content = contents::load_mesh(&model.contents[&mesh.content]).unwrap();
            document
                .insert_resource(*id, Resource::Content(content))
                .unwrap();
        }
    }
    for (id, stack) in &model.images {
        let image = contents::load_image(stack, |hash| model.contents.get(hash)).unwrap();
        document
            .insert_resource(*id, Resource::Content(image))
            .unwrap();
    }
    for (id, image) in &model.image_functions {
        document
            .insert_resource(*id, Resource::ImageFunction(image.clone()))
            .unwrap();
    }
    for function in &model.functions {
        document.insert(function).unwrap();
    }
    document
}

#[test]
fn every_function_and_node_of_the_samples_is_read() {
    let Some((folder, _)) = samples() else {
        return;
    };
    let files = json(&folder, "manifest.json");
    assert_eq!(files.len(), 12);
    let (mut functions, mut nodes) = (0, 0);
    for file in &files {
        let name = file["file"].as_str().unwrap();
        let model = read(&folder, file);
        let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
        for node in model.functions.iter().flat_map(|function| &function.nodes) {
            let about = catalogue::kind(&node.node_type).unwrap();
            if about.native {
                *kinds.entry(about.element).or_default() += 1;
                nodes += 1;
            }
        }
        let kinds_json = serde_json::to_value(&kinds).unwrap();
        assert_eq!(kinds_json, file["node_types"], "{name}");
        let count: u64 = kinds.values().sum();
        assert_eq!(file["nodes"], count, "{name}");
        let mut names: Vec<&str> = model
            .functions
            .iter()
            .map(|function| function.name.as_str())
            .collect();
        let expected = file["function_names"].as_array().unwrap();
        let mut expected: Vec<&str> = expected.iter().map(|name| name.as_str().unwrap()).collect();
        names.sort_unstable();
        expected.sort_unstable();
        assert_eq!(names, expected, "{name}");
        functions += names.len();
    }
    println!(
        "{functions} functions with {nodes} nodes in {} files",
        files.len()
    );
}

#[test]
fn the_quirks_of_the_samples_are_reported() {
    let Some((folder, _)) = samples() else {
        return;
    };
    let check = |name: &str, expected: &[(&str, usize)]| {
        let model = read(&folder, &serde_json::json!({ "file": name }));
        let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
        for repair in &model.repairs {
            *codes.entry(repair.code).or_default() += 1;
        }
        assert_eq!(codes.into_iter().collect::<Vec<_>>(), expected, "{name}");
    };
    check_each! { check;
        "F360.3mf" => &[("empty_reference", 6), ("old_function_tag", 1), ("outputs_before_nodes", 1)];
        "ImplicitGyroid.3mf" => &[("old_function_tag", 2), ("outputs_before_nodes", 2)];
        "foundation.3mf" => &[("extra_output", 1), ("node_order", 3)];
        "2x_tpu_attachablefoot.3mf" => &[("extra_input", 1), ("extra_output", 5), ("image_size", 1)];
        "SphereInACage.3mf" => &[];
    }
}

/// The numbers of a reference value, which writes NaN and infinities as texts.
fn scalars(json: &Json) -> Vec<f64> {
    match json {
        Json::Array(items) => items.iter().flat_map(scalars).collect(),
        Json::String(text) => vec![text.parse().unwrap()],
        number => vec![number.as_f64().unwrap()],
    }
}

/// Distance of values from those of another evaluator, relative to their size.
const CLOSE: f64 = 1e-9;

/// Sums are rounded differently by another evaluator; where terms of some hundreds cancel out, this is left.
const ROUNDING: f64 = 1e-12;

#[test]
fn every_function_of_the_samples_has_the_values_of_another_evaluator() {
    let Some((folder, _)) = samples() else {
        return;
    };
    let (mut functions, mut values, mut alone) = (0, 0, 0);
    for file in &json(&folder, "reference_values.json") {
        let name = file["file"].as_str().unwrap();
        let document = document(&read(&folder, file));
        for reference in file["functions"].as_array().unwrap() {
            let label = format!(
                "{name}: function {} ({})",
                reference["id"], reference["name"]
            );
            let id = FunctionId(reference["id"].as_str().unwrap().parse().unwrap());
            let tape = Tape::new(&document, id).unwrap_or_else(|error| panic!("{label}: {error}"));
            if let Some(needs) = reference.get("unsupported") {
                // The other evaluator has neither meshes nor images, so it says nothing of these. One divides 0 by 0.
                let got = tape.at([1.5, -2.0, 3.25]);
                let mut values = got.iter();
                assert!(values.any(|value| value.is_finite()), "{label}: {got:?}");
                println!("{label} needs {needs}: {got:?}");
                alone += 1;
                continue;
            }
            functions += 1;
            for sample in reference["samples"].as_array().unwrap() {
                let arguments = tape
                    .inputs()
                    .iter()
                    .map(|input| Value::from_json(input.ty, &sample["args"][&input.name]).unwrap());
                let results = tape.values(&arguments.collect::<Vec<_>>()).unwrap();
                for (output, result) in tape.outputs().iter().zip(&results) {
                    let expected = scalars(&sample["out"][&output.name]);
                    let (width, name) = (result.scalars().len(), &output.name);
                    assert_eq!(width, expected.len(), "{label}: {name}");
                    for (&got, expected) in result.scalars().iter().zip(expected) {
                        let close = (got - expected).abs() <= CLOSE * expected.abs() + ROUNDING;
                        let same = got.is_nan() && expected.is_nan();
                        let place = format!("{label}: {} at {}", output.name, sample["args"]);
                        assert!(close || same, "{place} is {got}, not {expected}");
                        values += 1;
                    }
                }
            }
        }
    }
    println!("{values} values of {functions} functions agree; {alone} functions stand alone");
    assert!(functions > 180 && values > 1400);
}

/// The model part of a file, and the names of all parts.
fn unpacked(bytes: &[u8]) -> (String, Vec<String>) {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut text = String::new();
    let mut model = archive.by_name("3D/3dmodel.model").unwrap();
    model.read_to_string(&mut text).unwrap();
    drop(model);
    (
        text,
        archive
            .file_names()
            .map(|name| name.unwrap().into_owned())
            .collect(),
    )
}

#[test]
fn a_check_finds_no_error_in_the_samples() {
    let Some((folder, _)) = samples() else {
        return;
    };
    for file in &json(&folder, "manifest.json") {
        let name = file["file"].as_str().unwrap();
        let bytes = fs::read(folder.join(name)).unwrap();
        let report = threemf::check(&bytes, &Limits::default());
        let errors = report.count(Severity::Error);
        assert_eq!(errors, 0, "{name}: {:#?}", report.findings);
    }
}

#[test]
fn everything_in_the_samples_is_read() {
    let Some((folder, _)) = samples() else {
        return;
    };
    let (mut triangles, mut sheets) = (0, 0);
    for file in &json(&folder, "manifest.json") {
        let name = file["file"].as_str().unwrap();
        let model = read(&folder, file);
        let (text, parts) = unpacked(&fs::read(folder.join(name)).unwrap());
        let count = |tag: &str| text.matches(&format!("<{tag} ")).count();
        let sheets_of = model.images.iter().map(|(_, image)| image.sheets.len());
        let sheets_of: usize = sheets_of.sum();
        let mut counts = [0; 4];
        for (_, object) in &model.objects {
            match &object.body {
                Body::Mesh(mesh) => {
                    counts[0] += 1;
                    counts[1] += mesh.vertices as usize;
                    counts[2] += mesh.triangles as usize;
                }
                Body::LevelSet(_) => counts[3] += 1,
                Body::Components(_) | Body::Foreign(_) => {
                    panic!("{name} has only meshes and level sets")
                }
            }
        }
        let [meshes, vertices, faces, level_sets] = counts;
        println!(
            "{name}: {meshes} meshes with {vertices} vertices and {faces} triangles, {level_sets} level sets, \
             {} volumes, \
             {} images with {sheets_of} sheets, {} items, {} metadata, {} kept resources, {} parts, {} left out",
            model.volumes.len(),
            model.images.len(),
            model.items.len(),
            model.metadata.len(),
            model.foreign.len(),
            model.parts.len(),
            model.left_out.len()
        );
        let checks = [
            ("object", model.objects.len()),
            ("vertex", vertices),
            ("triangle", faces),
            ("v:levelset", level_sets),
            ("v:volumedata", model.volumes.len()),
            ("v:image3d", model.images.len()),
            ("v:imagesheet", sheets_of),
            ("v:functionfromimage3d", model.image_functions.len()),
            ("m:colorgroup", model.foreign.len()),
            ("item", model.items.len()),
            ("metadata", model.metadata.len()),
        ];
        for (tag, found) in checks {
            assert_eq!(found, count(tag), "{name}: {tag}");
        }
        let own = |part: &&String| {
            let ends = ["/", ".rels", ".model", "_Types].xml"];
            ends.iter().any(|end| part.ends_with(end))
        };
        let others = parts.iter().filter(|part| !own(part)).count();
        assert_eq!(model.parts.len() + sheets_of, others, "{name}");
        assert_eq!(model.left_out, [], "{name}");
        let mut parts = model.parts.values();
        assert!(parts.all(|part| part.media_type == "image/png"));
        for (hash, bytes) in &model.contents {
            assert_eq!(ContentHash::digest(bytes), *hash, "{name}");
        }
        triangles += faces;
        sheets += sheets_of;
    }
    println!("{triangles} triangles and {sheets} sheets");
    assert!(triangles > 1000 && sheets > 100);
}

#[test]
fn a_mesh_of_the_samples_is_where_its_vertices_are() {
    let Some((folder, _)) = samples() else {
        return;
    };
    let model = read(
        &folder,
        &serde_json::json!({ "file": "2x_tpu_attachablefoot.3mf" }),
    );
    let document = document(&model);
    let tape = Tape::new(&document, FunctionId(35)).unwrap();
    let (_, object) = model.objects.iter().find(|(id, _)| id.0 == 1).unwrap();
    let Body::Mesh(mesh) = &object.body else {
        panic!("object 1 is a mesh");
    };
    let data = MeshData::from_bytes(&model.contents[&mesh.content]).unwrap();
    for triangle in data.triangles.iter().step_by(37) {
        let middle: [f64; 3] = std::array::from_fn(|axis| {
            let sum: f64 = triangle
                .iter()
                .map(|&corner| data.vertices[corner as usize][axis])
                .sum();
            sum / 3.0
        });
        let [distance] = tape.at(middle)[..] else {
            panic!("function 35 has one output");
        };
        assert!(distance.abs() < 1e-9, "{middle:?}: {distance}");
    }
}
