//! A stream of XML elements within limits: no tree is built, and no token outgrows its limit.
//!
//! Declarations of document types and entities are refused, so nothing can be expanded. Comments and processing
//! instructions are passed over. Namespaces are told by their URI, whatever the prefix.

use std::borrow::Cow;
use std::io::Read;

use fibula_core::graph::model::{Attribute, is_xml_name, no_character};
use quick_xml::XmlVersion;
use quick_xml::escape::EscapeError;
use quick_xml::events::attributes::AttrError;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::{Namespace, NamespaceResolver, QName, ResolveResult};
use quick_xml::reader::NsReader;

use super::Limits;
use super::element::{Element, Space};
use super::error::{Location, Problem, ReadError, brief};
use super::meter::{Meter, too_long};

/// The most bytes that the name of a namespace may have.
const LONGEST_NAMESPACE: usize = 1000;

/// Reads a part as a stream of elements.
pub(super) struct Xml<R> {
    reader: NsReader<Meter<R>>,
    buffer: Vec<u8>,
    place: Location,
    limits: Limits,
    /// How many elements are open.
    depth: usize,
}

enum Item {
    Start(Element),
    End,
    Text(String),
    Eof,
}

/// What is wanted of an element's start and of text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Everything,
    Structure,
}

impl<R: Read> Xml<R> {
    pub(super) fn new(part: R, name: &str, limits: &Limits) -> Self {
        let meter = Meter::new(part, limits.token);
        let mut reader = NsReader::from_reader(meter);
        reader.config_mut().expand_empty_elements = true;
        reader.config_mut().enable_all_checks(true);
        Xml {
            reader,
            buffer: Vec::new(),
            place: Location::part(name),
            limits: *limits,
            depth: 0,
        }
    }

    /// How many elements are open.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// What comes next, before it is taken for XML. Only between an element's start or end and what follows may
    /// something be passed there.
    pub(super) fn meter(&mut self) -> &mut Meter<R> {
        self.reader.get_mut()
    }

    /// The namespace that a prefix stands for where the reader is.
    pub(super) fn namespace(&self, prefix: &str) -> Option<String> {
        match bound(self.resolver(), prefix) {
            ResolveResult::Bound(uri) => Some(plain(uri).into_owned()),
            ResolveResult::Unbound | ResolveResult::Unknown(_) => None,
        }
    }

    /// Passes over everything until so many elements are open.
    pub(super) fn close(&mut self, depth: usize) -> Result<(), ReadError> {
        while self.depth > depth {
            if let Item::Eof = self.next(Wanted::Structure)? {
                return Err(self.cut_off());
            }
        }
        Ok(())
    }

    /// Where the reader is.
    pub(super) fn place(&self) -> Location {
        self.place.clone()
    }

    /// Where the reader is.
    pub(super) fn here(&self) -> &Location {
        &self.place
    }

    /// The problem at the place where the reader is.
    pub(super) fn error(&self, problem: Problem) -> ReadError {
        problem.at(self.place.clone())
    }

    /// The problem at what comes next.
    pub(super) fn error_ahead(&self, problem: Problem) -> ReadError {
        problem.at(self.place.at_line(self.reader.get_ref().line()))
    }

    /// Whether the element that was just started has closed itself, so that nothing is inside: `<vertices/>`.
    pub(super) fn is_closed(&self) -> bool {
        self.reader.get_ref().is_after_closed()
    }

    /// The value of an attribute that must be there.
    pub(super) fn required<'e>(
        &self,
        element: &'e Element,
        name: &'static str,
    ) -> Result<&'e str, ReadError> {
        element.attribute(name).ok_or_else(|| {
            let problem = Problem::MissingAttribute {
                element: brief(&element.name),
                attribute: name.to_owned(),
            };
            problem.at(self.place.at_line(element.line))
        })
    }

    /// The start of the outermost element.
    pub(super) fn root(&mut self) -> Result<Element, ReadError> {
        match self.next(Wanted::Everything)? {
            Item::Start(element) => Ok(element),
            Item::Text(_) => Err(self.error(Problem::Xml(
                "there is text before the first element".to_owned(),
            ))),
            Item::End | Item::Eof => {
                Err(self.error(Problem::Xml("the part has no element".to_owned())))
            }
        }
    }

    /// The next child of the open element, which is open afterwards; `None` when the element is at its end, and
    /// closed afterwards. Text is passed over.
    pub(super) fn child(&mut self) -> Result<Option<Element>, ReadError> {
        loop {
            match self.next(Wanted::Everything)? {
                Item::Start(element) => return Ok(Some(element)),
                Item::Text(_) => {}
                Item::End => return Ok(None),
                Item::Eof => return Err(self.cut_off()),
            }
        }
    }

    /// Passes over the rest of the open element and closes it.
    pub(super) fn skip(&mut self) -> Result<(), ReadError> {
        self.close(self.depth - 1)
    }

    /// The text of the open element, which is closed afterwards; the elements in it are passed over.
    pub(super) fn text(&mut self) -> Result<String, ReadError> {
        let mut text = String::new();
        loop {
            match self.next(Wanted::Everything)? {
                Item::Text(more) => text.push_str(&more),
                Item::Start(_) => self.skip()?,
                Item::End => return Ok(text),
                Item::Eof => return Err(self.cut_off()),
            }
            if text.len() > self.limits.token {
                return Err(self.error(too_long(self.limits.token)));
            }
        }
    }

    /// Makes sure that nothing follows the outermost element.
    pub(super) fn finish(&mut self) -> Result<(), ReadError> {
        loop {
            match self.next(Wanted::Everything)? {
                Item::Eof => return Ok(()),
                Item::Text(text) if text.trim().is_empty() => {}
                Item::Start(_) | Item::End | Item::Text(_) => {
                    return Err(self.error(Problem::Xml(
                        "there is more after the end of the first element".to_owned(),
                    )));
                }
            }
        }
    }

    fn cut_off(&self) -> ReadError {
        self.error(Problem::Xml(
            "the part ends inside of an element".to_owned(),
        ))
    }

    fn next(&mut self, wanted: Wanted) -> Result<Item, ReadError> {
        loop {
            if let Some(item) = self.step(|xml, event| xml.item(event, wanted))? {
                return Ok(item);
            }
        }
    }

    /// Reads one event.
    pub(super) fn step<T>(
        &mut self,
        see: impl FnOnce(&mut Self, &Event<'_>) -> Result<T, Problem>,
    ) -> Result<T, ReadError> {
        let meter = self.reader.get_mut();
        self.place.line = Some(meter.start_token());
        self.buffer.clear();
        // The buffer is taken out while an event borrows from it.
        let mut buffer = std::mem::take(&mut self.buffer);
        let seen = match self.reader.read_event_into(&mut buffer) {
            Ok(event) => see(self, &event),
            Err(error) => Err(problem(&error)),
        };
        self.buffer = buffer;
        seen.map_err(|problem| self.error(problem))
    }

    /// Counts the elements that are open, and refuses what no part may have; `None` for what is passed over.
    pub(super) fn check(&mut self, event: &Event<'_>) -> Result<(), Problem> {
        self.item(event, Wanted::Structure).map(|_| ())
    }

    /// The namespaces where the reader is.
    pub(super) fn resolver(&self) -> &NamespaceResolver {
        self.reader.resolver()
    }

    /// The limits within which is read.
    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The item of an event; `None` for those that are passed over.
    fn item(&mut self, event: &Event<'_>, wanted: Wanted) -> Result<Option<Item>, Problem> {
        if let Event::Start(_) | Event::Empty(_) | Event::Text(_) | Event::CData(_) = event {
            characters(event)?;
        }
        Ok(match event {
            Event::Start(start) | Event::Empty(start) => {
                self.depth += 1;
                if self.depth > self.limits.depth {
                    return Err(Problem::TooDeep(self.limits.depth));
                }
                Some(Item::Start(self.element(start, wanted)?))
            }
            Event::End(_) => {
                self.depth -= 1;
                Some(Item::End)
            }
            Event::Text(_) | Event::CData(_) if wanted == Wanted::Structure => None,
            Event::Text(text) => match text.xml10_content() {
                text if text.trim().is_empty() && self.depth == 0 => None,
                text => Some(Item::Text(text.into_owned())),
            },
            Event::CData(text) => Some(Item::Text(text.xml10_content().into_owned())),
            Event::GeneralRef(reference) => {
                let character = reference
                    .resolve_char_ref()
                    .map_err(|error| problem(&error))?;
                let name = reference.xml10_content();
                let known = quick_xml::escape::resolve_xml_entity(&name);
                match (character.map(String::from), known) {
                    (Some(character), _) => {
                        characters(&character)?;
                        Some(Item::Text(character))
                    }
                    (None, Some(text)) => Some(Item::Text(text.to_owned())),
                    (None, None) => return Err(unknown_entity(&name)),
                }
            }
            Event::Comment(_) | Event::PI(_) => None,
            Event::Decl(declaration) => {
                let encoding = declaration
                    .encoding()
                    .transpose()
                    .map_err(|error| problem(&error.into()))?;
                match encoding {
                    Some(name) if !name.eq_ignore_ascii_case("utf-8") => {
                        let text = format!(
                            "the part says that it is written in {}; only UTF-8 is read",
                            brief(&name)
                        );
                        return Err(Problem::Xml(text));
                    }
                    Some(_) | None => None,
                }
            }
            Event::DocType(_) => {
                return Err(Problem::Entity(
                    "the part declares a document type".to_owned(),
                ));
            }
            Event::Eof if self.depth > 0 => {
                return Err(Problem::Xml(
                    "the part ends inside of an element".to_owned(),
                ));
            }
            Event::Eof => Some(Item::Eof),
        })
    }

    fn element(&self, start: &BytesStart<'_>, wanted: Wanted) -> Result<Element, Problem> {
        let mut element = Element {
            space: Space::Other,
            namespace: String::new(),
            name: String::new(),
            attributes: Vec::new(),
            others: Vec::new(),
            line: self.place.line.unwrap_or(1),
            tag: String::new(),
        };
        if wanted == Wanted::Structure {
            return Ok(element);
        }
        element_named(start.name())?;
        let (space, name) = self.reader.resolver().resolve_element(start.name());
        if let ResolveResult::Bound(uri) = space {
            let uri = plain(uri);
            element.space = Space::of(&uri);
            element.namespace = uri.into_owned();
        }
        name.into_inner().clone_into(&mut element.name);
        element.tag.push_str(start);
        for (count, attribute) in start.attributes().enumerate() {
            if count == self.limits.attributes {
                let limit = self.limits.attributes as u64;
                return Err(Problem::TooLarge {
                    what: "the number of attributes of an element",
                    limit,
                });
            }
            let attribute = attribute.map_err(|error| problem(&error.into()))?;
            named(attribute.key)?;
            if attribute.key.as_namespace_binding().is_some() {
                // It is said again of every element and attribute that has the prefix.
                if attribute.value.len() > LONGEST_NAMESPACE {
                    return Err(Problem::TooLarge {
                        what: "the name of a namespace in bytes",
                        limit: LONGEST_NAMESPACE as u64,
                    });
                }
                characters(&plain(Namespace(&attribute.value)))?;
                continue;
            }
            let value = attribute
                .normalized_value(XmlVersion::Explicit1_0)
                .map_err(|error| problem(&error))?
                .into_owned();
            characters(&value)?;
            let (space, name) = self.reader.resolver().resolve_attribute(attribute.key);
            match space {
                ResolveResult::Unbound => {
                    element
                        .attributes
                        .push((name.into_inner().to_owned(), value));
                }
                ResolveResult::Bound(uri) => element.others.push(Attribute {
                    namespace: plain(uri).into_owned(),
                    name: name.into_inner().to_owned(),
                    value,
                }),
                // Kept as it is written: what the prefix stands for is not said.
                ResolveResult::Unknown(_) => element.others.push(Attribute {
                    namespace: String::new(),
                    name: attribute.key.into_inner().to_owned(),
                    value,
                }),
            }
        }
        Ok(element)
    }
}

/// What a prefix stands for; that of names without one if it is empty.
pub(super) fn bound<'r>(resolver: &'r NamespaceResolver, prefix: &str) -> ResolveResult<'r> {
    if prefix.is_empty() {
        return resolver.resolve_prefix(None, true);
    }
    let name = format!("{prefix}:name");
    resolver.resolve_attribute(QName(&name)).0
}

/// The name of a namespace, whose references the reader leaves as they are written: `&amp;` stands for `&`.
pub(crate) fn plain(namespace: Namespace<'_>) -> Cow<'_, str> {
    let raw = namespace.into_inner();
    quick_xml::escape::unescape(raw).unwrap_or(Cow::Borrowed(raw))
}

/// Refuses characters that no XML has.
fn characters(text: &str) -> Result<(), Problem> {
    no_character(text).map_or(Ok(()), |problem| {
        Err(Problem::Xml(format!("there is {problem}")))
    })
}

/// Refuses what cannot be the name of an element.
pub(super) fn element_named(name: QName<'_>) -> Result<(), Problem> {
    if name.prefix().is_some_and(|prefix| prefix.is_xmlns()) {
        let text = format!(
            "the element {} has the prefix of declarations",
            brief(name.into_inner())
        );
        return Err(Problem::Xml(text));
    }
    named(name)
}

/// Refuses what cannot be the name of an element or attribute.
pub(super) fn named(name: QName<'_>) -> Result<(), Problem> {
    let name = name.into_inner();
    if is_xml_name(name) {
        return Ok(());
    }
    let text = format!("{} is no name of an element or attribute", brief(name));
    Err(Problem::Xml(text))
}

fn unknown_entity(name: &str) -> Problem {
    Problem::Entity(format!("the part uses the entity &{};", brief(name)))
}

/// What an error of the XML reader means.
pub(super) fn problem(error: &quick_xml::Error) -> Problem {
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
            Problem::Xml("the element has one attribute twice".to_owned())
        }
        error => Problem::Xml(format!(
            "the XML is not well-formed: {}",
            brief(&error.to_string())
        )),
    }
}
