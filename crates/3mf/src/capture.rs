//! XML that is not understood, taken out of a part as a text of its own.
//!
//! The file's prefixes stay; each that is used is declared on the outermost element, whatever surrounded it in the
//! file, and so is each that may be that of a name in a value or text. Texts, sections of CDATA and references to characters stay as they are written; comments and processing
//! instructions are left out.

use std::collections::BTreeSet;
use std::io::Read;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::{
    Namespace, NamespaceResolver, Prefix, PrefixDeclaration, QName, ResolveResult,
};

use super::budget::Budget;
use super::element::Element;
use super::error::{Problem, ReadError, brief};
use super::fragment::prefixes_in;
use super::xml::{Xml, bound, element_named, named, problem};

/// A fragment while it is taken out.
#[derive(Default)]
struct Capture {
    text: String,
    /// Where the outermost tag takes declarations.
    head: usize,
    /// Prefixes that are declared inside, with the number of elements that were open then.
    inside: Vec<(usize, String)>,
    /// Prefixes that are used and not declared inside; empty for names without one.
    used: BTreeSet<String>,
    open: usize,
    /// Whether the last tag was a start that is not closed yet.
    started: bool,
}

impl<R: Read> Xml<R> {
    /// The element that was just started, as a text of its own; it is closed afterwards.
    ///
    /// # Errors
    /// When the XML is beyond the limits, or not well-formed.
    pub(super) fn fragment(
        &mut self,
        element: &Element,
        kept: &mut Budget,
    ) -> Result<String, ReadError> {
        let mut capture = Capture::default();
        let limits = *self.limits();
        let start = BytesStart::from_content(element.tag.as_str(), element.written().len());
        capture
            .start(&start, self.resolver(), limits.attributes)
            .and_then(|()| kept.bytes(capture.text.len()))
            .map_err(|problem| self.error(problem))?;
        // Bindings of the outermost element are gone when it ends.
        let mut declared: Vec<(String, String)> = Vec::new();
        while capture.open > 0 {
            let before = capture.text.len();
            self.step(|xml, event| {
                xml.check(event)?;
                match event {
                    Event::Start(start) | Event::Empty(start) => {
                        capture.start(start, xml.resolver(), limits.attributes)?;
                    }
                    Event::End(end) => {
                        if capture.open == 1 {
                            declared = capture.declarations(xml.resolver());
                        }
                        capture.end(end.name().as_ref());
                    }
                    Event::Text(text) => {
                        let text = text.xml10_content();
                        capture.names(&text, xml.resolver());
                        capture.content(&text);
                    }
                    Event::CData(text) => {
                        let text = text.xml10_content();
                        capture.names(&text, xml.resolver());
                        capture.content("<![CDATA[");
                        capture.content(&text);
                        capture.content("]]>");
                    }
                    Event::GeneralRef(reference) => {
                        capture.content("&");
                        capture.content(&reference.xml10_content());
                        capture.content(";");
                    }
                    Event::Comment(_)
                    | Event::PI(_)
                    | Event::Decl(_)
                    | Event::DocType(_)
                    | Event::Eof => {}
                }
                kept.bytes(capture.text.len() - before)
            })?;
        }
        let mut head = String::new();
        for (prefix, uri) in declared {
            head.push_str(" xmlns");
            if !prefix.is_empty() {
                head.push(':');
                head.push_str(&prefix);
            }
            head.push_str("=\"");
            escape(&uri, &mut head);
            head.push('"');
        }
        kept.bytes(head.len())
            .map_err(|problem| self.error(problem))?;
        capture.text.insert_str(capture.head, &head);
        Ok(capture.text)
    }
}

impl Capture {
    fn start(
        &mut self,
        start: &BytesStart<'_>,
        resolver: &NamespaceResolver,
        most: usize,
    ) -> Result<(), Problem> {
        self.close_tag();
        self.open += 1;
        for attribute in start.attributes().with_checks(false).flatten() {
            match attribute.key.as_namespace_binding() {
                Some(PrefixDeclaration::Default) => self.inside.push((self.open, String::new())),
                Some(PrefixDeclaration::Named(prefix)) => {
                    self.inside.push((self.open, prefix.to_owned()));
                }
                None => {}
            }
        }
        let name = start.name();
        element_named(name)?;
        self.uses(prefix_of(name).unwrap_or_default(), resolver)?;
        self.text.push('<');
        self.text.push_str(name.as_ref());
        for (count, attribute) in start.attributes().enumerate() {
            if count == most {
                return Err(Problem::TooLarge {
                    what: "the number of attributes of an element",
                    limit: most as u64,
                });
            }
            let attribute = attribute.map_err(|error| problem(&error.into()))?;
            attribute
                .normalized_value(XmlVersion::Explicit1_0)
                .map_err(|error| problem(&error))?;
            named(attribute.key)?;
            if attribute.key.as_namespace_binding().is_none() {
                if let Some(prefix) = prefix_of(attribute.key) {
                    self.uses(prefix, resolver)?;
                }
                self.names(&attribute.value, resolver);
            }
            self.text.push(' ');
            self.text.push_str(attribute.key.as_ref());
            self.text.push_str("=\"");
            escape(&attribute.value, &mut self.text);
            self.text.push('"');
        }
        if self.open == 1 {
            self.head = self.text.len();
        }
        self.started = true;
        Ok(())
    }

    fn end(&mut self, name: &str) {
        if self.started {
            self.text.push_str("/>");
            self.started = false;
        } else {
            self.text.push_str("</");
            self.text.push_str(name);
            self.text.push('>');
        }
        let open = self.open;
        self.inside.retain(|(depth, _)| *depth < open);
        self.open -= 1;
    }

    fn content(&mut self, text: &str) {
        if !text.is_empty() {
            self.close_tag();
            self.text.push_str(text);
        }
    }

    fn close_tag(&mut self) {
        if self.started {
            self.text.push('>');
            self.started = false;
        }
    }

    /// Notes the prefixes that stand for something of what may be names in a value or text.
    fn names(&mut self, text: &str, resolver: &NamespaceResolver) {
        for prefix in prefixes_in(text) {
            if let ResolveResult::Bound(_) = bound(resolver, prefix) {
                self.note(prefix);
            }
        }
    }

    /// Notes that a prefix is used; one that stands for nothing could not be written again.
    fn uses(&mut self, prefix: &str, resolver: &NamespaceResolver) -> Result<(), Problem> {
        if let ResolveResult::Unknown(_) = bound(resolver, prefix) {
            let text = format!(
                "the prefix {} stands for nothing; declare it by xmlns:{0}",
                brief(prefix)
            );
            return Err(Problem::Xml(text));
        }
        self.note(prefix);
        Ok(())
    }

    fn note(&mut self, prefix: &str) {
        let inside = self.inside.iter().any(|(_, one)| one == prefix);
        if !inside && !matches!(prefix, "xml" | "xmlns") && !self.used.contains(prefix) {
            self.used.insert(prefix.to_owned());
        }
    }

    /// What the prefixes stand for that are used and not declared inside; nothing for those that stand for nothing.
    fn declarations(&self, resolver: &NamespaceResolver) -> Vec<(String, String)> {
        let declaration = |prefix: &String| match bound(resolver, prefix) {
            ResolveResult::Bound(Namespace(uri)) => Some((prefix.clone(), uri.to_owned())),
            ResolveResult::Unbound => Some((prefix.clone(), String::new())),
            ResolveResult::Unknown(_) => None,
        };
        self.used.iter().filter_map(declaration).collect()
    }
}

fn prefix_of(name: QName<'_>) -> Option<&str> {
    name.prefix().map(Prefix::into_inner)
}

/// Writes a raw value so that it can stand between double quotes; its references stay.
fn escape(raw: &str, text: &mut String) {
    for c in raw.chars() {
        match c {
            '"' => text.push_str("&quot;"),
            '<' => text.push_str("&lt;"),
            c => text.push(c),
        }
    }
}
