//! Parts of a subject: each object of the build on its own, with its placements.
//!
//! A part that is a plain mesh is used unchanged, unless cells are given: then it is remeshed, like level sets and
//! assemblies.

mod resolved;

mod part_meshes;

mod part_files;
mod triangles;

pub use part_files::{JoinedMesh, MeshFilePart};
pub use part_meshes::make_parts;
pub(super) use resolved::mesh_body;
pub use resolved::{
    GivenMesh, PartMeshInfo, PartPlacement, PartShape, PartsInfo, PartsMade, ResolvedPart,
    ResolvedParts,
};
pub use triangles::{MakeTriangles, MeshFile, PartSeparation, TriangleSource};
