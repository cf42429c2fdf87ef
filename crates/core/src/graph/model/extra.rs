//! Uninterpreted attributes and elements of a file, preserved for writing.

use fibula_nodes::ResourceId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::graph::{ContentHash, form};

/// An attribute that is not understood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attribute {
    /// The namespace of its name; empty if it has no prefix.
    #[serde(default)]
    pub namespace: String,
    /// Its name without a prefix.
    pub name: String,
    /// The value.
    pub value: String,
}

impl Attribute {
    /// An attribute with this namespace, name and value.
    pub fn new(
        namespace: impl Into<String>,
        name: impl Into<String>,
        value: impl Into<String>,
    ) -> Self {
        Attribute {
            namespace: namespace.into(),
            name: name.into(),
            value: value.into(),
        }
    }
}

/// Attributes and elements of a file that Fibula preserves but does not interpret.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Extra {
    /// Attributes, in their order.
    #[serde(default)]
    pub attributes: Vec<Attribute>,
    /// Elements in it, in their order; each is XML that declares the namespaces that it uses.
    #[serde(default)]
    pub elements: Vec<String>,
}

impl Extra {
    /// True if there are no attributes and elements.
    pub fn is_empty(&self) -> bool {
        self.attributes.is_empty() && self.elements.is_empty()
    }

    /// Path of the part of the package that has the object of an item or component, if it is another part (attribute
    /// `path` of the production extension).
    pub fn external_path(&self) -> Option<&str> {
        const PRODUCTION: &str = "http://schemas.microsoft.com/3dmanufacturing/production/2015/06";
        let is_path = |one: &&Attribute| one.namespace == PRODUCTION && one.name == "path";
        let path = self.attributes.iter().find(is_path);
        path.map(|path| path.value.as_str())
    }

    /// Number of attributes and elements.
    pub(crate) fn size(&self) -> usize {
        self.attributes.len() + self.elements.len()
    }
}

/// An element of a kind that is not understood: the resource of another extension, such as a group of colours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Foreign {
    /// The namespace of the element.
    pub namespace: String,
    /// The element's name without a prefix.
    pub element: String,
    /// Under which hash its XML lies, which declares the namespaces that it uses.
    pub content: ContentHash,
    /// Size of the XML in bytes.
    pub size: u64,
    /// The resources that it refers to, as far as that is known; sorted.
    #[serde(default)]
    #[schemars(with = "Vec<form::ResourceId>")]
    pub references: Vec<ResourceId>,
}
