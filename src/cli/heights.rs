//! The heights at which something is looked at.

use clap::Args;
use fibula_service::Heights;

use super::eval::numbers;
use super::output::Failure;

#[derive(Debug, Args)]
pub(super) struct HeightsGiven {
    /// The heights, such as 2.5 or 1,2,3.
    #[arg(
        long,
        value_name = "Z,...",
        allow_hyphen_values = true,
        required_unless_present = "layer"
    )]
    at: Option<String>,
    /// Or the thickness of layers: the middle of each, from the bottom to the top.
    #[arg(
        long,
        value_name = "LENGTH",
        conflicts_with = "at",
        allow_hyphen_values = true
    )]
    layer: Option<f64>,
}

impl HeightsGiven {
    /// The heights that were given.
    ///
    /// # Errors
    /// They are no numbers.
    pub(super) fn read(&self) -> Result<Heights, Failure> {
        Ok(match (&self.at, self.layer) {
            (Some(at), _) => Heights::At(numbers(at)?),
            (None, thickness) => Heights::Layers(thickness.unwrap_or_default()),
        })
    }
}
