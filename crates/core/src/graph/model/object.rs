//! Objects: meshes, assemblies and level sets.

use fibula_nodes::ResourceId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::build::Metadata;
use super::extra::{Extra, Foreign};
use super::transform::Transform;
use super::volume::Field;
use crate::graph::{ContentHash, form};

/// A solid or surface, which can be built and be part of others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Object {
    /// Display name; may be empty.
    #[serde(default)]
    pub name: String,
    /// Purpose of the object.
    #[serde(default, rename = "type")]
    pub object_type: ObjectType,
    /// Its number at whoever made it; may be empty.
    #[serde(default)]
    pub part_number: String,
    /// The material or colour of what has none of its own.
    #[serde(default)]
    pub properties: Option<PropertyRef>,
    /// Content of the object.
    pub body: Body,
    /// Metadata.
    #[serde(default)]
    pub metadata: Vec<Metadata>,
    /// Attributes and elements that Fibula does not interpret.
    #[serde(default)]
    pub extra: Extra,
}

impl Object {
    /// Creates an object of the type `model`.
    pub fn new(name: impl Into<String>, body: Body) -> Self {
        Object {
            name: name.into(),
            object_type: ObjectType::Model,
            part_number: String::new(),
            properties: None,
            body,
            metadata: Vec::new(),
            extra: Extra::default(),
        }
    }
}

/// Purpose of an object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ObjectType {
    /// A part of the product.
    #[default]
    Model,
    /// A support that is filled.
    SolidSupport,
    /// A support.
    Support,
    /// A surface without an inside.
    Surface,
    /// Neither.
    Other,
}

impl ObjectType {
    /// Every type.
    pub const ALL: [ObjectType; 5] = [
        ObjectType::Model,
        ObjectType::SolidSupport,
        ObjectType::Support,
        ObjectType::Surface,
        ObjectType::Other,
    ];

    /// Name in 3MF.
    pub fn name(self) -> &'static str {
        match self {
            ObjectType::Model => "model",
            ObjectType::SolidSupport => "solidsupport",
            ObjectType::Support => "support",
            ObjectType::Surface => "surface",
            ObjectType::Other => "other",
        }
    }
}

/// One of a group of materials, colours or texture coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PropertyRef {
    /// The group (3MF: pid).
    #[schemars(with = "form::ResourceId")]
    pub group: ResourceId,
    /// Which one of it (3MF: pindex).
    #[serde(default)]
    pub index: Option<u32>,
}

/// Content of an object.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    /// Triangles, and maybe beams.
    Mesh(MeshBody),
    /// Other objects.
    Components(Vec<Component>),
    /// The points where a function is not positive.
    LevelSet(LevelSet),
    /// Content that Fibula preserves but does not interpret.
    Foreign(Foreign),
}

/// Triangles, which lie elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshBody {
    /// Under which hash they lie, in the binary form that `format::threemf` gives them.
    pub content: ContentHash,
    /// Size of that form in bytes.
    pub size: u64,
    /// Number of vertices.
    pub vertices: u32,
    /// Number of triangles.
    pub triangles: u32,
    /// Number of beams.
    #[serde(default)]
    pub beams: u32,
    /// The smallest and the largest coordinates of its vertices; `None` if there are none.
    #[serde(default)]
    pub bounds: Option<[[f64; 3]; 2]>,
    /// The properties of its volume.
    #[serde(default)]
    #[schemars(with = "Option<form::ResourceId>")]
    pub volume: Option<ResourceId>,
    /// The groups of materials, colours and objects that its triangles and beams refer to; sorted.
    #[serde(default)]
    #[schemars(with = "Vec<form::ResourceId>")]
    pub references: Vec<ResourceId>,
}

/// An object as a part of another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Component {
    /// The part.
    #[schemars(with = "form::ResourceId")]
    pub object: ResourceId,
    /// Where it is placed.
    #[serde(default)]
    pub transform: Transform,
    /// Attributes and elements that Fibula does not interpret.
    #[serde(default)]
    pub extra: Extra,
}

impl Component {
    /// True if the object is in another part of the package, so its id is meaningless here.
    pub fn is_external(&self) -> bool {
        is_external(&self.extra)
    }
}

/// True if an object id refers to another part of the package.
pub(super) fn is_external(extra: &Extra) -> bool {
    extra.external_path().is_some()
}

/// The points of a domain where a function is not positive (3MF: levelset).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LevelSet {
    /// The field: a float, negative inside. Undefined points have the fallback value.
    pub field: Field,
    /// The domain: an object that is a mesh.
    #[schemars(with = "form::ResourceId")]
    pub mesh: ResourceId,
    /// True if the domain is the mesh's bounding box instead of its interior.
    #[serde(default)]
    pub mesh_bbox_only: bool,
    /// The properties of its volume.
    #[serde(default)]
    #[schemars(with = "Option<form::ResourceId>")]
    pub volume: Option<ResourceId>,
}
