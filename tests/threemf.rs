//! The sample files of the 3MF Consortium, when they are there: counts and values are those of the manifest.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use fibula::format::threemf::{self, Limits, Model};
use serde_json::Value as Json;

/// The folder of the samples; says aloud when there is none.
fn samples() -> Option<PathBuf> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/samples/3mf"));
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: there are no samples at {}", folder.display());
    None
}

fn json(folder: &std::path::Path, name: &str) -> Json {
    serde_json::from_slice(&fs::read(folder.join(name)).unwrap()).unwrap()
}

fn read(folder: &std::path::Path, name: &str) -> Model {
    let bytes = fs::read(folder.join(name)).unwrap();
    threemf::read(&bytes, &Limits::default()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn every_function_and_node_of_the_samples_is_read() {
    let Some(folder) = samples() else { return };
    let manifest = json(&folder, "manifest.json");
    let files = manifest["files"].as_array().unwrap();
    assert_eq!(files.len(), 12);
    for file in files {
        let name = file["file"].as_str().unwrap();
        let model = read(&folder, name);
        let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
        for node in model.functions.iter().flat_map(|function| &function.nodes) {
            let about = fibula_nodes::catalogue::kind(&node.node_type).unwrap();
            if about.native {
                *kinds.entry(about.element.to_owned()).or_default() += 1;
            }
        }
        for repair in &model.repairs { println!("{name}: {} {}: {}", repair.code, repair.place, repair.message); }
        for left in &model.left_out { println!("{name}: left out {left:?}"); }
        let expected: BTreeMap<String, u64> = serde_json::from_value(file["node_types"].clone()).unwrap();
        assert_eq!(kinds, expected, "{name}");
        assert_eq!(model.functions.len() as u64, file["functions"].as_u64().unwrap(), "{name}");
        let mut names: Vec<&str> = model.functions.iter().map(|function| function.name.as_str()).collect();
        let mut expected: Vec<&str> =
            file["function_names"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        names.sort_unstable();
        expected.sort_unstable();
        assert_eq!(names, expected, "{name}");
    }
}
