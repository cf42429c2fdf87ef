//! Inline call: a call is replaced by the nodes of the function that it calls.
//!
//! The nodes that the function's outputs need are copied; others are left out. The call's links and values replace the
//! function's inputs. If the call has nothing for an input that is used, or the function nothing for an output that is
//! used, a link would be lost and a default could take its place: inlining fails.

use fibula_nodes::Parameter;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::function_editor::{FunctionEditor, NewNode, PortRef};
use super::{MOST_NODES, RefactorError, RefactorOutcome};
use crate::edit::{EditError, Stage};
use crate::graph::{
    Argument, Document, Function, FunctionId, NodeId, NodeView, Resource, Schedule,
};

/// Arguments of the refactoring *inline call*.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InlineCall {
    /// The function that has the call.
    pub function_id: FunctionId,
    /// The call.
    pub node_id: NodeId,
}

/// Link or value of a parameter in the calling function.
#[derive(Debug, Clone)]
enum ArgumentValue {
    Link(PortRef),
    Value(Json),
}

/// A node to be created, and its parameters in the order in which they are set.
#[derive(Debug)]
struct NodeCopy {
    /// Its id in the called function.
    id: NodeId,
    node: NewNode,
    settings: Vec<(String, CalleeArgument)>,
    overload: Option<usize>,
}

/// Argument of a parameter in the called function.
#[derive(Debug)]
enum CalleeArgument {
    /// A port of another node of that function.
    Node(PortRef),
    /// An argument of the call.
    Call(ArgumentValue),
}

/// The edits, decided before the first of them is pushed.
#[derive(Debug)]
struct InliningPlan {
    copies: Vec<NodeCopy>,
    /// Parameters linked to the call, and their new arguments.
    targets: Vec<(NodeId, String, CalleeArgument)>,
    /// Node of the called function that gives the first output of the call that is used, if a node does.
    result: Option<NodeId>,
}

impl InlineCall {
    /// Replaces the call.
    pub(super) fn push(&self, stage: &mut Stage) -> Result<RefactorOutcome, RefactorError> {
        let plan = InliningPlan::new(stage.document(), self)?;
        Ok(plan.carry_out(stage, self)?)
    }

    /// Returns the called function.
    pub(super) fn callee<'d>(&self, document: &'d Document) -> Result<&'d Function, RefactorError> {
        let call = document.function(self.function_id)?.node(self.node_id)?;
        let not_inlinable = |problem, hint| {
            Err(RefactorError::NotInlinable {
                node: call.label().to_string(),
                problem,
                hint,
            })
        };
        if call.kind().info().name != "FunctionCall" {
            return not_inlinable("is not a call", "pass the node_id of a FunctionCall");
        }
        let Some(id) = call.callee() else {
            return not_inlinable("has no callee", "first set its functionID");
        };
        if let Some(Resource::ImageFunction(_)) = document.resource(id) {
            return not_inlinable("calls an image, which has no nodes", "keep the call");
        }
        Ok(document.function(id.into())?)
    }
}

impl InliningPlan {
    fn new(document: &Document, request: &InlineCall) -> Result<InliningPlan, RefactorError> {
        let function = document.function(request.function_id)?;
        let call = function.node(request.node_id)?;
        let callee = request.callee(document)?;
        let every: Vec<usize> = (0..callee.outputs().len()).collect();
        let Schedule { steps, .. } = callee.schedule(&every);
        if steps.len() > MOST_NODES + 1 {
            return Err(RefactorError::TooManyNodes {
                kind: "inline_call",
                nodes: steps.len(),
            });
        }
        let inner = CalleeView {
            callee,
            call,
            given: call_arguments(call),
        };
        let origin = corner(steps.iter().map(|step| step.node.position()));
        let mut copies = Vec::with_capacity(steps.len());
        for step in &steps {
            if Some(step.node.id()) != callee.begin() {
                copies.push(inner.copy(step.node, origin)?);
            }
        }
        let mut targets = Vec::new();
        let end = callee.node(NodeId::END)?;
        let first = call.consumers().iter().map(|&(port, ..)| port).min();
        let result = match first.map(|port| inner.setting(end, port)).transpose()? {
            Some(Some(CalleeArgument::Node((node, _)))) => Some(node),
            Some(Some(CalleeArgument::Call(_)) | None) | None => None,
        };
        for (port, target, place) in call.consumers() {
            let name = &function.node(target)?.signature().parameters[place].name;
            let setting = inner.setting(end, port)?;
            let setting = setting.ok_or_else(|| inner.missing_output(port))?;
            targets.push((target, name.to_string(), setting));
        }
        Ok(InliningPlan {
            copies,
            targets,
            result,
        })
    }

    fn carry_out(
        self,
        stage: &mut Stage,
        request: &InlineCall,
    ) -> Result<RefactorOutcome, EditError> {
        let mut local = FunctionEditor {
            stage,
            function_id: request.function_id,
        };
        let mut ids: FxHashMap<NodeId, NodeId> = FxHashMap::default();
        let mut nodes = Vec::with_capacity(self.copies.len());
        for copy in self.copies {
            let id = local.create(copy.node)?;
            ids.insert(copy.id, id);
            nodes.push(id);
            for (parameter, setting) in copy.settings {
                match setting.outside(&ids) {
                    ArgumentValue::Link(from) => local.link(&from, id, &parameter)?,
                    ArgumentValue::Value(value) => local.set_value(id, &parameter, value)?,
                }
            }
            if let Some(overload) = copy.overload {
                local.set_overload(id, overload)?;
            }
        }
        for (target, parameter, setting) in self.targets {
            match setting.outside(&ids) {
                ArgumentValue::Link(from) => local.link(&from, target, &parameter)?,
                ArgumentValue::Value(value) => {
                    local.unlink(target, &parameter)?;
                    local.set_value(target, &parameter, value)?;
                }
            }
        }
        local.delete(request.node_id)?;
        Ok(RefactorOutcome {
            node: self.result.map(|node| ids[&node]),
            nodes,
            ..RefactorOutcome::default()
        })
    }
}

impl CalleeArgument {
    /// Translates node ids to those of the copies.
    fn outside(self, ids: &FxHashMap<NodeId, NodeId>) -> ArgumentValue {
        match self {
            CalleeArgument::Node((id, port)) => ArgumentValue::Link((ids[&id], port)),
            CalleeArgument::Call(given) => given,
        }
    }
}

/// The called function, seen from the call.
struct CalleeView<'d> {
    callee: &'d Function,
    call: NodeView<'d>,
    /// Argument of the call for each input.
    given: Vec<Option<ArgumentValue>>,
}

impl CalleeView<'_> {
    fn copy(
        &self,
        node: NodeView<'_>,
        origin: Option<[f64; 2]>,
    ) -> Result<NodeCopy, RefactorError> {
        let data = node.data();
        let parameters = &node.signature().parameters;
        let mut settings = Vec::new();
        for (place, parameter) in parameters.iter().enumerate() {
            if let Some(setting) = self.setting(node, place)? {
                settings.push((stage_of(parameter, &setting), parameter, setting));
            }
        }
        settings.sort_by_key(|&(stage, ..)| stage);
        let settings = settings.into_iter();
        let position = move |own: [f64; 2]| {
            let (origin, there) = (origin?, self.call.position()?);
            let place = [0, 1].map(|axis| there[axis] + (own[axis] - origin[axis]));
            place.iter().all(|place| place.is_finite()).then_some(place)
        };
        Ok(NodeCopy {
            id: node.id(),
            node: NewNode {
                id: None,
                kind: data.node_type,
                name: data.display_name,
                position: data.position.and_then(position),
                callee: data.callee,
            },
            settings: settings
                .map(|(_, parameter, setting)| (parameter.name.to_string(), setting))
                .collect(),
            overload: data.overload,
        })
    }

    /// Argument of a parameter of the copy, or `None` if it has none.
    fn setting(
        &self,
        node: NodeView<'_>,
        place: usize,
    ) -> Result<Option<CalleeArgument>, RefactorError> {
        Ok(match node.argument(place) {
            Argument::Unset | Argument::Default(_) => None,
            Argument::Value(value) => {
                Some(CalleeArgument::Call(ArgumentValue::Value(value.to_json())))
            }
            Argument::Link {
                node: source, port, ..
            } if Some(source) == self.callee.begin() => match &self.given[port] {
                Some(given) => Some(CalleeArgument::Call(given.clone())),
                None => return Err(self.missing_input(port)),
            },
            Argument::Link { node, name, .. } => {
                Some(CalleeArgument::Node((node, name.to_owned())))
            }
        })
    }

    fn callee_label(&self) -> String {
        format!("function {} '{}'", self.callee.id(), self.callee.name())
    }

    fn missing_input(&self, port: usize) -> RefactorError {
        RefactorError::MissingInput {
            input: self.callee.inputs()[port].name.clone(),
            call: self.call.label().to_string(),
            callee: self.callee_label(),
        }
    }

    fn missing_output(&self, port: usize) -> RefactorError {
        RefactorError::MissingOutput {
            output: self.callee.outputs()[port].name.clone(),
            callee: self.callee_label(),
            call: self.call.label().to_string(),
        }
    }
}

/// Order in which parameters are set: a reference determines which others exist, and links determine which literals
/// are valid.
fn stage_of(parameter: &Parameter, setting: &CalleeArgument) -> u8 {
    match setting {
        _ if parameter.refers.is_some() => 0,
        CalleeArgument::Node(_) | CalleeArgument::Call(ArgumentValue::Link(_)) => 1,
        CalleeArgument::Call(ArgumentValue::Value(_)) => 2,
    }
}

/// Arguments of a call for the inputs of its function.
fn call_arguments(call: NodeView<'_>) -> Vec<Option<ArgumentValue>> {
    // The first parameter names the function.
    let places = 1..call.signature().parameters.len();
    let given = places.map(|place| match call.argument(place) {
        Argument::Link { node, name, .. } => Some(ArgumentValue::Link((node, name.to_owned()))),
        Argument::Value(value) | Argument::Default(value) => {
            Some(ArgumentValue::Value(value.to_json()))
        }
        Argument::Unset => None,
    });
    given.collect()
}

/// Minimum of each coordinate, from which positions are measured.
fn corner(positions: impl Iterator<Item = Option<[f64; 2]>>) -> Option<[f64; 2]> {
    positions
        .flatten()
        .reduce(|one, other| [one[0].min(other[0]), one[1].min(other[1])])
}
