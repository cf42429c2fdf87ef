//! Options for limits on time and memory.

use clap::Args;
use fibula_service::Limits;

#[derive(Debug, Args)]
pub(super) struct LimitArgs {
    /// Stop after this many seconds, and report the progress and settings that would probably fit.
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    time_limit: Option<f64>,
    /// Reject work whose estimated memory exceeds this.
    #[arg(long, value_name = "MIB")]
    memory_limit: Option<u64>,
}

impl LimitArgs {
    pub(super) fn limits(&self) -> Limits {
        Limits {
            time: self.time_limit,
            memory: self.memory_limit.map(|mib| mib.saturating_mul(1 << 20)),
        }
    }
}
