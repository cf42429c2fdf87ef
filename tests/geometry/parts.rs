//! Files of triangles as resources of projects, and meshes of parts: from files into projects, and back.

use std::io::Cursor;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;

use fibula::format::mesh::{self, Limits, MeshFormat};
use fibula::format::threemf;
use fibula::geometry::TriangleMesh;
use fibula::graph::model::Body;
use fibula::service::{
    Evaluate, GetHistory, GetStructure, Import, ImportFormat, MakeMesh, MakeTriangles, MeshFile,
    PartSeparation, Service, Simplify, Subject, TriangleSource, Undo, check_mesh_file, make_parts,
};
use serde_json::{Value as Json, json};

use crate::calls::{apply, origin};

/// A tetrahedron of the volume 1/6.
const CORNERS: [[f64; 3]; 4] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
];
const SIDES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

fn file(format: MeshFormat) -> Vec<u8> {
    let mut file = Vec::new();
    mesh::write(format, &CORNERS, &SIDES, 0.001, &mut file).expect("it is written");
    file
}

fn import(service: &Service, content: &[u8]) -> fibula::service::ImportResult {
    let content = String::from_utf8(content.to_vec()).unwrap_or_else(|error| {
        use base64::Engine as _;
        base64::engine::general_purpose::STANDARD.encode(error.as_bytes())
    });
    let request = with_defaults!(Import, content: Some(content));
    service.import(&origin(), request).expect("a mesh")
}

#[test]
fn files_of_triangles_become_objects_that_functions_ask() {
    for format in [MeshFormat::Stl, MeshFormat::Obj] {
        let service = Service::default();
        // One is there already, so ids move on; and the project is in inches.
        apply(
            &service,
            json!([{"set_unit": {"unit": "inch"}}, {"set_mesh": {"bounds": [[0, 0, 0], [1, 1, 1]]}}]),
        ).expect("edits");
        let imported = import(&service, &file(format));
        assert_eq!((imported.resource_count, imported.build_item_count), (1, 1));
        // What the format lacks is no fault of the file.
        assert_eq!((imported.repairs.len(), imported.repair_count), (0, 0));
        assert_contains!(imported.warnings.concat() => "have no unit", "taken as inch");
        assert!(imported.findings.is_none() && imported.left_out.is_empty());
        let structure = service.get_structure(&GetStructure::default()).expect("it");
        assert_eq!(structure.build_items.len(), 1);
        let id = structure.build_items[0].object_id;
        apply(
            &service,
            json!([{"create_function_from_expression":
                {"name": "near", "expression": format!("mesh({id}, pos)")}}]),
        )
        .expect("edits");
        let listed = service.list_functions(&fibula::service::ListFunctions::default());
        let function = listed.expect("a list").functions[0].function_id;
        let arguments = json!({"pos": [0.1, 0.1, -2.0]});
        let arguments = arguments.as_object().expect("an object").clone();
        let near = service
            .evaluate(Evaluate::new(function, arguments))
            .expect("a distance");
        assert_eq!(near.values, json!({"shape": 2.0}), "{format:?}");
        for _ in 0..2 {
            service
                .undo(&origin(), &Undo::default())
                .expect("one step each");
        }
        let structure = service.get_structure(&GetStructure::default()).expect("it");
        assert_eq!(structure.resources.len(), 1);
        assert_eq!(structure.build_items.len(), 0);
    }
}

#[test]
fn what_is_wrong_with_triangles_is_told() {
    let codes = |text: &str| -> Vec<(&'static str, &'static str)> {
        let found = check_mesh_file(text.as_bytes()).findings;
        found.iter().map(|one| (one.severity, one.code)).collect()
    };
    let vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    let whole = format!("{vertices}f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
    assert_eq!(codes(&whole), []);
    let open = whole.replace("f 3 1 4\n", "");
    assert_eq!(codes(&open), [("warning", "open_edges")]);
    let turned = whole.replace("f 3 1 4\n", "f 1 3 4\n");
    assert_eq!(codes(&turned), [("warning", "turned_edges")]);
    let inside_out = format!("{vertices}f 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n");
    assert_eq!(codes(&inside_out), [("warning", "inside_out")]);
    let doubled = format!("{whole}f 1 1 2\n");
    assert_eq!(codes(&doubled), [("warning", "degenerate_triangle")]);
    let fin = format!("{whole}v 5 5 5\nf 1 2 5\n");
    let expected = [("warning", "open_edges"), ("warning", "branching_edges")];
    assert_eq!(codes(&fin), expected);
    let two = format!("{whole}v -1 0 0\nv 0 -1 0\nv 0 0 -1\nf 1 6 5\nf 1 7 6\nf 5 6 7\nf 1 5 7\n");
    assert_eq!(codes(&two), [("warning", "pinched_vertices")]);
    assert_eq!(codes("v 0 0 0\nf 1 2 3\n"), [("error", "unknown_vertex")]);
    let service = Service::default();
    let request = |content: &str| with_defaults!(Import, content: Some(content.to_owned()));
    let imported = service
        .import(&origin(), request(&open))
        .expect("it has holes");
    assert_eq!(imported.findings.expect("they are told").warnings, 1);
    let checked = service.import(
        &origin(),
        Import {
            check: true,
            ..request(&turned)
        },
    );
    let findings = checked.expect("it is checked").findings;
    assert_eq!(findings.expect("them").warnings, 1);
    for (content, format, code) in [
        ("v 0 0 0\nf 1 2 3\n", None, "unknown_vertex"),
        ("solid a\nendsolid a\n", None, "invalid_content"),
        ("v 0 0 0\nf 1 1 1\n", None, "nothing_to_import"),
        (
            "",
            Some(ImportFormat::Mesh(MeshFormat::Stl)),
            "invalid_content",
        ),
    ] {
        let request = Import {
            format,
            ..request(content)
        };
        let refusal = service.import(&origin(), request).expect_err("it is none");
        assert_eq!(refusal.code, code, "{content}");
    }
    let mut asked = 0;
    let ended = service.import_watched(&origin(), request(&whole), &mut |_, _| {
        asked += 1;
        ControlFlow::Break(())
    });
    assert_eq!((ended.expect_err("it ended").code, asked), ("cancelled", 1));
    let mut steps = Vec::new();
    let watched = service.import_watched(&origin(), request(&whole), &mut |done, total| {
        assert_eq!(total, 1000);
        steps.push(done);
        ControlFlow::Continue(())
    });
    watched.expect("it is imported");
    assert!(steps.is_sorted(), "{steps:?}");
    assert!(
        steps.contains(&600) && steps.last() == Some(&950),
        "{steps:?}"
    );
    // It can be cancelled after the file is read, and then leaves nothing.
    let revision = || {
        let history = service.get_history(&GetHistory::default());
        history.expect("a history").revision
    };
    let before = revision();
    let ended = service.import_watched(&origin(), request(&whole), &mut |done, _| {
        if done < 950 {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    assert_eq!(ended.expect_err("it ended").code, "cancelled");
    assert_eq!(revision(), before);
}

/// A ball that is built twice, once twice as large and mirrored, and a box.
fn built() -> Service {
    let service = Service::default();
    apply(
        &service,
        json!([
            {"create_function_from_expression":
                {"alias": "$ball", "name": "ball", "expression": "length(pos) - 5"}},
            {"create_level_set": {"alias": "$part", "function_id": "$ball", "bounds": [[-6, -6, -6], [6, 6, 6]],
                "name": "Ball, round", "part_number": "B-1"}},
            {"create_build_item": {"object_id": "$part", "part_number": "second",
                "transform": [-2, 0, 0,  0, 2, 0,  0, 0, 2,  40, 0, 0]}},
            {"set_mesh": {"alias": "$box", "bounds": [[0, 0, 0], [1, 2, 3]]}},
            {"create_build_item": {"object_id": "$box"}},
            {"set_metadata": {"name": "Title", "value": "Parts"}},
            {"set_unit": {"unit": "centimeter"}},
        ]),
    ).expect("edits");
    service
}

fn made(request: &MakeMesh) -> fibula::service::PartsMade {
    let service = built();
    let seen = service.resolve_parts(None, None, &Subject::default(), false);
    let on = &mut |_, _| ControlFlow::Continue(());
    make_parts(seen.expect("three parts"), request, on).expect("meshes")
}

const BALL: f64 = 4.0 / 3.0 * std::f64::consts::PI * 125.0;

#[test]
fn a_package_has_an_object_for_each_part_and_an_item_for_each_place() {
    let made = made(&with_defaults!(MakeMesh, cell: Some(1.0)));
    let [ball, block] = &made.info.parts[..] else {
        panic!("{:?}", made.info);
    };
    assert_eq!((ball.places, block.places), (2, 1));
    assert_eq!(block.mesh.triangles, 12);
    assert!((ball.mesh.volume / BALL - 1.0).abs() < 0.01);
    // It is built twice as large, so its cells are half as large.
    assert!(ball.mesh.cells[0] >= 20, "{:?}", ball.mesh.cells);
    let mut file = Cursor::new(Vec::new());
    made.write_package(&mut file).expect("a package");
    let model = threemf::read(file.get_ref(), &threemf::Limits::default()).expect("3MF");
    assert!(model.functions.is_empty() && model.repairs.is_empty());
    assert!(model.info.required.is_empty() && model.info.recommended.is_empty());
    assert_eq!(model.info.unit.name(), "centimeter");
    assert_eq!(model.metadata[0].value, "Parts");
    let names: Vec<_> = model
        .objects
        .iter()
        .map(|(_, one)| (&*one.name, &*one.part_number))
        .collect();
    assert_eq!(names, [("Ball, round", "B-1"), ("object 4", "")]);
    for ((_, object), part) in model.objects.iter().zip(&made.info.parts) {
        let Body::Mesh(mesh) = &object.body else {
            panic!("{object:?}");
        };
        assert_eq!(mesh.triangles as usize, part.mesh.triangles);
        assert_eq!(mesh.bounds, Some(part.mesh.bounds));
    }
    let items: Vec<_> = model
        .items
        .iter()
        .map(|item| (item.object.0, &*item.part_number, item.transform.0[9]))
        .collect();
    assert_eq!(items, [(1, "", 0.0), (1, "second", 40.0), (2, "", 0.0)]);
}

#[test]
fn each_format_keeps_parts_where_they_are_placed() {
    let made = made(&MakeMesh {
        cell: Some(1.0),
        simplify: Some(Simplify {
            tolerance: Some(0.1),
            triangles: None,
        }),
        ..MakeMesh::default()
    });
    let deviation = made.info.parts[0]
        .mesh
        .deviation
        .expect("it was simplified");
    // It is told of the place where it is twice as large.
    assert!(deviation > 0.02 && deviation <= 0.1, "{deviation}");
    let volume = |file: &[u8]| {
        let read = mesh::read(file, &Limits::default()).expect("a mesh");
        let mesh = TriangleMesh::new(read.vertices, read.triangles).expect("it is whole");
        assert!(mesh.topology().is_sound());
        mesh.volume()
    };
    let all = made.info.parts[0].mesh.volume * 9.0 + 6.0;
    for format in [MeshFormat::Stl, MeshFormat::Obj] {
        let mut file = Vec::new();
        made.write(format, &mut file).expect("it is written");
        // The mirrored ball is not inside out.
        assert!((volume(&file) / all - 1.0).abs() < 1e-5);
    }
    let seen = built().resolve_parts(None, None, &Subject::default(), false);
    let pieces = seen.expect("three parts").pieces();
    let names: Vec<&str> = pieces.iter().map(|piece| &*piece.name).collect();
    assert_eq!(names, ["Ball--round", "Ball--round-2", "object-4"]);
    let mut file = Vec::new();
    made.write_piece(&pieces[1], MeshFormat::Stl, &mut file)
        .expect("it is written");
    assert!((volume(&file) / (8.0 * made.info.parts[0].mesh.volume) - 1.0).abs() < 1e-5);
    let mut text = Vec::new();
    made.write(MeshFormat::Obj, &mut text)
        .expect("it is written");
    let text = String::from_utf8(text).expect("text");
    let names: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("o "))
        .collect();
    assert_eq!(names, ["Ball, round", "Ball, round", "object 4"]);
    let mut file = Vec::new();
    made.write(MeshFormat::Glb, &mut file)
        .expect("it is written");
    let length = u32::from_le_bytes(file[12..16].try_into().expect("four")) as usize;
    let head: Json = serde_json::from_slice(&file[20..20 + length]).expect("JSON");
    assert_eq!(
        (
            head["nodes"].as_array().map(Vec::len),
            head["meshes"].as_array().map(Vec::len)
        ),
        (Some(3), Some(2))
    );
    assert_fields!(head["nodes"][1], {
        "name": "Ball, round",
        "matrix": [-0.02, 0.0, 0.0, 0.0, 0.0, 0.0, -0.02, 0.0, 0.0, 0.02, 0.0, 0.0, 0.4, 0.0, 0.0, 1.0]
    });
    let bytes = head["buffers"][0]["byteLength"].as_u64().expect("a number") as usize;
    assert_eq!(file.len(), 20 + length + 8 + bytes);
}

#[test]
fn what_parts_cannot_be_is_refused() {
    let service = built();
    let refused = |request: &MakeMesh| {
        let seen = service.resolve_parts(None, None, &Subject::default(), false);
        let on = &mut |_, _| ControlFlow::Continue(());
        make_parts(seen.expect("parts"), request, on)
            .expect_err("it cannot be")
            .code
    };
    let bounds = fibula::geometry::Bounds::new([0.0; 3], [1.0; 3]).ok();
    let expected = "invalid_arguments";
    assert_eq!(refused(&with_defaults!(MakeMesh, bounds)), expected);
    for (tolerance, triangles, code) in [
        (None, None, "invalid_arguments"),
        (Some(-1.0), None, "invalid_value"),
        (Some(f64::NAN), None, "invalid_value"),
        (None, Some(3), "invalid_value"),
    ] {
        let simplify = Some(Simplify {
            tolerance,
            triangles,
        });
        assert_eq!(refused(&with_defaults!(MakeMesh, simplify)), code);
    }
    let empty = Service::default().resolve_parts(None, None, &Subject::default(), false);
    let expected = "nothing_to_build";
    assert_eq!(empty.expect_err("nothing is built").code, expected);
}

/// A box of 1 x 2 x 3 that is built ten times as large, and a ball of radius 1 that is, too.
fn enlarged() -> Service {
    let service = Service::default();
    let tenfold = [10, 0, 0, 0, 10, 0, 0, 0, 10, 5, 0, 0];
    apply(
        &service,
        json!([
            {"set_mesh": {"alias": "$box", "bounds": [[0, 0, 0], [1, 2, 3]]}},
            {"create_build_item": {"object_id": "$box", "transform": tenfold}},
            {"create_function_from_expression":
                {"alias": "$ball", "name": "ball", "expression": "length(pos) - 1"}},
            {"create_level_set": {"alias": "$part", "function_id": "$ball", "build": false,
                "bounds": [[-2, -2, -2], [2, 2, 2]]}},
            {"create_build_item": {"object_id": "$part", "transform": tenfold}},
        ]),
    )
    .expect("edits");
    service
}

#[test]
fn parts_are_told_and_their_cells_as_they_are_built() {
    let service = enlarged();
    let on = &mut |_, _| ControlFlow::Continue(());
    let mut meshes = |request: &MakeMesh| {
        let seen = service.resolve_parts(None, None, &Subject::default(), false);
        make_parts(seen.expect("two parts"), request, on)
    };
    let made = meshes(&with_defaults!(MakeMesh, cell: Some(1.0)));
    let info = made.expect("meshes").info;
    let [block, ball] = [0, 1].map(|part| &info.parts[part].mesh);
    assert_eq!(block.bounds, [[5.0, 0.0, 0.0], [15.0, 20.0, 30.0]]);
    assert!((block.volume - 6000.0).abs() < 1e-9 && (block.area - 2200.0).abs() < 1e-9);
    let off = |axis: usize, place: f64| (block.centre[axis] - place).abs() < 1e-12;
    assert!(off(0, 10.0) && off(1, 10.0) && off(2, 15.0), "{block:?}");
    assert!((ball.volume / (8.0 * BALL) - 1.0).abs() < 0.01, "{ball:?}");
    let small = with_defaults!(MakeMesh, cell: Some(1e-9));
    let refusal = meshes(&small).expect_err("too many cells");
    assert_eq!(refusal.code, "too_large");
    let size = refusal.details["cell"].as_f64().expect("a size");
    let message = &refusal.message;
    assert!(message.contains("cell size of 0.000000001 "), "{message}");
    // As it is built, the box has 10 x 20 x 30, in 10^12 cells.
    assert!((0.0018..0.0022).contains(&size), "{refusal}");
    let few = with_defaults!(MakeMesh, cell: Some(0.1), most_triangles: Some(10_000));
    let refusal = meshes(&few).expect_err("too many triangles");
    let cell = refusal.details["cell"].as_f64();
    let again = meshes(&MakeMesh { cell, ..few });
    assert!(again.is_ok(), "{refusal}");
    let fewer = with_defaults!(MakeMesh, most_triangles: Some(11));
    let refusal = meshes(&fewer).expect_err("the box has 12 triangles");
    assert!(refusal.message.contains("has 12 triangles"), "{refusal}");
}

#[test]
fn a_number_of_triangles_is_of_all_that_is_built() {
    let made = made(&MakeMesh {
        cell: Some(1.0),
        simplify: Some(Simplify {
            tolerance: None,
            triangles: Some(500),
        }),
        ..MakeMesh::default()
    });
    let mut file = Vec::new();
    made.write(MeshFormat::Stl, &mut file)
        .expect("it is written");
    let triangles = (file.len() - 84) / 50;
    assert_eq!(triangles, made.info.triangles);
    assert!((400..=500).contains(&triangles), "{triangles}");
}

#[test]
fn what_is_of_functions_is_not_asked_of_meshes() {
    let subject = Subject {
        object_id: Some(fibula_nodes::ResourceId(1)),
        output: Some("shape".to_owned()),
        ..Subject::default()
    };
    let seen = enlarged().resolve_parts(None, None, &subject, false);
    assert_eq!(seen.expect_err("it is a mesh").code, "invalid_arguments");
}

#[test]
fn one_mesh_of_all_keeps_what_the_project_says_of_itself() {
    let service = built();
    let how =
        with_defaults!(MakeTriangles, apart: PartSeparation::Never, file: MeshFile::named("3MF"));
    let seen = service.resolve_triangles(None, None, &Subject::default(), &how);
    let on = &mut |_, _| ControlFlow::Continue(());
    let made = seen.expect("one").make(&how.mesh, on).expect("a mesh");
    let mut file = Vec::new();
    made.write_file(MeshFile::Package, &mut file)
        .expect("it is written");
    let model = threemf::read(&file, &threemf::Limits::default()).expect("3MF");
    assert_eq!(model.objects.len(), 1);
    assert_eq!(&*model.metadata[0].value, "Parts");
    for (file, is_one) in [
        ("stl", true),
        ("ply", true),
        ("obj", false),
        ("glb", false),
        ("3mf", false),
    ] {
        let how = with_defaults!(MakeTriangles, file: MeshFile::named(file));
        let seen = service.resolve_triangles(None, None, &Subject::default(), &how);
        let seen = seen.expect("parts");
        assert_eq!(matches!(seen, TriangleSource::One(..)), is_one, "{file}");
    }
}

fn fibula(folder: &Path, line: &str) -> (String, String) {
    let words = line.split(' ');
    let program = Command::new(env!("CARGO_BIN_EXE_fibula"))
        .args(words)
        .env("FIBULA_DATA", folder)
        .current_dir(folder)
        .output()
        .expect("it runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (text(program.stdout), text(program.stderr))
}

#[test]
fn the_command_line_opens_files_of_triangles_and_writes_parts() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let run = |line: &str| fibula(folder, line);
    std::fs::write(folder.join("tip.stl"), file(MeshFormat::Stl)).expect("it is written");
    let (said, _) = run("check tip.stl");
    assert_eq!(said, "tip.stl is read: 0 errors, 0 repairs, 0 warnings\n");
    // Without an ending the first bytes say what it is, also where they are not all.
    let mut long = Vec::new();
    mesh::write(
        MeshFormat::Stl,
        &CORNERS,
        &SIDES.repeat(100),
        0.001,
        &mut long,
    )
    .expect("it is written");
    assert!(long.len() > 1 << 14);
    std::fs::write(folder.join("long"), long).expect("it is written");
    let (said, warned) = run("import long");
    assert!(
        said.contains("1 build items") && said.contains("STL files have no unit"),
        "{said}{warned}"
    );
    // As it is, and made anew.
    let (said, _) = run("mesh tip.stl -o tip.3mf");
    assert_contains!(said => "triangles  4, of 4 vertices", "those that are given");
    let model = std::fs::read(folder.join("tip.3mf")).expect("it is there");
    let model = threemf::read(&model, &threemf::Limits::default()).expect("3MF");
    assert_eq!(model.objects[0].1.name, "tip");
    assert_eq!(model.items.len(), 1);
    let (said, _) = run("mesh tip.stl --cell 0.1 --triangles 100 --json");
    let info: Json = serde_json::from_str(&said).expect("JSON");
    assert!(info["triangles"].as_u64() <= Some(100), "{info}");
    assert!(info["cells"][0].as_u64() > Some(5), "{info}");
    let (said, warned) = run("mesh tip.3mf --triangles 4 --simplify 0.1");
    assert!(said.contains("deviation  0"), "{said}");
    assert!(warned.is_empty(), "{warned}");
    let (said, _) = run("convert tip.stl again.3mf");
    assert_contains!(said => "1 objects", "1 build items");
    let (said, _) = run("slice tip.stl --at 0.5 -o tip.json");
    assert_contains!(said => "area 0.12");
    let mut package = Cursor::new(Vec::new());
    built()
        .write_package(&fibula::service::WritePackage::default(), &mut package)
        .expect("3MF");
    std::fs::write(folder.join("built.3mf"), package.get_ref()).expect("it is written");
    let (said, _) = run("mesh built.3mf --cell 2 --parts -o part.stl");
    for name in [
        "part-Ball--round.stl",
        "part-Ball--round-2.stl",
        "part-object-4.stl",
    ] {
        assert!(folder.join(name).is_file() && said.contains(name), "{said}");
    }
    run("mesh built.3mf --cell 2 -o parts.obj");
    run("mesh built.3mf --cell 2 --union -o whole.obj");
    let objects = |name: &str| {
        let text = std::fs::read_to_string(folder.join(name)).expect("it is there");
        text.lines().filter(|line| line.starts_with("o ")).count()
    };
    assert_eq!((objects("parts.obj"), objects("whole.obj")), (3, 1));
    for (line, refused) in cases![
        "mesh built.3mf --parts -o other.3mf" => "invalid_arguments";
        "mesh tip.stl --simplify 0" => "invalid_value";
        "mesh tip.stl --parts -o tip.stl --bounds 0,0,0 1,1,1" => "invalid_arguments";
        "check other.obj" => "unreadable_file";
    ] {
        let (_, said) = run(line);
        let start = format!("fibula: {refused}");
        let mut lines = said.lines();
        assert!(lines.any(|told| told.starts_with(&start)), "{line}: {said}");
    }
}

#[test]
fn placed_meshes_are_joined() {
    let service = Service::default();
    let edits = json!([
        {"set_mesh": {"bounds": [[0, 0, 0], [1, 2, 3]]}},
        {"create_build_item": {"object_id": 1}},
        // Mirrored, and moved away.
        {"create_build_item": {"object_id": 1, "transform": [-1, 0, 0, 0, 1, 0, 0, 0, 1, -5, 0, 0]}},
    ]);
    apply(&service, edits).expect("edits");
    let request =
        with_defaults!(MakeTriangles, apart: PartSeparation::Always, file: Some(MeshFile::Package));
    let source = service.resolve_triangles(None, None, &Subject::default(), &request);
    let watch = &mut |_, _| ControlFlow::Continue(());
    let parts = source.expect("a build").make(&request.mesh, watch);
    let joined = parts.expect("meshes").joined().expect("few vertices");
    assert_eq!((joined.vertices.len(), joined.triangles.len()), (16, 24));
    assert!(joined.colors.is_none());
    let mesh = TriangleMesh::new(joined.vertices, joined.triangles).expect("triangles");
    assert!(mesh.topology().is_sound());
    // A mirrored part that kept its order would be inside out, and subtract its volume.
    approx::assert_relative_eq!(mesh.mass().volume, 12.0);
}
