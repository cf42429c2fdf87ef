//! Incremental topological sort and cycle detection: Pearce and Kelly's algorithm.
//!
//! Every node has a label, and every link goes from a lower label to a higher one. A link that agrees with the labels
//! needs no work; another one moves only the nodes between its ends. The two most frequent cases take O(1): a target
//! without consumers moves to the end, a source without linked inputs to the beginning, so chains grow at either end in
//! linear time. Source: D. J. Pearce, P. H. J. Kelly, A Dynamic Topological Sort Algorithm for Directed Acyclic Graphs,
//! ACM JEA 11 (2006).

use rustc_hash::FxHashMap;

use super::error::GraphError;
use super::function::{Function, Input, NodeKey};

/// Labels that change for a link.
#[derive(Debug, Clone, Default)]
pub(crate) struct Relabeling(Vec<(NodeKey, i64)>);

impl Function {
    /// New labels for a link from `source` to `target`.
    ///
    /// # Errors
    /// [`GraphError::SelfLink`] and [`GraphError::Cycle`] with the path.
    pub(crate) fn reorder(
        &self,
        source: NodeKey,
        target: NodeKey,
    ) -> Result<Relabeling, GraphError> {
        let (from, to) = (self.stored(source), self.stored(target));
        if source == target {
            return Err(GraphError::SelfLink { node: from.label() });
        }
        if from.label < to.label {
            return Ok(Relabeling::default());
        }
        if to.consumers.is_empty() {
            return Ok(Relabeling(vec![(target, self.labels.1)]));
        }
        let mut inputs = from.inputs.iter();
        if !inputs.any(|input| matches!(input, Input::Link { .. })) {
            return Ok(Relabeling(vec![(source, self.labels.0 - 1)]));
        }
        let after = self.reached_forward(target, source)?;
        let before = self.reached_backward(source, to.label);
        let labels = before.iter().chain(&after);
        let mut labels: Vec<i64> = labels.map(|&key| self.stored(key).label).collect();
        labels.sort_unstable();
        let sorted = |mut keys: Vec<NodeKey>| {
            keys.sort_unstable_by_key(|&key| self.stored(key).label);
            keys
        };
        let order = sorted(before).into_iter().chain(sorted(after));
        Ok(Relabeling(order.zip(labels).collect()))
    }

    /// Forward breadth-first search from `start` over labels below that of `end`.
    fn reached_forward(&self, start: NodeKey, end: NodeKey) -> Result<Vec<NodeKey>, GraphError> {
        let limit = self.stored(end).label;
        let mut came_from: FxHashMap<NodeKey, NodeKey> = FxHashMap::default();
        let mut found = vec![start];
        let mut next = 0;
        while let Some(&key) = found.get(next) {
            next += 1;
            for consumer in &self.stored(key).consumers {
                let reached = consumer.node;
                if reached == end {
                    return Err(self.cycle(start, key, end, &came_from));
                }
                if self.stored(reached).label < limit
                    && reached != start
                    && !came_from.contains_key(&reached)
                {
                    came_from.insert(reached, key);
                    found.push(reached);
                }
            }
        }
        Ok(found)
    }

    /// Backward breadth-first search from `start` over labels above `limit`.
    fn reached_backward(&self, start: NodeKey, limit: i64) -> Vec<NodeKey> {
        let mut seen = rustc_hash::FxHashSet::from_iter([start]);
        let mut found = vec![start];
        let mut next = 0;
        while let Some(&key) = found.get(next) {
            next += 1;
            for input in &self.stored(key).inputs {
                if let Input::Link { source, .. } = *input
                    && self.stored(source).label > limit
                    && seen.insert(source)
                {
                    found.push(source);
                }
            }
        }
        found
    }

    fn cycle(
        &self,
        start: NodeKey,
        last: NodeKey,
        end: NodeKey,
        came_from: &FxHashMap<NodeKey, NodeKey>,
    ) -> GraphError {
        let mut path = vec![end, last];
        let mut key = last;
        while let Some(&before) = came_from.get(&key) {
            path.push(before);
            key = before;
        }
        debug_assert_eq!(key, start, "the walk began there");
        path.push(end);
        path.reverse();
        GraphError::Cycle {
            path: path.into_iter().map(|key| self.stored(key).id).collect(),
        }
    }

    pub(crate) fn relabel(&mut self, reorder: &Relabeling) {
        for &(key, label) in &reorder.0 {
            self.nodes.set_label(key, label);
            self.labels.0 = self.labels.0.min(label);
            self.labels.1 = self.labels.1.max(label + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Document, FunctionData, FunctionId, NodeData, NodeId};
    use fibula_nodes::{PortSpec, Type};

    fn is_ordered(function: &Function) -> bool {
        function.nodes.values().all(|node| {
            let after = |consumer: &crate::graph::function::Consumer| {
                function.stored(consumer.node).label > node.label
            };
            node.consumers.iter().all(after)
        })
    }

    #[test]
    fn links_in_any_sequence_keep_the_order_and_close_no_cycle() {
        const NODES: u32 = 60;
        let document = Document::default();
        let data = FunctionData {
            function_id: Some(FunctionId(1)),
            name: "order".to_owned(),
            inputs: Vec::new(),
            outputs: vec![PortSpec::new("shape", Type::Float)],
            nodes: (1..=NODES)
                .map(|id| NodeData::new(NodeId(id), "Select"))
                .collect(),
        };
        let mut function = document
            .build(&data)
            .expect("unlinked nodes are a function");
        let (mut made, mut refused, mut moved) = (0, 0, 0);
        // A linear congruential generator: the sequence is the same at every run.
        let mut state = 1_u64;
        let mut next = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..2000 {
            let mut key = || function.keys[&NodeId(next(u64::from(NODES)) as u32 + 1)];
            let (source, target) = (key(), key());
            let parameter = next(4) as usize;
            match document.plan_link(&function, (source, 0), (target, parameter), true) {
                Ok(plan) => {
                    let before = function.stored(source).label > function.stored(target).label;
                    moved += usize::from(before);
                    function.apply_input(plan);
                    made += 1;
                }
                Err(GraphError::Cycle { path }) => {
                    assert_eq!(path.first(), path.last());
                    for link in path.windows(2) {
                        let consumers = function.node(link[0]).expect("it is there").consumers();
                        let wanted = (link[0], link[1]) == (path[0], path[1]);
                        assert!(wanted || consumers.iter().any(|consumer| consumer.1 == link[1]));
                    }
                    refused += 1;
                }
                Err(error) => assert_eq!(error.code(), "self_link"),
            }
            assert!(is_ordered(&function));
        }
        assert!(
            made > 500 && refused > 500 && moved > 50,
            "{made} made, {refused} refused, {moved} moved"
        );
    }
}
