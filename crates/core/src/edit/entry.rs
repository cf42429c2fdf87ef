//! Entries: what the log of a project says of each change.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Edit;

/// Who made a change, and by what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    /// What sort of caller it was.
    pub kind: Caller,
    /// Who: an MCP client's name, "page", "command line" or "library".
    pub client: String,
    /// By which tool or command.
    pub tool: String,
}

/// A sort of caller.
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

    /// Whether both are one caller, whatever the tools; what each made is its own to undo.
    pub fn is_caller_of(&self, other: &Origin) -> bool {
        self.kind == other.kind && self.client == other.client
    }
}

/// What an entry does to the ones before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Turn {
    /// It is a new edit.
    Edit,
    /// It takes back the entry with this revision.
    Undo(u64),
    /// It takes back the undo with this revision, so what that took back is there again.
    Redo(u64),
    /// It changes nothing, and gives the state a name.
    Checkpoint(String),
}

impl Turn {
    /// The entry that is taken back.
    pub fn takes_back(&self) -> Option<u64> {
        match self {
            Turn::Undo(revision) | Turn::Redo(revision) => Some(*revision),
            Turn::Edit | Turn::Checkpoint(_) => None,
        }
    }
}

/// What is said of a change beside the change itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    /// The project's revision after it, counted from 1 without gaps.
    #[serde(skip)]
    pub revision: u64,
    /// When: milliseconds since 1970, UTC.
    pub at: u64,
    /// Who made it.
    pub origin: Origin,
    /// What it does, in words.
    pub label: String,
    /// What it does to earlier entries.
    pub turn: Turn,
    /// How many functions there are after it.
    pub functions: usize,
}

/// A change of a project, as facts: applying it needs no clock, no chance and no ids but its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// When, who and what, in words.
    pub heading: Heading,
    /// The change.
    pub edit: Edit,
    /// The change that takes it back.
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

/// Where a log ends, or a state stands: no two states of a project have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Head {
    /// The revision of the last entry; 0 if there is none.
    pub revision: u64,
    /// The hash of the state.
    pub hash: u64,
}
