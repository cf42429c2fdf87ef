//! Entries of the log of a project.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Edit;

/// Author of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    /// Kind of the caller.
    pub kind: Caller,
    /// Name of the caller: an MCP client's name, "page", "command line" or "library".
    pub client: String,
    /// Tool or command.
    pub tool: String,
}

/// Kind of a caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Caller {
    /// An agent, over MCP.
    Agent,
    /// A person, on the page.
    Person,
    /// A program: the library, the command line, a script.
    Program,
}

impl Origin {
    /// A program that calls the library.
    pub fn program(client: impl Into<String>, tool: impl Into<String>) -> Self {
        Origin {
            kind: Caller::Program,
            client: client.into(),
            tool: tool.into(),
        }
    }

    /// True if both are the same caller, regardless of the tools; each caller undoes its own changes.
    pub fn is_caller_of(&self, other: &Origin) -> bool {
        self.kind == other.kind && self.client == other.client
    }
}

/// Kind of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// A new edit.
    Edit,
    /// Undoes the entry with this revision.
    Undo(u64),
    /// Undoes the undo with this revision.
    Redo(u64),
    /// Names the state and changes nothing.
    Checkpoint(String),
}

impl EntryKind {
    /// Revision of the entry that it undoes.
    pub fn undone_revision(&self) -> Option<u64> {
        match self {
            EntryKind::Undo(revision) | EntryKind::Redo(revision) => Some(*revision),
            EntryKind::Edit | EntryKind::Checkpoint(_) => None,
        }
    }
}

/// Metadata of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    /// The project's revision after it, counted from 1 without gaps.
    #[serde(skip)]
    pub revision: u64,
    /// Time in milliseconds since 1970, UTC.
    pub at: u64,
    /// Its author.
    pub origin: Origin,
    /// Label in the history.
    pub label: String,
    /// Edit, undo, redo or checkpoint.
    #[serde(rename = "turn")]
    pub kind: EntryKind,
    /// Number of functions after it.
    pub functions: usize,
}

/// A change of a project, as facts: applying it needs no clock, no chance and no ids but its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its metadata.
    pub heading: Heading,
    /// The change.
    pub edit: Edit,
    /// The change that undoes it.
    pub inverse: Edit,
    /// The hash of the state after it.
    pub hash: u64,
}

impl Entry {
    /// The project's revision after it.
    pub fn revision(&self) -> u64 {
        self.heading.revision
    }
}

/// Position of a state in a log; unique among the states of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Head {
    /// The revision of the last entry; 0 if there is none.
    pub revision: u64,
    /// The hash of the state.
    pub hash: u64,
}
