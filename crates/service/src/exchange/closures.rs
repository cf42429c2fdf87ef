//! Functions with everything that they call and query: read out of a project, and inserted into one.

use std::collections::BTreeMap;

use fibula_3mf::Model;
use fibula_core::edit::Origin;
use fibula_core::graph::{ContentHash, Document, FunctionId};

use super::import::{ImportResult, insert_model};
use crate::background::ProgressFn;
use crate::project::change::CommitOptions;
use crate::project::names::DEFAULT_PROJECT;
use crate::project::resources::{lost, reachable};
use crate::refusal::Result;
use crate::service::Service;

/// A function of a project at a revision, with the bytes of the meshes and images that it queries.
#[derive(Debug, Clone)]
pub struct FunctionClosure {
    /// The document of the project; the contents of its meshes and images are not loaded.
    pub document: Document,
    /// The revision.
    pub revision: u64,
    /// Bytes of the meshes and images that the function queries, directly or through calls.
    pub contents: BTreeMap<ContentHash, Vec<u8>>,
}

impl Service {
    /// Returns a function with what it calls and queries, at a revision or the current one.
    ///
    /// # Errors
    /// A [`Refusal`](crate::Refusal) if there is no such project, revision or function, or bytes are not in the store.
    pub fn function_closure(
        &self,
        project: Option<&str>,
        revision: Option<u64>,
        function: FunctionId,
    ) -> Result<FunctionClosure> {
        let project = self.project(project)?;
        let snapshot = project.at(revision)?;
        snapshot.document.type_of(function)?;
        let mut contents = BTreeMap::new();
        for id in reachable(&snapshot.document, [function.into()]) {
            let Some(resource) = snapshot.document.model_resource(id) else {
                continue;
            };
            for hash in resource.contents() {
                let bytes = project.content(&snapshot, hash)?;
                let bytes = bytes.ok_or_else(|| lost(&resource.label(id)))?;
                contents.insert(hash, bytes);
            }
        }
        Ok(FunctionClosure {
            document: snapshot.document,
            revision: snapshot.head.revision,
            contents,
        })
    }

    /// Inserts a model into a project as one change; creates the project if it does not exist. `source` names it in the
    /// history. Ids that are taken are renumbered, as [`ImportResult::renumbered`] says.
    ///
    /// # Errors
    /// As [`import_watched`](Self::import_watched).
    pub fn insert_model(
        &self,
        origin: &Origin,
        project: Option<&str>,
        model: &Model,
        source: &str,
        watch: ProgressFn<'_>,
    ) -> Result<ImportResult> {
        let name = project.unwrap_or(DEFAULT_PROJECT);
        insert_model(
            self,
            origin,
            (name, CommitOptions::default()),
            model,
            source,
            watch,
        )
    }
}
