//! Written packages in lib3mf, the official reader; run by `.ci/run lib3mf`, which has it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use fibula::format::threemf::WriteOptions;
use serde_json::Value as Json;

use crate::samples;

use super::{everything, kinds, read, world, written};

/// The Python that has lib3mf, by the environment; says aloud when there is none.
fn python() -> Option<String> {
    let python = std::env::var("FIBULA_LIB3MF").ok();
    if python.is_none() {
        println!("skipped: FIBULA_LIB3MF names no Python with lib3mf");
    }
    python
}

/// Runs one of the scripts.
fn run(script: &str, arguments: &[PathBuf]) -> Option<String> {
    let python = python()?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(".ci/lib3mf")
        .join(script);
    let mut command = Command::new(python);
    let output = command.arg(script).args(arguments).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    Some(String::from_utf8(output.stdout).unwrap())
}

/// Dumps of packages by lib3mf.
fn dumps(files: &[PathBuf]) -> Option<Vec<Json>> {
    let text = run("dump.py", files)?;
    let dumps: Vec<Json> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(dumps.len(), files.len());
    Some(dumps)
}

/// Writes files into a folder.
fn saved(folder: &Path, files: &[(String, Vec<u8>)]) -> Vec<PathBuf> {
    let save = |(name, bytes): &(String, Vec<u8>)| {
        let path = folder.join(format!("{name}.3mf"));
        std::fs::write(&path, bytes).unwrap();
        path
    };
    files.iter().map(save).collect()
}

fn list<'j>(json: &'j Json, name: &str) -> &'j Vec<Json> {
    json[name]
        .as_array()
        .unwrap_or_else(|| panic!("no {name} in {json}"))
}

fn text<'j>(json: &'j Json, name: &str) -> &'j str {
    json[name]
        .as_str()
        .unwrap_or_else(|| panic!("no {name} in {json}"))
}

/// A node as a text, by way of all that it is made of.
fn made(
    reference: &str,
    nodes: &BTreeMap<&str, &Json>,
    known: &mut BTreeMap<String, String>,
    ports: &dyn Fn(&str, &str) -> bool,
) -> String {
    let (owner, port) = reference.split_once('.').unwrap_or((reference, ""));
    let Some(node) = nodes.get(owner) else {
        return reference.to_owned();
    };
    if let Some(known) = known.get(owner) {
        return format!("{known}.{port}");
    }
    let kind = text(node, "type");
    let inputs: Vec<String> = node["inputs"]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(name, input)| ports(kind, name) && input[1] != "")
        .map(|(name, input)| {
            let source = made(input[1].as_str().unwrap(), nodes, known, ports);
            format!("{name}: {} = {source}", input[0])
        })
        .collect();
    let values: Vec<String> = list(node, "values").iter().map(Json::to_string).collect();
    let all = format!("{kind}({}; {})", inputs.join(", "), values.join(" "));
    // Large graphs have long texts; what they are made of is told by a hash then.
    let short = fibula::graph::ContentHash::digest(all.as_bytes()).to_string();
    let short = if all.len() < 200 {
        all
    } else {
        format!("{kind}#{}", &short[..16])
    };
    known.insert(owner.to_owned(), short.clone());
    format!("{short}.{port}")
}

/// A function as a graph without identifiers: each node by its type, values and sources, as a text.
///
/// Nodes of two files have different identifiers, so they are told by all that they are made of.
fn graph(function: &Json, ports: &dyn Fn(&str, &str) -> bool) -> BTreeMap<String, String> {
    let nodes: BTreeMap<&str, &Json> = list(function, "nodes")
        .iter()
        .map(|node| (text(node, "identifier"), node))
        .collect();
    let mut known = BTreeMap::new();
    let outputs = function["outputs"].as_object().unwrap();
    outputs
        .iter()
        .map(|(name, output)| {
            let source = made(output[1].as_str().unwrap(), &nodes, &mut known, ports);
            (name.clone(), format!("{} = {source}", output[0]))
        })
        .collect()
}

/// True if lib3mf reads a file without a warning.
fn check_silent(dump: &Json, strict: bool) {
    let file = text(dump, "file");
    assert!(dump.get("error").is_none(), "{file}: {}", dump["error"]);
    let warnings = list(dump, "warnings");
    assert!(warnings.is_empty(), "{file}: {warnings:?}");
    assert_eq!(dump["strict"], strict, "{file}");
}

/// What lib3mf has against packages, which it reads in strict mode; nothing if there is no lib3mf.
pub(crate) fn strict_problems(package: &[u8]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let files = saved(folder.path(), &[("package".to_owned(), package.to_vec())]);
    let dumps = dumps(&files).unwrap_or_default();
    let mut problems = Vec::new();
    for dump in dumps {
        problems.extend(dump.get("error").map(Json::to_string));
        let warnings = dump.get("warnings").and_then(Json::as_array);
        problems.extend(warnings.into_iter().flatten().map(Json::to_string));
        let strict = dump.get("strict").is_none_or(|strict| strict == true);
        problems.extend((!strict).then(|| "refused in strict mode".to_owned()));
    }
    problems
}

#[test]
fn every_kind_is_read_by_lib3mf_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let (mut files, mut models) = (Vec::new(), Vec::new());
    for (name, document) in kinds::documents() {
        let (package, _) = written(&document, WriteOptions::default());
        models.push(super::xml(&package));
        files.push((name, package));
    }
    let Some(dumps) = dumps(&saved(folder.path(), &files)) else {
        return;
    };
    let mut types = BTreeSet::new();
    for (dump, xml) in dumps.iter().zip(&models) {
        check_silent(dump, true);
        let mut nodes = 0;
        for function in list(dump, "functions") {
            for node in list(function, "nodes") {
                types.insert(text(node, "type").to_owned());
                let start = format!(" identifier=\"{}\"", text(node, "identifier"));
                let element = xml.find(&start).unwrap_or_else(|| panic!("{start}: {xml}"));
                let element = xml[element..].split("</i:out>").next().unwrap();
                for (side, ending) in [("inputs", "ref"), ("outputs", "")] {
                    for (name, port) in node[side].as_object().unwrap() {
                        let ty = match port[0].as_str().unwrap() {
                            "ResourceID" if side == "inputs" => "resource".to_owned(),
                            ty => ty.to_lowercase(),
                        };
                        let reference = port[1].as_str().unwrap();
                        let start = format!("<i:{ty}{ending} identifier=\"{name}\"");
                        let Some(at) = element.find(&start) else {
                            // lib3mf adds the inputs that it expects.
                            assert_eq!(side, "inputs", "{start}: {element}");
                            assert!(reference.is_empty(), "{start}: {element}");
                            continue;
                        };
                        let said = element[at..].split("/>").next().unwrap();
                        let linked = format!("ref=\"{reference}\"");
                        let is_said = said.contains(&linked);
                        assert!(side == "outputs" || is_said, "{linked}: {said}");
                    }
                }
                nodes += 1;
            }
        }
        // Nodes stand three steps in, and their ports further.
        let lines = xml.lines().filter(|line| line.starts_with("   <i:"));
        let written = lines.filter(|line| line.contains(" identifier="));
        assert_eq!(nodes, written.count(), "{xml}");
    }
    // All of lib3mf's types but the three that ask meshes.
    assert_eq!(types.len(), 51, "{types:?}");
}

#[test]
fn the_samples_are_read_by_lib3mf_as_before() {
    let folder = tempfile::tempdir().unwrap();
    let Some((_, paths)) = samples::samples() else {
        return;
    };
    let (mut files, mut before) = (Vec::new(), Vec::new());
    for path in paths {
        let model = read(&std::fs::read(&path).unwrap());
        let document = world::document(&model);
        let (package, _) = world::write(&document, &model.contents, WriteOptions::default());
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        files.push((name, package));
        before.push(path);
    }
    let (Some(before), Some(after)) = (dumps(&before), dumps(&saved(folder.path(), &files))) else {
        return;
    };
    for (before, after) in before.iter().zip(&after) {
        let file = text(after, "file");
        check_silent(after, before["strict"] == true);
        for what in ["objects", "items"] {
            assert_eq!(before[what], after[what], "{file}: {what}");
        }
        let functions = |dump: &Json| -> BTreeMap<u64, Json> {
            let functions = list(dump, "functions").iter();
            functions
                .map(|one| (one["id"].as_u64().unwrap(), one.clone()))
                .collect()
        };
        let (before, after) = (functions(before), functions(after));
        assert!(before.keys().eq(after.keys()), "{file}");
        for (one, other) in before.values().zip(after.values()) {
            assert_eq!(one["inputs"], other["inputs"], "{file}");
            if one.get("nodes").is_none() {
                continue;
            }
            assert_eq!(one["name"], other["name"], "{file}");
            // Files of the field have inputs that their kinds do not have, and nodes of two outputs that are one.
            let known =
                |kind: &str, name: &str| !(kind == "Mesh" && matches!(name, "start" | "end"));
            let same = |text: &String| {
                text.replace("ComposeMatrix", "")
                    .replace(".matrix", ".result")
            };
            let one = graph(one, &known);
            let other = graph(other, &known);
            let plain = |graph: &BTreeMap<String, String>| -> Vec<(String, String)> {
                graph
                    .iter()
                    .map(|(name, source)| (name.clone(), same(source)))
                    .collect()
            };
            assert_eq!(plain(&one), plain(&other), "{file}");
        }
    }
}

#[test]
fn a_project_with_everything_is_read_by_lib3mf() {
    let folder = tempfile::tempdir().unwrap();
    let (model, document) = everything::understood();
    let (package, _) = world::write(&document, &model.contents, WriteOptions::default());
    let files = [("everything".to_owned(), package)];
    let Some(dumps) = dumps(&saved(folder.path(), &files)) else {
        return;
    };
    // Images and mixed materials are beyond lib3mf's strict mode.
    check_silent(&dumps[0], false);
    let objects = dumps[0]["objects"].as_object().unwrap();
    assert_eq!(objects.len(), 3, "{objects:?}");
    assert_eq!(list(&dumps[0], "items").len(), 2);
    let functions = dumps[0]["functions"].to_string();
    for ty in ["Mesh", "BeamLattice", "FunctionCall"] {
        let ty = format!("\"type\":\"{ty}\"");
        assert!(functions.contains(&ty), "{ty}: {functions}");
    }
}

#[test]
fn what_lib3mf_writes_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made.3mf");
    let Some(said) = run("make.py", std::slice::from_ref(&path)) else {
        return;
    };
    let said: Json = serde_json::from_str(&said).unwrap();
    let model = read(&std::fs::read(&path).unwrap());
    let mut nodes = BTreeSet::new();
    for function in &model.functions {
        nodes.extend(function.nodes.iter().map(|node| node.node_type.clone()));
    }
    // Begin and End are no nodes of lib3mf.
    let count = said["types"].as_u64().unwrap();
    assert_eq!(nodes.len() as u64 - 2, count, "{nodes:?}");
    let document = world::document(&model);
    let (package, _) = world::write(&document, &model.contents, WriteOptions::default());
    let again = read(&package);
    world::assert_same(&document, &world::document(&again), "made by lib3mf");
}

#[test]
fn official_reads_meshes_of_parts() {
    use fibula::service::{MakeMesh, Service, Subject, make_parts};
    let service = Service::default();
    let edits = serde_json::json!([
        {"create_function_from_expression": {"alias": "$ball", "name": "ball", "expression": "length(pos) - 5"}},
        {"create_level_set": {"alias": "$part", "function_id": "$ball", "bounds": [[-6, -6, -6], [6, 6, 6]],
            "name": "Ball", "part_number": "B-1"}},
        {"create_build_item": {"object_id": "$part", "transform": [1, 0, 0, 0, 1, 0, 0, 0, 1, 20, 0, 0]}},
    ]);
    crate::calls::apply(&service, edits).unwrap();
    let seen = service.resolve_parts(None, None, &Subject::default(), false);
    let request = MakeMesh::default();
    let made = make_parts(seen.unwrap(), &request, &mut crate::calls::on).unwrap();
    let mut file = std::io::Cursor::new(Vec::new());
    made.write_package(&mut file).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let files = saved(folder.path(), &[("parts".to_owned(), file.into_inner())]);
    let Some(dumps) = dumps(&files) else {
        return;
    };
    check_silent(&dumps[0], true);
    assert_eq!(list(&dumps[0], "functions").len(), 0);
    let info = &made.info.parts[0].mesh;
    assert_eq!(
        dumps[0]["objects"]["1"],
        serde_json::json!({"name": "Ball", "part": "B-1", "mesh": [info.vertices, info.triangles]})
    );
    assert_eq!(list(&dumps[0], "items").len(), 2);
}
