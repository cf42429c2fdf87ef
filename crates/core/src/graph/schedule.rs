//! The order in which a function is evaluated: the nodes that its outputs need, each after its sources.

use fibula_nodes::Value;
use rustc_hash::FxHashMap;

use super::function::{Function, Input, NodeKey};
use super::view::NodeView;

/// The nodes that some outputs of a function need, each after its sources.
#[derive(Debug, Clone)]
pub struct Schedule<'a> {
    /// The nodes; `End` is not among them.
    pub steps: Vec<Step<'a>>,
    /// Where each output that was asked for comes from.
    pub results: Vec<Source<'a>>,
}

/// A node, and where its inputs come from.
#[derive(Debug, Clone)]
pub struct Step<'a> {
    /// The node.
    pub node: NodeView<'a>,
    /// One per parameter.
    pub inputs: Vec<Source<'a>>,
}

/// Where a parameter's value comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Source<'a> {
    /// A port of an earlier step.
    Port {
        /// The step.
        step: usize,
        /// The port's index.
        port: usize,
    },
    /// A literal, or the kind's default.
    Value(&'a Value),
    /// Nowhere: the parameter has to be set or linked.
    Unset,
}

impl Function {
    /// The nodes that the outputs with these indexes need, in an order in which they can be evaluated. The order
    /// depends on nothing but the graph. Takes time in proportion to the nodes, and no stack.
    ///
    /// # Panics
    /// If an index is not that of an output.
    pub fn schedule(&self, outputs: &[usize]) -> Schedule<'_> {
        let end = self.stored(self.end_key());
        let mut steps = Vec::new();
        let mut places: FxHashMap<NodeKey, usize> = FxHashMap::default();
        for &output in outputs {
            if let Input::Link { source, .. } = end.inputs[output] {
                self.visit(source, &mut steps, &mut places);
            }
        }
        let results = outputs
            .iter()
            .map(|&output| {
                source(
                    &end.inputs[output],
                    end.signature.parameters[output].default.as_ref(),
                    &places,
                )
            })
            .collect();
        Schedule { steps, results }
    }

    /// Adds `root` after everything that it needs: a depth-first walk with its own stack.
    fn visit<'a>(
        &'a self,
        root: NodeKey,
        steps: &mut Vec<Step<'a>>,
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
            let inputs =
                inputs.map(|(input, parameter)| source(input, parameter.default.as_ref(), places));
            let inputs = inputs.collect();
            places.insert(key, steps.len());
            steps.push(Step {
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
    input: &'a Input,
    default: Option<&'a Value>,
    places: &FxHashMap<NodeKey, usize>,
) -> Source<'a> {
    match (input, default) {
        (Input::Link { source, port }, _) => Source::Port {
            step: places[source],
            port: *port,
        },
        (Input::Value(value), _) | (Input::Unset, Some(value)) => Source::Value(value),
        (Input::Unset, None) => Source::Unset,
    }
}
