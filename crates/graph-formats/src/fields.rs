//! What fields of nodes and edges are called in files, ours and those of others, and how they are read.
//!
//! A field that is known by none of these names, or that does not hold what it should, stays in the data under its own
//! name.

use serde_json::{Map, Value as Json};

use super::dates;
use super::error::{FormatError, Place, brief};
use super::gather::{FoundEdge, FoundNode, Gathering};
use super::given::{GivenEdge, GivenNode, GivenObservation};

/// The fields of a node or an edge, by their names.
pub(super) type Fields = Map<String, Json>;

/// The names of a field: ours first, then those of others, of which the first counts that a file has.
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
/// Times: ours count milliseconds, those of others maybe seconds.
const CREATED: [&str; 2] = ["created", "createdAt"];
const MODIFIED: [&str; 2] = ["modified", "updatedAt"];
const VALID_FROM: [&str; 2] = ["valid_from", "validFrom"];
const VALID_TO: [&str; 2] = ["valid_to", "validTo"];
/// Where a node is drawn, along each axis.
const AXES: [&str; 2] = ["x", "y"];
/// The object with what else is known.
pub(super) const DATA: &str = "data";

/// Nodes or edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    Node,
    Edge,
}

impl Sort {
    fn names(self) -> &'static [Names] {
        match self {
            Sort::Node => &[
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
            Sort::Edge => &[
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

    /// Whether a field of this name is read as more than data.
    pub(super) fn knows(self, name: &str) -> bool {
        self.names().iter().any(|names| names.contains(&name))
    }

    /// The place of a field among those of its sort; data comes last.
    pub(super) fn rank(self, name: &str) -> usize {
        let mut names = self.names().iter().copied().flatten();
        names.position(|known| *known == name).unwrap_or(usize::MAX)
    }

    /// The name of a field, if it is known but for its case.
    pub(super) fn known(self, name: &str) -> Option<&'static str> {
        let mut names = self.names().iter().copied().flatten();
        names
            .find(|known| known.eq_ignore_ascii_case(name))
            .copied()
    }
}

/// Reads the fields of a node, and adds it.
pub(super) fn add_node(
    mut fields: Fields,
    place: Place,
    to: &mut Gathering<'_>,
) -> Result<(), FormatError> {
    let found = node(&mut fields);
    rest(&mut fields, Sort::Node, place, to);
    let node = FoundNode {
        rest: GivenNode {
            data: fields,
            ..found.rest
        },
        ..found
    };
    to.node(place, node)
}

/// Reads the fields of an edge, and adds it.
pub(super) fn add_edge(
    mut fields: Fields,
    place: Place,
    to: &mut Gathering<'_>,
) -> Result<(), FormatError> {
    let found = edge(&mut fields);
    rest(&mut fields, Sort::Edge, place, to);
    let edge = FoundEdge {
        rest: GivenEdge {
            data: fields,
            ..found.rest
        },
        ..found
    };
    to.edge(place, edge)
}

fn node(fields: &mut Fields) -> FoundNode {
    let types = take(fields, TYPES, types).inspect(|types| {
        // The first of them is there alone, too, for who reads only that.
        for alone in ["type", "entityType"] {
            if types.first().map(String::as_str) == fields.get(alone).and_then(Json::as_str) {
                fields.remove(alone);
            }
        }
    });
    let rest = GivenNode {
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
        ..GivenNode::default()
    };
    FoundNode {
        id: take(fields, ID, name),
        label: take(fields, LABEL, text),
        rest,
    }
}

fn edge(fields: &mut Fields) -> FoundEdge {
    let ty = take(fields, EDGE_TYPE, text).filter(|ty| !ty.is_empty());
    let label = take(fields, EDGE_LABEL, text);
    // Where there is one word, it says how the ends are related.
    let (ty, label) = match (ty, label) {
        (None, Some(label)) => (Some(label), None),
        both => both,
    };
    let id = take(fields, EDGE_ID, |id| id.as_str().map(str::to_owned));
    let id = id.or_else(|| take(fields, &["id"], name));
    if id.is_some() && id.as_deref() == fields.get("key").and_then(Json::as_str) {
        fields.remove("key");
    }
    let rest = GivenEdge {
        id,
        label,
        weight: take(fields, WEIGHT, number),
        valid_from: take_time(fields, VALID_FROM),
        valid_to: take_time(fields, VALID_TO),
        creator: take(fields, CREATOR, text),
        created: take_time(fields, CREATED),
        modified: take_time(fields, MODIFIED),
        order: take(fields, ORDER, whole),
        ..GivenEdge::default()
    };
    FoundEdge {
        source: take(fields, SOURCE, end),
        target: take(fields, TARGET, end),
        ty,
        rest,
    }
}

/// Makes of the fields that are left the data.
fn rest(fields: &mut Fields, sort: Sort, place: Place, to: &mut Gathering<'_>) {
    let data = match fields.remove(DATA) {
        Some(Json::Object(data)) => data,
        Some(other) => Map::from_iter([(DATA.to_owned(), other)]),
        None => Map::new(),
    };
    fields.retain(|name, value| !(value.is_null() && sort.knows(name)));
    let unread = fields
        .iter()
        .find(|(name, _)| is_number(name) && sort.knows(name));
    if let Some((name, value)) = unread {
        to.repair("no_number", place, || {
            let value = brief(&value.to_string());
            format!("'{name}' is {value}, which is no number or time that it can be; it is kept in the data")
        });
    }
    fields.extend(data);
}

/// Whether a field of this name is a number or a time.
fn is_number(name: &str) -> bool {
    let all = [CREATED, MODIFIED, VALID_FROM, VALID_TO, AXES];
    ["weight", "order"].contains(&name) || all.iter().flatten().any(|own| *own == name)
}

/// Takes the first field with one of these names that can be read.
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

/// Takes a time: ours in milliseconds, or another's.
pub(super) fn take_time(fields: &mut Fields, [own, other]: [&str; 2]) -> Option<i64> {
    let other_time = |value: &Json| match whole(value) {
        Some(number) => Some(dates::of_number(number)),
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

/// A text, or what is written like one.
pub(super) fn text(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        Json::Bool(is) => Some(is.to_string()),
        Json::Null | Json::Array(_) | Json::Object(_) => None,
    }
}

/// What may be a name: a text, or the JSON of anything else.
pub(super) fn name(value: &Json) -> Option<String> {
    match value {
        Json::Null => None,
        Json::Array(_) | Json::Object(_) => Some(value.to_string()),
        Json::String(_) | Json::Number(_) | Json::Bool(_) => text(value),
    }
}

/// The node at an end of an edge, which some programs write out there.
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

fn observations(value: &Json) -> Option<Vec<GivenObservation>> {
    value.as_array()?.iter().map(observation).collect()
}

fn observation(value: &Json) -> Option<GivenObservation> {
    let Json::Object(fields) = value else {
        return Some(GivenObservation {
            text: text(value)?,
            ..GivenObservation::default()
        });
    };
    let mut fields = fields.clone();
    let observation = GivenObservation {
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

/// A finite number.
pub(super) fn number(value: &Json) -> Option<f64> {
    let number = match value {
        Json::Number(number) => number.as_f64(),
        Json::String(text) => text.trim().parse().ok(),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
    };
    number.filter(|number| number.is_finite())
}

/// A whole number that the type holds.
fn whole<T: std::str::FromStr>(value: &Json) -> Option<T> {
    match value {
        Json::Number(number) => number.to_string().parse().ok(),
        Json::String(text) => text.trim().parse().ok(),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
    }
}

/// A whole number, or a date of ISO 8601 in milliseconds since 1970.
pub(super) fn time(value: &Json) -> Option<i64> {
    whole(value).or_else(|| dates::parse(value.as_str()?))
}
