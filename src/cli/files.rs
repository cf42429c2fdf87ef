//! A file as a project: commands read a file into a service of their own.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use fibula_core::edit::Origin;
use fibula_service::{FunctionInfo, Import, Imported, ListFunctions, Options, Refusal, Service};

use super::convert::ending;
use super::progress::{Unit, watched};

/// Who the command line is, in the history.
pub(super) fn origin(tool: &str) -> Origin {
    Origin::program("command line", tool)
}

/// The options of a service that serves one person, who can wait or press Ctrl-C.
pub(super) fn unlimited() -> Options {
    Options {
        most_work: u64::MAX,
        ..Options::default()
    }
}

/// A service that holds what a file holds, and what reading it gave.
pub(super) fn open(path: &Path) -> Result<(Service, Imported), Refusal> {
    let service = Service::new(&Options {
        roots: roots(path)?,
        ..unlimited()
    });
    let request = Import {
        path: Some(real(path)?),
        ..Import::default()
    };
    let imported = watched(Unit::Bytes, |watch| {
        service.import_watched(&origin("import"), request, watch)
    })?;
    Ok((service, imported))
}

/// Says at the terminal what was left out of a file, what was read otherwise than it says, and what is wrong with it.
pub(super) fn tell(imported: &Imported) {
    /// The first of each are enough to look closer.
    const SHOWN: usize = 3;
    for left in &imported.left_out {
        eprintln!(
            "fibula: left out: {} {}: {}",
            left.count, left.what, left.why
        );
    }
    for repair in imported.repairs.iter().take(SHOWN) {
        eprintln!("fibula: {}", repair.message);
    }
    let findings = imported.findings.iter().flat_map(|found| &found.findings);
    for finding in findings.clone().take(SHOWN) {
        eprintln!("fibula: {}", finding.message);
    }
    let more = imported.repair_count.saturating_sub(SHOWN) + findings.count().saturating_sub(SHOWN);
    if more > 0 {
        eprintln!("fibula: and {more} more; `fibula check FILE` tells them all");
    }
}

/// The bytes of a file.
pub(super) fn bytes(path: &Path) -> Result<Vec<u8>, Refusal> {
    /// More is read by nothing.
    const LARGEST: u64 = 1 << 30;
    let unreadable = |error: std::io::Error| {
        let message = format!("{} cannot be read: {error}", path.display());
        Refusal::new("unreadable_file", message)
    };
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(LARGEST)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    Ok(bytes)
}

/// Whether a file's ending is that of files that are read by it: 3MF, formulas, triangles.
pub(super) fn is_called_so(path: &Path) -> bool {
    ["3mf", "vm"].contains(&ending(path).as_str()) || is_called_mesh(path)
}

/// Whether a file's ending is that of a file of triangles.
pub(super) fn is_called_mesh(path: &Path) -> bool {
    ["stl", "obj"].contains(&ending(path).as_str())
}

/// The folders that a service may read to read this file.
pub(super) fn roots(path: &Path) -> Result<Vec<PathBuf>, Refusal> {
    let real = found(path)?;
    Ok(vec![real.parent().unwrap_or(&real).to_path_buf()])
}

/// The path of a file as a service takes it.
pub(super) fn real(path: &Path) -> Result<String, Refusal> {
    let text = found(path)?.to_str().map(str::to_owned);
    text.ok_or_else(|| {
        let message = format!("the path {} is not UTF-8", path.display());
        Refusal::new("unreadable_file", message)
    })
}

fn found(path: &Path) -> Result<PathBuf, Refusal> {
    path.canonicalize().map_err(|error| {
        let message = format!("{} cannot be read: {error}", path.display());
        Refusal::new("unreadable_file", message)
    })
}

/// Every function of the service's project, by id.
pub(super) fn functions(service: &Service) -> Result<Vec<FunctionInfo>, Refusal> {
    functions_in(service, None)
}

/// Every function of a project, by id.
fn functions_in(service: &Service, project: Option<&str>) -> Result<Vec<FunctionInfo>, Refusal> {
    let mut all = Vec::new();
    let mut request = ListFunctions {
        project: project.map(str::to_owned),
        ..ListFunctions::default()
    };
    loop {
        let page = service.list_functions(&request)?;
        all.extend(page.functions);
        match page.next_cursor {
            Some(cursor) => request.cursor = Some(cursor),
            None => return Ok(all),
        }
    }
}

/// The function with this name or id, or the only one there is.
pub(super) fn only_or_named(
    service: &Service,
    name: Option<&str>,
) -> Result<FunctionInfo, Refusal> {
    only_or_named_in(service, None, name)
}

/// The same of a project.
pub(super) fn only_or_named_in(
    service: &Service,
    project: Option<&str>,
    name: Option<&str>,
) -> Result<FunctionInfo, Refusal> {
    let mut functions = functions_in(service, project)?;
    let place = project.map_or("file", |_| "project");
    match (name, functions.len()) {
        (Some(name), _) => find(functions, name),
        (None, 1) => Ok(functions.remove(0)),
        (None, count) => {
            let names: Vec<&str> = functions
                .iter()
                .map(|function| function.name.as_str())
                .collect();
            let message = format!("the {place} has {count} functions, so one has to be named");
            Err(Refusal::new("invalid_arguments", message)
                .hint(format!("its functions are {}", names.join(", "))))
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
