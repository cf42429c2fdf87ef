//! The sample files of the 3MF Consortium, which lie beside the repository where they are.

use std::path::{Path, PathBuf};

/// The folder of the samples and the 3MF files in it, sorted; says aloud when there are none.
pub(crate) fn samples() -> Option<(PathBuf, Vec<PathBuf>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/samples/3mf");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: there are no samples at {}", folder.display());
        return None;
    };
    let files = entries.map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = files
        .filter(|path| path.extension().is_some_and(|ending| ending == "3mf"))
        .collect();
    files.sort();
    assert_eq!(files.len(), 12, "{}", folder.display());
    Some((folder, files))
}
