//! glTF 2.0 in one binary file: a head in JSON, then the indexes, coordinates and colours of each mesh.
//!
//! In glTF lengths are metres and y points up. The nodes' matrices rotate and scale parts, so that coordinates stay as
//! they are; where a part is sheared, which nodes must not be, its vertices are transformed. Without normals viewers
//! shade triangles flat, which shows what is there. Colours of vertices are linear; with them there is a non-metallic
//! material, so that viewers show them as they are.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

use fibula_core::vector::{dot, unit};
use serde_json::{Value as Json, json};

use super::write::{IDENTITY, single, too_large};
use super::{MeshFormat, MeshPart};

/// `glTF`, `JSON` and `BIN`, as numbers.
const MAGIC: u32 = 0x4654_6C67;
const JSON: u32 = 0x4E4F_534A;
const BIN: u32 = 0x004E_4942;

/// Maximum cosine of the angle between orthogonal rows: files have six digits or more.
const ORTHOGONAL: f64 = 1e-5;

/// Triangles in the file, which several nodes may share.
struct Mesh<'a> {
    vertices: Cow<'a, [[f64; 3]]>,
    triangles: Cow<'a, [[u32; 3]]>,
    colors: Option<&'a [[f32; 3]]>,
    /// Offset of its bytes: indexes, coordinates and colours, one after the other.
    start: usize,
}

impl Mesh<'_> {
    /// Bytes of the indexes, the coordinates and the colours.
    fn bytes(&self) -> [usize; 3] {
        let colors = self.colors.unwrap_or_default();
        [
            12 * self.triangles.len(),
            12 * self.vertices.len(),
            16 * colors.len(),
        ]
    }

    fn end(&self) -> usize {
        self.start + self.bytes().iter().sum::<usize>()
    }
}

/// Writes a node for each part. Parts whose vertices, triangles and colours are the same memory share them.
pub(super) fn write(parts: &[MeshPart<'_>], metres: f64, to: &mut dyn Write) -> io::Result<()> {
    let mut meshes: Vec<Mesh<'_>> = Vec::new();
    let mut known = BTreeMap::new();
    let mut nodes = Vec::new();
    // Empty parts have no mesh: glTF has no empty ones.
    for part in parts.iter().filter(|part| !part.triangles.is_empty()) {
        let (vertices, triangles) = (part.vertices, part.triangles);
        let start = meshes.last().map_or(0, Mesh::end);
        let own = |vertices, triangles| Mesh {
            vertices,
            triangles,
            colors: part.colors,
            start,
        };
        let next = meshes.len();
        if is_sheared(part) {
            meshes.push(own(part.placed().into(), part.turned().into()));
            let placed = MeshPart {
                transform: IDENTITY,
                ..*part
            };
            nodes.push(node(&placed, next, metres)?);
            continue;
        }
        let shared = (
            [vertices.as_ptr() as usize, vertices.len()],
            [triangles.as_ptr() as usize, triangles.len()],
            part.colors.map(|colors| colors.as_ptr() as usize),
        );
        let number = *known.entry(shared).or_insert(next);
        if number == next {
            meshes.push(own(vertices.into(), triangles.into()));
        }
        nodes.push(node(part, number, metres)?);
    }
    let bytes = meshes.last().map_or(0, Mesh::end);
    let mut head = json!({
        "asset": {"version": "2.0", "generator": "Fibula"},
        "scene": 0,
        "scenes": [{}],
    });
    if !meshes.is_empty() {
        head["scenes"] = json!([{"nodes": (0..nodes.len()).collect::<Vec<_>>()}]);
        head["nodes"] = nodes.into();
        head["buffers"] = json!([{"byteLength": bytes}]);
        describe(&meshes, &mut head)?;
    }
    let mut head = serde_json::to_vec(&head)?;
    // Chunks are aligned to four bytes; the numbers are anyway.
    head.resize(head.len().next_multiple_of(4), b' ');
    let rest = if meshes.is_empty() { 0 } else { 8 + bytes };
    let whole = u32::try_from(20 + head.len() + rest);
    let whole = whole.map_err(|_| too_large(MeshFormat::Glb, "triangles"))?;
    for number in [MAGIC, 2, whole, head.len() as u32, JSON] {
        to.write_all(&number.to_le_bytes())?;
    }
    to.write_all(&head)?;
    if meshes.is_empty() {
        return Ok(());
    }
    for number in [bytes as u32, BIN] {
        to.write_all(&number.to_le_bytes())?;
    }
    for mesh in &meshes {
        for corner in mesh.triangles.as_flattened() {
            to.write_all(&corner.to_le_bytes())?;
        }
        for &vertex in mesh.vertices.iter() {
            for x in single(vertex)? {
                to.write_all(&x.to_le_bytes())?;
            }
        }
        for &[red, green, blue] in mesh.colors.unwrap_or_default() {
            // Opaque.
            for light in [red, green, blue, 1.0] {
                to.write_all(&light.to_le_bytes())?;
            }
        }
    }
    Ok(())
}

/// True if the matrix of a part is not composed of a rotation and scales along its own axes, as those of nodes have to
/// be.
fn is_sheared(part: &MeshPart<'_>) -> bool {
    let row = |row: usize| unit([0, 1, 2].map(|column| part.transform[3 * row + column]));
    match [row(0), row(1), row(2)] {
        [Some(x), Some(y), Some(z)] => [(x, y), (y, z), (z, x)]
            .into_iter()
            .any(|(one, other)| dot(one, other).abs() > ORTHOGONAL),
        // A singular matrix has no inverse, which viewers need for shading.
        [_, _, _] => true,
    }
}

/// Describes a node. x stays, y points to the back, z up.
fn node(part: &MeshPart<'_>, mesh: usize, metres: f64) -> io::Result<Json> {
    let column = |row: usize| {
        let [x, y, z] = [0, 1, 2].map(|axis| metres * part.transform[3 * row + axis]);
        [x, z, -y + 0.0]
    };
    let columns = [0, 1, 2, 3].map(column);
    if !columns.as_flattened().iter().all(|x| x.is_finite()) {
        return Err(part.too_far(MeshFormat::Glb));
    }
    let last = [0.0, 0.0, 0.0, 1.0];
    let columns = columns.into_iter().zip(last);
    let matrix: Vec<f64> = columns.flat_map(|([x, y, z], w)| [x, y, z, w]).collect();
    let mut node = json!({"mesh": mesh, "matrix": matrix});
    if !part.name.is_empty() {
        node["name"] = part.name.into();
    }
    Ok(node)
}

/// Describes the meshes, and the offsets of their indexes, coordinates and colours.
fn describe(meshes: &[Mesh<'_>], head: &mut Json) -> io::Result<()> {
    let (mut list, mut views, mut accessors) = (Vec::new(), Vec::new(), Vec::new());
    for mesh in meshes {
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for &vertex in mesh.vertices.iter() {
            for (axis, x) in single(vertex)?.into_iter().enumerate() {
                low[axis] = low[axis].min(x);
                high[axis] = high[axis].max(x);
            }
        }
        let [indexes, numbers, painted] = mesh.bytes();
        let (first, coordinates) = (mesh.start, mesh.start + indexes);
        let [triangles, vertices] = [mesh.triangles.len(), mesh.vertices.len()];
        let view = views.len();
        let mut primitive =
            json!({"attributes": {"POSITION": view + 1}, "indices": view, "mode": 4});
        views.extend([
            json!({"buffer": 0, "byteOffset": first, "byteLength": indexes, "target": 34963}),
            json!({"buffer": 0, "byteOffset": coordinates, "byteLength": numbers, "target": 34962}),
        ]);
        accessors.extend([
            json!({"bufferView": view, "componentType": 5125, "count": 3 * triangles, "type": "SCALAR"}),
            json!({"bufferView": view + 1, "componentType": 5126, "count": vertices, "type": "VEC3",
                "min": low, "max": high}),
        ]);
        if mesh.colors.is_some() {
            let from = coordinates + numbers;
            views.push(
                json!({"buffer": 0, "byteOffset": from, "byteLength": painted, "target": 34962}),
            );
            accessors.push(
                json!({"bufferView": view + 2, "componentType": 5126, "count": vertices, "type": "VEC4"}),
            );
            primitive["attributes"]["COLOR_0"] = json!(view + 2);
            primitive["material"] = json!(0);
            let look = json!({"metallicFactor": 0, "roughnessFactor": 0.8});
            head["materials"] = json!([{"pbrMetallicRoughness": look}]);
        }
        list.push(json!({"primitives": [primitive]}));
    }
    head["meshes"] = list.into();
    head["bufferViews"] = views.into();
    head["accessors"] = accessors.into();
    Ok(())
}
