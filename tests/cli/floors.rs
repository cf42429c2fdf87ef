//! Imports point down: between crates by their floors, and within a crate to modules that `lib.rs` declares earlier.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The crates in `crates/` and `nodes/` by floor, from below; see docs/architecture.md.
const FLOORS: [&[&str]; 6] = [
    &["nodes"],
    &["eval", "knowledge"],
    &["core"],
    &[
        "drawing",
        "store",
        "3mf",
        "formats",
        "graph-formats",
        "dialects",
        "geometry",
    ],
    &["service"],
    &["server", "compat"],
];

/// Imports along a floor: pictures of solids are images, with the lettering of other drawings; and the names of other
/// systems are toolsets of the server.
const SIDEWAYS: [(&str, &str); 2] = [("geometry", "drawing"), ("compat", "server")];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn folder(name: &str) -> PathBuf {
    match name {
        "nodes" => root().join("nodes"),
        name => root().join("crates").join(name),
    }
}

/// The workspace's crates among the normal dependencies of a manifest.
fn dependencies(manifest: &str) -> BTreeSet<&str> {
    let start = manifest.find("[dependencies]").unwrap_or(manifest.len());
    let section = manifest[start..].lines().skip(1);
    let section = section.take_while(|line| !line.starts_with('['));
    section
        .filter_map(|line| line.strip_prefix("fibula-")?.split(['.', ' ']).next())
        .collect()
}

#[test]
fn crates_point_down() {
    let mut known = BTreeSet::new();
    for crates in FLOORS {
        let below = known.clone();
        for &name in crates {
            let manifest = fs::read_to_string(folder(name).join("Cargo.toml"));
            let manifest = manifest.expect("each crate has a manifest");
            for other in dependencies(&manifest) {
                assert!(
                    below.contains(other) || SIDEWAYS.contains(&(name, other)),
                    "fibula-{name} depends on fibula-{other}, which is not below it"
                );
            }
            known.insert(name);
        }
    }
    let folders = fs::read_dir(root().join("crates")).expect("the folder of crates");
    for entry in folders {
        let name = entry.expect("an entry").file_name();
        let name = name.to_str().expect("names of crates are plain");
        assert!(known.contains(name), "crates/{name} has no floor");
    }
}

/// The modules that a file of a module imports from the root of its crate; `super` is the root for the module's own file.
fn imported(source: &str, is_own: bool) -> BTreeSet<&str> {
    let after = source.split("crate::").skip(1);
    let beside = source.split("\nuse super::").skip(1).filter(|_| is_own);
    let paths = after
        .chain(beside)
        .flat_map(|rest| match rest.strip_prefix('{') {
            Some(list) => top_level(list),
            None => vec![rest],
        });
    paths
        .filter_map(|path| {
            path.split(|c: char| !(c.is_alphanumeric() || c == '_'))
                .next()
        })
        .filter(|name| !name.is_empty())
        .collect()
}

/// The items of a braced list, as far as its own level goes.
fn top_level(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut items) = (0, 0, Vec::new());
    for (place, c) in list.char_indices() {
        if depth == 0 && matches!(c, ',' | '}') {
            items.push(list[start..place].trim());
            start = place + 1;
        }
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            _ => {}
        }
    }
    items
}

#[test]
fn imports_are_found() {
    let found = |source, is_own| imported(source, is_own).into_iter().collect::<Vec<_>>();
    assert_eq!(found("use crate::graph::Document;", false), ["graph"]);
    let text = "fn f() { crate::expression::print() }";
    assert_eq!(found(text, false), ["expression"]);
    let list = "use crate::{\n    graph::{A, edit::B},\n    service,\n};\nuse super::mesh::C;";
    assert_eq!(found(list, false), ["graph", "service"]);
    assert_eq!(found(list, true), ["graph", "mesh", "service"]);
    assert_eq!(
        dependencies(
            "[dependencies]\nfibula-core.workspace = true\n\n[lints]\nfibula-eval.x = 1\n"
        ),
        BTreeSet::from(["core"])
    );
}

/// Upward imports of the modules of a crate, as pairs of names.
fn upward(source: &Path) -> BTreeSet<(String, String)> {
    let lib = fs::read_to_string(source.join("lib.rs")).expect("a crate has its root");
    let modules: Vec<&str> = lib
        .lines()
        .filter_map(|line| {
            let line = line
                .trim_start_matches("pub ")
                .trim_start_matches("pub(crate) ");
            line.strip_prefix("mod ")?.strip_suffix(';')
        })
        .collect();
    let mut found = BTreeSet::new();
    for (place, module) in modules.iter().enumerate() {
        let own = [
            source.join(format!("{module}.rs")),
            source.join(module).join("mod.rs"),
        ];
        let mut files = vec![own[0].clone()];
        rust_files(&source.join(module), &mut files);
        for file in files.iter().filter(|file| file.exists()) {
            let text = fs::read_to_string(file).expect("the file can be read");
            let imported = imported(&text, own.contains(file));
            let later = modules[place + 1..].iter();
            let upward = later.filter(|later| imported.contains(**later));
            found.extend(upward.map(|later| ((*module).to_owned(), (*later).to_owned())));
        }
    }
    found
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("the entry can be read").path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn modules_point_down() {
    for name in FLOORS.concat() {
        let found = upward(&folder(name).join("src"));
        assert!(found.is_empty(), "fibula-{name}: {found:#?}");
    }
}

#[test]
fn the_lower_floors_do_no_input_and_start_no_threads() {
    for name in FLOORS[..3].concat() {
        let mut files = Vec::new();
        rust_files(&folder(name).join("src"), &mut files);
        for file in files {
            let source = fs::read_to_string(&file).expect("the file can be read");
            let code = source.split("#[cfg(test)]").next().unwrap_or_default();
            for word in ["tokio", "std::fs", "std::net", "thread::spawn"] {
                assert!(!code.contains(word), "{word} in {}", file.display());
            }
        }
    }
}
