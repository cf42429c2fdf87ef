//! Snapshots: states in a compact binary form.
//!
//! They are caches, and may be thrown away, except for the one that a compacted log begins with.

use std::collections::BTreeMap;
use std::io::Read;

use fibula_core::edit::State;
use fibula_core::graph::{Compact, More};
use fibula_knowledge::CompactKnowledge;
use serde::{Deserialize, Serialize};

use super::{Damage, Stored};

/// The format in which snapshots are written. The first two, which lacked parts of the end, are read too.
pub const SNAPSHOT_FORMAT: u32 = 3;

/// What every snapshot begins with, before its format and its checksum.
const MAGIC: &[u8; 8] = b"fibulaS\0";
const HEAD: usize = 8 + 4 + 32;
/// The most bytes that a snapshot may unpack to.
const LARGEST: u64 = 4 << 30;
/// Fast, and a third of the size; higher levels cost more than they save.
const LEVEL: i32 = 1;

#[derive(Serialize, Deserialize)]
struct Body {
    revision: u64,
    checkpoints: BTreeMap<String, u64>,
    document: Compact,
}

/// The state as a snapshot.
///
/// # Panics
/// If memory is not enough to pack it.
pub fn encode(state: &State) -> Stored {
    let body = Body {
        revision: state.revision(),
        checkpoints: state.checkpoints().clone(),
        document: state.document().compact(),
    };
    let plain = postcard::to_stdvec(&body).expect("every part of it can be written");
    let packed = zstd::bulk::compress(&plain, LEVEL).expect("memory is enough to pack it");
    let mut bytes = Vec::with_capacity(HEAD + packed.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&SNAPSHOT_FORMAT.to_le_bytes());
    bytes.extend_from_slice(blake3::hash(&packed).as_bytes());
    bytes.extend_from_slice(&packed);
    Stored {
        revision: state.revision(),
        hash: state.hash(),
        bytes,
    }
}

/// The state that a snapshot holds.
///
/// # Errors
/// [`Damage::Snapshot`] when it is not what was written, is of another revision, or of another format.
pub fn decode(stored: &Stored) -> Result<State, Damage> {
    let damage = |message: String| Damage::Snapshot {
        revision: stored.revision,
        message,
    };
    let bytes = &stored.bytes;
    if bytes.len() < HEAD || bytes[..8] != MAGIC[..] {
        return Err(damage("it does not begin like one".to_owned()));
    }
    let format = u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]);
    if !(1..=SNAPSHOT_FORMAT).contains(&format) {
        return Err(damage(format!(
            "it has format {format}, and this program reads 1 to {SNAPSHOT_FORMAT}"
        )));
    }
    let packed = &bytes[HEAD..];
    if blake3::hash(packed).as_bytes()[..] != bytes[12..HEAD] {
        return Err(damage("its checksum does not fit".to_owned()));
    }
    let mut plain = Vec::new();
    zstd::Decoder::new(packed)
        .and_then(|decoder| decoder.take(LARGEST).read_to_end(&mut plain))
        .map_err(|error| damage(error.to_string()))?;
    let end = match format {
        1 => postcard::to_stdvec(&(More::default(), CompactKnowledge::default())),
        2 => postcard::to_stdvec(&CompactKnowledge::default()),
        _ => Ok(Vec::new()),
    };
    plain.extend(end.map_err(|error| damage(error.to_string()))?);
    let body: Body = postcard::from_bytes(&plain).map_err(|error| damage(error.to_string()))?;
    let document = body
        .document
        .document()
        .map_err(|error| damage(error.to_string()))?;
    let state = State::new(document, body.revision, body.checkpoints);
    if body.revision != stored.revision || state.hash() != stored.hash {
        return Err(damage("it is of another state".to_owned()));
    }
    Ok(state)
}
