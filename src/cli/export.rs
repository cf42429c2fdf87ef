//! Export of spans to a collector of OpenTelemetry, by OTLP over HTTP.
//!
//! The environment says where to, and how, by the variables of its specification: `OTEL_EXPORTER_OTLP_ENDPOINT`, such as
//! `http://127.0.0.1:4318`, `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`, `OTEL_SERVICE_NAME`, `OTEL_TRACES_SAMPLER`,
//! `OTEL_BSP_SCHEDULE_DELAY`. Without one of the first two nothing is exported.

use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::SpanExporter;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::{Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

const ENDPOINTS: [&str; 2] = [
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
];

/// The exporter, which sends what is left when it is dropped.
pub(super) struct Exporter(SdkTracerProvider);

impl Drop for Exporter {
    fn drop(&mut self) {
        if let Err(error) = self.0.shutdown() {
            eprintln!("the last spans could not be exported: {error}");
        }
    }
}

/// Returns the layer that exports the spans of calls, and its exporter, if the environment names a collector.
pub(super) fn layer<S>() -> Option<(impl Layer<S>, Exporter)>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let is_named = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if !ENDPOINTS.into_iter().any(is_named) {
        return None;
    }
    let exporter = SpanExporter::builder().with_http().build();
    let exporter = exporter
        .inspect_err(|error| eprintln!("spans are not exported: {error}"))
        .ok()?;
    let mut resource = Resource::builder();
    let attributes = std::env::var("OTEL_RESOURCE_ATTRIBUTES").unwrap_or_default();
    if !is_named("OTEL_SERVICE_NAME") && !attributes.contains("service.name=") {
        resource = resource.with_service_name("fibula");
    }
    let provider = SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        .with_resource(resource.build())
        .build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("fibula"));
    // The spans of the libraries below have no meaning outside.
    let is_own = |metadata: &Metadata<'_>| metadata.target().starts_with("fibula");
    Some((layer.with_filter(filter_fn(is_own)), Exporter(provider)))
}
