//! `fibula backup` and `fibula verify`: copies and integrity of the store.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use fibula_service::{AtomicFile, Refusal, is_hidden};
use fibula_store::{self as store, ProjectRow, Sqlite, Store, StoreError, VerifyReport};

use super::data::{Data, OpenStore, StoreAccess, quoted};
use super::output::{Failure, print};

#[derive(Debug, Args)]
pub(super) struct Backup {
    /// The file that is made.
    file: PathBuf,
    /// Copy a damaged store as it is.
    #[arg(long)]
    damaged: bool,
    #[command(flatten)]
    data: Data,
}

#[derive(Debug, Args)]
pub(super) struct Verify {
    /// Only this project.
    project: Option<String>,
    #[command(flatten)]
    data: Data,
}

impl Backup {
    pub(super) fn run(&self) -> Result<(), Failure> {
        if self.file.symlink_metadata().is_ok() {
            return Err(AtomicFile::already_exists(&self.file).into());
        }
        match self.data.open(StoreAccess::Read)? {
            OpenStore::Memory(_) => {
                let message = "the store is in memory; there is nothing to copy";
                Err(Refusal::new("not_a_store", message)
                    .hint("give a file or a folder with --data")
                    .into())
            }
            OpenStore::File(store) => {
                if !self.damaged {
                    require_sound(&store)?;
                }
                let copied = store.backup(&self.file);
                copied.map_err(|error| self.refusal(error))?;
                let file = self.file.display();
                print(&format!("{file} is a copy of {}\n", self.data.place()?))
            }
        }
    }

    /// Converts an error; those about the copy do not name the store.
    fn refusal(&self, error: StoreError) -> Refusal {
        let copy = self.file.display().to_string();
        let message = match &error {
            StoreError::Io { place, message } if *place == copy => message,
            StoreError::ReadOnly(place) if *place == copy => "its folder is read-only",
            StoreError::Denied(place) if *place == copy => "permission denied",
            _ => return error.into(),
        };
        let message = format!("{copy} cannot be written: {message}");
        Refusal::new("unwritable_file", message).hint("use an existing, writable folder")
    }
}

impl Verify {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let opened = self.data.open(StoreAccess::Read)?;
        let store = opened.store();
        let rows = self.rows(&*store)?;
        let width = rows.iter().map(|row| name(row).chars().count()).max();
        let mut damaged = 0;
        for row in &rows {
            let begun = Instant::now();
            let verified = verify(&*store, row)?;
            damaged += usize::from(!verified.is_sound());
            let ms = begun.elapsed().as_millis();
            print(&self.report(row, &verified, width.unwrap_or(0), ms))?;
        }
        let broken = opened.integrity().map_err(Refusal::from)?;
        for problem in &broken {
            print(&format!("the file itself: {problem}\n"))?;
        }
        if damaged == 0 && broken.is_empty() {
            return Ok(());
        }
        let message = match (damaged, rows.len()) {
            (0, _) => "the store's file is damaged".to_owned(),
            (damaged, of) => format!("{damaged} of {of} projects are damaged"),
        };
        Err(Refusal::new("damaged_store", message)
            .hint("stop all programs that use the store, copy its files, and save what can be saved as shown above, or all of it with `fibula recover NEW.db`")
            .into())
    }

    /// Lists the projects to verify, by name.
    fn rows(&self, store: &dyn Store) -> Result<Vec<ProjectRow>, Failure> {
        let mut rows = store.projects().map_err(Refusal::from)?;
        rows.retain(|row| !is_hidden(&row.name));
        if let Some(name) = &self.project {
            rows.retain(|row| row.name == *name);
            if rows.is_empty() {
                let message = format!("there is no project '{name}'");
                return Err(Refusal::new("unknown_project", message)
                    .hint("`fibula projects` lists all projects")
                    .into());
            }
        }
        rows.sort_by(|one, other| (&one.name, one.deleted).cmp(&(&other.name, other.deleted)));
        Ok(rows)
    }

    fn report(&self, row: &ProjectRow, verified: &VerifyReport, width: usize, ms: u128) -> String {
        let word = if verified.is_sound() { "ok" } else { "DAMAGED" };
        let mut text = format!("{:<width$}  {word:<7}  ", name(row));
        let VerifyReport { base, entries, .. } = verified;
        let _ = match base {
            0 => write!(text, "{entries} entries"),
            base => write!(text, "{entries} entries after revision {base}"),
        };
        if verified.contents > 0 {
            let _ = write!(text, ", {} files", verified.contents);
        }
        let _ = writeln!(text, ", {ms} ms");
        for damage in &verified.damages {
            let _ = writeln!(text, "  {damage}");
        }
        if verified.damage_count > verified.damages.len() {
            let more = verified.damage_count - verified.damages.len();
            let _ = writeln!(text, "  and {more} more");
        }
        if !verified.is_sound() {
            self.write_rescue(&mut text, row, verified);
        }
        text
    }

    /// Appends the commands that rescue the undamaged part of a project.
    fn write_rescue(&self, text: &mut String, row: &ProjectRow, verified: &VerifyReport) {
        let VerifyReport {
            base,
            head,
            history_to,
            state_to,
            ..
        } = *verified;
        let (name, data) = (quoted(&row.name), self.data.as_option());
        if row.deleted.is_some() {
            let _ = writeln!(
                text,
                "  to save its data, first restore it: fibula project undelete {name}{data}"
            );
        }
        let export = |to: u64, options: &str, file: &str| {
            let revision = match to {
                to if to == head.revision => String::new(),
                to => format!(" --revision {to}"),
            };
            format!("fibula export {name}{options}{revision} {file}{data}")
        };
        let saved = |to| export(to, "", "saved.jsonl");
        let _ = match history_to {
            Some(to) if to == head.revision => {
                writeln!(text, "  its whole history can be saved: {}", saved(to))
            }
            Some(to) if to > 0 => {
                let first = base.max(1);
                writeln!(
                    text,
                    "  revisions {first} to {to} can be saved: {}",
                    saved(to)
                )
            }
            Some(_) | None => writeln!(text, "  its history cannot be saved"),
        };
        if let Some(to) = state_to.filter(|to| Some(*to) != history_to) {
            let command = export(to, " --without-history", "state.jsonl");
            let _ = writeln!(
                text,
                "  its state at revision {to} can be saved without its history: {command}"
            );
        }
    }
}

/// Refuses a damaged store, whose copy would be taken for a sound one.
fn require_sound(store: &Sqlite) -> Result<(), Refusal> {
    let mut problems = store.integrity()?;
    if problems.is_empty() {
        for row in store.projects()? {
            let damage = match row.damage {
                Some(damage) => Some(damage),
                None => store::check_records(store, row.id)?,
            };
            problems.extend(damage.map(|damage| format!("project '{}': {damage}", row.name)));
        }
    }
    let Some(first) = problems.first() else {
        return Ok(());
    };
    let message = format!("the store is damaged, so it is not copied: {first}");
    Err(Refusal::new("damaged_store", message).hint(
        "`fibula verify` reports all damage, `fibula recover` saves what is left; --damaged copies the file as it is",
    ))
}

/// Verifies a project, of which not even the row may be left.
fn verify(store: &dyn Store, row: &ProjectRow) -> Result<VerifyReport, Refusal> {
    let damage = row.damage.clone();
    match (store::verify(store, row.id), damage) {
        (Ok(mut verified), Some(damage)) if verified.is_sound() => {
            verified.damages.push(damage);
            verified.damage_count += 1;
            Ok(verified)
        }
        (Err(StoreError::UnknownProject(_)), Some(damage)) => Ok(VerifyReport::unreadable(damage)),
        (verified, _) => Ok(verified?),
    }
}

fn name(row: &ProjectRow) -> String {
    match row.deleted {
        None => row.name.clone(),
        Some(_) => format!("{} (deleted)", row.name),
    }
}
