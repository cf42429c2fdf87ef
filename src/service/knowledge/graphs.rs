//! What is kept beside the knowledge graph of a project, so that questions are answered quickly.

use std::sync::{Arc, Mutex, PoisonError};

use crate::knowledge::Knowledge;
use crate::network::Network;
use crate::search::SearchIndex;
use crate::service::project::{Project, Snapshot};
use crate::service::refusal::Refusal;

/// The index of words, which follows the graph, and the network of the state that was asked for last.
#[derive(Debug, Default)]
pub(in crate::service) struct Graphs {
    index: Mutex<SearchIndex>,
    network: Mutex<Option<Arc<Network>>>,
}

impl Project {
    /// Reads the index of words of a graph, of which what changed since it was read last is read before. Of an earlier
    /// state an index is made anew.
    pub(super) fn searched<T>(
        &self,
        snapshot: &Snapshot,
        is_present: bool,
        read: impl FnOnce(&SearchIndex) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let graph = snapshot.document.knowledge();
        if is_present {
            let mut index = self.graphs.index.lock();
            // What a panic leaves behind may be half an index.
            let index = index.as_mut().unwrap_or_else(|poisoned| {
                let index = poisoned.get_mut();
                **index = SearchIndex::default();
                index
            });
            index.follow(graph);
            return read(index);
        }
        let mut index = SearchIndex::default();
        index.follow(graph);
        read(&index)
    }

    /// The network of a graph.
    pub(super) fn network(&self, graph: &Knowledge) -> Arc<Network> {
        let kept = || {
            self.graphs
                .network
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(network) = &*kept()
            && network.is_of(graph)
        {
            return network.clone();
        }
        let network = Arc::new(Network::new(graph));
        *kept() = Some(network.clone());
        network
    }
}
