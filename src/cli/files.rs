//! Files as projects: commands read a file into a service of their own.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use fibula_core::edit::Origin;
use fibula_formats::mesh::MeshFormat;
use fibula_service::{
    CreateProject, FunctionInfo, Import, ImportResult, ListFunctions, Options, Refusal, Service,
};

use super::convert::ending;
use super::progress::{Unit, with_progress};

/// Returns the origin of a command for the history.
pub(super) fn origin(tool: &str) -> Origin {
    Origin::program("command line", tool)
}

/// Returns options without limits, for one person who can press Ctrl-C.
pub(super) fn unlimited() -> Options {
    Options {
        most_work: u64::MAX,
        ..Options::default()
    }
}

/// Imports a file into a new service.
pub(super) fn open(path: &Path) -> Result<(Service, ImportResult), Refusal> {
    let service = Service::new(&Options {
        roots: roots(path)?,
        ..unlimited()
    });
    let request = Import {
        path: Some(canonical_text(path)?),
        ..Import::default()
    };
    let imported = with_progress(Unit::Parts, |progress| {
        service.import_watched(&origin("import"), request, progress)
    })?;
    Ok((service, imported))
}

/// Warnings of an import. That nothing is built is none here, since commands take functions of files.
pub(super) fn warnings(imported: &ImportResult) -> impl Iterator<Item = &String> {
    let warnings = imported.warnings.iter();
    warnings.filter(|_| imported.build_item_count > 0)
}

/// Prints what was left out of a file, repaired or found wrong, to standard error.
pub(super) fn warn_about(imported: &ImportResult) {
    /// Maximal number of messages of each sort.
    const SHOWN: usize = 3;
    for left in &imported.left_out {
        let (count, what) = (left.count, &left.what);
        eprintln!("fibula: omitted: {count} {what}: {}", left.why);
    }
    for repair in imported.repairs.iter().take(SHOWN) {
        eprintln!("fibula: {}", repair.message);
    }
    for warning in warnings(imported) {
        eprintln!("fibula: {warning}");
    }
    let findings = imported.findings.iter().flat_map(|found| &found.findings);
    for finding in findings.clone().take(SHOWN) {
        eprintln!("fibula: {}", finding.message);
    }
    let more = imported.repair_count.saturating_sub(SHOWN) + findings.count().saturating_sub(SHOWN);
    if more > 0 {
        eprintln!("fibula: and {more} more; `fibula check FILE` lists them all");
    }
}

/// Imports into a project, which is created if there is none of this name.
pub(super) fn in_new_project<T>(
    service: &Service,
    project: &str,
    import: impl Fn() -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    match import() {
        Err(refusal) if refusal.code == "unknown_project" => {
            let project = project.to_owned();
            service.create_project(CreateProject { project })?;
            import()
        }
        outcome => outcome,
    }
}

/// Returns the conversion of an error of reading this file.
pub(super) fn unreadable(path: &Path) -> impl Fn(std::io::Error) -> Refusal + Copy {
    move |error| {
        let message = format!("{} cannot be read: {error}", path.display());
        Refusal::new("unreadable_file", message)
    }
}

/// Collects the items of all pages of a list, each for the cursor of the page before.
pub(super) fn all_pages<T>(
    mut page: impl FnMut(Option<String>) -> Result<(Vec<T>, Option<String>), Refusal>,
) -> Result<Vec<T>, Refusal> {
    let (mut all, mut cursor) = page(None)?;
    while cursor.is_some() {
        let (items, next) = page(cursor)?;
        all.extend(items);
        cursor = next;
    }
    Ok(all)
}

/// Reads a file.
pub(super) fn bytes(path: &Path) -> Result<Vec<u8>, Refusal> {
    /// No format is read beyond this size.
    const MAX_BYTES: u64 = 1 << 30;
    read_at_most(path, MAX_BYTES)
}

/// Reads the first bytes of a file.
pub(super) fn read_at_most(path: &Path, most: u64) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path);
    let read = file.and_then(|file| file.take(most).read_to_end(&mut bytes));
    read.map_err(unreadable(path))?;
    Ok(bytes)
}

/// Returns true for the extensions of 3MF, .vm and mesh files.
pub(super) fn has_model_extension(path: &Path) -> bool {
    ["3mf", "vm"].contains(&ending(path).as_str()) || has_mesh_extension(path)
}

/// Returns true for the extensions of mesh files.
pub(super) fn has_mesh_extension(path: &Path) -> bool {
    MeshFormat::named(&ending(path)).is_some_and(MeshFormat::is_readable)
}

/// Returns the roots of a service that may read only this file.
pub(super) fn roots(path: &Path) -> Result<Vec<PathBuf>, Refusal> {
    Ok(vec![canonical(path)?])
}

/// Returns the canonical path of a file as text.
pub(super) fn canonical_text(path: &Path) -> Result<String, Refusal> {
    let text = canonical(path)?.to_str().map(str::to_owned);
    text.ok_or_else(|| {
        let message = format!("the path {} is not UTF-8", path.display());
        Refusal::new("unreadable_file", message)
    })
}

fn canonical(path: &Path) -> Result<PathBuf, Refusal> {
    path.canonicalize().map_err(unreadable(path))
}

/// Lists every function of the default project, by id.
pub(super) fn functions(service: &Service) -> Result<Vec<FunctionInfo>, Refusal> {
    functions_in(service, None)
}

/// Lists every function of a project, by id.
fn functions_in(service: &Service, project: Option<&str>) -> Result<Vec<FunctionInfo>, Refusal> {
    all_pages(|cursor| {
        let page = service.list_functions(&ListFunctions {
            project: project.map(str::to_owned),
            cursor,
            ..ListFunctions::default()
        })?;
        Ok((page.functions, page.next_cursor))
    })
}

/// Finds the function with this name or id, or the only one of the default project.
pub(super) fn only_or_named(
    service: &Service,
    name: Option<&str>,
) -> Result<FunctionInfo, Refusal> {
    only_or_named_in(service, None, name)
}

/// Finds the function with this name or id, or the only one of a project.
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
            let message = format!("the {place} has {count} functions; name one");
            Err(Refusal::new("invalid_arguments", message).hint(names(&functions)))
        }
    }
}

fn names(functions: &[FunctionInfo]) -> String {
    let names: Vec<&str> = functions.iter().map(|one| one.name.as_str()).collect();
    format!("its functions are {}", names.join(", "))
}

/// Finds a function by its id, its name, or its name in another case.
pub(super) fn find(mut functions: Vec<FunctionInfo>, name: &str) -> Result<FunctionInfo, Refusal> {
    let by_id = |function: &FunctionInfo| function.function_id.to_string() == name;
    if let Some(place) = functions.iter().position(by_id) {
        return Ok(functions.swap_remove(place));
    }
    let known = functions.iter().map(|one| one.name.as_str()).enumerate();
    let place = fibula_nodes::names::find(name, known).map_err(|unknown| {
        let hint = match &unknown.nearest[..] {
            [] => names(&functions),
            near => format!("did you mean {}?", near.join(" or ")),
        };
        let message = format!("the file has no function '{name}'");
        Refusal::new("unknown_function", message).hint(hint)
    })?;
    Ok(functions.swap_remove(place))
}
