//! Parser of flowcharts, without recursion: open subgraphs are on a stack.

use rustc_hash::{FxHashMap, FxHashSet};

use super::cursor::{Cursor, RawText};
use super::link::{self, Link};
use super::shape;
use super::text::{character, plain};
use super::vertex::{LinkDirection, LinkEdges, Subgraph, Vertex, note_html, weight};
use crate::MAX_DEPTH;
use crate::builder::{ElementKind, GraphBuilder};
use crate::error::FormatError;

/// Directions of a flowchart.
pub(crate) const DIRECTIONS: [&str; 10] = ["TB", "TD", "BT", "BR", "LR", "RL", "<", ">", "^", "v"];
/// Statements of styles and actions.
const STYLES: [&str; 5] = ["classDef", "style", "linkStyle", "click", "direction"];

/// An open subgraph.
struct Scope {
    /// Index of the subgraph or, if it has no name, of the one that contains it.
    subgraph: Option<usize>,
    /// Offset of its beginning.
    begin: usize,
}

/// An edge: the indices of its ends and of its properties.
struct Edge {
    source: usize,
    target: usize,
    link: usize,
}

struct Parser<'a, 'g, 'w> {
    cursor: Cursor<'a>,
    reported: usize,
    scopes: Vec<Scope>,
    subgraphs: Vec<Subgraph<'a>>,
    vertices: Vec<Vertex<'a>>,
    ids: FxHashMap<&'a str, usize>,
    links: Vec<LinkEdges<'a>>,
    link_ids: FxHashSet<&'a str>,
    edges: Vec<Edge>,
    to: &'g mut GraphBuilder<'w>,
}

/// Reads a file.
pub(crate) fn read(text: &str, to: &mut GraphBuilder<'_>) -> Result<(), FormatError> {
    let mut parser = Parser {
        cursor: Cursor::new(text),
        reported: 0,
        scopes: Vec::new(),
        subgraphs: Vec::new(),
        vertices: Vec::new(),
        ids: FxHashMap::default(),
        links: Vec::new(),
        link_ids: FxHashSet::default(),
        edges: Vec::new(),
        to,
    };
    parser.front_matter()?;
    parser.header()?;
    while parser.statement()? {
        let read = parser.cursor.at();
        let more = read - std::mem::replace(&mut parser.reported, read);
        parser.to.step(more)?;
    }
    if let Some(open) = parser.scopes.last() {
        parser.cursor.go(open.begin);
        let wrong = "unclosed subgraph; write 'end' after its statements";
        return Err(parser.cursor.wrong(wrong));
    }
    parser.finish()
}

impl<'a> Parser<'a, '_, '_> {
    /// Skips the front matter between two lines of `---`.
    fn front_matter(&mut self) -> Result<(), FormatError> {
        const FENCE: &str = "---";
        self.cursor.take_while(char::is_whitespace);
        let begin = self.cursor.at();
        if self.cursor.take_line().trim_end() != FENCE {
            self.cursor.go(begin);
            return Ok(());
        }
        while self.cursor.eat("\n") {
            let line = self.cursor.take_line().trim_end();
            if line == FENCE {
                return Ok(());
            }
            let is_inner = line.starts_with([' ', '\t', '#', '-', '}']);
            if let Some((name, _)) = line.split_once(':').filter(|_| !is_inner)
                && name != "title"
            {
                self.to.note_left_out(name);
            }
        }
        self.cursor.go(begin);
        let wrong = "the front matter that starts here with '---' is not closed with '---'";
        Err(self.cursor.wrong(wrong))
    }

    /// Parses the kind of diagram and its direction.
    fn header(&mut self) -> Result<(), FormatError> {
        self.cursor.skip_lines()?;
        let begin = self.cursor.at();
        let kind = self.cursor.take_while(|c| c.is_alphanumeric() || c == '-');
        let known = ["flowchart", "graph", "flowchart-elk"];
        if !known.iter().any(|known| kind.eq_ignore_ascii_case(known)) {
            self.cursor.go(begin);
            return Err(self
                .cursor
                .expected("'flowchart' or 'graph', the only supported Mermaid diagrams"));
        }
        self.cursor.skip_blanks()?;
        if !self.cursor.is_at_separator() {
            let begin = self.cursor.at();
            let direction = self
                .cursor
                .take_while(|c| !c.is_whitespace() && c != ';' && c != '%');
            if !DIRECTIONS.contains(&direction) {
                self.cursor.go(begin);
                return Err(self.cursor.expected("a direction (TB, TD, BT, LR or RL)"));
            }
        }
        self.separator("';' or a new line after the direction")
    }

    fn separator(&mut self, expected: &str) -> Result<(), FormatError> {
        self.cursor.skip_blanks()?;
        if self.cursor.is_at_separator() {
            return Ok(());
        }
        Err(self.cursor.expected(expected))
    }

    /// Parses a statement; returns false at the end of the file.
    fn statement(&mut self) -> Result<bool, FormatError> {
        self.cursor.skip_separators()?;
        if self.cursor.peek().is_none() {
            return Ok(false);
        }
        let begin = self.cursor.at();
        let word = self.cursor.id();
        let is_apart = self
            .cursor
            .peek()
            .is_none_or(|c| c.is_whitespace() || c == ';');
        self.cursor.skip_blanks()?;
        let is_alone = self.cursor.is_at_separator();
        let is_linked = link::begins(self.cursor.rest(), true);
        match word {
            "accTitle" | "accDescr" if self.cursor.eat(":") => {
                self.cursor.take_line();
                self.described(word);
            }
            "accTitle" | "accDescr" if self.cursor.peek() == Some('{') => {
                let Some(length) = self.cursor.rest().find('}') else {
                    let wrong =
                        format!("'{word}', which starts here with '{{', is not closed with '}}'");
                    return Err(self.cursor.wrong(wrong));
                };
                self.cursor.take(length + 1);
                self.described(word);
            }
            "end" if is_alone => {
                if self.scopes.pop().is_none() {
                    self.cursor.go(begin);
                    let wrong = "'end' without an open subgraph; remove it";
                    return Err(self.cursor.wrong(wrong));
                }
            }
            "subgraph" if is_apart && !is_linked => self.subgraph(begin)?,
            "class" if is_apart && !is_alone && !is_linked => self.class()?,
            word if STYLES.contains(&word) && is_apart && !is_alone && !is_linked => {
                self.pass_statement();
                self.note_left_out(word);
            }
            id if self.link_ids.contains(id) && self.cursor.rest().starts_with("@{") => {
                self.cursor.eat("@{");
                shape::properties(&mut self.cursor)?;
                self.note_left_out("@{ } of a link");
            }
            _ => {
                self.cursor.go(begin);
                self.chain()?;
            }
        }
        self.separator("a link such as '-->', or ';' or a new line after the statement")?;
        Ok(true)
    }

    /// Records a description as left out, unless it is the title.
    fn described(&mut self, word: &str) {
        if word != "accTitle" {
            self.to.note_left_out(word);
        }
    }

    /// Records that an element was left out.
    fn note_left_out(&mut self, what: &str) {
        let location = self.cursor.location();
        self.to.repair("left_out_element", location, || {
            format!("'{what}' is not supported; it was skipped")
        });
    }

    /// Skips the rest of a statement; quotes may contain anything.
    fn pass_statement(&mut self) {
        loop {
            self.cursor.take_while(|c| !"\n;\"%".contains(c));
            let rest = self.cursor.rest();
            let end = rest.get(1..).and_then(|rest| rest.find(['"', '\n']));
            match (self.cursor.peek(), end) {
                (Some('%'), _) if rest.starts_with("%%") => return,
                (Some('"'), Some(end)) if rest[1 + end..].starts_with('"') => {
                    self.cursor.take(end + 2);
                }
                (Some('"' | '%'), _) => {
                    self.cursor.take(1);
                }
                (_, _) => return,
            }
        }
    }

    /// Parses the class of nodes: `class a,b name`.
    fn class(&mut self) -> Result<(), FormatError> {
        let statement = self.cursor.take_while(|c| c != '\n' && c != ';');
        let statement = before_comment(statement);
        let Some((nodes, class)) = statement.rsplit_once(char::is_whitespace) else {
            return Err(self.cursor.expected("the name of a class after the nodes"));
        };
        for node in nodes.split(',') {
            // As in Mermaid, nodes that follow are ignored.
            if let Some(&at) = self.ids.get(node.trim()) {
                self.to.fill(weight(class))?;
                self.vertices[at].classes.insert(class);
            }
        }
        Ok(())
    }

    /// Parses the name of a subgraph, and opens it.
    fn subgraph(&mut self, begin: usize) -> Result<(), FormatError> {
        let outer = self.scopes.last().map(|scope| scope.subgraph);
        if self.scopes.len() >= MAX_DEPTH {
            return Err(FormatError::too_large("nested subgraphs", MAX_DEPTH));
        }
        if outer.is_some() {
            let location = self.cursor.location();
            self.to.repair("nested_subgraph", location, || {
                "nested subgraphs; a node belongs only to the first subgraph that contains it"
                    .to_owned()
            });
        }
        let mut subgraph = outer.flatten();
        if !self.cursor.is_at_separator() {
            let named = self.named()?;
            subgraph = Some(self.subgraphs.len());
            self.subgraphs.push(named);
        }
        self.scopes.push(Scope { subgraph, begin });
        Ok(())
    }

    /// Parses the id and title of a subgraph; one of them may serve as both.
    fn named(&mut self) -> Result<Subgraph<'a>, FormatError> {
        let (id, mut title) = if self.cursor.peek() == Some('"') {
            let text = self.cursor.quoted()?;
            let is_quoted = true;
            (text, RawText { text, is_quoted })
        } else {
            let start = self.cursor.at();
            loop {
                self.cursor.take_while(|c| !"\n;[#".contains(c));
                match character(self.cursor.rest()) {
                    Some((_, length)) => self.cursor.take(length),
                    None if self.cursor.peek() == Some('#') => self.cursor.take(1),
                    None => break,
                };
            }
            let text = before_comment(self.cursor.since(start));
            let is_quoted = false;
            (text, RawText { text, is_quoted })
        };
        if self.cursor.eat("[") {
            title = self.cursor.text_until("[", &["]"])?.0;
        }
        let title = plain(title);
        if title.has_html {
            note_html(self.to, self.cursor.location());
        }
        Ok(Subgraph {
            id,
            title: title.text,
        })
    }

    /// Parses nodes and the links between them.
    fn chain(&mut self) -> Result<(), FormatError> {
        let mut tails = self.group()?;
        loop {
            let location = self.cursor.location();
            let Some(link) = link::read(&mut self.cursor)? else {
                return Ok(());
            };
            self.link_ids.extend(link.id);
            self.cursor.skip_lines()?;
            let heads = self.group()?;
            match LinkDirection::new(&link) {
                LinkDirection::Forward => self.join(&tails, &heads, &link)?,
                LinkDirection::Backward => self.join(&heads, &tails, &link)?,
                LinkDirection::Undirected => {
                    self.to.note_undirected(location);
                    self.join(&tails, &heads, &link)?;
                }
                LinkDirection::Invisible => self.note_left_out("~~~"),
            }
            tails = heads;
        }
    }

    /// Parses a node, or several with `&` between them.
    fn group(&mut self) -> Result<Vec<usize>, FormatError> {
        let mut nodes = Vec::new();
        loop {
            nodes.push(self.vertex()?);
            let end = self.cursor.at();
            self.cursor.skip_blanks()?;
            if !self.cursor.eat("&") {
                self.cursor.go(end);
                return Ok(nodes);
            }
            self.cursor.skip_blanks()?;
        }
    }

    fn vertex(&mut self) -> Result<usize, FormatError> {
        let id = self.cursor.id();
        if id.is_empty() {
            return Err(self.cursor.expected("a node"));
        }
        let at = self.mention(id)?;
        let location = self.cursor.location();
        if let Some((shape, text)) = shape::brackets(&mut self.cursor)? {
            self.vertices[at].draw(shape, text, location, self.to);
        }
        loop {
            if self.cursor.eat("@{") {
                let properties = shape::properties(&mut self.cursor)?;
                self.vertices[at].describe(properties, location, self.to);
            } else if self.cursor.eat(":::") {
                let class = self.cursor.id();
                if class.is_empty() {
                    return Err(self.cursor.expected("the name of a class"));
                }
                self.vertices[at].classes.insert(class);
            } else {
                return Ok(at);
            }
        }
    }

    /// Index of the node with an id, which is added if it is new.
    fn mention(&mut self, id: &'a str) -> Result<usize, FormatError> {
        let at = if let Some(&at) = self.ids.get(id) {
            at
        } else {
            let at = self.vertices.len();
            self.to.check_count(ElementKind::Node, at + 1)?;
            self.vertices.push(Vertex::new(id));
            self.ids.insert(id, at);
            at
        };
        let within = self.scopes.last().and_then(|scope| scope.subgraph);
        if let (Some(within), None) = (within, self.vertices[at].subgraph) {
            self.to.fill(weight(&self.subgraphs[within].title))?;
            self.vertices[at].subgraph = Some(within);
        }
        Ok(at)
    }

    /// Adds the edges of a link, from each source to each target.
    fn join(
        &mut self,
        sources: &[usize],
        targets: &[usize],
        link: &Link<'a>,
    ) -> Result<(), FormatError> {
        let location = self.cursor.location();
        let edges = LinkEdges::new(link, location, self.to);
        let link = self.links.len();
        self.to
            .fill_edges(sources.len(), targets.len(), edges.weight())?;
        for &source in sources {
            for &target in targets {
                let count = self.edges.len() + 1;
                self.to.check_count(ElementKind::Edge, count)?;
                self.edges.push(Edge {
                    source,
                    target,
                    link,
                });
            }
        }
        self.links.push(edges);
        Ok(())
    }

    /// Adds all nodes and edges to the graph.
    fn finish(self) -> Result<(), FormatError> {
        if self.cursor.has_directive {
            self.to.note_left_out("%%{ }%%");
        }
        let vertices = self.vertices.iter();
        let names: Vec<String> = vertices.map(|vertex| vertex.name().to_owned()).collect();
        let subgraphs = self.subgraphs.iter();
        let own: FxHashMap<&str, &Subgraph<'_>> =
            subgraphs.map(|subgraph| (subgraph.id, subgraph)).collect();
        for vertex in self.vertices {
            let within = vertex.subgraph.map(|at| &self.subgraphs[at]);
            let own = own.get(vertex.id).copied();
            vertex.add(own, within, self.to)?;
        }
        for edge in self.edges {
            let [source, target] = [edge.source, edge.target].map(|at| names[at].as_str());
            self.links[edge.link].add(source, target, self.to)?;
        }
        Ok(())
    }
}

/// Text before a comment in the same line.
fn before_comment(line: &str) -> &str {
    line.split("%%").next().unwrap_or_default().trim()
}
