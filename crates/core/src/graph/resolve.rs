//! Overload resolution and propagation of type changes.
//!
//! A node has the first overload that matches the types of its links and literals; unset inputs match any type. When a
//! type changes, the nodes after it are resolved again in topological order; if one of them has no overload, the change
//! fails. Clearing an input never fails: if resolution would break a later node, the node keeps its overload.

use std::collections::BTreeSet;

use fibula_nodes::{Node, Overload, Signature, Type};
use rustc_hash::FxHashMap;

use super::error::{self, GraphError};
use super::function::{Consumer, Function, Input, NodeKey, Stored, signature_of};

/// Changes of overloads.
#[derive(Debug, Clone, Default)]
pub(crate) struct Retyping(Vec<(NodeKey, usize)>);

impl Retyping {
    /// Nodes whose overload changes, with the new one.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (NodeKey, usize)> {
        self.0.iter().copied()
    }
}

/// Checked change of a node that follows a function of another type.
#[derive(Debug, Clone)]
pub(crate) struct Rekind {
    pub(crate) node: NodeKey,
    kind: Box<dyn Node>,
    /// New index of each old parameter.
    parameters: Vec<Option<usize>>,
    /// New index of each old port.
    ports: Vec<Option<usize>>,
    retyping: Retyping,
}

/// Types of a node's inputs; `None` for unset ones.
type Bindings = Vec<Option<Type>>;

fn fits(rule: &Overload, bindings: &Bindings) -> bool {
    let mut inputs = rule.inputs.iter().zip(bindings);
    inputs.all(|(ty, bound)| bound.is_none_or(|bound| bound == *ty))
}

impl Function {
    /// Types of a node's inputs; `changed` overrides the types of its sources' ports.
    fn bindings(
        &self,
        stored: &Stored,
        changed: &FxHashMap<NodeKey, Vec<Option<Type>>>,
    ) -> Bindings {
        let bound = |input: &Input| match input {
            Input::Link { source, port } if changed.contains_key(source) => changed[source][*port],
            Input::Unset | Input::Value(_) | Input::Link { .. } => self.bound(input),
        };
        stored.inputs.iter().map(bound).collect()
    }

    /// Type of an input.
    fn bound(&self, input: &Input) -> Option<Type> {
        match input {
            Input::Unset => None,
            Input::Value(value) => Some(value.ty()),
            Input::Link { source, port } => Some(self.stored(*source).port_type(*port)),
        }
    }

    /// Resolves the overload of a node.
    pub(crate) fn resolved(&self, stored: &Stored) -> Option<usize> {
        let agrees = |rule: &Overload| self.agrees(stored, rule, stored.inputs.len());
        stored.signature.overloads.iter().position(agrees)
    }

    /// True if an overload matches all inputs of a node but one.
    fn agrees(&self, stored: &Stored, rule: &Overload, but: usize) -> bool {
        let mut inputs = rule.inputs.iter().zip(&stored.inputs).enumerate();
        inputs.all(|(place, (ty, input))| {
            place == but || self.bound(input).is_none_or(|bound| bound == *ty)
        })
    }

    /// Resolves the overload of a node if a parameter had a type; `None` if it does not take the type.
    pub(crate) fn rule_with(&self, key: NodeKey, parameter: usize, ty: Type) -> Option<usize> {
        let stored = self.stored(key);
        let rules = &stored.signature.overloads;
        rules
            .iter()
            .position(|rule| rule.inputs[parameter] == ty && self.agrees(stored, rule, parameter))
    }

    /// Types that a parameter takes beside the other inputs of its node, in the order of the overloads.
    pub(crate) fn takes(&self, key: NodeKey, parameter: usize) -> Vec<Type> {
        let stored = self.stored(key);
        let mut types = Vec::new();
        for rule in &stored.signature.overloads {
            let ty = rule.inputs[parameter];
            if !types.contains(&ty) && self.agrees(stored, rule, parameter) {
                types.push(ty);
            }
        }
        types
    }

    /// Overload changes after clearing a parameter; none if they would break a later node.
    pub(crate) fn unbind(&self, key: NodeKey, parameter: usize) -> Retyping {
        let stored = self.stored(key);
        let agrees = |rule: &Overload| self.agrees(stored, rule, parameter);
        let free = stored.signature.overloads.iter().position(agrees);
        free.and_then(|rule| self.change_rule(key, rule).ok())
            .unwrap_or_default()
    }

    /// Overload changes after giving a node another overload that matches its inputs.
    ///
    /// # Errors
    /// [`GraphError::NoOverload`] or [`GraphError::TypeMismatch`] of a later node.
    pub(crate) fn change_rule(&self, key: NodeKey, rule: usize) -> Result<Retyping, GraphError> {
        let stored = self.stored(key);
        if rule == stored.rule {
            return Ok(Retyping::default());
        }
        let types = &stored.signature.overloads[rule].outputs;
        let mut retyping = self.propagate(key, types.iter().copied().map(Some).collect())?;
        retyping.0.insert(0, (key, rule));
        Ok(retyping)
    }

    /// True if an overload matches all inputs of a node.
    pub(crate) fn allows(&self, key: NodeKey, rule: usize) -> bool {
        let stored = self.stored(key);
        let rule = stored.signature.overloads.get(rule);
        rule.is_some_and(|rule| self.agrees(stored, rule, stored.inputs.len()))
    }

    /// Resolves the nodes after `start`, whose ports get these types, in topological order.
    fn propagate(&self, start: NodeKey, types: Vec<Option<Type>>) -> Result<Retyping, GraphError> {
        let mut changed = FxHashMap::from_iter([(start, types)]);
        let mut waiting = BTreeSet::new();
        let mut retyping = Vec::new();
        self.await_consumers(start, &changed[&start], &mut waiting);
        while let Some((_, key)) = waiting.pop_first() {
            let stored = self.stored(key);
            let bindings = self.bindings(stored, &changed);
            let rules = &stored.signature.overloads;
            let rule = rules.iter().position(|rule| fits(rule, &bindings));
            let rule = rule.ok_or_else(|| self.no_overload(key, &bindings))?;
            if rule != stored.rule {
                let types: Vec<_> = rules[rule].outputs.iter().copied().map(Some).collect();
                self.await_consumers(key, &types, &mut waiting);
                changed.insert(key, types);
                retyping.push((key, rule));
            }
        }
        Ok(Retyping(retyping))
    }

    /// Queues the consumers of the ports of `key` whose types change.
    fn await_consumers(
        &self,
        key: NodeKey,
        types: &[Option<Type>],
        waiting: &mut BTreeSet<(i64, NodeKey)>,
    ) {
        let stored = self.stored(key);
        for consumer in &stored.consumers {
            if types[consumer.port] != Some(stored.port_type(consumer.port)) {
                waiting.insert((self.stored(consumer.node).label, consumer.node));
            }
        }
    }

    /// Error of a node that has no overload for these types.
    fn no_overload(&self, key: NodeKey, bindings: &Bindings) -> GraphError {
        let stored = self.stored(key);
        if let ([only], Some((parameter, got))) = (
            &stored.signature.overloads[..],
            (0..bindings.len()).find_map(|parameter| {
                let bound = bindings[parameter]?;
                (bound != stored.parameter_type(parameter)).then_some((parameter, bound))
            }),
        ) && let Input::Link { source, port } = stored.inputs[parameter]
        {
            return GraphError::TypeMismatch {
                target: stored.parameter_end(parameter),
                source_end: self.stored(source).port_end(port),
                expected: vec![only.inputs[parameter]],
                got,
                bridges: Vec::new(),
            };
        }
        GraphError::NoOverload {
            node: stored.label(),
            bindings: self.binding_texts(key, bindings),
            overloads: overload_texts(&stored.signature),
            bridges: Vec::new(),
        }
    }

    /// Error of a link whose type the parameter does not take.
    pub(crate) fn mismatch(
        &self,
        source: NodeKey,
        port: usize,
        target: NodeKey,
        parameter: usize,
    ) -> GraphError {
        let got = self.stored(source).port_type(port);
        let stored = self.stored(target);
        let takes = self.takes(target, parameter);
        let bridges = takes.iter().flat_map(|&ty| error::bridges(got, ty));
        let bridges = bridges.copied().collect();
        let mut rules = stored.signature.overloads.iter();
        if rules.any(|rule| rule.inputs[parameter] == got) {
            let mut bindings = self.bindings(stored, &FxHashMap::default());
            bindings[parameter] = Some(got);
            return GraphError::NoOverload {
                node: stored.label(),
                bindings: self.binding_texts(target, &bindings),
                overloads: overload_texts(&stored.signature),
                bridges,
            };
        }
        GraphError::TypeMismatch {
            target: stored.parameter_end(parameter),
            source_end: self.stored(source).port_end(port),
            expected: takes,
            got,
            bridges,
        }
    }

    fn binding_texts(&self, key: NodeKey, bindings: &Bindings) -> Vec<String> {
        let text = |(parameter, ty): (usize, &Option<Type>)| {
            ty.map(|ty| self.binding_text(key, parameter, ty))
        };
        bindings.iter().enumerate().filter_map(text).collect()
    }

    /// Checks and plans that a node follows a function of another type.
    ///
    /// # Errors
    /// [`GraphError::InUse`] if a parameter or port that is in use would be removed, or the type of a literal would
    /// change; [`GraphError::InvalidValue`] if a literal is outside of the new limits; [`GraphError::TypeMismatch`] or [`GraphError::NoOverload`] if the type of a link would.
    pub(crate) fn rekind(
        &self,
        node: NodeKey,
        kind: Box<dyn Node>,
        rename: &dyn Fn(Side, &str) -> Option<String>,
    ) -> Result<Rekind, GraphError> {
        let stored = self.stored(node);
        let signature = signature_of(&*kind);
        let renamed = |side: Side, old: &str| rename(side, old).unwrap_or_else(|| old.to_owned());
        let (old, new) = (&stored.signature, &signature);
        let parameters = old.parameters.iter().map(|old| {
            let name = renamed(Side::Input, &old.name);
            new.parameters.iter().position(|new| new.name == name)
        });
        let parameters: Vec<Option<usize>> = parameters.collect();
        let ports = old.ports.iter().map(|old| {
            let name = renamed(Side::Output, &old.name);
            new.ports.iter().position(|new| new.name == name)
        });
        let ports: Vec<Option<usize>> = ports.collect();
        let rule = &signature.overloads[0];
        for (parameter, input) in stored.inputs.iter().enumerate() {
            let new = parameters[parameter];
            self.check_kept(node, parameter, input, new.map(|new| rule.inputs[new]))?;
            if let (Input::Value(value), Some(new)) = (input, new) {
                let details = signature.parameters[new].details.as_deref();
                GraphError::check_limits(details, value, || stored.parameter_end(parameter))?;
            }
        }
        for consumer in &stored.consumers {
            if ports[consumer.port].is_none() {
                let user = self.stored(consumer.node).parameter_end(consumer.parameter);
                return Err(GraphError::InUse {
                    what: stored.port_end(consumer.port).to_string(),
                    users: vec![user.to_string()],
                    hint: "delete that link first".to_owned(),
                });
            }
        }
        let types = ports
            .iter()
            .map(|place| place.map(|port| rule.outputs[port]));
        let retyping = self.propagate(node, types.collect())?;
        Ok(Rekind {
            node,
            kind,
            parameters,
            ports,
            retyping,
        })
    }

    /// Checks that a parameter can keep its input if its type becomes `new`, or if it is removed.
    fn check_kept(
        &self,
        node: NodeKey,
        parameter: usize,
        input: &Input,
        new: Option<Type>,
    ) -> Result<(), GraphError> {
        let end = || self.stored(node).parameter_end(parameter);
        match (input, new) {
            (Input::Unset, _) => Ok(()),
            (Input::Value(value), Some(ty)) if value.ty() == ty => Ok(()),
            (Input::Value(value), _) => Err(GraphError::InUse {
                what: end().to_string(),
                users: vec![format!("it holds a {}", value.ty())],
                hint: "set it to null first".to_owned(),
            }),
            (&Input::Link { source, port }, Some(ty)) => {
                let got = self.stored(source).port_type(port);
                if got == ty {
                    return Ok(());
                }
                Err(GraphError::TypeMismatch {
                    target: end(),
                    source_end: self.stored(source).port_end(port),
                    expected: vec![ty],
                    got,
                    bridges: Vec::new(),
                })
            }
            (&Input::Link { source, port }, None) => Err(GraphError::InUse {
                what: end().to_string(),
                users: vec![format!("linked to {}", self.stored(source).port_end(port))],
                hint: "delete that link first".to_owned(),
            }),
        }
    }

    pub(crate) fn apply_retyping(&mut self, retyping: &Retyping) {
        for (key, rule) in retyping.iter() {
            self.set_rule(key, rule);
        }
    }

    pub(crate) fn apply_rekind(&mut self, plan: Rekind) {
        let signature = signature_of(&*plan.kind);
        let mut inputs = vec![Input::Unset; signature.parameters.len()];
        self.nodes.change(plan.node, |stored| {
            let before = std::mem::take(&mut stored.inputs);
            for (input, place) in before.into_iter().zip(&plan.parameters) {
                if let Some(place) = *place {
                    inputs[place] = input;
                }
            }
            stored.inputs = inputs;
            stored.kind = plan.kind;
            stored.signature = signature;
            stored.rule = 0;
        });
        for consumer in self.nodes.consumers_mut(plan.node) {
            consumer.port = plan.ports[consumer.port].expect("a linked port stays");
        }
        let source_of = |input: &Input| match input {
            Input::Link { source, .. } => Some(*source),
            Input::Unset | Input::Value(_) => None,
        };
        let sources = self.stored(plan.node).inputs.iter().filter_map(source_of);
        let sources: BTreeSet<NodeKey> = sources.collect();
        let mut parameters = plan.parameters.iter().enumerate();
        let moved = parameters.any(|(old, new)| *new != Some(old));
        for source in sources.into_iter().filter(|_| moved) {
            for consumer in self.nodes.consumers_mut(source) {
                if consumer.node == plan.node {
                    consumer.parameter =
                        plan.parameters[consumer.parameter].expect("a linked parameter stays");
                }
            }
        }
        for consumer in self.stored(plan.node).consumers.clone() {
            let Consumer {
                port, parameter, ..
            } = consumer;
            let source = plan.node;
            let linked = Input::Link { source, port };
            if self.stored(consumer.node).inputs[parameter] != linked {
                self.nodes
                    .change(consumer.node, |node| node.inputs[parameter] = linked);
            }
        }
        self.apply_retyping(&plan.retyping);
    }
}

/// A side of a function or node.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Inputs: a node's parameters.
    Input,
    /// Outputs: a node's ports.
    Output,
}

impl Side {
    /// "input" or "output".
    pub fn name(self) -> &'static str {
        match self {
            Side::Input => "input",
            Side::Output => "output",
        }
    }
}

/// Descriptions of the overloads, such as "(float, float)".
fn overload_texts(signature: &Signature) -> Vec<String> {
    let text = |rule: &Overload| {
        let types: Vec<_> = rule.inputs.iter().map(|ty| ty.name()).collect();
        format!("({})", types.join(", "))
    };
    signature.overloads.iter().map(text).collect()
}
