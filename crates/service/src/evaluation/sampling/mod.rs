//! Sampling at any number of points: lines, planes, grids, and points from files.
//!
//! Points are numbered, cut into chunks, evaluated on all threads and streamed to a consumer, so that memory does not
//! grow with their number.

mod sample_points;

mod chunks;
mod columns;
mod region;
mod statistics;

mod sampler;

mod bounds;
mod collected_values;

pub use bounds::{Bound, Steepness};
pub(crate) use columns::{Columns, Leaf};
pub use region::Region;
pub use sampler::{Precision, PreparedSampling, Sample, SampleResult, Sampling, SamplingOptions};
pub use statistics::Statistics;
