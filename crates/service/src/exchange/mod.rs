//! Import and export: function and mesh files, 3MF packages, whole projects as JSON Lines, and attachments.

mod attachments;
mod hidden_project;
mod import;
mod package;
mod portable;

mod closures;

pub use attachments::{
    AddFile, FileChanged, FileInfo, FilesListed, LARGEST_FILE, ListFiles, RemoveFile,
};
pub use closures::FunctionClosure;
pub use import::{
    FileChecked, FindingInfo, Import, ImportFormat, ImportResult, LeftOutInfo, RepairInfo,
    check_file, check_mesh_file, checked_formats, imported_formats, imported_text_extensions,
};
pub use package::{Dialect, NoteInfo, PackageWritten, WritePackage};
pub use portable::{Export, ExportResult, ImportProject, ProjectImported, project_schema};
