//! Measuring parts: what is told of known shapes, and what is true of all.

mod accuracy;
mod areas;
mod command;
mod extents;
mod known;
mod laws;
mod meshes;
mod missed;
mod pairs;
mod service;
pub(crate) mod solids;
mod thin;

use fibula::geometry::{Bounds, Figure, MeasureSettings, Measures, Shape, measure};

pub(crate) use crate::space::{ON, cube, tape};

/// Measures of an expression.
pub(crate) fn measured(text: &str, bounds: Bounds, cell: f64) -> Measures {
    let measuring = MeasureSettings::new(bounds, cell);
    let tape = tape(text);
    measure(&Shape::new(&tape).unwrap(), &measuring, ON)
        .unwrap()
        .measures
}

/// A figure holds what is true, and its error is not larger than a part of that.
#[track_caller]
pub(crate) fn holds(what: &str, figure: Figure, truth: f64, most: f64) {
    let Figure { value, error } = figure;
    assert!(
        (value - truth).abs() <= error,
        "{what}: {value} +- {error}, but {truth}"
    );
    assert!(error <= most, "{what}: {value} +- {error}, for {truth}");
}
