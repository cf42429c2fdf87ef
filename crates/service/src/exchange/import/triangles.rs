//! Import of mesh files: a mesh object with a build item.

use std::path::Path;

use fibula_3mf::{MeshData, Model, OmittedContent};
use fibula_core::graph::ContentHash;
use fibula_core::graph::model::{Body, BuildItem, Object, Unit};
use fibula_formats::mesh::{self, Limits};
use fibula_geometry::TriangleMesh;
use fibula_nodes::ResourceId;
use fibula_nodes::names;

use super::reports::{FileChecked, FindingInfo};
use crate::background::ProgressFn;
use crate::refusal::{Refusal, Result};

/// Id of the object, which the file does not have.
const OBJECT: ResourceId = ResourceId(1);

/// Limits for a file of this size: above all reasonable files.
fn limits(bytes: usize) -> Limits {
    const LARGEST: usize = 256 << 20;
    const ANY: usize = 1 << 20;
    Limits {
        bytes: LARGEST,
        vertices: ANY + bytes / 8,
        triangles: ANY + bytes / 10,
    }
}

/// A mesh file.
pub(super) struct MeshFile {
    pub(super) model: Model,
    pub(super) findings: Option<FileChecked>,
    /// Notice of the unit in which the numbers are taken.
    pub(super) notice: String,
}

/// Reads the mesh of a file, and its findings. `unit` is that of the project.
pub(super) fn read(
    bytes: &[u8],
    file: Option<&str>,
    unit: Unit,
    watch: ProgressFn<'_>,
) -> Result<MeshFile> {
    let read = mesh::read_watched(bytes, &limits(bytes.len()), watch)?;
    let format = read.format;
    let omitted = read.omitted.iter().map(|kind| OmittedContent {
        what: kind.what.to_owned(),
        count: kind.count,
        ids: Vec::new(),
        why: kind.why.to_owned(),
    });
    let left_out = omitted.collect();
    if read.triangles.is_empty() {
        return Err(
            Refusal::new("nothing_to_import", "the file has no triangles")
                .hint("choose another file; import with check: true lists the faults of this one"),
        );
    }
    let triangles = TriangleMesh::new(read.vertices, read.triangles)?;
    let found = findings(&triangles, read.left_out);
    let (vertices, triangles) = triangles.into_parts();
    let data = MeshData::new(vertices, triangles);
    let stored = data.to_bytes();
    let name = called(file).unwrap_or_else(|| "mesh".to_owned());
    let object = Object::new(name, Body::Mesh(data.body(&stored)));
    let notice = format!(
        "{} files have no unit; the numbers are taken as {}, the unit of the project",
        format.name().to_uppercase(),
        unit.name()
    );
    let mut model = Model {
        objects: vec![(OBJECT, object)],
        items: vec![BuildItem::new(OBJECT)],
        left_out,
        ..Model::default()
    };
    model.info.unit = unit;
    model.contents.insert(ContentHash::digest(&stored), stored);
    Ok(MeshFile {
        model,
        findings: (!found.is_empty()).then(|| checked(found)),
        notice,
    })
}

/// Checks a mesh file. Returns all errors and warnings.
pub fn check_mesh_file(bytes: &[u8]) -> FileChecked {
    let read = mesh::read(bytes, &limits(bytes.len()));
    let whole = read.map_err(|error| FindingInfo {
        severity: "error",
        code: error.code(),
        place: error.place.to_string(),
        message: error.problem.to_string(),
        fix: None,
    });
    let found = match whole {
        Err(error) => vec![error],
        Ok(read) => match TriangleMesh::new(read.vertices, read.triangles) {
            Ok(mesh) => findings(&mesh, read.left_out),
            Err(error) => vec![FindingInfo {
                severity: "error",
                code: error.code(),
                place: String::new(),
                message: error.to_string(),
                fix: None,
            }],
        },
    };
    checked(found)
}

fn checked(findings: Vec<FindingInfo>) -> FileChecked {
    let count = |severity| {
        let same = findings.iter().filter(|one| one.severity == severity);
        same.count()
    };
    let [errors, warnings] = [count("error"), count("warning")];
    FileChecked {
        readable: errors == 0,
        conforms: errors == 0,
        errors,
        violations: 0,
        repairs: 0,
        warnings,
        findings,
    }
}

/// Findings about a mesh.
fn findings(mesh: &TriangleMesh, left_out: usize) -> Vec<FindingInfo> {
    let topology = mesh.topology();
    let sound = topology.is_closed() && topology.is_oriented();
    let empty = usize::from(mesh.triangles().is_empty());
    let inside_out = usize::from(sound && mesh.volume() < 0.0);
    let edges =
        |count: usize, what: &str| format!("{} {what}", plural(count, "edge has", "edges have"));
    let flat = topology.degenerate_triangles + left_out;
    let all = [
        (
            "empty_mesh",
            empty,
            "the file has no triangles".to_owned(),
            "choose another file",
        ),
        (
            "open_edges",
            topology.open_edges,
            edges(
                topology.open_edges,
                "one triangle only, so the surface has holes",
            ),
            "close the holes: near them the inside is a guess",
        ),
        (
            "branching_edges",
            topology.branching_edges,
            edges(
                topology.branching_edges,
                "more than two triangles, so the mesh is not a manifold",
            ),
            "make one surface of those that meet there; or remesh it: export a function with a Mesh node of it, with a `cell`",
        ),
        (
            "turned_edges",
            topology.turned_edges,
            edges(
                topology.turned_edges,
                "two triangles of opposite orientation",
            ),
            "flip the inverted triangles",
        ),
        (
            "pinched_vertices",
            topology.pinched_vertices,
            format!(
                "{} triangles that share no edge, so the mesh is not a manifold",
                plural(topology.pinched_vertices, "vertex has", "vertices have")
            ),
            "separate the surfaces that meet there; or remesh it: export a function with a Mesh node of it, with a `cell`",
        ),
        (
            "degenerate_triangle",
            flat,
            format!("{} no area", plural(flat, "triangle has", "triangles have")),
            "",
        ),
        (
            "inside_out",
            inside_out,
            "the triangles are clockwise as seen from outside, so the volume is negative"
                .to_owned(),
            "flip all triangles",
        ),
    ];
    let there = all.into_iter().filter(|(_, count, ..)| *count > 0);
    let info = |(code, _, message, fix): (&'static str, usize, String, &str)| FindingInfo {
        // Nothing is imported then.
        severity: if code == "empty_mesh" {
            "error"
        } else {
            "warning"
        },
        code,
        place: String::new(),
        message,
        fix: Some(fix.to_owned()).filter(|fix| !fix.is_empty()),
    };
    there.map(info).collect()
}

fn plural(count: usize, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

/// Name of the content, from the name of the file.
pub(super) fn called(file: Option<&str>) -> Option<String> {
    const LONGEST: usize = 60;
    let name = Path::new(file?).file_stem()?.to_str()?;
    let name = names::visible(name, LONGEST);
    (!name.trim().is_empty()).then_some(name)
}
