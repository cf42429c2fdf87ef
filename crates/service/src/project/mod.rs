//! Projects in memory: group commit, caches, and the registry of open projects.

pub(crate) mod change;
pub(crate) mod damage;
pub(crate) mod names;

pub(crate) mod assembly_cache;
pub(crate) mod history_cache;
pub(crate) mod knowledge_indexes;
pub(crate) mod resource_cache;
pub(crate) mod snapshot_threads;
pub(crate) mod state;
pub(crate) mod tape_cache;

pub(crate) mod commit;

pub(crate) mod history;

pub(crate) mod assembly;
pub(crate) mod resources;
pub(crate) mod tapes;

pub(crate) mod registry;

pub use damage::ProjectDamage;
pub use names::{DEFAULT_PROJECT, is_hidden};
