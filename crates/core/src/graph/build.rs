//! Builds a function from its data by the rules of editing, in topological order (Kahn's algorithm) and linear time.

use std::collections::BTreeSet;
use std::ops::Range;

use fibula_nodes::names::is_invisible;
use fibula_nodes::{FunctionType, KindInfo, Node, PortSpec, catalogue};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value as Json;

use super::compact::Literal;
use super::data::{FunctionData, Setting};
use super::document::Document;
use super::error::{GraphError, NodeLabel};
use super::function::{Function, NodeKey, shortened};
use super::ids::{FunctionId, IdSet, NodeId};
use super::link::check_names;

/// Maximum length of a name, in bytes.
pub const LONGEST_NAME: usize = 256;

/// Maximum number of nodes of a function, and of nodes that one step adds.
pub const MOST_NODES: usize = 150_000;

/// Maximum number of inputs, and of outputs, of a function: lookup by name is linear.
pub const MOST_PORTS: usize = 1000;

/// Input of [`Document::build_draft`], common to [`FunctionData`] and the compact form.
#[derive(Debug)]
pub(super) struct FunctionDraft<'a> {
    pub(super) id: FunctionId,
    pub(super) name: &'a str,
    pub(super) inputs: &'a [PortSpec],
    pub(super) outputs: &'a [PortSpec],
    pub(super) nodes: Vec<NodeDraft<'a>>,
    /// The settings of all nodes, node by node.
    pub(super) settings: Vec<(&'a str, SettingDraft<'a>)>,
}

/// A node of a [`FunctionDraft`].
#[derive(Debug)]
pub(super) struct NodeDraft<'a> {
    pub(super) id: Option<NodeId>,
    pub(super) node_type: &'a str,
    pub(super) display_name: Option<&'a str>,
    pub(super) position: Option<[f64; 2]>,
    pub(super) overload: Option<usize>,
    pub(super) callee: Option<&'a FunctionType>,
    /// Its range of [`FunctionDraft::settings`].
    pub(super) settings: Range<usize>,
}

/// Value or link of a parameter.
#[derive(Debug, Clone, Copy)]
pub(super) enum SettingDraft<'a> {
    Json(&'a Json),
    Literal(&'a Literal),
    Source(NodeId, &'a str),
}

impl<'a> FunctionDraft<'a> {
    /// Draft of a function with the given id.
    pub(super) fn new(id: FunctionId, data: &'a FunctionData) -> Self {
        let mut settings = Vec::with_capacity(data.nodes.len());
        let nodes = data.nodes.iter().map(|node| {
            let first = settings.len();
            settings.extend(node.parameters.iter().map(|(name, setting)| {
                let setting = match setting {
                    Setting::Value(json) => SettingDraft::Json(json),
                    Setting::Source(source) => SettingDraft::Source(source.node_id, &source.port),
                };
                (name.as_str(), setting)
            }));
            NodeDraft {
                id: node.node_id,
                node_type: &node.node_type,
                display_name: node.display_name.as_deref(),
                position: node.position,
                overload: node.overload,
                callee: node.callee.as_ref(),
                settings: first..settings.len(),
            }
        });
        FunctionDraft {
            id,
            name: &data.name,
            inputs: &data.inputs,
            outputs: &data.outputs,
            nodes: nodes.collect(),
            settings,
        }
    }
}

impl Document {
    /// Builds a function without inserting it; its id may be that of a function of the document.
    ///
    /// # Errors
    /// Every [`GraphError`] that adding its nodes, links and values one by one could return.
    pub fn build(&self, data: &FunctionData) -> Result<Function, GraphError> {
        let id = match data.function_id {
            Some(id) => id,
            None => FunctionId(self.next_id()?),
        };
        self.build_draft(&FunctionDraft::new(id, data))
    }

    /// Builds a function from a draft. Errors are those of [`build`](Self::build).
    pub(super) fn build_draft(&self, draft: &FunctionDraft<'_>) -> Result<Function, GraphError> {
        if draft.nodes.len() > MOST_NODES {
            return Err(GraphError::TooLarge {
                what: "a function",
                limit: MOST_NODES,
                of: "nodes",
            });
        }
        check_name("a function's name", draft.name)?;
        check_ports("an input", draft.inputs)?;
        check_ports("an output", draft.outputs)?;
        let ids = assign_ids(draft)?;
        let ty = FunctionType::new(draft.inputs.to_vec(), draft.outputs.to_vec());
        let mut function = Function::new(draft.id, draft.name.to_owned(), &ty, ids.begin)?;
        function.reserve(draft.nodes.len());
        let mut keys = Vec::with_capacity(draft.nodes.len());
        for (node, &(id, about)) in draft.nodes.iter().zip(&ids.nodes) {
            keys.push(insert_node(&mut function, node, id, about)?);
        }
        for index in topological_order(draft, &ids.nodes)? {
            let node = &draft.nodes[index];
            let settings = &draft.settings[node.settings.clone()];
            self.set(&mut function, keys[index], settings, node.overload)?;
        }
        for callee in function.callees() {
            self.check_call(draft.id, callee)?;
        }
        function.hash_waiting();
        Ok(function)
    }

    /// Sets the links, values and overload of a node whose sources are complete.
    fn set(
        &self,
        function: &mut Function,
        key: NodeKey,
        settings: &[(&str, SettingDraft<'_>)],
        overload: Option<usize>,
    ) -> Result<(), GraphError> {
        // References determine the other parameters, and links restrict the types of literals.
        let signature = &function.stored(key).signature;
        let refers = |name: &str| {
            let place = signature.parameter(name);
            place.is_ok_and(|place| signature.parameters[place].refers.is_some())
        };
        let stage = |&(name, setting): &(&str, SettingDraft<'_>)| match setting {
            _ if refers(name) => 0,
            SettingDraft::Source(..) => 1,
            SettingDraft::Json(_) | SettingDraft::Literal(_) => 2,
        };
        let mut settings = settings.to_vec();
        if settings.len() > 1 {
            settings.sort_by_key(stage);
        }
        let mut done = Vec::with_capacity(settings.len());
        for (name, setting) in settings {
            // The node's own parameters keep their indexes when it follows another function.
            let parameter = function.stored(key).find_parameter(name)?;
            if done.contains(&parameter) {
                let id = format!("{name} of {}", function.stored(key).label());
                return Err(GraphError::duplicate("parameter", &id));
            }
            done.push(parameter);
            let plan = match setting {
                SettingDraft::Json(json) => self.plan_value(function, key, parameter, json)?,
                SettingDraft::Literal(literal) => {
                    self.plan_typed(function, key, parameter, literal.value())?
                }
                SettingDraft::Source(node, port) => {
                    let from = function.key(node)?;
                    let port = function.stored(from).find_port(port)?;
                    self.plan_link(function, (from, port), (key, parameter), false)?
                }
            };
            function.apply_input(plan);
        }
        if let Some(overload) = overload {
            let retyping = function.choose(key, overload)?;
            function.apply_retyping(&retyping);
        }
        Ok(())
    }
}

impl Function {
    /// Overload changes after selecting an overload by its index.
    ///
    /// # Errors
    /// [`GraphError::NoOverload`] if it does not exist or does not agree with the node's inputs or the nodes after it.
    pub(crate) fn choose(
        &self,
        key: NodeKey,
        overload: usize,
    ) -> Result<super::resolve::Retyping, GraphError> {
        if !self.allows(key, overload) {
            let node = self.stored(key);
            return Err(GraphError::NoOverload {
                node: node.label(),
                bindings: vec![format!("index {overload}")],
                overloads: vec![format!(
                    "an index below {} that agrees with its inputs",
                    node.signature.overloads.len()
                )],
                bridges: Vec::new(),
            });
        }
        self.change_rule(key, overload)
    }
}

/// Inserts a node, or updates it if it is `Begin` or `End`.
fn insert_node(
    function: &mut Function,
    draft: &NodeDraft<'_>,
    id: NodeId,
    about: &'static KindInfo,
) -> Result<NodeKey, GraphError> {
    let name = draft.display_name.map(str::to_owned);
    if let Some(name) = &name {
        check_name("a node's name", name)?;
    }
    if let Some(position) = draft.position {
        check_position(position)?;
    }
    let key = match about.name {
        "End" => function.end_key(),
        "Begin" => function
            .begin_key()
            .ok_or_else(|| GraphError::ProtectedNode {
                what: "a function without inputs has no Begin".to_owned(),
            })?,
        _ => {
            let kind = make(about, draft.callee)?;
            return Ok(function.insert(id, kind, name, draft.position));
        }
    };
    function.set_display_name(key, name);
    function.set_position(key, draft.position);
    Ok(key)
}

/// Creates a node of a kind; with `callee`, its ports follow that function type.
///
/// # Errors
/// [`GraphError::InvalidName`] if the kind follows no function, or names collide.
pub(crate) fn make(
    about: &KindInfo,
    callee: Option<&FunctionType>,
) -> Result<Box<dyn Node>, GraphError> {
    let node = (about.make)();
    let Some(callee) = callee else {
        return Ok(node);
    };
    check_ports("an input", &callee.inputs)?;
    check_ports("an output", &callee.outputs)?;
    let node = node
        .with_callee(callee)
        .ok_or_else(|| GraphError::InvalidName {
            what: "callee",
            problem: format!("is given, but a node of type {} has no callee", about.name),
        })?;
    check_names(&*node)?;
    Ok(node)
}

/// Returns the kind with this name.
///
/// # Errors
/// [`GraphError::UnknownNodeType`] with the nearest names.
pub(crate) fn node_type(name: &str) -> Result<&'static KindInfo, GraphError> {
    catalogue::kind(name).map_err(|unknown| GraphError::UnknownNodeType {
        node_type: shortened(name),
        nearest: unknown.nearest,
    })
}

/// Ids of the nodes, explicit or the next free ones, with their kinds.
struct AssignedIds {
    nodes: Vec<(NodeId, &'static KindInfo)>,
    begin: Option<NodeId>,
}

fn assign_ids(draft: &FunctionDraft<'_>) -> Result<AssignedIds, GraphError> {
    let mut used = IdSet::default();
    let mut seen = FxHashSet::default();
    let mut kinds = Vec::with_capacity(draft.nodes.len());
    let mut last: Option<&'static KindInfo> = None;
    for node in &draft.nodes {
        let about = match last {
            Some(about) if about.name == node.node_type => about,
            Some(_) | None => node_type(node.node_type)?,
        };
        last = Some(about);
        let given = match (about.name, node.id) {
            ("End", Some(id)) if id != NodeId::END => {
                let what = format!("the End of a function cannot have the id {id}, only 0");
                return Err(GraphError::ProtectedNode { what });
            }
            ("End", _) => Some(NodeId::END),
            (_, given) => given,
        };
        kinds.push((about, given));
        let Some(id) = given else { continue };
        if (id == NodeId::END) != (about.name == "End") || !seen.insert(id) {
            return Err(GraphError::duplicate("node", &id));
        }
        used.insert(id.0);
    }
    let mut free = || {
        let next = used
            .next()
            .ok_or_else(|| GraphError::out_of_ids("a function"))?;
        used.insert(next);
        Ok(NodeId(next))
    };
    let mut begin = None;
    // `Begin` exists before the other nodes, so it gets its id first.
    let explicit = kinds.iter().position(|(about, _)| about.name == "Begin");
    if !draft.inputs.is_empty() || explicit.is_some() {
        let given = explicit.and_then(|index| kinds[index].1);
        begin = Some(match given {
            Some(id) => id,
            None => free()?,
        });
    }
    let mut nodes = Vec::with_capacity(kinds.len());
    for (index, (about, given)) in kinds.into_iter().enumerate() {
        if about.name == "Begin" && explicit != Some(index) {
            let id = given.map_or_else(|| "Begin".to_owned(), |id| id.to_string());
            return Err(GraphError::duplicate("node", &id));
        }
        let id = match (about.name, given) {
            ("Begin", _) => begin.expect("it was found above"),
            (_, Some(id)) => id,
            (_, None) => free()?,
        };
        nodes.push((id, about));
    }
    Ok(AssignedIds {
        nodes,
        begin: begin.filter(|_| !draft.inputs.is_empty()),
    })
}

/// Topological sort: indexes of the nodes, each after its sources (A. B. Kahn, Topological sorting of large networks,
/// 1962).
fn topological_order(
    draft: &FunctionDraft<'_>,
    ids: &[(NodeId, &'static KindInfo)],
) -> Result<Vec<usize>, GraphError> {
    let by_id = ids.iter().enumerate();
    let by_id: FxHashMap<NodeId, usize> = by_id.map(|(index, &(id, _))| (id, index)).collect();
    let sources = |index: usize| {
        let settings = &draft.settings[draft.nodes[index].settings.clone()];
        settings.iter().filter_map(|(_, setting)| match setting {
            SettingDraft::Source(node, _) => by_id.get(node).copied(),
            SettingDraft::Json(_) | SettingDraft::Literal(_) => None,
        })
    };
    let mut missing: Vec<usize> = vec![0; ids.len()];
    let mut consumers: Vec<Vec<usize>> = vec![Vec::new(); ids.len()];
    for index in 0..ids.len() {
        for source in sources(index) {
            if source == index {
                return Err(GraphError::SelfLink {
                    node: NodeLabel {
                        node_id: ids[index].0,
                        node_type: ids[index].1.name,
                        display_name: draft.nodes[index].display_name.map(str::to_owned),
                    },
                });
            }
            missing[index] += 1;
            consumers[source].push(index);
        }
    }
    let mut order: Vec<usize> = (0..missing.len())
        .filter(|&index| missing[index] == 0)
        .collect();
    let mut next = 0;
    while let Some(&index) = order.get(next) {
        next += 1;
        for &consumer in &consumers[index] {
            missing[consumer] -= 1;
            if missing[consumer] == 0 {
                order.push(consumer);
            }
        }
    }
    match missing.iter().position(|&count| count > 0) {
        None => Ok(order),
        Some(start) => Err(cycle(start, ids, |index| {
            sources(index)
                .find(|&source| missing[source] > 0)
                .expect("a node is left for a source that is left")
        })),
    }
}

/// Finds a cycle by following sources until a node repeats.
fn cycle(
    start: usize,
    ids: &[(NodeId, &'static KindInfo)],
    source: impl Fn(usize) -> usize,
) -> GraphError {
    let mut seen = FxHashMap::default();
    let mut walk = vec![start];
    let mut index = start;
    loop {
        seen.insert(index, walk.len() - 1);
        index = source(index);
        walk.push(index);
        if let Some(&first) = seen.get(&index) {
            let path = walk[first..].iter().rev().map(|&index| ids[index].0);
            let path = path.collect();
            return GraphError::Cycle { path };
        }
    }
}

/// Rejects names that are empty, too long, or contain control or invisible characters.
///
/// # Errors
/// [`GraphError::InvalidName`].
pub fn check_name(what: &'static str, name: &str) -> Result<(), GraphError> {
    let problem = if name.trim().is_empty() {
        "is empty; give at least one visible character".to_owned()
    } else if name.len() > LONGEST_NAME {
        format!(
            "has {} bytes; at most {LONGEST_NAME} are allowed",
            name.len()
        )
    } else if let Some(bad) = name.chars().find(|&c| is_invisible(c)) {
        format!(
            "contains the control or invisible character U+{:04X}; remove it",
            bad as u32
        )
    } else {
        return Ok(());
    };
    Err(GraphError::InvalidName { what, problem })
}

/// Rejects invalid, duplicate and reserved names of inputs or outputs.
pub(crate) fn check_ports(what: &'static str, ports: &[PortSpec]) -> Result<(), GraphError> {
    if ports.len() > MOST_PORTS {
        return Err(GraphError::TooLarge {
            what: "each side of a function",
            limit: MOST_PORTS,
            of: "ports",
        });
    }
    let mut seen = BTreeSet::new();
    for port in ports {
        check_name(what, &port.name)?;
        if port
            .name
            .eq_ignore_ascii_case(fibula_nodes::call::FUNCTION_ID)
        {
            let problem =
                "cannot be functionID, the parameter by which a call refers to its function"
                    .to_owned();
            return Err(GraphError::InvalidName { what, problem });
        }
        if !seen.insert(&port.name) {
            return Err(GraphError::duplicate(what, &format!("'{}'", port.name)));
        }
        if let Some(details) = &port.details {
            let problem = if what == "an output" {
                Some(
                    "has a default, a unit or limits, which only inputs have; remove them"
                        .to_owned(),
                )
            } else {
                details.fault(port.ty)
            };
            if let Some(problem) = problem {
                let name = shortened(&port.name);
                return Err(GraphError::InvalidPort { name, problem });
            }
        }
    }
    Ok(())
}

/// Rejects positions that are not finite.
pub(crate) fn check_position(position: [f64; 2]) -> Result<(), GraphError> {
    if position.iter().all(|coordinate| coordinate.is_finite()) {
        return Ok(());
    }
    Err(GraphError::InvalidName {
        what: "a node's position",
        problem: "must be a pair of finite numbers".to_owned(),
    })
}
