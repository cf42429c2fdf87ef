//! Options for limits on time and memory.

use clap::Args;
use fibula_service::Limits;

#[derive(Debug, Args)]
pub(super) struct LimitArgs {
    /// End it after so many seconds, and say how far it was and what would probably pass.
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    time_limit: Option<f64>,
    /// Refuse what takes more memory than this, as estimated.
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
