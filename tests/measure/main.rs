//! Measuring parts: what is told of known shapes, and what is true of all.

mod command;
mod known;
mod laws;
mod pairs;
mod service;

use std::ops::ControlFlow;

use fibula::eval::Tape;
use fibula::expression;
use fibula::geometry::{Bounds, Figure, Measures, Measuring, Shape, Watch, measure};
use fibula::graph::Document;

/// Never ends the work.
pub(crate) const ON: &Watch<'static> = &|_, _| ControlFlow::Continue(());

/// The tape of an expression.
pub(crate) fn tape(text: &str) -> Tape {
    let mut document = Document::default();
    let function = expression::add_function(&mut document, "shape", text).unwrap();
    Tape::new(&document, function).unwrap()
}

/// The cube around the origin.
pub(crate) fn cube(half: f64) -> Bounds {
    Bounds::new([-half; 3], [half; 3]).unwrap()
}

/// What is measured of an expression.
pub(crate) fn measured(text: &str, bounds: Bounds, cell: f64) -> Measures {
    let measuring = Measuring::new(bounds, cell);
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
