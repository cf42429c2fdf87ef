//! A line on the terminal that tells how far long work is.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// Work that ends before this needs no line.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often the line is written anew.
const PERIOD: Duration = Duration::from_millis(100);

/// The line, if there is a terminal to see it.
#[derive(Debug)]
pub(super) struct Progress {
    begun: Instant,
    told: Option<Instant>,
    seen: bool,
}

impl Progress {
    pub(super) fn new() -> Self {
        Progress {
            begun: Instant::now(),
            told: None,
            seen: io::stderr().is_terminal(),
        }
    }

    /// Tells how much of how much is done.
    pub(super) fn tell(&mut self, done: u64, total: u64) {
        let now = Instant::now();
        let since = now - self.begun;
        let early = since < PATIENCE || self.told.is_some_and(|told| now - told < PERIOD);
        if !self.seen || early || total == 0 {
            return;
        }
        self.told = Some(now);
        // Who cannot be told goes without.
        drop(write!(io::stderr(), "\r\x1b[K{}", line(done, total, since)));
    }

    /// Takes the line away.
    pub(super) fn clear(&mut self) {
        if self.told.take().is_some() {
            drop(write!(io::stderr(), "\r\x1b[K"));
        }
    }
}

/// `45 %, 123 of 274 million points, 5 s left`.
fn line(done: u64, total: u64, since: Duration) -> String {
    let part = done as f64 / total as f64;
    let (unit, name) = if total >= 10_000_000 {
        (1_000_000, "million points")
    } else {
        (1, "points")
    };
    let mut line = format!(
        "{:.0} %, {} of {} {name}",
        part * 100.0,
        done / unit,
        total / unit
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
        let line = |done, total| line(done, total, Duration::from_secs(9));
        assert_eq!(line(0, 100), "0 %, 0 of 100 points");
        assert_eq!(line(45, 100), "45 %, 45 of 100 points, 11 s left");
        assert_eq!(
            line(45_000_000, 50_000_000),
            "90 %, 45 of 50 million points, 1 s left"
        );
    }
}
