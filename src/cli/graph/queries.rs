//! Queries: search, nodes, neighbours, paths, analyses.

use std::fmt::Write as _;

use clap::Args;
use fibula_service::{
    Analysis, EndpointSummary, FindPath, GetNeighbors, GetNodes, LinkShown, NodeBrief, NodeGot,
    PathShown, SearchNodes, Service, Summarize,
};

use super::named;
use crate::cli::data::{Data, StoreAccess};
use crate::cli::output::{Failure, print, print_json, table};
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
    /// At most so many.
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: u32,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
}

impl Search {
    pub(super) fn run(&self, data: &Data) -> Result<(), Failure> {
        let Search {
            project,
            words,
            types,
            limit,
            json,
        } = self;
        let request = SearchNodes {
            project: Some(project.clone()),
            query: words.join(" "),
            types: types.clone(),
            limit: Some(*limit),
            ..SearchNodes::default()
        };
        let found = data.service(StoreAccess::Read)?.search_nodes(&request)?;
        if *json {
            return print_json(&found);
        }
        let rows = found.nodes.iter().map(|found| {
            let mut row = row(&found.node);
            row.push(found.snippet.clone().unwrap_or_default());
            row
        });
        let rows: Vec<Vec<String>> = rows.collect();
        let more = found.total - found.nodes.len();
        print(&listed(
            &["id", "label", "types", "where"],
            rows,
            more,
            "nothing found\n",
        ))
    }
}

#[derive(Debug, Args)]
pub(super) struct Show {
    /// The project.
    project: String,
    /// Ids or labels of nodes.
    nodes: Vec<String>,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
}

impl Show {
    pub(super) fn run(&self, data: &Data) -> Result<(), Failure> {
        let Show {
            project,
            nodes,
            json,
        } = self;
        show(&data.service(StoreAccess::Read)?, project, nodes, *json)
    }
}

#[derive(Debug, Args)]
pub(super) struct Neighbors {
    /// The project.
    project: String,
    /// Its id or label.
    node: String,
    /// How many edges away.
    #[arg(long, value_name = "N", default_value_t = 1)]
    depth: u32,
    /// Only nodes of this type; may be given several times.
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<String>,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
}

impl Neighbors {
    pub(super) fn run(&self, data: &Data) -> Result<(), Failure> {
        let Neighbors {
            project,
            node,
            depth,
            types,
            json,
        } = self;
        let request = GetNeighbors {
            project: Some(project.clone()),
            node: node.clone(),
            depth: Some(*depth),
            node_types: types.clone(),
            ..GetNeighbors::default()
        };
        let near = data.service(StoreAccess::Read)?.get_neighbors(&request)?;
        if *json {
            return print_json(&near);
        }
        let rows = near.neighbors.iter().map(|near| {
            let EndpointSummary {
                id, label, types, ..
            } = &near.node;
            let label = label.clone().unwrap_or_default();
            let mut row = vec![id.clone(), label, types.join(", ")];
            row.push(near.distance.to_string());
            row
        });
        let rows: Vec<Vec<String>> = rows.collect();
        let more = near.total - near.neighbors.len();
        print(&listed(
            &["id", "label", "types", "away"],
            rows,
            more,
            "nothing near\n",
        ))
    }
}

#[derive(Debug, Args)]
pub(super) struct Path {
    /// The project.
    project: String,
    /// Where it begins: an id or label.
    source: String,
    /// Where it ends.
    target: String,
    /// How many paths.
    #[arg(long, value_name = "N", default_value_t = 1)]
    count: usize,
    /// Edges are as long as their weights.
    #[arg(long)]
    weighted: bool,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
}

impl Path {
    pub(super) fn run(&self, data: &Data) -> Result<(), Failure> {
        let Path {
            project,
            source,
            target,
            count,
            weighted,
            json,
        } = self;
        let mut request = FindPath {
            project: Some(project.clone()),
            source: source.clone(),
            target: target.clone(),
            count: Some(*count),
            weighted: *weighted,
            ..FindPath::default()
        };
        let service = data.service(StoreAccess::Read)?;
        let mut found = with_progress(Unit::Parts, |progress| {
            service.find_path(&request, progress)
        })?;
        while let Some(cursor) = found.next_cursor.take() {
            request.cursor = Some(cursor);
            let page = with_progress(Unit::Parts, |progress| {
                service.find_path(&request, progress)
            })?;
            found.paths.extend(page.paths);
            found.next_cursor = page.next_cursor;
        }
        if *json {
            return print_json(&found);
        }
        if !found.found {
            return print("no path\n");
        }
        let lines: Vec<String> = found.paths.iter().map(line).collect();
        print(&format!("{}\n", lines.join("\n")))
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
    pub(super) fn run(&self, data: &Data) -> Result<(), Failure> {
        let Analyze { project, what } = self;

        let request = fibula_service::Analyze {
            project: Some(project.clone()),
            what: *what,
            ..fibula_service::Analyze::default()
        };
        let service = data.service(StoreAccess::Read)?;
        let found = with_progress(Unit::Parts, |progress| service.analyze(&request, progress))?;
        print_json(&found)
    }
}

fn row(node: &NodeBrief) -> Vec<String> {
    vec![node.id.clone(), node.label.clone(), node.types.join(", ")]
}

/// Formats a table, with the number of further rows.
fn listed(head: &[&str], rows: Vec<Vec<String>>, more: usize, nothing: &str) -> String {
    if rows.is_empty() {
        return nothing.to_owned();
    }
    let head = head.iter().map(|&name| name.to_owned()).collect();
    let mut text = table(&[vec![head], rows].concat());
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

fn show(service: &Service, project: &str, nodes: &[String], json: bool) -> Result<(), Failure> {
    if nodes.is_empty() {
        let request = Summarize {
            project: Some(project.to_owned()),
            ..Summarize::default()
        };
        let summary = service.summarize(&request)?;
        if json {
            return print_json(&summary);
        }
        let mut text = format!(
            "{} nodes, {} edges\n",
            summary.node_count, summary.edge_count
        );
        for (title, counts) in [
            ("nodes", &summary.node_types),
            ("edges", &summary.edge_types),
        ] {
            for counted in counts {
                let _ = writeln!(text, "{title}: {} {}", counted.count, counted.name);
            }
        }
        return print(&text);
    }
    let request = GetNodes {
        project: Some(project.to_owned()),
        nodes: nodes.to_vec(),
        ..GetNodes::default()
    };
    let got = service.get_nodes(&request)?;
    if json {
        return print_json(&got);
    }
    let mut text = String::new();
    for node in &got.nodes {
        describe(&mut text, node);
    }
    for missing in &got.missing {
        let _ = writeln!(text, "there is no node '{missing}'");
    }
    print(&text)
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
