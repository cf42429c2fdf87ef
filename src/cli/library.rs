//! `fibula library`: the built-in functions.

use std::fmt::Write as _;

use clap::Args;
use fibula_service::{LibraryInfo, ListFunctions, Refusal, Service, search_cad_terms};

use super::files::all_pages;
use super::output::{Failure, OutputArgs, print, print_json, table};

#[derive(Debug, Args)]
pub(super) struct Library {
    /// A function's name, or words to search for.
    search: Vec<String>,
    #[command(flatten)]
    output: OutputArgs,
}

impl Library {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let search = self.search.join(" ");
        let (found, expressions) = all(&search)?;
        if self.output.json {
            return print_json(&found);
        }
        match &found[..] {
            [] if !expressions.is_empty() => print(&expressions),
            [] => {
                let message = format!("no function of the library matches '{search}'");
                let refusal = Refusal::new("unknown_function_name", message);
                Err(refusal.hint("fibula library lists them all").into())
            }
            [only] => print(&with_expressions(describe(only), &expressions)),
            // An exact match comes first.
            [named, ..] if named.name.eq_ignore_ascii_case(&search) => print(&describe(named)),
            several => {
                let row = |info: &LibraryInfo| vec![info.name.clone(), info.about.clone()];
                let rows = table(&several.iter().map(row).collect::<Vec<_>>());
                print(&with_expressions(rows, &expressions))
            }
        }
    }
}

/// Returns the results of a search, all pages, and lines of expressions for the CAD terms that it means.
pub(super) fn all(search: &str) -> Result<(Vec<LibraryInfo>, String), Refusal> {
    let service = Service::default();
    let mut expressions = String::new();
    let found = all_pages(|cursor| {
        let page = service.list_functions(&ListFunctions {
            search: Some(search.to_owned()),
            library: true,
            cursor,
            ..ListFunctions::default()
        })?;
        Ok((page.library.unwrap_or_default(), page.next_cursor))
    })?;
    for term in search_cad_terms(search) {
        for expression in &term.expressions {
            let _ = writeln!(expressions, "{}: {expression}", term.meaning);
        }
    }
    Ok((found, expressions))
}

fn with_expressions(text: String, expressions: &str) -> String {
    if expressions.is_empty() {
        return text;
    }
    format!("{text}\nif d, a and b are shapes:\n{expressions}")
}

fn describe(info: &LibraryInfo) -> String {
    let mut text = format!("{}\n\n{}\n\n", info.signature, info.about);
    let rows = info.inputs.iter().map(|input| {
        let (name, unit) = (format!("  {}", input.name), input.unit.name().to_owned());
        vec![name, input.about.clone(), unit]
    });
    text.push_str(&table(&rows.collect::<Vec<_>>()));
    let _ = write!(
        text,
        "\nthe value: {}\n\n  {}\n\nexample: fibula expr '{}' --at 1,2,3\n",
        info.distance.about(),
        info.expression
            .as_deref()
            .unwrap_or_default()
            .replace('\n', "\n  "),
        info.example.as_deref().unwrap_or_default(),
    );
    text
}
