//! Files of meshes as other programs read them: vertices are merged where their numbers in the file are equal.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read as _};

use fibula::format::mesh::MeshFormat;
use fibula::service::MeshFile;
use serde_json::Value as Json;

/// Triangles as a reader has them.
#[derive(Debug, Default)]
pub(super) struct ReadMesh {
    pub(super) vertices: Vec<[f64; 3]>,
    pub(super) triangles: Vec<[usize; 3]>,
}

/// Defects of a mesh, for a reader that merges vertices at one place.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Defects {
    /// Edges that do not have one triangle in each direction.
    pub(super) edges: usize,
    /// Vertices whose triangles are more than one fan.
    pub(super) pinched: usize,
    /// Triangles with two corners at one place.
    pub(super) degenerate: usize,
}

impl ReadMesh {
    fn push(&mut self, corners: [[f64; 3]; 3]) {
        let first = self.vertices.len();
        self.vertices.extend(corners);
        self.triangles.push([first, first + 1, first + 2]);
    }

    /// Number of each vertex, the same for those with equal coordinates.
    fn numbers(&self) -> Vec<usize> {
        let mut numbers = BTreeMap::new();
        let number = |at: &[f64; 3]| {
            let next = numbers.len();
            // 0 and -0 are equal.
            let key = at.map(|x| (x + 0.0).to_bits());
            *numbers.entry(key).or_insert(next)
        };
        self.vertices.iter().map(number).collect()
    }

    /// Vertices and triangles, once vertices with equal coordinates are merged.
    pub(super) fn merged(&self) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
        let numbers = self.numbers();
        let count = numbers.iter().max().map_or(0, |last| last + 1);
        let mut vertices = vec![[0.0; 3]; count];
        for (at, number) in self.vertices.iter().zip(&numbers) {
            vertices[*number] = *at;
        }
        let corners = self.triangles.iter();
        let triangles = corners.map(|corners| corners.map(|corner| numbers[corner] as u32));
        (vertices, triangles.collect())
    }

    /// Merges vertices with equal numbers, and counts what is wrong then.
    pub(super) fn defects(&self) -> Defects {
        let merged = self.numbers();
        let mut defects = Defects::default();
        let mut half_edges: BTreeMap<[usize; 2], [usize; 2]> = BTreeMap::new();
        let mut fans: BTreeMap<usize, Vec<[usize; 2]>> = BTreeMap::new();
        for corners in &self.triangles {
            let [a, b, c] = corners.map(|corner| merged[corner]);
            if a == b || b == c || c == a {
                defects.degenerate += 1;
                continue;
            }
            for [a, b, c] in [[a, b, c], [b, c, a], [c, a, b]] {
                let counts = half_edges.entry([a.min(b), a.max(b)]).or_default();
                counts[usize::from(a > b)] += 1;
                fans.entry(a).or_default().push([b, c]);
            }
        }
        defects.edges = half_edges
            .values()
            .filter(|counts| **counts != [1, 1])
            .count();
        defects.pinched = fans.values().filter(|links| rings(links) > 1).count();
        defects
    }
}

/// Counts the connected components of links between neighbours.
fn rings(links: &[[usize; 2]]) -> usize {
    let mut left: BTreeSet<usize> = links.iter().flatten().copied().collect();
    let mut count = 0;
    while let Some(first) = left.pop_first() {
        count += 1;
        let mut next = vec![first];
        while let Some(one) = next.pop() {
            for [a, b] in links {
                for (from, to) in [(a, b), (b, a)] {
                    if *from == one && left.remove(to) {
                        next.push(*to);
                    }
                }
            }
        }
    }
    count
}

/// Reads a file that has one mesh.
pub(super) fn read(file: MeshFile, bytes: &[u8]) -> ReadMesh {
    match file {
        MeshFile::Triangles(MeshFormat::Stl) => stl(bytes),
        MeshFile::Triangles(MeshFormat::Obj) => obj(bytes),
        MeshFile::Triangles(MeshFormat::Ply) => ply(bytes),
        MeshFile::Triangles(MeshFormat::Glb) => glb(bytes),
        MeshFile::Package => package(bytes),
    }
}

fn single(bytes: &[u8]) -> f64 {
    f64::from(f32::from_le_bytes(bytes[..4].try_into().unwrap()))
}

fn count(bytes: &[u8]) -> usize {
    u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize
}

fn stl(bytes: &[u8]) -> ReadMesh {
    let mut mesh = ReadMesh::default();
    for record in bytes[84..].chunks_exact(50) {
        let corner =
            |corner: usize| [0, 1, 2].map(|axis| single(&record[12 + 12 * corner + 4 * axis..]));
        mesh.push([0, 1, 2].map(corner));
    }
    assert_eq!(mesh.triangles.len(), count(&bytes[80..]));
    mesh
}

fn obj(bytes: &[u8]) -> ReadMesh {
    let mut mesh = ReadMesh::default();
    for line in str::from_utf8(bytes).unwrap().lines() {
        let mut words = line.split_whitespace();
        let head = words.next();
        let mut three = || [0, 1, 2].map(|_| words.next().unwrap());
        match head {
            Some("v") => mesh
                .vertices
                .push(three().map(|word| word.parse().unwrap())),
            Some("f") => {
                let corners = three().map(|word| word.parse::<usize>().unwrap() - 1);
                mesh.triangles.push(corners);
            }
            _ => {}
        }
    }
    mesh
}

fn ply(bytes: &[u8]) -> ReadMesh {
    const END: &[u8] = b"end_header\n";
    let end = bytes
        .windows(END.len())
        .position(|part| part == END)
        .unwrap()
        + END.len();
    let head = str::from_utf8(&bytes[..end]).unwrap();
    assert!(head.contains("property double x\nproperty double y\nproperty double z\nelement face"));
    let vertices = head
        .split("element vertex ")
        .nth(1)
        .unwrap()
        .lines()
        .next()
        .unwrap();
    let middle = end + 24 * vertices.parse::<usize>().unwrap();
    let number = |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().unwrap());
    let vertex = |at: &[u8]| [0, 1, 2].map(|axis| number(&at[8 * axis..8 * axis + 8]));
    let triangle = |face: &[u8]| [0, 1, 2].map(|corner| count(&face[1 + 4 * corner..]));
    ReadMesh {
        vertices: bytes[end..middle].chunks_exact(24).map(vertex).collect(),
        triangles: bytes[middle..].chunks_exact(13).map(triangle).collect(),
    }
}

fn glb(bytes: &[u8]) -> ReadMesh {
    let length = count(&bytes[12..]);
    let head: Json = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    let data = &bytes[28 + length..];
    let primitive = &head["meshes"][0]["primitives"][0];
    let view = |accessor: &Json| {
        let view = &head["accessors"][accessor.as_u64().unwrap() as usize]["bufferView"];
        let view = &head["bufferViews"][view.as_u64().unwrap() as usize];
        let [from, length] =
            ["byteOffset", "byteLength"].map(|name| view[name].as_u64().unwrap() as usize);
        &data[from..from + length]
    };
    let vertex = |at: &[u8]| [0, 1, 2].map(|axis| single(&at[4 * axis..]));
    let triangle = |corners: &[u8]| [0, 1, 2].map(|corner| count(&corners[4 * corner..]));
    ReadMesh {
        vertices: view(&primitive["attributes"]["POSITION"])
            .chunks_exact(12)
            .map(vertex)
            .collect(),
        triangles: view(&primitive["indices"])
            .chunks_exact(12)
            .map(triangle)
            .collect(),
    }
}

fn package(bytes: &[u8]) -> ReadMesh {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut model = String::new();
    archive
        .by_name("3D/3dmodel.model")
        .unwrap()
        .read_to_string(&mut model)
        .unwrap();
    let numbers = |element: &str, names: [&str; 3]| -> Vec<[f64; 3]> {
        let start = format!("<{element} ");
        let elements = model.split(&start).skip(1);
        let number = |text: &str, name: &str| -> f64 {
            let text = text.split(&format!("{name}=\"")).nth(1).unwrap();
            text.split('"').next().unwrap().parse().unwrap()
        };
        elements
            .map(|text| names.map(|name| number(text, name)))
            .collect()
    };
    let triangles = numbers("triangle", ["v1", "v2", "v3"]);
    ReadMesh {
        // Readers keep these numbers in single precision.
        vertices: numbers("vertex", ["x", "y", "z"])
            .iter()
            .map(|at| at.map(|x| f64::from(x as f32)))
            .collect(),
        triangles: triangles
            .iter()
            .map(|corners| corners.map(|corner| corner as usize))
            .collect(),
    }
}
