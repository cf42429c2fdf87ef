//! Resources of a file by class, and validation of the references to them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use fibula_core::graph::model::{Body, ModelResource};
use fibula_nodes::ResourceId;

use crate::error::{Location, Problem, ReadError};
use crate::findings::Findings;
use crate::xml::element::{Element, Schema};
use crate::xml::fragment::extra_references;

/// Resources that a resource refers to: by what is understood of it, and by the attributes and elements that are kept.
pub(crate) fn all_references(resource: &ModelResource) -> BTreeSet<ResourceId> {
    let mut all = resource.references();
    for field in resource.fields() {
        all.extend(extra_references(&field.extra));
    }
    match resource {
        ModelResource::Object(object) => {
            all.extend(extra_references(&object.extra));
            if let Body::Components(parts) = &object.body {
                let extras = parts.iter().map(|part| &part.extra);
                all.extend(extras.flat_map(extra_references));
            }
        }
        ModelResource::Image(image) => all.extend(extra_references(&image.extra)),
        ModelResource::VolumeData(volume) => all.extend(extra_references(&volume.extra)),
        ModelResource::Foreign(_) => {}
    }
    all
}

/// Class of the resource that an id stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResourceClass {
    Function,
    Image,
    Volume,
    /// An object that is a mesh.
    Mesh,
    /// An object of other objects.
    Components,
    /// An object that is a level set.
    LevelSet,
    /// An object of another extension.
    OtherObject,
    /// A resource that is only kept; `base_materials` if it is a group of these.
    Foreign {
        base_materials: bool,
    },
    /// A resource that could not be read; references to it are no errors.
    Broken,
}

impl ResourceClass {
    /// Class of a resource that is only kept.
    pub(crate) fn foreign(element: &Element) -> ResourceClass {
        let core = element.schema == Schema::Core;
        ResourceClass::Foreign {
            base_materials: core && element.name == "basematerials",
        }
    }

    /// Name for messages.
    pub(crate) fn label(self) -> &'static str {
        match self {
            ResourceClass::Function => "a function",
            ResourceClass::Image => "an image",
            ResourceClass::Volume => "volume data",
            ResourceClass::Mesh => "a mesh object",
            ResourceClass::Components => "an object of components",
            ResourceClass::LevelSet => "a level set",
            ResourceClass::OtherObject => "an object",
            ResourceClass::Foreign {
                base_materials: true,
            } => "a group of base materials",
            ResourceClass::Foreign {
                base_materials: false,
            } => "a resource of another kind",
            ResourceClass::Broken => "a resource that could not be read",
        }
    }
}

/// Role of a reference: where it stands, and which resources it accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    PropertyGroup,
    TriangleProperties,
    BaseMaterials,
    Object,
    Mesh,
    Function,
    Image,
    Volume,
    /// Of XML that is only kept, so a missing resource is a warning.
    Kept,
    /// Of XML in a mesh that is only kept.
    KeptInMesh,
}

impl Role {
    /// Attribute, or element, and the accepted resources for messages.
    fn labels(self) -> (&'static str, &'static str) {
        let group = "a group of materials, colours or texture coordinates";
        match self {
            Role::PropertyGroup => ("pid", group),
            Role::TriangleProperties => ("pid of a triangle", group),
            Role::BaseMaterials => ("basematerialid", "a group of base materials"),
            Role::Object => ("objectid", "an object"),
            Role::Mesh => ("meshid", "a mesh object"),
            Role::Function => ("functionid", "a function"),
            Role::Image => ("image3did", "an image3d"),
            Role::Volume => ("volumeid", "volume data"),
            Role::Kept => ("it", "a resource"),
            Role::KeptInMesh => ("its mesh", "a resource"),
        }
    }

    fn accepts(self, class: ResourceClass) -> bool {
        use ResourceClass as Class;
        let base_materials = true;
        let object = matches!(
            class,
            Class::Mesh | Class::Components | Class::LevelSet | Class::OtherObject
        );
        class == Class::Broken
            || match self {
                Role::PropertyGroup | Role::TriangleProperties => {
                    matches!(class, Class::Foreign { .. })
                }
                Role::BaseMaterials => class == Class::Foreign { base_materials },
                Role::Object => object,
                Role::Mesh => class == Class::Mesh,
                Role::Function => class == Class::Function,
                Role::Image => class == Class::Image,
                Role::Volume => class == Class::Volume,
                Role::Kept | Role::KeptInMesh => true,
            }
    }
}

/// Resource or build item that has a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReferenceOwner {
    Object(u32),
    /// Number of the item, from 1 on.
    Item(usize),
    Volume(u32),
    ImageFunction(u32),
    Foreign(u32),
}

impl ReferenceOwner {
    /// Id of the resource; `None` for a build item.
    pub(crate) fn resource(self) -> Option<u32> {
        match self {
            ReferenceOwner::Object(id)
            | ReferenceOwner::Volume(id)
            | ReferenceOwner::ImageFunction(id)
            | ReferenceOwner::Foreign(id) => Some(id),
            ReferenceOwner::Item(_) => None,
        }
    }
}

impl fmt::Display for ReferenceOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReferenceOwner::Object(id) => write!(f, "object {id}"),
            ReferenceOwner::Item(number) => write!(f, "build item {number}"),
            ReferenceOwner::Volume(id) => write!(f, "volume data {id}"),
            ReferenceOwner::ImageFunction(id) => write!(f, "image function {id}"),
            ReferenceOwner::Foreign(id) => write!(f, "resource {id}"),
        }
    }
}

/// Reference to be checked when all resources are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reference {
    pub(crate) owner: ReferenceOwner,
    pub(crate) role: Role,
    pub(crate) id: u32,
    pub(crate) line: u64,
    /// True if its target was not read yet.
    pub(crate) is_forward: bool,
}

/// Reference of a build item or component to an object of another part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExternalReference {
    pub(crate) owner: ReferenceOwner,
    pub(crate) object: ResourceId,
    pub(crate) path: String,
    pub(crate) line: u64,
}

/// Checks references against the resources of the file.
///
/// # Errors
/// The first that leads nowhere or to a resource of another class, unless all errors are collected.
pub(crate) fn check_references(
    references: &[Reference],
    resources: &BTreeMap<u32, ResourceClass>,
    part: &Location,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    for reference in references {
        let (owner, id) = (reference.owner, reference.id);
        let (role, expected) = reference.role.labels();
        let place = part.at_line(reference.line);
        let refers = format!("{owner}: {role} refers to resource {id}, which");
        match resources.get(&id) {
            Some(&class) if reference.role.accepts(class) => {
                if reference.is_forward && class != ResourceClass::Broken {
                    let message = format!("{refers} follows it, but must precede it");
                    findings.repair("forward_reference", place, message);
                }
            }
            Some(class) => {
                let problem = Problem::WrongResource {
                    from: format!("{owner}, {role}"),
                    id,
                    actual: class.label().to_owned(),
                    expected,
                };
                findings.fail(problem.at(place))?;
            }
            None => {
                let text = format!("{refers} is not in the file");
                if matches!(reference.role, Role::Kept | Role::KeptInMesh) {
                    let fix = "add the resource, or remove the reference";
                    findings.warn("dangling_reference", place, text, fix);
                } else {
                    findings.fail(Problem::DanglingReference(text).at(place))?;
                }
            }
        }
    }
    Ok(())
}
