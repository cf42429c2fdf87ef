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
    /// Search nodes by words, best matches first.
    Search(queries::Search),
    /// Show nodes with their observations and edges, or an overview of the graph.
    Show(queries::Show),
    /// Show the neighbourhood of a node.
    Near(queries::Neighbors),
    /// Find the shortest paths between two nodes.
    Path(queries::Path),
    /// Analyse the graph as a network.
    Analyze(queries::Analyze),
    /// Import a file of nodes and edges: JSON, node-link, `GraphML`, GEXF, CSV, Cytoscape, DOT, Mermaid, memory.jsonl
    /// or JSON-LD.
    Import(files::Import),
    /// Write the graph to a file.
    Export(files::Export),
    /// Draw the graph, or the neighbourhood of a node: .png, .svg, .html, .mmd or .dot.
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
