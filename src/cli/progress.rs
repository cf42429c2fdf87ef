//! Progress line on the terminal.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use fibula_service::Refusal;

use super::interrupt::Interrupt;

/// Time before the first line.
const DELAY: Duration = Duration::from_millis(500);
/// Time between two updates.
const PERIOD: Duration = Duration::from_millis(100);

/// Unit of the counts.
#[derive(Debug, Clone, Copy)]
pub(super) enum Unit {
    Points,
    Bytes,
    Parts,
    Cells,
    Slices,
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Unit::Points => "points",
            Unit::Bytes => "bytes",
            Unit::Parts => "parts",
            Unit::Cells => "cells",
            Unit::Slices => "slices",
        }
    }
}

/// Runs work with a progress line; Ctrl-C cancels it.
pub(super) fn with_progress<T>(
    unit: Unit,
    work: impl FnOnce(&mut dyn FnMut(u64, u64) -> ControlFlow<()>) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    let interrupt = Interrupt::listen();
    let mut progress = Progress::new(unit);
    let outcome = work(&mut |done, total| {
        progress.update(done, total);
        if interrupt.is_requested() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    progress.clear();
    outcome
}

/// The line; it is written only to a terminal.
#[derive(Debug)]
struct Progress {
    unit: Unit,
    started: Instant,
    written_at: Option<Instant>,
    is_terminal: bool,
}

impl Progress {
    fn new(unit: Unit) -> Self {
        Progress {
            unit,
            started: Instant::now(),
            written_at: None,
            is_terminal: io::stderr().is_terminal(),
        }
    }

    /// Updates the line, unless it is too early.
    fn update(&mut self, done: u64, total: u64) {
        let now = Instant::now();
        let since = now - self.started;
        let is_recent = self.written_at.is_some_and(|at| now - at < PERIOD);
        let early = since < DELAY || is_recent;
        if !self.is_terminal || early || total == 0 {
            return;
        }
        self.written_at = Some(now);
        let line = line(self.unit, done, total, since);
        // A terminal that cannot be written to goes without.
        drop(write!(io::stderr(), "\r\x1b[K{line}"));
    }

    /// Erases the line.
    fn clear(&mut self) {
        if self.written_at.take().is_some() {
            drop(write!(io::stderr(), "\r\x1b[K"));
        }
    }
}

/// Formats a line such as `45 %, 123 of 274 million points, 5 s left`.
fn line(unit: Unit, done: u64, total: u64, since: Duration) -> String {
    let part = done as f64 / total as f64;
    let (scale, million) = if total >= 10_000_000 {
        (1_000_000, "million ")
    } else {
        (1, "")
    };
    let mut line = format!(
        "{:.0} %, {} of {} {million}{}",
        part * 100.0,
        done / scale,
        total / scale,
        unit.name()
    );
    if done > 0 {
        let left = since.as_secs_f64() * (1.0 - part) / part;
        let _ = write!(line, ", {left:.0} s left");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_tell_what_is_left() {
        let line = |done, total| line(Unit::Points, done, total, Duration::from_secs(9));
        assert_eq!(line(0, 100), "0 %, 0 of 100 points");
        assert_eq!(line(45, 100), "45 %, 45 of 100 points, 11 s left");
        let half = line(45_000_000, 50_000_000);
        assert_eq!(half, "90 %, 45 of 50 million points, 1 s left");
    }
}
