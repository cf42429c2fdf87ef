//! Search queries.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::error::SearchError;

/// Maximum bytes of the text of a query.
pub const MAX_QUERY_BYTES: usize = 4 << 10;
/// Maximum number of words of a query, including phrases and exclusions.
pub const MAX_QUERY_WORDS: usize = 64;
/// Maximum number of types, and of creators, in a query.
pub const MAX_QUERY_NAMES: usize = 1_000;
/// Maximum number of data filters of a query.
pub const MAX_DATA_TESTS: usize = 16;
/// Maximum bytes of a path into data.
pub const MAX_PATH_BYTES: usize = 512;
/// Maximum number of nodes of a page of results.
pub const MAX_PAGE: usize = 1_000;
/// Default number of results up to which nodes that have most of the words follow those that have all.
const DEFAULT_MINIMUM: usize = 10;

/// A search query.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// Required words in any order; `"several words"` as a phrase; `-word` or `-"several words"` as exclusions. There
    /// is no other syntax. If empty, all nodes match that pass the filters.
    pub text: String,
    /// Types, one of which is required, ignoring case; any if empty.
    pub types: Vec<String>,
    /// Excluded types, ignoring case.
    pub exclude_types: Vec<String>,
    /// Creators, one of which is required, ignoring case; any if empty.
    pub creators: Vec<String>,
    /// Range of the time of creation.
    pub created: TimeRange,
    /// Range of the time of the last change.
    pub modified: TimeRange,
    /// Filters by data, all of which are required.
    pub data: Vec<DataFilter>,
    /// Sort key of results.
    pub order_by: OrderBy,
    /// True for descending order; ignored by relevance, which always begins with the best.
    pub descending: bool,
    /// Maximum number of results returned.
    pub limit: usize,
    /// Number of results to skip.
    pub offset: usize,
    /// True to match words as they are written: neither other forms nor fuzzy matches.
    pub exact: bool,
    /// True if the last word also matches as a prefix.
    pub prefix: bool,
    /// If fewer nodes than this have all words, nodes that have most of them follow, by relevance only. If no node has
    /// all words, any word suffices, whatever this is.
    pub minimum: usize,
}

impl Default for Query {
    fn default() -> Self {
        Query {
            text: String::new(),
            types: Vec::new(),
            exclude_types: Vec::new(),
            creators: Vec::new(),
            created: TimeRange::default(),
            modified: TimeRange::default(),
            data: Vec::new(),
            order_by: OrderBy::default(),
            descending: false,
            limit: 20,
            offset: 0,
            exact: false,
            prefix: true,
            minimum: DEFAULT_MINIMUM,
        }
    }
}

/// A time, in milliseconds since 1970, UTC; both ends are in it, and open if absent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Span")]
pub struct TimeRange {
    /// From when.
    pub from: Option<i64>,
    /// Until when.
    pub until: Option<i64>,
}

impl TimeRange {
    /// True if a time is in it.
    pub(super) fn has(self, time: i64) -> bool {
        self.from.is_none_or(|from| from <= time) && self.until.is_none_or(|until| time <= until)
    }
}

/// Condition on the data of a node at a path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataFilter {
    /// Keys, and places in lists from 0 on, with points between them: "a.b.0".
    pub path: String,
    /// The condition.
    pub test: DataTest,
}

/// Condition on a value in the data of a node; a list matches if one item does.
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
    /// Best first.
    #[default]
    Relevance,
    /// Ignoring case.
    Label,
    /// Creation time.
    Created,
    /// Time of the last change.
    Modified,
    /// Insertion order.
    Order,
    /// Number of edges.
    Degree,
}

impl Query {
    /// Checks limits and ranges.
    pub(super) fn check(&self) -> Result<(), SearchError> {
        let paths = self.data.iter().map(|filter| filter.path.len());
        let (text, path) = (self.text.len(), paths.max().unwrap_or(0));
        let excluded = self.exclude_types.len();
        let limits = [
            ("the text of a query", "bytes", text, MAX_QUERY_BYTES),
            ("a query", "types", self.types.len(), MAX_QUERY_NAMES),
            ("a query", "excluded types", excluded, MAX_QUERY_NAMES),
            ("a query", "creators", self.creators.len(), MAX_QUERY_NAMES),
            ("a query", "tests of data", self.data.len(), MAX_DATA_TESTS),
            ("a path into data", "bytes", path, MAX_PATH_BYTES),
            ("a page of an answer", "nodes", self.limit, MAX_PAGE),
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
            if let (Some(from), Some(until)) = (span.from, span.until)
                && from > until
            {
                return Err(SearchError::NoTime { what, from, until });
            }
        }
        Ok(())
    }
}
