//! Listing of the contents of a project other than functions.

use std::collections::BTreeMap;

use fibula_core::graph::Document;
use fibula_core::graph::model::{
    Body, BuildItem, Field, Metadata, ModelResource, Transform, VolumeData,
};
use fibula_nodes::ResourceId;

use crate::paging::Paging;
use crate::project::change::Snapshot;
use crate::refusal::Result;
use crate::schema_types::ObjectForm;
use crate::service::Service;

json_structs! {
    /// Project whose structure is returned.
    pub request(Default) struct GetStructure {
        project,
        /// State at this revision; default: now.
        pub revision: Option<u64>,
        /// Maximum number of resources per page.
        pub limit: Option<u32>,
        cursor,
    }

    /// Contents of a project other than functions: resources by id, the build, metadata.
    pub answer struct Structure {
        pub success: bool,
        /// Unit of all lengths.
        pub unit: String,
        pub function_count: usize,
        #[schemars(with = "Vec<ObjectForm>")]
        pub resources: Vec<ResourceInfo>,
        pub total: usize,
        /// Number of resources of each kind.
        pub kinds: BTreeMap<&'static str, usize>,
        /// Items of the build; the first 1000.
        #[schemars(with = "Vec<ObjectForm>")]
        pub build_items: Vec<BuildItemInfo>,
        pub build_item_count: usize,
        #[schemars(with = "Vec<ObjectForm>")]
        pub metadata: Vec<MetadataInfo>,
        /// Parts of the file's package, such as thumbnails; the first 1000.
        #[schemars(with = "Vec<ObjectForm>")]
        pub parts: Vec<PartInfo>,
        pub revision: u64,
        pub next_cursor: Option<String>,
    }

    /// A function as a field: its output at each point.
    pub data(PartialEq) struct FieldInfo {
        pub function_id: u32,
        pub channel: String,
        pub transform: Option<[f64; 12]>,
        #[serde(skip_serializing_if = "is_zero")]
        pub min_feature_size: f64,
        #[serde(skip_serializing_if = "is_zero")]
        pub fallback_value: f64,
    }

    /// Component of an assembly.
    pub data(PartialEq) struct ComponentInfo {
        pub object_id: u32,
        pub transform: Option<[f64; 12]>,
    }

    /// A property of a volume: `color`, a material of the composite, or one with a name.
    pub data(PartialEq) struct PropertyInfo {
        pub name: String,
        #[serde(flatten)]
        pub field: FieldInfo,
    }

    /// Item of the build.
    pub data(PartialEq) struct BuildItemInfo {
        pub item_id: u32,
        pub object_id: u32,
        /// Kind of the object; `None` if it is in another part of the package.
        pub object_kind: Option<&'static str>,
        pub transform: Option<[f64; 12]>,
        #[serde(skip_serializing_if = "String::is_empty")]
        pub part_number: String,
    }

    /// Metadata entry of a file.
    pub data(PartialEq) struct MetadataInfo {
        pub name: String,
        pub value: String,
    }

    /// Part of the package.
    pub data(PartialEq) struct PartInfo {
        pub name: String,
        pub media_type: String,
        pub size: u64,
    }

    /// An object, an image, volume data or another resource.
    pub data(Default, PartialEq) struct ResourceInfo {
        pub resource_id: u32,
        /// `mesh`, `assembly`, `level set`, `object`, `image`, `volume data` or `other resource`.
        pub kind: &'static str,
        #[serde(skip_serializing_if = "String::is_empty")]
        pub name: String,
        #[serde(skip_serializing_if = "String::is_empty")]
        pub part_number: String,
        /// Type of an object, unless it is a model.
        #[serde(rename = "type")]
        pub object_type: Option<&'static str>,
        pub vertices: Option<u32>,
        pub triangles: Option<u32>,
        pub beams: Option<u32>,
        /// Minimum and maximum corner of a mesh.
        pub bounds: Option<[[f64; 3]; 2]>,
        /// Field of a level set.
        pub field: Option<FieldInfo>,
        /// The domain of a level set.
        pub mesh_id: Option<u32>,
        pub mesh_bbox_only: Option<bool>,
        pub volume_id: Option<u32>,
        /// Components of an assembly; the first 100.
        pub components: Vec<ComponentInfo> = [],
        /// Columns, rows and sheets of an image.
        pub size: Option<[u32; 3]>,
        /// Properties of volume data; the first 100.
        pub properties: Vec<PropertyInfo> = [],
        /// Namespace of a foreign resource.
        #[serde(skip_serializing_if = "String::is_empty")]
        pub namespace: String,
    }
}

/// Maximum number of items, metadata and parts in an answer.
const SHOWN: usize = 1000;
/// Maximum number of components and properties of a resource in an answer.
const SHOWN_OF_ONE: usize = 100;

impl Service {
    /// Lists the contents of a project other than functions.
    ///
    /// # Errors
    /// A [`Refusal`](crate::Refusal) if there is no such project or revision, or `limit` or `cursor` is invalid.
    pub fn get_structure(&self, request: &GetStructure) -> Result<Structure> {
        let paging = Paging::new(request.limit, request.cursor.as_deref())?;
        let project = self.project(request.project.as_deref())?;
        Ok(structure(&project.at(request.revision)?, paging))
    }

    /// Lists everything, whatever its size.
    ///
    /// # Errors
    /// A [`Refusal`](crate::Refusal) if there is no such project.
    pub fn whole_structure(&self, project: Option<&str>) -> Result<Structure> {
        let snapshot = self.project(project)?.snapshot()?;
        Ok(structure(&snapshot, Paging::whole()))
    }
}

fn structure(snapshot: &Snapshot, paging: Paging) -> Structure {
    let document = &snapshot.document;
    let kind = |item: &BuildItem| {
        let object = document.model_resource(item.object);
        object
            .filter(|_| !item.is_external())
            .map(ModelResource::noun)
    };
    let mut kinds = BTreeMap::new();
    for (_, resource) in document.model_resources() {
        *kinds.entry(resource.noun()).or_default() += 1;
    }
    let resources = document.model_resources();
    let resources = resources.map(|(id, resource)| (u64::from(id.0), (id, resource)));
    let page = paging.page(resources, |(id, resource)| info(id, resource));
    let held = document.model();
    let items = held
        .items()
        .take(SHOWN)
        .map(|(item_id, item)| BuildItemInfo {
            item_id,
            object_id: item.object.0,
            object_kind: kind(item),
            transform: placed(&item.transform),
            part_number: item.part_number.clone(),
        });
    let parts = held.parts().take(SHOWN).map(|(name, part)| PartInfo {
        name: name.to_owned(),
        media_type: part.media_type.clone(),
        size: part.size,
    });
    Structure {
        success: true,
        unit: held.info().unit.name().to_owned(),
        function_count: document.function_count(),
        resources: page.items,
        total: document.model_resources().count(),
        kinds,
        build_items: items.collect(),
        build_item_count: held.items().len(),
        metadata: held.metadata().take(SHOWN).map(metadata).collect(),
        parts: parts.collect(),
        revision: snapshot.head.revision,
        next_cursor: page.next_cursor,
    }
}

fn metadata(metadata: &Metadata) -> MetadataInfo {
    MetadataInfo {
        name: metadata.name.clone(),
        value: fibula_nodes::names::visible(&metadata.value, 1000),
    }
}

fn placed(transform: &Transform) -> Option<[f64; 12]> {
    (!transform.is_identity()).then_some(transform.0)
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "signature required by serde"
)]
fn is_zero(number: &f64) -> bool {
    *number == 0.0
}

fn field_info(field: &Field) -> FieldInfo {
    FieldInfo {
        function_id: field.function_id.0,
        channel: field.channel.clone(),
        transform: placed(&field.transform),
        min_feature_size: field.min_feature_size,
        fallback_value: field.fallback_value,
    }
}

fn property_infos(volume: &VolumeData) -> Vec<PropertyInfo> {
    let one = |name: String, field: &Field| PropertyInfo {
        name,
        field: field_info(field),
    };
    let color = volume
        .color
        .iter()
        .map(|field| one("color".to_owned(), field));
    let materials = volume.composite.iter().flat_map(|one| &one.materials);
    let materials = materials
        .enumerate()
        .map(|(place, field)| one(format!("material {place}"), field));
    let others = volume.properties.iter();
    let others = others.map(|property| one(property.name.clone(), &property.field));
    color
        .chain(materials)
        .chain(others)
        .take(SHOWN_OF_ONE)
        .collect()
}

/// Describes a resource for agents.
pub(super) fn info(id: ResourceId, resource: &ModelResource) -> ResourceInfo {
    let mut info = ResourceInfo {
        resource_id: id.0,
        kind: resource.noun(),
        ..ResourceInfo::default()
    };
    match resource {
        ModelResource::Object(object) => {
            info.name.clone_from(&object.name);
            info.part_number.clone_from(&object.part_number);
            let ty = object.object_type;
            info.object_type =
                (ty != fibula_core::graph::model::ObjectType::Model).then(|| ty.name());
            match &object.body {
                Body::Mesh(mesh) => {
                    info.vertices = Some(mesh.vertices);
                    info.triangles = Some(mesh.triangles);
                    info.beams = (mesh.beams > 0).then_some(mesh.beams);
                    info.bounds = mesh.bounds;
                    info.volume_id = mesh.volume.map(|id| id.0);
                }
                Body::Components(parts) => {
                    let parts = parts.iter().take(SHOWN_OF_ONE).map(|part| ComponentInfo {
                        object_id: part.object.0,
                        transform: placed(&part.transform),
                    });
                    info.components = parts.collect();
                }
                Body::LevelSet(level) => {
                    info.field = Some(field_info(&level.field));
                    info.mesh_id = Some(level.mesh.0);
                    info.mesh_bbox_only = Some(level.mesh_bbox_only);
                    info.volume_id = level.volume.map(|id| id.0);
                }
                Body::Foreign(foreign) => info.namespace.clone_from(&foreign.namespace),
            }
        }
        ModelResource::Image(image) => {
            info.name.clone_from(&image.name);
            info.size = Some([image.columns, image.rows, image.sheets.len() as u32]);
        }
        ModelResource::VolumeData(volume) => info.properties = property_infos(volume),
        ModelResource::Foreign(foreign) => {
            info.name.clone_from(&foreign.element);
            info.namespace.clone_from(&foreign.namespace);
        }
    }
    info
}

/// Smallest id that was never used and is not that of an earlier item.
pub(super) fn next_id_after(document: &Document, first: Option<ResourceId>) -> Result<ResourceId> {
    let id = document.next_id_beside(first.map(Into::into))?;
    Ok(id.into())
}
