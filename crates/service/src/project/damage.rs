//! Damage of a project: what of it can still be read, the warning about it, and the refusal to pass it off as sound.

use std::fmt;
use std::sync::Arc;

use fibula_store::{Damage, StoreError};
use serde_json::json;

use crate::project::commit::Project;
use crate::refusal::{Refusal, Result, quoted};
use crate::service::Service;

/// A project whose log can be read only up to a damaged entry. Displays as a warning.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectDamage {
    /// Name of the project.
    pub project: Arc<str>,
    /// The damage.
    pub damage: Damage,
    /// Last revision before the damage: the state that is read.
    pub last_good: u64,
    /// Last revision of the log.
    pub end: u64,
}

impl fmt::Display for ProjectDamage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = quoted(&self.project);
        write!(
            f,
            "project {name} is damaged: {}; revision {} is the last of {} that can be read, and what is read without a \
             revision; `fibula recover` saves what is left into a new store",
            self.damage, self.last_good, self.end
        )
    }
}

impl Service {
    /// Returns the damage of a project, reading it if necessary.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project, or nothing of it can be read.
    pub fn damage(&self, project: Option<&str>) -> Result<Option<ProjectDamage>> {
        let project = self.project(project)?;
        project.read(|_| ())?;
        Ok(project.damage())
    }

    /// Refuses a damaged project, unless a revision is named: that is either read exactly or refused.
    ///
    /// # Errors
    /// A [`Refusal`] `damaged_store`; others if there is no such project, or nothing of it can be read.
    pub fn require_sound(&self, project: Option<&str>, revision: Option<u64>) -> Result<()> {
        self.project(project)?.require_sound(revision)
    }

    /// Returns the damage of a project that was found while it was read; that of every such project if none is named.
    /// Reads nothing.
    pub fn found_damage(&self, project: Option<&str>) -> Vec<ProjectDamage> {
        self.projects.damages(project)
    }
}

impl Project {
    /// As [`Service::require_sound`].
    pub(crate) fn require_sound(&self, revision: Option<u64>) -> Result<()> {
        self.read(|_| ())?;
        let Some(found) = self.damage().filter(|_| revision.is_none()) else {
            return Ok(());
        };
        let (last_good, end) = (found.last_good, found.end);
        let message = format!(
            "project {} is damaged after revision {last_good} of {end}: {}",
            quoted(&self.name),
            found.damage
        );
        Err(Refusal::new(StoreError::from(found.damage).code(), message)
            .hint(format!(
                "name revision {last_good} to use that state; `fibula recover` saves what is left"
            ))
            .details(json!({ "last_good_revision": last_good, "last_revision": end })))
    }
}
