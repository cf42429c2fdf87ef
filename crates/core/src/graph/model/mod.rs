//! The 3MF model of a project: objects, level sets, volume data, images, the build, metadata and the package.
//!
//! All of it is plain data. Large contents (triangles of meshes, sheets of images, uninterpreted XML) are stored
//! elsewhere and referenced by content hash.
//!
//! Sources: the 3MF core specification 1.3, the volumetric extension 0.8.

mod build;
mod check;
mod error;
mod extra;
mod image;
mod object;
mod package;
mod references;
mod resource;
mod transform;
mod volume;

pub use build::{BuildItem, Metadata, ModelInfo, Part, Relationship, Unit};
pub(crate) use check::{check_info, check_metadata, check_part};
pub use check::{is_media_type, is_xml_name, no_character};
pub use error::ModelError;
pub use extra::{Attribute, Extra, Foreign};
pub use image::{ImageStack, Sheet};
pub use object::{Body, Component, LevelSet, MeshBody, Object, ObjectType, PropertyRef};
pub use package::{ItemData, Model, ModelData, PartData};
pub use resource::ModelResource;
pub use transform::Transform;
pub use volume::{Composite, Field, Property, VolumeData};
