//! Propagation of changed values: from nodes to the outputs of their function, and from there to the functions, resources and
//! build items that depend on these outputs.

use std::collections::{BTreeMap, BTreeSet};

use fibula_core::graph::{Argument, Document, Function, FunctionId, NodeId, NodeView, Referrer};
use fibula_nodes::{PortSpec, ResourceId, names};

/// Functions and resources whose values changed.
#[derive(Debug, Clone, Default)]
pub(crate) struct ChangedValues {
    parts: BTreeMap<ResourceId, ChangedPart>,
    /// True if lengths have another unit, so that all build items have another size.
    has_new_unit: bool,
}

/// Part of a function that has other values.
#[derive(Debug, Clone, Default)]
struct ChangedPart {
    /// Its outputs, by index; `None` for all, and for resources.
    outputs: Option<BTreeSet<usize>>,
    /// Indices of the inputs whose defaults changed, if nothing else did: calls that give these do not change.
    unless_given: Option<BTreeSet<usize>>,
}

/// What depends on changed values.
#[derive(Debug, Default)]
pub(crate) struct Dependents {
    /// Functions and resources, with those that changed.
    pub(crate) ids: BTreeSet<ResourceId>,
    /// Build items.
    pub(crate) items: BTreeSet<u32>,
}

impl ChangedValues {
    /// Functions and resources that changed as a whole.
    pub(crate) fn whole(ids: impl IntoIterator<Item = ResourceId>) -> ChangedValues {
        let parts = ids.into_iter().map(|id| (id, ChangedPart::default()));
        ChangedValues {
            parts: parts.collect(),
            has_new_unit: false,
        }
    }

    /// A function in which nodes changed, each given with the names of its parameters that did. A parameter of `End` is an
    /// output, one of `Begin` an input, which has another default.
    pub(crate) fn of_nodes(
        function: &Function,
        nodes: &BTreeMap<NodeId, BTreeSet<String>>,
    ) -> ChangedValues {
        let mut values = ChangedValues::default();
        values.add_nodes(function, nodes);
        values
    }

    /// True if a function or resource is one of those that changed.
    pub(crate) fn contains(&self, id: ResourceId) -> bool {
        self.parts.contains_key(&id)
    }

    pub(crate) fn add_whole(&mut self, id: ResourceId) {
        self.parts.insert(id, ChangedPart::default());
    }

    pub(crate) fn add_unit(&mut self) {
        self.has_new_unit = true;
    }

    /// As [`of_nodes`](Self::of_nodes), of another function.
    pub(crate) fn add_nodes(
        &mut self,
        function: &Function,
        nodes: &BTreeMap<NodeId, BTreeSet<String>>,
    ) {
        let (begin, end) = (function.begin(), NodeId::END);
        let inputs = function.inputs();
        let changed = |node: NodeId| nodes.get(&node).into_iter().flatten();
        let defaults: BTreeSet<usize> = begin
            .into_iter()
            .flat_map(changed)
            .filter_map(|name| place(&inputs, name))
            .collect();
        let ports = begin.into_iter().flat_map(|begin| {
            let ports = defaults.iter();
            ports.map(move |port| (begin, Some(*port)))
        });
        let others = nodes
            .keys()
            .filter(|&&node| node != end && Some(node) != begin);
        let sources = others.map(|node| (*node, None)).chain(ports);
        let mut outputs = reached_outputs(function, sources.collect());
        let is_default = nodes.keys().all(|node| Some(*node) == begin);
        let own = function.outputs();
        outputs.extend(changed(end).filter_map(|name| place(&own, name)));
        if !outputs.is_empty() {
            let part = ChangedPart {
                outputs: Some(outputs),
                unless_given: is_default.then_some(defaults),
            };
            self.parts.insert(function.id().into(), part);
        }
    }

    /// Finds what depends on the values.
    pub(crate) fn dependents(&self, document: &Document) -> Dependents {
        let mut found = Dependents {
            ids: self.parts.keys().copied().collect(),
            items: BTreeSet::new(),
        };
        if self.has_new_unit {
            let items = document.model().items();
            found.items.extend(items.map(|(item, _)| item));
        }
        let mut outputs: BTreeMap<FunctionId, BTreeSet<usize>> = BTreeMap::new();
        let mut waiting: Vec<(ResourceId, ChangedPart)> = self
            .parts
            .iter()
            .map(|(id, part)| (*id, part.clone()))
            .collect();
        while let Some((id, part)) = waiting.pop() {
            for referrer in document.referrers(id) {
                match referrer {
                    Referrer::Item(item) => {
                        found.items.insert(item);
                    }
                    Referrer::Resource(resource) => {
                        if part.reaches_resource(document, id, resource)
                            && found.ids.insert(resource)
                        {
                            waiting.push((resource, ChangedPart::default()));
                        }
                    }
                    Referrer::Function(function) => {
                        let Some(caller) = document.find_function(function) else {
                            continue;
                        };
                        let mut reached = part.reached_in(document, id, caller);
                        let known = outputs.entry(function).or_default();
                        reached.retain(|output| known.insert(*output));
                        if !reached.is_empty() {
                            found.ids.insert(function.into());
                            let part = ChangedPart {
                                outputs: Some(reached),
                                unless_given: None,
                            };
                            waiting.push((function.into(), part));
                        }
                    }
                }
            }
        }
        found
    }
}

impl ChangedPart {
    /// True if a resource that refers to a function or resource uses this part of it.
    fn reaches_resource(&self, document: &Document, id: ResourceId, resource: ResourceId) -> bool {
        let (function, resource) = (
            document.find_function(id.into()),
            document.model_resource(resource),
        );
        let Some((function, resource)) = function.zip(resource) else {
            return true;
        };
        let fields = resource.fields().into_iter();
        let mut own = fields.filter(|field| field.function_id == id).peekable();
        let names = function.outputs();
        own.peek().is_none() || own.any(|field| self.has_output(&names, &field.channel))
    }

    /// True if an output of a function, given by its name, is part of it.
    fn has_output(&self, outputs: &[PortSpec], name: &str) -> bool {
        let place = outputs.iter().position(|output| output.name == name);
        let own = self.outputs.as_ref().zip(place);
        own.is_none_or(|(own, place)| own.contains(&place))
    }

    /// Outputs of a function that depend on this part of what it refers to.
    fn reached_in(
        &self,
        document: &Document,
        id: ResourceId,
        function: &Function,
    ) -> BTreeSet<usize> {
        let callee = document.find_function(id.into());
        let (mut sources, mut is_called) = (Vec::new(), false);
        for node in function.nodes().filter(|node| node.callee() == Some(id)) {
            is_called = true;
            match callee {
                Some(callee) if node.kind().info().name == "FunctionCall" => {
                    if self.is_given(callee, node) {
                        continue;
                    }
                    let names = callee.outputs();
                    let ports = node.signature().ports.iter().enumerate();
                    let ports = ports.filter(|(_, port)| self.has_output(&names, &port.name));
                    sources.extend(ports.map(|(port, _)| (node.id(), Some(port))));
                }
                _ => sources.push((node.id(), None)),
            }
        }
        if is_called {
            reached_outputs(function, sources)
        } else {
            // A reference that other nodes pass on.
            (0..function.outputs().len()).collect()
        }
    }

    /// True if only defaults of inputs changed that a call gives.
    fn is_given(&self, callee: &Function, call: NodeView<'_>) -> bool {
        let inputs = callee.inputs();
        let is_given = |input: &usize| {
            let mut parameters = call.signature().parameters.iter();
            let place = parameters.position(|parameter| parameter.name == inputs[*input].name);
            place.is_some_and(|place| {
                matches!(
                    call.argument(place),
                    Argument::Value(_) | Argument::Link { .. }
                )
            })
        };
        self.unless_given
            .as_ref()
            .is_some_and(|inputs| inputs.iter().all(is_given))
    }
}

/// Index of the port that a name means.
fn place(ports: &[PortSpec], name: &str) -> Option<usize> {
    let listed = ports.iter().map(|port| &*port.name);
    names::position(name, listed.enumerate())
}

/// Outputs of a function that depend on nodes, or on one of their ports.
fn reached_outputs(function: &Function, sources: Vec<(NodeId, Option<usize>)>) -> BTreeSet<usize> {
    let (mut waiting, mut outputs) = (sources, BTreeSet::new());
    let mut visited = BTreeSet::new();
    while let Some((id, only)) = waiting.pop() {
        let Ok(node) = function.node(id) else {
            continue;
        };
        for (port, target, parameter) in node.consumers() {
            if only.is_some_and(|only| only != port) {
                continue;
            }
            if target == NodeId::END {
                outputs.insert(parameter);
            } else if visited.insert(target) {
                waiting.push((target, None));
            }
        }
    }
    outputs
}
