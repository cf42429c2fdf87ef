//! `fibula nodes`: the kinds of nodes.

use std::fmt::Write as _;

use clap::Args;
use fibula_nodes::catalogue;
use fibula_service::{Detail, ListNodeTypes, NodeTypeInfo, Refusal, Service};

use super::files::all_pages;
use super::output::{Failure, OutputArgs, print, print_json, table, value_text};

#[derive(Debug, Args)]
pub(super) struct Nodes {
    /// A kind's name, or words to search for.
    search: Vec<String>,
    #[command(flatten)]
    output: OutputArgs,
}

impl Nodes {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let search = (!self.search.is_empty()).then(|| self.search.join(" "));
        let detail = self.output.json.then_some(Detail::Full);
        let kinds = all(ListNodeTypes {
            search: search.clone(),
            detail,
            ..ListNodeTypes::default()
        })?;
        if self.output.json {
            return print_json(&kinds);
        }
        match (&kinds[..], search) {
            ([], search) => {
                let search = search.unwrap_or_default();
                let message = format!("no node type matches '{search}'");
                let refusal = Refusal::new("unknown_node_type", message);
                Err(refusal.hint("fibula nodes lists them all").into())
            }
            ([only], Some(_)) => describe_kind(&only.name),
            (kinds, search) => match search.as_deref().map(catalogue::kind) {
                Some(Ok(named)) => describe_kind(named.name),
                Some(Err(_)) | None => print(&overview(kinds)),
            },
        }
    }
}

/// Returns the answer to a request, all pages.
fn all(mut request: ListNodeTypes) -> Result<Vec<NodeTypeInfo>, Refusal> {
    let service = Service::default();
    all_pages(|cursor| {
        request.cursor = cursor;
        let page = service.list_node_types(&request)?;
        Ok((page.node_types, page.next_cursor))
    })
}

fn describe_kind(name: &str) -> Result<(), Failure> {
    let request = ListNodeTypes {
        search: Some(name.to_owned()),
        detail: Some(Detail::Full),
        ..ListNodeTypes::default()
    };
    match all(request)?.iter().find(|kind| kind.name == name) {
        Some(kind) => print(&describe(kind)),
        None => Ok(()),
    }
}

fn overview(kinds: &[NodeTypeInfo]) -> String {
    let row = |kind: &NodeTypeInfo| {
        let summary = kind.summary.clone().unwrap_or_default();
        vec![kind.name.clone(), summary]
    };
    table(&kinds.iter().map(row).collect::<Vec<_>>())
}

fn describe(kind: &NodeTypeInfo) -> String {
    let mut text = kind.name.clone();
    if let Some(element) = &kind.element {
        let names = std::iter::once(element).chain(&kind.aliases).cloned();
        let _ = write!(text, " ({})", names.collect::<Vec<_>>().join(", "));
    }
    let description = kind.description.as_ref().or(kind.summary.as_ref());
    let description = description.map(String::as_str).unwrap_or_default();
    let _ = writeln!(text, "\n\n{description}\n");
    for rule in &kind.overloads {
        let inputs = kind.parameters.iter().zip(&rule.inputs);
        let inputs = inputs.map(|(parameter, ty)| {
            let default = parameter.default.as_ref();
            let default = default.map(|value| format!(" = {}", value_text(value)));
            format!("{}: {ty}{}", parameter.name, default.unwrap_or_default())
        });
        let outputs = kind.ports.iter().zip(&rule.outputs);
        let outputs = outputs.map(|(port, ty)| format!("{port}: {ty}"));
        let [inputs, outputs] =
            [inputs.collect(), outputs.collect()].map(|all: Vec<_>| all.join(", "));
        let _ = writeln!(text, "  ({inputs}) -> ({outputs})");
    }
    let _ = writeln!(text);
    for example in &kind.examples {
        let join = |values: &[serde_json::Value]| {
            values.iter().map(value_text).collect::<Vec<_>>().join(", ")
        };
        let (inputs, outputs) = (join(&example.inputs), join(&example.outputs));
        let _ = writeln!(text, "  example: ({inputs}) -> ({outputs})");
    }
    text
}
