//! A function: a dataflow graph of nodes.
//!
//! Invariants: the graph is acyclic; every link joins a port and a parameter of the same type; every literal has its
//! parameter's type; node 0 is `End`; `Begin` exists exactly if the function has inputs. Methods that change a function
//! are private to the crate and take plans checked by `resolve` and `order`, so no function violates them. Unset
//! parameters are reported when the function is flattened.

use std::borrow::Cow;

use fibula_nodes::{FunctionType, Node, PortSpec, Signature, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value as Json;

use super::data::{FunctionData, Setting, SourceData};
use super::error::{Endpoint, GraphError, NodeLabel};
use super::hash;
use super::ids::{FunctionId, IdSet, NodeId};
use super::nodes::Nodes;
use super::view::NodeView;

slotmap::new_key_type! {
    /// Key of a node in its function; internal to `graph` and `edit`.
    pub(crate) struct NodeKey;
}

/// Value or link of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Input {
    Unset,
    Value(Value),
    Link { source: NodeKey, port: usize },
}

/// A link, as stored at its source.
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
    /// Selected overload, an index of the signature's rules.
    pub(crate) rule: usize,
    pub(crate) display_name: Option<String>,
    pub(crate) position: Option<[f64; 2]>,
    /// One per parameter.
    pub(crate) inputs: Vec<Input>,
    pub(crate) consumers: Vec<Consumer>,
    /// Position in the topological order; see `order`.
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

    pub(crate) fn parameter_end(&self, parameter: usize) -> Endpoint {
        Endpoint {
            node: self.label(),
            name: self.signature.parameters[parameter].name.to_string(),
        }
    }

    pub(crate) fn port_end(&self, port: usize) -> Endpoint {
        Endpoint {
            node: self.label(),
            name: self.signature.ports[port].name.to_string(),
        }
    }

    pub(crate) fn find_parameter(&self, name: &str) -> Result<usize, GraphError> {
        let parameters = &self.signature.parameters;
        self.signature
            .parameter(name)
            .map_err(|unknown| GraphError::UnknownParameter {
                node: self.label(),
                parameter: shortened(name),
                nearest: unknown.nearest,
                parameters: parameters.iter().map(|p| p.name.to_string()).collect(),
            })
    }

    pub(crate) fn find_port(&self, name: &str) -> Result<usize, GraphError> {
        let ports = &self.signature.ports;
        self.signature
            .port(name)
            .map_err(|unknown| GraphError::UnknownPort {
                node: self.label(),
                port: shortened(name),
                nearest: unknown.nearest,
                ports: ports.iter().map(|p| p.name.to_string()).collect(),
            })
    }

    /// Checks a literal against the limits of the input that a parameter stands for.
    pub(crate) fn check_limits(&self, parameter: usize, value: &Value) -> Result<(), GraphError> {
        let details = self.signature.parameters[parameter].details.as_deref();
        GraphError::check_limits(details, value, || self.parameter_end(parameter))
    }

    fn is_boundary(&self) -> bool {
        matches!(self.kind.info().name, "Begin" | "End")
    }
}

/// Truncates a caller's text for messages.
pub(crate) fn shortened(text: &str) -> String {
    fibula_nodes::names::visible(text, 80)
}

/// Signature of a node: owned if it follows a function, else shared by the kind.
pub(crate) fn signature_of(kind: &dyn Node) -> Cow<'static, Signature> {
    match kind.signature() {
        Cow::Borrowed(_) => Cow::Borrowed(&kind.info().signature),
        Cow::Owned(signature) => Cow::Owned(signature),
    }
}

/// A dataflow graph of typed nodes: acyclic, every link between two ends of one type, every literal of its parameter's
/// type. Node 0 is `End`; `Begin` exists exactly if the function has inputs. Unset parameters are reported when it is
/// flattened.
#[derive(Debug, Clone)]
pub struct Function {
    name: String,
    /// Hash of the id and the name.
    heading: u64,
    pub(super) nodes: Nodes,
    pub(super) keys: FxHashMap<NodeId, NodeKey>,
    pub(super) used: IdSet,
    pub(super) begin: Option<NodeKey>,
    pub(super) end: NodeKey,
    /// Nodes that refer to a function or another resource.
    pub(super) referrers: FxHashSet<NodeKey>,
    /// Exclusive bounds of the labels.
    pub(super) labels: (i64, i64),
}

/// Queries.
impl Function {
    /// The function's id.
    pub fn id(&self) -> FunctionId {
        self.nodes.function()
    }

    /// Hash of everything that [`data`](Self::data) returns, independent of order. It is stable across platforms and
    /// versions, and maintained incrementally: this call takes constant time.
    pub fn hash(&self) -> u64 {
        self.heading.wrapping_add(self.nodes.hash())
    }

    /// The function's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Types of the inputs and outputs.
    pub fn ty(&self) -> FunctionType {
        FunctionType::new(self.inputs(), self.outputs())
    }

    /// The inputs, in their order.
    pub fn inputs(&self) -> Vec<PortSpec> {
        let Some(begin) = self.begin else {
            return Vec::new();
        };
        let signature = &self.nodes[begin].signature;
        let ports = signature.ports.iter().zip(&signature.overloads[0].outputs);
        let ports = ports.map(|(port, &ty)| PortSpec {
            details: port.details.clone(),
            ..PortSpec::new(&*port.name, ty)
        });
        ports.collect()
    }

    /// The input of a name.
    pub fn input(&self, name: &str) -> Option<PortSpec> {
        let mut inputs = self.inputs().into_iter();
        inputs.find(|input| *input.name == *name)
    }

    /// The outputs, in their order.
    pub fn outputs(&self) -> Vec<PortSpec> {
        let signature = &self.nodes[self.end].signature;
        let parameters = signature.parameters.iter();
        let parameters = parameters.zip(&signature.overloads[0].inputs);
        parameters
            .map(|(parameter, &ty)| PortSpec::new(&*parameter.name, ty))
            .collect()
    }

    /// Number of nodes without `Begin` and `End`.
    pub fn node_count(&self) -> usize {
        self.nodes.len() - 1 - usize::from(self.begin.is_some())
    }

    /// Number of links.
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

    /// Returns a node.
    ///
    /// # Errors
    /// [`GraphError::UnknownNode`].
    pub fn node(&self, id: NodeId) -> Result<NodeView<'_>, GraphError> {
        self.key(id).map(|key| NodeView {
            function: self,
            stored: &self.nodes[key],
        })
    }

    /// Nodes in ascending order of ids.
    pub fn nodes(&self) -> impl Iterator<Item = NodeView<'_>> {
        self.node_ids().into_iter().map(|id| NodeView {
            function: self,
            stored: &self.nodes[self.keys[&id]],
        })
    }

    /// Smallest id that was never used.
    ///
    /// # Errors
    /// [`GraphError::TooLarge`] if all ids were used.
    pub fn next_node_id(&self) -> Result<NodeId, GraphError> {
        let next = self.used.next().map(NodeId);
        next.ok_or_else(|| GraphError::out_of_ids("a function"))
    }

    /// Returns the function as plain data.
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

/// Access for the plans of this crate.
impl Function {
    /// Creates a function with `End` and, if it has inputs, `Begin`.
    ///
    /// # Errors
    /// [`GraphError::DuplicateId`] if `begin` is 0, the id of `End`.
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
            used: IdSet::default(),
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
                return Err(GraphError::duplicate("node", &begin));
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
        let key = self.keys.get(&id).copied();
        key.ok_or_else(|| GraphError::UnknownNode {
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

    /// Returns the node, unless it is `Begin` or `End`.
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
                Some(Setting::Source(SourceData::new(source.id, port)))
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
        let refers = signature.parameters.iter().any(|one| one.refers.is_some());
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

    /// Marks the used ids of another function as used.
    pub(crate) fn keep_used_ids(&mut self, other: &Function) {
        self.keep_used(&other.used);
    }

    /// Reserves space for nodes, which are hashed by [`hash_waiting`](Self::hash_waiting).
    pub(super) fn reserve(&mut self, nodes: usize) {
        self.nodes.reserve(nodes);
        self.keys.reserve(nodes);
    }

    pub(super) fn hash_waiting(&mut self) {
        self.nodes.hash_waiting();
    }

    /// Ids of nodes that were ever used.
    pub(crate) fn used(&self) -> &IdSet {
        &self.used
    }

    /// Marks ids as used.
    pub(super) fn keep_used(&mut self, used: &IdSet) {
        self.used.merge(used);
    }

    /// The selected overload, if overload resolution would choose another.
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

    /// Replaces the input of a parameter and updates the consumers of both sources.
    pub(crate) fn set_input(&mut self, key: NodeKey, parameter: usize, input: Input) {
        let consumer = |port| Consumer {
            port,
            node: key,
            parameter,
        };
        if let Input::Link { source, port } = input {
            self.nodes.consumers_mut(source).push(consumer(port));
        }
        let before = self.nodes.change(key, |node| {
            std::mem::replace(&mut node.inputs[parameter], input)
        });
        if let Input::Link { source, port } = before {
            let consumers = self.nodes.consumers_mut(source);
            if let Some(place) = consumers.iter().rposition(|one| *one == consumer(port)) {
                consumers.swap_remove(place);
            }
        }
    }

    /// Description of a parameter and its type for messages.
    pub(crate) fn binding_text(&self, key: NodeKey, parameter: usize, ty: Type) -> String {
        let stored = &self.nodes[key];
        let name = &stored.signature.parameters[parameter].name;
        match &stored.inputs[parameter] {
            Input::Value(value) => match value.to_json() {
                Json::Array(_) => format!("{name}: {ty} (a literal)"),
                literal => format!("{name}: {ty} (the literal {literal})"),
            },
            Input::Unset | Input::Link { .. } => format!("{name}: {ty}"),
        }
    }
}
