//! Metrics of a server, in the text format of `OpenMetrics`, which Prometheus reads.
//!
//! Names follow Prometheus' conventions: seconds, bytes, `_total` of counters. Labels have few values: a call has the surface
//! (`mcp`, `rest`, `graphql`), the name of the tool or operation, and its outcome, which is `ok` or the code of the refusal.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use fibula_service::{Refusal, Service};
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use tracing::Span;
use tracing::field::Empty;

use crate::slots::Slots;

/// Media type of the format.
pub(crate) const MEDIA: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Outcome of a call that succeeded.
pub(crate) const OK: &str = "ok";
/// Outcome of a call that was answered with a task.
pub(crate) const TASK: &str = "task";
/// Outcome of a call that waits for a person's decision.
pub(crate) const ASKED: &str = "input_required";
/// Outcome of a call whose caller was gone before its answer.
const GONE: &str = "gone";

/// Upper bounds of the durations that are counted: from 0.25 ms, each four times the one before, to 65 s.
const BUCKETS: u16 = 10;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Called {
    surface: &'static str,
    operation: Arc<str>,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Timed {
    surface: &'static str,
    operation: Arc<str>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Surface {
    surface: &'static str,
}

/// Counts of what a process does, which all of its servers share.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    calls: Family<Called, Counter>,
    durations: Family<Timed, Histogram, fn() -> Histogram>,
    running: Family<Surface, Gauge>,
    jobs_running: Family<Surface, Gauge>,
    jobs_waiting: Family<Surface, Gauge>,
    pub(crate) connections: Gauge,
    projects: Gauge,
    revisions: Gauge,
    /// Slots for long work, by surface.
    slots: Mutex<Vec<(&'static str, Arc<Slots>)>>,
}

impl Default for Metrics {
    fn default() -> Self {
        let metrics = Metrics {
            registry: Registry::default(),
            calls: Family::default(),
            durations: Family::new_with_constructor(durations),
            running: Family::default(),
            jobs_running: Family::default(),
            jobs_waiting: Family::default(),
            connections: Gauge::default(),
            projects: Gauge::default(),
            revisions: Gauge::default(),
            slots: Mutex::default(),
        };
        metrics.registered()
    }
}

fn durations() -> Histogram {
    Histogram::new(exponential_buckets(0.25e-3, 4.0, BUCKETS))
}

impl Metrics {
    fn registered(mut self) -> Self {
        let own = self.registry.sub_registry_with_prefix("fibula");
        own.register("calls", "Calls by outcome", self.calls.clone());
        let help = "Time from a call to its answer, or to the start of a long one";
        own.register("call_duration_seconds", help, self.durations.clone());
        for (name, help, family) in [
            (
                "calls_running",
                "Calls without an answer yet",
                &self.running,
            ),
            ("jobs_running", "Long work in progress", &self.jobs_running),
            (
                "jobs_waiting",
                "Long work that waits for its turn",
                &self.jobs_waiting,
            ),
        ] {
            own.register(name, help, family.clone());
        }
        for (name, help, gauge) in [
            ("connections", "Open connections", &self.connections),
            ("projects", "Projects in the store", &self.projects),
            ("revisions", "Revisions of all projects", &self.revisions),
        ] {
            own.register(name, help, gauge.clone());
        }
        #[cfg(target_os = "linux")]
        self.registry
            .register_collector(Box::new(process::Process::default()));
        self
    }

    /// Includes some slots in the counts of long work.
    pub(crate) fn observe(&self, surface: &'static str, slots: &Arc<Slots>) {
        let mut all = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        all.push((surface, slots.clone()));
    }

    /// Begins a call, with a span for what is logged during it. `request` is the id of the request.
    pub(crate) fn begin(
        self: &Arc<Self>,
        surface: &'static str,
        operation: &Arc<str>,
        request: &dyn fmt::Display,
    ) -> RunningCall {
        self.running.get_or_create(&Surface { surface }).inc();
        RunningCall {
            metrics: self.clone(),
            surface,
            operation: operation.clone(),
            outcome: GONE,
            begun: Instant::now(),
            // Of the highest level, so that warnings have it whatever is logged.
            span: tracing::error_span!("call", %request, surface, %operation, outcome = Empty),
        }
    }

    /// Writes all metrics.
    ///
    /// # Errors
    /// If the projects cannot be listed.
    pub(crate) fn write(&self, service: &Service) -> Result<String, Refusal> {
        let mut rows = service.store().projects()?;
        rows.retain(|row| row.deleted.is_none());
        self.projects.set(rows.len() as i64);
        let newest = rows.iter().filter_map(|row| row.newest.as_ref());
        let revisions = newest.map(|newest| newest.revision as i64);
        self.revisions.set(revisions.sum());
        let slots = self
            .slots
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let mut jobs: BTreeMap<&'static str, (usize, usize)> = BTreeMap::new();
        for (surface, slots) in slots {
            let (running, waiting) = jobs.entry(surface).or_default();
            *running += slots.running();
            *waiting += slots.waiting();
        }
        for (surface, (running, waiting)) in jobs {
            let surface = Surface { surface };
            self.jobs_running
                .get_or_create(&surface)
                .set(running as i64);
            self.jobs_waiting
                .get_or_create(&surface)
                .set(waiting as i64);
        }
        let mut written = String::new();
        // Writing to a text does not fail.
        let _ = text::encode(&mut written, &self.registry);
        Ok(written)
    }
}

/// A call without an answer yet. It is counted when it is dropped.
#[derive(Debug)]
pub(crate) struct RunningCall {
    metrics: Arc<Metrics>,
    surface: &'static str,
    operation: Arc<str>,
    outcome: &'static str,
    begun: Instant,
    span: Span,
}

impl RunningCall {
    /// The span of the call.
    pub(crate) fn span(&self) -> Span {
        self.span.clone()
    }

    pub(crate) fn operation(&self) -> &str {
        &self.operation
    }

    pub(crate) fn outcome(&self) -> &'static str {
        self.outcome
    }

    /// Time since it began.
    pub(crate) fn milliseconds(&self) -> f64 {
        (self.begun.elapsed().as_secs_f64() * 1e6).round() / 1e3
    }

    /// Sets the outcome: the code of a refusal, or [`OK`].
    pub(crate) fn end(&mut self, outcome: &'static str) {
        self.outcome = outcome;
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        let RunningCall {
            metrics,
            surface,
            operation,
            outcome,
            begun,
            span,
        } = self;
        let (surface, outcome) = (*surface, *outcome);
        metrics.running.get_or_create(&Surface { surface }).dec();
        let timed = Timed {
            surface,
            operation: operation.clone(),
        };
        let duration = begun.elapsed().as_secs_f64();
        span.in_scope(|| tracing::info!(outcome, ms = (duration * 1e6).round() / 1e3, "answered"));
        span.record("outcome", outcome);
        metrics.durations.get_or_create(&timed).observe(duration);
        let called = Called {
            surface,
            operation: timed.operation,
            outcome,
        };
        metrics.calls.get_or_create(&called).inc();
    }
}

/// What the system tells of the process, under the names that Prometheus has for it.
#[cfg(target_os = "linux")]
mod process {
    use std::fmt;
    use std::time::{SystemTime, UNIX_EPOCH};

    use prometheus_client::collector::Collector;
    use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
    use prometheus_client::metrics::counter::ConstCounter;
    use prometheus_client::metrics::gauge::ConstGauge;
    use rustix::param::page_size;
    use rustix::time::{ClockId, clock_gettime};

    #[derive(Debug)]
    pub(super) struct Process {
        /// Start of the process in seconds since 1970.
        started: f64,
    }

    impl Default for Process {
        fn default() -> Self {
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            Process {
                started: now.unwrap_or_default().as_secs_f64(),
            }
        }
    }

    /// Number of pages in memory.
    fn resident_pages() -> Option<u64> {
        let memory = std::fs::read_to_string("/proc/self/statm").ok()?;
        memory.split(' ').nth(1)?.parse().ok()
    }

    impl Collector for Process {
        fn encode(&self, mut encoder: DescriptorEncoder) -> Result<(), fmt::Error> {
            let mut add = |name, help, metric: &dyn EncodeMetric| {
                let kind = metric.metric_type();
                let encoder = encoder.encode_descriptor(name, help, None, kind)?;
                metric.encode(encoder)
            };
            let time = clock_gettime(ClockId::ProcessCPUTime);
            let time = time.tv_sec as f64 + time.tv_nsec as f64 / 1e9;
            let help = "Time of the processor, of all threads";
            add("process_cpu_seconds", help, &ConstCounter::new(time))?;
            let help = "Start, in seconds since 1970";
            add(
                "process_start_time_seconds",
                help,
                &ConstGauge::new(self.started),
            )?;
            if let Some(pages) = resident_pages() {
                let bytes = pages * page_size() as u64;
                add(
                    "process_resident_memory_bytes",
                    "Resident memory",
                    &ConstGauge::new(bytes),
                )?;
            }
            if let Ok(files) = std::fs::read_dir("/proc/self/fd") {
                let files = files.count();
                add(
                    "process_open_fds",
                    "Open file descriptors",
                    &ConstGauge::new(files),
                )?;
            }
            Ok(())
        }
    }
}
