//! Objects, level sets, volume data, images and the build: what agents write of them, and what they read.

mod box_mesh;
mod edits;
mod forms;
mod structure;
mod unused;

pub(super) use edits::model_edits;
pub(super) use forms::{KINDS, fields};
pub use structure::{
    BuildItemInfo, ComponentInfo, FieldInfo, GetStructure, MetadataInfo, PartInfo, PropertyInfo,
    ResourceInfo, Structure,
};
pub(super) use unused::needed;
pub use unused::{RemoveUnused, RemovedInfo, UnusedRemoved};
