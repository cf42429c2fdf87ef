//! Facts about a model part that rules need: its resources, objects, slice stacks, items and paths.

use std::collections::{BTreeMap, BTreeSet};

use super::schema::Namespace;
use super::values::Target;

/// Class of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Object,
    BaseMaterials,
    Colors,
    TextureCoordinates,
    Composites,
    Multi,
    Texture,
    Display,
    TextureDisplay,
    TranslucentDisplay,
    SliceStack,
    Function,
    Image,
    Volume,
    Other,
}

impl Class {
    /// Class of the resources of an element.
    pub(super) fn of_element(name: &str) -> Class {
        match name {
            "object" => Class::Object,
            "basematerials" => Class::BaseMaterials,
            "colorgroup" => Class::Colors,
            "texture2dgroup" => Class::TextureCoordinates,
            "compositematerials" => Class::Composites,
            "multiproperties" => Class::Multi,
            "texture2d" => Class::Texture,
            "pbspeculardisplayproperties" | "pbmetallicdisplayproperties" => Class::Display,
            "pbspeculartexturedisplayproperties" | "pbmetallictexturedisplayproperties" => {
                Class::TextureDisplay
            }
            "translucentdisplayproperties" => Class::TranslucentDisplay,
            "slicestack" => Class::SliceStack,
            "functionfromimage3d" => Class::Function,
            "image3d" => Class::Image,
            "volumedata" => Class::Volume,
            _ => Class::Other,
        }
    }

    /// Name for messages.
    pub(super) fn label(self) -> &'static str {
        match self {
            Class::Object => "an object",
            Class::BaseMaterials => "a group of base materials",
            Class::Colors => "a colour group",
            Class::TextureCoordinates => "a group of texture coordinates",
            Class::Composites => "a group of composites",
            Class::Multi => "multiproperties",
            Class::Texture => "a texture2d",
            Class::Display | Class::TextureDisplay | Class::TranslucentDisplay => {
                "display properties"
            }
            Class::SliceStack => "a slice stack",
            Class::Function => "a function",
            Class::Image => "an image3d",
            Class::Volume => "volume data",
            Class::Other => "another resource",
        }
    }

    /// True if a reference to such resources takes this class. An unknown resource may be anything.
    pub(super) fn fits(self, target: Target) -> bool {
        if self == Class::Other {
            return true;
        }
        match target {
            Target::Object => self == Class::Object,
            Target::Properties => {
                self.is_material()
                    || matches!(
                        self,
                        Class::Colors | Class::TextureCoordinates | Class::Multi
                    )
            }
            Target::BaseMaterials => self == Class::BaseMaterials,
            Target::Texture => self == Class::Texture,
            Target::Display => matches!(
                self,
                Class::Display | Class::TextureDisplay | Class::TranslucentDisplay
            ),
            Target::SliceStack => self == Class::SliceStack,
            Target::Function => self == Class::Function,
            Target::Image => self == Class::Image,
            Target::Volume => self == Class::Volume,
        }
    }

    /// True for groups of materials.
    pub(super) fn is_material(self) -> bool {
        matches!(self, Class::BaseMaterials | Class::Composites)
    }
}

/// A resource of a part.
#[derive(Debug, Clone)]
pub(super) struct Resource {
    pub(super) class: Class,
    pub(super) line: u64,
    /// Number of its properties.
    pub(super) count: u32,
    /// Its display properties.
    pub(super) display: Option<u32>,
    /// Layers of multiproperties, textures of display properties and of texture coordinates.
    pub(super) parts: Vec<u32>,
    /// Tile styles and filter of a texture, as far as stated.
    pub(super) addressing: [Option<String>; 3],
}

impl Resource {
    pub(super) fn new(class: Class) -> Resource {
        Resource {
            class,
            line: 1,
            count: 0,
            display: None,
            parts: Vec::new(),
            addressing: [None, None, None],
        }
    }
}

/// Use of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathUse {
    /// Object of another model part.
    Object(u32),
    SliceStack,
    Texture,
    Sheet,
    Thumbnail,
}

/// Path in a model part.
#[derive(Debug, Clone)]
pub(super) struct PartPath {
    pub(super) path: String,
    pub(super) line: u64,
    pub(super) of: PathUse,
    /// Content type that a texture states.
    pub(super) content_type: Option<String>,
    /// Image of a sheet.
    pub(super) image: u32,
}

/// Reference to an object, of a build item, component or alternative.
#[derive(Debug, Clone)]
pub(super) struct ObjectReference {
    pub(super) id: u32,
    pub(super) path: Option<String>,
    pub(super) transform: Option<String>,
    pub(super) line: u64,
}

/// An object.
#[derive(Debug, Clone, Default)]
pub(super) struct ObjectFacts {
    pub(super) line: u64,
    /// Type of the object; empty for a model.
    pub(super) object_type: String,
    pub(super) is_mesh: bool,
    pub(super) has_lattice: bool,
    pub(super) stack: Option<u32>,
    pub(super) components: Vec<ObjectReference>,
    pub(super) alternatives: Vec<ObjectReference>,
}

impl ObjectFacts {
    /// True for the types that are filled.
    pub(super) fn is_solid(&self) -> bool {
        matches!(self.object_type.as_str(), "" | "model" | "solidsupport")
    }
}

/// A slice stack.
#[derive(Debug, Clone, Default)]
pub(super) struct StackFacts {
    pub(super) bottom: f64,
    /// First and last height.
    pub(super) heights: Option<[f64; 2]>,
    /// Line of the first polygon that is open.
    pub(super) open_polygon: Option<u64>,
    /// Paths, ids and lines of the stacks that it refers to.
    pub(super) references: Vec<(String, u32, u64)>,
}

/// A model part.
#[derive(Debug, Default)]
pub(super) struct PartFacts {
    pub(super) name: String,
    pub(super) resources: BTreeMap<u32, Resource>,
    pub(super) objects: BTreeMap<u32, ObjectFacts>,
    pub(super) stacks: BTreeMap<u32, StackFacts>,
    pub(super) items: Vec<ObjectReference>,
    pub(super) paths: Vec<PartPath>,
    /// Namespaces that are required, of the root part too.
    pub(super) required: BTreeSet<String>,
    is_root: bool,
}

impl PartFacts {
    pub(super) fn new(name: &str, root: Option<&PartFacts>) -> PartFacts {
        PartFacts {
            name: name.to_owned(),
            required: root.map(|root| root.required.clone()).unwrap_or_default(),
            is_root: root.is_none(),
            ..PartFacts::default()
        }
    }

    /// True for the root of the package.
    pub(super) fn is_root(&self) -> bool {
        self.is_root
    }

    /// True if an extension is required.
    pub(super) fn requires(&self, namespace: Namespace) -> bool {
        self.required.contains(namespace.uri())
    }
}

/// The open object.
#[derive(Debug, Default)]
pub(super) struct OpenObject {
    pub(super) id: u32,
    pub(super) facts: ObjectFacts,
    pub(super) pid: Option<u32>,
    pub(super) pindex: Option<u32>,
    pub(super) mesh_line: Option<u64>,
    /// True if the element of the object itself refers to volume data.
    pub(super) has_volume: bool,
    pub(super) vertices: Vec<[f64; 3]>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// True if a triangle has properties.
    pub(super) has_properties: bool,
    /// Missing vertices and triangles, which a lattice does not need.
    pub(super) missing: Vec<(u64, String, String)>,
    /// Codes that were reported: one finding of each for an object.
    pub(super) reported: BTreeSet<&'static str>,
    /// Identifiers of triangle sets.
    pub(super) sets: BTreeSet<String>,
}

/// The open beam lattice.
#[derive(Debug, Default)]
pub(super) struct OpenLattice {
    pub(super) pid: Option<u32>,
    pub(super) pindex: Option<u32>,
    pub(super) has_properties: bool,
    pub(super) beams: u32,
    pub(super) balls: u32,
    /// Largest index of a beam that a beam set has, and its line.
    pub(super) last_beam: Option<(u32, u64)>,
    /// Largest index of a ball that a beam set has, and its line.
    pub(super) last_ball: Option<(u32, u64)>,
    pub(super) ends: BTreeSet<u32>,
    /// Identifiers of beam sets.
    pub(super) sets: BTreeSet<String>,
}

/// The open slice.
#[derive(Debug, Default)]
pub(super) struct OpenSlice {
    pub(super) stack: StackFacts,
    pub(super) has_slices: bool,
    pub(super) vertices: u32,
    pub(super) polygons: u32,
    pub(super) has_vertices: bool,
    pub(super) start: Option<u32>,
    pub(super) last: Option<u32>,
}
