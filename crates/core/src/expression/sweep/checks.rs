//! Checks of paths whose numbers are known.

use crate::expression::composition::Composition;
use crate::expression::error::{Diagnostic, ErrorCode};
use crate::vector::{Vector, add, aside, cross, dot, length, scale, sub};

/// Least sum of 1 and the cosine of the angle between two edges.
const TURNS_BACK: f64 = 1e-9;
/// Maximum rotation of the profile about a closed path, in radians, and tolerance of lengths, as a share.
const ROTATION: f64 = 1e-6;
const SHARE: f64 = 1e-9;

/// Refuses a radius that no arc has.
pub(super) fn check_radius(form: &Composition<'_, '_, '_>, radius: f64) -> Result<(), Diagnostic> {
    if radius > 0.0 {
        return Ok(());
    }
    let name = form.name;
    let message = format!("the radius of {name} is {radius:?}, but must be above 0");
    let error = ErrorCode::WrongArguments.error(form.at, message);
    Err(error.hint("for sharp corners, leave it out"))
}

/// Refuses corners that are no path, and a radius whose arcs do not fit between them. The last corner of a closed path is the
/// first.
pub(super) fn check_corners(
    form: &Composition<'_, '_, '_>,
    corners: &[Vector],
    radius: Option<f64>,
    is_closed: bool,
) -> Result<(), Diagnostic> {
    let name = form.name;
    let wrong = |message: String| ErrorCode::WrongArguments.error(form.at, message);
    let mut edges: Vec<(Vector, f64)> = Vec::with_capacity(corners.len());
    for (index, ends) in corners.windows(2).enumerate() {
        let along = sub(ends[1], ends[0]);
        let far = length(along);
        if far <= 0.0 {
            let (one, other) = (index + 1, index + 2);
            let message = format!("corners {one} and {other} of {name} are the same point");
            return Err(wrong(message).hint("leave one out"));
        }
        edges.push((scale(along, 1.0 / far), far));
    }
    // Tangents of half of the angles between an edge and the next, and a direction across the path that is carried along.
    let mut tangents = Vec::with_capacity(edges.len());
    let first = cross(edges[0].0, aside(edges[0].0));
    let first = scale(first, 1.0 / length(first));
    let mut across = first;
    for index in 1..edges.len() + usize::from(is_closed) {
        let (before, after) = (edges[index - 1].0, edges[index % edges.len()].0);
        let cosine = 1.0 + dot(before, after);
        if cosine < TURNS_BACK {
            let corner = index % edges.len() + 1;
            let message = format!("the path of {name} turns back at corner {corner}");
            return Err(wrong(message).hint("go around by two corners"));
        }
        tangents.push(length(cross(before, after)) / cosine);
        let share = dot(across, after) / cosine;
        across = sub(across, scale(add(before, after), share));
    }
    let angle = (length(sub(across, first)) / 2.0).min(1.0).asin() * 2.0;
    if is_closed && angle > ROTATION {
        let degrees = angle.to_degrees();
        let message = format!(
            "the closed path of {name} rotates its profile by {degrees:.1} degrees about the path, which does not fit its beginning"
        );
        return Err(wrong(message).hint(
            "a closed path in one plane does not; leave another one open, its ends a little apart",
        ));
    }
    let Some(radius) = radius else {
        return Ok(());
    };
    // The largest radius that fits each edge.
    let limit = |index: usize| {
        let before = match index {
            0 if is_closed => tangents.last(),
            0 => None,
            _ => tangents.get(index - 1),
        };
        let both = before.unwrap_or(&0.0) + tangents.get(index).unwrap_or(&0.0);
        (edges[index].1 / both, index)
    };
    let least = (0..edges.len()).map(limit);
    let least = least.min_by(|(one, _), (other, _)| one.total_cmp(other));
    match least {
        Some((most, edge)) if radius > most * (1.0 + SHARE) => {
            // Rounded down to six digits.
            let unit = 10_f64.powf(most.log10().floor() - 5.0);
            let fits = format!("{:.9}", (most * (1.0 + SHARE / 2.0) / unit).floor() * unit);
            let fits = fits.trim_end_matches('0').trim_end_matches('.');
            let message = format!(
                "edge {} of {name} is too short for the arcs of radius {radius:?} at its ends",
                edge + 1
            );
            Err(wrong(message).hint(format!("a radius of at most {fits} fits all edges")))
        }
        _ => Ok(()),
    }
}
