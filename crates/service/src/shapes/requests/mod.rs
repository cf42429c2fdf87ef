//! Requests in JSON of agents and programs for pictures, slices, measures and files of a subject.

mod shape_query;

mod measure_part;
mod slice_part;

mod export_time;

mod export_part;

mod render_part;

mod pick_part;

mod function_shader;

pub use export_part::{
    ExportPart, ExportSettings, LARGEST_RESOURCE, MakePart, PartExported, PartFormat, PartMade,
};
pub use function_shader::{FunctionShader, GetFunctionShader, ShaderParameter};
pub use measure_part::{ComparedShape, MeasurePart, PartMeasured};
pub use pick_part::{PartPicked, PickPart, PickRay, PickedFace, PickedNode};
pub use render_part::{RenderMode, RenderPart, SectionPlanes};
pub use shape_query::ShapeQuery;
pub use slice_part::{ContourInfo, SliceInfo, SlicePart, SlicesShown};
