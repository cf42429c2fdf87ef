//! `fibula recover`: what is left of a damaged store, in a new one.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use fibula_service::{AtomicFile, Refusal};
use fibula_store::{self as store, RecoveredProject, Sqlite, StoreError, sqlite};

use super::data::{Data, OpenStore, quoted};
use super::output::{Failure, print};

#[derive(Debug, Args)]
pub(super) struct Recover {
    /// The store that is made.
    file: PathBuf,
    #[command(flatten)]
    data: Data,
}

impl Recover {
    pub(super) fn run(&self) -> Result<(), Failure> {
        if self.file.symlink_metadata().is_ok() {
            return Err(AtomicFile::already_exists(&self.file).into());
        }
        let OpenStore::File(from) = self.data.open_damaged()? else {
            let message = "the store is in memory; there is nothing to recover";
            return Err(Refusal::new("not_a_store", message)
                .hint("give a file or a folder with --data")
                .into());
        };
        let recovered = self.recover(&from).inspect_err(|_| {
            // An incomplete store would look like a recovered one.
            for end in ["", "-wal", "-shm"] {
                let mut path = self.file.clone().into_os_string();
                path.push(end);
                drop(std::fs::remove_file(path));
            }
        });
        let recovered = recovered.map_err(Refusal::from)?;
        let mut text: String = recovered.iter().map(report).collect();
        let (file, place) = (self.file.display(), self.data.place()?);
        let option = quoted(&self.file.to_string_lossy());
        let _ = writeln!(
            text,
            "{file} has what could be recovered of {place}, which is unchanged; to use it: --data {option}"
        );
        print(&text)
    }

    fn recover(&self, from: &Sqlite) -> Result<Vec<RecoveredProject>, StoreError> {
        let to = Sqlite::open(&self.file, &sqlite::Options::default())?;
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        store::recover(from, &to, since.map_or(0, |since| since.as_millis() as u64))
    }
}

/// Describes what was recovered of a project.
fn report(project: &RecoveredProject) -> String {
    let mut text = project.name.clone();
    if project.deleted {
        text.push_str(" (deleted)");
    }
    let (first, to) = (project.first, project.unchanged_to);
    let _ = match &project.damage {
        None => writeln!(text, ": intact, revision {}", project.revision),
        Some(damage) if first > to => writeln!(text, ": damaged from its beginning: {damage}"),
        Some(damage) => writeln!(
            text,
            ": damaged: {damage}\n  revisions {first} to {to} are as they were"
        ),
    };
    if project.damage.is_some() {
        for revision in &project.snapshots {
            let _ = writeln!(
                text,
                "  the state of revision {revision} is from a snapshot"
            );
        }
        let (applied, lost) = (project.applied, project.lost_count);
        let _ = writeln!(
            text,
            "  {applied} later changes were applied again, {lost} are lost; it is at revision {}",
            project.revision
        );
        for (revision, reason) in &project.lost {
            let _ = writeln!(text, "    revision {revision}: {reason}");
        }
        let more = lost - project.lost.len() as u64;
        if more > 0 {
            let _ = writeln!(text, "    and {more} more");
        }
    }
    for hash in &project.lost_contents {
        let _ = writeln!(text, "  content {hash} is lost");
    }
    text
}
