//! A node as a page of a discourse graph.

use fibula_graph_formats::discourse::{NODE_TYPES, page_id, split_title};
use fibula_knowledge::{Direction, EdgeRef, Knowledge, NodeRef, is_same_type};
use fibula_service::{Refusal, Timestamp};
use rmcp::model::{ContentBlock, Resource};
use serde_json::{Map, Value, json};

use fibula_server::operation::ToolAnswer;

/// Type of edges from a text to the nodes that it refers to.
pub(super) const REFERS_TO: &str = "refers_to";
/// Maximum length of a snippet in characters.
const SNIPPET_CHARS: usize = 200;

/// A node as a page.
pub(super) struct Page<'a> {
    pub(super) node: NodeRef<'a>,
}

/// Returns the type of a node: the code of its title, or its first type.
pub(super) fn kind<'a>(node: &NodeRef<'a>) -> Option<&'a str> {
    split_title(node.label()).0.or_else(|| node.types().next())
}

/// Returns true if a node has a type, by its code or name.
pub(super) fn is_of(node: &NodeRef<'_>, ty: &str) -> bool {
    let named = |own: &str| {
        let common = NODE_TYPES.iter().find(|[code, ..]| *code == own);
        is_same_type(own, ty) || common.is_some_and(|[_, name, _]| is_same_type(name, ty))
    };
    if let Some(code) = split_title(node.label()).0 {
        return named(code);
    }
    let code = NODE_TYPES.iter().find(|[code, ..]| is_same_type(code, ty));
    let mut types = node.types();
    types.any(|own| {
        is_same_type(own, ty) || code.is_some_and(|[_, name, _]| is_same_type(own, name))
    })
}

impl<'a> Page<'a> {
    pub(super) fn new(node: NodeRef<'a>) -> Page<'a> {
        Page { node }
    }

    pub(super) fn content(&self) -> String {
        if let Some(Value::String(content)) = self.node.data_map().remove("content") {
            return content;
        }
        let notes = self.node.observations().iter();
        let notes: Vec<&str> = notes.map(|one| one.text.as_str()).collect();
        notes.join("\n")
    }

    pub(super) fn images(&self) -> Vec<String> {
        let Some(Value::Array(images)) = self.node.data_map().remove("images") else {
            return Vec::new();
        };
        let images = images.into_iter().filter_map(|image| match image {
            Value::String(image) => Some(image),
            _ => None,
        });
        images.collect()
    }

    /// Appends links to images to an answer.
    pub(super) fn with_image_links(&self, answer: ToolAnswer, most: usize) -> ToolAnswer {
        let images = self.images().into_iter().take(most).enumerate();
        images.fold(answer, |answer, (place, image)| {
            let name = format!("{} image {}", self.node.id(), place + 1);
            answer.with_block(ContentBlock::resource_link(Resource::new(image, name)))
        })
    }

    /// Returns the fields for lists.
    pub(super) fn brief(&self) -> Map<String, Value> {
        members(json!({
            "uid": self.node.id(),
            "nodeType": kind(&self.node),
            "title": split_title(self.node.label()).1,
            "creator": self.node.creator(),
            "created": Timestamp(self.node.created()),
        }))
    }

    pub(super) fn snippet(&self) -> String {
        let content = self.content();
        // Front matter of some editors.
        let body = content
            .strip_prefix("---")
            .and_then(|rest| rest.split_once("---"));
        let body = body.map_or(content.as_str(), |(_, body)| body);
        let mut text = String::new();
        let mut rest = body;
        while let Some(at) = rest.find("![") {
            let (before, image) = rest.split_at(at);
            let end = image
                .find("](")
                .and_then(|open| Some(open + image[open..].find(')')? + 1));
            let Some(end) = end else { break };
            text.push_str(before);
            text.push_str("[image]");
            rest = &image[end..];
        }
        text.push_str(rest);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        match text.char_indices().nth(SNIPPET_CHARS) {
            Some((end, _)) => format!("{}...", text[..end].trim_end()),
            None => text,
        }
    }
}

/// A list that is truncated to the size of an answer.
#[derive(Default)]
pub(super) struct BoundedList {
    pub(super) shown: Vec<Value>,
    /// Number of items, with those left out.
    pub(super) count: usize,
    bytes: usize,
}

impl BoundedList {
    /// Counts an item, and adds it unless the list is full.
    pub(super) fn push(&mut self, item: impl FnOnce() -> Value) {
        /// Maximum number of items, and of bytes of their JSON.
        const MAX_ITEMS: usize = 500;
        const MAX_BYTES: usize = 32 << 10;
        self.count += 1;
        if self.shown.len() < MAX_ITEMS && self.bytes < MAX_BYTES {
            let item = item();
            self.bytes += item.to_string().len();
            self.shown.push(item);
        }
    }
}

pub(super) fn members(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        other => Map::from_iter([("value".to_owned(), other)]),
    }
}

/// Finds the page with a uid; the message of the error is JSON.
pub(super) fn find<'a>(graph: &'a Knowledge, uid: &str) -> Result<Page<'a>, Refusal> {
    let node = graph.find(uid).or_else(|| graph.find(page_id(uid)?));
    node.map(Page::new).ok_or_else(|| {
        let error = json!({ "error": format!("Node not found: {uid}") });
        Refusal::new("unknown_node", format!("{error:#}"))
    })
}

/// Returns the directions of edges to follow at a node.
pub(super) fn directions(direction: Direction) -> impl Iterator<Item = Direction> {
    let both = [Direction::Outgoing, Direction::Incoming].into_iter();
    both.filter(move |way| direction == Direction::Both || direction == *way)
}

/// Returns the adjacent nodes in one direction: first along relations, then along references of texts.
pub(super) fn adjacent<'a>(
    graph: &'a Knowledge,
    node: NodeRef<'a>,
    way: Direction,
) -> Vec<(NodeRef<'a>, Option<EdgeRef<'a>>)> {
    let (references, relations): (Vec<_>, Vec<_>) = node
        .edges(way)
        .into_iter()
        .partition(|edge| edge.ty() == REFERS_TO);
    let other = |edge: &EdgeRef<'a>| {
        graph.find(if way == Direction::Outgoing {
            edge.target()
        } else {
            edge.source()
        })
    };
    let relations = relations
        .iter()
        .filter_map(|edge| Some((other(edge)?, Some(*edge))));
    let references = references
        .iter()
        .filter_map(|edge| Some((other(edge)?, None)));
    relations.chain(references).collect()
}
