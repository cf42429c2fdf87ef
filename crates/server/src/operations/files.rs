//! Files attached to a project: listing, reading, adding and removing them; and the project itself as a file.

use std::io::Cursor;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use fibula_core::edit::Origin;
use fibula_service::{
    AddFile, Dialect, FileChanged, ListFiles, Refusal, RemoveFile, Service, WritePackage,
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::{BYTES, Download, Operation, Progress};

requests! {
    /// A file to attach.
    write struct NewFile {
        /// Name for people, such as "bracket.3mf".
        name: String,
        /// Media type, such as "model/3mf"; default "application/octet-stream".
        media_type: Option<String>,
        /// The bytes as base64.
        content: String,
    }

    /// Request for the bytes of a file.
    struct GetFile {
        /// The file.
        resource_id: u32,
        /// State at this revision; default: now.
        revision: Option<u64>,
    }

    /// Request for a project as a 3MF file.
    struct GetPackage {
        /// State at this revision; default: now.
        revision: Option<u64>,
        /// Element names, where programs and the specification differ; default lib3mf.
        dialect: Option<Dialect>,
    }
}

/// Media type of a project.
const PACKAGE: [&str; 1] = ["model/3mf"];

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::file(&PACKAGE, package).get(
            "/api/projects/{project}/export.3mf",
            "get_package",
            "Returns a project as a 3MF file, for other programs or another import",
        ),
        Operation::quick(|call, request: ListFiles| call.service.list_files(&request))
            .get(
                "/api/projects/{project}/files",
                "list_files",
                "Lists the files attached to a project, such as drawings and packages",
            )
            .blocking(),
        Operation::long(add).post(
            "/api/projects/{project}/files",
            "add_file",
            "Attaches a file to a project",
        ),
        Operation::file(&BYTES, get).get(
            "/api/projects/{project}/files/{resource_id}",
            "get_file",
            "Returns the bytes of an attached file",
        ),
        Operation::quick(|call, request: RemoveFile| {
            call.service.remove_file(&call.origin, &request)
        })
        .delete(
            "/api/projects/{project}/files/{resource_id}",
            "remove_file",
            "Removes an attached file; it remains in the history",
        ),
    ]
}

fn add(
    service: &Service,
    origin: &Origin,
    request: NewFile,
    _: &mut Progress<'_>,
) -> Result<FileChanged, Refusal> {
    let bytes = BASE64.decode(&request.content).map_err(|error| {
        let message = format!("`content` is not base64: {error}");
        Refusal::new("invalid_arguments", message)
            .hint("send the bytes of the file, as in `base64 -w 0 drawing.pdf`")
    })?;
    let media_type = request.media_type.unwrap_or_else(|| BYTES[0].to_owned());
    let file = AddFile {
        project: Some(request.project),
        name: request.name,
        media_type,
        bytes,
        expected_revision: request.expected_revision,
        dry_run: request.dry_run,
    };
    service.add_file(origin, file)
}

fn get(service: &Service, request: &GetFile, _: &mut Progress<'_>) -> Result<Download, Refusal> {
    let (id, revision) = (request.resource_id, request.revision);
    let (info, bytes) = service.get_file(Some(&request.project), id, revision)?;
    // The media type of a file may be that of a page with scripts, so only harmless types are passed on.
    let known = BYTES.into_iter().find(|known| *known == info.media_type);
    let (media, name) = (known.unwrap_or(BYTES[0]), header_safe(&info.name));
    Ok(Download::from_bytes(media, name, bytes))
}

fn package(
    service: &Service,
    request: &GetPackage,
    _: &mut Progress<'_>,
) -> Result<Download, Refusal> {
    let name = format!("{}.3mf", header_safe(&request.project));
    let request = WritePackage {
        project: Some(request.project.clone()),
        revision: request.revision,
        dialect: request.dialect,
    };
    let mut bytes = Cursor::new(Vec::new());
    let written = service.write_package(&request, &mut bytes)?;
    let file = Download::from_bytes(PACKAGE[0], name, bytes.into_inner());
    Ok(file.with_headers(written.revision, written.warnings()))
}

/// The name with every character replaced that cannot stand in a header.
fn header_safe(name: &str) -> String {
    let safe = |c: char| {
        if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ' ') {
            c
        } else {
            '_'
        }
    };
    name.chars().map(safe).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_out_of_a_header() {
        assert_eq!(header_safe("bracket 2.3mf"), "bracket 2.3mf");
        assert_eq!(header_safe("a\"; x=\r\ny/ü"), "a__ x___y__");
    }
}
