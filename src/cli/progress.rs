//! A line on the terminal that tells how far long work is.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use fibula_service::Refusal;

use super::interrupt::Interrupt;

/// Work that ends before this needs no line.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often the line is written anew.
const PERIOD: Duration = Duration::from_millis(100);

/// What is counted.
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

/// Does work that tells how far it is, and ends when somebody presses Ctrl-C.
pub(super) fn watched<T>(
    unit: Unit,
    work: impl FnOnce(&mut dyn FnMut(u64, u64) -> ControlFlow<()>) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    let interrupt = Interrupt::listen();
    let mut progress = Progress::new(unit);
    let outcome = work(&mut |done, total| {
        progress.tell(done, total);
        if interrupt.is_wanted() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    progress.clear();
    outcome
}

/// The line, if there is a terminal to see it.
#[derive(Debug)]
struct Progress {
    unit: Unit,
    begun: Instant,
    told: Option<Instant>,
    seen: bool,
}

impl Progress {
    fn new(unit: Unit) -> Self {
        Progress {
            unit,
            begun: Instant::now(),
            told: None,
            seen: io::stderr().is_terminal(),
        }
    }

    /// Tells how much of how much is done.
    fn tell(&mut self, done: u64, total: u64) {
        let now = Instant::now();
        let since = now - self.begun;
        let early = since < PATIENCE || self.told.is_some_and(|told| now - told < PERIOD);
        if !self.seen || early || total == 0 {
            return;
        }
        self.told = Some(now);
        // Who cannot be told goes without.
        drop(write!(
            io::stderr(),
            "\r\x1b[K{}",
            line(self.unit, done, total, since)
        ));
    }

    /// Takes the line away.
    fn clear(&mut self) {
        if self.told.take().is_some() {
            drop(write!(io::stderr(), "\r\x1b[K"));
        }
    }
}

/// `45 %, 123 of 274 million points, 5 s left`.
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
        assert_eq!(
            line(45_000_000, 50_000_000),
            "90 %, 45 of 50 million points, 1 s left"
        );
    }
}
