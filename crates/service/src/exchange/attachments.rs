//! Attachments: files that a project keeps, such as drawings, measurements, and the packages that functions came from.
//!
//! The store keeps equal bytes once (content-addressed); the log refers to them by hash.

use fibula_core::edit::{Edit, Origin, ResourceEdit};
use fibula_core::graph::{ContentHash, File, Resource};
use fibula_nodes::ResourceId;

use crate::paging::Paging;
use crate::project::change::CommitOptions;
use crate::refusal::{LOST_CONTENT, Refusal, Result};
use crate::service::Service;

/// Maximum bytes of a file.
pub const LARGEST_FILE: usize = 256 << 20;

/// The file to attach.
#[derive(Debug, Clone)]
pub struct AddFile {
    /// Default "default".
    pub project: Option<String>,
    /// File name, such as "bracket.3mf".
    pub name: String,
    /// Media type, such as "model/3mf".
    pub media_type: String,
    /// Contents.
    pub bytes: Vec<u8>,
    /// Fail unless the project is at this revision.
    pub expected_revision: Option<u64>,
    /// Validate only; change nothing.
    pub dry_run: bool,
}

json_structs! {
    /// File to remove, and preconditions.
    pub request struct RemoveFile {
        project,
        /// The file.
        pub resource_id: u32,
        expected_revision,
        dry_run,
    }

    /// Project and revision of a list of files.
    pub request(Default) struct ListFiles {
        project,
        /// State at this revision; default: now.
        pub revision: Option<u64>,
        limit,
        cursor,
    }

    /// Result of adding or removing a file.
    pub answer struct FileChanged {
        pub success: bool,
        pub file: FileInfo,
        pub revision: u64,
        pub dry_run: Option<bool>,
    }

    /// The files of a project, by id.
    pub answer struct FilesListed {
        pub success: bool,
        pub files: Vec<FileInfo>,
        pub total: usize,
        pub revision: u64,
        pub next_cursor: Option<String>,
    }

    /// A file.
    pub answer(PartialEq) struct FileInfo {
        pub resource_id: u32,
        pub name: String,
        pub media_type: String,
        /// In bytes.
        pub size: u64,
        /// The BLAKE3 hash of its bytes, in hexadecimal digits.
        pub content: String,
    }
}

impl FileInfo {
    fn new(id: ResourceId, file: &File) -> Self {
        FileInfo {
            resource_id: id.0,
            name: file.name.clone(),
            media_type: file.media_type.clone(),
            size: file.size,
            content: file.content.to_string(),
        }
    }
}

impl Service {
    /// Attaches a file to a project.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project, the name or media type is invalid, or the file is too large.
    ///
    /// # Panics
    /// Never: an added file has an id.
    pub fn add_file(&self, origin: &Origin, request: AddFile) -> Result<FileChanged> {
        let (bytes, dry_run) = (request.bytes, request.dry_run);
        if bytes.len() > LARGEST_FILE {
            let message = format!("the file has {} bytes, more than the limit", bytes.len());
            return Err(Refusal::new("too_large", message)
                .hint(format!("the limit is {LARGEST_FILE} bytes per file")));
        }
        // Fails before storing anything if there is no such project.
        let id = self.project(request.project.as_deref())?.id;
        // The bytes are stored before anything refers to them.
        let content = if dry_run {
            ContentHash::digest(&bytes)
        } else {
            self.store.put_content(id, &bytes)?
        };
        let file = File {
            name: request.name,
            media_type: request.media_type,
            size: bytes.len() as u64,
            content,
        };
        let edit = Edit::Resource(ResourceEdit::AddFile {
            resource_id: None,
            file: file.clone(),
        });
        let condition = CommitOptions::new(request.expected_revision, dry_run);
        let project = request.project.as_deref();
        self.edit(project, condition, origin, &edit, |_, done| {
            let id = done.change.resource_id.expect("a file was added");
            FileChanged {
                success: true,
                file: FileInfo::new(id, &file),
                revision: done.revision,
                dry_run: done.dry_run,
            }
        })
    }

    /// Removes an attached file; the history keeps it.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such file.
    pub fn remove_file(&self, origin: &Origin, request: &RemoveFile) -> Result<FileChanged> {
        let id = ResourceId(request.resource_id);
        let (file, _) = self.file(request.project.as_deref(), request.resource_id, None)?;
        let condition = CommitOptions::new(request.expected_revision, request.dry_run);
        let project = request.project.as_deref();
        let edit = Edit::Resource(ResourceEdit::RemoveFile { resource_id: id });
        self.edit(project, condition, origin, &edit, |_, done| FileChanged {
            success: true,
            file: file.clone(),
            revision: done.revision,
            dry_run: done.dry_run,
        })
    }

    /// Lists the attached files of a project.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project or revision, or `limit` or `cursor` is invalid.
    pub fn list_files(&self, request: &ListFiles) -> Result<FilesListed> {
        let paging = Paging::new(request.limit, request.cursor.as_deref())?;
        let snapshot = self.snapshot_at(request.project.as_deref(), request.revision)?;
        let files = || {
            let all = snapshot.document.resources();
            all.filter_map(|(id, resource)| match resource {
                Resource::File(file) => Some((u64::from(id.0), (id, file))),
                Resource::ImageFunction(_) | Resource::Content(_) | Resource::Model(_) => None,
            })
        };
        let page = paging.page(files(), |(id, file)| FileInfo::new(id, file));
        Ok(FilesListed {
            success: true,
            files: page.items,
            total: files().count(),
            revision: snapshot.head.revision,
            next_cursor: page.next_cursor,
        })
    }

    /// Returns an attached file with its bytes, at a revision or the current one.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such file, or its bytes are damaged.
    pub fn get_file(
        &self,
        project: Option<&str>,
        resource_id: u32,
        revision: Option<u64>,
    ) -> Result<(FileInfo, Vec<u8>)> {
        let (info, content) = self.file(project, resource_id, revision)?;
        if let Some(bytes) = self.store.content(content)? {
            Ok((info, bytes))
        } else {
            let message = format!(
                "the bytes of file {resource_id} '{}' are not in the store",
                info.name
            );
            Err(Refusal::new("damaged_store", message).hint(LOST_CONTENT))
        }
    }

    fn file(
        &self,
        project: Option<&str>,
        resource_id: u32,
        revision: Option<u64>,
    ) -> Result<(FileInfo, ContentHash)> {
        let snapshot = self.project(project)?.at(revision)?;
        let id = ResourceId(resource_id);
        if let Some(Resource::File(file)) = snapshot.document.resource(id) {
            Ok((FileInfo::new(id, file), file.content))
        } else {
            let message = format!("resource {resource_id} is not a file of this project");
            Err(Refusal::new("unknown_resource", message).hint("list the project's files"))
        }
    }
}
