//! Geometry of objects and functions: pictures, meshes, slices, masks, measures, and files of parts.

mod limits;
mod volume_colors;

mod placed_meshes;
mod subject;

mod accuracy;
mod simplification;

mod meshing;
mod removal;

mod figures;
mod measuring;
mod parts;
mod render;
mod slicing;

mod object_measures;

mod masking;

mod requests;

pub use figures::FigureDigits;
pub use limits::{DEFAULT_TIME_LIMIT, Limits, MAX_TIME_LIMIT};
pub use masking::{MakeMasks, MasksMade, make_masks};
pub use measuring::{Compare, CompareResult, Measure, MeasureResult, Slabs, compare, measure};
pub use meshing::{MakeMesh, MeshInfo, MeshMade, make_mesh};
pub use parts::{
    GivenMesh, JoinedMesh, MakeTriangles, MeshFile, MeshFilePart, PartMeshInfo, PartPlacement,
    PartSeparation, PartShape, PartsInfo, PartsMade, ResolvedPart, ResolvedParts, TriangleSource,
    make_parts,
};
pub use removal::{Removable, RemovedShells, removal};
pub use render::{Extent, Render, RenderResult, ViewName, Views, render};
pub use requests::{
    Axis, ComparedShape, ContourInfo, DistanceMade, DistanceOptions, ExportPart, ExportSettings,
    FunctionMade, FunctionShader, GetFunctionShader, LARGEST_RESOURCE, MakeFunction, MakeMark,
    MakePart, MarkMade, MeasurePart, PartExported, PartFormat, PartLook, PartMade, PartMeasured,
    PartPicked, PickPart, PickRay, PickedFace, PickedNode, Picture, RenderMode, RenderPart,
    SectionPlanes, ShaderParameter, ShapeQuery, SliceInfo, SlicePart, SlicesShown, SubjectMeasured,
};
pub use simplification::Simplify;
pub use slicing::{
    AREA_POINTS, DrawSlices, Heights, MakeSlices, SliceFormat, SlicesMade, draw_slices, make_slices,
};
pub use subject::{ResolvedShape, Subject};
