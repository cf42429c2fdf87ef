//! Streaming XML reader within limits: no tree is built, and no token exceeds its limit.
//!
//! Document type declarations are rejected, so no entity can be expanded. Comments and processing instructions are ignored.
//! Namespaces are identified by URI, whatever the prefix.

pub(crate) mod element;

pub(crate) mod budget;
pub(crate) mod meter;

pub(crate) mod attributes;
pub(crate) mod fast_tags;
pub(crate) mod fragment;

pub(crate) mod attribute_values;

pub(crate) mod capture;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Read;

use fibula_core::graph::model::{Attribute, is_xml_name, no_character};
use quick_xml::XmlVersion;
use quick_xml::escape::EscapeError;
use quick_xml::events::attributes::AttrError;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::{Namespace, NamespaceResolver, PrefixDeclaration, QName, ResolveResult};
use quick_xml::reader::NsReader;

use crate::error::{Locate, Location, Problem, ReadError, brief};
use crate::limits::Limits;
use capture::UNDECLARED;
use element::{Element, Schema};
use meter::{MeteredReader, token_too_long};

/// Maximum number of bytes of a namespace URI.
const LONGEST_NAMESPACE: usize = 1000;

/// Reads a part as a stream of elements.
pub(crate) struct XmlReader<R> {
    reader: NsReader<MeteredReader<R>>,
    buffer: Vec<u8>,
    location: Location,
    limits: Limits,
    /// Number of open elements.
    depth: usize,
}

/// Child element or text of an element, or its end.
pub(crate) enum Content {
    Child(Element),
    Text(String),
    End,
}

enum Token {
    Start(Element),
    End,
    Text(String),
    Eof,
}

/// Detail in which start tags and texts are returned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Detail {
    Full,
    Structure,
}

impl<R: Read> XmlReader<R> {
    pub(crate) fn new(part: R, name: &str, limits: &Limits) -> Self {
        let meter = MeteredReader::new(part, limits.token);
        let mut reader = NsReader::from_reader(meter);
        reader.config_mut().expand_empty_elements = true;
        reader.config_mut().enable_all_checks(true);
        XmlReader {
            reader,
            buffer: Vec::new(),
            location: Location::part(name),
            limits: *limits,
            depth: 0,
        }
    }

    /// Number of open elements.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// Underlying reader. Bytes may be consumed there only between an element's start or end and what follows.
    pub(crate) fn meter(&mut self) -> &mut MeteredReader<R> {
        self.reader.get_mut()
    }

    /// Namespace of a prefix at the current position.
    pub(crate) fn namespace(&self, prefix: &str) -> Option<String> {
        match resolve_prefix(self.resolver(), prefix) {
            ResolveResult::Bound(uri) => Some(unescape_namespace(uri).into_owned()),
            ResolveResult::Unbound | ResolveResult::Unknown(_) => None,
        }
    }

    /// Namespaces of all prefixes that are declared at the current position.
    pub(crate) fn declared_prefixes(&self) -> BTreeMap<String, String> {
        let bindings = self.resolver().bindings();
        let named = bindings.filter_map(|(prefix, uri)| match prefix {
            PrefixDeclaration::Named(prefix) => {
                Some((prefix.to_owned(), unescape_namespace(uri).into_owned()))
            }
            PrefixDeclaration::Default => None,
        });
        named.collect()
    }

    /// Skips until so many elements are open.
    pub(crate) fn close_to(&mut self, depth: usize) -> Result<(), ReadError> {
        while self.depth > depth {
            if let Token::Eof = self.next(Detail::Structure)? {
                return Err(self.cut_off());
            }
        }
        Ok(())
    }

    /// Current location.
    pub(crate) fn location(&self) -> &Location {
        &self.location
    }

    /// Returns the problem with the current location.
    pub(crate) fn error(&self, problem: Problem) -> ReadError {
        problem.at(self.location.clone())
    }

    /// Returns the problem with the location of what comes next.
    pub(crate) fn error_ahead(&self, problem: Problem) -> ReadError {
        problem.at(self.location.at_line(self.reader.get_ref().line()))
    }

    /// True if the element that was just started is empty and closes itself: `<vertices/>`.
    pub(crate) fn is_self_closed(&self) -> bool {
        self.reader.get_ref().ends_self_closing_tag()
    }

    /// Returns the value of a required attribute.
    pub(crate) fn required<'e>(
        &self,
        element: &'e Element,
        name: &'static str,
    ) -> Result<&'e str, ReadError> {
        element.attribute(name).ok_or_else(|| {
            let problem = Problem::MissingAttribute {
                element: brief(&element.name),
                attribute: name.to_owned(),
            };
            problem.at(self.location.at_line(element.line))
        })
    }

    /// Reads the start of the root element.
    pub(crate) fn read_root(&mut self) -> Result<Element, ReadError> {
        match self.next(Detail::Full)? {
            Token::Start(element) => Ok(element),
            Token::Text(_) => {
                Err(self.error(Problem::xml("there is text before the root element")))
            }
            Token::End | Token::Eof => Err(self.error(Problem::xml("the part has no element"))),
        }
    }

    /// Reads the start of the next child of the open element, ignoring text. Returns `None` and closes the element at its
    /// end.
    pub(crate) fn next_child(&mut self) -> Result<Option<Element>, ReadError> {
        loop {
            match self.next(Detail::Full)? {
                Token::Start(element) => return Ok(Some(element)),
                Token::Text(_) => {}
                Token::End => return Ok(None),
                Token::Eof => return Err(self.cut_off()),
            }
        }
    }

    /// Reads the next child or text of the open element, and closes the element at its end.
    pub(crate) fn next_content(&mut self) -> Result<Content, ReadError> {
        match self.next(Detail::Full)? {
            Token::Start(element) => Ok(Content::Child(element)),
            Token::Text(text) => Ok(Content::Text(text)),
            Token::End => Ok(Content::End),
            Token::Eof => Err(self.cut_off()),
        }
    }

    /// Skips the rest of the open element and closes it.
    pub(crate) fn skip(&mut self) -> Result<(), ReadError> {
        self.close_to(self.depth - 1)
    }

    /// Reads the text of the open element and closes it; its child elements are ignored, and their names added to `skipped`.
    pub(crate) fn read_text(&mut self, skipped: &mut Vec<String>) -> Result<String, ReadError> {
        let mut text = String::new();
        loop {
            match self.next(Detail::Full)? {
                Token::Text(more) => text.push_str(&more),
                Token::Start(child) => {
                    skipped.push(child.name);
                    self.skip()?;
                }
                Token::End => return Ok(text),
                Token::Eof => return Err(self.cut_off()),
            }
            if text.len() > self.limits.token {
                return Err(self.error(token_too_long(self.limits.token)));
            }
        }
    }

    /// Reads a part that is a list: visits the children of the root, which has this schema and name; `problem` is that of
    /// another root.
    pub(crate) fn read_list(
        mut self,
        schema: Schema,
        name: &str,
        problem: Problem,
        mut visit: impl FnMut(&Self, &Element) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        if !self.read_root()?.is(schema, name) {
            return Err(self.error(problem));
        }
        while let Some(child) = self.next_child()? {
            visit(&self, &child)?;
            self.skip()?;
        }
        self.expect_end()
    }

    /// Checks that nothing follows the root element.
    pub(crate) fn expect_end(&mut self) -> Result<(), ReadError> {
        loop {
            match self.next(Detail::Full)? {
                Token::Eof => return Ok(()),
                Token::Text(text) if text.trim().is_empty() => {}
                Token::Start(_) | Token::End | Token::Text(_) => {
                    return Err(self.error(Problem::xml("there is content after the root element")));
                }
            }
        }
    }

    fn cut_off(&self) -> ReadError {
        self.error(Problem::xml("the part ends within an element"))
    }

    fn next(&mut self, detail: Detail) -> Result<Token, ReadError> {
        loop {
            if let Some(item) = self.read_event(|xml, event| xml.token(event, detail))? {
                return Ok(item);
            }
        }
    }

    /// Reads one event, and passes it to `visit`.
    pub(crate) fn read_event<T>(
        &mut self,
        visit: impl FnOnce(&mut Self, &Event<'_>) -> Result<T, Problem>,
    ) -> Result<T, ReadError> {
        let meter = self.reader.get_mut();
        self.location.line = Some(meter.start_token());
        self.buffer.clear();
        // The buffer is moved out while an event borrows from it.
        let mut buffer = std::mem::take(&mut self.buffer);
        let result = match self.reader.read_event_into(&mut buffer) {
            Ok(event) => visit(self, &event),
            Err(error) => Err(xml_problem(&error)),
        };
        self.buffer = buffer;
        result.at(self.location())
    }

    /// Counts the open elements, and rejects what no part may have.
    pub(crate) fn check_event(&mut self, event: &Event<'_>) -> Result<(), Problem> {
        self.token(event, Detail::Structure).map(|_| ())
    }

    /// Namespace bindings at the current position.
    pub(crate) fn resolver(&self) -> &NamespaceResolver {
        self.reader.resolver()
    }

    /// Limits of the reader.
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Token of an event; `None` for ignored events.
    fn token(&mut self, event: &Event<'_>, detail: Detail) -> Result<Option<Token>, Problem> {
        if let Event::Start(_) | Event::Empty(_) | Event::Text(_) | Event::CData(_) = event {
            check_characters(event)?;
        }
        Ok(match event {
            Event::Start(start) | Event::Empty(start) => {
                self.depth += 1;
                if self.depth > self.limits.depth {
                    return Err(Problem::TooDeep(self.limits.depth));
                }
                Some(Token::Start(self.element(start, detail)?))
            }
            Event::End(_) => {
                self.depth -= 1;
                Some(Token::End)
            }
            Event::Text(_) | Event::CData(_) if detail == Detail::Structure => None,
            Event::Text(text) => match text.xml10_content() {
                text if text.trim().is_empty() && self.depth == 0 => None,
                text => Some(Token::Text(text.into_owned())),
            },
            Event::CData(text) => Some(Token::Text(text.xml10_content().into_owned())),
            Event::GeneralRef(reference) => {
                let character = reference.resolve_char_ref();
                let character = character.map_err(|error| xml_problem(&error))?;
                let name = reference.xml10_content();
                let known = quick_xml::escape::resolve_xml_entity(&name);
                match (character.map(String::from), known) {
                    (Some(character), _) => {
                        check_characters(&character)?;
                        Some(Token::Text(character))
                    }
                    (None, Some(text)) => Some(Token::Text(text.to_owned())),
                    (None, None) => return Err(unknown_entity(&name)),
                }
            }
            Event::Comment(_) | Event::PI(_) => None,
            Event::Decl(declaration) => {
                let encoding = declaration.encoding().transpose();
                let encoding = encoding.map_err(|error| xml_problem(&error.into()))?;
                let other = encoding.filter(|name| !name.eq_ignore_ascii_case("utf-8"));
                if let Some(name) = other {
                    let name = brief(&name);
                    let text =
                        format!("the part declares the encoding {name}; only UTF-8 is supported");
                    return Err(Problem::Xml(text));
                }
                None
            }
            Event::DocType(_) => {
                let text = "the part has a document type declaration";
                return Err(Problem::Entity(text.to_owned()));
            }
            Event::Eof if self.depth > 0 => {
                return Err(Problem::xml("the part ends within an element"));
            }
            Event::Eof => Some(Token::Eof),
        })
    }

    fn element(&self, start: &BytesStart<'_>, detail: Detail) -> Result<Element, Problem> {
        let mut element = Element {
            schema: Schema::Other,
            namespace: String::new(),
            name: String::new(),
            attributes: Vec::new(),
            prefixed: Vec::new(),
            line: self.location.line.unwrap_or(1),
            tag: String::new(),
        };
        if detail == Detail::Structure {
            return Ok(element);
        }
        check_element_name(start.name())?;
        let (space, name) = self.reader.resolver().resolve_element(start.name());
        if let ResolveResult::Bound(uri) = space {
            let uri = unescape_namespace(uri);
            element.schema = Schema::from_uri(&uri);
            element.namespace = uri.into_owned();
        }
        name.into_inner().clone_into(&mut element.name);
        element.tag.push_str(start);
        for (count, attribute) in start.attributes().enumerate() {
            if count == self.limits.attributes {
                let limit = self.limits.attributes as u64;
                let what = "the number of attributes of an element";
                return Err(Problem::too_large(what, limit));
            }
            let attribute = attribute.map_err(|error| xml_problem(&error.into()))?;
            check_name(attribute.key)?;
            if attribute.key.as_namespace_binding().is_some() {
                // The URI is repeated for every element and attribute that has the prefix.
                if attribute.value.len() > LONGEST_NAMESPACE {
                    return Err(Problem::too_large(
                        "the name of a namespace in bytes",
                        LONGEST_NAMESPACE as u64,
                    ));
                }
                check_characters(&unescape_namespace(Namespace(&attribute.value)))?;
                continue;
            }
            let value = attribute
                .normalized_value(XmlVersion::Explicit1_0)
                .map_err(|error| xml_problem(&error))?
                .into_owned();
            check_characters(&value)?;
            let (space, name) = self.reader.resolver().resolve_attribute(attribute.key);
            match space {
                ResolveResult::Unbound => {
                    element
                        .attributes
                        .push((name.into_inner().to_owned(), value));
                }
                ResolveResult::Bound(uri) => {
                    let attribute =
                        Attribute::new(unescape_namespace(uri), name.into_inner(), value);
                    element.prefixed.push(attribute);
                }
                ResolveResult::Unknown(prefix) => {
                    let namespace = format!("{UNDECLARED}{prefix}");
                    let attribute = Attribute::new(&namespace, name.into_inner(), value);
                    element.prefixed.push(attribute);
                }
            }
        }
        Ok(element)
    }
}

/// Resolves a prefix; the empty one is that of element names without a prefix.
pub(crate) fn resolve_prefix<'r>(
    resolver: &'r NamespaceResolver,
    prefix: &str,
) -> ResolveResult<'r> {
    if prefix.is_empty() {
        return resolver.resolve_prefix(None, true);
    }
    let name = format!("{prefix}:name");
    resolver.resolve_attribute(QName(&name)).0
}

/// URI of a namespace with its character references resolved, which quick-xml leaves as they are written.
pub(crate) fn unescape_namespace(namespace: Namespace<'_>) -> Cow<'_, str> {
    let raw = namespace.into_inner();
    quick_xml::escape::unescape(raw).unwrap_or(Cow::Borrowed(raw))
}

/// Rejects characters that XML cannot have.
fn check_characters(text: &str) -> Result<(), Problem> {
    no_character(text).map_or(Ok(()), |problem| {
        Err(Problem::Xml(format!("there is {problem}")))
    })
}

/// Rejects an invalid name of an element.
pub(crate) fn check_element_name(name: QName<'_>) -> Result<(), Problem> {
    if name.prefix().is_some_and(|prefix| prefix.is_xmlns()) {
        let text = format!(
            "the element {} has the reserved prefix xmlns",
            brief(name.into_inner())
        );
        return Err(Problem::Xml(text));
    }
    check_name(name)
}

/// Rejects an invalid name of an element or attribute.
pub(crate) fn check_name(name: QName<'_>) -> Result<(), Problem> {
    let name = name.into_inner();
    if is_xml_name(name) {
        return Ok(());
    }
    let text = format!(
        "{} is not a valid name of an element or attribute",
        brief(name)
    );
    Err(Problem::Xml(text))
}

fn unknown_entity(name: &str) -> Problem {
    Problem::Entity(format!("the part uses the entity &{};", brief(name)))
}

/// Problem of an error of the XML parser.
pub(crate) fn xml_problem(error: &quick_xml::Error) -> Problem {
    match error {
        quick_xml::Error::Io(error) => match error
            .get_ref()
            .and_then(|inner| inner.downcast_ref::<Problem>())
        {
            Some(problem) => problem.clone(),
            None => Problem::Damaged(error.to_string()),
        },
        quick_xml::Error::Escape(EscapeError::UnrecognizedEntity(_, name)) => unknown_entity(name),
        quick_xml::Error::InvalidAttr(AttrError::Duplicated(..)) => {
            Problem::xml("the element has a duplicate attribute")
        }
        error => Problem::Xml(format!(
            "the XML is not well-formed: {}",
            brief(&error.to_string())
        )),
    }
}
