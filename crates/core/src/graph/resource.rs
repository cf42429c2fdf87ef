//! Resources of a document that are not function graphs: meshes, images, files, and resources of the model.

use std::fmt;
use std::sync::Arc;

use fibula_nodes::{
    Filter, FunctionType, Oracle, PortSpec, Query, ResourceId, ResourceKind, TileStyle, Type,
    ValueError,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::build::check_name;
use super::error::{Endpoint, GraphError, NodeLabel};
use super::file::File;
use super::form;
use super::ids::NodeId;
use super::model::ModelResource;

/// A resource that is not a function graph.
#[derive(Debug, Clone)]
pub enum Resource {
    /// A mesh, beam lattice or image.
    Content(Arc<dyn Content>),
    /// An image that is called like a function.
    ImageFunction(ImageFunction),
    /// A file that is kept with the project.
    File(File),
    /// An object, an image, volume data, or an uninterpreted resource of the model.
    Model(ModelResource),
}

/// Vertices, and triangles as indexes of three of them.
pub type TriangleList<'a> = (&'a [[f64; 3]], &'a [[u32; 3]]);

/// Content of a mesh, beam lattice or image, which answers queries of nodes.
pub trait Content: fmt::Debug + Send + Sync {
    /// Kind of the content.
    fn kind(&self) -> ResourceKind;

    /// Oracle for `query`; `None` if the query is for another kind.
    fn oracle(&self, query: Query) -> Option<Arc<dyn Oracle>>;

    /// Lowest and highest corner of the bounding box of the solid; `None` for images.
    fn extent(&self) -> Option<[[f64; 3]; 2]> {
        None
    }

    /// The [extent](Self::extent), if the mesh is an axis-aligned box, so that it can be evaluated without an oracle.
    fn axis_aligned_box(&self) -> Option<[[f64; 3]; 2]> {
        None
    }

    /// Vertices, and triangles as indexes of three of them, if the solid is the inside of a mesh.
    fn triangles(&self) -> Option<TriangleList<'_>> {
        None
    }
}

impl Resource {
    /// The image function, if it is one.
    pub fn image_function(&self) -> Option<&ImageFunction> {
        match self {
            Resource::ImageFunction(image) => Some(image),
            Resource::Content(_) | Resource::File(_) | Resource::Model(_) => None,
        }
    }

    /// The resource of the model, if it is one.
    pub fn model(&self) -> Option<&ModelResource> {
        match self {
            Resource::Model(resource) => Some(resource),
            Resource::Content(_) | Resource::ImageFunction(_) | Resource::File(_) => None,
        }
    }

    /// Kind of the resource, as references name it.
    pub fn kind(&self) -> ResourceKind {
        match self {
            Resource::Content(content) => content.kind(),
            Resource::ImageFunction(_) => ResourceKind::Function,
            Resource::File(_) => ResourceKind::File,
            Resource::Model(resource) => resource.kind(),
        }
    }

    /// True if a reference to the kind `wants` may name the resource.
    pub fn answers(&self, wants: ResourceKind) -> bool {
        match self {
            Resource::Content(_) | Resource::ImageFunction(_) | Resource::File(_) => {
                self.kind() == wants
            }
            Resource::Model(resource) => resource.answers(wants),
        }
    }

    /// Performs the checks that edits perform.
    pub(super) fn check(&self) -> Result<(), GraphError> {
        match self {
            Resource::ImageFunction(image) => image.check(),
            Resource::File(file) => file.check(),
            // Resources of the model may refer to later ones, so their references are checked when all are present.
            Resource::Content(_) | Resource::Model(_) => Ok(()),
        }
    }
}

/// An image as a function of texture coordinates (3MF: functionfromimage3d).
///
/// It takes `pos: float3`, where the image fills [0, 1] on each axis, and gives `color: float3` and `red`, `green`,
/// `blue`, `alpha: float`, each channel times `scale` plus `offset`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImageFunction {
    /// The function's name.
    pub name: String,
    /// The image.
    #[schemars(with = "form::ResourceId")]
    pub image: ResourceId,
    /// Factor of each channel.
    pub scale: f64,
    /// Offset of each channel, added after the factor.
    pub offset: f64,
    /// Interpolation between the voxels.
    #[schemars(with = "form::Filter")]
    pub filter: Filter,
    /// Continuation outside of [0, 1], for u, v and w.
    #[schemars(with = "[form::TileStyle; 3]")]
    pub tiles: [TileStyle; 3],
}

impl ImageFunction {
    /// Label of one of its fields, for messages.
    pub(crate) fn end(&self, name: &str) -> Endpoint {
        Endpoint {
            node: NodeLabel {
                node_id: NodeId::END,
                node_type: "image function",
                display_name: Some(self.name.clone()),
            },
            name: name.to_owned(),
        }
    }

    /// Rejects an invalid name and numbers that are not finite.
    ///
    /// # Errors
    /// [`GraphError::InvalidName`] and [`GraphError::InvalidValue`].
    pub(crate) fn check(&self) -> Result<(), GraphError> {
        check_name("an image function's name", &self.name)?;
        for (name, number) in [("scale", self.scale), ("offset", self.offset)] {
            if !number.is_finite() {
                let error = ValueError {
                    expected: Type::Float,
                    got: number.to_string(),
                };
                return Err(GraphError::InvalidValue {
                    target: self.end(name),
                    error: error.into(),
                });
            }
        }
        Ok(())
    }

    /// Types of the inputs and outputs.
    pub fn ty(&self) -> FunctionType {
        let outputs = [
            ("color", Type::Float3),
            ("red", Type::Float),
            ("green", Type::Float),
            ("blue", Type::Float),
            ("alpha", Type::Float),
        ];
        let outputs = outputs.map(|(name, ty)| PortSpec::new(name, ty));
        FunctionType::new(vec![PortSpec::new("pos", Type::Float3)], outputs.into())
    }
}
