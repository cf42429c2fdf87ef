//! Options for the heights of slices and masks.

use clap::Args;
use fibula_service::Heights;

use super::eval::numbers;
use super::output::Failure;

#[derive(Debug, Args)]
pub(super) struct HeightArgs {
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

impl HeightArgs {
    /// Parses the heights.
    ///
    /// # Errors
    /// A [`Refusal`] if they are not numbers.
    pub(super) fn read(&self) -> Result<Heights, Failure> {
        Ok(match (&self.at, self.layer) {
            (Some(at), _) => Heights::At(numbers(at)?),
            (None, thickness) => Heights::Layers(thickness.unwrap_or_default()),
        })
    }
}
