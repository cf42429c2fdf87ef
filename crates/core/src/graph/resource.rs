//! Resources of a document that are no function graphs: what answers for points in space, and files.

use std::fmt;
use std::sync::Arc;

use fibula_nodes::{
    Filter, FunctionType, Oracle, PortSpec, Query, ResourceId, ResourceKind, TileStyle, Type,
    ValueError,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::build::check_name;
use super::error::{End, GraphError, NodeLabel};
use super::file::File;
use super::form;
use super::ids::NodeId;
use super::model::ModelResource;

/// A resource that is no function graph.
#[derive(Debug, Clone)]
pub enum Resource {
    /// A mesh, beam lattice or image.
    Content(Arc<dyn Content>),
    /// An image that is called like a function.
    ImageFunction(ImageFunction),
    /// A file that is kept with the project.
    File(File),
    /// An object, an image, volume data, or what is not understood.
    Model(ModelResource),
}

/// A mesh, beam lattice or image: something that can be asked.
pub trait Content: fmt::Debug + Send + Sync {
    /// What it is.
    fn kind(&self) -> ResourceKind;

    /// Who answers `query`; `None` when it is not of the kind that the query wants.
    fn oracle(&self, query: Query) -> Option<Arc<dyn Oracle>>;

    /// The lowest and the highest corner of the box around what has an inside; `None` for images.
    fn extent(&self) -> Option<[[f64; 3]; 2]> {
        None
    }

    /// The [extent](Self::extent), if its triangles are an upright box, so that none of them needs to be asked.
    fn upright_box(&self) -> Option<[[f64; 3]; 2]> {
        None
    }
}

impl Resource {
    /// What a reference to the resource refers to.
    pub fn kind(&self) -> ResourceKind {
        match self {
            Resource::Content(content) => content.kind(),
            Resource::ImageFunction(_) => ResourceKind::Function,
            Resource::File(_) => ResourceKind::File,
            Resource::Model(resource) => resource.kind(),
        }
    }

    /// Whether it can be what a node asks.
    pub fn answers(&self, wants: ResourceKind) -> bool {
        match self {
            Resource::Content(_) | Resource::ImageFunction(_) | Resource::File(_) => {
                self.kind() == wants
            }
            Resource::Model(resource) => resource.answers(wants),
        }
    }

    /// Refuses what no edit could have added.
    pub(super) fn check(&self) -> Result<(), GraphError> {
        match self {
            Resource::ImageFunction(image) => image.check(),
            Resource::File(file) => file.check(),
            // What a resource of the model refers to may come after it; it is checked when all is there.
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
    /// What each channel is multiplied by.
    pub scale: f64,
    /// What is added to each channel then.
    pub offset: f64,
    /// How values between the voxels are found.
    #[schemars(with = "form::Filter")]
    pub filter: Filter,
    /// What lies outside of [0, 1], for u, v and w.
    #[schemars(with = "[form::TileStyle; 3]")]
    pub tiles: [TileStyle; 3],
}

impl ImageFunction {
    /// How messages call one of its parts.
    pub(crate) fn end(&self, name: &str) -> End {
        End {
            node: NodeLabel {
                node_id: NodeId::END,
                node_type: "image function",
                display_name: Some(self.name.clone()),
            },
            name: name.to_owned(),
        }
    }

    /// Refuses a name that is none, and numbers that are not finite.
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

    /// What the function takes and gives.
    pub fn ty(&self) -> FunctionType {
        let outputs = [
            ("color", Type::Float3),
            ("red", Type::Float),
            ("green", Type::Float),
            ("blue", Type::Float),
            ("alpha", Type::Float),
        ];
        FunctionType {
            inputs: vec![PortSpec::new("pos", Type::Float3)],
            outputs: outputs
                .into_iter()
                .map(|(name, ty)| PortSpec::new(name, ty))
                .collect(),
        }
    }
}
