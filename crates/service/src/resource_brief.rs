//! Brief description of a resource that is not a function: an object, an image, volume data, a file or another.

use fibula_core::eval::mesh_bounds;
use fibula_core::graph::model::{Body, ModelResource, Object};
use fibula_core::graph::{Document, Resource};
use fibula_nodes::{ResourceId, names};

use crate::digits::seven_digits;

/// Maximum characters of a name.
const LONGEST_NAME: usize = 80;

json_structs! {
    /// An object, an image, volume data, a file or another resource, in brief.
    pub answer(Default, PartialEq) struct ResourceBrief {
        /// Id of an object; `measure`, `render` and `export` accept it.
        pub object_id: Option<u32>,
        /// Id of another resource.
        pub resource_id: Option<u32>,
        /// `mesh`, `assembly`, `level set`, `object`, `image`, `volume data`, `file`, `content` or `other resource`.
        pub kind: &'static str,
        #[serde(skip_serializing_if = "String::is_empty")]
        #[schemars(with = "Option<String>")]
        pub name: String,
        pub triangles: Option<u32>,
        pub beams: Option<u32>,
        /// Function of a level set.
        pub function_id: Option<u32>,
        /// Columns, rows and sheets of an image.
        pub size: Option<[u32; 3]>,
        /// Minimum and maximum corner of the domain of a level set.
        pub domain: Option<[[f64; 3]; 2]>,
        /// Those of a mesh, or of a measured object.
        pub bounds: Option<[[f64; 3]; 2]>,
        /// Volume of a measured object.
        pub volume: Option<f64>,
        /// Reason why an object could not be measured.
        pub error: Option<String>,
    }
}

impl ResourceBrief {
    /// Describes an object, an image or another resource of the model.
    pub(crate) fn new(document: &Document, id: ResourceId, resource: &ModelResource) -> Self {
        let kind = resource.noun();
        match resource {
            ModelResource::Object(object) => ResourceBrief::of_object(document, id, kind, object),
            ModelResource::Image(image) => ResourceBrief {
                size: Some([image.columns, image.rows, image.sheets.len() as u32]),
                ..ResourceBrief::named(id, kind, &image.name)
            },
            ModelResource::Foreign(foreign) => ResourceBrief::named(id, kind, &foreign.element),
            ModelResource::VolumeData(_) => ResourceBrief::named(id, kind, ""),
        }
    }

    /// Describes a resource of any kind; `None` for a function.
    pub(crate) fn of_resource(
        document: &Document,
        id: ResourceId,
        resource: &Resource,
    ) -> Option<Self> {
        match resource {
            Resource::ImageFunction(_) => None,
            Resource::Model(resource) => Some(ResourceBrief::new(document, id, resource)),
            Resource::File(file) => Some(ResourceBrief::named(id, "file", &file.name)),
            Resource::Content(_) => Some(ResourceBrief::named(id, "content", "")),
        }
    }

    fn of_object(document: &Document, id: ResourceId, kind: &'static str, object: &Object) -> Self {
        let brief = ResourceBrief {
            object_id: Some(id.0),
            kind,
            name: names::visible(&object.name, LONGEST_NAME),
            ..ResourceBrief::default()
        };
        match &object.body {
            Body::Mesh(mesh) => ResourceBrief {
                triangles: Some(mesh.triangles),
                beams: (mesh.beams > 0).then_some(mesh.beams),
                bounds: mesh.bounds.map(shortened),
                ..brief
            },
            Body::LevelSet(level) => ResourceBrief {
                function_id: Some(level.field.function_id.0),
                domain: mesh_bounds(document, level.mesh).map(shortened),
                ..brief
            },
            Body::Components(_) | Body::Foreign(_) => brief,
        }
    }

    fn named(id: ResourceId, kind: &'static str, name: &str) -> Self {
        ResourceBrief {
            resource_id: Some(id.0),
            kind,
            name: names::visible(name, LONGEST_NAME),
            ..ResourceBrief::default()
        }
    }
}

/// Bounds with as many digits as matter.
fn shortened(bounds: [[f64; 3]; 2]) -> [[f64; 3]; 2] {
    bounds.map(|corner| corner.map(seven_digits))
}
