//! Graphs as bytes, for pickles: small, versioned, and the same for the same content.
//!
//! ```text
//! "fibula" 1                  magic and version
//! zstd(                       the rest is compressed
//!   u64 length, JSON          functions and resources, each after what it refers to
//!   { u64 length, bytes }     contents of meshes and images
//! )
//! ```

use std::collections::HashMap;
use std::sync::Arc;

use fibula_core::graph::model::ModelResource;
use fibula_core::graph::{FunctionData, ImageFunction, NodeId};
use fibula_service::Refusal;
use serde::{Deserialize, Serialize};

use crate::graph::{Graph, ImageCall, Reference, Stored};

const MAGIC: &[u8; 7] = b"fibula\x01";
/// Level of compression: little is gained beyond it.
const LEVEL: i32 = 3;

/// An entry of the list; references are indexes of earlier entries.
#[derive(Debug, Serialize, Deserialize)]
enum Entry {
    Graph(FunctionData, Vec<(NodeId, String, usize)>),
    Image(ImageFunction, usize),
    Stored(ModelResource),
}

/// Writes a graph.
pub(crate) fn pack(graph: &Arc<Graph>) -> Result<Vec<u8>, Refusal> {
    let mut entries = Vec::new();
    let mut places: HashMap<blake3::Hash, usize> = HashMap::new();
    let mut contents: Vec<&[u8]> = Vec::new();
    let all = Reference::in_order(std::iter::once(Reference::Graph(graph.clone())));
    for reference in &all {
        let entry = match reference {
            Reference::Graph(graph) => {
                let references = graph.references().iter();
                let references = references
                    .map(|(node, name, other)| (*node, name.clone(), places[&other.hash()]));
                Entry::Graph(graph.data().clone(), references.collect())
            }
            Reference::Image(call) => {
                let image = Reference::Stored(call.image.clone()).hash();
                Entry::Image(call.settings.clone(), places[&image])
            }
            Reference::Stored(stored) => {
                contents.extend(stored.contents.iter().map(Vec::as_slice));
                Entry::Stored(stored.resource.clone())
            }
        };
        places.insert(reference.hash(), entries.len());
        entries.push(entry);
    }
    let failed = |error: &dyn std::fmt::Display| Refusal::new("internal", error.to_string());
    let text = serde_json::to_vec(&entries).map_err(|error| failed(&error))?;
    let mut plain = Vec::new();
    for part in std::iter::once(text.as_slice()).chain(contents) {
        plain.extend((part.len() as u64).to_le_bytes());
        plain.extend(part);
    }
    let mut packed = MAGIC.to_vec();
    packed.extend(zstd::encode_all(&*plain, LEVEL).map_err(|error| failed(&error))?);
    Ok(packed)
}

/// Reads a graph.
///
/// # Errors
/// A [`Refusal`] if the bytes are of another version, or damaged.
pub(crate) fn unpack(bytes: &[u8]) -> Result<Arc<Graph>, Refusal> {
    let damaged = || {
        Refusal::new(
            "damaged",
            "these bytes are no function of this version of Fibula",
        )
        .hint("pickle it with the same version of the package")
    };
    let packed = bytes.strip_prefix(MAGIC).ok_or_else(damaged)?;
    let plain = zstd::decode_all(packed).map_err(|_| damaged())?;
    let mut rest = plain.as_slice();
    let mut part = || -> Option<&[u8]> {
        let (length, after) = rest.split_first_chunk::<8>()?;
        let (part, after) = after.split_at_checked(u64::from_le_bytes(*length) as usize)?;
        rest = after;
        Some(part)
    };
    let text = part().ok_or_else(damaged)?;
    let entries: Vec<Entry> = serde_json::from_slice(text).map_err(|_| damaged())?;
    let mut made: Vec<Reference> = Vec::with_capacity(entries.len());
    for entry in entries {
        let earlier = |place: usize| made.get(place).cloned().ok_or_else(damaged);
        let reference = match entry {
            Entry::Graph(data, references) => {
                let mut resolved = Vec::with_capacity(references.len());
                for (node, name, place) in references {
                    resolved.push((node, name, earlier(place)?));
                }
                Reference::Graph(Arc::new(Graph::from_parts(data, resolved)))
            }
            Entry::Image(settings, place) => match earlier(place)? {
                Reference::Stored(image) => {
                    Reference::Image(Arc::new(ImageCall { settings, image }))
                }
                Reference::Graph(_) | Reference::Image(_) => return Err(damaged()),
            },
            Entry::Stored(resource) => {
                let count = resource.contents().len();
                let contents = (0..count).map(|_| part().map(<[u8]>::to_vec));
                let contents: Option<Vec<Vec<u8>>> = contents.collect();
                Reference::Stored(Arc::new(Stored {
                    resource,
                    contents: contents.ok_or_else(damaged)?,
                }))
            }
        };
        made.push(reference);
    }
    match made.pop() {
        Some(Reference::Graph(graph)) => Ok(graph),
        _ => Err(damaged()),
    }
}
