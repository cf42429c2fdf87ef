//! Parser of DOT, without recursion: open subgraphs are on a stack.

use rustc_hash::FxHashMap;
use serde_json::{Value as Json, json};

use super::lexer::{Lexer, Token};
use crate::MAX_DEPTH;
use crate::builder::{ElementKind, GraphBuilder};
use crate::error::{FileLocation, FormatError};
use crate::fields::{self, Fields};

/// Placeholder in a label for the id of the node, which no text of DOT contains.
const ID_PLACEHOLDER: char = '\0';

/// An open graph or subgraph.
#[derive(Default)]
struct Scope {
    name: Option<String>,
    /// Default attributes of the nodes and edges that follow.
    nodes: Fields,
    edges: Fields,
    /// Nodes that occurred, by index.
    members: Vec<usize>,
    /// Ends of the edges of the current statement.
    chain: Vec<End>,
}

/// End of edges: a node, or the nodes of a subgraph.
struct End {
    nodes: Vec<usize>,
    port: Option<String>,
    is_subgraph: bool,
}

struct Parser<'a, 'w> {
    lexer: Lexer<'a>,
    next: Token,
    reported: usize,
    is_directed: bool,
    scopes: Vec<Scope>,
    ids: FxHashMap<String, usize>,
    nodes: Vec<Fields>,
    to: &'a mut GraphBuilder<'w>,
}

/// Reads a file.
pub(crate) fn read(text: &str, to: &mut GraphBuilder<'_>) -> Result<(), FormatError> {
    let mut parser = Parser {
        lexer: Lexer::new(text),
        next: Token::End,
        reported: 0,
        is_directed: true,
        scopes: Vec::new(),
        ids: FxHashMap::default(),
        nodes: Vec::new(),
        to,
    };
    parser.advance()?;
    parser.graph()?;
    while parser.next != Token::End {
        parser.to.note_nested_graph(parser.lexer.location());
        parser.graph()?;
    }
    let Parser { nodes, to, .. } = parser;
    for node in nodes {
        fields::add(
            ElementKind::Node,
            node,
            to.next_location(ElementKind::Node),
            to,
        )?;
    }
    Ok(())
}

impl Parser<'_, '_> {
    /// Takes the next token.
    fn advance(&mut self) -> Result<Token, FormatError> {
        let next = self.lexer.next()?;
        Ok(std::mem::replace(&mut self.next, next))
    }

    fn wrong(&self, expected: &str) -> FormatError {
        let problem = format!("expected {expected}, but found {}", self.next.shown());
        FormatError::invalid(self.lexer.location(), problem)
    }

    fn expect(&mut self, sign: char, after: &str) -> Result<(), FormatError> {
        if self.next != Token::Sign(sign) {
            return Err(self.wrong(&format!("'{sign}' after {after}")));
        }
        self.advance().map(drop)
    }

    fn graph(&mut self) -> Result<(), FormatError> {
        if self.next.is("strict") {
            self.advance()?;
        }
        self.is_directed = self.next.is("digraph");
        if !self.is_directed && !self.next.is("graph") {
            return Err(self.wrong("'graph' or 'digraph'"));
        }
        if !self.is_directed {
            self.to.note_undirected(self.lexer.location());
        }
        self.advance()?;
        if self.next.name().is_some() {
            self.advance()?;
        }
        self.expect('{', "the name of the graph")?;
        self.scopes.push(Scope::default());
        while !self.scopes.is_empty() {
            self.statement()?;
            let read = self.lexer.read();
            self.to
                .step(read - std::mem::replace(&mut self.reported, read))?;
        }
        Ok(())
    }

    fn scope(&mut self) -> &mut Scope {
        self.scopes
            .last_mut()
            .expect("a graph is open while its statements are read")
    }

    /// Parses a statement, or the next part of one with subgraphs.
    fn statement(&mut self) -> Result<(), FormatError> {
        let is_in_chain = !self.scope().chain.is_empty();
        match &self.next {
            Token::Sign(';' | ',') if !is_in_chain => self.advance().map(drop),
            Token::Sign('}') if !is_in_chain => self.close(),
            Token::Sign('{') => self.open(None),
            next if next.is("subgraph") => {
                self.advance()?;
                let name = self.next.name();
                if name.is_some() {
                    self.advance()?;
                }
                if self.next != Token::Sign('{') {
                    return Err(self.wrong("'{' and the statements of the subgraph"));
                }
                self.open(name)
            }
            next if !is_in_chain && ["node", "edge", "graph"].iter().any(|of| next.is(of)) => {
                self.defaults()
            }
            next => match next.name() {
                Some(name) => self.named(name, is_in_chain),
                None if is_in_chain => {
                    Err(self.wrong("the node or subgraph at which the edge ends"))
                }
                None => Err(self.wrong("a node, an edge, a subgraph or '}'")),
            },
        }
    }

    fn open(&mut self, name: Option<String>) -> Result<(), FormatError> {
        self.advance()?;
        if self.scopes.len() >= MAX_DEPTH {
            return Err(FormatError::too_large("nested subgraphs", MAX_DEPTH));
        }
        let outer = self.scope();
        let inner = Scope {
            name: name.or_else(|| outer.name.clone()),
            nodes: outer.nodes.clone(),
            edges: outer.edges.clone(),
            ..Scope::default()
        };
        self.to.fill(inner.nodes.len() + inner.edges.len())?;
        self.scopes.push(inner);
        Ok(())
    }

    fn close(&mut self) -> Result<(), FormatError> {
        self.advance()?;
        let mut members = self
            .scopes
            .pop()
            .map(|scope| scope.members)
            .unwrap_or_default();
        if self.scopes.is_empty() {
            return Ok(());
        }
        members.sort_unstable();
        members.dedup();
        self.scope().members.extend_from_slice(&members);
        self.end(End {
            nodes: members,
            port: None,
            is_subgraph: true,
        })
    }

    /// Parses a statement that begins with a name: a node, or an attribute of the graph.
    fn named(&mut self, id: String, is_in_chain: bool) -> Result<(), FormatError> {
        self.advance()?;
        if self.next == Token::Sign('=') && !is_in_chain {
            self.advance()?;
            if self.next.name().is_none() {
                return Err(self.wrong("the value of an attribute"));
            }
            self.advance()?;
            self.graph_attribute(&id);
            return Ok(());
        }
        let mut port = None;
        while self.next == Token::Sign(':') {
            self.advance()?;
            let Some(name) = self.next.name() else {
                return Err(self.wrong("the name of a port"));
            };
            self.advance()?;
            port = Some(match port {
                Some(port) => format!("{port}:{name}"),
                None => name,
            });
        }
        let node = self.node(id)?;
        self.end(End {
            nodes: vec![node],
            port,
            is_subgraph: false,
        })
    }

    /// Records an attribute of the graph as left out, unless it is the label.
    fn graph_attribute(&mut self, name: &str) {
        if name != "label" && self.scopes.len() == 1 {
            self.to.note_left_out(name);
        }
    }

    /// Index of the node with an id, which is added if it is new.
    fn node(&mut self, id: String) -> Result<usize, FormatError> {
        let scope = self
            .scopes
            .last_mut()
            .expect("a graph is open while its nodes are read");
        let at = if let Some(&at) = self.ids.get(&id) {
            at
        } else {
            let at = self.nodes.len();
            let mut fields = scope.nodes.clone();
            self.to.fill(fields.len())?;
            if let Some(name) = &scope.name {
                fields.insert("subgraph".to_owned(), Json::from(name.as_str()));
            }
            if let Some(Json::String(label)) = fields.get_mut("label") {
                *label = label.replace(ID_PLACEHOLDER, &id);
            }
            fields.insert("id".to_owned(), Json::from(id.as_str()));
            self.nodes.push(fields);
            self.ids.insert(id, at);
            at
        };
        // The members of the whole graph are not needed.
        if self.scopes.len() > 1 {
            self.scope().members.push(at);
        }
        Ok(at)
    }

    /// Parses what follows an end of an edge, or a single node or subgraph.
    fn end(&mut self, end: End) -> Result<(), FormatError> {
        self.scope().chain.push(end);
        if let Token::Edge { is_directed } = self.next {
            if is_directed != self.is_directed {
                let expected = if self.is_directed {
                    "'->', as edges of a digraph are written,"
                } else {
                    "'--', as edges of a graph are written,"
                };
                return Err(self.wrong(expected));
            }
            return self.advance().map(drop);
        }
        let attributes = self.attributes()?;
        let chain = std::mem::take(&mut self.scope().chain);
        if let [only] = &chain[..] {
            if !only.is_subgraph {
                self.describe(only.nodes[0], attributes);
            }
            return Ok(());
        }
        self.edges(&chain, &attributes)
    }

    fn describe(&mut self, node: usize, attributes: Fields) {
        let fields = &mut self.nodes[node];
        for (name, mut value) in attributes {
            if let (Json::String(label), "label") = (&mut value, &*name) {
                let id = fields.get("id").and_then(Json::as_str).unwrap_or_default();
                *label = label.replace(ID_PLACEHOLDER, id);
            }
            if name != "id" {
                fields.insert(name, value);
            }
        }
    }

    fn edges(&mut self, chain: &[End], attributes: &Fields) -> Result<(), FormatError> {
        let mut common = self.scope().edges.clone();
        common.extend(attributes.clone());
        if let Some(Json::String(label)) = common.get_mut("label") {
            label.retain(|c| c != ID_PLACEHOLDER);
        }
        for pair in chain.windows(2) {
            let [tail, head] = pair else {
                continue;
            };
            for (port, name) in [(&tail.port, "tailport"), (&head.port, "headport")] {
                match port {
                    Some(port) => common.insert(name.to_owned(), Json::from(port.as_str())),
                    None => attributes
                        .get(name)
                        .is_none()
                        .then(|| common.remove(name))
                        .flatten(),
                };
            }
            let [tails, heads] = [tail, head].map(|end| end.nodes.len());
            self.to.fill_edges(tails, heads, common.len())?;
            for &source in &tail.nodes {
                for &target in &head.nodes {
                    let mut edge = common.clone();
                    for (name, node) in [("source", source), ("target", target)] {
                        if let Some(id) = self.nodes[node].get("id") {
                            edge.insert(name.to_owned(), id.clone());
                        }
                    }
                    if edge.get("label") == edge.get("type") {
                        edge.remove("label");
                    }
                    fields::add(
                        ElementKind::Edge,
                        edge,
                        self.to.next_location(ElementKind::Edge),
                        self.to,
                    )?;
                }
            }
        }
        Ok(())
    }

    /// Parses default attributes of nodes or edges, or attributes of the graph.
    fn defaults(&mut self) -> Result<(), FormatError> {
        let of = self.advance()?;
        if self.next != Token::Sign('[') {
            return Err(self.wrong("'[' with attributes"));
        }
        let attributes = self.attributes()?;
        if of.is("node") {
            self.scope().nodes.extend(attributes);
        } else if of.is("edge") {
            self.scope().edges.extend(attributes);
        } else {
            for name in attributes.keys() {
                self.graph_attribute(name);
            }
        }
        Ok(())
    }

    /// Parses lists of attributes.
    fn attributes(&mut self) -> Result<Fields, FormatError> {
        let mut attributes = Fields::new();
        while self.next == Token::Sign('[') {
            self.advance()?;
            while self.next != Token::Sign(']') {
                let Some(name) = self.next.name() else {
                    return Err(self.wrong("the name of an attribute or ']'"));
                };
                self.advance()?;
                let mut value = Token::Word("true".to_owned());
                if self.next == Token::Sign('=') {
                    self.advance()?;
                    value = self.advance()?;
                }
                let location = self.lexer.location();
                self.attribute(&mut attributes, name, &value, location)?;
                if matches!(self.next, Token::Sign(';' | ',')) {
                    self.advance()?;
                }
            }
            self.advance()?;
        }
        Ok(attributes)
    }

    /// Stores an attribute as a field.
    fn attribute(
        &mut self,
        to: &mut Fields,
        name: String,
        value: &Token,
        location: FileLocation,
    ) -> Result<(), FormatError> {
        let Some(text) = value.name() else {
            let problem = format!(
                "expected the value of '{name}', but found {}",
                value.shown()
            );
            return Err(FormatError::invalid(location, problem));
        };
        let value = match (&*name, value) {
            ("label", Token::Html(html)) => {
                self.to.repair("html_label", location, || {
                    "a label is HTML; only its text was imported".to_owned()
                });
                Json::from(html_text(html))
            }
            ("label", Token::Quoted(raw)) => Json::from(label(raw)),
            ("pos", _) => {
                if let Some(position) = position(&text) {
                    to.insert("position".to_owned(), position);
                    return Ok(());
                }
                Json::from(text)
            }
            _ => Json::from(text),
        };
        to.insert(name, value);
        Ok(())
    }
}

/// Parses a position such as "1.5,2" or "1.5,2!".
fn position(text: &str) -> Option<Json> {
    let (x, y) = text.strip_suffix('!').unwrap_or(text).split_once(',')?;
    let [x, y] = [x, y].map(|axis| {
        axis.trim()
            .parse::<f64>()
            .ok()
            .filter(|axis| axis.is_finite())
    });
    Some(json!([x?, y?]))
}

/// Resolves the escapes of a label.
fn label(raw: &str) -> String {
    let mut shown = String::with_capacity(raw.len());
    let mut chars = raw.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            shown.push(c);
            continue;
        }
        match chars.next() {
            Some('n' | 'l' | 'r') => shown.push('\n'),
            Some('N') => shown.push(ID_PLACEHOLDER),
            Some(c) => shown.push(c),
            None => {}
        }
    }
    unescape_html(&shown)
}

/// Resolves the character references of HTML.
fn unescape_html(text: &str) -> String {
    let mut read = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        read.push_str(&rest[..at]);
        rest = &rest[at..];
        let known = [
            ("&amp;", '&'),
            ("&lt;", '<'),
            ("&gt;", '>'),
            ("&quot;", '"'),
            ("&#39;", '\''),
            ("&nbsp;", '\u{a0}'),
        ];
        let known = known.into_iter().find(|(code, _)| rest.starts_with(code));
        let (code, c) = known.unwrap_or(("&", '&'));
        read.push(c);
        rest = &rest[code.len()..];
    }
    read + rest
}

/// Extracts the text of HTML.
fn html_text(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        text.push_str(&rest[..at]);
        let tag = &rest[at..];
        let length = tag.find('>').map_or(tag.len(), |end| end + 1);
        let name = tag[1..length].trim_start_matches('/').to_ascii_lowercase();
        let is_break = ["br", "/tr", "tr"].iter().any(|tag| name.starts_with(tag));
        if is_break && !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        rest = &tag[length..];
    }
    text.push_str(rest);
    unescape_html(text.trim())
}
