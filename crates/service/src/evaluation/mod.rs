//! Evaluation of functions at points and over regions, with derivatives, bounds and Lipschitz constants.

pub(crate) mod arguments;
pub(crate) mod sampling;

mod values;

mod point_list;
mod point_trace;
mod port_values;

mod evaluate;

pub use evaluate::Evaluation;
pub use point_trace::TracedNode;
pub use port_values::{GetPortValues, PortValues};
pub use sampling::{
    Bound, Precision, PreparedSampling, Region, Sample, SampleResult, Sampling, SamplingOptions,
    Statistics, Steepness,
};
pub use values::{Evaluate, EvaluationResult};
