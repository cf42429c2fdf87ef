//! Output of commands: text for people, JSON for programs.

use std::fmt::Write as _;
use std::io::{self, Write};

use clap::Args;
use fibula_service::Refusal;
use serde::Serialize;
use serde_json::Value as Json;

/// Error of a command.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// The service refused the request.
    #[error("{0}")]
    Refusal(Refusal),
    /// Findings that make the command fail; they are printed already.
    #[error("there are findings")]
    Found,
    /// The reader of standard output has closed it.
    #[error("standard output is closed")]
    Closed,
    /// The output could not be written.
    #[error("the output cannot be written: {0}")]
    Write(io::Error),
    /// The server could not start, or failed.
    #[error("{0}")]
    Server(String),
}

impl From<Refusal> for Failure {
    /// Replaces tools in hints by commands.
    fn from(mut refusal: Refusal) -> Self {
        let hint = refusal.hint.take().unwrap_or_default();
        let hint = if hint.starts_with("list_projects names") {
            "`fibula projects` lists all projects".to_owned()
        } else if hint.starts_with("list_projects with deleted") {
            "`fibula projects --deleted` lists deleted projects".to_owned()
        } else {
            with_commands(&hint.replace("get_history", "`fibula history`"))
        };
        refusal.hint = (!hint.is_empty()).then_some(hint);
        Failure::Refusal(refusal)
    }
}

/// Replaces what a text says about the server's administrator by a command.
pub(super) fn with_commands(text: &str) -> String {
    let verify = "whoever runs the server can verify the store and recover what is left";
    let recover = "whoever runs the server can recover what is left";
    text.replace(
        verify,
        "`fibula verify` reports all damage, `fibula recover` saves what is left into a new store",
    )
    .replace(
        recover,
        "`fibula recover` saves what is left into a new store",
    )
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Failure::Closed
        } else {
            Failure::Write(error)
        }
    }
}

/// Appends lines; if there are many, the first and the last ones.
pub(super) fn head_and_tail(text: &mut String, lines: impl ExactSizeIterator<Item = String>) {
    const SHOWN: usize = 10;
    let count = lines.len();
    for (place, line) in lines.enumerate() {
        if count > 2 * SHOWN && place == SHOWN {
            let _ = writeln!(text, "... {} more", count - 2 * SHOWN);
        }
        if count <= 2 * SHOWN || place < SHOWN || place >= count - SHOWN {
            let _ = writeln!(text, "{line}");
        }
    }
}

/// Formats a number with six decimals, or in scientific notation if it is below 0.001.
pub(super) fn number(value: f64) -> String {
    if value == 0.0 || value.abs() >= 1e-3 {
        format!("{value:.6}")
    } else {
        format!("{value:.6e}")
    }
}

/// Writes to standard output at once, so that the output of a command is all or nothing.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Writes an answer as JSON.
pub(super) fn print_json(answer: &(impl Serialize + ?Sized)) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(answer).map_err(io::Error::from)?;
    print(&format!("{text}\n"))
}

/// Form of the output.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct OutputArgs {
    /// Answer in JSON.
    #[arg(long)]
    pub(super) json: bool,
}

impl OutputArgs {
    /// Prints an answer as JSON if that is wanted, otherwise as text.
    pub(super) fn print<T: Serialize + ?Sized>(
        self,
        answer: &T,
        text: impl FnOnce(&T) -> String,
    ) -> Result<(), Failure> {
        if self.json {
            print_json(answer)
        } else {
            print(&text(answer))
        }
    }
}

/// Prints warnings to standard error.
pub(super) fn warn(warnings: &[String]) {
    for warning in warnings {
        eprintln!("fibula: {warning}");
    }
}

/// Formats a value for people: texts without quotes, lists in brackets.
pub(super) fn value_text(value: &Json) -> String {
    match value {
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(value_text).collect();
            format!("[{}]", items.join(", "))
        }
        Json::String(text) => text.clone(),
        Json::Number(number) => {
            let text = number.to_string();
            text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
        }
        Json::Null | Json::Bool(_) | Json::Object(_) => value.to_string(),
    }
}

/// Formats rows in columns, each as wide as its widest entry.
pub(super) fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|text| text.chars().count())
            .max()
            .unwrap_or(0)
            // A wider column is not readable.
            .min(200)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (entry, width) in row.iter().zip(&widths) {
            let _ = write!(line, "{entry:<width$}  ");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Formats a table whose first row is its head.
pub(super) fn table_with_head(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let head = head.iter().map(|&name| name.to_owned()).collect();
    table(&std::iter::once(head).chain(rows).collect::<Vec<_>>())
}

/// Writer that remembers if its reader has closed the pipe.
#[derive(Debug)]
pub(super) struct PipeWriter<W> {
    to: W,
    closed: bool,
}

impl<W> PipeWriter<W> {
    pub(super) fn new(to: W) -> Self {
        PipeWriter { to, closed: false }
    }

    /// Returns true if the pipe is closed.
    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    fn observe<T>(&mut self, outcome: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &outcome {
            self.closed |= error.kind() == io::ErrorKind::BrokenPipe;
        }
        outcome
    }
}

impl<W: Write> Write for PipeWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let outcome = self.to.write(bytes);
        self.observe(outcome)
    }

    fn flush(&mut self) -> io::Result<()> {
        let outcome = self.to.flush();
        self.observe(outcome)
    }
}
