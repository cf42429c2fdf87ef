//! Objects, level sets, volume data, images and the build: their edits in JSON, and their listing.

mod box_mesh;
mod edit_forms;
mod structure;
mod unused;

mod edits;

pub(crate) use edit_forms::ModelEditForm;
pub(crate) use edits::model_edits;
pub use structure::{
    BuildItemInfo, ComponentInfo, FieldInfo, GetStructure, MetadataInfo, PartInfo, PropertyInfo,
    ResourceInfo, Structure,
};
pub use unused::{RemoveUnused, RemovedInfo, UnusedRemoved};
pub(crate) use unused::{needed, unused};
