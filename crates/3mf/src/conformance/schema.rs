//! Schemas of the model part as tables: the XSDs of core 1.3, materials 1.2, production 1.2, slice, beam lattice 1.2 and
//! volumetric 0.8. Functions of the implicit extension are left to the reader, which knows the two dialects.
//!
//! The order of resources is not that of the XSD of core, which no program follows: references state it (core 3.4).

use super::values::Target::{self, Display, Properties};
use super::values::Value::{self, Id, OneOf, Reference, Uuid};

/// Namespace with a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Namespace {
    Core,
    TriangleSets,
    Materials,
    Production,
    Alternatives,
    Slice,
    BeamLattice,
    Balls,
    Volumetric,
    Implicit,
}

mod core;
mod extensions;

pub(super) use core::MODEL;
use extensions::{EXTENSIONS, VOLUMETRIC};

use Namespace::{
    Alternatives, Balls, BeamLattice, Core, Materials, Production, Slice, TriangleSets, Volumetric,
};

const URIS: [(Namespace, &str); 10] = [
    (
        Core,
        "http://schemas.microsoft.com/3dmanufacturing/core/2015/02",
    ),
    (
        TriangleSets,
        "http://schemas.microsoft.com/3dmanufacturing/trianglesets/2021/07",
    ),
    (
        Materials,
        "http://schemas.microsoft.com/3dmanufacturing/material/2015/02",
    ),
    (
        Production,
        "http://schemas.microsoft.com/3dmanufacturing/production/2015/06",
    ),
    (
        Alternatives,
        "http://schemas.microsoft.com/3dmanufacturing/production/alternatives/2021/04",
    ),
    (
        Slice,
        "http://schemas.microsoft.com/3dmanufacturing/slice/2015/07",
    ),
    (
        BeamLattice,
        "http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02",
    ),
    (
        Balls,
        "http://schemas.microsoft.com/3dmanufacturing/beamlattice/balls/2020/07",
    ),
    (
        Volumetric,
        "http://schemas.3mf.io/3dmanufacturing/volumetric/2022/01",
    ),
    (
        Namespace::Implicit,
        "http://schemas.3mf.io/3dmanufacturing/implicit/2023/12",
    ),
];

impl Namespace {
    /// Namespace of a URI; `None` if it has no schema here.
    pub(super) fn from_uri(uri: &str) -> Option<Namespace> {
        URIS.iter()
            .find(|(_, known)| *known == uri)
            .map(|(namespace, _)| *namespace)
    }

    /// URI of the namespace.
    pub(super) fn uri(self) -> &'static str {
        URIS[self as usize].1
    }
}

/// Type of an element.
#[derive(Debug)]
pub(super) struct ElementType {
    pub(super) namespace: Namespace,
    pub(super) name: &'static str,
    pub(super) attributes: &'static [AttributeType],
    /// Children of its own namespace, in their order.
    pub(super) children: &'static [Child],
    /// True if elements of other namespaces may follow.
    pub(super) is_open: bool,
}

/// Type of an attribute.
#[derive(Debug)]
pub(super) struct AttributeType {
    /// Namespace of its prefix; `None` if it has none.
    pub(super) namespace: Option<Namespace>,
    pub(super) name: &'static str,
    pub(super) is_required: bool,
    pub(super) value: Value,
}

/// Child of an element, and how often it stands there.
#[derive(Debug)]
pub(super) struct Child {
    pub(super) element: &'static ElementType,
    pub(super) min: usize,
    pub(super) max: usize,
}

const MANY: usize = usize::MAX;

const fn required(name: &'static str, value: Value) -> AttributeType {
    AttributeType {
        namespace: None,
        name,
        is_required: true,
        value,
    }
}

const fn optional(name: &'static str, value: Value) -> AttributeType {
    AttributeType {
        namespace: None,
        name,
        is_required: false,
        value,
    }
}

const fn prefixed(namespace: Namespace, name: &'static str, value: Value) -> AttributeType {
    AttributeType {
        namespace: Some(namespace),
        name,
        is_required: false,
        value,
    }
}

const fn reference(name: &'static str, target: Target) -> AttributeType {
    optional(name, Reference(target))
}

const fn child(element: &'static ElementType, min: usize, max: usize) -> Child {
    Child { element, min, max }
}

const fn open(
    namespace: Namespace,
    name: &'static str,
    attributes: &'static [AttributeType],
    children: &'static [Child],
) -> ElementType {
    ElementType {
        namespace,
        name,
        attributes,
        children,
        is_open: true,
    }
}

const fn closed(
    namespace: Namespace,
    name: &'static str,
    attributes: &'static [AttributeType],
    children: &'static [Child],
) -> ElementType {
    ElementType {
        namespace,
        name,
        attributes,
        children,
        is_open: false,
    }
}

const UUID: AttributeType = prefixed(Production, "UUID", Uuid);
const PATH: AttributeType = prefixed(Production, "path", Value::Path);
const ID: AttributeType = required("id", Id);
const DISPLAY: AttributeType = reference("displaypropertiesid", Display);
const PID: AttributeType = reference("pid", Properties);
const RESOLUTIONS: Value = OneOf(&["fullres", "lowres", "obfuscated"]);
const CAPS: Value = OneOf(&["hemisphere", "sphere", "butt"]);
const TILES: Value = OneOf(&["clamp", "wrap", "mirror", "none"]);
/// Those of functions of images: the volumetric extension has three.
const FUNCTION_TILES: Value = OneOf(&["clamp", "wrap", "mirror"]);
const UNITS: Value = OneOf(&[
    "micron",
    "millimeter",
    "centimeter",
    "inch",
    "foot",
    "meter",
]);
const TYPES: Value = OneOf(&["model", "solidsupport", "support", "surface", "other"]);

/// Type of an element in an open element; `None` if it has none here.
pub(super) fn find(parent: &str, namespace: Namespace, name: &str) -> Option<&'static ElementType> {
    let of_parent = EXTENSIONS
        .iter()
        .filter(|(of, _)| *of == parent)
        .map(|(_, element)| element);
    let volumetric = VOLUMETRIC
        .iter()
        .filter(|_| matches!(parent, "resources" | "object"));
    of_parent
        .chain(volumetric)
        .find(|element| element.namespace == namespace && element.name == name)
}

/// True if a namespace has an element of this name that stands elsewhere than in an element of that name.
pub(super) fn is_misplaced(parent: &str, namespace: Namespace, name: &str) -> bool {
    let mut known = EXTENSIONS.iter();
    known.any(|(of, element)| {
        element.namespace == namespace && element.name == name && *of != parent
    })
}
