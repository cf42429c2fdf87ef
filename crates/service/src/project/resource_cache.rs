//! Least-recently-used cache of decoded meshes and images, shared by all projects.

use std::sync::{Arc, Mutex, PoisonError};

use fibula_core::graph::{Content, ContentHash};

/// Approximate number of bytes kept for all projects; the entry used last is kept whatever its size.
const MOST_BYTES: u64 = 512 << 20;

/// Decoded meshes and images, most recently used last.
#[derive(Debug, Default)]
pub(crate) struct ResourceCache(Mutex<Vec<CachedContent>>);

#[derive(Debug)]
pub(crate) struct CachedContent {
    pub(crate) contents: Vec<ContentHash>,
    pub(crate) bytes: u64,
    pub(crate) content: Arc<dyn Content>,
}

impl ResourceCache {
    pub(crate) fn find(&self, contents: &[ContentHash]) -> Option<Arc<dyn Content>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().position(|one| one.contents == contents)?;
        let found = kept.remove(place);
        let content = found.content.clone();
        kept.push(found);
        Some(content)
    }

    pub(crate) fn keep(&self, new: CachedContent) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push(new);
        let mut bytes: u64 = kept.iter().map(|one| one.bytes).sum();
        while bytes > MOST_BYTES && kept.len() > 1 {
            bytes -= kept.remove(0).bytes;
        }
    }
}
