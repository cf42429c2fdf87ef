//! Files that a project keeps: listing, reading, adding and removing them; and the project itself as one.

use std::io::Cursor;

use axum::http::Method;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use fibula_service::{AddFile, Dialect, FileChanged, ListFiles, Refusal, RemoveFile, WritePackage};
use schemars::JsonSchema;
use serde::Deserialize;

use super::download::{Download, Told};
use super::job::Work;
use super::route::{Call, FILES, Route};

/// The file that is to be kept.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewFile {
    /// The project.
    project: String,
    /// What a person calls it, such as "bracket.3mf".
    name: String,
    /// What it is, such as "model/3mf"; "application/octet-stream" if left out.
    media_type: Option<String>,
    /// Its bytes as base64.
    content: String,
    /// Refuse at any other.
    expected_revision: Option<u64>,
    /// true tries it and changes nothing.
    #[serde(default)]
    dry_run: bool,
}

/// The file that is asked for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GetFile {
    /// The project.
    project: String,
    /// The file.
    resource_id: u32,
    /// As it was at this revision; now if left out.
    revision: Option<u64>,
}

/// The project that is asked for as a file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GetPackage {
    /// The project.
    project: String,
    /// As it was at this revision; now if left out.
    revision: Option<u64>,
    /// The names of elements, where programs and the specification differ; lib3mf if left out.
    dialect: Option<Dialect>,
}

/// What a project is sent as.
const PACKAGE: [&str; 1] = ["model/3mf"];

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::file(
            Method::GET,
            "/api/projects/{project}/export.3mf",
            "get_package",
            "Gives a project as a 3MF file, to be opened by other programs or imported again",
            &PACKAGE,
            |call, request| Ok(package(call, request)),
        ),
        Route::quick(
            Method::GET,
            "/api/projects/{project}/files",
            "list_files",
            "Lists the files that a project keeps, such as drawings and packages",
            |call, request: ListFiles| call.service.list_files(&request),
        )
        .apart(),
        Route::work(
            Method::POST,
            "/api/projects/{project}/files",
            "add_file",
            "Keeps a file with a project",
            |call, request| Ok(add(call, request)),
        ),
        Route::file(
            Method::GET,
            "/api/projects/{project}/files/{resource_id}",
            "get_file",
            "Gives the bytes of a file that a project keeps",
            &FILES,
            |call, request| Ok(get(call, request)),
        ),
        Route::quick(
            Method::DELETE,
            "/api/projects/{project}/files/{resource_id}",
            "remove_file",
            "Takes a file away from a project; the history still has it",
            |call, request: RemoveFile| call.service.remove_file(&call.origin, &request),
        ),
    ]
}

fn add(call: &Call, request: NewFile) -> Work<FileChanged> {
    let (service, origin) = (call.service.clone(), call.origin.clone());
    Work::Later(Box::new(move |_| {
        let bytes = BASE64.decode(&request.content).map_err(|error| {
            let message = format!("`content` is no base64: {error}");
            Refusal::new("invalid_arguments", message)
                .hint("send the bytes of the file, as in `base64 -w 0 drawing.pdf`")
        })?;
        let media_type = request.media_type.unwrap_or_else(|| FILES[0].to_owned());
        let file = AddFile {
            project: Some(request.project),
            name: request.name,
            media_type,
            bytes,
            expected_revision: request.expected_revision,
            dry_run: request.dry_run,
        };
        service.add_file(&origin, file)
    }))
}

fn get(call: &Call, request: GetFile) -> Work<Download> {
    let service = call.service.clone();
    Work::Later(Box::new(move |_| {
        let GetFile {
            project,
            resource_id,
            revision,
        } = request;
        let (info, bytes) = service.get_file(Some(&project), resource_id, revision)?;
        // What a file says it is may be a page with scripts, so only what is harmless is passed on.
        let known = FILES.into_iter().find(|known| *known == info.media_type);
        Ok(Download {
            media: known.unwrap_or(FILES[0]),
            name: plain(&info.name),
            told: Told::default(),
            make: Box::new(move |to, _| to.write_all(&bytes).map_err(|_| Refusal::cancelled())),
        })
    }))
}

fn package(call: &Call, request: GetPackage) -> Work<Download> {
    let service = call.service.clone();
    Work::Later(Box::new(move |_| {
        let name = format!("{}.3mf", plain(&request.project));
        let request = WritePackage {
            project: Some(request.project),
            revision: request.revision,
            dialect: request.dialect,
        };
        let mut bytes = Cursor::new(Vec::new());
        let written = service.write_package(&request, &mut bytes)?;
        let bytes = bytes.into_inner();
        Ok(Download {
            media: PACKAGE[0],
            name,
            told: Told {
                revision: Some(written.revision),
                warnings: written.warnings(),
            },
            make: Box::new(move |to, _| to.write_all(&bytes).map_err(|_| Refusal::cancelled())),
        })
    }))
}

/// A name as it can stand in a header.
fn plain(name: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ' ') {
            c
        } else {
            '_'
        }
    };
    name.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_out_of_a_header() {
        assert_eq!(plain("bracket 2.3mf"), "bracket 2.3mf");
        assert_eq!(plain("a\"; x=\r\ny/ü"), "a__ x___y__");
    }
}
