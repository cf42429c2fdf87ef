//! The block evaluator: steps over blocks of numbers, for every processor.

mod step;
