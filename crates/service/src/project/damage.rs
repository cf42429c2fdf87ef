//! Damage of a project: what of it can still be read, the warning about it, and the refusal to pass it off as sound.

use std::fmt;
use std::sync::Arc;

use fibula_store::{Damage, StoreError};
use serde_json::json;

use crate::refusal::{Refusal, quoted};

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
             revision; whoever runs the server can recover what is left",
            self.damage, self.last_good, self.end
        )
    }
}

impl ProjectDamage {
    /// Returns the refusal to pass the state before the damage off as the current one.
    pub(crate) fn refusal(self) -> Refusal {
        let (last_good, end) = (self.last_good, self.end);
        let message = format!(
            "project {} is damaged after revision {last_good} of {end}: {}",
            quoted(&self.project),
            self.damage
        );
        Refusal::new(StoreError::from(self.damage).code(), message)
            .hint(format!(
                "name revision {last_good} to use that state; whoever runs the server can recover what is left"
            ))
            .details(json!({ "last_good_revision": last_good, "last_revision": end }))
    }
}
