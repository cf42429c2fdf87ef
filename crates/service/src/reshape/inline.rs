//! A call written out in place: the nodes of the function that it calls, instead of the call.
//!
//! What the function's outputs need is written out; nodes that none needs stay behind. The call's links and values go
//! where the function's inputs went. Where the call has nothing for an input that is used, or the function nothing
//! for an output that is taken, a link would be lost, and a default may come in its place: that is refused.

use fibula_core::edit::{EditError, Stage};
use fibula_core::graph::{
    Argument, Document, Function, FunctionId, NodeId, NodeView, Resource, Schedule,
};
use fibula_nodes::Parameter;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::Value as Json;

use super::local::{From, Local, NewNode};
use super::{MOST_NODES, Reshaped, too_many};
use crate::refusal::Refusal;

/// The call that is to be written out.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Inline {
    pub(super) function_id: FunctionId,
    pub(super) node_id: NodeId,
}

/// What a parameter gets: of a node here, or of one that is to come.
#[derive(Debug, Clone)]
enum Given {
    Link(From),
    Value(Json),
}

/// A node that is to come, and what its parameters get, in the order in which they are set.
#[derive(Debug)]
struct Copy {
    /// Its id in the function that is called.
    id: NodeId,
    node: NewNode,
    settings: Vec<(String, Inside)>,
    overload: Option<usize>,
}

/// What a parameter of the function that is called has.
#[derive(Debug)]
enum Inside {
    /// A port of another of its nodes.
    Node(From),
    /// What the call gives.
    Given(Given),
}

/// What is to be done.
#[derive(Debug)]
struct Plan {
    copies: Vec<Copy>,
    /// The parameters that take a port of the call, and what they get.
    targets: Vec<(NodeId, String, Inside)>,
}

/// Writes a call out.
pub(super) fn inline(stage: &mut Stage, request: &Inline) -> Result<Reshaped, Refusal> {
    let plan = Plan::new(stage.document(), request)?;
    Ok(plan.carry_out(stage, request)?)
}

/// The function that a call calls.
pub(super) fn callee<'d>(
    document: &'d Document,
    request: &Inline,
) -> Result<&'d Function, Refusal> {
    let call = document
        .function(request.function_id)?
        .node(request.node_id)?;
    let refuse = |problem: &str, hint: &str| {
        let message = format!(
            "{} {problem}, so there is nothing to write out",
            call.label()
        );
        Err(Refusal::new("no_call", message).hint(hint))
    };
    if call.kind().about().name != "FunctionCall" {
        return refuse("is no call", "give the node_id of a FunctionCall");
    }
    let Some(id) = call.callee() else {
        return refuse("calls no function yet", "set its functionID first");
    };
    if let Some(Resource::ImageFunction(_)) = document.resource(id) {
        return refuse(
            "calls an image, which has no nodes",
            "leave the call as it is",
        );
    }
    Ok(document.function(id.into())?)
}

impl Plan {
    fn new(document: &Document, request: &Inline) -> Result<Plan, Refusal> {
        let function = document.function(request.function_id)?;
        let call = function.node(request.node_id)?;
        let callee = callee(document, request)?;
        let every: Vec<usize> = (0..callee.outputs().len()).collect();
        let Schedule { steps, .. } = callee.schedule(&every);
        if steps.len() > MOST_NODES + 1 {
            return Err(too_many("inline_call", steps.len()));
        }
        let inner = Inner {
            callee,
            call,
            given: given(call),
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
        for (port, target, place) in call.consumers() {
            let name = &function.node(target)?.signature().parameters[place].name;
            let setting = inner.setting(end, port)?;
            let setting = setting.ok_or_else(|| inner.no_output(port))?;
            targets.push((target, name.to_string(), setting));
        }
        Ok(Plan { copies, targets })
    }

    fn carry_out(self, stage: &mut Stage, request: &Inline) -> Result<Reshaped, EditError> {
        let mut local = Local {
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
                    Given::Link(from) => local.link(&from, id, &parameter)?,
                    Given::Value(value) => local.value(id, &parameter, value)?,
                }
            }
            if let Some(overload) = copy.overload {
                local.overload(id, overload)?;
            }
        }
        for (target, parameter, setting) in self.targets {
            match setting.outside(&ids) {
                Given::Link(from) => local.link(&from, target, &parameter)?,
                Given::Value(value) => {
                    local.unlink(target, &parameter)?;
                    local.value(target, &parameter, value)?;
                }
            }
        }
        local.delete(request.node_id)?;
        Ok(Reshaped {
            nodes,
            ..Reshaped::default()
        })
    }
}

impl Inside {
    /// The same, where the nodes have new ids.
    fn outside(self, ids: &FxHashMap<NodeId, NodeId>) -> Given {
        match self {
            Inside::Node((id, port)) => Given::Link((ids[&id], port)),
            Inside::Given(given) => given,
        }
    }
}

/// The function that is called, from inside.
struct Inner<'d> {
    callee: &'d Function,
    call: NodeView<'d>,
    /// What the call has for each input.
    given: Vec<Option<Given>>,
}

impl Inner<'_> {
    fn copy(&self, node: NodeView<'_>, origin: Option<[f64; 2]>) -> Result<Copy, Refusal> {
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
        Ok(Copy {
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

    /// What a parameter gets where the call was; none if it has nothing.
    fn setting(&self, node: NodeView<'_>, place: usize) -> Result<Option<Inside>, Refusal> {
        Ok(match node.argument(place) {
            Argument::Unset | Argument::Default(_) => None,
            Argument::Value(value) => Some(Inside::Given(Given::Value(value.to_json()))),
            Argument::Link {
                node: source, port, ..
            } if Some(source) == self.callee.begin() => match &self.given[port] {
                Some(given) => Some(Inside::Given(given.clone())),
                None => return Err(self.no_input(port)),
            },
            Argument::Link { node, name, .. } => Some(Inside::Node((node, name.to_owned()))),
        })
    }

    fn no_input(&self, port: usize) -> Refusal {
        let message = format!(
            "{} of {} is neither linked nor set, and function {} '{}' uses it",
            self.callee.inputs()[port].name,
            self.call.label(),
            self.callee.id(),
            self.callee.name(),
        );
        Refusal::new("missing_input", message).hint("link or set it first")
    }

    fn no_output(&self, port: usize) -> Refusal {
        let message = format!(
            "the output {} of function {} '{}' is neither linked nor set, and taken from {}",
            self.callee.outputs()[port].name,
            self.callee.id(),
            self.callee.name(),
            self.call.label(),
        );
        Refusal::new("missing_input", message)
            .hint("link or set it there first, or delete the links from the call's port")
    }
}

/// A reference decides which other parameters there are, and links decide what literals may be.
fn stage_of(parameter: &Parameter, setting: &Inside) -> u8 {
    match setting {
        _ if parameter.refers.is_some() => 0,
        Inside::Node(_) | Inside::Given(Given::Link(_)) => 1,
        Inside::Given(Given::Value(_)) => 2,
    }
}

/// What a call has for the inputs of its function, in their order.
fn given(call: NodeView<'_>) -> Vec<Option<Given>> {
    // The first parameter names the function.
    let places = 1..call.signature().parameters.len();
    let given = places.map(|place| match call.argument(place) {
        Argument::Link { node, name, .. } => Some(Given::Link((node, name.to_owned()))),
        Argument::Value(value) => Some(Given::Value(value.to_json())),
        Argument::Unset | Argument::Default(_) => None,
    });
    given.collect()
}

/// The corner from which positions are measured: the least of each coordinate.
fn corner(positions: impl Iterator<Item = Option<[f64; 2]>>) -> Option<[f64; 2]> {
    positions
        .flatten()
        .reduce(|one, other| [one[0].min(other[0]), one[1].min(other[1])])
}
