//! Evaluation order of a function: the nodes that its outputs need, each after its sources (depth-first search).

use fibula_nodes::{Parameter, Value};
use rustc_hash::FxHashMap;

use super::function::{Function, Input, NodeKey};
use super::view::NodeView;

/// Nodes that some outputs of a function need, in topological order.
#[derive(Debug, Clone)]
pub(crate) struct Schedule<'a> {
    /// The nodes without `End`.
    pub(crate) steps: Vec<ScheduledNode<'a>>,
    /// Source of each requested output.
    pub(crate) results: Vec<InputSource<'a>>,
}

/// A node and the sources of its inputs.
#[derive(Debug, Clone)]
pub(crate) struct ScheduledNode<'a> {
    /// The node.
    pub(crate) node: NodeView<'a>,
    /// One per parameter.
    pub(crate) inputs: Vec<InputSource<'a>>,
}

/// Source of a parameter's value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum InputSource<'a> {
    /// A port of an earlier step.
    Port {
        /// Index of the step.
        step: usize,
        /// Index of the port.
        port: usize,
    },
    /// A literal or default.
    Value(&'a Value),
    /// None: the parameter has to be set or linked.
    Unset,
}

impl Function {
    /// Schedules the nodes that the outputs with these indexes need. The order depends only on the graph. Time is
    /// linear in the nodes, and there is no recursion.
    ///
    /// # Panics
    /// If an index is out of range.
    pub(crate) fn schedule(&self, outputs: &[usize]) -> Schedule<'_> {
        let end = self.stored(self.end_key());
        let mut steps = Vec::new();
        let mut places: FxHashMap<NodeKey, usize> = FxHashMap::default();
        for &output in outputs {
            if let Input::Link { source, .. } = end.inputs[output] {
                self.visit(source, &mut steps, &mut places);
            }
        }
        let results = outputs.iter().map(|&output| {
            let parameter = &end.signature.parameters[output];
            source((&end.inputs[output], parameter), &places)
        });
        let results = results.collect();
        Schedule { steps, results }
    }

    /// Adds `root` after everything that it needs: depth-first search in postorder with an explicit stack.
    fn visit<'a>(
        &'a self,
        root: NodeKey,
        steps: &mut Vec<ScheduledNode<'a>>,
        places: &mut FxHashMap<NodeKey, usize>,
    ) {
        let mut stack = vec![(root, 0)];
        while let Some((key, next)) = stack.pop() {
            if places.contains_key(&key) {
                continue;
            }
            let stored = self.stored(key);
            let unvisited = stored.inputs[next..].iter().position(
                |input| matches!(input, Input::Link { source, .. } if !places.contains_key(source)),
            );
            if let Some(parameter) = unvisited.map(|offset| next + offset) {
                stack.push((key, parameter + 1));
                if let Input::Link { source, .. } = stored.inputs[parameter] {
                    stack.push((source, 0));
                }
                continue;
            }
            let inputs = stored.inputs.iter().zip(&stored.signature.parameters);
            let inputs = inputs.map(|pair| source(pair, places)).collect();
            places.insert(key, steps.len());
            steps.push(ScheduledNode {
                node: NodeView {
                    function: self,
                    stored,
                },
                inputs,
            });
        }
    }
}

fn source<'a>(
    (input, parameter): (&'a Input, &'a Parameter),
    places: &FxHashMap<NodeKey, usize>,
) -> InputSource<'a> {
    match (input, &parameter.default) {
        (Input::Link { source, port }, _) => InputSource::Port {
            step: places[source],
            port: *port,
        },
        (Input::Value(value), _) | (Input::Unset, Some(value)) => InputSource::Value(value),
        (Input::Unset, None) => InputSource::Unset,
    }
}
