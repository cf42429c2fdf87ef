//! The block evaluator: steps over blocks of numbers, for every processor.

pub(crate) mod step;
