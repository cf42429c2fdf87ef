//! Contents of a 3MF file, as the reader returns them.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;

use fibula_core::graph::model::{
    BuildItem, Foreign, ImageStack, Metadata, ModelInfo, ModelResource, Object, Part, VolumeData,
};
use fibula_core::graph::{ContentHash, FunctionData, ImageFunction};
use fibula_nodes::ResourceId;

use crate::findings::Repair;

/// Contents of a 3MF file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Model {
    /// Unit, language, extensions and relationships of the file.
    pub info: ModelInfo,
    /// Metadata of the model, in the order of the file.
    pub metadata: Vec<Metadata>,
    /// Functions with their ids in the file; callees before callers, else in the order of the file.
    pub functions: Vec<FunctionData>,
    /// Functions that are images, with their ids in the file.
    pub image_functions: Vec<(ResourceId, ImageFunction)>,
    /// Images with their ids in the file.
    pub images: Vec<(ResourceId, ImageStack)>,
    /// Objects with their ids in the file; components before the objects that use them, else in the order of the file.
    pub objects: Vec<(ResourceId, Object)>,
    /// Properties of volumes, with their ids in the file.
    pub volumes: Vec<(ResourceId, VolumeData)>,
    /// Resources that are only kept, with their ids in the file. Elements without an id that stand among the resources
    /// or items are in `info`.
    pub foreign: Vec<(ResourceId, Foreign)>,
    /// Build items, in the order of the file.
    pub items: Vec<BuildItem>,
    /// Parts of the package beside the model, the sheets of its images and the package's own records, by their
    /// names without a slash in front.
    pub parts: BTreeMap<String, Part>,
    /// Contents by their hashes: meshes in their [stored form](crate::MeshData::to_bytes), sheets, parts, and XML.
    pub contents: BTreeMap<ContentHash, Vec<u8>>,
    /// Mistakes of the file that were repaired.
    pub repairs: Vec<Repair>,
    /// Contents of the file that are not kept.
    pub left_out: Vec<OmittedContent>,
}

impl Model {
    /// Ids of the functions and image functions.
    pub fn function_ids(&self) -> impl Iterator<Item = ResourceId> + '_ {
        let graphs = self.functions.iter().filter_map(|one| one.function_id);
        let images = self.image_functions.iter().map(|(id, _)| *id);
        graphs.map(Into::into).chain(images)
    }

    /// The other resources, with their ids.
    pub fn resources(&self) -> impl Iterator<Item = (ResourceId, ModelResource)> + '_ {
        let images = self.images.iter();
        let images = images.map(|(id, one)| (*id, ModelResource::Image(Arc::new(one.clone()))));
        let foreign = self.foreign.iter();
        let foreign = foreign.map(|(id, one)| (*id, ModelResource::Foreign(Arc::new(one.clone()))));
        let volumes = self.volumes.iter();
        let volumes =
            volumes.map(|(id, one)| (*id, ModelResource::VolumeData(Arc::new(one.clone()))));
        let objects = self.objects.iter();
        let objects = objects.map(|(id, one)| (*id, ModelResource::Object(Arc::new(one.clone()))));
        images.chain(foreign).chain(volumes).chain(objects)
    }
}

/// Returns the bytes that a hash names; `None` if they are missing.
pub type Contents<'c> =
    dyn Fn(ContentHash) -> Result<Option<Vec<u8>>, Box<dyn Error + Send + Sync>> + 'c;

/// Content of one kind that the file has, but that is not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OmittedContent {
    /// Description, such as `element note in a function`.
    pub what: String,
    /// Number of occurrences.
    pub count: usize,
    /// Resource ids of those that have one.
    pub ids: Vec<u32>,
    /// Reason.
    pub why: String,
}
