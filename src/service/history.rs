//! The history of a project: reading it, going back and forth in it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Service;
use super::page::Paging;
use super::project::Step;
use super::refusal::Refusal;
use crate::edit::{Entry, History, Origin, Turn};

/// Which part of a history is wanted.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetHistory {
    /// Left out: "default".
    pub project: Option<String>,
    /// Most entries of a page; 50 if left out.
    pub limit: Option<u32>,
    /// The last page's next_cursor.
    pub cursor: Option<String>,
}

/// A part of a history, the newest change first.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct HistoryShown {
    pub success: bool,
    pub entries: Vec<HistoryItem>,
    pub revision: u64,
    pub total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// One change.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct HistoryItem {
    pub revision: u64,
    /// UTC, as in 2026-01-31T12:00:00.000Z.
    pub at: String,
    pub client: String,
    pub tool: String,
    pub label: String,
    /// The revision that it undid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undid: Option<u64>,
    /// The revision that it did again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redid: Option<u64>,
}

/// A step back, or forth.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Undo {
    /// Left out: "default".
    pub project: Option<String>,
    /// true does the last undone change again.
    #[serde(default)]
    pub redo: bool,
    /// Refuse at any other.
    pub expected_revision: Option<u64>,
}

/// What was undone or done again.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Undone {
    pub success: bool,
    pub revision: u64,
    /// Such as "undo: create Addition 3 in function 1".
    pub label: String,
}

impl Service {
    /// Reads a project's history.
    ///
    /// # Errors
    /// A [`Refusal`] when there is no such project, or `limit` or `cursor` are wrong.
    pub fn get_history(&self, request: &GetHistory) -> Result<HistoryShown, Refusal> {
        const USUAL: u32 = 50;
        let paging = Paging::new(request.limit.or(Some(USUAL)), request.cursor.as_deref())?;
        let project = self.project(request.project.as_deref())?;
        Ok(project.read(|_, history| {
            let page = paging.page(newest(history), item);
            HistoryShown {
                success: true,
                entries: page.items,
                revision: history.revision(),
                total: history.entries().len(),
                next_cursor: page.next_cursor,
            }
        }))
    }

    /// Undoes the last change, or does the last undone one again.
    ///
    /// # Errors
    /// A [`Refusal`] when there is nothing to undo or redo, or a later change is in the way.
    pub fn undo(&self, origin: &Origin, request: &Undo) -> Result<Undone, Refusal> {
        let step = if request.redo { Step::Redo } else { Step::Undo };
        let project = self.project(request.project.as_deref())?;
        let decide = |_: &_| Ok((step, ()));
        project.change(origin, request.expected_revision, decide, |_, done, ()| {
            Undone {
                success: true,
                revision: done.revision,
                label: done.label.clone(),
            }
        })
    }
}

/// The entries, the newest first, with numbers that rise: how far each is from the end of all revisions.
pub(super) fn newest(history: &History) -> impl Iterator<Item = (u64, &Entry)> {
    let entries = history.entries().iter().rev();
    entries.map(|entry| (u64::MAX - entry.revision, entry))
}

pub(super) fn item(entry: &Entry) -> HistoryItem {
    let (undid, redid) = match entry.turn {
        Turn::Edit => (None, None),
        Turn::Undo(revision) => (Some(revision), None),
        Turn::Redo(revision) => (None, Some(revision)),
    };
    HistoryItem {
        revision: entry.revision,
        at: utc(entry.at),
        client: entry.origin.client.clone(),
        tool: entry.origin.tool.clone(),
        label: entry.label.clone(),
        undid,
        redid,
    }
}

/// A time in milliseconds since 1970 as ISO 8601. The date is found by shifting the year's start to March, so that
/// leap days come last (H. Hinnant, "chrono-compatible low-level date algorithms", `civil_from_days`).
fn utc(at: u64) -> String {
    let (days, ms) = (at / 86_400_000 + 719_468, at % 86_400_000);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let shifted = (5 * day + 2) / 153;
    let (month, day) = (
        if shifted < 10 {
            shifted + 3
        } else {
            shifted - 9
        },
        day - (153 * shifted + 2) / 5 + 1,
    );
    let year = year + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60);
    format!(
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z",
        ms % 1000
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_dates() {
        assert_eq!(utc(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(utc(951_782_399_999), "2000-02-28T23:59:59.999Z");
        assert_eq!(utc(951_782_400_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(utc(1_798_675_200_001), "2026-12-31T00:00:00.001Z");
    }
}
