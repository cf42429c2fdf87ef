//! `fibula graph`: the knowledge graph of a project, for people and scripts.

mod ask;
pub(super) mod files;

use clap::{Args, Subcommand};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::data::Data;
use super::output::Failure;

#[derive(Debug, Args)]
pub(super) struct Graph {
    #[command(subcommand)]
    what: What,
    #[command(flatten)]
    data: Data,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Find nodes by words, the best first.
    Search(ask::Search),
    /// Show nodes with their notes and edges, or what is in the whole graph.
    Show(ask::Show),
    /// Show what is near a node.
    Near(ask::Near),
    /// Find the shortest paths between two nodes.
    Path(ask::Path),
    /// Analyse the graph as a network.
    Analyze(ask::Analyze),
    /// Bring a file of nodes and edges in: JSON, node-link, `GraphML`, GEXF, CSV, Cytoscape, DOT, Mermaid, memory.jsonl or JSON-LD.
    Import(files::Import),
    /// Write the graph to a file.
    Export(files::Export),
    /// Draw the graph, or what is around a node: .png, .svg, .html, .mmd or .dot.
    Draw(files::Draw),
}

impl Graph {
    pub(super) fn run(&self) -> Result<(), Failure> {
        match &self.what {
            What::Search(command) => command.run(&self.data),
            What::Show(command) => command.run(&self.data),
            What::Near(command) => command.run(&self.data),
            What::Path(command) => command.run(&self.data),
            What::Analyze(command) => command.run(&self.data),
            What::Import(command) => command.run(&self.data),
            What::Export(command) => command.run(&self.data),
            What::Draw(command) => command.run(&self.data),
        }
    }
}

/// Reads a word that requests in JSON have.
fn named<T: DeserializeOwned>(word: &str) -> Result<T, String> {
    let word = Json::String(word.to_owned());
    serde_json::from_value(word).map_err(|error| error.to_string())
}
