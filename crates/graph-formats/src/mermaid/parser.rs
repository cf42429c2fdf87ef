//! Statements of a flowchart, read without recursion: the subgraphs that are open are a list.

use rustc_hash::{FxHashMap, FxHashSet};

use super::cursor::{Cursor, Raw};
use super::link::{self, Link};
use super::shape;
use super::text::{character, shown};
use super::vertex::{Drawn, Subgraph, Vertex, Way, html, weight};
use crate::MAX_DEPTH;
use crate::builder::{ElementKind, GraphBuilder};
use crate::error::FormatError;

/// Where the whole is drawn to.
pub(crate) const DIRECTIONS: [&str; 10] = ["TB", "TD", "BT", "BR", "LR", "RL", "<", ">", "^", "v"];
/// Statements that only say how something is drawn, or what a click does.
const LOOKS: [&str; 5] = ["classDef", "style", "linkStyle", "click", "direction"];

/// A subgraph that is open.
struct Scope {
    /// Which it is, or is in if it has no name, by place.
    subgraph: Option<usize>,
    /// Where it begins.
    begin: usize,
}

/// An edge: the places of its ends and of what is said of it.
struct Edge {
    source: usize,
    target: usize,
    drawn: usize,
}

struct Parser<'a, 'g, 'w> {
    cursor: Cursor<'a>,
    told: usize,
    scopes: Vec<Scope>,
    subgraphs: Vec<Subgraph<'a>>,
    vertices: Vec<Vertex<'a>>,
    ids: FxHashMap<&'a str, usize>,
    drawn: Vec<Drawn<'a>>,
    link_ids: FxHashSet<&'a str>,
    edges: Vec<Edge>,
    to: &'g mut GraphBuilder<'w>,
}

/// Reads a file.
pub(crate) fn read(text: &str, to: &mut GraphBuilder<'_>) -> Result<(), FormatError> {
    let mut parser = Parser {
        cursor: Cursor::new(text),
        told: 0,
        scopes: Vec::new(),
        subgraphs: Vec::new(),
        vertices: Vec::new(),
        ids: FxHashMap::default(),
        drawn: Vec::new(),
        link_ids: FxHashSet::default(),
        edges: Vec::new(),
        to,
    };
    parser.front_matter()?;
    parser.header()?;
    while parser.statement()? {
        let read = parser.cursor.at();
        let more = read - std::mem::replace(&mut parser.told, read);
        parser.to.step(more)?;
    }
    if let Some(open) = parser.scopes.last() {
        parser.cursor.go(open.begin);
        let wrong = "a subgraph begins here and does not end; write 'end' after what is in it";
        return Err(parser.cursor.wrong(wrong));
    }
    parser.finish()
}

impl<'a> Parser<'a, '_, '_> {
    /// Passes over the lines between two of `---` at the start.
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
        let wrong = "lines about the file begin here with '---' and do not end with '---'";
        Err(self.cursor.wrong(wrong))
    }

    /// Reads which diagram it is, and where it is drawn to.
    fn header(&mut self) -> Result<(), FormatError> {
        self.cursor.skip_lines()?;
        let begin = self.cursor.at();
        let kind = self.cursor.take_while(|c| c.is_alphanumeric() || c == '-');
        let known = ["flowchart", "graph", "flowchart-elk"];
        if !known.iter().any(|known| kind.eq_ignore_ascii_case(known)) {
            self.cursor.go(begin);
            return Err(self
                .cursor
                .expected("'flowchart' or 'graph', the only diagrams of Mermaid that are read,"));
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

    /// Reads a statement; whether there was one.
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
                        format!("'{word}' begins here with '{{' and does not end with '}}'");
                    return Err(self.cursor.wrong(wrong));
                };
                self.cursor.take(length + 1);
                self.described(word);
            }
            "end" if is_alone => {
                if self.scopes.pop().is_none() {
                    self.cursor.go(begin);
                    let wrong = "'end' is here, and no subgraph is open; leave it out";
                    return Err(self.cursor.wrong(wrong));
                }
            }
            "subgraph" if is_apart && !is_linked => self.subgraph(begin)?,
            "class" if is_apart && !is_alone && !is_linked => self.class()?,
            word if LOOKS.contains(&word) && is_apart && !is_alone && !is_linked => {
                self.pass_statement();
                self.not_read(word);
            }
            id if self.link_ids.contains(id) && self.cursor.rest().starts_with("@{") => {
                self.cursor.eat("@{");
                shape::properties(&mut self.cursor)?;
                self.not_read("@{ } of a link");
            }
            _ => {
                self.cursor.go(begin);
                self.chain()?;
            }
        }
        self.separator("a link such as '-->', or ';' or a new line after the statement")?;
        Ok(true)
    }

    /// Notes what is said of the whole; what it is called is no loss.
    fn described(&mut self, word: &str) {
        if word != "accTitle" {
            self.to.note_left_out(word);
        }
    }

    /// Notes that something was not read.
    fn not_read(&mut self, what: &str) {
        let location = self.cursor.location();
        self.to.repair("left_out_element", location, || {
            format!("'{what}' has no counterpart; it was left out")
        });
    }

    /// Passes over the rest of a statement, in which quotes may have anything.
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

    /// Reads which class nodes have: `class a,b name`.
    fn class(&mut self) -> Result<(), FormatError> {
        let statement = self.cursor.take_while(|c| c != '\n' && c != ';');
        let statement = before_remark(statement);
        let Some((nodes, class)) = statement.rsplit_once(char::is_whitespace) else {
            return Err(self.cursor.expected("the name of a class after the nodes"));
        };
        for node in nodes.split(',') {
            // As in Mermaid, nothing is said of nodes that come later.
            if let Some(&at) = self.ids.get(node.trim()) {
                self.to.fill(weight(class))?;
                self.vertices[at].classes.insert(class);
            }
        }
        Ok(())
    }

    /// Reads what a subgraph is called, and opens it.
    fn subgraph(&mut self, begin: usize) -> Result<(), FormatError> {
        let outer = self.scopes.last().map(|scope| scope.subgraph);
        if self.scopes.len() >= MAX_DEPTH {
            return Err(FormatError::TooLarge {
                what: "subgraphs in each other",
                most: MAX_DEPTH,
            });
        }
        if outer.is_some() {
            let location = self.cursor.location();
            self.to.repair("nested_subgraph", location, || {
                "a subgraph is in another; its nodes keep only in which of them they are first"
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

    /// Reads the id and title of a subgraph, of which one may stand for both.
    fn named(&mut self) -> Result<Subgraph<'a>, FormatError> {
        let (id, mut title) = if self.cursor.peek() == Some('"') {
            let text = self.cursor.quoted()?;
            let is_quoted = true;
            (text, Raw { text, is_quoted })
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
            let text = before_remark(self.cursor.since(start));
            let is_quoted = false;
            (text, Raw { text, is_quoted })
        };
        if self.cursor.eat("[") {
            title = self.cursor.text_until("[", &["]"])?.0;
        }
        let title = shown(title);
        if title.has_html {
            html(self.to, self.cursor.location());
        }
        Ok(Subgraph {
            id,
            title: title.text,
        })
    }

    /// Reads nodes, and the links between them.
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
            match Way::of(&link) {
                Way::Forward => self.join(&tails, &heads, &link)?,
                Way::Backward => self.join(&heads, &tails, &link)?,
                Way::Undirected => {
                    self.to.note_undirected(location);
                    self.join(&tails, &heads, &link)?;
                }
                Way::Unseen => self.not_read("~~~"),
            }
            tails = heads;
        }
    }

    /// Reads a node, or several with `&` between them.
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

    /// The place of the node with an id, which is added if it is new.
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

    /// Adds the edges of a link: from each of some nodes to each of others.
    fn join(
        &mut self,
        sources: &[usize],
        targets: &[usize],
        link: &Link<'a>,
    ) -> Result<(), FormatError> {
        let location = self.cursor.location();
        let said = Drawn::of(link, location, self.to);
        let drawn = self.drawn.len();
        let mut filled = 0;
        for &source in sources {
            for &target in targets {
                let count = self.edges.len() + 1;
                self.to.check_count(ElementKind::Edge, count)?;
                self.to.fill(filled)?;
                filled = said.weight();
                self.edges.push(Edge {
                    source,
                    target,
                    drawn,
                });
            }
        }
        self.drawn.push(said);
        Ok(())
    }

    /// Adds everything as nodes and edges.
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
            self.drawn[edge.drawn].add(source, target, self.to)?;
        }
        Ok(())
    }
}

/// What stands before a remark in the same line.
fn before_remark(line: &str) -> &str {
    line.split("%%").next().unwrap_or_default().trim()
}
