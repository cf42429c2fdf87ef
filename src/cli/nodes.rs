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
                let message = format!("no kind of node matches '{search}'");
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
    let search = Some(name.to_owned());
    let request = ListNodeTypes {
        search,
        detail: Some(Detail::Full),
        ..ListNodeTypes::default()
    };
    match all(request)?.iter().find(|kind| kind.name == name) {
        Some(kind) => print(&describe(kind)),
        None => Ok(()),
    }
}

fn overview(kinds: &[NodeTypeInfo]) -> String {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let rows: Vec<Vec<String>> = kinds
        .iter()
        .map(|kind| vec![kind.name.clone(), text(&kind.summary)])
        .collect();
    table(&rows)
}

fn describe(kind: &NodeTypeInfo) -> String {
    let mut text = kind.name.clone();
    if let Some(element) = &kind.element {
        let _ = write!(
            text,
            " ({})",
            std::iter::once(element)
                .chain(&kind.aliases)
                .cloned()
                .collect::<Vec<_>>()
                .join(", ")
        );
    }
    let description = kind.description.as_ref().or(kind.summary.as_ref());
    let _ = writeln!(
        text,
        "\n\n{}\n",
        description.map(String::as_str).unwrap_or_default()
    );
    for rule in &kind.overloads {
        let inputs = kind
            .parameters
            .iter()
            .zip(&rule.inputs)
            .map(|(parameter, ty)| {
                let default = parameter
                    .default
                    .as_ref()
                    .map(|value| format!(" = {}", value_text(value)));
                format!("{}: {ty}{}", parameter.name, default.unwrap_or_default())
            });
        let outputs = kind
            .ports
            .iter()
            .zip(&rule.outputs)
            .map(|(port, ty)| format!("{port}: {ty}"));
        let join = |parts: Vec<String>| parts.join(", ");
        let _ = writeln!(
            text,
            "  ({}) -> ({})",
            join(inputs.collect()),
            join(outputs.collect())
        );
    }
    let _ = writeln!(text);
    for example in &kind.examples {
        let join = |values: &[serde_json::Value]| {
            values.iter().map(value_text).collect::<Vec<_>>().join(", ")
        };
        let _ = writeln!(
            text,
            "  example: ({}) -> ({})",
            join(&example.inputs),
            join(&example.outputs)
        );
    }
    text
}
