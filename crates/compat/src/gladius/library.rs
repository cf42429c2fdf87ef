//! The library: listing it, and importing a function of it into a project.

use fibula_server::operation::{Call, Operation};
use fibula_service::{LibraryInfo, ListFunctions, Refusal, Service};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{EditNotes, Members, NAME, apply, members, without_nulls};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListLibrary {
    /// Only this category: "primitive", "lattice" or "operator".
    category: Option<String>,
    /// Only functions with these words in name or description.
    query: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct LibraryListed {
    success: bool,
    library_root: String,
    /// Each {name, is_shipped, entries: [{name, description, signature}]}.
    categories: Vec<Members>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GetLibraryEntryInfo {
    /// Such as "primitive".
    category: String,
    /// Such as "sphere".
    name: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct LibraryEntry {
    success: bool,
    name: String,
    category: String,
    description: String,
    tags: Vec<String>,
    is_shipped: bool,
    signature: String,
    snippet: String,
    /// Each {name, about, unit}.
    inputs: Vec<Members>,
}

requests! {
    ImportLibraryEntry {
        /// Such as "primitive".
        category: String,
        /// Such as "sphere".
        name: String,
    }
}

#[derive(Debug, Serialize, JsonSchema)]
struct EntryImported {
    success: bool,
    name: String,
    category: String,
    function_id: u32,
    message: String,
    revision: u64,
    #[serde(flatten)]
    notes: EditNotes,
}

pub(super) fn operations() -> Vec<Operation> {
    tools! {
        Read "list_library", "List the library", Operation::quick(list_library),
            "Lists the library functions of Fibula: shapes, lattices, operators.", r#"{"query":"smooth union"}"#;
        Read "get_library_entry_info", "Get library entry info", Operation::quick(get_library_entry_info),
            "Returns a full description of a library function.", r#"{"category":"primitive","name":"sphere"}"#;
        Add "import_library_entry", "Import a library entry", Operation::quick(import_library_entry),
            "Inserts a library function into a project.", r#"{"category":"lattice","name":"gyroid"}"#;
    }
}

fn list_library(call: &Call, request: ListLibrary) -> Result<LibraryListed, Refusal> {
    let listed = library(&call.service, request.query)?;
    let mut names: Vec<String> = listed.iter().map(category).collect();
    names.sort_unstable();
    names.dedup();
    if let Some(category_name) = &request.category {
        names.retain(|name| name.eq_ignore_ascii_case(category_name));
        if names.is_empty()
            && library(&call.service, None)?
                .iter()
                .all(|one| !is_in(one, category_name))
        {
            return Err(no_category(category_name));
        }
    }
    let entries = |name: &str| -> Vec<Members> {
        let all = listed.iter().filter(|one| category(one) == name);
        all.map(|one| {
            members(json!({
                "name": one.name,
                "description": one.about,
                "signature": one.signature,
            }))
        })
        .collect()
    };
    let categories = names
        .iter()
        .map(|name| members(json!({ "name": name, "is_shipped": true, "entries": entries(name) })));
    Ok(LibraryListed {
        success: true,
        library_root: "fibula".to_owned(),
        categories: categories.collect(),
    })
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "operations pass requests by value"
)]
fn get_library_entry_info(
    call: &Call,
    request: GetLibraryEntryInfo,
) -> Result<LibraryEntry, Refusal> {
    let entry = entry(&call.service, &request.category, &request.name)?;
    let inputs = entry.inputs.iter();
    let inputs = inputs.map(|input| without_nulls(json!(input)));
    Ok(LibraryEntry {
        success: true,
        category: category(&entry),
        inputs: inputs.collect(),
        name: entry.name,
        description: entry.about,
        tags: vec![category_tag(&json!(entry.distance))],
        is_shipped: true,
        signature: entry.signature,
        snippet: entry.expression.unwrap_or_default(),
    })
}

fn import_library_entry(
    call: &Call,
    request: ImportLibraryEntry,
) -> Result<EntryImported, Refusal> {
    let entry = entry(&call.service, &request.category, &request.name)?;
    let name = entry.name.clone();
    let edits = vec![json!({ "insert_function": { "name": name, "function_id": "$entry" } })];
    let applied = apply(call, request.project, edits)?;
    let function_id = applied.ids.get("$entry").copied().unwrap_or_default();
    Ok(EntryImported {
        success: true,
        message: format!("Imported '{name}' as function {function_id}"),
        category: category(&entry),
        name,
        function_id,
        revision: applied.revision,
        notes: applied.into(),
    })
}

/// Lists the functions of the library.
fn library(service: &Service, search: Option<String>) -> Result<Vec<LibraryInfo>, Refusal> {
    let mut request = ListFunctions {
        search,
        library: true,
        ..ListFunctions::default()
    };
    let mut all = Vec::new();
    loop {
        let page = service.list_functions(&request)?;
        all.extend(page.library.into_iter().flatten());
        match page.next_cursor {
            Some(cursor) => request.cursor = Some(cursor),
            None => return Ok(all),
        }
    }
}

/// Finds a function of the library.
fn entry(service: &Service, category_name: &str, name: &str) -> Result<LibraryInfo, Refusal> {
    let found = library(service, Some(name.to_owned()))?;
    let found = found.into_iter().find(|one| one.name == name.trim());
    match found {
        Some(entry) if is_in(&entry, category_name) => Ok(entry),
        Some(entry) => {
            let there = category(&entry);
            let message = format!("'{}' is in the category {there}", entry.name);
            Err(Refusal::new("unknown_function_name", message)
                .hint(format!("pass \"category\": \"{there}\"")))
        }
        None => {
            let name: String = name.chars().take(80).collect();
            let message = format!("the library has no function '{name}'");
            Err(Refusal::new("unknown_function_name", message)
                .hint("list_library lists the functions"))
        }
    }
}

/// Returns the category of a function.
fn category(entry: &LibraryInfo) -> String {
    category_tag(&json!(entry.group))
}

fn category_tag(name: &serde_json::Value) -> String {
    name.as_str().unwrap_or_default().to_owned()
}

fn is_in(entry: &LibraryInfo, category_name: &str) -> bool {
    category(entry).eq_ignore_ascii_case(category_name)
}

fn no_category(category_name: &str) -> Refusal {
    let category_name: String = category_name.chars().take(80).collect();
    let message = format!("the library has no category '{category_name}'");
    Refusal::new("invalid_arguments", message)
        .hint("the categories are primitive, lattice and operator; omit it to list all")
}
