//! Snapshots: states in a compact binary form (postcard, compressed with Zstandard, with a BLAKE3 checksum).
//!
//! Snapshots are caches and may be discarded, except for the base of a compacted log.

use std::collections::BTreeMap;
use std::io::Read;

use fibula_core::edit::State;
use fibula_core::graph::{Compact, CompactDetails, CompactModel};
use fibula_knowledge::CompactKnowledge;
use serde::{Deserialize, Serialize};

use super::{Damage, StoredSnapshot};

/// Snapshot format that is written. Formats 1 to 3, which lack fields at the end, and 4, which has no edges at inputs of
/// functions, can be read too.
pub const SNAPSHOT_FORMAT: u32 = 5;

/// First bytes of every snapshot, followed by format and checksum.
const MAGIC: &[u8; 8] = b"fibulaS\0";
const HEAD: usize = 8 + 4 + 32;
/// Maximum decompressed size in bytes.
const LARGEST: u64 = 4 << 30;
/// Compression level. It is fast and reduces the size to a third; higher levels cost more time than they save.
const LEVEL: i32 = 1;

/// Maximum number of snapshots of a project. They are spread over its history, so that no past state is far from one.
const MAX_SNAPSHOTS: usize = 64;

/// Returns the snapshots that are to be removed, given the revisions of all in ascending order: each time the one whose
/// neighbours are closest to each other. The first and the last two stay.
pub(crate) fn superfluous(revisions: &[u64]) -> Vec<u64> {
    let mut kept = revisions.to_vec();
    let mut removed = Vec::new();
    while kept.len() > MAX_SNAPSHOTS {
        let inner = 1..kept.len() - 2;
        let closest = inner.min_by_key(|&at| kept[at + 1] - kept[at - 1]);
        removed.extend(closest.map(|at| kept.remove(at)));
    }
    removed
}

#[derive(Serialize, Deserialize)]
struct Body {
    revision: u64,
    checkpoints: BTreeMap<String, u64>,
    document: Compact,
}

/// Encodes a state.
///
/// # Panics
/// If the compressor cannot allocate memory.
pub fn encode(state: &State) -> StoredSnapshot {
    let body = Body {
        revision: state.revision(),
        checkpoints: state.checkpoints().clone(),
        document: state.document().compact(),
    };
    let plain = postcard::to_stdvec(&body).expect("every field has a postcard form");
    let packed = zstd::bulk::compress(&plain, LEVEL).expect("the compressor can allocate memory");
    let mut bytes = Vec::with_capacity(HEAD + packed.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&SNAPSHOT_FORMAT.to_le_bytes());
    bytes.extend_from_slice(blake3::hash(&packed).as_bytes());
    bytes.extend_from_slice(&packed);
    StoredSnapshot {
        revision: state.revision(),
        hash: state.hash(),
        bytes,
    }
}

/// Decodes and checks a snapshot.
///
/// # Errors
/// [`Damage::Snapshot`] if the snapshot is damaged, has an unknown format, or its revision or state hash differ from
/// those of `stored`.
pub fn decode(stored: &StoredSnapshot) -> Result<State, Damage> {
    let damage = |message: String| Damage::Snapshot {
        revision: stored.revision,
        message,
    };
    let bytes = &stored.bytes;
    if bytes.len() < HEAD || bytes[..8] != MAGIC[..] {
        return Err(damage("it lacks the header of a snapshot".to_owned()));
    }
    let format = u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]);
    if !(1..=SNAPSHOT_FORMAT).contains(&format) {
        return Err(damage(format!(
            "it has format {format}, but this program reads 1 to {SNAPSHOT_FORMAT}"
        )));
    }
    let packed = &bytes[HEAD..];
    if blake3::hash(packed).as_bytes()[..] != bytes[12..HEAD] {
        return Err(damage("its checksum does not match".to_owned()));
    }
    let mut plain = Vec::new();
    zstd::Decoder::new(packed)
        .and_then(|decoder| decoder.take(LARGEST).read_to_end(&mut plain))
        .map_err(|error| damage(error.to_string()))?;
    let details: Vec<CompactDetails> = Vec::new();
    let end = match format {
        1 => postcard::to_stdvec(&(
            CompactModel::default(),
            CompactKnowledge::default(),
            details,
        )),
        2 => postcard::to_stdvec(&(CompactKnowledge::default(), details)),
        3 => postcard::to_stdvec(&details),
        _ => Ok(Vec::new()),
    };
    plain.extend(end.map_err(|error| damage(error.to_string()))?);
    let body: Body = postcard::from_bytes(&plain).map_err(|error| damage(error.to_string()))?;
    let document = body.document.document();
    let document = document.map_err(|error| damage(error.to_string()))?;
    let state = State::new(document, body.revision, body.checkpoints);
    if body.revision != stored.revision || state.hash() != stored.hash {
        return Err(damage("it belongs to another state".to_owned()));
    }
    Ok(state)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snapshots_are_spread_over_the_history() {
        for step in [1, 7, 900] {
            let mut kept: Vec<u64> = Vec::new();
            for at in 1..=1_000_u64 {
                kept.push(at * step);
                let removed = superfluous(&kept);
                kept.retain(|revision| !removed.contains(revision));
                assert!(kept.len() <= MAX_SNAPSHOTS);
                assert!(kept.contains(&step) && kept.ends_with(&[at * step]));
                if at > 1 {
                    assert!(kept.contains(&((at - 1) * step)));
                }
                let widest = kept.windows(2).map(|pair| pair[1] - pair[0]).max();
                let even = at * step / kept.len() as u64;
                assert!(widest.unwrap_or(0) <= 4 * even.max(step), "{at}: {kept:?}");
            }
        }
    }
}
