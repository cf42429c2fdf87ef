//! What the writer marked, folded back: constants for literals, nodes that stand for another kind, ids and places.
//!
//! Nodes are taken for another kind only if all of them are as the writer writes them; what a person or another program
//! changed since is read as it stands.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fibula_core::graph::{FunctionData, ImageFunction, NodeData, NodeId, Setting, SourceData};
use fibula_nodes::call::{FUNCTION_ID, SCALAR_OUTPUT, VECTOR_INPUT};
use fibula_nodes::{FunctionType, PortSpec, ResourceId, Type, Value, catalogue};
use serde_json::{Value as Json, json};

use super::ends::Ends;
use super::lowered::{self, ELEMENTS, Source, Template};
use super::mark::{Mark, NodeMark};
use super::raw::Function;
use super::sampler::{self, NUMBERS, SAMPLER};

/// What is known of the other resources of the file.
#[derive(Clone, Copy)]
pub(super) struct FileContext<'a> {
    /// What the functions take and give.
    pub(super) types: &'a BTreeMap<u32, FunctionType>,
    /// The functions that are images.
    pub(super) images: &'a BTreeMap<u32, ImageFunction>,
}

/// A node while it is folded. Its place is its id: `End` is 0, `Begin` 1 if there is one, the others follow.
struct Entry {
    node: NodeData,
    /// Its place in the file, if it is an element.
    row: Option<usize>,
    mark: Option<Mark>,
}

/// Nodes that stand for one of another kind.
struct Group {
    /// The node that they stand for, at the place of the first of them.
    node: NodeData,
    first: usize,
    /// What ports of them are as ports of that node.
    ports: Vec<(usize, &'static str, String)>,
    members: Vec<usize>,
}

/// The function with what is marked folded back, and the place of each node in the file; `data` has its nodes in the
/// order of the file, after the ends, with ids in that order.
pub(super) fn folded(
    data: FunctionData,
    function: &Function,
    around: FileContext<'_>,
) -> (FunctionData, Vec<Option<usize>>) {
    let ends = data.nodes.len() - function.nodes.len();
    let entries = data.nodes.into_iter().enumerate().map(|(at, mut node)| {
        let row = at.checked_sub(ends);
        let element = row.map(|row| &function.nodes[row].element);
        let name = element.and_then(|element| element.attribute("displayname"));
        let is_named = name.is_some_and(|name| !name.is_empty());
        let mark = element.and_then(|element| Mark::parse(element.attribute("tag")?));
        let mark = match mark {
            // The writer names none of them, so somebody made it a node of its own.
            Some(Mark::Literal | Mark::Default) if is_named => None,
            Some(Mark::Node(_)) if !is_named => {
                node.display_name = None;
                mark
            }
            mark => mark,
        };
        Entry { node, row, mark }
    });
    let mut entries: Vec<Entry> = entries.collect();
    let said = Ends::read(&function.others);
    let has_begin = ends > 1;
    let mut gone = vec![false; entries.len()];
    if entries.iter().any(|entry| entry.mark.is_some()) {
        fold_groups(&mut entries, around, &mut gone);
        fold_literals(&mut entries, &mut gone);
        for entry in &mut entries {
            if let Some(Mark::Node(mark)) = &entry.mark {
                entry.node.position = mark.position;
            }
        }
        for at in 0..entries.len() {
            unset(&mut entries, at, around);
        }
    }
    let begin = has_begin.then(|| said.begin_id.unwrap_or(NodeId(1)));
    let ids = ids(&entries, &gone, begin);
    let (mut nodes, mut rows) = (Vec::new(), Vec::new());
    for (at, mut entry) in entries.into_iter().enumerate() {
        if gone[at] {
            continue;
        }
        entry.node.node_id = Some(ids[at]);
        for setting in entry.node.parameters.values_mut() {
            if let Setting::Source(source) = setting {
                source.node_id = ids[source.node_id.0 as usize];
            }
        }
        nodes.push(entry.node);
        rows.push(entry.row);
    }
    said.apply(&mut nodes);
    (FunctionData { nodes, ..data }, rows)
}

/// The ids that the nodes get: those that are marked, and for the others those that follow.
fn ids(entries: &[Entry], gone: &[bool], begin: Option<NodeId>) -> Vec<NodeId> {
    let mut taken: BTreeSet<NodeId> = begin.into_iter().chain([NodeId::END]).collect();
    let mut ids: Vec<Option<NodeId>> = entries
        .iter()
        .zip(gone)
        .map(|(entry, gone)| match (&entry.mark, entry.row) {
            (_, None) if entry.node.node_type == "End" => Some(NodeId::END),
            (_, None) => begin,
            (Some(Mark::Node(mark)), Some(_)) if !gone => {
                Some(mark.id).filter(|&id| taken.insert(id))
            }
            (_, Some(_)) => None,
        })
        .collect();
    let mut next = if begin.is_some() { 2 } else { 1 };
    for (id, _) in ids
        .iter_mut()
        .zip(gone)
        .filter(|(id, gone)| id.is_none() && !**gone)
    {
        while taken.contains(&NodeId(next)) {
            next += 1;
        }
        *id = Some(NodeId(next));
        next += 1;
    }
    ids.into_iter()
        .map(|id| id.unwrap_or(NodeId::END))
        .collect()
}

/// Folds nodes that stand for one of another kind.
fn fold_groups(entries: &mut [Entry], around: FileContext<'_>, gone: &mut [bool]) {
    let mut parts: BTreeMap<NodeId, Vec<(usize, usize)>> = BTreeMap::new();
    for (at, entry) in entries.iter().enumerate() {
        if let Some(Mark::Node(NodeMark {
            id,
            part: Some((_, index)),
            ..
        })) = &entry.mark
        {
            parts.entry(*id).or_default().push((*index, at));
        }
    }
    let mut groups: Vec<Option<Group>> = Vec::new();
    let mut group_of: HashMap<usize, usize> = HashMap::new();
    for mut members in parts.into_values() {
        members.sort_unstable();
        let group = group(entries, &members, around);
        if let Some(group) = group {
            group_of.extend(group.members.iter().map(|&at| (at, groups.len())));
            groups.push(Some(group));
        } else {
            for (_, at) in members {
                entries[at].mark = None;
            }
        }
    }
    // A port that only the kind knows is seen by none but its own nodes.
    for (at, entry) in entries.iter().enumerate() {
        for source in sources(&entry.node) {
            let Some(&index) = group_of.get(&(source.node_id.0 as usize)) else {
                continue;
            };
            let inside = group_of.get(&at) == Some(&index);
            let known = |group: &Group| group.port(source).is_some();
            if !inside && !groups[index].as_ref().is_some_and(known) {
                groups[index] = None;
            }
        }
    }
    let find = |source: &SourceData| -> Option<SourceData> {
        let group = groups[*group_of.get(&(source.node_id.0 as usize))?].as_ref()?;
        Some(SourceData {
            node_id: NodeId(group.first as u32),
            port: group.port(source)?.to_owned(),
        })
    };
    for (at, index) in &group_of {
        match &groups[*index] {
            Some(group) if group.first == *at => entries[*at].node = group.node.clone(),
            Some(_) => gone[*at] = true,
            None => entries[*at].mark = None,
        }
    }
    for entry in entries.iter_mut() {
        for setting in entry.node.parameters.values_mut() {
            if let Setting::Source(source) = setting
                && let Some(found) = find(source)
            {
                *source = found;
            }
        }
    }
}

impl Group {
    /// What a port of one of the nodes is, as a port of the node that they stand for.
    fn port(&self, source: &SourceData) -> Option<&str> {
        let at = source.node_id.0 as usize;
        let mut ports = self.ports.iter();
        let found = ports.find(|(part, port, _)| *part == at && *port == source.port);
        found.map(|(_, _, name)| name.as_str())
    }
}

fn sources(node: &NodeData) -> impl Iterator<Item = &SourceData> {
    node.parameters
        .values()
        .filter_map(|setting| match setting {
            Setting::Source(source) => Some(source),
            Setting::Value(_) => None,
        })
}

/// The node that some nodes stand for, if they are as the writer writes them.
fn group(entries: &[Entry], members: &[(usize, usize)], around: FileContext<'_>) -> Option<Group> {
    let kind = |at: usize| match &entries[at].mark {
        Some(Mark::Node(NodeMark {
            part: Some((kind, _)),
            ..
        })) => Some(kind.as_str()),
        Some(Mark::Node(_) | Mark::Literal | Mark::Default) | None => None,
    };
    let name = kind(members.first()?.1)?;
    if !members.iter().all(|&(_, at)| kind(at) == Some(name)) {
        return None;
    }
    if name == SAMPLER {
        return sampler_group(entries, members, around);
    }
    let template = lowered::template(name)?;
    let in_order = members
        .iter()
        .enumerate()
        .all(|(place, (index, _))| place == *index);
    if !in_order || members.len() != template.parts.len() {
        return None;
    }
    let members: Vec<usize> = members.iter().map(|&(_, at)| at).collect();
    template_group(entries, members, template)
}

fn template_group(entries: &[Entry], members: Vec<usize>, template: &Template) -> Option<Group> {
    let mut found: BTreeMap<&str, Option<Setting>> = BTreeMap::new();
    for (&at, part) in members.iter().zip(&template.parts) {
        let node = &entries[at].node;
        if node.node_type != part.kind || node.overload.is_some_and(|one| one != part.overload) {
            return None;
        }
        for (name, source) in &part.inputs {
            let setting = node.parameters.get(*name);
            match source {
                Source::Part(other, port) => {
                    let source = SourceData {
                        node_id: NodeId(members[*other] as u32),
                        port: (*port).to_owned(),
                    };
                    (setting == Some(&Setting::Source(source))).then_some(())?;
                }
                Source::Parameter(parameter) => {
                    // Who links a group to itself means something else.
                    if let Some(Setting::Source(source)) = setting
                        && members.contains(&(source.node_id.0 as usize))
                    {
                        return None;
                    }
                    let known = found.entry(parameter).or_insert_with(|| setting.cloned());
                    (known.as_ref() == setting).then_some(())?;
                }
            }
        }
        if !part.values.is_empty() && constant(node)?.scalars() != part.values {
            return None;
        }
        let all = part.inputs.len() + part.values.len();
        (node.parameters.len() <= all).then_some(())?;
    }
    let first = *members.first()?;
    let about = catalogue::kind(template.kind).ok()?;
    let mut node = NodeData::new(NodeId(first as u32), template.kind);
    node.display_name
        .clone_from(&entries[first].node.display_name);
    for (parameter, setting) in found {
        let setting = setting.map(|setting| (parameter.to_owned(), setting));
        node.parameters.extend(setting);
    }
    let names = about
        .signature
        .ports
        .iter()
        .map(|port| port.name.to_string());
    let ports = template.ports.iter().zip(names);
    Some(Group {
        node,
        first,
        ports: ports
            .map(|((part, port), name)| (members[*part], *port, name))
            .collect(),
        members,
    })
}

/// A call of an image function that was made for a sampler.
fn sampler_group(
    entries: &[Entry],
    members: &[(usize, usize)],
    around: FileContext<'_>,
) -> Option<Group> {
    let (resource, call) = match *members {
        [(1, call)] => (None, call),
        [(0, resource), (1, call)] => (Some(resource), call),
        _ => return None,
    };
    let Some(Mark::Node(mark)) = &entries[call].mark else {
        return None;
    };
    let called = &entries[call].node;
    (called.node_type == "FunctionCall").then_some(())?;
    let mut node = NodeData::new(NodeId(call as u32), SAMPLER);
    node.display_name.clone_from(&called.display_name);
    let uvw = called.parameters.get("pos").cloned();
    node.parameters
        .extend(uvw.map(|uvw| ("uvw".to_owned(), uvw)));
    let set = |name: &str| {
        mark.set
            .iter()
            .find(|(one, _)| one == name)
            .map(|(_, number)| *number)
    };
    let mut put = |name: &str, number: i64| {
        node.parameters
            .insert(name.to_owned(), Setting::Value(json!(number)));
    };
    match resource {
        None => {
            (!called.parameters.contains_key(FUNCTION_ID)).then_some(())?;
            for (name, _) in NUMBERS {
                if let Some(number) = set(name) {
                    put(name, number);
                }
            }
        }
        Some(resource) => {
            let source = SourceData {
                node_id: NodeId(resource as u32),
                port: "value".to_owned(),
            };
            let linked = called.parameters.get(FUNCTION_ID) == Some(&Setting::Source(source));
            let Value::ResourceId(ResourceId(id)) = constant(&entries[resource].node)? else {
                return None;
            };
            let image = around.images.get(&id).filter(|_| linked)?;
            put("resourceid", i64::from(image.image.0));
            for ((name, default), number) in NUMBERS.into_iter().zip(sampler::numbers(image)?) {
                if set(name).is_some() || number != default {
                    put(name, number);
                }
            }
        }
    }
    let ports = ["color", "alpha"].map(|port| (call, port, port.to_owned()));
    Some(Group {
        node,
        first: call,
        ports: ports.to_vec(),
        members: members.iter().map(|&(_, at)| at).collect(),
    })
}

/// What a constant says; `None` if the node is none, or something of it is linked.
fn constant(node: &NodeData) -> Option<Value> {
    let number = |name: &str| match node.parameters.get(name)? {
        Setting::Value(json) => json.as_f64(),
        Setting::Source(_) => None,
    };
    let numbers = |names: &[&str]| {
        names
            .iter()
            .map(|name| number(name))
            .collect::<Option<Vec<_>>>()
    };
    match node.node_type.as_str() {
        "ConstantScalar" => number("value").map(Value::Float),
        "ConstantVector" => Value::from_scalars(Type::Float3, &numbers(&["x", "y", "z"])?),
        "ConstantMatrix" => Value::from_scalars(Type::Matrix4x4, &numbers(&ELEMENTS)?),
        "Resource" => match node.parameters.get("resourceid")? {
            Setting::Value(json) => Value::from_json(Type::ResourceId, json).ok(),
            Setting::Source(_) => None,
        },
        _ => None,
    }
}

/// Folds constants into the nodes that refer to them.
fn fold_literals(entries: &mut [Entry], gone: &mut [bool]) {
    let mut literals: HashMap<usize, (Value, bool)> = HashMap::new();
    for (at, entry) in entries.iter().enumerate() {
        let default = match &entry.mark {
            Some(Mark::Literal) => false,
            Some(Mark::Default) => true,
            Some(Mark::Node(_)) | None => continue,
        };
        if let Some(value) = constant(&entry.node) {
            literals.insert(at, (value, default));
            gone[at] = true;
        }
    }
    for entry in entries {
        let Entry { node, .. } = entry;
        let node_type = node.node_type.as_str();
        node.parameters.retain(|name, setting| {
            let Setting::Source(source) = setting else {
                return true;
            };
            let Some((value, default)) = literals.get(&(source.node_id.0 as usize)) else {
                return true;
            };
            if *default && is_default(node_type, name, &value.to_json()) {
                return false;
            }
            *setting = Setting::Value(value.to_json());
            true
        });
    }
}

/// Whether a value is the default of a parameter, bit for bit.
fn is_default(node_type: &str, parameter: &str, json: &Json) -> bool {
    let Ok(about) = catalogue::kind(node_type) else {
        return false;
    };
    let Ok(place) = about.signature.parameter(parameter) else {
        return false;
    };
    let default = about.signature.parameters[place].default.as_ref();
    default.is_some_and(|default| {
        let value = Value::from_json(default.ty(), json).ok();
        let bits = |value: &Value| {
            value
                .scalars()
                .iter()
                .map(|one| one.to_bits())
                .collect::<Vec<_>>()
        };
        value.is_some_and(|value| value == *default && bits(&value) == bits(default))
    })
}

/// Takes away what stands for a default or an empty text, if it still does.
fn unset(entries: &mut [Entry], at: usize, around: FileContext<'_>) {
    let Some(Mark::Node(mark)) = entries[at].mark.take() else {
        return;
    };
    for (names, empty) in [(&mark.unset, false), (&mark.empty, true)] {
        for name in names {
            let Some(Setting::Value(value)) = entries[at].node.parameters.get(name) else {
                continue;
            };
            let meant = meant(entries, at, name, around);
            let silent = match meant {
                Some(meant) => value.as_str() == Some(meant.name.as_str()),
                None => !empty && is_default(&entries[at].node.node_type, name, value),
            };
            if !silent {
                continue;
            }
            let parameters = &mut entries[at].node.parameters;
            if empty {
                parameters.insert(name.clone(), Setting::Value(json!("")));
            } else {
                parameters.remove(name);
            }
        }
    }
    entries[at].mark = Some(Mark::Node(mark));
}

/// The port of its function that a gradient means where its attribute is empty.
fn meant<'a>(
    entries: &[Entry],
    at: usize,
    name: &str,
    around: FileContext<'a>,
) -> Option<&'a PortSpec> {
    let id = match entries[at].node.parameters.get(FUNCTION_ID)? {
        Setting::Value(json) => json.as_u64()?,
        Setting::Source(source) => match constant(&entries[source.node_id.0 as usize].node)? {
            Value::ResourceId(id) => id.0.into(),
            Value::Float(_)
            | Value::Float3(_)
            | Value::Matrix4x4(_)
            | Value::Integer(_)
            | Value::String(_) => return None,
        },
    };
    let callee = around.types.get(&u32::try_from(id).ok()?)?;
    match name {
        SCALAR_OUTPUT => callee.outputs.iter().find(|port| port.ty == Type::Float),
        VECTOR_INPUT => callee.inputs.iter().find(|port| port.ty == Type::Float3),
        _ => None,
    }
}
