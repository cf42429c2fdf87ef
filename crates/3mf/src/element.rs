//! The start of an element: its name, its attributes, and what of them is not understood.

use fibula_core::graph::model::Attribute;

/// What a namespace is, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    /// The core specification.
    Core,
    /// The volumetric extension.
    Volumetric,
    /// The implicit extension.
    Implicit,
    /// Relationships of the package.
    Relationships,
    /// Content types of the package.
    Types,
    /// Any other, or none.
    Other,
}

/// The namespaces that are known.
const KNOWN: [(Space, &str); 5] = [
    (
        Space::Core,
        "http://schemas.microsoft.com/3dmanufacturing/core/2015/02",
    ),
    (
        Space::Volumetric,
        "http://schemas.3mf.io/3dmanufacturing/volumetric/2022/01",
    ),
    (
        Space::Implicit,
        "http://schemas.3mf.io/3dmanufacturing/implicit/2023/12",
    ),
    (
        Space::Relationships,
        "http://schemas.openxmlformats.org/package/2006/relationships",
    ),
    (
        Space::Types,
        "http://schemas.openxmlformats.org/package/2006/content-types",
    ),
];

impl Space {
    /// What a namespace is.
    pub(super) fn of(uri: &str) -> Space {
        let known = KNOWN.iter().find(|(_, known)| *known == uri);
        known.map_or(Space::Other, |(space, _)| *space)
    }

    /// Whether it is that of the volumetric or the implicit extension: drafts had elements of one in the other.
    pub(super) fn is_volumetric(self) -> bool {
        matches!(self, Space::Volumetric | Space::Implicit)
    }
}

/// The start of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Element {
    /// The namespace.
    pub(super) space: Space,
    /// The namespace's address; empty if there is none.
    pub(super) namespace: String,
    /// The name without its prefix.
    pub(super) name: String,
    /// The attributes without a prefix, in their order.
    pub(super) attributes: Vec<(String, String)>,
    /// The attributes with a prefix, in their order, without declarations of namespaces.
    pub(super) others: Vec<Attribute>,
    /// The line where it starts.
    pub(super) line: u64,
    /// All that stands in the tag.
    pub(super) tag: String,
}

impl Element {
    /// The value of an attribute without a prefix.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// The value of an attribute of the volumetric extension, on an element that is not of it.
    pub(super) fn volumetric(&self, name: &str) -> Option<&str> {
        let found = self
            .others
            .iter()
            .find(|one| one.name == name && Space::of(&one.namespace).is_volumetric());
        found.map(|one| one.value.as_str())
    }

    /// The name as it stands in the tag, with its prefix.
    pub(super) fn written(&self) -> &str {
        let end = self.tag.find(|c: char| c.is_ascii_whitespace());
        &self.tag[..end.unwrap_or(self.tag.len())]
    }

    /// The attributes beside those that are understood.
    pub(super) fn rest(&self, understood: &[&str]) -> Vec<Attribute> {
        let own = self.attributes.iter();
        let own = own.filter(|(name, _)| !understood.contains(&name.as_str()));
        let own = own.map(|(name, value)| Attribute {
            namespace: String::new(),
            name: name.clone(),
            value: value.clone(),
        });
        own.chain(self.others.iter().cloned()).collect()
    }

    /// Takes attributes with the prefix of the volumetric extension for those without; whether there was one.
    ///
    /// An element's own attributes have no prefix; drafts and some programs give them that of the element.
    pub(super) fn without_prefixes(&mut self) -> bool {
        let attributes = &mut self.attributes;
        let before = self.others.len();
        self.others.retain(|one| {
            let own = Space::of(&one.namespace).is_volumetric()
                && attributes.iter().all(|(name, _)| *name != one.name);
            if own {
                attributes.push((one.name.clone(), one.value.clone()));
            }
            !own
        });
        self.others.len() < before
    }
}
