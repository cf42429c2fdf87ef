//! The state hash: a sum of one hash per element, so it does not depend on the order of the elements and is updated
//! incrementally.
//!
//! The hash is stored and compared across processes, platforms and versions, so the bytes below never change. Sums
//! wrap at 2^64. An element's hash is the first eight bytes, little endian, of the BLAKE3 hash of its bytes:
//!
//! - function: 1, id `u32`, name
//! - node: 2, function id `u32`, node id `u32`, the kind's name, overload in force `u16`, display name (0, or 1 and
//!   the text), position (0, or 1 and two `f64`), signature (0, or 1 and what follows where it is the node's own:
//!   names of the parameters, names of the ports, number of overloads `u16` and for each the types of the parameters
//!   and of the ports; then for each parameter, and each port after them, that has details, 65535 `u16`, its index
//!   `u16`, the default (0, or 1 and the value), the unit (0, or 1 and the text), the minimum and the maximum (0, or 1
//!   and an `f64` each)), and for each parameter that is set its index `u16` and 1 with the value, or 2 with the source's
//!   node id `u32` and port index `u16`
//! - image function: 3, id `u32`, name, image id `u32`, scale `f64`, offset `f64`, filter `u8`, three tile styles `u8`
//! - mesh, beam lattice or image: 4, id `u32`, the kind's name; not what it contains
//! - file: 5, id `u32`, name, media type, size `u64`, content hash (32 bytes)
//! - object, image, volume data or other resource: 6, id `u32`, and itself in the form of postcard
//! - nodes (11), edges (12) and the schema (13) of the knowledge graph: see `knowledge::hash`
//! - information that a file has about itself, if any: 7; metadata: 8, name; item of the build: 9, id; part of the
//!   package: 10, name; each with itself, all in the form of postcard
//!
//! Numbers are little endian, `f64` by their bits. A text is its length in bytes `u32` and its bytes, a list of texts
//! or types its length `u16` and its items. A value is its type and its scalars, `i64`, text or id. A type is one
//! byte: float 1, float3 2, matrix4x4 3, integer 4, string 5, resource id 6. Filter: nearest 1, linear 2. Tile style:
//! wrap 1, mirror 2, clamp 3, none 4.

use std::borrow::Cow;

use fibula_nodes::{Filter, InputDetails, ResourceId, Signature, TileStyle, Type, Value};
use serde::Serialize;

use super::file::ContentHash;
use super::function::{Input, NodeKey, Stored};
use super::ids::{FunctionId, NodeId};
use super::resource::{ImageFunction, Resource};

/// Hash of a function's id and name, without its nodes.
pub(super) fn function(id: FunctionId, name: &str) -> u64 {
    let mut bytes = HashInput::new(1, id.0);
    bytes.text(name);
    bytes.hash()
}

/// Hash of a node; `id` returns the id of a source. The buffer is passed for reuse.
pub(super) fn node(
    function: FunctionId,
    stored: &Stored,
    id: impl Fn(NodeKey) -> NodeId,
    bytes: &mut HashInput,
) -> u64 {
    bytes.0.clear();
    bytes.byte(2);
    bytes.id(function.0);
    bytes.id(stored.id.0);
    bytes.text(stored.kind.info().name);
    bytes.count(stored.rule);
    let own = match &stored.signature {
        Cow::Borrowed(_) => None,
        Cow::Owned(signature) => Some(signature),
    };
    bytes.optional(stored.display_name.as_deref(), HashInput::text);
    bytes.optional(stored.position.as_ref(), |bytes, place| {
        bytes.scalars(place);
    });
    bytes.optional(own, HashInput::signature);
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

/// Hash of a resource that is not a function graph.
pub(super) fn resource(id: ResourceId, resource: &Resource) -> u64 {
    let code = match resource {
        Resource::ImageFunction(_) => 3,
        Resource::Content(_) => 4,
        Resource::File(_) => 5,
        Resource::Model(_) => 6,
    };
    let mut bytes = HashInput::new(code, id.0);
    match resource {
        Resource::ImageFunction(image) => bytes.image(image),
        Resource::Content(content) => bytes.text(content.kind().name()),
        Resource::Model(resource) => bytes.data(resource),
        Resource::File(file) => {
            bytes.text(&file.name);
            bytes.text(&file.media_type);
            bytes.0.extend_from_slice(&file.size.to_le_bytes());
            bytes.0.extend_from_slice(&file.content.0);
        }
    }
    bytes.hash()
}

/// Kind of an entry of a model; the discriminant is its code.
#[derive(Debug, Clone, Copy)]
pub(super) enum ModelEntry {
    Info = 7,
    Metadata = 8,
    Item = 9,
    Part = 10,
}

/// Hash of an entry of a model.
pub(super) fn entry(entry: ModelEntry, key: &impl Serialize, value: &impl Serialize) -> u64 {
    let mut bytes = HashInput(vec![entry as u8]);
    bytes.data(key);
    bytes.data(value);
    bytes.hash()
}

/// Bytes of an element that are hashed.
#[derive(Debug, Clone, Default)]
pub(super) struct HashInput(Vec<u8>);

impl HashInput {
    fn new(code: u8, id: u32) -> Self {
        let mut bytes = HashInput(vec![code]);
        bytes.id(id);
        bytes
    }

    /// 0, or 1 and what `write` appends.
    fn optional<T: ?Sized>(&mut self, value: Option<&T>, write: impl FnOnce(&mut Self, &T)) {
        self.byte(value.is_some().into());
        if let Some(value) = value {
            write(self, value);
        }
    }

    fn hash(&self) -> u64 {
        ContentHash::digest(&self.0).short()
    }

    fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    /// Length or index; a node has far fewer parameters, ports and overloads than fit.
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
        let parameters = signature.parameters.iter().map(|one| &one.details);
        let ports = signature.ports.iter().map(|one| &one.details);
        for (place, details) in parameters.chain(ports).enumerate() {
            if let Some(details) = details {
                self.count(usize::from(u16::MAX));
                self.count(place);
                self.details(details);
            }
        }
    }

    fn details(&mut self, details: &InputDetails) {
        self.optional(details.default.as_ref(), HashInput::value);
        self.optional(details.unit.as_deref(), HashInput::text);
        for limit in [details.min, details.max] {
            self.optional(limit.as_ref(), |bytes, limit| bytes.scalars(&[*limit]));
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
