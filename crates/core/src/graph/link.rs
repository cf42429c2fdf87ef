//! Deciding a link, a literal, and what a node that refers to a function follows.
//!
//! Everything that makes a link goes through [`Document::plan_link`]: the edits of tools and page, the importers
//! and the building of whole functions.

use std::collections::BTreeSet;

use fibula_nodes::{
    FunctionType, Node, Parameter, PortSpec, ResourceId, ResourceKind, Value, ValueError,
};
use serde_json::Value as Json;

use super::data::Setting;
use super::document::Document;
use super::error::{End, GraphError, InvalidValue};
use super::function::{Function, Input, NodeKey, Stored};
use super::ids::FunctionId;
use super::order::Reorder;
use super::resolve::{Rekind, Retyping, Side};

/// What a parameter gets, and everything that follows from it.
#[derive(Debug, Clone)]
pub(crate) struct InputPlan {
    pub(crate) node: NodeKey,
    pub(crate) parameter: usize,
    input: Input,
    reorder: Reorder,
    /// Nodes that now follow another function.
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

    /// The value that the parameter gets.
    pub(crate) fn value(&self) -> Option<&Value> {
        match &self.input {
            Input::Value(value) => Some(value),
            Input::Unset | Input::Link { .. } => None,
        }
    }

    /// Whether nodes after the plan follow another function than before.
    pub(crate) fn changes_calls(&self) -> bool {
        !self.rekinds.is_empty()
    }
}

impl Function {
    /// Carries out a plan. It was made for this function, which did not change since.
    pub(crate) fn apply_input(&mut self, plan: InputPlan) {
        self.relabel(&plan.reorder);
        self.set_input(plan.node, plan.parameter, plan.input);
        for rekind in plan.rekinds {
            self.apply_rekind(rekind);
        }
        self.apply_retyping(&plan.retyping);
    }

    /// Taking away what a parameter has; it is never refused.
    pub(crate) fn plan_clear(&self, node: NodeKey, parameter: usize) -> InputPlan {
        InputPlan {
            node,
            parameter,
            input: Input::Unset,
            reorder: Reorder::default(),
            rekinds: Vec::new(),
            retyping: self.unbind(node, parameter),
        }
    }

    /// Takes away what a parameter has.
    pub(crate) fn clear(&mut self, node: NodeKey, parameter: usize) {
        let plan = self.plan_clear(node, parameter);
        self.apply_input(plan);
    }

    /// The functions that this one calls, by id.
    pub(crate) fn callees(&self) -> BTreeSet<FunctionId> {
        let callees = self.referrers.iter().filter_map(|&key| self.callee(key));
        callees.map(FunctionId::from).collect()
    }

    /// The nodes that refer to `callee`, by id.
    pub(crate) fn followers_of(&self, callee: ResourceId) -> Vec<NodeKey> {
        let refers = |key: &NodeKey| self.callee(*key) == Some(callee);
        let mut keys: Vec<NodeKey> = self.referrers.iter().copied().filter(refers).collect();
        keys.sort_by_key(|&key| self.stored(key).id);
        keys
    }

    /// Whether a node can refer to a resource, or name one for others.
    pub(crate) fn refers(&self, node: NodeKey) -> bool {
        self.referrers.contains(&node) || self.is_resource_node(node)
    }

    /// The resources that nodes refer to: which, as what, and by which parameter.
    pub fn references(&self) -> impl Iterator<Item = (ResourceId, ResourceKind, End)> {
        self.referrers.iter().flat_map(move |&key| {
            let stored = self.stored(key);
            stored
                .inputs
                .iter()
                .enumerate()
                .filter_map(move |(place, input)| {
                    let wants = stored.signature.parameters[place].refers?;
                    match self.reference(input) {
                        Reference::Known(id) => Some((id, wants, stored.parameter_end(place))),
                        Reference::Unset | Reference::Varying => None,
                    }
                })
        })
    }

    /// The type of the function that a node follows, if no reference names that function.
    pub(crate) fn unnamed_callee(&self, stored: &Stored) -> Option<FunctionType> {
        let place = stored
            .signature
            .parameters
            .iter()
            .position(is_function_reference)?;
        let unset = !matches!(self.reference(&stored.inputs[place]), Reference::Known(_));
        let own = stored.kind.with_callee(&FunctionType::default())?;
        let own = own.signature();
        let rule = &stored.signature.overloads[0];
        let inputs = stored.signature.parameters.iter().zip(&rule.inputs);
        let outputs = stored.signature.ports.iter().zip(&rule.outputs);
        let callee = FunctionType {
            inputs: inputs
                .skip(own.parameters.len())
                .map(|(parameter, &ty)| PortSpec::new(parameter.name.as_ref(), ty))
                .collect(),
            outputs: outputs
                .skip(own.ports.len())
                .map(|(port, &ty)| PortSpec::new(port.name.as_ref(), ty))
                .collect(),
        };
        (unset && callee != FunctionType::default()).then_some(callee)
    }

    /// The function that a node refers to, if that is set.
    pub(crate) fn callee(&self, follower: NodeKey) -> Option<ResourceId> {
        let place = function_parameter(self, follower)?;
        match self.reference(&self.stored(follower).inputs[place]) {
            Reference::Known(id) => Some(id),
            Reference::Unset | Reference::Varying => None,
        }
    }

    /// What a parameter refers to: by its literal, or that of the `Resource` node it is linked to.
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

    /// Whether the node is a constant resource id.
    fn is_resource_node(&self, key: NodeKey) -> bool {
        self.stored(key).kind.info().name == "Resource"
    }

    /// The parameters that get the id of a `Resource` node.
    fn references_from(&self, resource: NodeKey) -> Vec<(NodeKey, usize)> {
        let consumers = &self.stored(resource).consumers;
        consumers
            .iter()
            .map(|consumer| (consumer.node, consumer.parameter))
            .collect()
    }

    /// How a node follows a function of type `callee`; `None` if it already does, or follows none.
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
        // What the node calls its own is not renamed with the function's ports.
        let own = stored.kind.with_callee(&FunctionType::default());
        let own = own.as_ref().map(|node| node.signature());
        let is_own = |side: Side, name: &str| match (&own, side) {
            (Some(own), Side::Input) => own.parameters.iter().any(|own| own.name == name),
            (Some(own), Side::Output) => own.ports.iter().any(|own| own.name == name),
            (None, _) => false,
        };
        let rename = |side: Side, name: &str| {
            if is_own(side, name) {
                None
            } else {
                rename(side, name)
            }
        };
        self.rekind(node, kind, &rename).map(Some)
    }
}

/// What is known, while a graph is edited, of what a parameter refers to.
#[derive(Debug, Clone, Copy)]
enum Reference {
    Known(ResourceId),
    Unset,
    /// Only known during evaluation.
    Varying,
}

/// The parameter by which a node names a function.
fn function_parameter(function: &Function, key: NodeKey) -> Option<usize> {
    function
        .stored(key)
        .signature
        .parameters
        .iter()
        .position(is_function_reference)
}

fn is_function_reference(parameter: &Parameter) -> bool {
    parameter.refers == Some(ResourceKind::Function)
}

impl Document {
    /// Decides a link: the one place where that is done.
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
        let retyping = function.change_rule(node, rule)?;
        let input = Input::Link { source, port };
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

    /// Decides a literal; JSON null clears the parameter.
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
        self.plan_literal(function, (node, parameter), value, rule)
    }

    /// Decides a literal that was read already.
    ///
    /// # Errors
    /// As [`plan_value`](Self::plan_value).
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
                None => InvalidValue::Bound("no value agrees with its other inputs".to_owned()),
            };
            let target = function.stored(node).parameter_end(parameter);
            return Err(GraphError::InvalidValue { target, error });
        };
        self.plan_literal(function, (node, parameter), value, rule)
    }

    /// Decides a literal of a type that the parameter takes, with the overload for it.
    fn plan_literal(
        &self,
        function: &Function,
        (node, parameter): (NodeKey, usize),
        value: Value,
        rule: usize,
    ) -> Result<InputPlan, GraphError> {
        let retyping = function.change_rule(node, rule)?;
        let input = Input::Value(value);
        let rekinds = self.plan_reference(function, node, parameter, &input)?;
        let reorder = Reorder::default();
        Ok(InputPlan {
            node,
            parameter,
            input,
            reorder,
            rekinds,
            retyping,
        })
    }

    /// What follows when a parameter that may name a resource gets `input`.
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
            for (target, place) in function.references_from(node) {
                rekinds.extend(self.refer(function, target, place, known)?);
            }
            return Ok(rekinds);
        }
        let known = function.reference(input);
        Ok(self
            .refer(function, node, parameter, known)?
            .into_iter()
            .collect())
    }

    /// What follows when a parameter comes to refer to `known`.
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
                    is: "it would only be known during evaluation; set the id, or link a Resource node that holds it"
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

/// Whether the parameters that a node has by itself and those of its function go by different names.
pub(crate) fn check_names(kind: &dyn Node) -> Result<(), GraphError> {
    let signature = kind.signature();
    let mut names = BTreeSet::new();
    for parameter in &signature.parameters {
        if !names.insert(parameter.name.as_ref()) {
            return Err(GraphError::InvalidName {
                what: "an input of the function",
                problem: format!(
                    "is called '{}', which {} calls a parameter of its own; rename the input",
                    parameter.name,
                    kind.info().name
                ),
            });
        }
    }
    Ok(())
}

/// Refuses a literal where there is a link.
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

/// Reads a literal as the first type that the parameter takes and the JSON says; with the overload for it.
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
                "it takes {} beside {}; change or clear those first",
                types.join(" or "),
                others.join(", ")
            ))
        }
    };
    Err(GraphError::InvalidValue { target, error })
}

/// What a parameter has, written out, for an inverse.
pub(crate) fn setting_of(function: &Function, node: NodeKey, parameter: usize) -> Option<Setting> {
    function.setting(&function.stored(node).inputs[parameter])
}
