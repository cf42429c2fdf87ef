//! Requests in JSON for slices.

use fibula_geometry::{Figure, Slice};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;

use super::shape_query::ShapeQuery;
use crate::background::ProgressFn;
use crate::digits::seven_digits;
use crate::edits::tried;
use crate::refusal::{Refusal, Result};
use crate::schema_types::ObjectForm;
use crate::service::Service;
use crate::shapes::figures::{FigureDigits, round_figure, round_to_error};
use crate::shapes::slicing::{AREA_POINTS, Heights, MakeSlices, SlicesMade, make_slices};
use crate::shapes::subject::ResolvedShape;

/// Maximum number of points of an answer.
const MOST_POINTS: usize = 2_000;
/// Maximum number of slices of an answer.
const MOST_SLICES: usize = 200;

json_structs! {
    /// Subject and heights of slices.
    pub request(Default) struct SlicePart {
        /// The subject.
        #[serde(flatten)]
        pub look: ShapeQuery,
        /// Heights of the slices, in the project's unit: [2.5].
        pub heights: Option<Vec<f64>>,
        /// Or the thickness of layers in this unit, sliced in the middle.
        pub layer: Option<f64>,
        /// Cell size in the project's unit; smaller features may be lost.
        pub cell: Option<f64>,
        /// Like accuracy, but cells stay.
        pub tolerance: Option<f64>,
        /// Maximum deviation of contours; cells follow. Default: a 5000th of the size.
        pub accuracy: Option<f64>,
        /// Default significant.
        pub digits: FigureDigits = default,
        /// true adds the contours, up to 2000 points.
        pub points: bool,
        /// Edits as of apply_edits, to try: nothing is written.
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub edits: Vec<Json> = default,
    }

    /// Result of slicing.
    pub answer(PartialEq) struct SlicesShown {
        pub success: bool,
        pub of: String,
        pub unit: &'static str,
        pub bounds: [[f64; 3]; 2],
        pub slices: Vec<SliceInfo>,
        /// Longest edge of a cell.
        pub cell: f64,
        /// Maximum deviation of the contours of what cells resolve.
        pub accuracy: f64,
        /// Number of slices, if not all are listed.
        pub total: Option<usize>,
        pub warnings: Vec<String> = [],
        pub revision: u64,
        /// Number of edits that were tried: they are not written.
        pub tried_edits: Option<usize>,
    }

    /// A slice.
    pub answer(PartialEq) struct SliceInfo {
        pub z: f64,
        /// Area inside.
        pub area: f64,
        /// Error of the area, by random points: it holds in 999 of 1000 cases.
        pub area_error: Option<f64>,
        /// Total length of the contours.
        pub perimeter: f64,
        /// Number of outer contours.
        pub outlines: usize,
        /// Number of holes.
        pub holes: usize,
        /// The contours, if points are requested.
        pub contours: Option<Vec<ContourInfo>>,
    }
}

/// A closed polyline.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ContourInfo {
    /// x and y; outer contours are counterclockwise, holes clockwise.
    pub points: Vec<[f64; 2]>,
    /// Index of the enclosing contour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
}

/// Returns the heights of a request.
pub(super) fn heights(at: Option<&Vec<f64>>, layer: Option<f64>) -> Result<Heights> {
    match (at, layer) {
        (Some(at), None) if !at.is_empty() => Ok(Heights::At(at.clone())),
        (None, Some(layer)) => Ok(Heights::Layers(layer)),
        (Some(_), Some(_)) => {
            let message = "heights and layer are both given";
            Err(Refusal::new("invalid_arguments", message).hint("give one of them"))
        }

        (Some(_) | None, None) => {
            let message = "no heights are given";
            Err(Refusal::new("invalid_arguments", message)
                .hint("pass heights, such as [2.5], or a layer's thickness"))
        }
    }
}

impl SlicePart {
    /// Resolves the subject and slices it; errors of areas are determined by so many points.
    pub(super) fn make(
        &self,
        service: &Service,
        area_points: usize,
        watch: ProgressFn<'_>,
    ) -> Result<(ResolvedShape, SlicesMade)> {
        // Invalid settings fail before anything is read.
        let request = MakeSlices {
            bounds: self.look.bounds()?,
            heights: heights(self.heights.as_ref(), self.layer)?,
            cell: self.cell,
            tolerance: self.tolerance,
            accuracy: self.accuracy,
            area_points,
            limits: self.look.limits()?,
        };
        request.check()?;
        let resolved = self.look.resolve(service, None, true, &self.edits)?;
        let made = make_slices(&resolved, &request, watch)?;
        Ok((resolved, made))
    }
}

impl Service {
    /// Slices a subject. Calls `watch` with the slices done and their total; it may cancel the work.
    ///
    /// # Errors
    /// A [`Refusal`], as [`resolve_shape`](Self::resolve_shape) and [`make_slices`]; `too_large` for more points than
    /// an answer has.
    pub fn slice_part(&self, request: &SlicePart, watch: ProgressFn<'_>) -> Result<SlicesShown> {
        let (resolved, made) = request.make(self, AREA_POINTS, watch)?;
        let count: usize = made
            .slices
            .iter()
            .flat_map(|slice| &slice.contours)
            .map(|one| one.points.len())
            .sum();
        if request.points && count > MOST_POINTS {
            let message =
                format!("the contours have {count} points, more than the limit of {MOST_POINTS}");
            return Err(Refusal::new("too_large", message)
                .hint("pass fewer heights or a larger tolerance, or export them as a file"));
        }
        let shown = made.slices.iter().take(MOST_SLICES);
        let total = made.slices.len();
        Ok(SlicesShown {
            success: true,
            of: resolved.label.clone(),
            unit: resolved.unit.name(),
            bounds: match request.digits {
                FigureDigits::Significant => {
                    <[[f64; 3]; 2]>::from(made.bounds).map(|corner| corner.map(seven_digits))
                }
                FigureDigits::Full => made.bounds.into(),
            },
            slices: shown
                .map(|slice| {
                    let full = slice_info(slice, request.points);
                    match request.digits {
                        FigureDigits::Significant => full.rounded(made.tolerance),
                        FigureDigits::Full => full,
                    }
                })
                .collect(),
            cell: seven_digits(made.cell),
            accuracy: seven_digits(made.tolerance),
            total: (total > MOST_SLICES).then_some(total),
            warnings: made.warnings,
            revision: resolved.revision,
            tried_edits: tried(&request.edits),
        })
    }
}

impl SliceInfo {
    /// Rounds the figures to the digits that the deviation of the contours allows.
    fn rounded(self, tolerance: f64) -> SliceInfo {
        let area = round_figure(Figure {
            value: self.area,
            error: self.area_error.unwrap_or_default(),
        });
        SliceInfo {
            area: area.value,
            area_error: self.area_error.map(|_| area.error),
            perimeter: round_to_error(self.perimeter, tolerance),
            ..self
        }
    }
}

fn slice_info(slice: &Slice, points: bool) -> SliceInfo {
    let holes = slice
        .contours
        .iter()
        .filter(|one| one.depth % 2 == 1)
        .count();
    let contours = slice.contours.iter().map(|one| ContourInfo {
        points: one.points.clone(),
        parent: one.parent,
    });
    SliceInfo {
        z: slice.z,
        area: slice.area(),
        area_error: slice.area_error,
        perimeter: slice.perimeter(),
        outlines: slice.contours.len() - holes,
        holes,
        contours: points.then(|| contours.collect()),
    }
}
