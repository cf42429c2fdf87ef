//! Written meshes and slices in independent programs: trimesh reads the meshes, shapely the contours, which
//! are compared with the cross-sections that trimesh makes. Run by `.ci/run trimesh`, which has both.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use fibula::format::mesh::MeshFormat;
use fibula::geometry::{Bounds, Shape, TriangleMesh};
use fibula::library;
use fibula::service::{
    Heights, Import, Limits, MakeMesh, MakeSlices, MeshInfo, MeshMade, Options, PartsMade, Refusal,
    ResolvedShape, Service, SliceFormat, SlicesMade, Subject, make_mesh, make_parts, make_slices,
};
use serde_json::{Value as Json, json};

use super::exports::{exported, parts as parts_of_exports};
use crate::calls::{apply, on, origin, shape};
use crate::samples::samples;

/// Cells along the longest side of a mesh: enough for a shape, and few enough for a test.
const CELLS: f64 = 24.0;

/// The Python that has trimesh and shapely, by the environment; says aloud when there is none.
fn python() -> Option<String> {
    let python = std::env::var("FIBULA_TRIMESH").ok();
    if python.is_none() {
        println!("skipped: FIBULA_TRIMESH names no Python with trimesh and shapely");
    }
    python
}

/// Answers of the script for some files.
fn dumps(python: &str, what: &str, names: &[PathBuf]) -> Vec<Json> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/trimesh/dump.py");
    let mut command = Command::new(python);
    let output = command.arg(script).arg(what).args(names).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let text = String::from_utf8(output.stdout).unwrap();
    let dumps = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let dumps: Vec<Json> = dumps.collect();
    assert_eq!(dumps.len(), names.len());
    dumps
}

fn number(json: &Json, name: &str) -> f64 {
    let number = json[name].as_f64();
    number.unwrap_or_else(|| panic!("no {name} in {json}"))
}

/// A mesh as it has to be read.
#[derive(Debug, Clone, Copy)]
struct Expected {
    volume: f64,
    area: f64,
    bounds: [[f64; 3]; 2],
    components: usize,
    triangles: usize,
}

impl Expected {
    fn of(info: &MeshInfo) -> Expected {
        Expected {
            volume: info.volume,
            area: info.area,
            bounds: info.bounds,
            components: info.components + info.cavities,
            triangles: info.triangles,
        }
    }

    /// The mesh in glTF's coordinates, where lengths are in metres and y points up.
    fn in_gltf(self, metres: f64) -> Expected {
        let turned = |[x, y, z]: [f64; 3]| [x * metres, z * metres, -y * metres];
        let [a, b] = self.bounds.map(turned);
        Expected {
            volume: self.volume * metres.powi(3),
            area: self.area * metres.powi(2),
            bounds: [[a[0], a[1], b[2]], [b[0], b[1], a[2]]],
            ..self
        }
    }

    /// The mesh turned and moved.
    fn placed(self, bounds: [[f64; 3]; 2]) -> Expected {
        Expected { bounds, ..self }
    }

    /// Compares it with what trimesh says. STL has no vertices: where some are at one place, what is there is not known
    /// any more (`is_known`), and neither is what edges join. Numbers of 32 bits are off by half a step, by which every
    /// point of the surface may have moved; those of 64 bits are compared up to the rounding of sums.
    fn check(&self, found: &Json, [single, is_known]: [bool; 2], at: &str) {
        if is_known {
            assert_fields!(found, { "watertight": true, "winding": true }, "{at}");
            assert_eq!(found["bodies"], self.components, "{at}: {found}");
        }
        assert_eq!(found["triangles"], self.triangles, "{at}: {found}");
        let farthest = self.bounds.iter().flatten();
        let farthest = farthest.fold(0.0_f64, |most, part| most.max(part.abs()));
        let off = farthest * 2.0_f64.powi(if single { -24 } else { -48 });
        let volume = number(found, "volume");
        let most = 1e-6 * self.volume + 2.0 * self.area * off;
        let wrong = (volume - self.volume).abs();
        assert!(wrong <= most, "{at}: {self:?} {found}");
        let bounds: [[f64; 3]; 2] = serde_json::from_value(found["bounds"].clone()).unwrap();
        for (found, own) in bounds.iter().flatten().zip(self.bounds.iter().flatten()) {
            let wrong = (found - own).abs();
            assert!(wrong <= 2.0 * off, "{at}: {self:?} {bounds:?}");
        }
    }
}

/// The mesh of what is seen; what does not end is cut off by a box.
fn mesh(
    seen: &ResolvedShape,
    bounds: Option<Bounds>,
    cell: Option<f64>,
) -> Result<MeshMade, Refusal> {
    let cut = Bounds::new([-10.0; 3], [10.0; 3]).unwrap();
    let make = |bounds: Option<Bounds>| {
        let side = |bounds: Bounds| bounds.size().into_iter().fold(0.0, f64::max);
        let request = with_defaults!(MakeMesh, bounds, cell: cell.or(bounds.map(|bounds| side(bounds) / CELLS)));
        make_mesh(seen, &request, &mut on)
    };
    match make(bounds) {
        Err(refusal) if refusal.code == "unbounded_shape" => make(Some(cut)),
        done => done,
    }
}

/// Writes a mesh in every format there is.
fn write(folder: &Path, name: &str, made: &MeshMade) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for format in MeshFormat::ALL {
        let mut file = Vec::new();
        made.write(format, &mut file).unwrap();
        paths.push(folder.join(format!("{name}.{}", format.name())));
        fs::write(paths.last().unwrap(), &file).unwrap();
    }
    let mut file = std::io::Cursor::new(Vec::new());
    let parts = PartsMade::of(name, made.clone());
    parts.write_package(&mut file).unwrap();
    paths.push(folder.join(format!("{name}.3mf")));
    fs::write(paths.last().unwrap(), file.get_ref()).unwrap();
    paths
}

/// True if no two vertices are at one place in numbers of 32 bits.
fn is_distinct(mesh: &TriangleMesh) -> bool {
    let bits = |at: &[f64; 3]| at.map(|part| (part as f32 + 0.0).to_bits());
    let places: BTreeSet<_> = mesh.vertices().iter().map(bits).collect();
    places.len() == mesh.vertices().len()
}

/// Writes meshes in every format, has them read, and compares.
fn check_meshes(python: &str, meshes: &[(String, MeshMade, f64)]) {
    let folder = tempfile::tempdir().unwrap();
    let mut paths = Vec::new();
    let mut expected = Vec::new();
    let mut known = 0;
    for (name, made, metres) in meshes {
        let is_distinct = is_distinct(&made.mesh);
        known += usize::from(is_distinct);
        for path in write(folder.path(), name, made) {
            let own = Expected::of(&made.info);
            let format = path.extension().unwrap().to_str().unwrap();
            let own = match format {
                "glb" => own.in_gltf(*metres),
                _ => own,
            };
            let single = ["stl", "glb"].contains(&format);
            expected.push((own, [single, is_distinct || format != "stl"]));
            paths.push(path);
        }
    }
    println!("{known} of {} have no vertices at one place", meshes.len());
    assert!(known * 4 > meshes.len() * 3);
    let dumps = dumps(python, "meshes", &paths);
    for ((found, path), (own, how)) in dumps.iter().zip(&paths).zip(expected) {
        let at = path.file_name().unwrap().to_string_lossy();
        let [one] = &found.as_array().unwrap()[..] else {
            panic!("{at}: one mesh, not {found}");
        };
        own.check(one, how, &at);
    }
}

#[test]
fn trimesh_reads_meshes_of_the_library() {
    let Some(python) = python() else {
        return;
    };
    let meshes = library::functions().iter().map(|function| {
        let bounds = function.shown.bounds;
        let bounds = bounds.map(|[low, high]| Bounds::new(low, high).unwrap());
        let cell = bounds.is_none().then_some(1.0);
        let made = mesh(&shape(&function.example), bounds, cell);
        let made = made.unwrap_or_else(|refusal| panic!("{}: {refusal}", function.name));
        (function.name.clone(), made, 0.001)
    });
    check_meshes(&python, &meshes.collect::<Vec<_>>());
}

#[test]
fn trimesh_reads_exports_of_forty_parts() {
    let Some(python) = python() else {
        return;
    };
    let meshes: Vec<(String, MeshMade, f64)> = parts_of_exports()
        .into_iter()
        .map(|solid| (solid.name.replace(' ', "-"), exported(solid), 0.001))
        .collect();
    check_meshes(&python, &meshes);
}

#[test]
fn trimesh_reads_meshes_of_the_samples() {
    let (Some(python), Some((folder, files))) = (python(), samples()) else {
        return;
    };
    let mut meshes = Vec::new();
    for path in files {
        let service = Service::new(&with_defaults!(Options, roots: vec![folder.clone()]));
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let request = with_defaults!(Import, path: Some(format!("{name}.3mf")));
        service.import(&origin(), request).unwrap();
        // Two of the files are templates, in which nothing is built.
        let seen = match service.resolve_shape(None, None, &Subject::default()) {
            Err(refusal) if refusal.code == "no_inside" => continue,
            seen => seen.unwrap_or_else(|refusal| panic!("{name}: {refusal}")),
        };
        let metres = seen.unit.metres();
        let shape = Shape::new(&seen.tape).unwrap();
        let bounds = seen.bounds_or(None, &shape, &mut on).unwrap();
        let made = mesh(&seen, Some(bounds), None);
        let made = made.unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
        meshes.push((name, made, metres));
    }
    assert!(meshes.len() > 8);
    check_meshes(&python, &meshes);
}

/// A ball that is built twice, once as its mirror image, a hollow ball beside a plain box, in inches.
fn parts() -> PartsMade {
    let service = Service::default();
    let edits = json!([
        {"set_unit": {"unit": "inch"}},
        {"create_function_from_expression": {"alias": "$egg", "name": "egg",
            "expression": "ellipsoid(pos - vec3(1, 0, 0), vec3(3, 2, 1.5))"}},
        {"create_function_from_expression": {"alias": "$hollow", "name": "hollow",
            "expression": "shell(sphere(pos, 3), 1)"}},
        {"create_level_set": {"alias": "$first", "function_id": "$egg", "name": "Egg",
            "bounds": [[-3, -3, -3], [5, 3, 3]], "build": true}},
        {"create_level_set": {"alias": "$second", "function_id": "$hollow", "name": "Hollow",
            "bounds": [[-4, -4, -4], [4, 4, 4]], "build": false}},
        {"set_mesh": {"bounds": [[0, 0, 0], [4, 3, 2]], "alias": "$box"}},
        {"create_build_item": {"object_id": "$first", "transform": [-1, 0, 0, 0, 1, 0, 0, 0, 1, 40, 0, 0]}},
        {"create_build_item": {"object_id": "$second", "transform": [0, 1, 0, -1, 0, 0, 0, 0, 1, 0, 20, 0]}},
        {"create_build_item": {"object_id": "$box", "transform": [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 10]}},
    ]);
    apply(&service, edits).unwrap();
    let seen = service.resolve_parts(None, None, &Subject::default(), false);
    let request = with_defaults!(MakeMesh, cell: Some(0.3));
    make_parts(seen.unwrap(), &request, &mut on).unwrap()
}

/// The box around a part where it is placed.
fn moved([low, high]: [[f64; 3]; 2], place: impl Fn([f64; 3]) -> [f64; 3]) -> [[f64; 3]; 2] {
    let (a, b) = (place(low), place(high));
    let each = |pick: fn(f64, f64) -> f64| std::array::from_fn(|axis| pick(a[axis], b[axis]));
    [each(f64::min), each(f64::max)]
}

#[test]
fn trimesh_reads_parts_of_a_project() {
    let Some(python) = python() else {
        return;
    };
    let made = parts();
    let parts = made.info.parts.iter();
    let infos: Vec<Expected> = parts.map(|part| Expected::of(&part.mesh)).collect();
    let [egg, hollow, cuboid] = infos[..] else {
        panic!("three parts: {infos:?}");
    };
    assert_eq!((egg.components, hollow.components), (1, 2));
    assert!((cuboid.volume - 24.0).abs() < 1e-12);
    // All are told where they are placed first.
    let expected = [
        egg,
        egg.placed(moved(egg.bounds, |[x, y, z]| [40.0 - x, y, z])),
        hollow,
        cuboid,
    ];
    let folder = tempfile::tempdir().unwrap();
    let mut paths = Vec::new();
    for format in MeshFormat::ALL {
        let mut file = Vec::new();
        made.write(format, &mut file).unwrap();
        paths.push(folder.path().join(format!("parts.{}", format.name())));
        fs::write(paths.last().unwrap(), &file).unwrap();
    }
    let mut file = std::io::Cursor::new(Vec::new());
    made.write_package(&mut file).unwrap();
    paths.push(folder.path().join("parts.3mf"));
    fs::write(paths.last().unwrap(), file.get_ref()).unwrap();
    for (found, path) in dumps(&python, "meshes", &paths).iter().zip(&paths) {
        let found = found.as_array().unwrap();
        let at = path.to_string_lossy();
        let format = path.extension().unwrap().to_str().unwrap();
        let metres = 0.0254;
        let expected = expected.map(|own| {
            if format == "glb" {
                own.in_gltf(metres)
            } else {
                own
            }
        });
        let single = ["stl", "glb"].contains(&format);
        // STL and PLY have one mesh, and trimesh makes one of what has one name in OBJ.
        let mut expected = match format {
            "stl" | "ply" => vec![together(&expected)],
            "obj" => vec![together(&expected[..2]), expected[2], expected[3]],
            _ => expected.to_vec(),
        };
        let mut found: Vec<&Json> = found.iter().collect();
        assert_eq!(found.len(), expected.len(), "{at}: {found:?}");
        expected.sort_by(|one, other| one.bounds[0][0].total_cmp(&other.bounds[0][0]));
        let left = |one: &Json| one["bounds"][0][0].as_f64().unwrap();
        found.sort_by(|one, other| left(one).total_cmp(&left(other)));
        for (found, own) in found.into_iter().zip(&expected) {
            own.check(found, [single, true], &at);
        }
    }
}

/// Several meshes as one.
fn together(meshes: &[Expected]) -> Expected {
    let corner = |place: usize, pick: fn(f64, f64) -> f64| {
        let corners = meshes.iter().map(|own| own.bounds[place]);
        let both = |a: [f64; 3], b: [f64; 3]| std::array::from_fn(|axis| pick(a[axis], b[axis]));
        corners.reduce(both).unwrap()
    };
    Expected {
        volume: meshes.iter().map(|own| own.volume).sum(),
        area: meshes.iter().map(|own| own.area).sum(),
        bounds: [corner(0, f64::min), corner(1, f64::max)],
        components: meshes.iter().map(|own| own.components).sum(),
        triangles: meshes.iter().map(|own| own.triangles).sum(),
    }
}

/// Subject and heights of slices: heights that no vertex of a mesh has.
const SLICED: [(&str, [f64; 3]); 6] = [
    ("sphere(pos, 8)", [-7.03, 0.11, 5.57]),
    (
        "shell(box(pos, vec3(14, 12, 10)), 1.5)",
        [-5.31, 0.13, 5.23],
    ),
    (
        "sphere(repeat_limited(pos, vec3(5, 5, 5), vec3(3, 2, 2)), 2)",
        [-3.17, -2.53, 2.09],
    ),
    (
        "max(gyroid(pos, 9, 1.5), box(pos, vec3(16, 16, 16)))",
        [-6.17, 0.37, 4.41],
    ),
    (
        "max(honeycomb(pos, 5, 1), cylinder(pos, 9, 8))",
        [-3.91, 0.07, 3.93],
    ),
    // Rings in rings in rings.
    (
        "max(shell(shell(sphere(pos, 8), 3), 1), z)",
        [-6.11, -3.17, -0.29],
    ),
];

/// The longest edge of the cells of meshes and slices that are compared.
const CELL: f64 = 0.4;

fn slices(seen: &ResolvedShape, heights: &[f64]) -> SlicesMade {
    let request = MakeSlices {
        bounds: None,
        heights: Heights::At(heights.into()),
        cell: Some(CELL),
        tolerance: None,
        accuracy: None,
        area_points: 0,
        limits: Limits::default(),
    };
    let made = make_slices(seen, &request, &mut on).unwrap();
    assert!(made.warnings.is_empty(), "{:?}", made.warnings);
    made
}

#[test]
fn shapely_finds_contours_where_trimesh_cuts_the_mesh() {
    let Some(python) = python() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut names = Vec::new();
    let mut all = Vec::new();
    for (number, (expression, heights)) in SLICED.into_iter().enumerate() {
        let seen = shape(expression);
        let name = folder.path().join(number.to_string());
        let mut file = Vec::new();
        let made = mesh(&seen, None, Some(CELL)).unwrap();
        made.write(MeshFormat::Ply, &mut file).unwrap();
        fs::write(name.with_extension("ply"), &file).unwrap();
        let made = slices(&seen, &heights);
        for format in SliceFormat::ALL {
            let mut file = Vec::new();
            made.write(format, &mut file).unwrap();
            fs::write(name.with_extension(format.name()), &file).unwrap();
        }
        names.push(name);
        all.push((expression, made));
    }
    let dumps = dumps(&python, "slices", &names);
    for ((expression, made), found) in all.iter().zip(&dumps) {
        for format in SliceFormat::ALL {
            let layers = found[format.name()].as_array().unwrap();
            assert_eq!(layers.len(), made.slices.len(), "{expression}");
            for (slice, layer) in made.slices.iter().zip(layers) {
                let at = format!("{expression} at {} as {}", slice.z, format.name());
                println!("{at}: {layer}");
                assert_eq!(layer["z"], slice.z, "{at}");
                assert_eq!(layer["faults"], json!([]), "{at}");
                assert_eq!(layer["rings"], slice.contours.len(), "{at}");
                let area = number(layer, "area");
                assert!((area - slice.area()).abs() <= 1e-9 * area, "{at}: {layer}");
                // What lies between contours and cross-sections is as wide as both are off. Contours are off by a
                // tenth of a cell at most; on average it is half of that, with what meshes are off in wide curves.
                let between = number(layer, "length") * 0.05 * CELL;
                assert!(number(layer, "difference") <= between, "{at}: {layer}");
                let off = (area - number(layer, "section")).abs();
                assert!(off <= between, "{at}: {layer}");
            }
        }
    }
}
