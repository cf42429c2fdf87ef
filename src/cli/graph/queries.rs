//! Queries: search, nodes, neighbours, paths, analyses.

use std::fmt::Write as _;

use clap::Args;
use fibula_service::{
    Analysis, EndpointSummary, FindPath, GetNeighbors, GetNodes, LinkShown, NodeBrief, NodeGot,
    PathShown, SearchNodes, Summarize, SummaryShown,
};

use super::named;
use crate::cli::data::Data;
use crate::cli::output::{Failure, OutputArgs, print_json, table_with_head};
use crate::cli::progress::{Unit, with_progress};

#[derive(Debug, Args)]
pub(super) struct Search {
    /// The project.
    project: String,
    /// Words in any order, "phrases", -without; all nodes if left out.
    words: Vec<String>,
    /// Only nodes of this type; may be given several times.
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<String>,
    /// Maximum number of results.
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: u32,
    #[command(flatten)]
    output: OutputArgs,
}

impl Search {
    pub(super) fn run(self, data: &Data) -> Result<(), Failure> {
        let request = SearchNodes {
            project: Some(self.project),
            query: self.words.join(" "),
            types: self.types,
            limit: Some(self.limit),
            ..SearchNodes::default()
        };
        let found = data
            .reader(request.project.as_deref())?
            .search_nodes(&request)?;
        self.output.print(&found, |found| {
            let rows = found.nodes.iter().map(|hit| {
                let NodeBrief {
                    id, label, types, ..
                } = &hit.node;
                let snippet = hit.snippet.clone().unwrap_or_default();
                vec![id.clone(), label.clone(), types.join(", "), snippet]
            });
            let mut text = listed("where", rows, found.total, "nothing found\n");
            if found.corrected {
                text += "some words were taken for typing errors\n";
            }
            match found.complete {
                Some(0) => text += "no node has all words\n",
                Some(1) => text += "the first has all words, the others have some\n",
                Some(complete) => {
                    let _ = writeln!(text, "the first {complete} have all words, the others some");
                }
                None => {}
            }
            text
        })
    }
}

#[derive(Debug, Args)]
pub(super) struct Show {
    /// The project.
    project: String,
    /// Ids or labels of nodes.
    nodes: Vec<String>,
    #[command(flatten)]
    output: OutputArgs,
}

impl Show {
    pub(super) fn run(self, data: &Data) -> Result<(), Failure> {
        let service = data.reader(Some(&self.project))?;
        let project = Some(self.project);
        if self.nodes.is_empty() {
            let request = Summarize {
                project,
                ..Summarize::default()
            };
            return self
                .output
                .print(&service.summarize(&request)?, summary_text);
        }
        let request = GetNodes {
            project,
            nodes: self.nodes,
            ..GetNodes::default()
        };
        self.output.print(&service.get_nodes(&request)?, |got| {
            let mut text = String::new();
            for node in &got.nodes {
                describe(&mut text, node);
            }
            for missing in &got.missing {
                let _ = writeln!(text, "unknown node '{missing}'");
            }
            text
        })
    }
}

#[derive(Debug, Args)]
pub(super) struct Neighbors {
    /// The project.
    project: String,
    /// Its id or label.
    node: String,
    /// Maximum distance in edges.
    #[arg(long, value_name = "N", default_value_t = 1)]
    depth: u32,
    /// Only nodes of this type; may be given several times.
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<String>,
    #[command(flatten)]
    output: OutputArgs,
}

impl Neighbors {
    pub(super) fn run(self, data: &Data) -> Result<(), Failure> {
        let request = GetNeighbors {
            project: Some(self.project),
            node: self.node,
            depth: Some(self.depth),
            node_types: self.types,
            ..GetNeighbors::default()
        };
        let near = data
            .reader(request.project.as_deref())?
            .get_neighbors(&request)?;
        self.output.print(&near, |near| {
            let rows = near.neighbors.iter().map(|near| {
                let EndpointSummary {
                    id, label, types, ..
                } = &near.node;
                let (label, away) = (label.clone().unwrap_or_default(), near.distance.to_string());
                vec![id.clone(), label, types.join(", "), away]
            });
            listed("away", rows, near.total, "no neighbours\n")
        })
    }
}

#[derive(Debug, Args)]
pub(super) struct Path {
    /// The project.
    project: String,
    /// Start: an id or label.
    source: String,
    /// End: an id or label.
    target: String,
    /// Number of paths.
    #[arg(long, value_name = "N", default_value_t = 1)]
    count: usize,
    /// Use the weights of edges as lengths.
    #[arg(long)]
    weighted: bool,
    #[command(flatten)]
    output: OutputArgs,
}

impl Path {
    pub(super) fn run(self, data: &Data) -> Result<(), Failure> {
        let mut request = FindPath {
            project: Some(self.project),
            source: self.source,
            target: self.target,
            count: Some(self.count),
            weighted: self.weighted,
            ..FindPath::default()
        };
        let service = data.reader(request.project.as_deref())?;
        let find = |request: &FindPath| {
            with_progress(Unit::Parts, |progress| service.find_path(request, progress))
        };
        let mut found = find(&request)?;
        while let Some(cursor) = found.next_cursor.take() {
            request.cursor = Some(cursor);
            let page = find(&request)?;
            found.paths.extend(page.paths);
            found.next_cursor = page.next_cursor;
        }
        self.output.print(&found, |found| {
            if !found.found {
                return "no path\n".to_owned();
            }
            let lines: Vec<String> = found.paths.iter().map(line).collect();
            lines.join("\n") + "\n"
        })
    }
}

#[derive(Debug, Args)]
pub(super) struct Analyze {
    /// The project.
    project: String,
    /// structure, degree, closeness, harmonic, betweenness, pagerank, eigenvector, communities, components,
    /// `strong_components`, cores, bridges or order.
    #[arg(default_value = "structure", value_parser = named::<Analysis>)]
    what: Analysis,
}

impl Analyze {
    pub(super) fn run(self, data: &Data) -> Result<(), Failure> {
        let request = fibula_service::Analyze {
            project: Some(self.project),
            what: self.what,
            ..fibula_service::Analyze::default()
        };
        let service = data.reader(request.project.as_deref())?;
        let found = with_progress(Unit::Parts, |progress| service.analyze(&request, progress))?;
        print_json(&found)
    }
}

/// Formats a table of nodes with one more column, and the number of further rows.
fn listed(
    column: &str,
    rows: impl ExactSizeIterator<Item = Vec<String>>,
    total: usize,
    nothing: &str,
) -> String {
    if rows.len() == 0 {
        return nothing.to_owned();
    }
    let more = total - rows.len();
    let mut text = table_with_head(&["id", "label", "types", column], rows);
    if more > 0 {
        let _ = writeln!(text, "and {more} more");
    }
    text
}

/// Formats a path on one line.
fn line(path: &PathShown) -> String {
    let name = |place: usize| {
        let node = &path.nodes[place];
        node.label.as_ref().unwrap_or(&node.id)
    };
    let mut text = name(0).clone();
    for (place, leg) in (1..).zip(&path.edges) {
        let (before, after) = if leg.reversed {
            ("<-", "-")
        } else {
            ("-", "->")
        };
        let _ = write!(text, " {before}{}{after} {}", leg.link.ty, name(place));
    }
    text
}

fn summary_text(summary: &SummaryShown) -> String {
    let (nodes, edges) = (summary.node_count, summary.edge_count);
    let mut text = format!("{nodes} nodes, {edges} edges\n");
    for (title, counts) in [
        ("nodes", &summary.node_types),
        ("edges", &summary.edge_types),
    ] {
        for counted in counts {
            let _ = writeln!(text, "{title}: {} {}", counted.count, counted.name);
        }
    }
    text
}

fn describe(text: &mut String, got: &NodeGot) {
    let node = &got.node.brief;
    let _ = writeln!(text, "{} ({})", node.label, node.types.join(", "));
    let _ = writeln!(text, "  id: {}, by {}", node.id, node.creator);
    for (name, value) in &got.node.data {
        let _ = writeln!(text, "  {name}: {value}");
    }
    for note in &got.node.observations {
        let _ = writeln!(text, "  - {}", note.text);
    }
    let name = |link: &LinkShown| link.label.clone().unwrap_or_else(|| link.id.clone());
    for link in &got.outgoing {
        let _ = writeln!(text, "  -{}-> {}", link.ty, name(link));
    }
    for link in &got.incoming {
        let _ = writeln!(text, "  <-{}- {}", link.ty, name(link));
    }
}
