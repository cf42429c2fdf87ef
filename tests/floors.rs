//! The floors of the architecture: imports look down, never sideways or up.

use std::fs;
use std::path::{Path, PathBuf};

/// Each module and its floor; see docs/architecture.md.
const FLOORS: [(&str, u8); 20] = [
    ("colour", 0),
    ("image", 0),
    ("progress", 0),
    ("vector", 0),
    ("knowledge", 0),
    ("graph", 1),
    ("network", 1),
    ("search", 1),
    ("edit", 2),
    ("eval", 2),
    ("expression", 2),
    ("oracle", 2),
    ("store", 3),
    ("geometry", 3),
    ("format", 3),
    ("library", 3),
    ("service", 4),
    ("mcp", 5),
    ("http", 5),
    ("cli", 6),
];

fn floor(module: &str) -> Option<u8> {
    FLOORS
        .iter()
        .find(|(name, _)| *name == module)
        .map(|(_, floor)| *floor)
}

/// The modules of the crate that a source text names, with the line: after `crate::`, also in a braced list.
fn named(source: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (start, _) in source.match_indices("crate::") {
        let before = source[..start].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        let line = source[..start].lines().count().max(1);
        let rest = &source[start + "crate::".len()..];
        let names: Vec<&str> = match rest.strip_prefix('{') {
            Some(list) => top_level(list),
            None => vec![rest],
        };
        for name in names {
            let end = name.find(|c: char| !(c.is_alphanumeric() || c == '_'));
            found.push((line, name[..end.unwrap_or(name.len())].to_owned()));
        }
    }
    found
}

/// The items of a braced list, as far as its own level goes.
fn top_level(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut items) = (0_i32, 0, Vec::new());
    for (place, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                items.push(list[start..place].trim());
                return items;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                items.push(list[start..place].trim());
                start = place + 1;
            }
            _ => {}
        }
    }
    items
}

/// What a file of `module` imports that it must not.
fn faults(module: &str, source: &str) -> Vec<String> {
    let own = floor(module).unwrap_or_else(|| panic!("module {module} has no floor"));
    let bad = |(line, name): (usize, String)| {
        let other = floor(&name)?;
        (name != module && other >= own)
            .then(|| format!("{module} (floor {own}) names {name} (floor {other}) in line {line}"))
    };
    named(source).into_iter().filter_map(bad).collect()
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the entry can be read").path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn imports_look_down() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&root, &mut files);
    assert!(files.len() > 20, "the sources are there");
    let mut all = Vec::new();
    for file in files {
        let inside = file.strip_prefix(&root).expect("it lies below src");
        let module = inside
            .components()
            .next()
            .expect("it has a name")
            .as_os_str();
        let module = Path::new(module)
            .file_stem()
            .and_then(|name| name.to_str())
            .unwrap_or("");
        if matches!(module, "lib" | "main") {
            continue;
        }
        let source = fs::read_to_string(&file).expect("the file can be read");
        all.extend(faults(module, &source));
    }
    assert!(all.is_empty(), "{all:#?}");
}

#[test]
fn the_crate_of_kinds_knows_nothing_of_the_others() {
    let mut files = Vec::new();
    rust_files(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("nodes/src"),
        &mut files,
    );
    for file in files {
        let source = fs::read_to_string(&file).expect("the file can be read");
        for word in [
            "fibula::",
            "schemars",
            "rmcp",
            "tokio",
            "std::fs",
            "std::net",
            "std::thread",
        ] {
            assert!(!source.contains(word), "{word} in {}", file.display());
        }
    }
}

#[test]
fn a_bad_import_is_found() {
    assert!(faults("edit", "use crate::graph::Document;").is_empty());
    assert_eq!(faults("graph", "use crate::edit::Edit;").len(), 1);
    assert_eq!(
        faults("eval", "fn f() { crate::expression::print() }").len(),
        1
    );
    assert_eq!(
        faults("format", "use crate::{graph::{A, B}, service};").len(),
        1
    );
    assert!(
        faults(
            "mcp",
            "use crate::service::Service;\nuse crate::mcp::tools;"
        )
        .is_empty()
    );
}
