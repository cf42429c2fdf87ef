//! docs/nodes.md is what the catalogue says; `FIBULA_BLESS=1 cargo test --test documentation` writes it anew.

use std::fmt::Write as _;
use std::path::Path;

use fibula_nodes::{About, Family, Value, catalogue};

const HEAD: &str = "# Node kinds

Every kind of node, by family. This page is generated from the catalogue: do not edit it.

Parameters are a node's inputs, ports its outputs. Where several overloads are given, all parameters of a node
take one type. A parameter with a default may be left unset; every other has to be linked or set before the
function is evaluated. Lengths are in the document's unit, angles in radians, matrices row by row with the
translation in the last row. Names are understood in any case, and so are the aliases.

In the examples, resource 1 is the function `ball(pos, radius) = length(pos) - radius`, resource 2 a mesh (the
sphere of radius 1), resource 3 a beam lattice (one beam of radius 1 from the origin to (10, 0, 0)) and resource
4 an image (red is u, green is v, blue is w).
";

fn page() -> String {
    let mut page = HEAD.to_owned();
    let mut family: Option<Family> = None;
    for about in catalogue::catalogue() {
        if family != Some(about.family) {
            family = Some(about.family);
            let name = about.family.name();
            let _ = writeln!(page, "\n## {}{}", name[..1].to_uppercase(), &name[1..]);
        }
        kind(&mut page, about);
    }
    page
}

fn kind(page: &mut String, about: &About) {
    let _ = writeln!(
        page,
        "\n### {}\n\n{}\n",
        about.name,
        about.doc.replace('\n', " ").trim()
    );
    let element = match (about.family, about.native) {
        (Family::Boundary, _) => None,
        (_, true) => Some(format!("3MF element `{}`", about.element)),
        (_, false) => Some(format!(
            "no 3MF element; `{}` in expressions",
            about.element
        )),
    };
    let aliases: Vec<String> = about
        .aliases
        .iter()
        .map(|alias| format!("`{alias}`"))
        .collect();
    let aliases = (!aliases.is_empty()).then(|| format!("also {}", aliases.join(", ")));
    let names: Vec<String> = element.into_iter().chain(aliases).collect();
    let _ = writeln!(page, "{}.\n", capital(&names.join("; ")));
    for rule in &about.signature.rules {
        let parameters =
            about
                .signature
                .parameters
                .iter()
                .zip(&rule.inputs)
                .map(|(parameter, ty)| {
                    let default = parameter
                        .default
                        .as_ref()
                        .map(|value| format!(" = {}", text(value)));
                    format!("{}: {ty}{}", parameter.name, default.unwrap_or_default())
                });
        let ports = about.signature.ports.iter().zip(&rule.outputs);
        let ports = ports.map(|(port, ty)| format!("{}: {ty}", port.name));
        let _ = writeln!(page, "- ({}) -> ({})", join(parameters), join(ports));
    }
    let example = &about.examples[0];
    let outputs = join(example.outputs.iter().map(text));
    let inputs = join(example.inputs.iter().map(text));
    let _ = writeln!(page, "\nExample: ({inputs}) -> ({outputs})");
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars
        .next()
        .map(|c| c.to_uppercase().to_string())
        .unwrap_or_default();
    first + chars.as_str()
}

fn join(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

fn text(value: &Value) -> String {
    match value {
        Value::Float(number) => number.to_string(),
        Value::Float3(numbers) => list(numbers),
        Value::Matrix4x4(numbers) => list(numbers),
        Value::Integer(number) => number.to_string(),
        Value::String(text) => format!("'{text}'"),
        Value::ResourceId(id) => format!("resource {id}"),
    }
}

fn list(numbers: &[f64]) -> String {
    format!("[{}]", join(numbers.iter().map(f64::to_string)))
}

#[test]
fn nodes_md_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/nodes.md");
    let page = page();
    if std::env::var_os("FIBULA_BLESS").is_some() {
        std::fs::write(&path, &page).expect("docs/nodes.md can be written");
    }
    let held = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        held == page,
        "docs/nodes.md is out of date: FIBULA_BLESS=1 cargo test --test documentation"
    );
}
