//! Requests in JSON of agents and programs for pictures, slices, measures and files of a subject.

mod shape_query;

mod measure_part;
mod slice_part;

mod measure_each;

mod export_time;

mod export_part;

mod render_part;

mod pick_part;

mod distance_function;

mod make_mark;

mod render_mark;

mod function_shader;

mod part_look;

pub use distance_function::{DistanceMade, DistanceOptions};
pub use export_part::{
    ExportPart, ExportSettings, LARGEST_RESOURCE, MakePart, PartExported, PartFormat, PartMade,
};
pub use function_shader::{FunctionShader, GetFunctionShader, ShaderParameter};
pub use make_mark::{MakeMark, MarkMade};
pub use measure_part::{Axis, ComparedShape, MeasurePart, PartMeasured, SubjectMeasured};
pub use part_look::{FunctionMade, MakeFunction, PartLook, Picture};
pub use pick_part::{PartPicked, PickPart, PickRay, PickedFace, PickedNode};
pub use render_part::{RenderMode, RenderPart, SectionPlanes};
pub use shape_query::ShapeQuery;
pub use slice_part::{ContourInfo, SliceInfo, SlicePart, SlicesShown};
