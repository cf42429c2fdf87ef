//! Start of an element: its namespace, name and attributes.

use fibula_core::graph::model::Attribute;

/// XML schema that a namespace belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Schema {
    /// Core specification.
    Core,
    /// Volumetric extension.
    Volumetric,
    /// Implicit extension.
    Implicit,
    /// Relationships of the package.
    Relationships,
    /// Content types of the package.
    ContentTypes,
    /// Any other, or none.
    Other,
}

/// Known namespaces.
const KNOWN: [(Schema, &str); 5] = [
    (
        Schema::Core,
        "http://schemas.microsoft.com/3dmanufacturing/core/2015/02",
    ),
    (
        Schema::Volumetric,
        "http://schemas.3mf.io/3dmanufacturing/volumetric/2022/01",
    ),
    (
        Schema::Implicit,
        "http://schemas.3mf.io/3dmanufacturing/implicit/2023/12",
    ),
    (
        Schema::Relationships,
        "http://schemas.openxmlformats.org/package/2006/relationships",
    ),
    (
        Schema::ContentTypes,
        "http://schemas.openxmlformats.org/package/2006/content-types",
    ),
];

impl Schema {
    /// Returns the schema of a namespace.
    pub(crate) fn from_uri(uri: &str) -> Schema {
        let known = KNOWN.iter().find(|(_, known)| *known == uri);
        known.map_or(Schema::Other, |(schema, _)| *schema)
    }

    /// True for the volumetric and the implicit extension: drafts had elements of one in the other.
    pub(crate) fn is_volumetric(self) -> bool {
        matches!(self, Schema::Volumetric | Schema::Implicit)
    }
}

/// Start of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Element {
    /// Schema of the namespace.
    pub(crate) schema: Schema,
    /// URI of the namespace; empty if there is none.
    pub(crate) namespace: String,
    /// Name without its prefix.
    pub(crate) name: String,
    /// Attributes without a prefix, in their order.
    pub(crate) attributes: Vec<(String, String)>,
    /// Attributes with a prefix, in their order, without namespace declarations.
    pub(crate) prefixed: Vec<Attribute>,
    /// Line of its start.
    pub(crate) line: u64,
    /// Raw content of the tag.
    pub(crate) tag: String,
}

impl Element {
    /// True if the element has this schema and name.
    pub(crate) fn is(&self, schema: Schema, name: &str) -> bool {
        self.schema == schema && self.name == name
    }

    /// Value of an attribute without a prefix.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// Value of an attribute of the volumetric extension, on an element of another schema.
    pub(crate) fn volumetric_attribute(&self, name: &str) -> Option<&str> {
        let found = self
            .prefixed
            .iter()
            .find(|one| one.name == name && Schema::from_uri(&one.namespace).is_volumetric());
        found.map(|one| one.value.as_str())
    }

    /// Name as written in the tag, with its prefix.
    pub(crate) fn qualified_name(&self) -> &str {
        let end = self.tag.find(|c: char| c.is_ascii_whitespace());
        &self.tag[..end.unwrap_or(self.tag.len())]
    }

    /// Attributes beside those that are understood.
    pub(crate) fn unknown_attributes(&self, understood: &[&str]) -> Vec<Attribute> {
        let own = self.attributes.iter();
        let own = own.filter(|(name, _)| !understood.contains(&name.as_str()));
        let own = own.map(|(name, value)| Attribute::new("", name, value));
        own.chain(self.prefixed.iter().cloned()).collect()
    }

    /// Moves attributes with the prefix of the volumetric extension to those without, and returns `true` if there were some.
    ///
    /// An element's own attributes have no prefix; drafts and some programs give them that of the element.
    pub(crate) fn strip_prefixes(&mut self) -> bool {
        let attributes = &mut self.attributes;
        let before = self.prefixed.len();
        self.prefixed.retain(|one| {
            let own = Schema::from_uri(&one.namespace).is_volumetric()
                && attributes.iter().all(|(name, _)| *name != one.name);
            if own {
                attributes.push((one.name.clone(), one.value.clone()));
            }
            !own
        });
        self.prefixed.len() < before
    }
}
