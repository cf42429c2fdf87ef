//! Names and values of the fields of nodes and edges, in files of Fibula and of other programs.
//!
//! A field with another name, or with a value of another type, stays in the data under its own name.

use serde_json::{Map, Value as Json};

pub(super) use super::builder::Fields;
use super::builder::{ElementKind, GraphBuilder, RawEdge, RawNode};
use super::dates;
use super::error::{FileLocation, FormatError, brief};
use super::imported::{ImportedEdge, ImportedNode, ImportedObservation};

/// Names of a field: ours first, then those of other programs; the first one that a file has counts.
type Names = &'static [&'static str];

const ID: Names = &["id", "originalId"];
const EDGE_ID: Names = &["id", "key"];
const LABEL: Names = &["label", "name", "title"];
const TYPES: Names = &["types"];
const TYPE: Names = &["type", "entityType", "nodeType", "category", "categories"];
const EDGE_TYPE: Names = &[
    "type",
    "relationType",
    "relation",
    "predicate",
    "interaction",
];
const EDGE_LABEL: Names = &["label"];
const OBSERVATIONS: Names = &["observations"];
const POSITION: Names = &["position"];
const SOURCE: Names = &["source", "from"];
const TARGET: Names = &["target", "to"];
const WEIGHT: Names = &["weight", "value"];
const CREATOR: Names = &["creator", "createdBy"];
const VERSION: Names = &["version"];
const ORDER: Names = &["order"];
/// Times: ours are in milliseconds, those of other programs may be in seconds.
const CREATED: [&str; 2] = ["created", "createdAt"];
const MODIFIED: [&str; 2] = ["modified", "updatedAt"];
const VALID_FROM: [&str; 2] = ["valid_from", "validFrom"];
const VALID_TO: [&str; 2] = ["valid_to", "validTo"];
/// Coordinates of a node.
const AXES: [&str; 2] = ["x", "y"];
/// The object with all other data.
pub(super) const DATA: &str = "data";

impl ElementKind {
    fn names(self) -> &'static [Names] {
        match self {
            ElementKind::Node => &[
                ID,
                LABEL,
                TYPE,
                TYPES,
                OBSERVATIONS,
                POSITION,
                CREATOR,
                VERSION,
                ORDER,
                &CREATED,
                &MODIFIED,
                &AXES,
                &[DATA],
            ],
            ElementKind::Edge => &[
                EDGE_ID,
                SOURCE,
                TARGET,
                EDGE_TYPE,
                EDGE_LABEL,
                WEIGHT,
                CREATOR,
                ORDER,
                &CREATED,
                &MODIFIED,
                &VALID_FROM,
                &VALID_TO,
                &[DATA],
            ],
        }
    }

    /// True if a field of this name is more than data.
    pub(super) fn knows(self, name: &str) -> bool {
        self.names().iter().any(|names| names.contains(&name))
    }

    /// Rank of a field in the order of columns; data comes last.
    pub(super) fn rank(self, name: &str) -> usize {
        let mut names = self.names().iter().copied().flatten();
        names.position(|known| *known == name).unwrap_or(usize::MAX)
    }

    /// Canonical name of a field, whatever the case of `name`.
    pub(super) fn known(self, name: &str) -> Option<&'static str> {
        let mut names = self.names().iter().copied().flatten();
        names
            .find(|known| known.eq_ignore_ascii_case(name))
            .copied()
    }
}

/// True for the names of ids, types and ends of edges, whatever their case.
pub(super) fn is_structure(name: &str) -> bool {
    let fields = [ID, EDGE_ID, TYPE, TYPES, EDGE_TYPE, SOURCE, TARGET];
    let mut names = fields.into_iter().flatten();
    names.any(|known| known.eq_ignore_ascii_case(name))
}

/// Reads the fields of a node or an edge, and adds it to a graph.
pub(super) fn add(
    kind: ElementKind,
    mut fields: Fields,
    location: FileLocation,
    to: &mut GraphBuilder<'_>,
) -> Result<(), FormatError> {
    match kind {
        ElementKind::Node => {
            let mut node = node(&mut fields);
            make_data(&mut fields, kind, location, to);
            node.rest.data = fields;
            to.node(location, node)
        }
        ElementKind::Edge => {
            let mut edge = edge(&mut fields);
            make_data(&mut fields, kind, location, to);
            edge.rest.data = fields;
            to.edge(location, edge)
        }
    }
}

fn node(fields: &mut Fields) -> RawNode {
    let types = take(fields, TYPES, types).inspect(|types| {
        // The first of them is there alone, too, for who reads only that.
        for alone in ["type", "entityType"] {
            if types.first().map(String::as_str) == fields.get(alone).and_then(Json::as_str) {
                fields.remove(alone);
            }
        }
    });
    let rest = ImportedNode {
        types: types
            .or_else(|| take(fields, TYPE, self::types))
            .unwrap_or_default(),
        observations: take(fields, OBSERVATIONS, observations).unwrap_or_default(),
        position: take(fields, POSITION, position).or_else(|| take_axes(fields)),
        creator: take(fields, CREATOR, text),
        created: take_time(fields, CREATED),
        modified: take_time(fields, MODIFIED),
        version: take(fields, VERSION, whole),
        order: take(fields, ORDER, whole),
        ..ImportedNode::default()
    };
    RawNode {
        id: take(fields, ID, name),
        label: take(fields, LABEL, text),
        rest,
    }
}

fn edge(fields: &mut Fields) -> RawEdge {
    let ty = take(fields, EDGE_TYPE, text).filter(|ty| !ty.is_empty());
    let label = take(fields, EDGE_LABEL, text);
    // A single text is the type.
    let (ty, label) = match (ty, label) {
        (None, Some(label)) => (Some(label), None),
        both => both,
    };
    let id = take(fields, EDGE_ID, |id| id.as_str().map(str::to_owned));
    let id = id.or_else(|| take(fields, &["id"], name));
    if id.is_some() && id.as_deref() == fields.get("key").and_then(Json::as_str) {
        fields.remove("key");
    }
    let rest = ImportedEdge {
        id,
        label,
        weight: take(fields, WEIGHT, number),
        valid_from: take_time(fields, VALID_FROM),
        valid_to: take_time(fields, VALID_TO),
        creator: take(fields, CREATOR, text),
        created: take_time(fields, CREATED),
        modified: take_time(fields, MODIFIED),
        order: take(fields, ORDER, whole),
        ..ImportedEdge::default()
    };
    RawEdge {
        source: take(fields, SOURCE, end),
        target: take(fields, TARGET, end),
        ty,
        rest,
    }
}

/// Makes the remaining fields the data.
fn make_data(
    fields: &mut Fields,
    kind: ElementKind,
    location: FileLocation,
    to: &mut GraphBuilder<'_>,
) {
    let data = match fields.remove(DATA) {
        Some(Json::Object(data)) => data,
        Some(other) => Map::from_iter([(DATA.to_owned(), other)]),
        None => Map::new(),
    };
    fields.retain(|name, value| !(value.is_null() && kind.knows(name)));
    let unread = fields
        .iter()
        .find(|(name, _)| is_number(name) && kind.knows(name));
    if let Some((name, value)) = unread {
        to.repair("no_number", location, || {
            let value = brief(&value.to_string());
            format!("'{name}' is {value}, which is not a valid number or time; it was stored in the data")
        });
    }
    fields.extend(data);
}

/// True if a field of this name is a number or a time.
fn is_number(name: &str) -> bool {
    let all = [CREATED, MODIFIED, VALID_FROM, VALID_TO, AXES];
    ["weight", "order"].contains(&name) || all.iter().flatten().any(|own| *own == name)
}

/// Takes the first field with one of these names whose value `read` accepts.
pub(super) fn take<T>(
    fields: &mut Fields,
    names: &[&str],
    read: impl Fn(&Json) -> Option<T>,
) -> Option<T> {
    names.iter().find_map(|name| {
        let value = read(fields.get(*name)?)?;
        fields.remove(*name);
        Some(value)
    })
}

/// Takes a time: ours in milliseconds, or that of another program.
pub(super) fn take_time(fields: &mut Fields, [own, other]: [&str; 2]) -> Option<i64> {
    let other_time = |value: &Json| match whole(value) {
        Some(number) => Some(dates::from_number(number)),
        None => dates::parse(value.as_str()?),
    };
    take(fields, &[own], time).or_else(|| take(fields, &[other], other_time))
}

fn take_axes(fields: &mut Fields) -> Option<[f64; 2]> {
    let [x, y] = AXES.map(|axis| fields.get(axis).and_then(number));
    let position = [x?, y?];
    for axis in AXES {
        fields.remove(axis);
    }
    Some(position)
}

/// Text of a string, a number or a boolean.
pub(super) fn text(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        Json::Bool(is) => Some(is.to_string()),
        Json::Null | Json::Array(_) | Json::Object(_) => None,
    }
}

/// Name: a text, or the JSON of any other value.
pub(super) fn name(value: &Json) -> Option<String> {
    match value {
        Json::Null => None,
        Json::Array(_) | Json::Object(_) => Some(value.to_string()),
        Json::String(_) | Json::Number(_) | Json::Bool(_) => text(value),
    }
}

/// Node at an end of an edge; some programs write the whole node there.
fn end(value: &Json) -> Option<String> {
    match value {
        Json::Object(node) if node.contains_key("id") => node.get("id").and_then(name),
        other => name(other),
    }
}

fn types(value: &Json) -> Option<Vec<String>> {
    let types = match value {
        Json::Array(types) => types.iter().map(text).collect::<Option<Vec<String>>>()?,
        other => vec![text(other)?],
    };
    let is_named = |types: &Vec<String>| !types.is_empty() && types.iter().all(|ty| !ty.is_empty());
    Some(types).filter(is_named)
}

fn observations(value: &Json) -> Option<Vec<ImportedObservation>> {
    value.as_array()?.iter().map(observation).collect()
}

fn observation(value: &Json) -> Option<ImportedObservation> {
    let Json::Object(fields) = value else {
        return Some(ImportedObservation {
            text: text(value)?,
            ..ImportedObservation::default()
        });
    };
    let mut fields = fields.clone();
    let observation = ImportedObservation {
        text: take(&mut fields, &["text", "content"], text)?,
        at: take(&mut fields, &["at"], time),
        by: take(&mut fields, &["by"], text),
    };
    fields.is_empty().then_some(observation)
}

fn position(value: &Json) -> Option<[f64; 2]> {
    match value {
        Json::Array(axes) => match &axes[..] {
            [x, y] => Some([number(x)?, number(y)?]),
            _ => None,
        },
        Json::Object(axes) if axes.len() == 2 => {
            Some([number(axes.get("x")?)?, number(axes.get("y")?)?])
        }
        _ => None,
    }
}

/// Parses a finite number.
pub(super) fn number(value: &Json) -> Option<f64> {
    let number = match value {
        Json::Number(number) => number.as_f64(),
        Json::String(text) => text.trim().parse().ok(),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
    };
    number.filter(|number| number.is_finite())
}

/// Parses an integer of a type.
fn whole<T: std::str::FromStr>(value: &Json) -> Option<T> {
    match value {
        Json::Number(number) => number.to_string().parse().ok(),
        Json::String(text) => text.trim().parse().ok(),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
    }
}

/// Parses an integer, or a date of ISO 8601, as milliseconds since 1970.
pub(super) fn time(value: &Json) -> Option<i64> {
    whole(value).or_else(|| dates::parse(value.as_str()?))
}
