//! Lifting: the inverse of the writer's lowering. Restores literals from constants, kinds from the native nodes of their
//! templates, and ids and positions from tags.
//!
//! Nodes are lifted to another kind only if all of them are as the writer writes them; nodes that a person or another
//! program changed are read as they are.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fibula_core::graph::{FunctionData, ImageFunction, NodeData, NodeId, Setting, SourceData};
use fibula_nodes::call::{FUNCTION_ID, SCALAR_OUTPUT, VECTOR_INPUT};
use fibula_nodes::{FunctionType, PortSpec, ResourceId, Type, Value, catalogue};
use serde_json::{Value as Json, json};

use super::parsed::ParsedFunction;
use crate::roundtrip::end_attributes::EndAttributes;
use crate::roundtrip::image_sampler::{self, IMAGE_SAMPLER, INTEGER_PARAMETERS};
use crate::roundtrip::node_tag::{ElementTag, NodeTag};
use crate::roundtrip::templates::{self, MATRIX_ELEMENTS, Template, TemplateSource};

/// Functions and image functions of the file.
#[derive(Clone, Copy)]
pub(crate) struct FileContext<'a> {
    /// Types of the functions.
    pub(crate) types: &'a BTreeMap<u32, FunctionType>,
    /// Image functions.
    pub(crate) images: &'a BTreeMap<u32, ImageFunction>,
}

/// Node during lifting. Its index is its id: `End` is 0, `Begin` 1 if there is one, the others follow.
struct NodeEntry {
    node: NodeData,
    /// Its index in the file, if it is an element.
    row: Option<usize>,
    tag: Option<ElementTag>,
}

/// Native nodes that stand for a node of another kind.
struct NodeGroup {
    /// Node that they stand for, at the index of the first of them.
    node: NodeData,
    first: usize,
    /// Member, port of the member, and port of that node.
    ports: Vec<(usize, &'static str, String)>,
    members: Vec<usize>,
}

/// Lifts a function, and returns it with the index of each node in the file. `data` has its nodes in the order of the file,
/// after the ends, with ids in that order.
pub(crate) fn lift(
    data: FunctionData,
    function: &ParsedFunction,
    context: FileContext<'_>,
) -> (FunctionData, Vec<Option<usize>>) {
    let ends = data.nodes.len() - function.nodes.len();
    let entries = data.nodes.into_iter().enumerate().map(|(at, mut node)| {
        let row = at.checked_sub(ends);
        let element = row.map(|row| &function.nodes[row].element);
        let name = element.and_then(|element| element.attribute("displayname"));
        let is_named = name.is_some_and(|name| !name.is_empty());
        let tag = element.and_then(|element| ElementTag::parse(element.attribute("tag")?));
        let tag = match tag {
            // The writer gives these no name, so somebody made it a node of its own.
            Some(ElementTag::Literal | ElementTag::Default) if is_named => None,
            Some(ElementTag::Node(_)) if !is_named => {
                node.display_name = None;
                tag
            }
            tag => tag,
        };
        NodeEntry { node, row, tag }
    });
    let mut entries: Vec<NodeEntry> = entries.collect();
    let end_attributes = EndAttributes::parse(&function.attributes);
    let has_begin = ends > 1;
    let mut removed = vec![false; entries.len()];
    if entries.iter().any(|entry| entry.tag.is_some()) {
        lift_groups(&mut entries, context, &mut removed);
        inline_constants(&mut entries, &mut removed, context);
        for entry in &mut entries {
            if let Some(ElementTag::Node(tag)) = &entry.tag {
                entry.node.position = tag.position;
            }
        }
        for at in 0..entries.len() {
            restore_unset(&mut entries, at, context);
        }
    }
    let begin = has_begin.then(|| end_attributes.begin_id.unwrap_or(NodeId(1)));
    let ids = ids(&entries, &removed, begin);
    let (mut nodes, mut rows) = (Vec::new(), Vec::new());
    for (at, mut entry) in entries.into_iter().enumerate() {
        if removed[at] {
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
    end_attributes.apply(&mut nodes);
    (FunctionData { nodes, ..data }, rows)
}

/// Ids of the nodes: those of the tags, and free ones for the others.
fn ids(entries: &[NodeEntry], removed: &[bool], begin: Option<NodeId>) -> Vec<NodeId> {
    let mut taken: BTreeSet<NodeId> = begin.into_iter().chain([NodeId::END]).collect();
    let mut tagged = |(entry, removed): (&NodeEntry, &bool)| match (&entry.tag, entry.row) {
        (_, None) if entry.node.node_type == "End" => Some(NodeId::END),
        (_, None) => begin,
        (Some(ElementTag::Node(tag)), Some(_)) if !removed => {
            Some(tag.id).filter(|&id| taken.insert(id))
        }
        (_, Some(_)) => None,
    };
    let ids: Vec<Option<NodeId>> = entries.iter().zip(removed).map(&mut tagged).collect();
    let first = if begin.is_some() { 2 } else { 1 };
    let mut free = (first..).map(NodeId).filter(|id| !taken.contains(id));
    let all = ids.into_iter().zip(removed).map(|(id, &removed)| match id {
        None if !removed => free.next().expect("there are more ids than nodes"),
        id => id.unwrap_or(NodeId::END),
    });
    all.collect()
}

/// Replaces groups of native nodes by the nodes that they stand for.
fn lift_groups(entries: &mut [NodeEntry], context: FileContext<'_>, removed: &mut [bool]) {
    let mut parts: BTreeMap<NodeId, Vec<(usize, usize)>> = BTreeMap::new();
    for (at, entry) in entries.iter().enumerate() {
        if let Some(ElementTag::Node(NodeTag {
            id,
            part: Some((_, index)),
            ..
        })) = &entry.tag
        {
            parts.entry(*id).or_default().push((*index, at));
        }
    }
    let mut groups: Vec<Option<NodeGroup>> = Vec::new();
    let mut group_of: HashMap<usize, usize> = HashMap::new();
    for mut members in parts.into_values() {
        members.sort_unstable();
        if let Some(group) = match_group(entries, &members, context) {
            group_of.extend(group.members.iter().map(|&at| (at, groups.len())));
            groups.push(Some(group));
        } else {
            for (_, at) in members {
                entries[at].tag = None;
            }
        }
    }
    // A group is kept as it is if a node outside refers to a port that the lifted node does not have.
    for (at, entry) in entries.iter().enumerate() {
        for source in sources(&entry.node) {
            let Some(&index) = group_of.get(&(source.node_id.0 as usize)) else {
                continue;
            };
            let inside = group_of.get(&at) == Some(&index);
            let known = |group: &NodeGroup| group.port(source).is_some();
            if !inside && !groups[index].as_ref().is_some_and(known) {
                groups[index] = None;
            }
        }
    }
    let find = |source: &SourceData| -> Option<SourceData> {
        let group = groups[*group_of.get(&(source.node_id.0 as usize))?].as_ref()?;
        let node_id = NodeId(group.first as u32);
        Some(SourceData::new(node_id, group.port(source)?))
    };
    for (at, index) in &group_of {
        match &groups[*index] {
            Some(group) if group.first == *at => entries[*at].node = group.node.clone(),
            Some(_) => removed[*at] = true,
            None => entries[*at].tag = None,
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

impl NodeGroup {
    /// Port of the lifted node that a port of a member stands for.
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

/// Matches the nodes of a group, if they are as the writer writes them.
fn match_group(
    entries: &[NodeEntry],
    members: &[(usize, usize)],
    context: FileContext<'_>,
) -> Option<NodeGroup> {
    let kind = |at: usize| match &entries[at].tag {
        Some(ElementTag::Node(NodeTag {
            part: Some((kind, _)),
            ..
        })) => Some(kind.as_str()),
        Some(ElementTag::Node(_) | ElementTag::Literal | ElementTag::Default) | None => None,
    };
    let name = kind(members.first()?.1)?;
    let alike = members.iter().all(|&(_, at)| kind(at) == Some(name));
    alike.then_some(())?;
    if name == IMAGE_SAMPLER {
        return match_sampler(entries, members, context);
    }
    let template = templates::template(name)?;
    let indexes = members.iter().map(|(index, _)| *index);
    indexes.eq(0..template.parts.len()).then_some(())?;
    let members: Vec<usize> = members.iter().map(|&(_, at)| at).collect();
    match_template(entries, members, template)
}

fn match_template(
    entries: &[NodeEntry],
    members: Vec<usize>,
    template: &Template,
) -> Option<NodeGroup> {
    let mut found: BTreeMap<&str, Option<Setting>> = BTreeMap::new();
    for (&at, part) in members.iter().zip(&template.parts) {
        let node = &entries[at].node;
        if node.node_type != part.kind || node.overload.is_some_and(|one| one != part.overload) {
            return None;
        }
        for (name, source) in &part.inputs {
            let setting = node.parameters.get(*name);
            match source {
                TemplateSource::Node(other, port) => {
                    let source = SourceData::new(NodeId(members[*other] as u32), *port);
                    (setting == Some(&Setting::Source(source))).then_some(())?;
                }
                TemplateSource::Parameter(parameter) => {
                    // The writer never links a group to itself.
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
        if !part.values.is_empty() && constant_value(node)?.scalars() != part.values {
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
    let names = about.signature.ports.iter();
    let ports = template.ports.iter().zip(names);
    let ports = ports.map(|((part, port), own)| (members[*part], *port, own.name.to_string()));
    Some(NodeGroup {
        node,
        first,
        ports: ports.collect(),
        members,
    })
}

/// Matches a call of an image function that was generated for a sampler.
fn match_sampler(
    entries: &[NodeEntry],
    members: &[(usize, usize)],
    context: FileContext<'_>,
) -> Option<NodeGroup> {
    let (resource, call) = match *members {
        [(1, call)] => (None, call),
        [(0, resource), (1, call)] => (Some(resource), call),
        _ => return None,
    };
    let Some(ElementTag::Node(tag)) = &entries[call].tag else {
        return None;
    };
    let called = &entries[call].node;
    (called.node_type == "FunctionCall").then_some(())?;
    let mut node = NodeData::new(NodeId(call as u32), IMAGE_SAMPLER);
    node.display_name.clone_from(&called.display_name);
    let uvw = called.parameters.get("pos").cloned();
    node.parameters
        .extend(uvw.map(|uvw| ("uvw".to_owned(), uvw)));
    let set = |name: &str| {
        let found = tag.integers.iter().find(|(one, _)| one == name);
        found.map(|(_, number)| *number)
    };
    let mut put = |name: &str, number: i64| {
        node.parameters
            .insert(name.to_owned(), Setting::Value(json!(number)));
    };
    match resource {
        None => {
            (!called.parameters.contains_key(FUNCTION_ID)).then_some(())?;
            for (name, _) in INTEGER_PARAMETERS {
                if let Some(number) = set(name) {
                    put(name, number);
                }
            }
        }
        Some(resource) => {
            let source = SourceData::new(NodeId(resource as u32), "value");
            let linked = called.parameters.get(FUNCTION_ID) == Some(&Setting::Source(source));
            let Value::ResourceId(ResourceId(id)) = constant_value(&entries[resource].node)? else {
                return None;
            };
            let image = context.images.get(&id).filter(|_| linked)?;
            put("resourceid", i64::from(image.image.0));
            for ((name, default), number) in INTEGER_PARAMETERS
                .into_iter()
                .zip(image_sampler::sampler_numbers(image)?)
            {
                if set(name).is_some() || number != default {
                    put(name, number);
                }
            }
        }
    }
    let ports = ["color", "alpha"].map(|port| (call, port, port.to_owned()));
    Some(NodeGroup {
        node,
        first: call,
        ports: ports.to_vec(),
        members: members.iter().map(|&(_, at)| at).collect(),
    })
}

/// Value of a constant; `None` if the node is not a constant, or one of its parameters is linked.
fn constant_value(node: &NodeData) -> Option<Value> {
    let number = |name: &str| match node.parameters.get(name)? {
        Setting::Value(json) => json.as_f64(),
        Setting::Source(_) => None,
    };
    let numbers = |names: &[&str]| {
        let numbers = names.iter().map(|name| number(name));
        numbers.collect::<Option<Vec<_>>>()
    };
    match node.node_type.as_str() {
        "ConstantScalar" => number("value").map(Value::Float),
        "ConstantVector" => Value::from_scalars(Type::Float3, &numbers(&["x", "y", "z"])?),
        "ConstantMatrix" => Value::from_scalars(Type::Matrix4x4, &numbers(&MATRIX_ELEMENTS)?),
        "Resource" => match node.parameters.get("resourceid")? {
            Setting::Value(json) => Value::from_json(Type::ResourceId, json).ok(),
            Setting::Source(_) => None,
        },
        _ => None,
    }
}

/// Replaces links to tagged constants by literals.
fn inline_constants(entries: &mut [NodeEntry], removed: &mut [bool], context: FileContext<'_>) {
    let mut literals: HashMap<usize, (Value, bool)> = HashMap::new();
    for (at, entry) in entries.iter().enumerate() {
        let default = match &entry.tag {
            Some(ElementTag::Literal) => false,
            Some(ElementTag::Default) => true,
            Some(ElementTag::Node(_)) | None => continue,
        };
        if let Some(value) = constant_value(&entry.node) {
            literals.insert(at, (value, default));
            removed[at] = true;
        }
    }
    for at in 0..entries.len() {
        let callee = callee(entries, at, context).cloned();
        let callee = callee.or_else(|| entries[at].node.callee.clone());
        let callee = callee.as_ref();
        let NodeEntry { node, .. } = &mut entries[at];
        let node_type = node.node_type.as_str();
        node.parameters.retain(|name, setting| {
            let Setting::Source(source) = setting else {
                return true;
            };
            let Some((value, default)) = literals.get(&(source.node_id.0 as usize)) else {
                return true;
            };
            let json = value.to_json();
            let is_input_default =
                || callee.is_some_and(|callee| is_input_default(callee, name, &json));
            if *default && (is_default(node_type, name, &json) || is_input_default()) {
                return false;
            }
            // A value that another program moved out of the limits stays a constant.
            let input =
                callee.and_then(|callee| callee.inputs.iter().find(|port| port.name == *name));
            if input.is_some_and(|input| input.violation(value).is_some()) {
                removed[source.node_id.0 as usize] = false;
                return true;
            }
            *setting = Setting::Value(json);
            true
        });
    }
}

/// True if a value is the default of a parameter, bit for bit.
fn is_default(node_type: &str, parameter: &str, json: &Json) -> bool {
    let Ok(kind) = catalogue::kind(node_type) else {
        return false;
    };
    let signature = &kind.signature;
    let place = signature.parameter(parameter);
    let default = place.map(|place| signature.parameters[place].default.as_ref());
    is_same(default.unwrap_or_default(), json)
}

/// True if a value is the default of an input of a function, bit for bit.
fn is_input_default(callee: &FunctionType, input: &str, json: &Json) -> bool {
    let input = callee.inputs.iter().find(|port| port.name == input);
    is_same(input.and_then(PortSpec::default_value), json)
}

/// True if there is a default that a value is equal to, bit for bit.
fn is_same(default: Option<&Value>, json: &Json) -> bool {
    let same = || {
        let default = default?;
        let value = Value::from_json(default.ty(), json).ok()?;
        let bits = |value: &Value| -> Vec<u64> {
            value.scalars().iter().map(|one| one.to_bits()).collect()
        };
        Some(value == *default && bits(&value) == bits(default))
    };
    same().unwrap_or_default()
}

/// Removes the values that stand for defaults or empty texts, if they still do.
fn restore_unset(entries: &mut [NodeEntry], at: usize, context: FileContext<'_>) {
    let Some(ElementTag::Node(tag)) = entries[at].tag.take() else {
        return;
    };
    for (names, empty) in [(&tag.unset, false), (&tag.empty, true)] {
        for name in names {
            let Some(Setting::Value(value)) = entries[at].node.parameters.get(name) else {
                continue;
            };
            let implied = implied_port(entries, at, name, context);
            let silent = match implied {
                Some(implied) => value.as_str() == Some(implied.name.as_str()),
                None => !empty && is_default(&entries[at].node.node_type, name, value),
            };
            let parameters = &mut entries[at].node.parameters;
            if silent && empty {
                parameters.insert(name.clone(), Setting::Value(json!("")));
            } else if silent {
                parameters.remove(name);
            }
        }
    }
    entries[at].tag = Some(ElementTag::Node(tag));
}

/// Port of its function that a gradient uses if its attribute is empty.
fn implied_port<'a>(
    entries: &[NodeEntry],
    at: usize,
    name: &str,
    context: FileContext<'a>,
) -> Option<&'a PortSpec> {
    let callee = callee(entries, at, context)?;
    match name {
        SCALAR_OUTPUT => callee.outputs.iter().find(|port| port.ty == Type::Float),
        VECTOR_INPUT => callee.inputs.iter().find(|port| port.ty == Type::Float3),
        _ => None,
    }
}

/// Type of the function that a node refers to.
fn callee<'a>(
    entries: &[NodeEntry],
    at: usize,
    context: FileContext<'a>,
) -> Option<&'a FunctionType> {
    let id = match entries[at].node.parameters.get(FUNCTION_ID)? {
        Setting::Value(json) => json.as_u64()?,
        Setting::Source(source) => {
            match constant_value(&entries[source.node_id.0 as usize].node)? {
                Value::ResourceId(id) => id.0.into(),
                Value::Float(_)
                | Value::Float3(_)
                | Value::Matrix4x4(_)
                | Value::Integer(_)
                | Value::String(_) => return None,
            }
        }
    };
    context.types.get(&u32::try_from(id).ok()?)
}
