//! Test data of all evaluators: random functions, formulas and special numbers, and the reference evaluator.

mod formula;
mod numbers;
mod oracles;
mod recipe;
mod reference;

pub(crate) use formula::{Formula, Term, build};
pub(crate) use numbers::{SPECIAL, numbers, ordinary, special};
pub(crate) use oracles::{ball, field};
pub(crate) use recipe::{BASIC, EVEN, Family, Mix, Recipe, recipes};
pub(crate) use reference::{Values, definition, same, values};
