//! The lines of a project file, written and read one at a time.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, BufRead, Read, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use base64::write::EncoderWriter;
use fibula_core::edit::{Edit, Entry, EntryKind, Head, Heading, Origin, State};
use fibula_core::graph::{ContentHash, DocumentData, check_name};
use fibula_core::quote::quoted;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::ProjectFileError;

/// Version that is written, and the newest that is read.
pub(super) const FORMAT: u32 = 1;
/// Maximum bytes of a line: the largest file of a project in base64, and some more.
pub(super) const LONGEST: u64 = 384 << 20;
/// Largest integer that every JSON reader represents exactly.
const LARGEST_REVISION: u64 = 1 << 53;
/// Maximum bytes of a label and of the names in an origin.
const LONGEST_TEXT: usize = 64 << 10;

/// The first line: what the file is, and where it ends.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct First {
    /// The version of the format.
    #[schemars(extend("const" = FORMAT))]
    fibula_project: u32,
    /// The project's name.
    pub project: String,
    /// The revision that the last line leads to.
    pub revision: u64,
    /// The hash of the state at that revision.
    pub hash: StateHash,
}

/// Every other line.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Line<'a> {
    /// The state that the entries go on from.
    Base(Box<Base>),
    /// The bytes of a file.
    #[serde(borrow)]
    Content(Content<'a>),
    /// A change.
    Entry(Box<EntryLine>),
    /// The last line.
    End(End),
}

/// The state that the entries go on from; left out if they go on from nothing.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Base {
    /// Its revision.
    revision: u64,
    /// Its hash.
    hash: StateHash,
    /// The checkpoints up to then: the revision of each, by name.
    checkpoints: BTreeMap<String, u64>,
    /// The content.
    document: DocumentData,
}

/// The bytes of a file; before the first line that names it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Content<'a> {
    /// The BLAKE3 hash of its bytes.
    #[schemars(with = "ContentHash")]
    hash: Cow<'a, str>,
    /// As base64; left out if they were not there when the project was exported.
    #[serde(borrow, default)]
    bytes: Option<Cow<'a, str>>,
}

/// A change.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Entry")]
pub struct EntryLine {
    /// The revision after it.
    revision: u64,
    /// When: milliseconds since 1970, UTC.
    at: u64,
    /// Who made it.
    origin: Origin,
    /// Description.
    label: String,
    /// Effect on earlier entries.
    turn: EntryKind,
    /// The change.
    edit: Edit,
    /// The change that takes it back.
    inverse: Edit,
    /// The hash of the state after it.
    hash: StateHash,
}

/// The last line: how much there was.
#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// Number of entry lines.
    pub entries: u64,
    /// Number of file lines.
    pub contents: u64,
    /// The revision of the first line.
    pub revision: u64,
    /// The hash of the first line.
    pub hash: StateHash,
}

/// The hash of a state: 16 hexadecimal digits, since not every reader of JSON has all numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema)]
#[schemars(extend("pattern" = "^[0-9a-fA-F]{16}$"))]
pub struct StateHash(#[schemars(with = "String")] pub u64);

impl Serialize for StateHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:016x}", self.0))
    }
}

impl<'de> Deserialize<'de> for StateHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        let digits = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        match u64::from_str_radix(&text, 16) {
            Ok(hash) if digits => Ok(StateHash(hash)),
            Ok(_) | Err(_) => Err(D::Error::custom("a hash must be 16 hexadecimal digits")),
        }
    }
}

impl First {
    /// The first line of a file that leads to a head.
    pub fn new(project: &str, head: Head) -> Self {
        First {
            fibula_project: FORMAT,
            project: project.to_owned(),
            revision: head.revision,
            hash: StateHash(head.hash),
        }
    }

    /// Revision and hash at the end of the file.
    pub fn head(&self) -> Head {
        Head {
            revision: self.revision,
            hash: self.hash.0,
        }
    }
}

impl Base {
    /// The line of a state.
    pub fn new(state: &State) -> Self {
        Base {
            revision: state.revision(),
            hash: StateHash(state.hash()),
            checkpoints: state.checkpoints().clone(),
            document: state.document().data(),
        }
    }

    /// Restores the state.
    ///
    /// # Errors
    /// A message if it is no valid start of a log, or has another hash.
    pub fn state(self) -> Result<State, String> {
        let last = self.revision;
        if last == 0 || last > LARGEST_REVISION {
            return Err(format!("a log cannot begin at revision {last}"));
        }
        for (name, &revision) in &self.checkpoints {
            check_checkpoint(name)?;
            if revision > last {
                return Err(format!(
                    "checkpoint {} refers to the later revision {revision}",
                    quoted(name)
                ));
            }
        }
        let document = self.document.document();
        let document = document.map_err(|error| error.to_string())?;
        let state = State::new(document, last, self.checkpoints);
        let (found, expected) = (state.hash(), self.hash.0);
        if found == expected {
            return Ok(state);
        }
        Err(format!(
            "the state of revision {last} has the hash {found:016x}, not {expected:016x}"
        ))
    }
}

impl Content<'_> {
    /// Returns the hash and the decoded bytes; `None` if they were lost.
    ///
    /// # Errors
    /// A message if they are no base64, or have another hash.
    pub fn bytes(&self) -> Result<(ContentHash, Option<Vec<u8>>), String> {
        let hash = blake3::Hash::from_hex(self.hash.as_bytes());
        let hash =
            hash.map_err(|_| "the hash of a content must be 64 hexadecimal digits".to_owned())?;
        let hash = ContentHash(*hash.as_bytes());
        let Some(text) = &self.bytes else {
            return Ok((hash, None));
        };
        let bytes = BASE64
            .decode(text.as_bytes())
            .map_err(|error| format!("the content is not valid base64: {error}"))?;
        match ContentHash::digest(&bytes) {
            found if found == hash => Ok((hash, Some(bytes))),
            found => Err(format!("the content has the hash {found}, not {hash}")),
        }
    }
}

impl EntryLine {
    /// The line of an entry.
    pub fn new(entry: Entry) -> Self {
        let heading = entry.heading;
        EntryLine {
            revision: heading.revision,
            at: heading.at,
            origin: heading.origin,
            label: heading.label,
            turn: heading.kind,
            edit: entry.edit,
            inverse: entry.inverse,
            hash: StateHash(entry.hash),
        }
    }

    /// Restores the entry, with 0 functions in its heading.
    ///
    /// # Errors
    /// A message if it is no valid entry.
    pub fn entry(self) -> Result<Entry, String> {
        for (what, text) in [
            ("label", &self.label),
            ("client", &self.origin.client),
            ("tool", &self.origin.tool),
        ] {
            if text.len() > LONGEST_TEXT {
                return Err(format!("the {what} has more than {LONGEST_TEXT} bytes"));
            }
        }
        let (revision, undone) = (self.revision, self.turn.undone_revision());
        if let Some(other) = undone.filter(|&it| it >= revision) {
            return Err(format!(
                "revision {revision} undoes revision {other}, which does not precede it"
            ));
        }
        if let EntryKind::Checkpoint(name) = &self.turn {
            check_checkpoint(name)?;
        }
        Ok(Entry {
            heading: Heading {
                revision: self.revision,
                at: self.at,
                origin: self.origin,
                label: self.label,
                kind: self.turn,
                functions: 0,
            },
            edit: self.edit,
            inverse: self.inverse,
            hash: self.hash.0,
        })
    }
}

fn check_checkpoint(name: &str) -> Result<(), String> {
    check_name("a checkpoint's name", name).map_err(|error| error.to_string())
}

/// Writes a line.
///
/// # Errors
/// [`ProjectFileError::Write`], or [`ProjectFileError::TooLarge`] for a line that readers would reject.
pub fn write_line(to: &mut dyn Write, line: &impl Serialize) -> Result<(), ProjectFileError> {
    let mut text = serde_json::to_vec(line).map_err(io::Error::from)?;
    text.push(b'\n');
    if text.len() as u64 > LONGEST {
        return Err(ProjectFileError::TooLarge { bytes: text.len() });
    }
    Ok(to.write_all(&text)?)
}

/// Writes the bytes of a file as a line, encoding them on the fly.
///
/// # Errors
/// [`ProjectFileError::Write`].
pub fn write_content(
    to: &mut dyn Write,
    hash: ContentHash,
    bytes: Option<&[u8]>,
) -> Result<(), ProjectFileError> {
    let mut write = || -> io::Result<()> {
        let Some(bytes) = bytes else {
            return writeln!(to, r#"{{"content":{{"hash":"{hash}"}}}}"#);
        };
        write!(to, r#"{{"content":{{"hash":"{hash}","bytes":""#)?;
        let mut encoder = EncoderWriter::new(&mut *to, &BASE64);
        encoder.write_all(bytes)?;
        encoder.finish()?;
        drop(encoder);
        writeln!(to, r#""}}}}"#)
    };
    Ok(write()?)
}

/// Reader of lines. Holds one line at a time.
pub struct LineReader<'a> {
    from: &'a mut dyn BufRead,
    buffer: Vec<u8>,
    /// Number of the last line, from 1.
    number: u64,
}

impl<'a> LineReader<'a> {
    /// Reads from a buffered reader.
    pub fn new(from: &'a mut dyn BufRead) -> Self {
        LineReader {
            from,
            buffer: Vec::new(),
            number: 0,
        }
    }

    /// Returns the error of the last line.
    pub fn damaged(&self, problem: impl std::fmt::Display) -> ProjectFileError {
        at(self.number, problem)
    }

    /// Reads the first line.
    ///
    /// # Errors
    /// [`ProjectFileError`] if it is no first line of a project file of this version.
    pub fn first(&mut self) -> Result<First, ProjectFileError> {
        #[derive(Deserialize)]
        struct Version {
            fibula_project: u32,
        }
        if !self.advance()? {
            return Err(ProjectFileError::NotAProject(
                "the file is empty".to_owned(),
            ));
        }
        let bytes = &self.buffer[..];
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let Ok(Version { fibula_project }) = serde_json::from_slice(bytes) else {
            let start = String::from_utf8_lossy(&bytes[..bytes.len().min(24)]);
            let message = format!(
                "line 1: not a project file: it begins with {}",
                quoted(&start.escape_debug().to_string())
            );
            return Err(ProjectFileError::NotAProject(message));
        };
        if fibula_project == 0 || fibula_project > FORMAT {
            return Err(ProjectFileError::Newer {
                found: fibula_project,
            });
        }
        let first: First =
            serde_json::from_slice(bytes).map_err(|error| self.damaged(text(&error)))?;
        if first.revision > LARGEST_REVISION {
            return Err(self.damaged(format_args!("revision {} is missing", first.revision)));
        }
        Ok(first)
    }

    /// Reads the next line.
    ///
    /// # Errors
    /// [`ProjectFileError::Truncated`] if there is none, or another error of the line.
    pub fn next_line(&mut self) -> Result<Line<'_>, ProjectFileError> {
        if !self.advance()? {
            return Err(ProjectFileError::Truncated { line: self.number });
        }
        let number = self.number;
        if std::str::from_utf8(&self.buffer).is_err() {
            return Err(at(number, "it is not UTF-8"));
        }
        // From bytes, as everywhere else: from a string, each type would be compiled once more.
        serde_json::from_slice(&self.buffer).map_err(|error| at(number, text(&error)))
    }

    /// Checks that nothing follows.
    ///
    /// # Errors
    /// [`ProjectFileError::Damaged`] if something does.
    pub fn end(&mut self) -> Result<(), ProjectFileError> {
        if self.advance()? {
            return Err(self.damaged("there is content after the last line"));
        }
        Ok(())
    }

    /// Reads the next line that is not blank. Returns false at the end of the file.
    fn advance(&mut self) -> Result<bool, ProjectFileError> {
        loop {
            self.buffer.clear();
            // Releases the memory of a large line.
            self.buffer.shrink_to(1 << 20);
            let mut part = (&mut *self.from).take(LONGEST + 1);
            let read = part.read_until(b'\n', &mut self.buffer);
            let read = read.map_err(|error| ProjectFileError::Read {
                line: self.number + 1,
                error,
            })?;
            if read == 0 {
                return Ok(false);
            }
            self.number += 1;
            if read as u64 > LONGEST {
                return Err(self.damaged(format_args!("it has more than {LONGEST} bytes")));
            }
            self.buffer.truncate(self.buffer.trim_ascii_end().len());
            if !self.buffer.is_empty() {
                return Ok(true);
            }
        }
    }
}

fn at(line: u64, problem: impl std::fmt::Display) -> ProjectFileError {
    ProjectFileError::Damaged {
        line,
        problem: problem.to_string(),
    }
}

/// Message of a JSON error, with its column only: the line is known.
fn text(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    match text.strip_suffix(&place) {
        Some(text) => format!("{text} at column {}", error.column()),
        None => text,
    }
}
