//! Tables of nodes and of edges in CSV, as in spreadsheets and Gephi.
//!
//! The first row names the columns, in any order and any case: a table with a source (or "from") and a target (or "to") is
//! one of edges, every other one of nodes. Both may be in one file, the nodes first, with an empty line between them. Empty
//! cells have no value. The delimiter is a comma, or a semicolon or a tab if the first row has no comma.
//!
//! The headers of Neo4j's import tool are read, too: `personId:ID(Person)`, `:LABEL`, `:START_ID`, `:END_ID`, `:TYPE`, and
//! `age:int`, and those of its export (`_id`, `_labels`, `_start`, `_end`, `_type`), where both kinds of rows are in one table.
//! An id of a space is "Person:1" here. Tables with such headers may follow each other without an empty line.

use std::io::{self, Write};

use csv::{ReaderBuilder, StringRecord, Trim, WriterBuilder};
use serde_json::Value as Json;

use super::builder::{ElementKind, GraphBuilder};
use super::columns::{self, Columns, Datatype, Row, Typing};
use super::error::{FileLocation, FormatError, WriteError, brief};
use super::fields::{self, Fields};
use super::graph::{Graph, Omissions, WriteReport};
use super::properties;

/// Titles of Neo4j, as they end or are, and what they mean here.
const NEO4J: [(&str, &str); 10] = [
    (":ID", "id"),
    (":LABEL", TYPES),
    (":START_ID", "source"),
    (":END_ID", "target"),
    (":TYPE", "type"),
    ("_id", "id"),
    ("_labels", TYPES),
    ("_start", "source"),
    ("_end", "target"),
    ("_type", "type"),
];
/// Field with several types.
const TYPES: &str = "types";
/// A column of a table.
struct Column {
    title: String,
    datatype: Datatype,
    /// True for a list of values with semicolons between them.
    is_list: bool,
    /// Space of the ids in it, by which Neo4j tells equal ids apart.
    space: Option<String>,
    /// Separator of the types in it.
    separator: Option<char>,
    is_ignored: bool,
}

/// Header of a table.
struct Header {
    kind: ElementKind,
    columns: Vec<Column>,
    /// True for a table of Gephi, in which the type of an edge is its direction.
    has_direction: bool,
    is_neo4j: bool,
    /// Index of the sources of a table of Neo4j with nodes and edges.
    sources: Option<usize>,
}

/// Meaning of a title of Neo4j, and its end in capitals; `None` for properties.
fn neo4j(title: &str) -> Option<(&'static str, &'static str)> {
    let plain = title.split('(').next().unwrap_or(title).trim();
    let is_it = |end: &str| {
        end.starts_with('_') && plain == end || end.starts_with(':') && plain.ends_with(end)
    };
    let mut known = NEO4J.iter();
    let (end, name) = known.find(|(end, _)| is_it(end))?;
    Some((name, end))
}

/// True for the titles of Neo4j, unless they are items of data beside the titles that Fibula writes.
fn is_neo4j_header(record: &StringRecord) -> bool {
    let has = |name: &str| record.iter().any(|title| title == name);
    let is_own = has("id") && (has("types") || has("type")) || has("source") && has("target");
    let is_typed = record
        .iter()
        .any(|title| neo4j(title).is_some_and(|(_, end)| end.starts_with(':')));
    !is_own && (is_typed || has("_id") && has("_labels"))
}

impl Column {
    fn plain(title: String) -> Column {
        Column {
            title,
            datatype: Datatype::Text,
            is_list: false,
            space: None,
            separator: None,
            is_ignored: false,
        }
    }

    /// A column of a table of Neo4j.
    fn neo4j(title: &str) -> Column {
        if let Some((name, end)) = neo4j(title) {
            let space = title
                .split_once('(')
                .map(|(_, space)| space.trim_end_matches(')'));
            let separator = match end {
                ":LABEL" => Some(';'),
                "_labels" => Some(':'),
                _ => None,
            };
            return Column {
                space: space.filter(|space| !space.is_empty()).map(str::to_owned),
                separator,
                ..Column::plain(name.to_owned())
            };
        }
        let (name, datatype) = title.rsplit_once(':').unwrap_or((title, ""));
        let (plain, is_list) = match datatype.strip_suffix("[]") {
            Some(plain) => (plain, true),
            None => (datatype, false),
        };
        let datatype = match &*plain.to_ascii_lowercase() {
            "int" | "long" | "short" | "byte" => Datatype::Long,
            "float" | "double" => Datatype::Double,
            "boolean" => Datatype::Boolean,
            _ => Datatype::Text,
        };
        // Only its own titles say what identifies, classifies and connects.
        let item = if fields::is_structure(name) {
            "data:"
        } else {
            ""
        };
        Column {
            datatype,
            is_list,
            is_ignored: plain.eq_ignore_ascii_case("ignore"),
            ..Column::plain(format!("{item}{name}"))
        }
    }

    /// Adds a cell to the fields of a row.
    fn insert(
        &self,
        fields: &mut Fields,
        cell: &str,
        location: FileLocation,
        to: &mut GraphBuilder<'_>,
    ) {
        if self.is_ignored {
            return to.repair("ignored_column", location, || {
                format!(
                    "the column '{}' was skipped, as it says",
                    brief(&self.title)
                )
            });
        }
        if let Some(separator) = self.separator {
            let types = cell.split(separator).map(str::trim);
            let types: Vec<&str> = types.filter(|ty| !ty.is_empty()).collect();
            fields.insert(self.title.clone(), types.into());
            return;
        }
        if self.is_list {
            let items = cell
                .split(';')
                .map(|item| columns::parse(item, self.datatype));
            let items: Option<Vec<Json>> = items.collect();
            let list = items.map_or_else(|| Json::from(cell), Json::from);
            let title = format!("json:{}", self.title);
            columns::insert(
                fields,
                &title,
                Datatype::Json,
                &list.to_string(),
                location,
                to,
            );
            return;
        }
        let spaced = self.space.as_ref().map(|space| format!("{space}:{cell}"));
        let cell = spaced.as_deref().unwrap_or(cell);
        columns::insert(fields, &self.title, self.datatype, cell, location, to);
    }
}

/// Reads a table of nodes, one of edges, or both, one after the other.
pub(super) fn read(text: &str, to: &mut GraphBuilder<'_>) -> Result<(), FormatError> {
    read_rows(text, None, to)
}

/// Reads a table of a kind.
pub(super) fn read_table(
    text: &str,
    kind: ElementKind,
    to: &mut GraphBuilder<'_>,
) -> Result<(), FormatError> {
    read_rows(text, Some(kind), to)
}

fn read_rows(
    text: &str,
    kind: Option<ElementKind>,
    to: &mut GraphBuilder<'_>,
) -> Result<(), FormatError> {
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter(text))
        .has_headers(false)
        .flexible(true)
        .trim(Trim::None)
        .from_reader(text.as_bytes());
    let mut record = StringRecord::new();
    let mut header: Option<Header> = None;
    let mut reported = 0;
    while reader
        .read_record(&mut record)
        .map_err(|error| wrong(&error))?
    {
        let start = record.position().map_or(0, |start| start.byte() as usize);
        let line = record.position().map_or(1, csv::Position::line);
        let is_header = match &header {
            None => true,
            Some(header) => {
                let is_edges = header.kind == ElementKind::Node
                    && is_after_empty(text, start)
                    && is_of_edges(&record);
                is_edges || header.is_neo4j && is_neo4j_header(&record)
            }
        };
        if is_header {
            let is_first = header.is_none();
            let new = Header::new(&record);
            if let Some(kind) = kind.filter(|kind| is_first && *kind != new.kind) {
                let [found, wanted] =
                    [new.kind, kind].map(|kind| ["nodes", "edges"][kind as usize]);
                let problem = format!(
                    "this is a table of {found}, not one of {wanted}: one of edges has a source and a target"
                );
                return Err(FormatError::invalid(FileLocation::Line(line), problem));
            }
            header = Some(new);
        } else if let Some(header) = &header {
            header.read(&record, line, to)?;
        }
        let read = reader.position().byte() as usize;
        to.step(read - std::mem::replace(&mut reported, read))?;
    }
    if !text
        .bytes()
        .filter(|&byte| byte == b'"')
        .count()
        .is_multiple_of(2)
    {
        let location = FileLocation::Line(reader.position().line());
        to.repair("open_quote", location, || {
            "quotes are unbalanced; the file may be truncated, and a cell may contain later cells"
                .to_owned()
        });
    }
    if header.is_some() {
        return Ok(());
    }
    let problem = "the file is empty; its first row must name the columns";
    Err(FormatError::invalid(FileLocation::File, problem))
}

fn wrong(error: &csv::Error) -> FormatError {
    let location = error
        .position()
        .map_or(FileLocation::File, |at| FileLocation::Line(at.line()));
    FormatError::invalid(location, format!("not a CSV file: {error}"))
}

fn delimiter(text: &str) -> u8 {
    let first = text.lines().next().unwrap_or_default();
    let others = [b';', b'\t'].into_iter().filter(|_| !first.contains(','));
    let count = |delimiter: &u8| first.bytes().filter(|byte| byte == delimiter).count();
    others
        .filter(|delimiter| count(delimiter) > 0)
        .max_by_key(count)
        .unwrap_or(b',')
}

/// True if there is an empty line at an offset, where the last record ends.
fn is_after_empty(text: &str, start: usize) -> bool {
    let (before, after) = text.split_at(start);
    // The reader may stop within the line end.
    let after = if before.ends_with('\r') {
        after.strip_prefix('\n').unwrap_or(after)
    } else {
        after
    };
    after.starts_with(['\n', '\r'])
}

fn is_of_edges(record: &StringRecord) -> bool {
    let is_neo4j = is_neo4j_header(record);
    let has = |names: [&str; 2]| {
        let is_one = |title: &str| {
            let known = neo4j(title).filter(|_| is_neo4j);
            let title = known.map_or(title.trim(), |(name, _)| name);
            names.iter().any(|name| title.eq_ignore_ascii_case(name))
        };
        record.iter().any(is_one)
    };
    has(["source", "from"]) && has(["target", "to"])
}

impl Header {
    fn new(record: &StringRecord) -> Header {
        let is_neo4j = is_neo4j_header(record);
        let is_mixed =
            is_neo4j && is_of_edges(record) && record.iter().any(|title| title == "_labels");
        let kind = if is_of_edges(record) && !is_mixed {
            ElementKind::Edge
        } else {
            ElementKind::Node
        };
        let column = |(at, title): (usize, &str)| match kind.known(title.trim()) {
            _ if title.trim().is_empty() => Column::plain(format!("column {}", at + 1)),
            _ if is_neo4j => Column::neo4j(title.trim()),
            Some(known) => Column::plain(known.to_owned()),
            None => Column::plain(title.to_owned()),
        };
        Header {
            kind,
            columns: record.iter().enumerate().map(column).collect(),
            has_direction: record.iter().any(|title| title == "Type"),
            is_neo4j,
            sources: record
                .iter()
                .position(|title| is_mixed && title == "_start"),
        }
    }

    fn read(
        &self,
        record: &StringRecord,
        line: u64,
        to: &mut GraphBuilder<'_>,
    ) -> Result<(), FormatError> {
        let location = FileLocation::Line(line);
        let mut fields = Fields::new();
        let cells = record
            .iter()
            .enumerate()
            .filter(|(_, cell)| !cell.is_empty());
        for (at, cell) in cells {
            let Some(column) = self.columns.get(at) else {
                let columns = self.columns.len();
                let problem = format!(
                    "'{}' is in column {}, but the first row names only {columns}; is a quote missing?",
                    brief(cell),
                    at + 1
                );
                return Err(FormatError::invalid(location, problem));
            };
            column.insert(&mut fields, cell, location, to);
        }
        let source = self.sources.and_then(|at| record.get(at));
        let kind = if source.is_some_and(|source| !source.is_empty()) {
            ElementKind::Edge
        } else {
            self.kind
        };
        match kind {
            ElementKind::Node => fields::add(ElementKind::Node, fields, location, to),
            ElementKind::Edge => {
                if self.has_direction {
                    remove_direction(&mut fields, location, to);
                }
                fields::add(ElementKind::Edge, fields, location, to)
            }
        }
    }
}

/// Removes a type that is a direction.
fn remove_direction(fields: &mut Fields, location: FileLocation, to: &mut GraphBuilder<'_>) {
    let ty = fields.get("type").and_then(serde_json::Value::as_str);
    let is = |name: &str| ty == Some(name);
    let is_undirected = is("Undirected");
    if is_undirected {
        to.note_undirected(location);
    }
    if is_undirected || is("Directed") {
        fields.remove("type");
    }
}

/// Writes both tables into one file.
pub(super) fn write(graph: &Graph<'_>, out: &mut dyn Write) -> Result<WriteReport, WriteError> {
    write_nodes(graph, &mut *out)?;
    out.write_all(b"\n")?;
    write_edges(graph, &mut *out)
}

/// Writes each table into a file of its own.
pub(super) fn write_tables(
    graph: &Graph<'_>,
    nodes: &mut dyn Write,
    edges: &mut dyn Write,
) -> Result<WriteReport, WriteError> {
    write_nodes(graph, nodes)?;
    write_edges(graph, edges)
}

fn write_nodes(graph: &Graph<'_>, out: &mut dyn Write) -> Result<(), WriteError> {
    let rows = || properties::node_rows(graph);
    let columns = Columns::new(ElementKind::Node, Typing::Plain, rows());
    write_table(&columns, &["id"], rows(), out)
}

fn write_edges(graph: &Graph<'_>, out: &mut dyn Write) -> Result<WriteReport, WriteError> {
    let rows = || properties::edge_rows(graph);
    let columns = Columns::new(ElementKind::Edge, Typing::Plain, rows());
    write_table(&columns, &["source", "target"], rows(), out)?;
    let mut omissions = Omissions::default();
    omissions.add_schema(graph.schema);
    omissions.add("title", usize::from(!graph.title.is_empty()));
    Ok(omissions.finish())
}

/// Writes a table; `minimal` are its columns if it has no rows.
fn write_table<'a>(
    columns: &Columns,
    minimal: &[&str],
    rows: impl Iterator<Item = Row<'a>>,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    let mut writer = WriterBuilder::new().from_writer(out);
    if columns.all.is_empty() {
        writer.write_record(minimal).map_err(io::Error::from)?;
    } else {
        let titles = columns.all.iter().map(|column| &column.title);
        writer.write_record(titles).map_err(io::Error::from)?;
    }
    let mut cells = vec![String::new(); columns.all.len()];
    for row in rows {
        cells.iter_mut().for_each(String::clear);
        for (at, cell) in columns.cells(row) {
            cells[at] = cell;
        }
        writer.write_record(&cells).map_err(io::Error::from)?;
    }
    writer.flush()?;
    Ok(())
}
