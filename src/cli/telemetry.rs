//! The log of the servers, on standard error, and their spans for a collector of OpenTelemetry.

use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _, fmt};

#[cfg(feature = "opentelemetry")]
use super::export;

/// Starts to log; standard output belongs to the protocol. What has to be exported is, when the returned value is dropped.
#[must_use]
pub(super) fn start() -> Telemetry {
    // These log clients that disconnect or cancel as errors; who names them sees it.
    const QUIET: &str =
        "rmcp=error,rmcp::service=off,rmcp::transport::common::server_side_http=off";
    let filter = |level: &str| format!("{QUIET},{level}");
    let chosen = std::env::var("FIBULA_LOG").ok();
    let chosen = chosen.and_then(|level| EnvFilter::try_new(filter(&level)).ok());
    let filter = chosen.unwrap_or_else(|| EnvFilter::new(filter("warn")));
    let log = fmt::layer()
        .with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr()))
        .with_writer(std::io::stderr)
        .with_filter(filter);
    let subscriber = tracing_subscriber::registry().with(log);
    #[cfg(feature = "opentelemetry")]
    let (layer, exporter) = export::layer().unzip();
    #[cfg(feature = "opentelemetry")]
    let subscriber = subscriber.with(layer);
    subscriber.init();
    Telemetry {
        #[cfg(feature = "opentelemetry")]
        _exporter: exporter,
    }
}

/// What is logged and exported while a server runs.
pub(super) struct Telemetry {
    #[cfg(feature = "opentelemetry")]
    _exporter: Option<export::Exporter>,
}
