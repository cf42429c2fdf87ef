//! Meshes as the readers of files have them: vertices at one place are one vertex.

use fibula::format::mesh::{self as files, MeshFormat};
use fibula::geometry::{SimplifySettings, TriangleMesh, simplify};
use fibula::service::{MakeMesh, MeshFile, PartsMade, make_mesh};
use rayon::prelude::*;

use super::ON;
use super::reader::{Defects, read};
use crate::calls::{on, shape};
use crate::solids::{SOLIDS, Solid};

/// Describes what the reader of a file finds.
fn wrong(name: &str, file: MeshFile, bytes: &[u8]) -> Option<String> {
    let defects = read(file, bytes).defects();
    let is_sound = defects == Defects::default();
    (!is_sound).then(|| format!("{name} in {}: {defects:?}", file.name()))
}

/// What is wrong with a mesh in single and in double precision.
fn wrong_files(name: &str, mesh: &TriangleMesh) -> Vec<String> {
    let written = |format| {
        let mut bytes = Vec::new();
        files::write(format, mesh.vertices(), mesh.triangles(), 0.001, &mut bytes).unwrap();
        wrong(name, MeshFile::Triangles(format), &bytes)
    };
    [MeshFormat::Stl, MeshFormat::Obj]
        .into_iter()
        .filter_map(written)
        .collect()
}

#[test]
fn readers_find_manifolds() {
    let check = |solid: &Solid| {
        let whole = solid.mesh().unwrap().mesh;
        let mut found = wrong_files(solid.name, &whole);
        let settings = SimplifySettings::within(0.2 * solid.cell);
        let simple = simplify(&whole, &settings, ON).unwrap().mesh;
        found.extend(wrong_files(&format!("{} simplified", solid.name), &simple));
        found
    };
    let found: Vec<String> = SOLIDS.par_iter().flat_map_iter(check).collect();
    assert!(
        found.is_empty(),
        "{} are wrong:\n{}",
        found.len(),
        found.join("\n")
    );
}

#[test]
fn answers_speak_of_the_files() {
    for name in ["boxes that touch in an edge", "plate"] {
        let solid = SOLIDS.iter().find(|solid| solid.name == name).unwrap();
        let request =
            with_defaults!(MakeMesh, bounds: Some(solid.bounds()), cell: Some(2.0 * solid.cell));
        let made = make_mesh(&shape(solid.text), &request, &mut on).unwrap();
        assert!(
            made.info.manifold && made.info.closed && made.info.oriented,
            "{name}"
        );
        let parts = PartsMade::of(name, made);
        for file in MeshFile::all() {
            let mut bytes = Vec::new();
            parts.write_file(file, &mut bytes).unwrap();
            assert_eq!(wrong(name, file, &bytes), None);
        }
    }
}

/// A part so far away that its cells are about as small as the last place of single precision.
#[test]
fn what_single_precision_cannot_hold_is_refused() {
    let text = "box(pos - vec3(100000000, 0, 0), vec3(6, 6, 6))";
    let bounds =
        fibula::geometry::Bounds::new([99_999_996.0, -4.0, -4.0], [100_000_004.0, 4.0, 4.0]);
    let request = with_defaults!(MakeMesh, bounds: Some(bounds.unwrap()), cell: Some(0.5));
    let made = make_mesh(&shape(text), &request, &mut on).unwrap();
    assert!(!(made.info.manifold && made.info.closed));
    let parts = PartsMade::of("far", made);
    for file in MeshFile::all() {
        let mut bytes = Vec::new();
        let done = parts.write_file(file, &mut bytes);
        match file {
            MeshFile::Triangles(format) if format.is_single() => {
                let refusal = done.unwrap_err();
                assert_contains!(refusal.message => "are equal in the single precision", "closer to the origin");
            }
            MeshFile::Triangles(_) => assert_eq!(wrong("far", file, &bytes), None),
            MeshFile::Package => {}
        }
    }
}
