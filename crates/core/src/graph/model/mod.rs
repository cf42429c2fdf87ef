//! What a project has beside its functions, in the words of 3MF: objects, level sets, volume data, images, the build,
//! and what a file says of itself.
//!
//! All of it is plain data. What is large (the triangles of a mesh, the sheets of an image, XML that is not understood)
//! is only named here, by the hash of its bytes; they lie elsewhere.
//!
//! Sources: the 3MF core specification 1.3, the volumetric extension 0.8.

mod build;
mod check;
mod error;
mod extra;
mod held;
mod image;
mod needs;
mod object;
mod resource;
mod transform;
mod volume;

pub use build::{BuildItem, Metadata, ModelInfo, Part, Relationship, Unit};
pub use check::{check_info, check_metadata, check_part, is_media_type, is_xml_name, no_character};
pub use error::ModelError;
pub use extra::{Attribute, Extra, Foreign};
pub use held::{ItemData, Model, ModelData, PartData};
pub use image::{ImageStack, Sheet};
pub use object::{Body, Component, LevelSet, MeshBody, Object, ObjectType, PropertyRef};
pub use resource::ModelResource;
pub use transform::Transform;
pub use volume::{Composite, Field, Property, VolumeData};
