//! The library: what there is, and bringing a function of it into a project.

use fibula_service::{LibraryInfo, ListFunctions, Refusal};
use rmcp::{tool, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Members, members, some};
use crate::mcp::arguments::Parameters;
use crate::mcp::reply::{Caller, Fail, Json};
use crate::mcp::server::Server;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListLibrary {
    /// Only this one: "primitive", "lattice" or "operator".
    category: Option<String>,
    /// Only what has these words in name or description.
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

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ImportLibraryEntry {
    /// Left out: "default".
    project: Option<String>,
    /// Such as "primitive".
    category: String,
    /// Such as "sphere".
    name: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct EntryImported {
    success: bool,
    name: String,
    category: String,
    function_id: u32,
    message: String,
    revision: u64,
}

#[tool_router(router = gladius_library_tools, vis = "pub(super)")]
impl Server {
    /// Lists the functions that come with Fibula: shapes, lattices, operators. Example: {"query":"smooth union"}
    #[tool(
        title = "List the library",
        annotations(
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    fn list_library(
        &self,
        Parameters(request): Parameters<ListLibrary>,
    ) -> Result<Json<LibraryListed>, Fail> {
        let listed = self.library(request.query)?;
        let mut names: Vec<String> = listed.iter().map(category).collect();
        names.sort_unstable();
        names.dedup();
        if let Some(wanted) = &request.category {
            names.retain(|name| name.eq_ignore_ascii_case(wanted));
            if names.is_empty() && self.library(None)?.iter().all(|one| !is_in(one, wanted)) {
                return Err(no_category(wanted).into());
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
        let categories = names.iter().map(|name| {
            members(json!({ "name": name, "is_shipped": true, "entries": entries(name) }))
        });
        Ok(Json(LibraryListed {
            success: true,
            library_root: "fibula".to_owned(),
            categories: categories.collect(),
        }))
    }

    /// Tells all of one function of the library. Example: {"category":"primitive","name":"sphere"}
    #[tool(
        title = "Get library entry info",
        annotations(
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    fn get_library_entry_info(
        &self,
        Parameters(request): Parameters<GetLibraryEntryInfo>,
    ) -> Result<Json<LibraryEntry>, Fail> {
        let entry = self.entry(&request.category, &request.name)?;
        let inputs = entry.inputs.iter();
        let inputs = inputs.map(|input| some(json!(input)));
        Ok(Json(LibraryEntry {
            success: true,
            category: category(&entry),
            inputs: inputs.collect(),
            name: entry.name,
            description: entry.about,
            tags: vec![category_tag(&json!(entry.distance))],
            is_shipped: true,
            signature: entry.signature,
            snippet: entry.expression.unwrap_or_default(),
        }))
    }

    /// Puts a function of the library into a project. Example: {"category":"lattice","name":"gyroid"}
    #[tool(
        title = "Import a library entry",
        annotations(
            read_only_hint = false,
            destructive_hint = false,
            idempotent_hint = false,
            open_world_hint = false
        )
    )]
    fn import_library_entry(
        &self,
        Caller(origin): Caller,
        Parameters(request): Parameters<ImportLibraryEntry>,
    ) -> Result<Json<EntryImported>, Fail> {
        let entry = self.entry(&request.category, &request.name)?;
        let name = entry.name.clone();
        let edits = vec![json!({ "insert_function": { "name": name, "function_id": "$entry" } })];
        let applied = self.edits(&origin, request.project, edits)?;
        let function_id = applied.ids.get("$entry").copied().unwrap_or_default();
        Ok(Json(EntryImported {
            success: true,
            message: format!("Imported '{name}' as function {function_id}"),
            category: category(&entry),
            name,
            function_id,
            revision: applied.revision,
        }))
    }
}

impl Server {
    /// The functions of the library.
    fn library(&self, search: Option<String>) -> Result<Vec<LibraryInfo>, Refusal> {
        let mut request = ListFunctions {
            search,
            library: true,
            ..ListFunctions::default()
        };
        let mut all = Vec::new();
        loop {
            let page = self.service().list_functions(&request)?;
            all.extend(page.library.into_iter().flatten());
            match page.next_cursor {
                Some(cursor) => request.cursor = Some(cursor),
                None => return Ok(all),
            }
        }
    }

    /// A function of the library, whole.
    fn entry(&self, wanted: &str, name: &str) -> Result<LibraryInfo, Refusal> {
        let found = self.library(Some(name.to_owned()))?;
        let found = found.into_iter().find(|one| one.name == name.trim());
        match found {
            Some(entry) if is_in(&entry, wanted) => Ok(entry),
            Some(entry) => {
                let there = category(&entry);
                let message = format!("'{}' is in the category {there}", entry.name);
                Err(Refusal::new("unknown_function_name", message)
                    .hint(format!("give \"category\": \"{there}\"")))
            }
            None => {
                let name: String = name.chars().take(80).collect();
                let message = format!("the library has no function '{name}'");
                Err(Refusal::new("unknown_function_name", message)
                    .hint("list_library tells what there is"))
            }
        }
    }
}

/// What a function is listed among.
fn category(entry: &LibraryInfo) -> String {
    category_tag(&json!(entry.group))
}

fn category_tag(name: &serde_json::Value) -> String {
    name.as_str().unwrap_or_default().to_owned()
}

fn is_in(entry: &LibraryInfo, wanted: &str) -> bool {
    category(entry).eq_ignore_ascii_case(wanted)
}

fn no_category(wanted: &str) -> Refusal {
    let wanted: String = wanted.chars().take(80).collect();
    let message = format!("the library has no category '{wanted}'");
    Refusal::new("invalid_arguments", message)
        .hint("there are primitive, lattice and operator; left out, all are listed")
}
