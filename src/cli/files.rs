//! A file as a project: commands read a file into a service of their own.

use std::path::Path;

use crate::edit::Origin;
use crate::service::{FunctionInfo, Import, Imported, ListFunctions, Options, Refusal, Service};

/// Who the command line is, in the history.
pub(super) fn origin(tool: &str) -> Origin {
    Origin::program("command line", tool)
}

/// A service that holds what a file holds, and what reading it gave.
pub(super) fn open(path: &Path) -> Result<(Service, Imported), Refusal> {
    let missing = |error: std::io::Error| {
        Refusal::new(
            "unreadable_file",
            format!("{} cannot be read: {error}", path.display()),
        )
    };
    let real = path.canonicalize().map_err(missing)?;
    let folder = real.parent().unwrap_or(&real).to_path_buf();
    let service = Service::new(&Options {
        roots: vec![folder],
        ..Options::default()
    });
    let path = real.to_str().ok_or_else(|| {
        Refusal::new(
            "unreadable_file",
            format!("the path {} is not UTF-8", path.display()),
        )
    })?;
    let request = Import {
        path: Some(path.to_owned()),
        ..Import::default()
    };
    let imported = service.import(&origin("import"), request)?;
    Ok((service, imported))
}

/// Every function of the service's project, by id.
pub(super) fn functions(service: &Service) -> Result<Vec<FunctionInfo>, Refusal> {
    let mut all = Vec::new();
    let mut request = ListFunctions::default();
    loop {
        let page = service.list_functions(&request)?;
        all.extend(page.functions);
        match page.next_cursor {
            Some(cursor) => request.cursor = Some(cursor),
            None => return Ok(all),
        }
    }
}

/// The function that a person calls `name`: its id, its name, or its name in another case.
pub(super) fn find(functions: Vec<FunctionInfo>, name: &str) -> Result<FunctionInfo, Refusal> {
    let by_id = |function: &FunctionInfo| function.function_id.to_string() == name;
    if let Some(place) = functions.iter().position(by_id) {
        return Ok(functions
            .into_iter()
            .nth(place)
            .expect("it was found there"));
    }
    let names = functions
        .iter()
        .map(|function| function.name.as_str())
        .enumerate();
    let found = fibula_nodes::names::find(name, names);
    found
        .map(|place| functions[place].clone())
        .map_err(|unknown| {
            let all: Vec<&str> = functions
                .iter()
                .map(|function| function.name.as_str())
                .collect();
            let hint = match &unknown.nearest[..] {
                [] => format!("its functions are {}", all.join(", ")),
                near => format!("did you mean {}?", near.join(" or ")),
            };
            Refusal::new(
                "unknown_function",
                format!("the file has no function '{name}'"),
            )
            .hint(hint)
        })
}
