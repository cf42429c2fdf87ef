//! Time and memory limits of geometry requests, with suggestions when they are exceeded.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::background::ProgressFn;
use crate::refusal::{Refusal, Result};

/// Default time limit of tools and routes in seconds: less than the minute after which the clients of common SDKs stop waiting,
/// so that they read the refusal.
pub const DEFAULT_TIME_LIMIT: u32 = 45;

/// Maximum time limit in seconds, since other requests wait.
pub const MAX_TIME_LIMIT: f64 = 3600.0;

/// Limits of a picture, a mesh, a measurement, slices or masks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Time limit in seconds; unlimited if left out.
    pub time: Option<f64>,
    /// Approximate number of bytes that the result and its intermediate data may take, as estimated; only the limits of
    /// sizes apply if left out. Slices and masks have limits of their own.
    pub memory: Option<u64>,
}

/// Smaller work that would probably finish in time, in words and as details.
pub(crate) type SmallerWork = (String, Json);

/// A picture size scaled by a factor.
pub(crate) fn suggest_size(size: [usize; 2], factor: f64) -> SmallerWork {
    let size = size.map(|side| ((side as f64 * factor) as usize).max(1));
    let [width, height] = size;
    let words = format!("a size of {width}x{height} pixels");
    (words, json!({ "size": size }))
}

/// Approximate bytes per triangle during meshing.
pub(crate) const BYTES_PER_TRIANGLE_MESHING: u64 = 90;
/// During measuring, with coarser meshes and ray-casting trees besides.
pub(crate) const BYTES_PER_TRIANGLE_MEASURING: u64 = 350;
/// During comparison with a mesh of similar size.
pub(crate) const BYTES_PER_TRIANGLE_COMPARING: u64 = 2 * BYTES_PER_TRIANGLE_MEASURING;

impl Limits {
    /// Number of triangles that fit in memory at this many bytes each.
    pub(crate) fn triangles(self, each: u64) -> u64 {
        self.memory.map_or(u64::MAX, |most| most / each)
    }

    /// The time limit, if there is one.
    fn duration(self) -> Result<Option<Duration>> {
        let Some(seconds) = self.time else {
            return Ok(None);
        };
        let allowed = Duration::try_from_secs_f64(seconds).ok();
        let allowed = allowed.filter(|allowed| !allowed.is_zero());
        allowed.map(Some).ok_or_else(|| {
            let message =
                format!("the time limit must be a number of seconds above 0, not {seconds}");
            Refusal::new("invalid_value", message)
        })
    }

    /// End of the time limit of work that began at a time.
    ///
    /// # Errors
    /// A [`Refusal`] if the limit is invalid.
    pub(crate) fn deadline(self, started: Instant) -> Result<Option<Instant>> {
        let allowed = self.duration()?;
        Ok(allowed.and_then(|allowed| started.checked_add(allowed)))
    }

    /// Runs work that ends with `timed_out` when its time is over. Calls `smaller` with the fraction done, for a
    /// suggestion.
    pub(crate) fn within<T>(
        self,
        watch: ProgressFn<'_>,
        smaller: impl FnOnce(f64) -> SmallerWork,
        work: impl FnOnce(ProgressFn<'_>) -> Result<T>,
    ) -> Result<T> {
        self.within_since(Instant::now(), watch, smaller, work)
    }

    /// As [`within`](Self::within), for the rest of work that started earlier.
    pub(crate) fn within_since<T>(
        self,
        started: Instant,
        watch: ProgressFn<'_>,
        smaller: impl FnOnce(f64) -> SmallerWork,
        work: impl FnOnce(ProgressFn<'_>) -> Result<T>,
    ) -> Result<T> {
        let (Some(seconds), Some(allowed)) = (self.time, self.duration()?) else {
            return work(watch);
        };
        let (mut far, mut is_late) = (0.0, false);
        let outcome = work(&mut |done, total| {
            if watch(done, total).is_break() {
                return ControlFlow::Break(());
            }
            if started.elapsed() < allowed {
                return ControlFlow::Continue(());
            }
            if !is_late {
                is_late = true;
                far = done as f64 / total.max(1) as f64;
            }
            ControlFlow::Break(())
        });
        match outcome {
            Err(refusal) if is_late && refusal.code == "cancelled" => {
                Err(timed_out(seconds, far, smaller))
            }
            outcome => outcome,
        }
    }
}

fn timed_out(seconds: f64, far: f64, smaller: impl FnOnce(f64) -> SmallerWork) -> Refusal {
    /// Smallest fraction from which the rest can be estimated.
    const SMALLEST_FRACTION: f64 = 0.005;
    let percent = (far * 100.0).floor();
    let message = format!("time limit of {seconds} s reached with {percent} % of the work done");
    let refusal = Refusal::new("timed_out", message);
    if far < SMALLEST_FRACTION {
        return refusal
            .hint("increase the time limit or use a much coarser resolution; given bounds need no search")
            .details(json!({ "done": far }));
    }
    let (hint, mut details) = smaller(far);
    if let Some(details) = details.as_object_mut() {
        details.insert("done".to_owned(), json!(far));
    }
    let time = (seconds / far * 1.2).ceil();
    refusal
        .hint(format!(
            "use {hint}, which would probably finish, or a limit of {time} s"
        ))
        .details(details)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(limits: Limits, done: u64) -> Result<u64> {
        let mut watch = |_, _| ControlFlow::Continue(());
        let smaller = |far: f64| {
            (
                format!("a cell of {}", 1.0 / far),
                json!({ "cell": 1.0 / far }),
            )
        };
        limits.within(&mut watch, smaller, |watch| {
            let started = Instant::now();
            while started.elapsed() < Duration::from_millis(200) {
                if watch(done, 100).is_break() {
                    return Err(Refusal::cancelled());
                }
                std::thread::yield_now();
            }
            Ok(done)
        })
    }

    #[test]
    fn work_times_out() {
        let limits = |time| Limits {
            time: Some(time),
            memory: None,
        };
        assert_eq!(run(limits(10.0), 25).unwrap(), 25);
        assert_eq!(run(Limits::default(), 25).unwrap(), 25);
        let late = run(limits(0.01), 25).unwrap_err();
        assert_eq!(late.code, "timed_out");
        let text = format!("{late:?}");
        assert!(text.contains("25 %"), "{text}");
        assert!(text.contains("a cell of 4"), "{text}");
        let early = run(limits(0.01), 0).unwrap_err();
        assert!(format!("{early:?}").contains("much coarser"));
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(run(limits(wrong), 1).unwrap_err().code, "invalid_value");
        }
    }
}
