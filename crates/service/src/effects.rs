//! Effects of an edit: the difference of two states of a document, a line for each function, object and build item that
//! changed, and the functions, objects and build items whose value follows.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use fibula_core::edit::LinkData;
use fibula_core::graph::model::Metadata;
use fibula_core::graph::{Argument, Document, Function, FunctionId, NodeId, NodeView, Resource};
use fibula_nodes::node::Family;
use fibula_nodes::{PortSpec, Type, Value, names};

use crate::dependents::{ChangedValues, Dependents};

/// Maximum number of lines of each kind.
const MOST_LINES: usize = 20;
/// Maximum number of nodes of each kind in a line.
const MOST_NODES: usize = 8;
/// Maximum number of nodes of a function, of resources and of build items that are compared.
const MOST_COMPARED: usize = 5_000;
/// Maximum characters of a name or value.
const LONGEST: usize = 40;

json_structs! {
    /// A line for each function, object and build item that an edit added, removed or modified, and what follows.
    pub answer(Default, PartialEq, Eq) struct Effects {
        pub changed: Vec<String> = [],
        /// Callers, objects and build items whose value follows what changed.
        pub affects: Vec<String> = [],
    }
}

/// Changes of nodes and links of a function by one edit.
#[derive(Debug, Default)]
pub(crate) struct NodeChanges {
    pub(crate) added: Vec<NodeId>,
    /// Name and id of the node that was removed.
    pub(crate) removed: Option<String>,
    /// Node, parameter and previous content of each parameter whose link changed.
    pub(crate) arguments: Vec<(NodeId, String, String)>,
}

impl NodeChanges {
    /// Adds the links that were deleted.
    pub(crate) fn unlinked(mut self, links: &[LinkData]) -> Self {
        let links = links.iter().map(|link| {
            let was = format!("{}.{}", link.source_node_id, link.source_port_name);
            (link.target_node_id, link.target_parameter_name.clone(), was)
        });
        self.arguments.extend(links);
        self
    }
}

/// Change of a function.
struct FunctionChange {
    /// `None` if only positions in the diagram changed.
    line: Option<String>,
    values: FunctionValues,
}

/// Values of a function that an edit may have changed.
enum FunctionValues {
    None,
    All,
    /// Those that depend on nodes, given with the names of their parameters that changed.
    OfNodes(BTreeMap<NodeId, BTreeSet<String>>),
}

impl Effects {
    /// Compares two states of a document; returns the values that changed, too. Takes time in
    /// proportion to the functions, and to the nodes of those that changed.
    pub(crate) fn between(before: &Document, after: &Document) -> (Effects, ChangedValues) {
        let (mut changed, mut values) = (Vec::new(), ChangedValues::default());
        let ids = |document: &Document| -> BTreeSet<FunctionId> {
            document.functions().map(Function::id).collect()
        };
        let all = &ids(before) | &ids(after);
        for id in all {
            let change = function_change(before.find_function(id), after.find_function(id));
            let noun = || {
                let id = id.into();
                after.noun(id).or_else(|| before.noun(id))
            };
            if let Some(line) = change.line.and_then(|line| Some(noun()? + &line)) {
                changed.push(line);
            }
            match (change.values, after.find_function(id)) {
                (FunctionValues::None, _) => {}
                (FunctionValues::OfNodes(nodes), Some(function)) => {
                    values.add_nodes(function, &nodes);
                }
                (FunctionValues::OfNodes(_) | FunctionValues::All, _) => {
                    values.add_whole(id.into());
                }
            }
        }
        compare_resources(before, after, &mut changed, &mut values);
        compare_items(before, after, &mut changed, &mut values);
        compare_knowledge(before, after, &mut changed);
        let effects = Effects {
            changed: first_lines(changed),
            // A new build item is changed itself.
            affects: affected_of(after, &values, |item| before.model().item(item).is_some()),
        };
        (effects, values)
    }

    /// Effects of an edit of nodes and links of one function, without the state before; and the values that changed.
    pub(crate) fn of_nodes(
        document: &Document,
        id: FunctionId,
        changes: NodeChanges,
    ) -> (Effects, ChangedValues) {
        let Some(function) = document.find_function(id) else {
            return Default::default();
        };
        let node = |id: NodeId| function.node(id).ok();
        let mut modified: BTreeMap<NodeId, Vec<String>> = BTreeMap::new();
        let mut targets: BTreeMap<NodeId, BTreeSet<String>> = BTreeMap::new();
        for (target, parameter, was) in changes.arguments {
            let names = node(target)
                .into_iter()
                .flat_map(|node| &node.signature().parameters);
            let place = names
                .map(|parameter| &*parameter.name)
                .position(|name| name == parameter);
            let Some((node, place)) = node(target).zip(place) else {
                continue;
            };
            let line = format!("{parameter}: {was} -> {}", shown(node.argument(place)));
            modified.entry(target).or_default().push(line);
            targets.entry(target).or_default().insert(parameter);
        }
        let modified = modified.into_iter();
        let modified = modified
            .filter_map(|(id, lines)| Some(format!("{} ({})", named(node(id)?), lines.join(", "))));
        let added = changes
            .added
            .into_iter()
            .filter_map(|id| node(id).map(named));
        let parts: Vec<String> = [
            part("added", added.collect()),
            part("removed", changes.removed.into_iter().collect()),
            part("modified", modified.collect()),
        ]
        .into_iter()
        .flatten()
        .collect();
        let noun = document.noun(id.into()).filter(|_| !parts.is_empty());
        let values = ChangedValues::of_nodes(function, &targets);
        let effects = Effects {
            changed: noun
                .map(|noun| format!("{noun}: {}", parts.join("; ")))
                .into_iter()
                .collect(),
            affects: affected(document, &values),
        };
        (effects, values)
    }
}

/// Labels of what depends on changed values, without that which changed itself.
pub(crate) fn affected(document: &Document, values: &ChangedValues) -> Vec<String> {
    affected_of(document, values, |_| true)
}

/// As [`affected`], without build items that are new.
fn affected_of(
    document: &Document,
    values: &ChangedValues,
    existed: impl Fn(u32) -> bool,
) -> Vec<String> {
    let Dependents { ids, items } = values.dependents(document);
    let items = items.into_iter().filter(|&item| existed(item));
    let dependents = ids
        .into_iter()
        .filter(|&id| !values.contains(id))
        .filter_map(|id| document.noun(id))
        .chain(items.map(|item| format!("build item {item}")));
    first_lines(dependents.collect())
}

/// The first lines, and the number of the others.
fn first_lines(mut lines: Vec<String>) -> Vec<String> {
    let more = lines.len().saturating_sub(MOST_LINES);
    if more > 0 {
        lines.truncate(MOST_LINES);
        lines.push(format!("and {more} more"));
    }
    lines
}

fn compare_resources(
    before: &Document,
    after: &Document,
    changed: &mut Vec<String>,
    values: &mut ChangedValues,
) {
    if before.resources().len().max(after.resources().len()) > MOST_COMPARED {
        return;
    }
    for (id, old) in before.resources() {
        let (noun, effect) = match after.resource(id) {
            None => (before.noun(id), " removed"),
            Some(new) if is_same(old, new) => continue,
            Some(_) => (after.noun(id), " modified"),
        };
        changed.extend(noun.map(|noun| noun + effect));
        values.add_whole(id);
    }
    let added = after.resources().filter(|(id, _)| !before.has(*id));
    for (id, _) in added {
        changed.extend(after.noun(id).map(|noun| noun + " added"));
        values.add_whole(id);
    }
}

/// True if two resources of one id are equal. Contents never change.
fn is_same(old: &Resource, new: &Resource) -> bool {
    match (old, new) {
        (Resource::Model(old), Resource::Model(new)) => old == new,
        (Resource::ImageFunction(old), Resource::ImageFunction(new)) => old == new,
        (Resource::Content(_), Resource::Content(_)) | (Resource::File(_), Resource::File(_)) => {
            true
        }
        (
            Resource::Content(_)
            | Resource::File(_)
            | Resource::Model(_)
            | Resource::ImageFunction(_),
            _,
        ) => false,
    }
}

fn compare_items(
    before: &Document,
    after: &Document,
    changed: &mut Vec<String>,
    values: &mut ChangedValues,
) {
    let (before, after) = (before.model(), after.model());
    let [was, is] = [before, after].map(|model| model.info().unit.name());
    if was != is {
        changed.push(format!("unit: {was} -> {is}"));
        values.add_unit();
    }
    let names: BTreeSet<&str> = [before, after]
        .into_iter()
        .flat_map(|model| model.metadata().map(|one| &*one.name))
        .collect();
    for name in names {
        let [was, is] = [before, after].map(|model| model.metadata_by_name(name));
        if was != is {
            let shown = |one: Option<&Metadata>| match one {
                Some(one) => format!("'{}'", names::visible(&one.value, LONGEST)),
                None => "unset".to_owned(),
            };
            let name = names::visible(name, LONGEST);
            changed.push(format!("metadata {name}: {} -> {}", shown(was), shown(is)));
        }
    }
    if before.items().len().max(after.items().len()) > MOST_COMPARED {
        return;
    }
    for (id, old) in before.items() {
        let effect = match after.item(id) {
            None => "removed",
            Some(new) if new == old => continue,
            Some(_) => "modified",
        };
        changed.push(format!("build item {id} {effect}"));
    }
    let added = after.items().filter(|(id, _)| before.item(*id).is_none());
    changed.extend(added.map(|(id, _)| format!("build item {id} added")));
}

fn compare_knowledge(before: &Document, after: &Document, changed: &mut Vec<String>) {
    let [before, after] = [before, after].map(Document::knowledge);
    if before.hash() == after.hash() {
        return;
    }
    let counts = [
        ("nodes", before.node_count(), after.node_count()),
        ("edges", before.edge_count(), after.edge_count()),
    ];
    let counts = counts.into_iter().filter(|(_, was, is)| was != is);
    let counts: Vec<String> = counts
        .map(|(what, was, is)| format!("{was} -> {is} {what}"))
        .collect();
    changed.push(if counts.is_empty() {
        "knowledge graph modified".to_owned()
    } else {
        format!("knowledge graph: {}", counts.join(", "))
    });
}

fn function_change(old: Option<&Function>, new: Option<&Function>) -> FunctionChange {
    let unchanged = FunctionChange {
        line: None,
        values: FunctionValues::None,
    };
    let nodes = |function: &Function| match function.node_count() {
        1 => "1 node".to_owned(),
        count => format!("{count} nodes"),
    };
    let line = match (old, new) {
        (None, None) => return unchanged,
        (None, Some(new)) => format!(" added with {}", nodes(new)),
        (Some(_), None) => " removed".to_owned(),
        (Some(old), Some(new)) if old.hash() == new.hash() => return unchanged,
        (Some(old), Some(new)) if old.node_count().max(new.node_count()) > MOST_COMPARED => {
            format!(" modified; it has {} now", nodes(new))
        }
        (Some(old), Some(new)) => return compare_functions(old, new),
    };
    FunctionChange {
        line: Some(line),
        values: FunctionValues::All,
    }
}

fn compare_functions(old: &Function, new: &Function) -> FunctionChange {
    let mut parts = Vec::new();
    if old.name() != new.name() {
        let name = names::visible(old.name(), LONGEST);
        parts.push(format!("renamed from '{name}'"));
    }
    let (inputs, outputs) = (new.inputs(), new.outputs());
    let names = |ports: &[PortSpec]| -> Vec<(String, Type)> {
        let names = ports.iter();
        names.map(|port| (port.name.clone(), port.ty)).collect()
    };
    let has_new_ports =
        names(&old.inputs()) != names(&inputs) || names(&old.outputs()) != names(&outputs);
    for (what, was, is) in [
        ("input", old.inputs(), inputs.clone()),
        ("output", old.outputs(), outputs),
    ] {
        parts.extend(port_changes(what, &was, &is));
    }
    let (mut added, mut removed, mut modified) = (Vec::new(), Vec::new(), Vec::new());
    let mut computing: BTreeMap<NodeId, BTreeSet<String>> = BTreeMap::new();
    let (was, is) = (old.inputs(), inputs.iter());
    let defaults = is.filter(|now| {
        let before = was.iter().find(|before| before.name == now.name);
        before.is_some_and(|before| before.default_value() != now.default_value())
    });
    let defaults: BTreeSet<String> = defaults.map(|input| input.name.clone()).collect();
    if let Some(begin) = new.begin().filter(|_| !defaults.is_empty()) {
        computing.insert(begin, defaults);
    }
    for node in old.nodes() {
        match new.node(node.id()) {
            Ok(now) if is_one_kind(node, now) => {
                let (mut differences, parameters) = differences(node, now);
                if !differences.is_empty() {
                    computing.entry(node.id()).or_default().extend(parameters);
                }
                if node.display_name() != now.display_name() {
                    differences.push(format!("{} before", name(node)));
                }
                if !differences.is_empty() {
                    modified.push(format!("{} ({})", named(now), differences.join(", ")));
                }
            }
            Ok(_) | Err(_) => removed.push(named(node)),
        }
    }
    for node in new.nodes() {
        let was = old.node(node.id());
        if !was.is_ok_and(|was| is_one_kind(was, node)) {
            computing.entry(node.id()).or_default();
            added.push(named(node));
        }
    }
    for (what, list) in [
        ("added", added),
        ("removed", removed),
        ("modified", modified),
    ] {
        parts.extend(part(what, list));
    }
    FunctionChange {
        values: if has_new_ports {
            FunctionValues::All
        } else {
            FunctionValues::OfNodes(computing)
        },
        line: (!parts.is_empty()).then(|| format!(": {}", parts.join("; "))),
    }
}

/// What happened to the inputs or the outputs of a function.
fn port_changes(what: &str, was: &[PortSpec], is: &[PortSpec]) -> Vec<String> {
    let find =
        |ports: &[PortSpec], name: &str| ports.iter().find(|port| port.name == name).cloned();
    // A port in the place of another one that differs from it in its name only.
    let successor = |before: &PortSpec| {
        let place = was.iter().position(|port| port == before)?;
        let now = is.get(place).filter(|_| was.len() == is.len())?;
        let renamed = PortSpec {
            name: now.name.clone(),
            ..before.clone()
        };
        (*now == renamed && find(was, &now.name).is_none()).then_some(now)
    };
    let removed = was.iter().filter(|port| find(is, &port.name).is_none());
    let mut renamed = Vec::new();
    let mut parts: Vec<String> = removed
        .map(|port| match successor(port) {
            Some(now) => {
                renamed.push(now.name.as_str());
                format!("{what} {port} is now {now}")
            }
            None => format!("{what} {port} removed"),
        })
        .collect();
    parts.extend(is.iter().filter_map(|port| match find(was, &port.name) {
        None if renamed.contains(&port.name.as_str()) => None,
        None => Some(format!("{what} {port} added")),
        Some(before) if before == *port => None,
        Some(before) => Some(format!("{what} {before} is now {port}")),
    }));
    parts.truncate(MOST_NODES);
    if parts.is_empty() && was != is {
        parts.push(format!("{what}s in another order"));
    }
    parts
}

/// What happened to the first nodes of a list, and the number of the others; `None` if it is empty.
fn part(what: &str, list: Vec<String>) -> Option<String> {
    let more = list.len().saturating_sub(MOST_NODES);
    if list.is_empty() {
        return None;
    }
    let nodes: Vec<String> = list.into_iter().take(MOST_NODES).collect();
    let mut part = format!("{what} {}", nodes.join(", "));
    if more > 0 {
        let _ = write!(part, " and {more} more");
    }
    Some(part)
}

fn is_one_kind(one: NodeView<'_>, other: NodeView<'_>) -> bool {
    one.kind().info().name == other.kind().info().name
}

/// Name of a node.
fn name(node: NodeView<'_>) -> String {
    let name = node.display_name().unwrap_or(node.kind().info().name);
    names::visible(name, LONGEST)
}

/// Name of a node with its id: `thickness 4`.
pub(crate) fn named(node: NodeView<'_>) -> String {
    format!("{} {}", name(node), node.id())
}

/// Differences of two nodes of one kind, without names and positions, and the parameters with other arguments.
fn differences(old: NodeView<'_>, new: NodeView<'_>) -> (Vec<String>, Vec<String>) {
    let own = |node: NodeView<'_>| -> Vec<String> {
        let parameters = node.signature().parameters.iter();
        parameters
            .map(|parameter| parameter.name.to_string())
            .collect()
    };
    let names = own(new);
    // The ports of a function are compared apart: another name of one is no other value.
    let is_boundary = new.kind().info().family == Family::Boundary;
    let before = own(old);
    let are_renamed = before.len() == names.len()
        && before
            .iter()
            .zip(&names)
            .all(|(was, is)| was == is || !names.contains(was) && !before.contains(is));
    let has_other_inputs = before != names && !(is_boundary && are_renamed);
    if has_other_inputs || old.callee() != new.callee() {
        let difference = "calls another function or has other inputs".to_owned();
        return (vec![difference], names);
    }
    let (mut differences, mut parameters) = (Vec::new(), Vec::new());
    if old.overload() != new.overload() {
        differences.push("other types".to_owned());
    }
    for (index, name) in names.into_iter().enumerate() {
        let (was, is) = (old.argument(index), new.argument(index));
        // Another default is a change of the callee.
        let are_defaults = matches!((was, is), (Argument::Default(_), Argument::Default(_)));
        if was != is && !are_defaults {
            differences.push(format!("{name}: {} -> {}", shown(was), shown(is)));
            parameters.push(name);
        }
    }
    (differences, parameters)
}

/// An argument in a few characters.
pub(crate) fn shown(argument: Argument<'_>) -> String {
    let literal = |value: &Value| names::visible(&value.to_json().to_string(), LONGEST);
    match argument {
        Argument::Unset => "unset".to_owned(),
        Argument::Value(value) => literal(value),
        Argument::Default(value) => format!("{} (default)", literal(value)),
        Argument::Link { node, name, .. } => format!("{node}.{name}"),
    }
}
