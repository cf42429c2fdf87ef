//! `fibula library`: the built-in functions.

use std::fmt::Write as _;

use clap::Args;
use fibula_service::{LibraryInfo, ListFunctions, Refusal, Service};

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
        let found = all(&search)?;
        if self.output.json {
            return print_json(&found);
        }
        match &found[..] {
            [] => {
                let message = format!("no function of the library matches '{search}'");
                let refusal = Refusal::new("unknown_function_name", message);
                Err(refusal.hint("fibula library lists them all").into())
            }
            [only] => print(&describe(only)),
            // An exact match comes first.
            [named, ..] if named.name.eq_ignore_ascii_case(&search) => print(&describe(named)),
            several => {
                let row = |info: &LibraryInfo| vec![info.name.clone(), info.about.clone()];
                print(&table(&several.iter().map(row).collect::<Vec<_>>()))
            }
        }
    }
}

/// Returns the results of a search, all pages.
pub(super) fn all(search: &str) -> Result<Vec<LibraryInfo>, Refusal> {
    let service = Service::default();
    all_pages(|cursor| {
        let page = service.list_functions(&ListFunctions {
            search: Some(search.to_owned()),
            library: true,
            cursor,
            ..ListFunctions::default()
        })?;
        Ok((page.library.unwrap_or_default(), page.next_cursor))
    })
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
