//! What is kept beside the knowledge graph of a project, so that questions are answered quickly.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fibula_knowledge::network::Network;
use fibula_knowledge::search::{PartIndex, SearchIndex};
use fibula_knowledge::{Knowledge, NodeRef};

use crate::project::{Project, Snapshot};
use crate::refusal::Refusal;

/// The indexes, which follow the graph, and the network of the state that was asked for last.
#[derive(Debug, Default)]
pub(crate) struct Graphs {
    index: Mutex<SearchIndex>,
    parts: Mutex<PartIndex>,
    network: Mutex<Option<Arc<Network>>>,
}

/// An index for one to read; what a panic left behind may be half of one, and is made anew.
fn whole<T: Default>(index: &Mutex<T>) -> MutexGuard<'_, T> {
    index.lock().unwrap_or_else(|poisoned| {
        let mut half = poisoned.into_inner();
        *half = T::default();
        half
    })
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
            let mut index = whole(&self.graphs.index);
            index.follow(graph);
            return read(&index);
        }
        let mut index = SearchIndex::default();
        index.follow(graph);
        read(&index)
    }

    /// The nodes of a graph that may hold a text, in no order that means anything.
    pub(super) fn holding<'a>(&self, graph: &'a Knowledge, text: &str) -> Vec<NodeRef<'a>> {
        whole(&self.graphs.parts).candidates(graph, text)
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
