//! The hash of a state: a sum of one hash for each element, so that it does not depend on the order of the elements
//! and a change of one costs only that one.
//!
//! The hash is stored and compared across processes, platforms and versions, so the bytes below never change. Sums
//! wrap at 2^64. An element's hash is the first eight bytes, little endian, of the BLAKE3 hash of its bytes:
//!
//! - function: 1, id `u32`, name
//! - node: 2, function id `u32`, node id `u32`, the kind's name, overload in force `u16`, display name (0, or 1 and
//!   the text), position (0, or 1 and two `f64`), signature (0, or 1 and what follows where it is the node's own:
//!   names of the parameters, names of the ports, number of overloads `u16` and for each the types of the parameters
//!   and of the ports), and for each parameter that is set its index `u16` and 1 with the value, or 2 with the
//!   source's node id `u32` and port index `u16`
//! - image function: 3, id `u32`, name, image id `u32`, scale `f64`, offset `f64`, filter `u8`, three tile styles `u8`
//! - mesh, beam lattice or image: 4, id `u32`, the kind's name; not what it contains
//! - file: 5, id `u32`, name, media type, size `u64`, content hash (32 bytes)
//! - object, image, volume data or other resource: 6, id `u32`, and itself in the form of postcard
//! - nodes (11), edges (12) and the schema (13) of the knowledge graph: see `knowledge::hash`
//! - what a file says of itself, unless it says nothing: 7; metadata: 8, name; item of the build: 9, id; part of the
//!   package: 10, name; each with itself, all in the form of postcard
//!
//! Numbers are little endian, `f64` by their bits. A text is its length in bytes `u32` and its bytes, a list of texts
//! or types its length `u16` and its items. A value is its type and its scalars, `i64`, text or id. A type is one
//! byte: float 1, float3 2, matrix4x4 3, integer 4, string 5, resource id 6. Filter: nearest 1, linear 2. Tile style:
//! wrap 1, mirror 2, clamp 3, none 4.

use std::borrow::Cow;

use fibula_nodes::{Filter, ResourceId, Signature, TileStyle, Type, Value};
use serde::Serialize;

use super::file::ContentHash;
use super::function::{Input, NodeKey, Stored};
use super::ids::{FunctionId, NodeId};
use super::resource::{ImageFunction, Resource};

/// The hash of a function's id and name, without its nodes.
pub(super) fn function(id: FunctionId, name: &str) -> u64 {
    let mut bytes = Bytes::default();
    bytes.byte(1);
    bytes.id(id.0);
    bytes.text(name);
    bytes.hash()
}

/// The hash of a node; `id` gives the id of a source. The buffer is only there to be used again.
pub(super) fn node(
    function: FunctionId,
    stored: &Stored,
    id: impl Fn(NodeKey) -> NodeId,
    bytes: &mut Bytes,
) -> u64 {
    bytes.0.clear();
    bytes.byte(2);
    bytes.id(function.0);
    bytes.id(stored.id.0);
    bytes.text(stored.kind.info().name);
    bytes.count(stored.rule);
    match &stored.display_name {
        None => bytes.byte(0),
        Some(name) => {
            bytes.byte(1);
            bytes.text(name);
        }
    }
    match &stored.position {
        None => bytes.byte(0),
        Some(position) => {
            bytes.byte(1);
            bytes.scalars(position);
        }
    }
    match &stored.signature {
        Cow::Borrowed(_) => bytes.byte(0),
        Cow::Owned(signature) => {
            bytes.byte(1);
            bytes.signature(signature);
        }
    }
    for (place, input) in stored.inputs.iter().enumerate() {
        match input {
            Input::Unset => {}
            Input::Value(value) => {
                bytes.count(place);
                bytes.byte(1);
                bytes.value(value);
            }
            Input::Link { source, port } => {
                bytes.count(place);
                bytes.byte(2);
                bytes.id(id(*source).0);
                bytes.count(*port);
            }
        }
    }
    bytes.hash()
}

/// The hash of a resource that is no function graph.
pub(super) fn resource(id: ResourceId, resource: &Resource) -> u64 {
    let mut bytes = Bytes::default();
    match resource {
        Resource::ImageFunction(image) => {
            bytes.byte(3);
            bytes.id(id.0);
            bytes.image(image);
        }
        Resource::Content(content) => {
            bytes.byte(4);
            bytes.id(id.0);
            bytes.text(content.kind().name());
        }
        Resource::Model(resource) => {
            bytes.byte(6);
            bytes.id(id.0);
            bytes.data(resource);
        }
        Resource::File(file) => {
            bytes.byte(5);
            bytes.id(id.0);
            bytes.text(&file.name);
            bytes.text(&file.media_type);
            bytes.0.extend_from_slice(&file.size.to_le_bytes());
            bytes.0.extend_from_slice(&file.content.0);
        }
    }
    bytes.hash()
}

/// What part of a model an entry is of.
#[derive(Debug, Clone, Copy)]
pub(super) enum Entry {
    Info,
    Metadata,
    Item,
    Part,
}

/// The hash of an entry of a model.
pub(super) fn entry(entry: Entry, key: &impl Serialize, value: &impl Serialize) -> u64 {
    let code = match entry {
        Entry::Info => 7,
        Entry::Metadata => 8,
        Entry::Item => 9,
        Entry::Part => 10,
    };
    let mut bytes = Bytes(vec![code]);
    bytes.data(key);
    bytes.data(value);
    bytes.hash()
}

/// What of an element is hashed.
#[derive(Debug, Clone, Default)]
pub(super) struct Bytes(Vec<u8>);

impl Bytes {
    fn hash(&self) -> u64 {
        ContentHash::of(&self.0).short()
    }

    fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    /// A length or index; a node has far fewer parameters, ports and overloads than would fit.
    fn count(&mut self, count: usize) {
        self.0.extend_from_slice(&(count as u16).to_le_bytes());
    }

    fn id(&mut self, id: u32) {
        self.0.extend_from_slice(&id.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.id(text.len() as u32);
        self.0.extend_from_slice(text.as_bytes());
    }

    /// Plain data, in the form of postcard.
    fn data(&mut self, data: &impl Serialize) {
        self.0 = postcard::to_extend(data, std::mem::take(&mut self.0))
            .expect("plain data in memory can be written");
    }

    fn scalars(&mut self, scalars: &[f64]) {
        for scalar in scalars {
            self.0.extend_from_slice(&scalar.to_bits().to_le_bytes());
        }
    }

    fn value(&mut self, value: &Value) {
        self.byte(type_code(value.ty()));
        match value {
            Value::Float(_) | Value::Float3(_) | Value::Matrix4x4(_) => {
                self.scalars(value.scalars());
            }
            Value::Integer(number) => self.0.extend_from_slice(&number.to_le_bytes()),
            Value::String(text) => self.text(text),
            Value::ResourceId(id) => self.id(id.0),
        }
    }

    fn signature(&mut self, signature: &Signature) {
        self.count(signature.parameters.len());
        for parameter in &signature.parameters {
            self.text(&parameter.name);
        }
        self.count(signature.ports.len());
        for port in &signature.ports {
            self.text(&port.name);
        }
        self.count(signature.overloads.len());
        for rule in &signature.overloads {
            for types in [&rule.inputs, &rule.outputs] {
                self.count(types.len());
                self.0.extend(types.iter().map(|&ty| type_code(ty)));
            }
        }
    }

    fn image(&mut self, image: &ImageFunction) {
        self.text(&image.name);
        self.id(image.image.0);
        self.scalars(&[image.scale, image.offset]);
        self.byte(match image.filter {
            Filter::Nearest => 1,
            Filter::Linear => 2,
        });
        self.0.extend(image.tiles.map(|tile| match tile {
            TileStyle::Wrap => 1,
            TileStyle::Mirror => 2,
            TileStyle::Clamp => 3,
            TileStyle::None => 4,
        }));
    }
}

fn type_code(ty: Type) -> u8 {
    match ty {
        Type::Float => 1,
        Type::Float3 => 2,
        Type::Matrix4x4 => 3,
        Type::Integer => 4,
        Type::String => 5,
        Type::ResourceId => 6,
    }
}
