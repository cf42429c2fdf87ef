//! Properties of nodes or edges as columns of texts, for formats without objects: `GraphML`, GEXF and CSV.
//!
//! A column has the name of its field, or of an item of data. Values that are no plain texts, or not of one datatype in all
//! rows, are JSON in a column whose name begins with "json:"; an item of data whose name means a field, or begins like this,
//! is called "data:" and its name. So the conversion is lossless, and most columns are what people expect.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use serde_json::{Map, Value as Json};

use super::builder::{ElementKind, GraphBuilder};
use super::error::{FileLocation, brief};
use super::fields::{DATA, Fields};
pub(super) use super::properties::Row;

/// Maximum number of columns for items of data; if there are more names, all data is in one column.
const MAX_COLUMNS: usize = 256;
/// Prefix of the names of columns with JSON.
const JSON: &str = "json:";
/// Prefix of the names of items of data that could be mistaken for fields.
const ITEM: &str = "data:";

/// Datatype of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Datatype {
    /// Texts.
    Text,
    /// Integers of 64 bits.
    Long,
    /// Numbers of 64 bits.
    Double,
    /// "true" or "false".
    Boolean,
    /// JSON.
    Json,
}

/// Typing of columns in a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Typing {
    /// Columns have datatypes.
    Typed,
    /// Columns are texts; an empty text is no value.
    Plain,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) title: String,
    pub(super) datatype: Datatype,
}

/// The columns of a table.
#[derive(Debug)]
pub(super) struct Columns {
    pub(super) all: Vec<Column>,
    /// Indices of the columns of properties, and of items of data, by name.
    properties: FxHashMap<String, usize>,
    items: FxHashMap<String, usize>,
    /// Index of the column with all data.
    packed: Option<usize>,
}

impl Columns {
    /// Determines the columns of rows: fields by rank, then data by name.
    pub(super) fn new<'a>(
        kind: ElementKind,
        typing: Typing,
        rows: impl Iterator<Item = Row<'a>>,
    ) -> Columns {
        let mut properties = FxHashMap::default();
        let mut items = FxHashMap::default();
        let mut is_packed = false;
        for (own, data) in rows {
            for (name, value) in &own.0 {
                note(&mut properties, name, property_datatype(value, typing));
            }
            // Too many names are not needed.
            for (name, value) in data.iter().filter(|_| !is_packed) {
                note(&mut items, name, item_datatype(value, typing));
            }
            is_packed |= items.len() > MAX_COLUMNS;
        }
        if is_packed {
            items.clear();
            properties.insert(DATA.to_owned(), Datatype::Json);
        }
        let mut properties: Vec<(String, Datatype)> = properties.into_iter().collect();
        properties.sort_by_key(|(name, _)| kind.rank(name));
        let mut items: Vec<(String, Datatype)> = items.into_iter().collect();
        items.sort_by(|(one, _), (other, _)| one.cmp(other));
        let own = properties
            .iter()
            .map(|(name, datatype)| column(name.clone(), *datatype));
        let data = items
            .iter()
            .map(|(name, datatype)| column(item_name(kind, name), *datatype));
        let all: Vec<Column> = own.chain(data).collect();
        let start = properties.len();
        let properties: FxHashMap<String, usize> = properties
            .into_iter()
            .map(|(name, _)| name)
            .zip(0..)
            .collect();
        Columns {
            all,
            packed: properties.get(DATA).copied(),
            properties,
            items: items
                .into_iter()
                .map(|(name, _)| name)
                .zip(start..)
                .collect(),
        }
    }

    /// Texts of a row, each with the index of its column.
    pub(super) fn cells(&self, (properties, data): Row<'_>) -> Vec<(usize, String)> {
        let known = properties.0.into_iter();
        let known = known.map(|(name, value)| (self.properties.get(&*name), value));
        let mut cells: Vec<(usize, String)> = Vec::new();
        let mut add = |(at, value): (Option<&usize>, Json)| {
            if let Some(&at) = at {
                cells.push((at, cell_text(value, self.all[at].datatype)));
            }
        };
        known.for_each(&mut add);
        if self.packed.is_none() {
            let items = data.into_iter();
            items
                .map(|(name, value)| (self.items.get(&name), value))
                .for_each(add);
        } else if !data.is_empty() {
            add((self.packed.as_ref(), Json::Object(data)));
        }
        cells
    }
}

/// Records that a column has a value of a datatype.
fn note(columns: &mut FxHashMap<String, Datatype>, name: &str, datatype: Datatype) {
    match columns.get_mut(name) {
        Some(known) if *known != datatype => *known = Datatype::Json,
        Some(_) => {}
        None => {
            columns.insert(name.to_owned(), datatype);
        }
    }
}

fn column(name: String, datatype: Datatype) -> Column {
    let title = match datatype {
        Datatype::Json => format!("{JSON}{name}"),
        Datatype::Text | Datatype::Long | Datatype::Double | Datatype::Boolean => name,
    };
    Column { title, datatype }
}

/// Name of the column of an item of data.
fn item_name(kind: ElementKind, name: &str) -> String {
    // Tables are read whatever the case of their titles, and the white space around them.
    let is_field = kind.known(name.trim()).is_some() || name.trim().is_empty();
    if is_field || name.starts_with(JSON) || name.starts_with(ITEM) {
        format!("{ITEM}{name}")
    } else {
        name.to_owned()
    }
}

fn property_datatype(value: &Json, typing: Typing) -> Datatype {
    match value {
        Json::String(text) if text.is_empty() && typing == Typing::Plain => Datatype::Json,
        Json::String(_) => Datatype::Text,
        Json::Number(number) if number.is_i64() => Datatype::Long,
        Json::Number(number) if number.is_f64() => Datatype::Double,
        Json::Bool(_) => Datatype::Boolean,
        Json::Null | Json::Number(_) | Json::Array(_) | Json::Object(_) => Datatype::Json,
    }
}

fn item_datatype(value: &Json, typing: Typing) -> Datatype {
    match property_datatype(value, typing) {
        Datatype::Long | Datatype::Double | Datatype::Boolean if typing == Typing::Plain => {
            Datatype::Json
        }
        datatype => datatype,
    }
}

fn cell_text(value: Json, datatype: Datatype) -> String {
    match (datatype, value) {
        (Datatype::Text, Json::String(text)) => text,
        (_, value) => value.to_string(),
    }
}

/// Inserts a text into the fields of a node or an edge. A field that exists already, and a text that violates the datatype,
/// becomes data; the latter with a repair.
pub(super) fn insert(
    fields: &mut Fields,
    title: &str,
    datatype: Datatype,
    text: &str,
    location: FileLocation,
    to: &mut GraphBuilder<'_>,
) {
    let (name, datatype) = match title.strip_prefix(JSON) {
        Some(name) => (name, Datatype::Json),
        None => (title, datatype),
    };
    let (name, value) = match parse(text, datatype) {
        Some(value) => (Cow::Borrowed(name), value),
        None if datatype == Datatype::Json => (Cow::Borrowed(title), Json::from(text)),
        None => {
            to.repair("no_number", location, || {
                let (name, text) = (brief(name), brief(text));
                format!(
                    "'{name}' is '{text}', which is not a value of its type; it was read as text"
                )
            });
            (Cow::Borrowed(name), Json::from(text))
        }
    };
    let item = name.strip_prefix(ITEM);
    if item.is_none() && !fields.contains_key(&*name) {
        fields.insert(name.into_owned(), value);
        return;
    }
    let item = item.unwrap_or(&name).to_owned();
    let data = fields
        .entry(DATA)
        .or_insert_with(|| Json::Object(Map::new()));
    match data {
        Json::Object(data) => {
            data.entry(item).or_insert(value);
        }
        _ => {
            fields.entry(item).or_insert(value);
        }
    }
}

/// Parses a text; `None` if it violates the datatype.
pub(super) fn parse(text: &str, datatype: Datatype) -> Option<Json> {
    match datatype {
        Datatype::Text => Some(Json::from(text)),
        Datatype::Long => text.trim().parse::<i64>().ok().map(Json::from),
        Datatype::Double => {
            let number = text.trim().parse::<f64>().ok();
            number.filter(|number| number.is_finite()).map(Json::from)
        }
        Datatype::Boolean => match text.trim() {
            "true" | "True" | "1" => Some(Json::Bool(true)),
            "false" | "False" | "0" => Some(Json::Bool(false)),
            _ => None,
        },
        Datatype::Json => serde_json::from_str(text).ok(),
    }
}
