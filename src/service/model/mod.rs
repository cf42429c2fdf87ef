//! Objects, level sets, volume data, images and the build: what agents write of them, and what they read.

mod box_mesh;
mod edits;
mod forms;
mod structure;

pub(super) use edits::{KINDS, fields, model_edits};
pub use structure::{
    BuildItemInfo, ComponentInfo, FieldInfo, GetStructure, MetadataInfo, PartInfo, PropertyInfo,
    ResourceInfo, Structure,
};
