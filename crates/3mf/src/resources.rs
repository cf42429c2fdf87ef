//! What the ids of a file stand for, and whether what refers to them may.

use std::collections::BTreeMap;
use std::fmt;

use super::element::{Element, Space};
use super::error::{Location, Problem, ReadError};
use super::findings::Findings;

/// What an id stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
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
    /// A resource that is only kept; whether it is a group of base materials.
    Foreign {
        base_materials: bool,
    },
    /// What could not be read; nobody is told off for referring to it.
    Broken,
}

impl Kind {
    /// What a resource is that is only kept.
    pub(super) fn foreign(element: &Element) -> Kind {
        let core = element.space == Space::Core;
        Kind::Foreign {
            base_materials: core && element.name == "basematerials",
        }
    }

    /// What messages call it.
    pub(super) fn label(self) -> &'static str {
        match self {
            Kind::Function => "a function",
            Kind::Image => "an image",
            Kind::Volume => "volume data",
            Kind::Mesh => "a mesh object",
            Kind::Components => "an object of components",
            Kind::LevelSet => "a level set",
            Kind::OtherObject => "an object",
            Kind::Foreign {
                base_materials: true,
            } => "a group of base materials",
            Kind::Foreign {
                base_materials: false,
            } => "a resource of another kind",
            Kind::Broken => "a resource that could not be read",
        }
    }
}

/// What a reference needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    PropertyGroup,
    BaseMaterials,
    Object,
    Mesh,
    Function,
    Image,
    Volume,
    /// Something; what refers to it is only kept, so it is a warning if there is nothing.
    Anything,
}

impl Expected {
    fn takes(self, kind: Kind) -> bool {
        let object = matches!(
            kind,
            Kind::Mesh | Kind::Components | Kind::LevelSet | Kind::OtherObject
        );
        kind == Kind::Broken
            || match self {
                Expected::PropertyGroup => matches!(kind, Kind::Foreign { .. }),
                Expected::BaseMaterials => {
                    let base_materials = true;
                    kind == Kind::Foreign { base_materials }
                }
                Expected::Object => object,
                Expected::Mesh => kind == Kind::Mesh,
                Expected::Function => kind == Kind::Function,
                Expected::Image => kind == Kind::Image,
                Expected::Volume => kind == Kind::Volume,
                Expected::Anything => true,
            }
    }

    fn label(self) -> &'static str {
        match self {
            Expected::PropertyGroup => "a group of materials, colours or texture coordinates",
            Expected::BaseMaterials => "a group of base materials",
            Expected::Object => "an object",
            Expected::Mesh => "a mesh object",
            Expected::Function => "a function",
            Expected::Image => "an image3d",
            Expected::Volume => "volume data",
            Expected::Anything => "a resource",
        }
    }
}

/// What refers to something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    Object(u32),
    /// The number of the item, from 1 on.
    Item(usize),
    Volume(u32),
    ImageFunction(u32),
    Foreign(u32),
}

impl Owner {
    /// The id of a resource; `None` for an item of the build.
    pub(super) fn resource(self) -> Option<u32> {
        match self {
            Owner::Object(id)
            | Owner::Volume(id)
            | Owner::ImageFunction(id)
            | Owner::Foreign(id) => Some(id),
            Owner::Item(_) => None,
        }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Owner::Object(id) => write!(f, "object {id}"),
            Owner::Item(number) => write!(f, "build item {number}"),
            Owner::Volume(id) => write!(f, "volume data {id}"),
            Owner::ImageFunction(id) => write!(f, "image function {id}"),
            Owner::Foreign(id) => write!(f, "resource {id}"),
        }
    }
}

/// A reference that is to be held against what there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reference {
    pub(super) owner: Owner,
    /// The attribute.
    pub(super) role: &'static str,
    pub(super) id: u32,
    pub(super) wants: Expected,
    pub(super) line: u64,
    /// Whether what it refers to was not read yet.
    pub(super) early: bool,
}

/// Holds references against what there is.
///
/// # Errors
/// The first that leads nowhere or to something else, unless all faults are collected.
pub(super) fn check(
    references: &[Reference],
    resources: &BTreeMap<u32, Kind>,
    part: &Location,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    for reference in references {
        let Reference {
            owner,
            role,
            id,
            wants,
            line,
            early,
        } = *reference;
        match resources.get(&id) {
            Some(&kind) if wants.takes(kind) => {
                if early && kind != Kind::Broken {
                    let message = format!(
                        "{owner}: {role} refers to resource {id}, which stands after it; references belong backwards"
                    );
                    findings.repair("forward_reference", part.at_line(line), message);
                }
            }
            Some(kind) => findings.fail(
                Problem::WrongResource {
                    from: format!("{owner}, {role}"),
                    id,
                    is: kind.label().to_owned(),
                    wants: wants.label(),
                }
                .at(part.at_line(line)),
            )?,
            None => {
                let text =
                    format!("{owner}: {role} refers to resource {id}, which is not in the file");
                let place = part.at_line(line);
                if wants == Expected::Anything {
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
