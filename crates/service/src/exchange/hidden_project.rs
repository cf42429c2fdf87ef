//! A project under a hidden name, which an import fills and then publishes.
//!
//! An aborted import is removed at once, or, if the process ended, by an import a day later.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fibula_store::{ProjectId, Registration, Store, StoreError};

use crate::project::change::now;
use crate::project::names::{HIDDEN, is_hidden, name_taken};
use crate::refusal::Result;

/// Age in milliseconds after which an unfinished import is abandoned.
const STALE_MS: u64 = 24 * 60 * 60 * 1000;

/// A project that nobody sees; dropping it before it is published removes it.
pub(super) struct HiddenProject {
    store: Arc<dyn Store>,
    id: ProjectId,
    is_published: bool,
}

impl HiddenProject {
    /// Creates an empty project, and removes abandoned ones.
    pub(super) fn new(store: &Arc<dyn Store>) -> Result<Self, StoreError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        sweep(&**store)?;
        let (at, count) = (now(), COUNT.fetch_add(1, Ordering::Relaxed));
        let name = format!("{HIDDEN}{at}-{}-{count}", std::process::id());
        let id = store.register(Registration::Create { name, at })?;
        Ok(HiddenProject {
            store: store.clone(),
            id,
            is_published: false,
        })
    }

    pub(super) fn id(&self) -> ProjectId {
        self.id
    }

    /// Renames the project to its final name.
    ///
    /// # Errors
    /// A [`Refusal`](crate::Refusal) if the name is taken.
    pub(super) fn publish(&mut self, name: &str) -> Result<()> {
        let rename = Registration::Rename {
            id: self.id,
            name: name.to_owned(),
        };
        match self.store.register(rename) {
            Err(StoreError::NameTaken(_)) => return Err(name_taken(name)),
            outcome => outcome?,
        };
        self.is_published = true;
        Ok(())
    }
}

impl Drop for HiddenProject {
    fn drop(&mut self) {
        if self.is_published {
            return;
        }
        if let Err(error) = purge(&*self.store, self.id) {
            tracing::error!(%error, "an aborted import is still in the store");
        }
    }
}

/// Removes abandoned imports.
fn sweep(store: &dyn Store) -> Result<(), StoreError> {
    let old = now().saturating_sub(STALE_MS);
    for row in store.projects()? {
        if is_hidden(&row.name) && row.created < old {
            purge(store, row.id)?;
        }
    }
    Ok(())
}

/// Purges a project at once, since it was never published.
fn purge(store: &dyn Store, id: ProjectId) -> Result<(), StoreError> {
    store.register(Registration::Delete { id, at: now() })?;
    store.register(Registration::Purge { id })?;
    Ok(())
}
