//! Capture of unknown XML as a self-contained fragment.
//!
//! The file's prefixes stay; each that is used, or may be that of a name in a value or text, is declared on the outermost
//! element. Texts, CDATA sections and character references stay as they are written; comments and processing instructions
//! are left out.

use std::collections::BTreeSet;
use std::io::Read;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::{
    Namespace, NamespaceResolver, Prefix, PrefixDeclaration, QName, ResolveResult,
};

use super::budget::Budget;
use super::element::Element;
use super::fragment::qualified_prefixes;
use super::{XmlReader, check_element_name, check_name, resolve_prefix, xml_problem};
use crate::error::{Locate, Problem, ReadError};

/// Start of the namespaces that undeclared prefixes are given, so that what is kept can be written.
pub(crate) const UNDECLARED: &str = "urn:undeclared:";

/// State of a capture.
#[derive(Default)]
struct Capture {
    text: String,
    /// Position of the declarations in the outermost tag.
    head: usize,
    /// Prefixes that are declared inside, with the depth of their elements.
    declared_inside: Vec<(usize, String)>,
    /// Prefixes that are used and not declared inside; empty for names without one.
    used: BTreeSet<String>,
    open: usize,
    /// True if the last start tag is not closed yet.
    started: bool,
}

impl<R: Read> XmlReader<R> {
    /// Captures the element that was just started, and closes it.
    ///
    /// # Errors
    /// When the XML is beyond the limits, or not well-formed.
    pub(crate) fn capture(
        &mut self,
        element: &Element,
        budget: &mut Budget,
    ) -> Result<String, ReadError> {
        let mut capture = Capture::default();
        let limits = *self.limits();
        let start = BytesStart::from_content(element.tag.as_str(), element.qualified_name().len());
        capture
            .start(&start, self.resolver(), limits.attributes)
            .and_then(|()| budget.charge_bytes(capture.text.len()))
            .at(self.location())?;
        // The bindings of the outermost element are dropped at its end.
        let mut declared: Vec<(String, String)> = Vec::new();
        while capture.open > 0 {
            let before = capture.text.len();
            self.read_event(|xml, event| {
                xml.check_event(event)?;
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
                        capture.note_names(&text, xml.resolver());
                        capture.content(&text);
                    }
                    Event::CData(text) => {
                        let text = text.xml10_content();
                        capture.note_names(&text, xml.resolver());
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
                budget.charge_bytes(capture.text.len() - before)
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
        budget.charge_bytes(head.len()).at(self.location())?;
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
                Some(PrefixDeclaration::Default) => {
                    self.declared_inside.push((self.open, String::new()));
                }
                Some(PrefixDeclaration::Named(prefix)) => {
                    self.declared_inside.push((self.open, prefix.to_owned()));
                }
                None => {}
            }
        }
        let name = start.name();
        check_element_name(name)?;
        self.note_prefix(prefix_of(name).unwrap_or_default());
        self.text.push('<');
        self.text.push_str(name.as_ref());
        for (count, attribute) in start.attributes().enumerate() {
            if count == most {
                return Err(Problem::too_large(
                    "the number of attributes of an element",
                    most as u64,
                ));
            }
            let attribute = attribute.map_err(|error| xml_problem(&error.into()))?;
            attribute
                .normalized_value(XmlVersion::Explicit1_0)
                .map_err(|error| xml_problem(&error))?;
            check_name(attribute.key)?;
            if attribute.key.as_namespace_binding().is_none() {
                if let Some(prefix) = prefix_of(attribute.key) {
                    self.note_prefix(prefix);
                }
                self.note_names(&attribute.value, resolver);
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
        self.declared_inside.retain(|(depth, _)| *depth < open);
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

    /// Records the prefixes of possible names in a value or text, if they are bound.
    fn note_names(&mut self, text: &str, resolver: &NamespaceResolver) {
        for prefix in qualified_prefixes(text) {
            if let ResolveResult::Bound(_) = resolve_prefix(resolver, prefix) {
                self.note_prefix(prefix);
            }
        }
    }

    fn note_prefix(&mut self, prefix: &str) {
        let inside = self.declared_inside.iter().any(|(_, one)| one == prefix);
        if !inside && !matches!(prefix, "xml" | "xmlns") && !self.used.contains(prefix) {
            self.used.insert(prefix.to_owned());
        }
    }

    /// Namespaces of the prefixes that are used and not declared inside.
    fn declarations(&self, resolver: &NamespaceResolver) -> Vec<(String, String)> {
        let declaration = |prefix: &String| match resolve_prefix(resolver, prefix) {
            ResolveResult::Bound(Namespace(uri)) => (prefix.clone(), uri.to_owned()),
            ResolveResult::Unbound => (prefix.clone(), String::new()),
            ResolveResult::Unknown(_) => (prefix.clone(), format!("{UNDECLARED}{prefix}")),
        };
        self.used.iter().map(declaration).collect()
    }
}

fn prefix_of(name: QName<'_>) -> Option<&str> {
    name.prefix().map(Prefix::into_inner)
}

/// Escapes a raw value for double quotes; its references stay.
fn escape(raw: &str, text: &mut String) {
    for c in raw.chars() {
        match c {
            '"' => text.push_str("&quot;"),
            '<' => text.push_str("&lt;"),
            c => text.push(c),
        }
    }
}
