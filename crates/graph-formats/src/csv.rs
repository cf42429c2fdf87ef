//! Tables of nodes and of edges in CSV, as in spreadsheets and Gephi.
//!
//! The first row names the columns, in any order and any case: a table with a source (or "from") and a target (or "to") is
//! one of edges, every other one of nodes. Both may be in one file, the nodes first, with an empty line between them. Empty
//! cells have no value. The delimiter is a comma, or a semicolon or a tab if the first row has no comma.
//!
//! The headers of Neo4j's import tool are read, too: `personId:ID(Person)`, `:LABEL`, `:START_ID`, `:END_ID`, `:TYPE`, and
//! `age:int`, and those of its export (`_id`, `_labels`, `_start`, `_end`, `_type`), where both kinds of rows are in one table.

use std::io::{self, Write};

use csv::{ReaderBuilder, StringRecord, Trim, WriterBuilder};

use super::builder::{ElementKind, GraphBuilder};
use super::columns::{self, Columns, Datatype, Row, Typing};
use super::error::{FileLocation, FormatError, WriteError, brief};
use super::fields::{self, Fields};
use super::graph::{Graph, Omissions, WriteReport};
use super::properties;

/// Titles of Neo4j: as they end or are, and what they mean here.
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
/// Datatypes in titles of Neo4j.
const NEO4J_TYPES: [&str; 15] = [
    "int",
    "long",
    "float",
    "double",
    "boolean",
    "byte",
    "short",
    "char",
    "string",
    "point",
    "date",
    "localtime",
    "time",
    "localdatetime",
    "datetime",
];
/// Field with several types.
const TYPES: &str = "types";

/// Header of a table.
struct Header {
    kind: ElementKind,
    titles: Vec<String>,
    /// True for a table of Gephi, in which the type of an edge is its direction.
    has_direction: bool,
    /// True for a table of Neo4j with nodes and edges.
    is_mixed: bool,
    /// Index of the types of Neo4j, which are in one cell.
    labels: Option<usize>,
}

/// Meaning of a title of Neo4j; `None` for other titles.
fn neo4j(title: &str) -> Option<&str> {
    let plain = title.split('(').next().unwrap_or(title).trim();
    let known = NEO4J.iter().find(|(end, _)| {
        end.starts_with('_') && plain == *end || end.starts_with(':') && plain.ends_with(end)
    });
    if let Some((_, name)) = known {
        return Some(name);
    }
    let (name, datatype) = plain.rsplit_once(':')?;
    let datatype = datatype.trim_end_matches("[]").to_ascii_lowercase();
    NEO4J_TYPES.contains(&&*datatype).then_some(name)
}

/// Reads a table of nodes, one of edges, or both, one after the other.
pub(super) fn read(text: &str, to: &mut GraphBuilder<'_>) -> Result<(), FormatError> {
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
                header.kind == ElementKind::Node
                    && is_after_empty(text, start)
                    && is_of_edges(&record)
            }
        };
        if is_header {
            header = Some(Header::new(&record));
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
    let has = |names: [&str; 2]| {
        let is_one = |title: &str| {
            let title = neo4j(title).unwrap_or(title).trim();
            names.iter().any(|name| title.eq_ignore_ascii_case(name))
        };
        record.iter().any(is_one)
    };
    has(["source", "from"]) && has(["target", "to"])
}

impl Header {
    fn new(record: &StringRecord) -> Header {
        let is_mixed = is_of_edges(record) && record.iter().any(|title| title == "_labels");
        let kind = if is_of_edges(record) && !is_mixed {
            ElementKind::Edge
        } else {
            ElementKind::Node
        };
        let title = |(at, title): (usize, &str)| match kind.known(title.trim()) {
            Some(known) => known.to_owned(),
            None if neo4j(title).is_some() => neo4j(title).unwrap_or(title).to_owned(),
            None if title.trim().is_empty() => format!("column {}", at + 1),
            None => title.to_owned(),
        };
        Header {
            kind,
            titles: record.iter().enumerate().map(title).collect(),
            has_direction: record.iter().any(|title| title == "Type"),
            is_mixed,
            labels: record.iter().position(|title| neo4j(title) == Some(TYPES)),
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
            let Some(title) = self.titles.get(at) else {
                let columns = self.titles.len();
                let problem = format!(
                    "'{}' is in column {}, but the first row names only {columns}; is a quote missing?",
                    brief(cell),
                    at + 1
                );
                return Err(FormatError::invalid(location, problem));
            };
            if self.labels == Some(at) {
                let labels = cell.split([';', ':']).filter(|label| !label.is_empty());
                let labels: Vec<&str> = labels.map(str::trim).collect();
                fields.insert(TYPES.to_owned(), labels.into());
                continue;
            }
            columns::insert(&mut fields, title, Datatype::Text, cell, location, to);
        }
        let kind = if self.is_mixed && fields.contains_key("source") {
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
