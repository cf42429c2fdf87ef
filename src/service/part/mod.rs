//! Parts as agents and programs ask for them: requests in JSON for pictures, slices and files of what is looked at.

mod draw;
mod export;
mod looking;
mod slice;

pub use draw::{Places, RenderPart, ViewName};
pub use export::{ExportPart, MakePart, Making, PartExported, PartFormat, PartMade};
pub use looking::Looking;
pub use slice::{ContourInfo, SliceInfo, SlicePart, SlicesShown};
