//! Warnings about level sets whose domain cuts or misses their shape.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use fibula_core::eval::{EvalError, Tape, domain_box};
use fibula_core::graph::Document;
use fibula_core::graph::model::{Body, LevelSet, ModelResource};
use fibula_geometry::{
    Bounds, BoundsError, DomainCut, Shape, domain_cuts, find_bounds, is_met, search_bounds,
};
use fibula_nodes::ResourceId;

use crate::project::change::Snapshot;
use crate::project::commit::Project;

/// Limits of a check.
struct Effort {
    /// Maximum number of level sets that are checked.
    level_sets: usize,
    /// Time after which no bounds are searched and no more level sets are checked.
    time: Duration,
    /// Operations of the samples of a level set.
    operations: usize,
}

/// Effort for what uses a level set anyway.
const FULL: Effort = Effort {
    level_sets: 50,
    time: Duration::from_secs(2),
    operations: 200_000_000,
};
/// Maximum number of level sets that are checked after an edit.
pub(crate) const MOST_BRIEF: usize = 5;
/// Effort after an edit.
const BRIEF: Effort = Effort {
    level_sets: MOST_BRIEF,
    time: Duration::from_millis(500),
    operations: 10_000_000,
};
/// Code of the error for images that are not loaded.
const MISSING_CONTENT: &str = "missing_content";

/// Returns a warning for each level set of the build that its domain cuts.
pub(crate) fn build_cut_warnings(project: &Project, snapshot: &Snapshot) -> Vec<String> {
    let items = snapshot.document.model().items();
    let objects: Vec<ResourceId> = items
        .filter(|(_, item)| !item.is_external())
        .map(|(_, item)| item.object)
        .collect();
    stored_cut_warnings(project, snapshot, objects)
}

/// As [`cut_warnings`], of a snapshot, with the meshes and images that the objects use. An object that lacks bytes is not
/// warned of.
pub(crate) fn stored_cut_warnings(
    project: &Project,
    snapshot: &Snapshot,
    objects: Vec<ResourceId>,
) -> Vec<String> {
    let document = project.with_content(snapshot, objects.iter().copied());
    document.map_or_else(|_| Vec::new(), |document| cut_warnings(&document, objects))
}

/// Returns a warning for each level set among objects and their parts whose domain cuts or misses it, and one for those
/// that there was no time for. Level sets that cannot be evaluated are warned of; domains other than axis-aligned boxes, which
/// are meant to cut, and images that are not loaded are skipped.
pub(crate) fn cut_warnings(
    document: &Document,
    objects: impl IntoIterator<Item = ResourceId>,
) -> Vec<String> {
    warnings(document, &level_sets(document, objects), &FULL)
}

pub(crate) fn level_set(document: &Document, id: ResourceId) -> Option<&LevelSet> {
    let ModelResource::Object(object) = document.model_resource(id)? else {
        return None;
    };
    match &object.body {
        Body::LevelSet(level_set) => Some(level_set),
        Body::Mesh(_) | Body::Components(_) | Body::Foreign(_) => None,
    }
}

/// As [`cut_warnings`], of the first level sets of a list, with little effort.
pub(crate) fn brief_cut_warnings(
    document: &Document,
    level_sets: &[(ResourceId, &LevelSet)],
) -> Vec<String> {
    warnings(document, level_sets, &BRIEF)
}

fn warnings(
    document: &Document,
    level_sets: &[(ResourceId, &LevelSet)],
    effort: &Effort,
) -> Vec<String> {
    let begun = Instant::now();
    let mut warnings = Vec::new();
    for (index, &(id, level_set)) in level_sets.iter().enumerate() {
        if index == effort.level_sets || begun.elapsed() >= effort.time {
            warnings.push(format!(
                "whether their bounds cut the shape was checked for {index} of {} level sets",
                level_sets.len()
            ));
            break;
        }
        warnings.extend(cut_warning(document, id, level_set, begun, effort));
    }
    warnings
}

/// Level sets among objects and the parts of assemblies, each once.
fn level_sets(
    document: &Document,
    objects: impl IntoIterator<Item = ResourceId>,
) -> Vec<(ResourceId, &LevelSet)> {
    let mut pending: Vec<ResourceId> = objects.into_iter().collect();
    pending.reverse();
    let mut visited = BTreeSet::new();
    let mut found = Vec::new();
    while let Some(id) = pending.pop() {
        if !visited.insert(id) {
            continue;
        }
        let Some(ModelResource::Object(object)) = document.model_resource(id) else {
            continue;
        };
        match &object.body {
            Body::LevelSet(level_set) => found.push((id, level_set)),
            Body::Components(parts) => pending.extend(parts.iter().rev().map(|part| part.object)),
            Body::Mesh(_) | Body::Foreign(_) => {}
        }
    }
    found
}

fn cut_warning(
    document: &Document,
    id: ResourceId,
    level_set: &LevelSet,
    begun: Instant,
    effort: &Effort,
) -> Option<String> {
    let label = document.noun(id);
    let label = label.unwrap_or_else(|| format!("level set {id}"));
    let tape = match Tape::field(document, &level_set.field) {
        Ok(tape) => tape,
        Err(error) if error.code() == MISSING_CONTENT => return None,
        Err(error @ EvalError::Arguments { .. }) => {
            return Some(format!(
                "{label} cannot be evaluated: {error}; give the other inputs defaults with retype_port"
            ));
        }
        Err(error) => return Some(format!("{label} cannot be evaluated: {error}")),
    };
    let [low, high] = domain_box(document, level_set)?;
    let bounds = Bounds::new(low, high).ok()?;
    let shape = Shape::new(&tape).ok()?;
    let watch = |_, _| {
        if begun.elapsed() < effort.time {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    let cuts = domain_cuts(&shape, &bounds, effort.operations);
    let advice = || bounds_advice(search_bounds(&shape, &watch));
    if cuts.is_empty() {
        let is_missed = !is_met(&shape, &bounds, effort.operations)
            && matches!(
                find_bounds(&shape, &bounds, &watch),
                Err(BoundsError::Empty(_))
            );
        return is_missed.then(|| {
            format!(
                "the bounds of {label} contain nothing of its shape; {}",
                advice()
            )
        });
    }
    let sides: Vec<String> = cuts.iter().map(cut_side).collect();
    Some(format!(
        "the bounds of {label} cut its shape at {}; {}",
        sides.join(", "),
        advice()
    ))
}

/// What to do about bounds that cut or miss a shape, by the search for its own.
fn bounds_advice(found: std::result::Result<Bounds, BoundsError>) -> String {
    let text = match found {
        Ok(found) => return format!("bounds that fit: {}", rounded_outwards(&found)),
        Err(BoundsError::Unbounded(_)) => {
            "the function is unbounded, so no bounds fit: if the cut is not intended, intersect it \
             with a shape"
        }
        Err(BoundsError::Empty(_)) => "the function is negative nowhere: negate it",
        Err(BoundsError::Unknown(_) | BoundsError::Cancelled(_)) => {
            "bounds that fit are unknown; try larger ones"
        }
    };
    text.to_owned()
}

/// Text of a cut: `x = 20 (max) over 35 % of that face`.
fn cut_side(cut: &DomainCut) -> String {
    let axis = ["x", "y", "z"][cut.axis];
    let side = if cut.is_high { "max" } else { "min" };
    let percent = 100.0 * cut.share;
    let percent = if percent < 1.0 {
        "less than 1".to_owned()
    } else {
        format!("{percent:.0}")
    };
    format!("{axis} = {} ({side}) over {percent} % of that face", cut.at)
}

/// JSON of a box, rounded outwards to about a thousandth of its longest side.
fn rounded_outwards(bounds: &Bounds) -> String {
    let longest = bounds.size().into_iter().fold(0.0, f64::max);
    let decimals = (2.0 - longest.log10().floor()).clamp(0.0, 12.0) as usize;
    let step = 10_f64.powi(decimals as i32);
    let corner = |place: [f64; 3], round: fn(f64) -> f64| {
        let numbers = place.map(|number| format!("{}", round(number * step) / step + 0.0));
        format!("[{}]", numbers.join(", "))
    };
    format!(
        "[{}, {}]",
        corner(bounds.low(), f64::floor),
        corner(bounds.high(), f64::ceil)
    )
}
