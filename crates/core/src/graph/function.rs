//! A function: a dataflow graph of nodes.
//!
//! Invariants: the graph is acyclic; every link joins a port and a parameter of one type; every literal has its
//! parameter's type; node 0 is `End`; there is a `Begin` exactly if the function has inputs. There is no way to
//! hold a function that breaks one of them: the methods that change it are private to the crate and take plans
//! that `resolve` and `order` have checked. What is still unset is found when
//! the function is flattened.

use std::borrow::Cow;

use fibula_nodes::{FunctionType, Node, PortSpec, Signature, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value as Json;

use super::data::{FunctionData, Setting, SourceData};
use super::error::{End, GraphError, NodeLabel};
use super::hash;
use super::ids::{FunctionId, NodeId, Used};
use super::nodes::Nodes;
use super::view::NodeView;

slotmap::new_key_type! {
    /// A node's place in its function; never seen outside of `graph` and `edit`.
    pub(crate) struct NodeKey;
}

/// What a parameter has.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Input {
    Unset,
    Value(Value),
    Link { source: NodeKey, port: usize },
}

/// A link, seen from its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Consumer {
    pub(crate) port: usize,
    pub(crate) node: NodeKey,
    pub(crate) parameter: usize,
}

#[derive(Debug, Clone)]
pub(crate) struct Stored {
    pub(crate) id: NodeId,
    pub(crate) kind: Box<dyn Node>,
    pub(crate) signature: Cow<'static, Signature>,
    /// The overload in force, an index of the signature's rules.
    pub(crate) rule: usize,
    pub(crate) display_name: Option<String>,
    pub(crate) position: Option<[f64; 2]>,
    /// One per parameter.
    pub(crate) inputs: Vec<Input>,
    pub(crate) consumers: Vec<Consumer>,
    /// The node's place in the topological order; see `order`.
    pub(crate) label: i64,
}

impl Stored {
    pub(crate) fn label(&self) -> NodeLabel {
        NodeLabel {
            node_id: self.id,
            node_type: self.kind.info().name,
            display_name: self.display_name.clone(),
        }
    }

    pub(crate) fn port_type(&self, port: usize) -> Type {
        self.signature.overloads[self.rule].outputs[port]
    }

    pub(crate) fn parameter_type(&self, parameter: usize) -> Type {
        self.signature.overloads[self.rule].inputs[parameter]
    }

    pub(crate) fn parameter_end(&self, parameter: usize) -> End {
        End {
            node: self.label(),
            name: self.signature.parameters[parameter].name.to_string(),
        }
    }

    pub(crate) fn port_end(&self, port: usize) -> End {
        End {
            node: self.label(),
            name: self.signature.ports[port].name.to_string(),
        }
    }

    pub(crate) fn find_parameter(&self, name: &str) -> Result<usize, GraphError> {
        self.signature
            .parameter(name)
            .map_err(|unknown| GraphError::UnknownParameter {
                node: self.label(),
                parameter: shortened(name),
                nearest: unknown.nearest,
                parameters: self
                    .signature
                    .parameters
                    .iter()
                    .map(|p| p.name.to_string())
                    .collect(),
            })
    }

    pub(crate) fn find_port(&self, name: &str) -> Result<usize, GraphError> {
        self.signature
            .port(name)
            .map_err(|unknown| GraphError::UnknownPort {
                node: self.label(),
                port: shortened(name),
                nearest: unknown.nearest,
                ports: self
                    .signature
                    .ports
                    .iter()
                    .map(|p| p.name.to_string())
                    .collect(),
            })
    }

    fn is_boundary(&self) -> bool {
        matches!(self.kind.info().name, "Begin" | "End")
    }
}

/// A caller's text, short enough to be said back.
pub(crate) fn shortened(text: &str) -> String {
    fibula_nodes::names::visible(text, 80)
}

/// A kind's signature; one that follows a function is the node's own.
pub(crate) fn signature_of(kind: &dyn Node) -> Cow<'static, Signature> {
    match kind.signature() {
        Cow::Borrowed(_) => Cow::Borrowed(&kind.info().signature),
        Cow::Owned(signature) => Cow::Owned(signature),
    }
}

/// A dataflow graph of typed nodes: acyclic, every link between two ends of one type, every literal of its
/// parameter's type. Node 0 is `End`; there is a `Begin` exactly if the function has inputs. What is still unset is
/// found when it is flattened.
#[derive(Debug, Clone)]
pub struct Function {
    name: String,
    /// The hash of the id and the name.
    heading: u64,
    pub(super) nodes: Nodes,
    pub(super) keys: FxHashMap<NodeId, NodeKey>,
    pub(super) used: Used,
    pub(super) begin: Option<NodeKey>,
    pub(super) end: NodeKey,
    /// Nodes that refer to a function or another resource.
    pub(super) referrers: FxHashSet<NodeKey>,
    /// Every label is above the first and below the second.
    pub(super) labels: (i64, i64),
}

/// What can be read.
impl Function {
    /// The function's id.
    pub fn id(&self) -> FunctionId {
        self.nodes.function()
    }

    /// A hash of what the function is: of all that [`data`](Self::data) says, in no order, and of nothing else. It is
    /// the same on every platform and in every version. It is kept up to date, so asking for it costs nothing.
    pub fn hash(&self) -> u64 {
        self.heading.wrapping_add(self.nodes.hash())
    }

    /// The function's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the function takes and gives.
    pub fn ty(&self) -> FunctionType {
        FunctionType {
            inputs: self.inputs(),
            outputs: self.outputs(),
        }
    }

    /// The inputs, in their order.
    pub fn inputs(&self) -> Vec<PortSpec> {
        let Some(begin) = self.begin else {
            return Vec::new();
        };
        let begin = &self.nodes[begin];
        let names = begin
            .signature
            .ports
            .iter()
            .map(|port| port.name.to_string());
        let types = begin.signature.overloads[0].outputs.iter();
        names
            .zip(types)
            .map(|(name, &ty)| PortSpec { name, ty })
            .collect()
    }

    /// The outputs, in their order.
    pub fn outputs(&self) -> Vec<PortSpec> {
        let end = &self.nodes[self.end];
        let names = end
            .signature
            .parameters
            .iter()
            .map(|parameter| parameter.name.to_string());
        let types = end.signature.overloads[0].inputs.iter();
        names
            .zip(types)
            .map(|(name, &ty)| PortSpec { name, ty })
            .collect()
    }

    /// How many nodes there are, `Begin` and `End` not counted.
    pub fn node_count(&self) -> usize {
        self.nodes.len() - 1 - usize::from(self.begin.is_some())
    }

    /// How many links there are.
    pub fn link_count(&self) -> usize {
        self.nodes.values().map(|node| node.consumers.len()).sum()
    }

    /// The id of the `Begin` node; `None` if the function has no inputs.
    pub fn begin(&self) -> Option<NodeId> {
        self.begin.map(|key| self.nodes[key].id)
    }

    /// The ids of all nodes, `Begin` and `End` included, sorted.
    pub fn node_ids(&self) -> Vec<NodeId> {
        let mut ids: Vec<NodeId> = self.keys.keys().copied().collect();
        ids.sort_unstable();
        ids
    }

    /// A node.
    ///
    /// # Errors
    /// [`GraphError::UnknownNode`].
    pub fn node(&self, id: NodeId) -> Result<NodeView<'_>, GraphError> {
        self.key(id).map(|key| NodeView {
            function: self,
            stored: &self.nodes[key],
        })
    }

    /// Every node, by id.
    pub fn nodes(&self) -> impl Iterator<Item = NodeView<'_>> {
        self.node_ids().into_iter().map(|id| NodeView {
            function: self,
            stored: &self.nodes[self.keys[&id]],
        })
    }

    /// The smallest id that no node ever had.
    ///
    /// # Errors
    /// [`GraphError::TooLarge`] when every id was used.
    pub fn next_node_id(&self) -> Result<NodeId, GraphError> {
        let full = GraphError::TooLarge {
            what: "a function",
            limit: u32::MAX as usize,
        };
        self.used.next().map(NodeId).ok_or(full)
    }

    /// The function, written out.
    pub fn data(&self) -> FunctionData {
        FunctionData {
            function_id: Some(self.id()),
            name: self.name.clone(),
            inputs: self.inputs(),
            outputs: self.outputs(),
            nodes: self.nodes().map(NodeView::data).collect(),
        }
    }
}

/// What the plans of this crate look up and change.
impl Function {
    /// A function that has an `End` and, if it has inputs, a `Begin`.
    ///
    /// # Errors
    /// [`GraphError::DuplicateId`] when `begin` is 0, the id of `End`.
    pub(super) fn new(
        id: FunctionId,
        name: String,
        ty: &FunctionType,
        begin: Option<NodeId>,
    ) -> Result<Function, GraphError> {
        let mut function = Function {
            heading: hash::function(id, &name),
            name,
            nodes: Nodes::new(id),
            keys: FxHashMap::default(),
            used: Used::default(),
            begin: None,
            end: NodeKey::default(),
            referrers: FxHashSet::default(),
            labels: (0, 0),
        };
        let end = fibula_nodes::boundary::End {
            parameters: ty.outputs.clone(),
        };
        function.end = function.insert(NodeId::END, Box::new(end), None, None);
        if let Some(begin) = begin {
            if begin == NodeId::END {
                return Err(GraphError::DuplicateId {
                    what: "node",
                    id: begin.to_string(),
                });
            }
            function.insert_begin(begin, ty.inputs.clone());
        }
        Ok(function)
    }

    pub(crate) fn insert_begin(&mut self, id: NodeId, ports: Vec<PortSpec>) {
        let begin = fibula_nodes::boundary::Begin { ports };
        self.begin = Some(self.insert(id, Box::new(begin), None, None));
    }

    pub(crate) fn key(&self, id: NodeId) -> Result<NodeKey, GraphError> {
        self.keys
            .get(&id)
            .copied()
            .ok_or_else(|| GraphError::UnknownNode {
                function_id: self.id(),
                node_id: id,
                nodes: self.nearest_nodes(id),
            })
    }

    fn nearest_nodes(&self, id: NodeId) -> Vec<String> {
        let mut ids = self.node_ids();
        ids.sort_by_key(|other| (other.0.abs_diff(id.0), *other));
        ids.truncate(3);
        ids.sort_unstable();
        let name = |id: &NodeId| format!("{id} ({})", self.nodes[self.keys[id]].kind.info().name);
        ids.iter().map(name).collect()
    }

    pub(crate) fn has(&self, id: NodeId) -> bool {
        self.keys.contains_key(&id)
    }

    pub(crate) fn stored(&self, key: NodeKey) -> &Stored {
        &self.nodes[key]
    }

    pub(crate) fn end_key(&self) -> NodeKey {
        self.end
    }

    pub(crate) fn begin_key(&self) -> Option<NodeKey> {
        self.begin
    }

    /// The node, unless it is `Begin` or `End`.
    pub(crate) fn free_key(&self, id: NodeId, what: &str) -> Result<NodeKey, GraphError> {
        let key = self.key(id)?;
        let stored = &self.nodes[key];
        if stored.is_boundary() {
            let what = format!("{} cannot be {what}", stored.label());
            return Err(GraphError::ProtectedNode { what });
        }
        Ok(key)
    }

    pub(crate) fn setting(&self, input: &Input) -> Option<Setting> {
        match input {
            Input::Unset => None,
            Input::Value(value) => Some(Setting::Value(value.to_json())),
            Input::Link { source, port } => {
                let source = &self.nodes[*source];
                let port = source.signature.ports[*port].name.to_string();
                Some(Setting::Source(SourceData {
                    node_id: source.id,
                    port,
                }))
            }
        }
    }

    pub(crate) fn insert(
        &mut self,
        id: NodeId,
        kind: Box<dyn Node>,
        display_name: Option<String>,
        position: Option<[f64; 2]>,
    ) -> NodeKey {
        let signature = signature_of(&*kind);
        let refers = signature
            .parameters
            .iter()
            .any(|parameter| parameter.refers.is_some());
        self.labels.1 += 1;
        let key = self.nodes.insert(Stored {
            id,
            rule: 0,
            display_name,
            position,
            inputs: vec![Input::Unset; signature.parameters.len()],
            consumers: Vec::new(),
            label: self.labels.1 - 1,
            kind,
            signature,
        });
        self.keys.insert(id, key);
        self.used.insert(id.0);
        if refers {
            self.referrers.insert(key);
        }
        key
    }

    /// Removes a node that has no links.
    pub(crate) fn remove(&mut self, key: NodeKey) {
        if let Some(stored) = self.nodes.remove(key) {
            self.keys.remove(&stored.id);
            self.referrers.remove(&key);
        }
    }

    /// Removes a `Begin` that has no ports left.
    pub(crate) fn remove_begin(&mut self) {
        if let Some(begin) = self.begin.take() {
            self.remove(begin);
        }
    }

    /// Counts the ids that another function has given up as used here too.
    pub(crate) fn keep_used_ids(&mut self, other: &Function) {
        self.keep_used(&other.used);
    }

    /// Gets ready for so many nodes, which are hashed when they are [settled](Self::settle).
    pub(super) fn expect(&mut self, nodes: usize) {
        self.nodes.expect(nodes);
        self.keys.reserve(nodes);
    }

    pub(super) fn settle(&mut self) {
        self.nodes.settle();
    }

    /// The ids that nodes ever had.
    pub(super) fn used(&self) -> &Used {
        &self.used
    }

    /// Counts ids as used that were given up.
    pub(super) fn keep_used(&mut self, used: &Used) {
        self.used.merge(used);
    }

    /// The overload in force, where the links alone would choose another.
    pub(super) fn kept_overload(&self, stored: &Stored) -> Option<usize> {
        (self.resolved(stored) != Some(stored.rule)).then_some(stored.rule)
    }

    pub(crate) fn set_name(&mut self, name: String) {
        self.heading = hash::function(self.id(), &name);
        self.name = name;
    }

    pub(crate) fn set_display_name(&mut self, key: NodeKey, name: Option<String>) {
        self.nodes.change(key, |node| node.display_name = name);
    }

    pub(crate) fn set_position(&mut self, key: NodeKey, position: Option<[f64; 2]>) {
        self.nodes.change(key, |node| node.position = position);
    }

    pub(crate) fn set_rule(&mut self, key: NodeKey, rule: usize) {
        self.nodes.change(key, |node| node.rule = rule);
    }

    /// Puts `input` in the place of what a parameter has, and keeps both ends of the links.
    pub(crate) fn set_input(&mut self, key: NodeKey, parameter: usize, input: Input) {
        if let Input::Link { source, port } = input {
            self.nodes.consumers_mut(source).push(Consumer {
                port,
                node: key,
                parameter,
            });
        }
        let before = self.nodes.change(key, |node| {
            std::mem::replace(&mut node.inputs[parameter], input)
        });
        if let Input::Link { source, port } = before {
            let gone = Consumer {
                port,
                node: key,
                parameter,
            };
            let consumers = self.nodes.consumers_mut(source);
            if let Some(place) = consumers.iter().rposition(|consumer| *consumer == gone) {
                consumers.swap_remove(place);
            }
        }
    }

    /// A literal as the parameter's owner sees it in messages.
    pub(crate) fn binding_text(&self, key: NodeKey, parameter: usize, ty: Type) -> String {
        let name = &self.nodes[key].signature.parameters[parameter].name;
        match &self.nodes[key].inputs[parameter] {
            Input::Value(value) => match value.to_json() {
                Json::Array(_) => format!("{name}: {ty} (a literal)"),
                literal => format!("{name}: {ty} (the literal {literal})"),
            },
            Input::Unset | Input::Link { .. } => format!("{name}: {ty}"),
        }
    }
}
