//! Prefixes of namespaces, all declared on the outermost element: some programs read declarations nowhere else.
//!
//! XML that is only kept declares the namespaces that it uses; it is written with the prefixes of the part instead.
//! Its values and texts stay as they are, so what names there mean must be what the part's prefixes mean; where that
//! cannot be, it stays as it is, with its own declarations.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use quick_xml::events::{BytesEnd, BytesStart, Event};
use quick_xml::name::{QName, ResolveResult};
use quick_xml::reader::NsReader;

use crate::fragment::{prefixes_in, quoted};
use crate::xml::{bound, plain};

/// The namespace of the core specification, which has no prefix.
pub(super) const CORE: &str = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02";
/// The namespace of the volumetric extension.
pub(super) const VOLUMETRIC: &str = "http://schemas.3mf.io/3dmanufacturing/volumetric/2022/01";
/// The namespace of the implicit extension.
pub(super) const IMPLICIT: &str = "http://schemas.3mf.io/3dmanufacturing/implicit/2023/12";
/// The namespace that every document knows as `xml`.
const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// The prefixes that other extensions mostly have.
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

/// The prefixes of a part.
#[derive(Debug)]
pub(super) struct Prefixes {
    by_namespace: BTreeMap<String, String>,
    taken: BTreeSet<String>,
    /// Namespaces for which no prefix was wished yet.
    unnamed: BTreeSet<String>,
}

impl Prefixes {
    /// Those that every model has.
    pub(super) fn new() -> Self {
        let mut prefixes = Prefixes {
            by_namespace: BTreeMap::from([(XML.to_owned(), "xml".to_owned())]),
            taken: ["xml", "xmlns", ""]
                .map(str::to_owned)
                .into_iter()
                .collect(),
            unnamed: BTreeSet::new(),
        };
        prefixes.by_namespace.insert(CORE.to_owned(), String::new());
        prefixes.want(VOLUMETRIC, "v");
        prefixes.want(IMPLICIT, "i");
        prefixes
    }

    /// Gives prefixes to the namespaces for which none was wished.
    pub(super) fn settle(&mut self) {
        for namespace in std::mem::take(&mut self.unnamed) {
            self.give(&namespace, "");
        }
    }

    /// Gives a namespace a prefix, the one that is wished if it is free; without a wish, when all is
    /// [settled](Self::settle).
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
        let candidates = [wish, usual.map_or("", |(prefix, _)| prefix)];
        let wished = candidates
            .into_iter()
            .find(|wish| !self.taken.contains(*wish) && is_name(wish));
        let free = || {
            let numbered = (1..).map(|count| format!("n{count}"));
            let mut free = numbered.filter(|prefix| !self.taken.contains(prefix));
            free.next().unwrap_or_default()
        };
        let prefix = wished.map_or_else(free, str::to_owned);
        self.taken.insert(prefix.clone());
        self.by_namespace.insert(namespace.to_owned(), prefix);
    }

    /// The namespaces that are to be declared, with their prefixes, sorted by these.
    pub(super) fn declared(&self) -> Vec<(&str, &str)> {
        let all = self.by_namespace.iter();
        let all = all.map(|(namespace, prefix)| (prefix.as_str(), namespace.as_str()));
        let mut all: Vec<_> = all
            .filter(|(prefix, _)| !prefix.is_empty() && *prefix != "xml")
            .collect();
        all.sort_unstable();
        all
    }

    /// The prefix of a namespace.
    pub(super) fn prefix(&self, namespace: &str) -> Option<&str> {
        self.by_namespace.get(namespace).map(String::as_str)
    }

    /// The name of an attribute with its prefix; `None` if no XML can have it.
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

    /// A name of metadata or of a property as it is written: a namespace in braces becomes its prefix.
    pub(super) fn qualified<'n>(&self, name: &'n str) -> Cow<'n, str> {
        let named =
            braced(name).and_then(|(namespace, local)| Some((self.prefix(namespace)?, local)));
        match named {
            Some((prefix, local)) if !prefix.is_empty() => Cow::Owned(format!("{prefix}:{local}")),
            Some(_) | None => Cow::Borrowed(name),
        }
    }

    /// Gives a prefix to the namespace of a name of metadata or of a property.
    pub(super) fn want_qualified(&mut self, name: &str) {
        if let Some((namespace, _)) = braced(name) {
            self.want(namespace, "");
        }
    }

    /// Gives prefixes to the namespaces of XML that is only kept.
    ///
    /// # Errors
    /// What is wrong with the XML.
    pub(super) fn want_all(&mut self, xml: &str) -> Result<(), String> {
        let mut found: Vec<(String, String)> = Vec::new();
        // Those of names in values and texts come first: they cannot take others.
        let mut fixed = found.clone();
        walk(xml, |_, token| {
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

    /// XML that is only kept, with the prefixes of the part; its namespaces have some.
    pub(super) fn rewritten<'x>(&self, xml: &'x str) -> Cow<'x, str> {
        let mut text = String::with_capacity(xml.len());
        let done = walk(xml, |raw, token| {
            match token {
                Token::Start(start) if !self.mean(&start.named) => {
                    return Err("its values name other prefixes".to_owned());
                }
                Token::Text(named) if !self.mean(&named) => {
                    return Err("its texts name other prefixes".to_owned());
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
        // What has elements without a namespace, or names that mean something else here, stays as it is: it says so
        // itself.
        done.map_or(Cow::Borrowed(xml), |()| Cow::Owned(text))
    }

    /// Whether prefixes mean in the part what they mean in XML that is only kept.
    fn mean(&self, named: &[(String, String)]) -> bool {
        let same = |(prefix, namespace): &(String, String)| {
            self.prefix(namespace) == Some(prefix.as_str())
        };
        named.iter().all(same)
    }

    fn element(&self, name: &Name) -> Result<String, String> {
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
            to.push_str(&quoted(value));
            to.push('"');
        }
        to.push_str(if empty { "/>" } else { ">" });
        Ok(())
    }
}

/// The namespace and the rest of a name such as `{http://example.com}Serial`.
fn braced(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix('{')?.split_once('}')
}

/// Whether a text can be a name in XML, without a prefix.
pub(super) fn is_name(text: &str) -> bool {
    let starts = |c: char| c.is_alphabetic() || c == '_';
    let follows = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '\u{b7}');
    let mut chars = text.chars();
    chars.next().is_some_and(starts) && chars.all(follows)
}

/// A name, and the namespace that it is of.
struct Name {
    prefix: String,
    namespace: Option<String>,
    local: String,
}

/// The start of an element; values are as they are written.
struct Start {
    name: Name,
    attributes: Vec<(Name, String)>,
    /// The prefixes and namespaces of what may be names in its values.
    named: Vec<(String, String)>,
}

impl Start {
    /// The prefixes and namespaces that it uses.
    fn names(&self) -> impl Iterator<Item = (String, String)> {
        let own = std::iter::once(&self.name);
        let all = own.chain(self.attributes.iter().map(|(name, _)| name));
        all.filter_map(|name| Some((name.prefix.clone(), name.namespace.clone()?)))
    }
}

enum Token {
    Start(Start),
    End(Name),
    /// A text, with the prefixes and namespaces of what may be names in it.
    Text(Vec<(String, String)>),
    Other,
}

/// Goes over one element: the text of each token, and what it is.
fn walk(xml: &str, mut see: impl FnMut(&str, Token) -> Result<(), String>) -> Result<(), String> {
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
                Token::Start(started(&reader, start)?)
            }
            Event::End(end) => {
                open = open.saturating_sub(1);
                Token::End(ended(&reader, end)?)
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
            Event::Text(text) => Token::Text(named(&reader, text)),
            Event::CData(text) => Token::Text(named(&reader, text)),
            Event::Comment(_) | Event::PI(_) | Event::GeneralRef(_) => Token::Other,
        };
        see(raw, token)?;
    }
}

fn started(reader: &NsReader<&[u8]>, start: &BytesStart<'_>) -> Result<Start, String> {
    let (mut attributes, mut all) = (Vec::new(), Vec::new());
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| error.to_string())?;
        if attribute.key.as_namespace_binding().is_some() {
            continue;
        }
        let (namespace, _) = reader.resolver().resolve_attribute(attribute.key);
        let name = name(attribute.key, &namespace)?;
        all.extend(named(reader, &attribute.value));
        attributes.push((name, attribute.value.into_owned()));
    }
    let (namespace, _) = reader.resolver().resolve_element(start.name());
    Ok(Start {
        name: name(start.name(), &namespace)?,
        attributes,
        named: all,
    })
}

/// The prefixes of what may be names in a value or text, with what they stand for.
fn named(reader: &NsReader<&[u8]>, text: &str) -> Vec<(String, String)> {
    let known = |prefix: &str| match bound(reader.resolver(), prefix) {
        ResolveResult::Bound(namespace) => Some((prefix.to_owned(), plain(namespace).into_owned())),
        ResolveResult::Unbound | ResolveResult::Unknown(_) => None,
    };
    prefixes_in(text).filter_map(known).collect()
}

fn ended(reader: &NsReader<&[u8]>, end: &BytesEnd<'_>) -> Result<Name, String> {
    let (namespace, _) = reader.resolver().resolve_element(end.name());
    name(end.name(), &namespace)
}

fn name(name: QName<'_>, namespace: &ResolveResult<'_>) -> Result<Name, String> {
    let prefix = name.prefix().map(|prefix| prefix.into_inner().to_owned());
    let namespace = match namespace {
        ResolveResult::Bound(namespace) => Some(plain(*namespace).into_owned()),
        ResolveResult::Unbound => None,
        ResolveResult::Unknown(_) => {
            let prefix = prefix.unwrap_or_default();
            return Err(format!("it does not declare the prefix {prefix}"));
        }
    };
    Ok(Name {
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
        prefixes.want_all(xml).unwrap();
        prefixes.settle();
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
    fn what_is_no_element_is_refused() {
        let check = |xml: &str| {
            assert!(Prefixes::new().want_all(xml).is_err(), "{xml}");
        };
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
            check(xml);
        }
    }

    #[test]
    fn every_namespace_has_one_prefix() {
        let mut prefixes = Prefixes::new();
        prefixes.want(
            "http://schemas.microsoft.com/3dmanufacturing/production/2015/06",
            "",
        );
        prefixes.want("urn:q", "p");
        prefixes.want("urn:q", "q");
        prefixes.want("urn:r", "n1");
        prefixes.want("urn:s", "");
        prefixes.want("urn:s", "s");
        prefixes.settle();
        let declared: Vec<&str> = prefixes
            .declared()
            .into_iter()
            .map(|(prefix, _)| prefix)
            .collect();
        assert_eq!(declared, ["i", "n1", "n2", "p", "s", "v"]);
        assert_eq!(prefixes.attribute("urn:q", "a").as_deref(), Some("p:a"));
        assert_eq!(prefixes.attribute("urn:q", "a b"), None);
        assert_eq!(prefixes.attribute("", "xmlns"), None);
    }
}
