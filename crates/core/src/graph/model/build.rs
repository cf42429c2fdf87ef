//! Build items, metadata and the package of a file.

use fibula_nodes::ResourceId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::extra::{Attribute, Extra};
use super::object::is_external;
use super::transform::Transform;
use crate::graph::{ContentHash, form};

/// The unit of lengths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "each is the unit of its name")]
pub enum Unit {
    Micron,
    #[default]
    Millimeter,
    Centimeter,
    Inch,
    Foot,
    Meter,
}

impl Unit {
    /// Spellings of the unit, its symbol first.
    pub fn spellings(self) -> &'static [&'static str] {
        match self {
            Unit::Micron => &[
                "um",
                "µm",
                "μm",
                "micron",
                "microns",
                "micrometer",
                "micrometers",
            ],
            Unit::Millimeter => &[
                "mm",
                "millimeter",
                "millimeters",
                "millimetre",
                "millimetres",
            ],
            Unit::Centimeter => &[
                "cm",
                "centimeter",
                "centimeters",
                "centimetre",
                "centimetres",
            ],
            Unit::Inch => &["inch", "in", "inches"],
            Unit::Foot => &["ft", "foot", "feet"],
            Unit::Meter => &["m", "meter", "meters", "metre", "metres"],
        }
    }

    /// Every unit.
    pub const ALL: [Unit; 6] = [
        Unit::Micron,
        Unit::Millimeter,
        Unit::Centimeter,
        Unit::Inch,
        Unit::Foot,
        Unit::Meter,
    ];

    /// The unit's name, as 3MF spells it.
    pub fn name(self) -> &'static str {
        self.definition().0
    }

    /// Length of the unit in metres.
    pub fn metres(self) -> f64 {
        self.definition().1
    }

    fn definition(self) -> (&'static str, f64) {
        match self {
            Unit::Micron => ("micron", 1e-6),
            Unit::Millimeter => ("millimeter", 1e-3),
            Unit::Centimeter => ("centimeter", 1e-2),
            Unit::Inch => ("inch", 0.0254),
            Unit::Foot => ("foot", 0.3048),
            Unit::Meter => ("meter", 1.0),
        }
    }
}

/// A named value of metadata.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Metadata {
    /// The name, such as `Title`; a namespace stands before it in braces: `{http://example.com}Serial`.
    pub name: String,
    /// The value.
    pub value: String,
    /// The type of the value, such as `xs:string`; may be empty.
    #[serde(default, rename = "type")]
    pub value_type: String,
    /// True if programs should preserve it when they change the file; `None` if unspecified.
    #[serde(default)]
    pub preserve: Option<bool>,
}

/// An object that is to be built.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BuildItem {
    /// The object.
    #[schemars(with = "form::ResourceId")]
    pub object: ResourceId,
    /// Where it is placed.
    #[serde(default)]
    pub transform: Transform,
    /// Its number at whoever ordered it; may be empty.
    #[serde(default)]
    pub part_number: String,
    /// Metadata.
    #[serde(default)]
    pub metadata: Vec<Metadata>,
    /// Attributes and elements that Fibula does not interpret.
    #[serde(default)]
    pub extra: Extra,
}

impl BuildItem {
    /// Creates an item for an object with the identity transform.
    pub fn new(object: ResourceId) -> Self {
        BuildItem {
            object,
            transform: Transform::IDENTITY,
            part_number: String::new(),
            metadata: Vec::new(),
            extra: Extra::default(),
        }
    }

    /// True if the object is in another part of the package, so its id is meaningless here.
    pub fn is_external(&self) -> bool {
        is_external(&self.extra)
    }
}

/// Description of a file, besides its metadata.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelInfo {
    /// The unit of lengths.
    #[serde(default)]
    pub unit: Unit,
    /// The language of its texts, such as `en-US`; may be empty.
    #[serde(default)]
    pub language: String,
    /// The namespaces of extensions that who reads the file must understand, beside those that are understood here.
    #[serde(default)]
    pub required: Vec<String>,
    /// The namespaces of extensions that who reads the file should understand.
    #[serde(default)]
    pub recommended: Vec<String>,
    /// Attributes and elements of its model that Fibula does not interpret.
    #[serde(default)]
    pub extra: Extra,
    /// Attributes of its build that Fibula does not interpret.
    #[serde(default)]
    pub build: Vec<Attribute>,
    /// Relationships of the package's parts, besides those of its model and its images.
    #[serde(default)]
    pub relationships: Vec<Relationship>,
}

/// Something that a file's package has beside its model: a thumbnail, an attachment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Media type, such as `image/png`.
    pub media_type: String,
    /// Size in bytes.
    pub size: u64,
    /// Under which hash its bytes lie.
    pub content: ContentHash,
}

/// Relationship between two parts of a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Relationship {
    /// The part that needs the other, without a slash in front; empty for the package as a whole.
    #[serde(default)]
    pub source: String,
    /// The other part, without a slash in front, or an address outside of the package.
    pub target: String,
    /// Type of the relationship: an address that serves only as a name.
    #[serde(rename = "type")]
    pub relation: String,
    /// Its name among those of one source.
    pub id: String,
    /// True if the target is outside of the package.
    #[serde(default)]
    pub external: bool,
}
