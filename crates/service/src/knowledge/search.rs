//! Full-text search for nodes.

use fibula_knowledge::search::{DataFilter, DataTest, Hit, OrderBy, Query, TimeRange};
use fibula_knowledge::{Knowledge, NodeRef};
use serde_json::Value as Json;

use super::list::suggest_filters;
use super::records::NodeBrief;
use super::timestamp::Timestamp;
use crate::paging::Paging;
use crate::refusal::Result;
use crate::schema_types::ObjectForm;
use crate::service::Service;

/// Default number of nodes.
const DEFAULT_LIMIT: u32 = 20;
/// Maximum number of nodes of a page: one less than the index returns, since one more shows that there is another page.
const MOST: u32 = 999;

json_structs! {
    /// Search for nodes.
    pub request(Default) struct SearchNodes {
        project,
        /// Words in any order; "a phrase"; -without. Default: all nodes.
        pub query: String = default,
        /// Only these types.
        pub types: Vec<String> = default,
        /// None of these types.
        pub exclude_types: Vec<String> = default,
        /// Only nodes of these creators.
        pub creators: Vec<String> = default,
        /// Values of data: {"status": "open", "a.b": 3}.
        #[schemars(with = "Option<ObjectForm>")]
        pub data: serde_json::Map<String, Json> = default,
        /// Changed then or later.
        pub modified_from: Option<Timestamp>,
        /// Changed then or before.
        pub modified_until: Option<Timestamp>,
        /// Default relevance.
        #[schemars(with = "Option<OrderBy>")]
        pub order_by: OrderBy = default,
        /// true: descending order.
        pub descending: bool,
        /// true: only words as written.
        pub exact: bool,
        revision,
        limit,
        cursor,
    }

    /// Matching nodes, best first.
    pub answer struct NodesFound {
        pub success: bool,
        pub nodes: Vec<NodeFound>,
        pub total: usize,
        /// True if words were corrected as typos.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        pub corrected: bool,
        /// True if few nodes or none have all words, so that nodes with some of the words follow.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        pub relaxed: bool,
        /// If `relaxed`: number of nodes that have all words; they come first.
        pub complete: Option<usize>,
        /// Synonyms of the schema that were searched, too.
        pub synonyms: Vec<String> = [],
        pub revision: u64,
        pub next_cursor: Option<String>,
        /// Types that nothing has, or where to look if there is nothing.
        pub next: Option<String>,
    }

    /// A matching node.
    pub answer struct NodeFound {
        #[serde(flatten)]
        pub node: NodeBrief,
        pub score: Option<f64>,
        /// Location of the match: "label", "observation 2", "data.a".
        pub field: Option<String>,
        pub snippet: Option<String>,
    }
}

/// Search results in one state of a graph, best first.
#[derive(Debug, Clone)]
pub struct GraphSearched {
    /// The graph.
    pub graph: Knowledge,
    /// The nodes.
    pub hits: Vec<NodeFound>,
    /// Number of matches.
    pub total: usize,
    /// False if the search was truncated, so that there may be more.
    pub is_whole: bool,
}

impl NodeFound {
    fn of(hit: &Hit<'_>) -> NodeFound {
        let snippet = hit.snippet.as_ref();
        NodeFound {
            node: NodeBrief::of(hit.node),
            // Rounds insignificant digits.
            score: snippet.map(|_| (hit.score * 1000.0).round() / 1000.0),
            field: snippet.map(|snippet| snippet.field.clone()),
            // A matching label is part of the answer anyway.
            snippet: snippet
                .filter(|snippet| snippet.field != "label")
                .map(|snippet| snippet.text.clone()),
        }
    }
}

impl SearchNodes {
    /// Without further results if there are few: callers with formats of their own could not tell them apart.
    fn query(&self, offset: usize, limit: usize) -> Query {
        let data = self.data.iter().map(|(path, value)| DataFilter {
            path: path.clone(),
            test: DataTest::Equals(value.clone()),
        });
        Query {
            text: self.query.clone(),
            types: self.types.clone(),
            exclude_types: self.exclude_types.clone(),
            creators: self.creators.clone(),
            created: TimeRange::default(),
            modified: TimeRange {
                from: self.modified_from.map(|time| time.0),
                until: self.modified_until.map(|time| time.0),
            },
            data: data.collect(),
            order_by: self.order_by,
            descending: self.descending,
            limit,
            offset,
            exact: self.exact,
            prefix: !self.exact,
            minimum: 0,
        }
    }
}

impl Service {
    /// Searches nodes by words, types, creators, data and time. The index includes the latest changes.
    ///
    /// # Errors
    /// A [`Refusal`](crate::Refusal) if there is no such project or revision, or the query is too large.
    pub fn search_nodes(&self, request: &SearchNodes) -> Result<NodesFound> {
        let limit = request.limit.unwrap_or(DEFAULT_LIMIT).min(MOST);
        let paging = Paging::new(Some(limit), request.cursor.as_deref())?;
        let project = self.project(request.project.as_deref())?;
        let snapshot = project.at(request.revision)?;
        let offset = paging.after().map_or(0, |after| after as usize + 1);
        project.with_search_index(&snapshot, request.revision.is_none(), |index| {
            // One more tells whether there is another page.
            let mut query = request.query(offset, limit as usize + 1);
            if !request.exact {
                query.minimum = Query::default().minimum;
            }
            let found = index.search(&query)?;
            let numbered = (offset as u64..).zip(&found.hits);
            let page = paging.page(numbered, NodeFound::of);
            Ok(NodesFound {
                success: true,
                nodes: page.items,
                total: found.total,
                corrected: found.corrected,
                relaxed: found.relaxed,
                complete: found.relaxed.then_some(found.complete),
                synonyms: found.synonyms,
                revision: snapshot.head.revision,
                next_cursor: page.next_cursor,
                next: {
                    let graph = snapshot.document.knowledge();
                    let types: Vec<String> = [&request.types[..], &request.exclude_types].concat();
                    let (total, known) = (found.total, graph.node_type_counts());
                    suggest_filters(graph, total, "words and filters", &known, &types)
                },
            })
        })
    }

    /// Searches as [`search_nodes`](Self::search_nodes), for callers that format nodes themselves: returns the first
    /// `most` matches accepted by `is_wanted`, in one state of the graph. Ignores limit, cursor and revision of the
    /// request.
    ///
    /// # Errors
    /// A [`Refusal`](crate::Refusal) if there is no such project, or the query is too large.
    pub fn search_graph(
        &self,
        request: &SearchNodes,
        most: usize,
        is_wanted: impl Fn(&NodeRef<'_>) -> bool,
    ) -> Result<GraphSearched> {
        /// Maximum number of nodes visited, and number visited per query.
        const MOST_LOOKED: usize = 20_000;
        const AT_ONCE: usize = 1_000;
        let project = self.project(request.project.as_deref())?;
        let snapshot = project.at(None)?;
        let (mut hits, mut total) = (Vec::new(), 0);
        let is_whole = project.with_search_index(&snapshot, true, |index| {
            for offset in (0..MOST_LOOKED).step_by(AT_ONCE) {
                let found = index.search(&request.query(offset, AT_ONCE))?;
                for hit in &found.hits {
                    if !is_wanted(&hit.node) {
                        continue;
                    }
                    total += 1;
                    if hits.len() < most {
                        hits.push(NodeFound::of(hit));
                    }
                }
                if found.hits.len() < AT_ONCE {
                    return Ok(true);
                }
            }
            Ok(false)
        })?;
        Ok(GraphSearched {
            graph: snapshot.document.knowledge().clone(),
            hits,
            total,
            is_whole,
        })
    }
}
