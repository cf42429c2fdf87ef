//! `fibula graph`: the knowledge graph of a project, for people and scripts.

pub(super) mod files;
mod queries;

use clap::{Args, Subcommand};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::data::Data;
use super::output::Failure;

#[derive(Debug, Args)]
pub(super) struct Graph {
    #[command(subcommand)]
    what: GraphCommand,
    #[command(flatten)]
    data: Data,
}

#[derive(Debug, Subcommand)]
enum GraphCommand {
    /// Find nodes by words, the best first.
    Search(queries::Search),
    /// Show nodes with their notes and edges, or what is in the whole graph.
    Show(queries::Show),
    /// Show what is near a node.
    Near(queries::Neighbors),
    /// Find the shortest paths between two nodes.
    Path(queries::Path),
    /// Analyse the graph as a network.
    Analyze(queries::Analyze),
    /// Bring a file of nodes and edges in: JSON, node-link, `GraphML`, GEXF, CSV, Cytoscape, DOT, Mermaid, memory.jsonl or JSON-LD.
    Import(files::Import),
    /// Write the graph to a file.
    Export(files::Export),
    /// Draw the graph, or what is around a node: .png, .svg, .html, .mmd or .dot.
    Draw(files::Draw),
}

impl Graph {
    pub(super) fn run(self) -> Result<(), Failure> {
        run_command!(self.what, GraphCommand, (&self.data): Search, Show, Near, Path, Analyze,
            Import, Export, Draw)
    }
}

/// Parses a word as the value of an enum in JSON.
fn named<T: DeserializeOwned>(word: &str) -> Result<T, String> {
    let word = Json::String(word.to_owned());
    serde_json::from_value(word).map_err(|error| error.to_string())
}
