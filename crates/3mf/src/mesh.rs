//! Triangle mesh of an object, as the file has it, and its stored binary form.
//!
//! The form is `FIBMESH`, the version 1, and the data in postcard's form. [`from_bytes`](MeshData::from_bytes)
//! validates it: indexes refer to existing vertices, and coordinates are finite.

use fibula_core::graph::ContentHash;
use fibula_core::graph::model::{Attribute, Extra, MeshBody};
use fibula_nodes::ResourceId;
use serde::{Deserialize, Serialize};

use crate::beam_lattice;
use crate::sparse_column::Column;
use crate::xml::fragment;

/// Magic number of the stored form: a name and the version.
const MAGIC: &[u8; 8] = b"FIBMESH\x01";

/// Triangle mesh of an object, with everything else that its `<mesh>` element has.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MeshData {
    /// Positions of the vertices, in the project's unit.
    pub vertices: Vec<[f64; 3]>,
    /// Vertex indexes of each triangle, counter-clockwise as seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Materials and colours of single triangles, sorted by triangle.
    pub properties: Vec<TriangleProperty>,
    /// Attributes of single vertices that are not understood.
    pub vertex_columns: Vec<Column>,
    /// Attributes of single triangles that are not understood, such as what slicers paint on them.
    pub triangle_columns: Vec<Column>,
    /// Attributes of `<vertices>` that are not understood.
    pub vertex_list_attributes: Vec<Attribute>,
    /// Attributes of `<triangles>` that are not understood.
    pub triangle_list_attributes: Vec<Attribute>,
    /// Attributes of `<mesh>` that are not understood, and its other elements: beams, sets of triangles.
    pub extra: Extra,
}

/// Material or colour of a triangle (3MF: pid, p1, p2, p3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriangleProperty {
    /// Index of the triangle.
    pub triangle: u32,
    /// Property group; that of the object if it is left out.
    pub group: Option<ResourceId>,
    /// Index in the group, for each corner; where the second or third is left out, the first counts.
    pub indexes: [Option<u32>; 3],
}

/// Error returned when bytes are not a stored mesh.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshDataError {
    /// The bytes are something else.
    #[error("not a stored mesh; store the result of MeshData::to_bytes")]
    NoMesh,
    /// A newer program wrote the bytes.
    #[error(
        "the mesh is stored in format version {0}, but this program reads version 1; use a newer Fibula"
    )]
    NewerFormat(u8),
    /// The bytes were changed or truncated.
    #[error("the stored mesh is damaged: {0}; import its file again")]
    Damaged(&'static str),
}

impl MeshDataError {
    /// Stable code of the error.
    pub fn code(&self) -> &'static str {
        match self {
            MeshDataError::NoMesh => "invalid_content",
            MeshDataError::NewerFormat(_) => "newer_format",
            MeshDataError::Damaged(_) => "damaged",
        }
    }
}

/// Triangles of a box, counter-clockwise as seen from outside; bit 0 of a vertex index is x, bit 1 y, bit 2 z.
const CUBOID: [[u32; 3]; 12] = [
    [0, 2, 1],
    [1, 2, 3],
    [4, 5, 6],
    [5, 7, 6],
    [0, 1, 4],
    [1, 5, 4],
    [2, 6, 3],
    [3, 6, 7],
    [0, 4, 2],
    [2, 4, 6],
    [1, 3, 5],
    [3, 7, 5],
];

impl MeshData {
    /// Returns a mesh without properties.
    pub fn new(vertices: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> MeshData {
        MeshData {
            vertices,
            triangles,
            ..MeshData::default()
        }
    }

    /// Returns the axis-aligned box between two opposite corners, in the project's unit.
    pub fn cuboid(low: [f64; 3], high: [f64; 3]) -> MeshData {
        let corner = |index: usize| -> [f64; 3] {
            std::array::from_fn(|axis| {
                let (one, other) = (low[axis].min(high[axis]), low[axis].max(high[axis]));
                [one, other][index >> axis & 1]
            })
        };
        MeshData::new((0..8).map(corner).collect(), CUBOID.to_vec())
    }

    /// Encodes the mesh in its stored form; the same mesh has the same bytes on every machine.
    ///
    /// # Panics
    /// Never: postcard writes into a list, and each list here knows its length.
    pub fn to_bytes(&self) -> Vec<u8> {
        // Indexes take up to 5 bytes, mostly 3.
        let mut bytes =
            Vec::with_capacity(64 + 24 * self.vertices.len() + 10 * self.triangles.len());
        bytes.extend_from_slice(MAGIC);
        postcard::to_extend(self, bytes).expect("lists that know their length are written")
    }

    /// Decodes and validates a stored mesh. Memory is bounded by the number of bytes.
    ///
    /// # Errors
    /// [`MeshDataError`].
    pub fn from_bytes(bytes: &[u8]) -> Result<MeshData, MeshDataError> {
        let (name, version) = (&MAGIC[..7], MAGIC[7]);
        let rest = bytes.strip_prefix(name).ok_or(MeshDataError::NoMesh)?;
        let rest = match rest.split_first() {
            Some((&found, rest)) if found == version => rest,
            Some((&found, _)) if found > version => return Err(MeshDataError::NewerFormat(found)),
            Some(_) | None => return Err(MeshDataError::NoMesh),
        };
        let (mesh, rest): (MeshData, &[u8]) = postcard::take_from_bytes(rest)
            .map_err(|_| MeshDataError::Damaged("it is truncated or has an invalid value"))?;
        if !rest.is_empty() {
            return Err(MeshDataError::Damaged("it has trailing data"));
        }
        mesh.check().map_err(MeshDataError::Damaged)?;
        Ok(mesh)
    }

    /// Validates the mesh; the error is a message.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        const MOST: usize = i32::MAX as usize;
        let (vertices, triangles) = (self.vertices.len(), self.triangles.len());
        if vertices > MOST || triangles > MOST {
            return Err("it has more than 2147483647 vertices or triangles");
        }
        if !self.vertices.iter().flatten().all(|x| x.is_finite()) {
            return Err("a coordinate is not finite");
        }
        let inside = |&corner: &u32| (corner as usize) < vertices;
        if !self.triangles.iter().flatten().all(inside) {
            return Err("a triangle refers to a missing vertex");
        }
        let properties = &self.properties;
        let rising = properties.is_sorted_by(|one, next| one.triangle < next.triangle);
        let last = properties.last().map(|last| last.triangle as usize);
        if !rising || last.is_some_and(|last| last >= triangles) {
            return Err("the number of properties does not match the triangles");
        }
        let sound = |columns: &[Column], count| columns.iter().all(|one| one.is_valid(count));
        if !sound(&self.vertex_columns, vertices) || !sound(&self.triangle_columns, triangles) {
            return Err("the number of attributes does not match the vertices or triangles");
        }
        Ok(())
    }

    /// Returns the summary of the mesh that an object holds; `bytes` is its [stored form](Self::to_bytes).
    ///
    /// Its volume data is `None`, since the mesh does not refer to it.
    pub fn body(&self, bytes: &[u8]) -> MeshBody {
        let groups = self.properties.iter().filter_map(|one| one.group);
        let mut references: Vec<ResourceId> = groups.collect();
        for element in &self.extra.elements {
            references.extend(fragment::references(element));
        }
        references.sort_unstable();
        references.dedup();
        MeshBody {
            content: ContentHash::digest(bytes),
            size: bytes.len() as u64,
            vertices: self.vertices.len() as u32,
            triangles: self.triangles.len() as u32,
            beams: beam_lattice::count_beams(&self.extra.elements),
            bounds: self.bounds(),
            volume: None,
            references,
        }
    }

    /// Bounding box of the vertices.
    fn bounds(&self) -> Option<[[f64; 3]; 2]> {
        let (&first, rest) = self.vertices.split_first()?;
        let [mut low, mut high] = [first; 2];
        for at in rest {
            for axis in 0..3 {
                low[axis] = low[axis].min(at[axis]);
                high[axis] = high[axis].max(at[axis]);
            }
        }
        Some([low, high])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mesh() -> MeshData {
        let mut paint = Column::new("", "paint_color");
        assert!(paint.push(1, "4C"));
        MeshData {
            vertices: vec![
                [0.0, -0.0, 1e-320],
                [1.5, 0.0, 0.1 + 0.2],
                [0.0, -7.0, 1.0],
                [0.0; 3],
            ],
            triangles: vec![[0, 1, 2], [0, 2, 3]],
            properties: vec![TriangleProperty {
                triangle: 1,
                group: Some(ResourceId(9)),
                indexes: [Some(0), None, Some(2)],
            }],
            triangle_columns: vec![paint],
            triangle_list_attributes: vec![Attribute::new("urn:x", "a", "b")],
            extra: Extra {
                attributes: Vec::new(),
                elements: vec![
                    r#"<b:beamlattice xmlns:b="http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02"
                        radius="1" minlength="0.1" clippingmesh="4"><b:beams><b:beam v1="0" v2="1" pid="7"/></b:beams>
                        </b:beamlattice>"#
                        .to_owned(),
                ],
            },
            ..MeshData::default()
        }
    }

    #[test]
    fn a_box_is_not_inside_out_whichever_corners_are_given() {
        let expected = MeshData::cuboid([0.0, -1.0, 2.0], [1.0, 3.0, 5.0]);
        let other = MeshData::cuboid([1.0, -1.0, 5.0], [0.0, 3.0, 2.0]);
        assert_eq!(other, expected);
    }

    #[test]
    fn what_is_stored_comes_back_bit_for_bit() {
        let mesh = mesh();
        let bytes = mesh.to_bytes();
        let back = MeshData::from_bytes(&bytes).unwrap();
        assert_eq!(back, mesh);
        let bits = |mesh: &MeshData| -> Vec<u64> {
            let coordinates = mesh.vertices.iter().flatten();
            coordinates.map(|x| x.to_bits()).collect()
        };
        assert_eq!(bits(&back), bits(&mesh));
        let empty = MeshData::default();
        assert_eq!(MeshData::from_bytes(&empty.to_bytes()), Ok(empty));
    }

    #[test]
    fn the_body_summarises_the_mesh() {
        let mesh = mesh();
        let bytes = mesh.to_bytes();
        let body = mesh.body(&bytes);
        assert_eq!((body.vertices, body.triangles, body.beams), (4, 2, 1));
        assert_eq!(body.bounds, Some([[0.0, -7.0, 0.0], [1.5, 0.0, 1.0]]));
        assert_eq!(body.references, [4, 7, 9].map(ResourceId));
        assert_eq!(body.content, ContentHash::digest(&bytes));
        assert_eq!(body.size, bytes.len() as u64);
        assert_eq!(MeshData::default().body(b"").bounds, None);
    }

    #[test]
    fn other_bytes_are_rejected() {
        let bytes = mesh().to_bytes();
        for end in 0..bytes.len() {
            assert!(MeshData::from_bytes(&bytes[..end]).is_err(), "{end}");
        }
        let check = |change: &dyn Fn(&mut Vec<u8>), code: &str| {
            let mut bytes = bytes.clone();
            change(&mut bytes);
            assert_eq!(MeshData::from_bytes(&bytes).unwrap_err().code(), code);
        };
        check(&|bytes| bytes.push(0), "damaged");
        check(&|bytes| bytes[0] = b'f', "invalid_content");
        check(&|bytes| bytes[7] = 2, "newer_format");
        check(&|bytes| bytes[7] = 0, "invalid_content");
        // A count of vertices that no file could hold reserves nothing.
        let huge = [0xff; 9].into_iter().chain([1]);
        check(&|bytes| drop(bytes.splice(8..9, huge.clone())), "damaged");
        let wrong = |change: &dyn Fn(&mut MeshData)| {
            let mut mesh = mesh();
            change(&mut mesh);
            let read = MeshData::from_bytes(&mesh.to_bytes());
            assert!(matches!(read, Err(MeshDataError::Damaged(_))), "{read:?}");
        };
        wrong(&|mesh| mesh.triangles[0][2] = 4);
        wrong(&|mesh| mesh.vertices[0][2] = f64::NAN);
        wrong(&|mesh| mesh.properties[0].triangle = 2);
        wrong(&|mesh| mesh.properties.push(mesh.properties[0]));
        wrong(&|mesh| mesh.triangles.truncate(1));
    }
}
