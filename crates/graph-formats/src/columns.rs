//! Facts of nodes or edges as columns of texts, for formats that have no objects: `GraphML`, GEXF and CSV.
//!
//! A column has the name of its field, or of an item of data. What is no plain text, or not the same sort of value
//! everywhere, is written as JSON in a column whose name begins with "json:"; an item of data whose name means a field, or
//! begins like this, is called "data:" and its name. So every fact comes back as it was, and most columns are what people
//! expect.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use serde_json::{Map, Value as Json};

use super::error::{Place, brief};
use super::facts::Facts;
use super::fields::{DATA, Fields, Sort};
use super::gather::Gathering;

/// If data has more items than this by different names, all of it is in one column.
const MOST_COLUMNS: usize = 256;
/// What the name of a column with JSON in it begins with.
const JSON: &str = "json:";
/// What the name of an item of data begins with, where it could be taken for something else.
const ITEM: &str = "data:";

/// What the texts of a column mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Themselves.
    Text,
    /// Whole numbers of 64 bits.
    Long,
    /// Numbers of 64 bits.
    Double,
    /// "true" or "false".
    Boolean,
    /// JSON.
    Json,
}

/// What a format can say of its columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Which kind of values is in them.
    Typed,
    /// Nothing; an empty text is no value.
    Plain,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) title: String,
    pub(super) kind: Kind,
}

/// The columns of a table.
#[derive(Debug)]
pub(super) struct Columns {
    pub(super) all: Vec<Column>,
    /// The places of the columns of facts, and of items of data, by their names.
    facts: FxHashMap<String, usize>,
    items: FxHashMap<String, usize>,
    /// The place of the column in which all data is.
    packed: Option<usize>,
}

/// A row: the facts of a node or an edge, and its data.
pub(super) type Row<'a> = (Facts<'a>, Map<String, Json>);

impl Columns {
    /// The columns for these rows: fields in the order in which they are known, then data by name.
    pub(super) fn of<'a>(
        sort: Sort,
        dialect: Dialect,
        rows: impl Iterator<Item = Row<'a>>,
    ) -> Columns {
        let mut facts = FxHashMap::default();
        let mut items = FxHashMap::default();
        let mut is_packed = false;
        for (own, data) in rows {
            for (name, value) in &own.0 {
                note(&mut facts, name, fact_kind(value, dialect));
            }
            // The names are no longer needed once there are too many of them.
            for (name, value) in data.iter().filter(|_| !is_packed) {
                note(&mut items, name, item_kind(value, dialect));
            }
            is_packed |= items.len() > MOST_COLUMNS;
        }
        if is_packed {
            items.clear();
            facts.insert(DATA.to_owned(), Kind::Json);
        }
        let mut facts: Vec<(String, Kind)> = facts.into_iter().collect();
        facts.sort_by_key(|(name, _)| sort.rank(name));
        let mut items: Vec<(String, Kind)> = items.into_iter().collect();
        items.sort_by(|(one, _), (other, _)| one.cmp(other));
        let own = facts.iter().map(|(name, kind)| column(name.clone(), *kind));
        let data = items
            .iter()
            .map(|(name, kind)| column(item(sort, name), *kind));
        let all: Vec<Column> = own.chain(data).collect();
        let start = facts.len();
        let facts: FxHashMap<String, usize> =
            facts.into_iter().map(|(name, _)| name).zip(0..).collect();
        Columns {
            all,
            packed: facts.get(DATA).copied(),
            facts,
            items: items
                .into_iter()
                .map(|(name, _)| name)
                .zip(start..)
                .collect(),
        }
    }

    /// The texts of a row, each with the place of its column.
    pub(super) fn cells(&self, (facts, data): Row<'_>) -> Vec<(usize, String)> {
        let known = facts.0.into_iter();
        let known = known.map(|(name, value)| (self.facts.get(&*name), value));
        let mut cells: Vec<(usize, String)> = Vec::new();
        let mut add = |(at, value): (Option<&usize>, Json)| {
            if let Some(&at) = at {
                cells.push((at, written(value, self.all[at].kind)));
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

/// Notes that a column has a value of some kind.
fn note(columns: &mut FxHashMap<String, Kind>, name: &str, kind: Kind) {
    match columns.get_mut(name) {
        Some(known) if *known != kind => *known = Kind::Json,
        Some(_) => {}
        None => {
            columns.insert(name.to_owned(), kind);
        }
    }
}

fn column(name: String, kind: Kind) -> Column {
    let title = match kind {
        Kind::Json => format!("{JSON}{name}"),
        Kind::Text | Kind::Long | Kind::Double | Kind::Boolean => name,
    };
    Column { title, kind }
}

/// What an item of data is called.
fn item(sort: Sort, name: &str) -> String {
    // Tables are read whatever the case of their titles, and the white space around them.
    let is_field = sort.known(name.trim()).is_some() || name.trim().is_empty();
    if is_field || name.starts_with(JSON) || name.starts_with(ITEM) {
        format!("{ITEM}{name}")
    } else {
        name.to_owned()
    }
}

fn fact_kind(value: &Json, dialect: Dialect) -> Kind {
    match value {
        Json::String(text) if text.is_empty() && dialect == Dialect::Plain => Kind::Json,
        Json::String(_) => Kind::Text,
        Json::Number(number) if number.is_i64() => Kind::Long,
        Json::Number(number) if number.is_f64() => Kind::Double,
        Json::Bool(_) => Kind::Boolean,
        Json::Null | Json::Number(_) | Json::Array(_) | Json::Object(_) => Kind::Json,
    }
}

fn item_kind(value: &Json, dialect: Dialect) -> Kind {
    match fact_kind(value, dialect) {
        Kind::Long | Kind::Double | Kind::Boolean if dialect == Dialect::Plain => Kind::Json,
        kind => kind,
    }
}

fn written(value: Json, kind: Kind) -> String {
    match (kind, value) {
        (Kind::Text, Json::String(text)) => text,
        (_, value) => value.to_string(),
    }
}

/// Puts a text into the fields of a node or an edge. What is there already, and what does not keep to the kind, becomes
/// data; the second with a repair.
pub(super) fn put(
    fields: &mut Fields,
    title: &str,
    kind: Kind,
    text: &str,
    place: Place,
    to: &mut Gathering<'_>,
) {
    let (name, kind) = match title.strip_prefix(JSON) {
        Some(name) => (name, Kind::Json),
        None => (title, kind),
    };
    let (name, value) = match read(text, kind) {
        Some(value) => (Cow::Borrowed(name), value),
        None if kind == Kind::Json => (Cow::Borrowed(title), Json::from(text)),
        None => {
            to.repair("no_number", place, || {
                let (name, text) = (brief(name), brief(text));
                format!("'{name}' is '{text}', which is no value of its type; it is kept as text")
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

/// What a text means; `None` if it is not of the kind.
fn read(text: &str, kind: Kind) -> Option<Json> {
    match kind {
        Kind::Text => Some(Json::from(text)),
        Kind::Long => text.trim().parse::<i64>().ok().map(Json::from),
        Kind::Double => {
            let number = text.trim().parse::<f64>().ok();
            number.filter(|number| number.is_finite()).map(Json::from)
        }
        Kind::Boolean => match text.trim() {
            "true" | "True" | "1" => Some(Json::Bool(true)),
            "false" | "False" | "0" => Some(Json::Bool(false)),
            _ => None,
        },
        Kind::Json => serde_json::from_str(text).ok(),
    }
}
