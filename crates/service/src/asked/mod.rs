//! Parts as agents and programs ask for them: requests in JSON for pictures, slices, measures and files of what is
//! looked at.

mod draw;
mod export;
mod looking;
mod measure;
mod slice;

pub use draw::{Places, RenderPart, Show};
pub use export::{
    ExportPart, LARGEST_RESOURCE, MakePart, Making, PartExported, PartFormat, PartMade,
};
pub use looking::Looking;
pub use measure::{MeasurePart, PartMeasured, Second};
pub use slice::{ContourInfo, SliceInfo, SlicePart, SlicesShown};
