//! What can be asked of the nodes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::error::SearchError;

/// The most bytes of the text of a query.
pub const LONGEST_QUERY: usize = 4 << 10;
/// The most words of a query, those in phrases and those that are excluded included.
pub const MOST_WORDS: usize = 64;
/// The most types, and the most creators, that a query names.
pub const MOST_NAMED: usize = 1_000;
/// The most tests of data in a query.
pub const MOST_TESTS: usize = 16;
/// The most bytes of a path into data.
pub const LONGEST_PATH: usize = 512;
/// The most nodes of one page of an answer.
pub const LARGEST_PAGE: usize = 1_000;

/// What is searched for.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// Words in any order, of which all are wanted; `"several words"` in sequence; `-word` or `-"several words"` to leave out
    /// what has them. Nothing else means anything. If it is empty, all nodes are found that the rest allows.
    pub text: String,
    /// Only nodes with one of these types, whatever their case; all if there are none.
    pub types: Vec<String>,
    /// No nodes with one of these types, whatever their case.
    pub exclude_types: Vec<String>,
    /// Only nodes that one of these made, whatever their case; all if there are none.
    pub creators: Vec<String>,
    /// Only nodes that were made in this time.
    pub created: Span,
    /// Only nodes that were changed last in this time.
    pub modified: Span,
    /// Only nodes whose data is all of this.
    pub data: Vec<DataFilter>,
    /// What comes first.
    pub order_by: OrderBy,
    /// Whether the last comes first; by relevance the best are first in any case.
    pub descending: bool,
    /// How many are told, at most.
    pub limit: usize,
    /// How many are passed over before.
    pub offset: usize,
    /// Whether words are taken as they are, and not for misspelt ones.
    pub exact: bool,
    /// Whether the last word may be the begin of one.
    pub prefix: bool,
}

impl Default for Query {
    fn default() -> Self {
        Query {
            text: String::new(),
            types: Vec::new(),
            exclude_types: Vec::new(),
            creators: Vec::new(),
            created: Span::default(),
            modified: Span::default(),
            data: Vec::new(),
            order_by: OrderBy::default(),
            descending: false,
            limit: 20,
            offset: 0,
            exact: false,
            prefix: true,
        }
    }
}

/// A time, in milliseconds since 1970, UTC; both ends are in it, and open if they are not said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Span {
    /// From when.
    pub from: Option<i64>,
    /// Until when.
    pub until: Option<i64>,
}

impl Span {
    /// Whether a time is in it.
    pub(super) fn has(self, time: i64) -> bool {
        self.from.is_none_or(|from| from <= time) && self.until.is_none_or(|until| time <= until)
    }
}

/// What the data of a node has to be at a path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataFilter {
    /// Keys, and places in lists from 0 on, with points between them: "a.b.0".
    pub path: String,
    /// What has to be there.
    pub test: DataTest,
}

/// What a value in the data of a node has to be; of a list it is enough if one item is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DataTest {
    /// This value; numbers are compared by what they are worth.
    Equals(Json),
    /// A text, or a number as it is written, that has this in it, whatever the case and the accents.
    Contains(String),
    /// Anything, even null.
    Exists,
}

/// By what nodes that are found are sorted; what is equal comes in the order of the nodes, then by id.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OrderBy {
    /// The best first.
    #[default]
    Relevance,
    /// By label, whatever the case.
    Label,
    /// By when they were made.
    Created,
    /// By when they were changed.
    Modified,
    /// As they came.
    Order,
    /// By how many edges it has.
    Degree,
}

impl Query {
    /// Refuses what is too much, or cannot be.
    pub(super) fn check(&self) -> Result<(), SearchError> {
        let paths = self.data.iter().map(|filter| filter.path.len());
        let limits = [
            (
                "the text of a query",
                "bytes",
                self.text.len(),
                LONGEST_QUERY,
            ),
            ("a query", "types", self.types.len(), MOST_NAMED),
            (
                "a query",
                "excluded types",
                self.exclude_types.len(),
                MOST_NAMED,
            ),
            ("a query", "creators", self.creators.len(), MOST_NAMED),
            ("a query", "tests of data", self.data.len(), MOST_TESTS),
            (
                "a path into data",
                "bytes",
                paths.max().unwrap_or(0),
                LONGEST_PATH,
            ),
            ("a page of an answer", "nodes", self.limit, LARGEST_PAGE),
        ];
        for (what, unit, count, most) in limits {
            if count > most {
                return Err(SearchError::TooMuch {
                    what,
                    unit,
                    count,
                    most,
                });
            }
        }
        for (what, span) in [("created", self.created), ("modified", self.modified)] {
            if let Span {
                from: Some(from),
                until: Some(until),
            } = span
                && from > until
            {
                return Err(SearchError::NoTime { what, from, until });
            }
        }
        Ok(())
    }
}
