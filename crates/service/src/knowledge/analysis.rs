//! Kinds of network analyses, and the arguments that each uses.

use fibula_knowledge::Direction;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::refusal::{Refusal, Result};

/// Arguments that only some analyses use.
#[derive(Debug, Clone, Copy)]
pub(super) struct GivenArguments {
    pub(super) direction: Option<Direction>,
    pub(super) weighted: bool,
    pub(super) resolution: Option<f64>,
    pub(super) sample: Option<usize>,
}

/// Kind of analysis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are the field's")]
pub enum Analysis {
    #[default]
    Structure,
    Degree,
    Closeness,
    Harmonic,
    Betweenness,
    Pagerank,
    Eigenvector,
    Communities,
    Components,
    StrongComponents,
    Cores,
    Bridges,
    Order,
}

impl Analysis {
    /// Refuses arguments that the analysis does not use.
    pub(super) fn check(self, given: &GivenArguments) -> Result<()> {
        use Analysis::{
            Betweenness, Closeness, Communities, Degree, Eigenvector, Harmonic, Pagerank, Structure,
        };
        let directed = [
            Structure,
            Degree,
            Closeness,
            Harmonic,
            Betweenness,
            Pagerank,
            Eigenvector,
        ];
        let is_directed = given.direction.is_some_and(|one| one != Direction::Both);
        let arguments: [(&str, bool, &[Analysis]); 4] = [
            ("direction", is_directed, &directed),
            (
                "weighted",
                given.weighted,
                &[Betweenness, Pagerank, Eigenvector, Communities],
            ),
            ("resolution", given.resolution.is_some(), &[Communities]),
            (
                "sample",
                given.sample.is_some(),
                &[Betweenness, Closeness, Harmonic],
            ),
        ];
        let unused = arguments
            .iter()
            .find(|(_, given, of)| *given && !of.contains(&self));
        let Some((name, _, of)) = unused else {
            return Ok(());
        };
        let used: Vec<String> = of.iter().map(|one| one.name()).collect();
        let message = format!("{} does not use `{name}`", self.name());
        let used = used.join(", ");
        let hint = format!("leave `{name}` out, or ask for one of these: {used}");
        Err(Refusal::new("invalid_arguments", message).hint(hint))
    }

    /// Name, as in requests.
    fn name(self) -> String {
        let name = serde_json::to_value(self).expect("a variant without data is a text");
        name.as_str().unwrap_or_default().to_owned()
    }

    /// Default direction of edges.
    pub(super) fn usual(self) -> Direction {
        if self == Analysis::Pagerank {
            Direction::Outgoing
        } else {
            Direction::Both
        }
    }
}
