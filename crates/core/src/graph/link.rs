//! Checks links, literals and references, and plans their effects.
//!
//! Every link is checked by [`Document::plan_link`]: those of edits, of importers and of whole functions.

use std::collections::BTreeSet;

use fibula_nodes::{FunctionType, Node, PortSpec, ResourceId, ResourceKind, Value, ValueError};
use serde_json::Value as Json;

use super::data::Setting;
use super::document::Document;
use super::error::{Endpoint, GraphError, InvalidValue};
use super::function::{Function, Input, NodeKey, Stored};
use super::ids::FunctionId;
use super::order::Relabeling;
use super::resolve::{Rekind, Retyping, Side};

/// Checked change of a parameter's input, with all its effects.
#[derive(Debug, Clone)]
pub(crate) struct InputPlan {
    pub(crate) node: NodeKey,
    pub(crate) parameter: usize,
    input: Input,
    reorder: Relabeling,
    /// Nodes that follow another function than before.
    rekinds: Vec<Rekind>,
    retyping: Retyping,
}

impl InputPlan {
    /// Nodes whose overload changes, with the new one.
    pub(crate) fn retyped(&self) -> impl Iterator<Item = (NodeKey, usize)> {
        self.retyping.iter()
    }

    /// Nodes that follow another function than before.
    pub(crate) fn rekinded(&self) -> impl Iterator<Item = NodeKey> {
        self.rekinds.iter().map(|rekind| rekind.node)
    }

    /// The new value, if it is a literal.
    pub(crate) fn value(&self) -> Option<&Value> {
        match &self.input {
            Input::Value(value) => Some(value),
            Input::Unset | Input::Link { .. } => None,
        }
    }

    /// True if nodes follow another function than before.
    pub(crate) fn changes_calls(&self) -> bool {
        !self.rekinds.is_empty()
    }
}

impl Function {
    /// Applies a plan that was made for this function in its present state.
    pub(crate) fn apply_input(&mut self, plan: InputPlan) {
        self.relabel(&plan.reorder);
        self.set_input(plan.node, plan.parameter, plan.input);
        for rekind in plan.rekinds {
            self.apply_rekind(rekind);
        }
        self.apply_retyping(&plan.retyping);
    }

    /// Plans to clear a parameter, which is always possible.
    pub(crate) fn plan_clear(&self, node: NodeKey, parameter: usize) -> InputPlan {
        InputPlan {
            node,
            parameter,
            input: Input::Unset,
            reorder: Relabeling::default(),
            rekinds: Vec::new(),
            retyping: self.unbind(node, parameter),
        }
    }

    /// Clears a parameter.
    pub(crate) fn clear(&mut self, node: NodeKey, parameter: usize) {
        let plan = self.plan_clear(node, parameter);
        self.apply_input(plan);
    }

    /// Callees of this function.
    pub(crate) fn callees(&self) -> BTreeSet<FunctionId> {
        let callees = self.referrers.iter().filter_map(|&key| self.callee(key));
        callees.map(FunctionId::from).collect()
    }

    /// Nodes that refer to `callee`, in ascending order of ids.
    pub(crate) fn followers_of(&self, callee: ResourceId) -> Vec<NodeKey> {
        let refers = |key: &NodeKey| self.callee(*key) == Some(callee);
        let mut keys: Vec<NodeKey> = self.referrers.iter().copied().filter(refers).collect();
        keys.sort_by_key(|&key| self.stored(key).id);
        keys
    }

    /// True if a node has a reference parameter or is a `Resource` node.
    pub(crate) fn refers(&self, node: NodeKey) -> bool {
        self.referrers.contains(&node) || self.is_resource_node(node)
    }

    /// References of the nodes: resource, expected kind, and parameter.
    pub fn references(&self) -> impl Iterator<Item = (ResourceId, ResourceKind, Endpoint)> {
        self.referrers.iter().flat_map(move |&key| {
            let stored = self.stored(key);
            let inputs = stored.inputs.iter().enumerate();
            inputs.filter_map(move |(place, input)| {
                let wants = stored.signature.parameters[place].refers?;
                match self.reference(input) {
                    Reference::Known(id) => Some((id, wants, stored.parameter_end(place))),
                    Reference::Unset | Reference::Varying => None,
                }
            })
        })
    }

    /// Type of the function that a node follows, if no reference names that function.
    pub(crate) fn unnamed_callee(&self, stored: &Stored) -> Option<FunctionType> {
        let place = function_parameter(stored)?;
        let unset = !matches!(self.reference(&stored.inputs[place]), Reference::Known(_));
        let own = stored.kind.with_callee(&FunctionType::default())?;
        let own = own.signature();
        let rule = &stored.signature.overloads[0];
        let inputs = stored.signature.parameters.iter().zip(&rule.inputs);
        let inputs = inputs.skip(own.parameters.len());
        let outputs = stored.signature.ports.iter().zip(&rule.outputs);
        let outputs = outputs.skip(own.ports.len());
        let callee = FunctionType {
            inputs: inputs
                .map(|(one, &ty)| PortSpec {
                    details: one.details.clone(),
                    ..PortSpec::new(&*one.name, ty)
                })
                .collect(),
            outputs: outputs
                .map(|(one, &ty)| PortSpec::new(&*one.name, ty))
                .collect(),
        };
        (unset && callee != FunctionType::default()).then_some(callee)
    }

    /// The function that a node refers to, if it is set.
    pub(crate) fn callee(&self, follower: NodeKey) -> Option<ResourceId> {
        let stored = self.stored(follower);
        match self.reference(&stored.inputs[function_parameter(stored)?]) {
            Reference::Known(id) => Some(id),
            Reference::Unset | Reference::Varying => None,
        }
    }

    /// Reference of a parameter: its literal, or that of the `Resource` node it is linked to.
    fn reference(&self, input: &Input) -> Reference {
        let known = |input: &Input| match input {
            Input::Value(Value::ResourceId(id)) => Reference::Known(*id),
            Input::Unset => Reference::Unset,
            Input::Value(_) | Input::Link { .. } => Reference::Varying,
        };
        match input {
            Input::Link { source, .. } if self.is_resource_node(*source) => {
                known(&self.stored(*source).inputs[0])
            }
            input => known(input),
        }
    }

    /// True if the node is a constant resource id.
    fn is_resource_node(&self, key: NodeKey) -> bool {
        self.stored(key).kind.info().name == "Resource"
    }

    /// Plans that a node follows a function of type `callee`; `None` if it already does, or its kind follows none.
    pub(crate) fn follow(
        &self,
        node: NodeKey,
        callee: &FunctionType,
        rename: &dyn Fn(Side, &str) -> Option<String>,
    ) -> Result<Option<Rekind>, GraphError> {
        let stored = self.stored(node);
        let Some(kind) = stored.kind.with_callee(callee) else {
            return Ok(None);
        };
        check_names(&*kind)?;
        if kind.signature() == stored.signature {
            return Ok(None);
        }
        // The node's own parameters and ports are not renamed with those of the function.
        let own = stored.kind.with_callee(&FunctionType::default());
        let own = own.as_ref().map(|node| node.signature());
        let is_own = |side: Side, name: &str| match (&own, side) {
            (Some(own), Side::Input) => own.parameters.iter().any(|own| own.name == name),
            (Some(own), Side::Output) => own.ports.iter().any(|own| own.name == name),
            (None, _) => false,
        };
        let rename = |side, name: &str| rename(side, name).filter(|_| !is_own(side, name));
        self.rekind(node, kind, &rename).map(Some)
    }
}

/// Reference of a parameter, as far as it is known without evaluation.
#[derive(Debug, Clone, Copy)]
enum Reference {
    Known(ResourceId),
    Unset,
    /// Only known during evaluation.
    Varying,
}

/// Index of the parameter by which a node names a function.
fn function_parameter(stored: &Stored) -> Option<usize> {
    let mut parameters = stored.signature.parameters.iter();
    parameters.position(|parameter| parameter.refers == Some(ResourceKind::Function))
}

impl Document {
    /// Checks and plans a link.
    ///
    /// # Errors
    /// In this order: `self_link`, `already_linked` unless `replace`, `type_mismatch` or `no_overload`, `cycle`,
    /// `resource_kind_mismatch`, `unknown_function`, `recursive_call`, `in_use`.
    pub(crate) fn plan_link(
        &self,
        function: &Function,
        (source, port): (NodeKey, usize),
        (node, parameter): (NodeKey, usize),
        replace: bool,
    ) -> Result<InputPlan, GraphError> {
        let stored = function.stored(node);
        if source == node {
            return Err(GraphError::SelfLink {
                node: stored.label(),
            });
        }
        if let Input::Link { source, port } = stored.inputs[parameter]
            && !replace
        {
            return Err(GraphError::AlreadyLinked {
                target: stored.parameter_end(parameter),
                source_end: function.stored(source).port_end(port),
            });
        }
        let got = function.stored(source).port_type(port);
        let Some(rule) = function.rule_with(node, parameter, got) else {
            return Err(function.mismatch(source, port, node, parameter));
        };
        let reorder = function.reorder(source, node)?;
        let (end, link) = ((node, parameter), Input::Link { source, port });
        self.plan_input(function, end, link, rule, reorder)
    }

    /// Checks and plans a literal; JSON null clears the parameter.
    ///
    /// # Errors
    /// `parameter_linked`, `invalid_value`, `type_mismatch` or `no_overload` of a node after this one, and those of
    /// references: `resource_kind_mismatch`, `unknown_function`, `recursive_call`, `in_use`.
    pub(crate) fn plan_value(
        &self,
        function: &Function,
        node: NodeKey,
        parameter: usize,
        json: &Json,
    ) -> Result<InputPlan, GraphError> {
        check_unlinked(function, node, parameter)?;
        if json.is_null() {
            return Ok(function.plan_clear(node, parameter));
        }
        let (value, rule) = read_literal(function, node, parameter, json)?;
        let (end, value) = ((node, parameter), Input::Value(value));
        self.plan_input(function, end, value, rule, Relabeling::default())
    }

    /// As [`plan_value`](Self::plan_value), for a typed value.
    pub(crate) fn plan_typed(
        &self,
        function: &Function,
        node: NodeKey,
        parameter: usize,
        value: Value,
    ) -> Result<InputPlan, GraphError> {
        check_unlinked(function, node, parameter)?;
        let rule = function.rule_with(node, parameter, value.ty());
        let Some(rule) = rule.filter(|_| value.is_finite()) else {
            let takes = function.takes(node, parameter);
            let error = match takes.first() {
                Some(&expected) => ValueError {
                    expected,
                    got: value.to_json().to_string(),
                }
                .into(),
                None => InvalidValue::Bound("no type agrees with its other inputs".to_owned()),
            };
            let target = function.stored(node).parameter_end(parameter);
            return Err(GraphError::InvalidValue { target, error });
        };
        function.stored(node).check_limits(parameter, &value)?;
        let (end, value) = ((node, parameter), Input::Value(value));
        self.plan_input(function, end, value, rule, Relabeling::default())
    }

    /// Plans an input of a type that the parameter takes, with the overload for it.
    fn plan_input(
        &self,
        function: &Function,
        (node, parameter): (NodeKey, usize),
        input: Input,
        rule: usize,
        reorder: Relabeling,
    ) -> Result<InputPlan, GraphError> {
        let retyping = function.change_rule(node, rule)?;
        let rekinds = self.plan_reference(function, node, parameter, &input)?;
        Ok(InputPlan {
            node,
            parameter,
            input,
            reorder,
            rekinds,
            retyping,
        })
    }

    /// Effects on references when a parameter gets `input`.
    fn plan_reference(
        &self,
        function: &Function,
        node: NodeKey,
        parameter: usize,
        input: &Input,
    ) -> Result<Vec<Rekind>, GraphError> {
        if function.is_resource_node(node) {
            let known = match input {
                Input::Link { .. } => Reference::Varying,
                Input::Unset | Input::Value(_) => function.reference(input),
            };
            let mut rekinds = Vec::new();
            for consumer in &function.stored(node).consumers {
                let (target, place) = (consumer.node, consumer.parameter);
                rekinds.extend(self.refer(function, target, place, known)?);
            }
            return Ok(rekinds);
        }
        let known = function.reference(input);
        let rekind = self.refer(function, node, parameter, known)?;
        Ok(rekind.into_iter().collect())
    }

    /// Effects on a node when one of its parameters refers to `known`.
    fn refer(
        &self,
        function: &Function,
        node: NodeKey,
        parameter: usize,
        known: Reference,
    ) -> Result<Option<Rekind>, GraphError> {
        let stored = function.stored(node);
        let Some(wants) = stored.signature.parameters[parameter].refers else {
            return Ok(None);
        };
        let target = stored.parameter_end(parameter);
        let id = match known {
            Reference::Known(id) => id,
            Reference::Varying if wants == ResourceKind::Function => {
                return Err(GraphError::ResourceKindMismatch {
                    target,
                    wants,
                    is: "the id would be unknown before evaluation; set it, or link a Resource node that has it"
                        .to_owned(),
                });
            }
            Reference::Unset | Reference::Varying => return Ok(None),
        };
        self.check_reference(id, wants, &target)?;
        if wants != ResourceKind::Function {
            return Ok(None);
        }
        self.check_call(function.id(), id.into())?;
        let callee = self.callable(id, &target)?;
        function.follow(node, &callee, &|_, _| None)
    }
}

/// Checks that the node's own parameters and those of its function have different names.
pub(crate) fn check_names(kind: &dyn Node) -> Result<(), GraphError> {
    let signature = kind.signature();
    let mut names = BTreeSet::new();
    for parameter in &signature.parameters {
        if !names.insert(parameter.name.as_ref()) {
            return Err(GraphError::InvalidName {
                what: "an input of the function",
                problem: format!(
                    "is called '{}', which is a parameter of {} itself; rename the input",
                    parameter.name,
                    kind.info().name
                ),
            });
        }
    }
    Ok(())
}

/// Rejects a literal for a linked parameter.
fn check_unlinked(function: &Function, node: NodeKey, parameter: usize) -> Result<(), GraphError> {
    let stored = function.stored(node);
    match stored.inputs[parameter] {
        Input::Link { source, port } => Err(GraphError::ParameterLinked {
            target: stored.parameter_end(parameter),
            source_end: function.stored(source).port_end(port),
        }),
        Input::Unset | Input::Value(_) => Ok(()),
    }
}

/// Parses a literal as the first type that the parameter takes and the JSON matches; returns it with its overload.
fn read_literal(
    function: &Function,
    node: NodeKey,
    parameter: usize,
    json: &Json,
) -> Result<(Value, usize), GraphError> {
    let stored = function.stored(node);
    let takes = function.takes(node, parameter);
    let mut first = None;
    for &ty in &takes {
        match Value::from_json(ty, json) {
            Ok(value) => {
                stored.check_limits(parameter, &value)?;
                let rule = function.rule_with(node, parameter, ty);
                return Ok((value, rule.expect("the parameter takes the type")));
            }
            Err(error) => first = first.or(Some(error)),
        }
    }
    let target = stored.parameter_end(parameter);
    let fits_elsewhere = stored.signature.overloads.iter().any(|rule| {
        !takes.contains(&rule.inputs[parameter])
            && Value::from_json(rule.inputs[parameter], json).is_ok()
    });
    let error = match first {
        Some(error) if !fits_elsewhere => error.into(),
        Some(_) | None => {
            let others: Vec<String> = (0..stored.inputs.len())
                .filter(|&other| other != parameter && stored.inputs[other] != Input::Unset)
                .map(|other| function.binding_text(node, other, stored.parameter_type(other)))
                .collect();
            let types: Vec<_> = takes.iter().map(|ty| ty.form()).collect();
            InvalidValue::Bound(format!(
                "it takes {} with {}; first change or clear those",
                types.join(" or "),
                others.join(", ")
            ))
        }
    };
    Err(GraphError::InvalidValue { target, error })
}

/// Input of a parameter as plain data, for an inverse.
pub(crate) fn input_setting(
    function: &Function,
    node: NodeKey,
    parameter: usize,
) -> Option<Setting> {
    function.setting(&function.stored(node).inputs[parameter])
}
