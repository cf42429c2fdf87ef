//! Namespace prefixes, all declared on the root element: some programs read declarations nowhere else.
//!
//! Kept XML declares the namespaces that it uses; it is rewritten with the prefixes of the part. Values and texts stay as
//! they are, so the prefixes of names in them must mean the same in the part; if they cannot, the XML stays as it is, with
//! its own declarations.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use fibula_core::graph::model::{Attribute, Extra};
use quick_xml::events::{BytesEnd, BytesStart, Event};
use quick_xml::name::{QName, ResolveResult};
use quick_xml::reader::NsReader;

use super::error::WriteError;
use crate::roundtrip::inner_content::InnerContents;
use crate::xml::fragment::{escape_quotes, qualified_prefixes};
use crate::xml::{resolve_prefix, unescape_namespace};

/// Namespace of the core specification, which has no prefix.
pub(super) const CORE: &str = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02";
/// Namespace of the volumetric extension.
pub(super) const VOLUMETRIC: &str = "http://schemas.3mf.io/3dmanufacturing/volumetric/2022/01";
/// Namespace of the implicit extension.
pub(super) const IMPLICIT: &str = "http://schemas.3mf.io/3dmanufacturing/implicit/2023/12";
/// Namespace that every document knows as `xml`.
const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// Usual prefixes of other extensions.
const USUAL: [(&str, &str); 9] = [
    (
        "m",
        "http://schemas.microsoft.com/3dmanufacturing/material/2015/02",
    ),
    (
        "p",
        "http://schemas.microsoft.com/3dmanufacturing/production/2015/06",
    ),
    (
        "b",
        "http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02",
    ),
    (
        "bb",
        "http://schemas.microsoft.com/3dmanufacturing/beamlattice/balls/2020/07",
    ),
    (
        "s",
        "http://schemas.microsoft.com/3dmanufacturing/slice/2015/07",
    ),
    (
        "t",
        "http://schemas.microsoft.com/3dmanufacturing/trianglesets/2021/07",
    ),
    // Slicers look for these prefixes, whatever they stand for.
    ("slic3rpe", "http://schemas.slic3r.org/3mf/2017/06"),
    ("BambuStudio", "http://schemas.bambulab.com/package/2021"),
    (
        "sc",
        "http://schemas.microsoft.com/3dmanufacturing/securecontent/2019/04",
    ),
];

/// Prefixes of a part.
#[derive(Debug)]
pub(super) struct Prefixes {
    by_namespace: BTreeMap<String, String>,
    taken: BTreeSet<String>,
    /// Namespaces without a wished prefix.
    unnamed: BTreeSet<String>,
}

impl Prefixes {
    /// Returns the prefixes that every model has.
    pub(super) fn new() -> Self {
        let mut prefixes = Prefixes {
            by_namespace: BTreeMap::from([(XML.to_owned(), "xml".to_owned())]),
            taken: BTreeSet::from(["xml", "xmlns", ""].map(str::to_owned)),
            unnamed: BTreeSet::new(),
        };
        prefixes.by_namespace.insert(CORE.to_owned(), String::new());
        prefixes.want(VOLUMETRIC, "v");
        prefixes.want(IMPLICIT, "i");
        prefixes
    }

    /// Assigns prefixes to the namespaces without a wish.
    pub(super) fn assign_rest(&mut self) {
        for namespace in std::mem::take(&mut self.unnamed) {
            self.give(&namespace, "");
        }
    }

    /// Assigns a prefix to a namespace: the wished one if it is free; without a wish, in
    /// [`assign_rest`](Self::assign_rest).
    pub(super) fn want(&mut self, namespace: &str, wish: &str) {
        if wish.is_empty() && !namespace.is_empty() {
            self.unnamed.insert(namespace.to_owned());
        } else {
            self.give(namespace, wish);
        }
    }

    fn give(&mut self, namespace: &str, wish: &str) {
        if namespace.is_empty() || self.by_namespace.contains_key(namespace) {
            return;
        }
        let usual = USUAL.iter().find(|(_, known)| *known == namespace);
        let mut candidates = [wish, usual.map_or("", |(prefix, _)| prefix)].into_iter();
        let wished = candidates.find(|wish| !self.taken.contains(*wish) && is_name(wish));
        let free = || {
            let numbered = (1..).map(|count| format!("n{count}"));
            let mut free = numbered.filter(|prefix| !self.taken.contains(prefix));
            free.next().unwrap_or_default()
        };
        let prefix = wished.map_or_else(free, str::to_owned);
        self.taken.insert(prefix.clone());
        self.by_namespace.insert(namespace.to_owned(), prefix);
    }

    /// Prefixes and namespaces to be declared, sorted.
    pub(super) fn declared(&self) -> Vec<(&str, &str)> {
        let all = self.by_namespace.iter();
        let all = all.map(|(namespace, prefix)| (prefix.as_str(), namespace.as_str()));
        let mut all: Vec<_> = all
            .filter(|(prefix, _)| !prefix.is_empty() && *prefix != "xml")
            .collect();
        all.sort_unstable();
        all
    }

    /// Prefix of a namespace.
    pub(super) fn prefix(&self, namespace: &str) -> Option<&str> {
        self.by_namespace.get(namespace).map(String::as_str)
    }

    /// Name of an attribute with its prefix; `None` if it is invalid in XML.
    pub(super) fn attribute(&self, namespace: &str, name: &str) -> Option<String> {
        if !is_name(name) || name == "xmlns" {
            return None;
        }
        match self.prefix(namespace) {
            _ if namespace.is_empty() => Some(name.to_owned()),
            // Attributes of the core namespace itself would need a prefix of their own.
            None | Some("") => None,
            Some(prefix) => Some(format!("{prefix}:{name}")),
        }
    }

    /// Replaces the namespace in braces of a name of metadata or of a property by its prefix.
    pub(super) fn qualified<'n>(&self, name: &'n str) -> Cow<'n, str> {
        let named =
            braced(name).and_then(|(namespace, local)| Some((self.prefix(namespace)?, local)));
        match named {
            Some((prefix, local)) if !prefix.is_empty() => Cow::Owned(format!("{prefix}:{local}")),
            Some(_) | None => Cow::Borrowed(name),
        }
    }

    /// Collects a namespace without a wished prefix.
    pub(super) fn add(&mut self, namespace: &str) {
        self.want(namespace, "");
    }

    /// Collects the namespaces of attributes.
    pub(super) fn add_attributes(&mut self, attributes: &[Attribute]) {
        for attribute in attributes {
            self.add(&attribute.namespace);
        }
    }

    /// Collects the namespaces of names of metadata or of properties.
    pub(super) fn add_names<'n>(&mut self, names: impl Iterator<Item = &'n String>) {
        for (namespace, _) in names.filter_map(|name| braced(name)) {
            self.add(namespace);
        }
    }

    /// Collects the namespaces of kept attributes and elements.
    ///
    /// # Errors
    /// [`WriteError::DamagedContent`] naming `what` they belong to.
    pub(super) fn add_extra(
        &mut self,
        extra: &Extra,
        what: &dyn Fn() -> String,
    ) -> Result<(), WriteError> {
        self.add_attributes(&extra.attributes);
        let (inner, own) = InnerContents::split(&extra.elements);
        for content in inner.contents() {
            self.add_attributes(&content.attributes);
        }
        let inner = inner.contents().flat_map(|content| &content.elements);
        for element in own.iter().chain(inner) {
            let added = self.add_xml(element);
            added.map_err(|problem| WriteError::damaged(what(), problem))?;
        }
        Ok(())
    }

    /// Collects the namespaces of kept XML.
    ///
    /// # Errors
    /// A message if the XML is not one well-formed element.
    pub(super) fn add_xml(&mut self, xml: &str) -> Result<(), String> {
        let mut found: Vec<(String, String)> = Vec::new();
        // Prefixes of names in values and texts come first: they cannot be replaced.
        let mut fixed = found.clone();
        visit_tokens(xml, |_, token| {
            let (own, inner) = match token {
                Token::Start(start) => (start.names().collect(), start.named),
                Token::Text(named) => (Vec::new(), named),
                Token::End(_) | Token::Other => (Vec::new(), Vec::new()),
            };
            for (all, more) in [(&mut found, own), (&mut fixed, inner)] {
                for (prefix, namespace) in more {
                    if !all.iter().any(|(_, known)| *known == namespace) {
                        all.push((prefix, namespace));
                    }
                }
            }
            Ok(())
        })?;
        for (prefix, namespace) in fixed.into_iter().chain(found) {
            self.want(&namespace, &prefix);
        }
        Ok(())
    }

    /// Rewrites kept XML with the prefixes of the part.
    pub(super) fn rewritten<'x>(&self, xml: &'x str) -> Cow<'x, str> {
        let mut text = String::with_capacity(xml.len());
        let done = visit_tokens(xml, |raw, token| {
            match token {
                Token::Start(start) if !self.agree(&start.named) => {
                    return Err("its values use other prefixes".to_owned());
                }
                Token::Text(named) if !self.agree(&named) => {
                    return Err("its texts use other prefixes".to_owned());
                }
                Token::Start(start) => self.start(&start, raw.ends_with("/>"), &mut text)?,
                Token::End(name) => {
                    text.push_str("</");
                    text.push_str(&self.element(&name)?);
                    text.push('>');
                }
                Token::Text(_) | Token::Other => text.push_str(raw),
            }
            Ok(())
        });
        // XML with elements without a namespace, or with names that mean something else here, stays as it is, with its own
        // declarations.
        done.map_or(Cow::Borrowed(xml), |()| Cow::Owned(text))
    }

    /// True if prefixes mean in the part what they mean in the kept XML.
    fn agree(&self, named: &[(String, String)]) -> bool {
        let same = |(prefix, namespace): &(String, String)| {
            self.prefix(namespace) == Some(prefix.as_str())
        };
        named.iter().all(same)
    }

    fn element(&self, name: &QualifiedName) -> Result<String, String> {
        let namespace = name.namespace.as_deref();
        match namespace.and_then(|namespace| self.prefix(namespace)) {
            None => Err("it has an element without a namespace".to_owned()),
            Some("") => Ok(name.local.clone()),
            Some(prefix) => Ok(format!("{prefix}:{}", name.local)),
        }
    }

    fn start(&self, start: &Start, empty: bool, to: &mut String) -> Result<(), String> {
        to.push('<');
        to.push_str(&self.element(&start.name)?);
        for (name, value) in &start.attributes {
            to.push(' ');
            match &name.namespace {
                None => to.push_str(&name.local),
                Some(namespace) => {
                    let name = self.attribute(namespace, &name.local);
                    to.push_str(&name.ok_or("it has an attribute of the core namespace")?);
                }
            }
            to.push_str("=\"");
            to.push_str(&escape_quotes(value));
            to.push('"');
        }
        to.push_str(if empty { "/>" } else { ">" });
        Ok(())
    }
}

/// Splits a name such as `{http://example.com}Serial`.
fn braced(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix('{')?.split_once('}')
}

/// True if a text is a valid XML name without a prefix.
pub(super) fn is_name(text: &str) -> bool {
    let starts = |c: char| c.is_alphabetic() || c == '_';
    let follows = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '\u{b7}');
    let mut chars = text.chars();
    chars.next().is_some_and(starts) && chars.all(follows)
}

/// Name with its prefix and namespace.
struct QualifiedName {
    prefix: String,
    namespace: Option<String>,
    local: String,
}

/// Start of an element; values are raw.
struct Start {
    name: QualifiedName,
    attributes: Vec<(QualifiedName, String)>,
    /// Prefixes and namespaces of possible names in its values.
    named: Vec<(String, String)>,
}

impl Start {
    /// Prefixes and namespaces that it uses.
    fn names(&self) -> impl Iterator<Item = (String, String)> {
        let own = std::iter::once(&self.name);
        let all = own.chain(self.attributes.iter().map(|(name, _)| name));
        all.filter_map(|name| Some((name.prefix.clone(), name.namespace.clone()?)))
    }
}

enum Token {
    Start(Start),
    End(QualifiedName),
    /// A text, with the prefixes and namespaces of possible names in it.
    Text(Vec<(String, String)>),
    Other,
}

/// Visits the tokens of one element, with their raw text.
fn visit_tokens(
    xml: &str,
    mut visit: impl FnMut(&str, Token) -> Result<(), String>,
) -> Result<(), String> {
    let mut reader = NsReader::from_str(xml);
    reader.config_mut().enable_all_checks(true);
    let (mut at, mut open, mut elements) = (0, 0_usize, 0_usize);
    loop {
        let event = reader.read_event().map_err(|error| error.to_string())?;
        let end = usize::try_from(reader.buffer_position()).unwrap_or(xml.len());
        let raw = xml.get(at..end).unwrap_or_default();
        at = end;
        let token = match &event {
            Event::Start(start) | Event::Empty(start) => {
                elements += usize::from(open == 0);
                open += usize::from(matches!(event, Event::Start(_)));
                Token::Start(parse_start(&reader, start)?)
            }
            Event::End(end) => {
                open = open.saturating_sub(1);
                Token::End(parse_end(&reader, end)?)
            }
            Event::Text(text) if open == 0 && !text.trim().is_empty() => {
                return Err("there is text outside of its element".to_owned());
            }
            Event::Decl(_) | Event::DocType(_) => {
                return Err("it is a document, not an element".to_owned());
            }
            Event::Eof if open > 0 || elements != 1 => {
                return Err("it is not one element".to_owned());
            }
            Event::Eof => return Ok(()),
            Event::Text(text) => Token::Text(qualified_names(&reader, text)),
            Event::CData(text) => Token::Text(qualified_names(&reader, text)),
            Event::Comment(_) | Event::PI(_) | Event::GeneralRef(_) => Token::Other,
        };
        visit(raw, token)?;
    }
}

fn parse_start(reader: &NsReader<&[u8]>, start: &BytesStart<'_>) -> Result<Start, String> {
    let (mut attributes, mut all) = (Vec::new(), Vec::new());
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| error.to_string())?;
        if attribute.key.as_namespace_binding().is_some() {
            continue;
        }
        let (namespace, _) = reader.resolver().resolve_attribute(attribute.key);
        let name = resolve_name(attribute.key, &namespace)?;
        all.extend(qualified_names(reader, &attribute.value));
        attributes.push((name, attribute.value.into_owned()));
    }
    let (namespace, _) = reader.resolver().resolve_element(start.name());
    Ok(Start {
        name: resolve_name(start.name(), &namespace)?,
        attributes,
        named: all,
    })
}

/// Prefixes and namespaces of possible names in a value or text.
fn qualified_names(reader: &NsReader<&[u8]>, text: &str) -> Vec<(String, String)> {
    let known = |prefix: &str| match resolve_prefix(reader.resolver(), prefix) {
        ResolveResult::Bound(namespace) => Some((
            prefix.to_owned(),
            unescape_namespace(namespace).into_owned(),
        )),
        ResolveResult::Unbound | ResolveResult::Unknown(_) => None,
    };
    qualified_prefixes(text).filter_map(known).collect()
}

fn parse_end(reader: &NsReader<&[u8]>, end: &BytesEnd<'_>) -> Result<QualifiedName, String> {
    let (namespace, _) = reader.resolver().resolve_element(end.name());
    resolve_name(end.name(), &namespace)
}

fn resolve_name(name: QName<'_>, namespace: &ResolveResult<'_>) -> Result<QualifiedName, String> {
    let prefix = name.prefix().map(|prefix| prefix.into_inner().to_owned());
    let namespace = match namespace {
        ResolveResult::Bound(namespace) => Some(unescape_namespace(*namespace).into_owned()),
        ResolveResult::Unbound => None,
        ResolveResult::Unknown(_) => {
            let prefix = prefix.unwrap_or_default();
            return Err(format!("it does not declare the prefix {prefix}"));
        }
    };
    Ok(QualifiedName {
        prefix: prefix.unwrap_or_default(),
        namespace,
        local: name.local_name().into_inner().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(xml: &str, expected: &str) {
        let mut prefixes = Prefixes::new();
        prefixes.add_xml(xml).unwrap();
        prefixes.assign_rest();
        assert_eq!(prefixes.rewritten(xml), expected);
    }

    #[test]
    fn kept_xml_takes_the_prefixes_of_the_part() {
        check(
            "<m:a xmlns:m=\"urn:m\" id='2'><m:b c=\"&lt;\"/>t<![CDATA[<]]></m:a>",
            "<m:a id=\"2\"><m:b c=\"&lt;\"/>t<![CDATA[<]]></m:a>",
        );
        check(&format!("<a xmlns=\"{CORE}\"><b/></a>"), "<a><b/></a>");
        check(
            "<a xmlns=\"urn:a\" xmlns:v=\"urn:b\" v:c='\"'></a>",
            "<n2:a n1:c=\"&quot;\"></n2:a>",
        );
        check(
            "<a xmlns=\"urn:a\" xmlns:q=\"urn:q\" xmlns:r=\"urn:r\" type=\"q:one q:two\">r:text</a>",
            "<n1:a type=\"q:one q:two\">r:text</n1:a>",
        );
        // The part's own prefix v means something else.
        let own = "<a xmlns=\"urn:a\" xmlns:v=\"urn:q\" type=\"v:one\"/>";
        check(own, own);
        let plain = "<a><b xmlns=\"urn:b\"/></a>";
        check(plain, plain);
    }

    #[test]
    fn text_that_is_not_one_element_is_rejected() {
        for xml in [
            "",
            "text",
            "<a>",
            "<a/><b/>",
            "<a/>text",
            "<a:b/>",
            "<a c=\"1\" c=\"2\"/>",
            "<?xml version=\"1.0\"?><a/>",
            "<a></b>",
        ] {
            assert!(Prefixes::new().add_xml(xml).is_err(), "{xml}");
        }
    }

    #[test]
    fn every_namespace_has_one_prefix() {
        let mut prefixes = Prefixes::new();
        prefixes.add("http://schemas.microsoft.com/3dmanufacturing/production/2015/06");
        prefixes.want("urn:q", "p");
        prefixes.want("urn:q", "q");
        prefixes.want("urn:r", "n1");
        prefixes.add("urn:s");
        prefixes.want("urn:s", "s");
        prefixes.assign_rest();
        let declared = prefixes.declared().into_iter();
        let declared: Vec<&str> = declared.map(|(prefix, _)| prefix).collect();
        assert_eq!(declared, ["i", "n1", "n2", "p", "s", "v"]);
        assert_eq!(prefixes.attribute("urn:q", "a").as_deref(), Some("p:a"));
        assert_eq!(prefixes.attribute("urn:q", "a b"), None);
        assert_eq!(prefixes.attribute("", "xmlns"), None);
    }
}
