//! Access to the cached indexes and network of a knowledge graph.

use std::sync::{Arc, PoisonError};

use fibula_knowledge::network::Network;
use fibula_knowledge::search::SearchIndex;
use fibula_knowledge::{Knowledge, NodeRef};

use crate::project::change::Snapshot;
use crate::project::commit::Project;
use crate::project::knowledge_indexes::lock_index;
use crate::refusal::Result;

impl Project {
    /// Queries the full-text index, after adding what changed since the last query. For an earlier state an index is
    /// built.
    pub(super) fn with_search_index<T>(
        &self,
        snapshot: &Snapshot,
        is_present: bool,
        read: impl FnOnce(&SearchIndex) -> Result<T>,
    ) -> Result<T> {
        let graph = snapshot.document.knowledge();
        if is_present {
            let mut index = lock_index(&self.graphs.index);
            index.update(graph);
            return read(&index);
        }
        let mut index = SearchIndex::default();
        index.update(graph);
        read(&index)
    }

    /// Candidates for nodes that contain a text, in arbitrary order.
    pub(super) fn text_candidates<'a>(&self, graph: &'a Knowledge, text: &str) -> Vec<NodeRef<'a>> {
        lock_index(&self.graphs.parts).candidates(graph, text)
    }

    /// Returns the network of a graph, from the cache if it is there.
    pub(super) fn network(&self, graph: &Knowledge) -> Arc<Network> {
        let cached = || {
            self.graphs
                .network
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(network) = &*cached()
            && network.is_of(graph)
        {
            return network.clone();
        }
        let network = Arc::new(Network::new(graph));
        *cached() = Some(network.clone());
        network
    }
}
