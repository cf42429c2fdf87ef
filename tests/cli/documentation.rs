//! docs/nodes.md is what the catalogue says, docs/library.md what the library says, docs/project.schema.json what the
//! types of a project file say; `FIBULA_BLESS=1 cargo test --test cli documentation` writes them anew.
//! docs/refusals.md names every code that is written in the sources.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use fibula::graph::Document;
use fibula::library::{self, Group, Unit};
use fibula_nodes::{Family, KindInfo, Value, catalogue};

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

fn kind(page: &mut String, about: &KindInfo) {
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
    for rule in &about.signature.overloads {
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

const LIBRARY_HEAD: &str = "# The library

Functions that come with Fibula. Expressions call them by name, at the command line, over MCP and over REST (and in
programs through `library::add_function`):

```console
$ fibula expr 'smooth_union(sphere(pos, 5), box(pos - vec3(6, 0, 0), vec3(6, 6, 6)), 2)' --at 0,0,8
shape = 3
$ fibula library gyroid
```

The project gets a copy of those that an expression calls, as functions of its own, which can be changed like any
other; `apply_edits` puts one there by `{\"insert_function\": {\"name\": \"gyroid\"}}`. A function of the project that has the
name is called instead. Over MCP and REST `list_functions` tells them with `library: true`.

Shapes are signed distances, negative inside. Each function says how good a distance its value is; those that give a
point, how good a distance is that is measured there; those that take distances, how good the result is if these are
exact: **exact**; a **bound**, which is in magnitude never more than the distance, so that a step of this length crosses
no surface; or a **field**, which is 0 on the surface and negative inside, no more. Tests hold every example to it. A
value that is given below is the default of the input, which a call may leave out. Constants above or below the numbers that
limit an input are named in a warning when a function is made. Terms of CAD systems, and the expressions for them, are in
[cad.md](cad.md).

**Profiles** are planar shapes as functions of a point that ignore z. Neither 3MF nor graphs have points of two coordinates;
as functions of three they need no conversion, are moved, combined and drawn like all others, and are written to 3MF as they are. One that
is not extruded or revolved is a prism without ends. The value inside of a union, and outside of a difference, is not the distance to its outline, so that
insets of it are not exact. They are, within a stated error, of the distance: create an extrusion of the profile, much taller than it is
wide, with `distance: {}`; if it is called S, `offset(S(vec3(x, y, 0)), -1)` is the inset profile.

**Polygons** of any number of corners are forms of the language: `polygon(pos, x1, y1, x2, y2, ...)` with straight edges, and
`arc_polygon(pos, x1, y1, bulge1, x2, y2, bulge2, ...)` with arcs. The bulge of a corner is that of the edge that follows it: the tangent of a
quarter of the angle of its arc, positive counterclockwise, 0 for a straight edge, 1 for half a circle (as in DXF). The value is the exact distance in
the plane, and the inside is where the outline winds around the point. Coordinates may be computed; bulges are written as numbers, 0 or at least 0.0001 in size. A plate with a half-round end:

```console
$ fibula expr 'extrude(pos, arc_polygon(pos, 0,-5,0, 20,-5,1, 20,5,0, 0,5,0), 4)' --at 26,0,0
shape = 1
```

**Sweeps** along polylines are a form of the language, too: `sweep_polyline(profile, x1, y1, z1, x2, y2, z2, ...)` sweeps a profile along the path through the
corners. The profile is an expression of `pos`, which in it is the point in the frame of the path: x and y across it, z the length along it from the first corner, so that profiles may change
along the path. Where the path begins, y points upwards as far as possible and x to the left (if it begins along z, x points along x); from there they are carried along without rotation about the path.
Corners are mitred; with `radius = 5`, after the corners, they are arcs of that radius. If the last corner is the first, the path is closed and has no ends. `at = p` evaluates
the sweep at another point, such as a repeated one.

Coordinates and the radius may be computed. What is known when the function is made is checked: corners at one place, paths that turn back, arcs that are longer than an edge, closed paths that rotate the
profile. A radius that becomes too large later, by a changed parameter, is limited to what fits. Each point has the profile of the nearest part of the path: a profile that reaches farther than halfway to another part
is cut off there. The value is 0 on the surface and negative inside; beside straight parts it is the exact distance if that of the profile is, outside of sharp corners it is smaller. A handle:

```console
$ fibula expr 'sweep_polyline(circle(pos, 4), 0,0,0, 0,0,30, 60,0,30, 60,0,0, radius = 10)' --at 30,0,35
shape = 1
```

**Fillets and chamfers** of two shapes have exactly their size where the surfaces meet at `angle`, a right angle if it is left out: of planes, and of
other surfaces that meet at that angle along their edge, such as a cylinder on a plate. Where they meet at another angle, a fillet is elliptical. They are
fields, since their value exceeds the distance where both surfaces face the same way; a shape that is joined with itself grows there.

**Volume fractions.** `gyroid_thickness` and its like return the thickness, or the radius of struts, at which a lattice fills a share of space, as `..._network` take that share
directly. They are polynomials, fitted to counts of 4 to 8 million points of a period; no share within their limits is off by more than half a
percentage point, and a test counts them. The share may vary in space, which grades the lattice.

**Sheets.** `gyroid` and its like divide a formula by its steepest slope, so that their walls are at least as thick as asked for, and thicker where the formula is flatter. `gyroid_sheet`,
`schwarz_p_sheet`, `schwarz_d_sheet` and `iwp_sheet` are equally thick everywhere, within 2 percent: their value is the distance to a tangent plane of the surface, at the foot of the point on another one,
three in turn (Newton's method). They evaluate the formula and its gradient three times. Lidinoid and Neovius' surface have flat points where that fails: create the `..._network` of half of space with
`distance`, and use `shell` of that.

The pictures show the examples: blue is a shape's surface, brown where what goes on for ever is cut off. The commands
that draw them are in [the gallery](gallery.md).

This page is generated from the library: do not edit it.
";

fn library_page() -> String {
    let mut page = LIBRARY_HEAD.to_owned();
    for group in Group::ALL {
        let _ = writeln!(page, "\n## {}", group.title());
        let functions = library::functions().iter();
        for function in functions.filter(|function| function.group == group) {
            let _ = writeln!(page, "\n### {}\n\n{}\n", function.name, function.about);
            let _ = writeln!(page, "`{}`\n", function.signature());
            for input in &function.inputs {
                let unit = match input.unit {
                    Unit::None => String::new(),
                    unit => format!(" ({})", unit.name()),
                };
                let _ = writeln!(page, "- `{}`{unit}: {}", input.name, input.about);
            }
            let (distance, example) = (function.distance.about(), &function.example);
            let _ = writeln!(page, "\nThe value: {distance}. Example: `{example}`");
            let name = &function.name;
            let _ = writeln!(page, "\n![{name}](pictures/library/{name}.png)");
        }
    }
    page
}

fn check_page(name: &str, page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    if std::env::var_os("FIBULA_BLESS").is_some() {
        std::fs::write(&path, page).expect("the page can be written");
    }
    let held = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        held == page,
        "{name} is out of date: FIBULA_BLESS=1 cargo test --test cli documentation"
    );
}

#[test]
fn nodes_md_is_up_to_date() {
    check_page("docs/nodes.md", &page());
}

#[test]
fn library_md_is_up_to_date() {
    check_page("docs/library.md", &library_page());
}

/// The page of CAD terms is the resource of the server, and all its expressions compile.
#[test]
fn cad_terms_are_up_to_date_and_compile() {
    check_page("docs/cad.md", library::CAD_TERMS);
    let mut count = 0;
    for term in library::cad_terms() {
        for call in &term.expressions {
            let text = format!(
                "let a = box(pos, vec3(9, 9, 9)); let b = sphere(pos, 5); let d = cylinder(pos, 5, 6); {call}"
            );
            let made = library::add_function(&mut Document::default(), "Part", &text);
            assert!(made.is_ok(), "{call}: {made:?}");
            count += 1;
        }
    }
    assert!(count > 60, "{count}");
}

#[test]
fn project_schema_json_is_up_to_date() {
    let schema = fibula::service::project_schema();
    let text = serde_json::to_string_pretty(&schema).expect("it is JSON") + "\n";
    check_page("docs/project.schema.json", &text);
}

/// The codes of a file: what `Refusal::new` begins with, and what functions with the name `code` give.
fn codes(source: &str, codes: &mut BTreeSet<String>) {
    let mut add = |text: &str| {
        let code = text.trim_start().strip_prefix('"');
        let code = code.and_then(|code| Some(code.split_once('"')?.0));
        let is_code = |code: &&str| code.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'_'));
        codes.extend(code.filter(is_code).map(str::to_owned));
    };
    source.split("Refusal::new(").skip(1).for_each(&mut add);
    for function in source.split("fn code(&self) -> &'static str {").skip(1) {
        let end = function.find("\n    }\n").unwrap_or(function.len());
        function[..end].split("=>").skip(1).for_each(&mut add);
    }
}

fn codes_below(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            codes_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let source = fs::read_to_string(&path).expect("UTF-8");
            let end = source.find("#[cfg(test)]\nmod tests {");
            codes(&source[..end.unwrap_or(source.len())], found);
        }
    }
}

#[test]
fn every_code_is_in_refusals_md() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/refusals.md")).expect("the page");
    let mut found = BTreeSet::new();
    for sources in ["src", "crates", "nodes"] {
        codes_below(&root.join(sources), &mut found);
    }
    assert!(found.contains("store_failed") && found.contains("in_the_way"));
    found.retain(|code| !page.contains(&format!("`{code}`")));
    assert!(found.is_empty(), "docs/refusals.md lacks {found:?}");
}

/// Names of functions in the sources below a folder.
fn functions_below(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            functions_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let source = fs::read_to_string(&path).expect("UTF-8");
            let names = source.split("fn ").skip(1);
            let names = names.filter_map(|rest| rest.split_once('(').map(|(name, _)| name));
            found.extend(names.map(str::to_owned));
        }
    }
}

/// Each numbered promise names the tests that hold it, and these exist.
#[test]
fn promises_have_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut tests = BTreeSet::new();
    for sources in ["tests", "crates"] {
        functions_below(&root.join(sources), &mut tests);
    }
    for page in ["docs/storage.md", "docs/security.md"] {
        let text = fs::read_to_string(root.join(page)).expect("the page");
        let mut promises = Vec::new();
        for line in text.lines() {
            let is_first = line
                .split_once(". ")
                .is_some_and(|(number, _)| number.parse::<u32>().is_ok());
            match promises.last_mut() {
                _ if is_first => promises.push(line.to_owned()),
                Some(promise) if line.starts_with("  ") => {
                    promise.push(' ');
                    promise.push_str(line.trim());
                }
                _ => {}
            }
        }
        assert!(promises.len() > 5, "{page}");
        for promise in promises {
            let named = promise.split('`').skip(1).step_by(2);
            let mut named = named
                .filter(|name| name.matches('_').count() > 1)
                .peekable();
            assert!(named.peek().is_some(), "{page}: {promise} names no test");
            for name in named {
                assert!(tests.contains(name), "{page}: there is no test {name}");
            }
        }
    }
}
