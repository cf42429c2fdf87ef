//! Attributes and elements of a file that stand within elements which a project has no place for: those of `<resources>`,
//! of a list of components, of single triangles. They are kept in the [`Extra`] of the nearest owner, as an element
//! `inner` of a namespace of our own, and written back to where they were.
//!
//! Prefixes of attributes are declared; the elements are self-contained, as all kept elements are.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use fibula_core::graph::model::{Attribute, Extra};
use quick_xml::escape::escape;
use quick_xml::events::Event;
use quick_xml::name::ResolveResult;
use quick_xml::reader::NsReader;

use crate::xml::unescape_namespace;

/// Start of the element.
const HEAD: &str = "<f:inner xmlns:f=\"urn:fibula:inner\"";
/// End of the element.
const TAIL: &str = "</f:inner>";

/// Kept content of one inner element.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct InnerContent {
    /// Attributes, without those that are understood.
    pub(crate) attributes: Vec<Attribute>,
    /// Elements, without those that are understood.
    pub(crate) elements: Vec<String>,
    /// Order of understood and kept elements, if it is not that of the ids: ids, and `*` for the next of `elements`.
    pub(crate) order: String,
}

impl InnerContent {
    pub(crate) fn is_empty(&self) -> bool {
        *self == InnerContent::default()
    }
}

/// Kept content of inner elements by their places, such as `components` or `triangle 7`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct InnerContents(BTreeMap<String, InnerContent>);

impl InnerContents {
    /// Separates the inner content of an owner's kept elements from its own.
    pub(crate) fn split(elements: &[String]) -> (InnerContents, Vec<String>) {
        let mut all = InnerContents::default();
        let mut own = Vec::new();
        for element in elements {
            match parse(element) {
                Some((place, content)) => all.at(&place).append(content),
                None => own.push(element.clone()),
            }
        }
        (all, own)
    }

    /// Content of a place, to be changed.
    pub(crate) fn at(&mut self, place: &str) -> &mut InnerContent {
        self.0.entry(place.to_owned()).or_default()
    }

    /// Removes and returns the content of a place.
    pub(crate) fn take(&mut self, place: &str) -> InnerContent {
        self.0.remove(place).unwrap_or_default()
    }

    /// True if some place of this kind, `triangle`, has content.
    pub(crate) fn has(&self, kind: &str) -> bool {
        let place = self.0.keys().find(|place| place.starts_with(kind));
        place.is_some()
    }

    /// Adds the content to an owner.
    pub(crate) fn store(self, extra: &mut Extra) {
        let all = self
            .0
            .into_iter()
            .filter(|(_, content)| !content.is_empty());
        extra
            .elements
            .extend(all.map(|(place, content)| element(&place, &content)));
    }

    /// Content of all places.
    pub(crate) fn contents(&self) -> impl Iterator<Item = &InnerContent> {
        self.0.values()
    }
}

impl InnerContent {
    fn append(&mut self, other: InnerContent) {
        self.attributes.extend(other.attributes);
        self.elements.extend(other.elements);
        if self.order.is_empty() {
            self.order = other.order;
        }
    }
}

/// True if a kept element is the content of an inner one, which is not written where it is kept.
pub(crate) fn is_inner(element: &str) -> bool {
    element.starts_with(HEAD)
}

fn element(place: &str, content: &InnerContent) -> String {
    let mut text = format!("{HEAD} f:of=\"{}\"", escape(place));
    if !content.order.is_empty() {
        let _ = write!(text, " f:order=\"{}\"", escape(content.order.as_str()));
    }
    for (number, one) in content.attributes.iter().enumerate() {
        let value = escape(one.value.as_str())
            .replace('\n', "&#10;")
            .replace('\t', "&#9;")
            .replace('\r', "&#13;");
        let _ = match one.namespace.as_str() {
            "" => write!(text, " {}=\"{value}\"", one.name),
            "http://www.w3.org/XML/1998/namespace" => write!(text, " xml:{}=\"{value}\"", one.name),
            space => write!(
                text,
                " xmlns:n{number}=\"{}\" n{number}:{}=\"{value}\"",
                escape(space),
                one.name
            ),
        };
    }
    text.push('>');
    for element in &content.elements {
        text.push_str(element);
    }
    text.push_str(TAIL);
    text
}

/// Parses the element of an inner content; `None` for any other.
fn parse(xml: &str) -> Option<(String, InnerContent)> {
    if !is_inner(xml) {
        return None;
    }
    let mut reader = NsReader::from_str(xml);
    let Ok(Event::Start(start)) = reader.read_event() else {
        return None;
    };
    let mut place = None;
    let mut content = InnerContent::default();
    for attribute in start.attributes().with_checks(false).flatten() {
        let key = attribute.key;
        let name = key.local_name().as_ref().to_owned();
        let value = quick_xml::escape::unescape(&attribute.value)
            .ok()?
            .into_owned();
        let prefix = key.prefix().map(|prefix| prefix.as_ref().to_owned());
        match (prefix.as_deref(), name.as_str()) {
            (Some("xmlns"), _) => {}
            (Some("f"), "of") => place = Some(value),
            (Some("f"), "order") => content.order = value,
            (None, _) => content.attributes.push(Attribute::new("", name, value)),
            (Some(_), _) => {
                let ResolveResult::Bound(space) = reader.resolver().resolve_attribute(key).0 else {
                    return None;
                };
                let space = unescape_namespace(space).into_owned();
                content.attributes.push(Attribute::new(space, name, value));
            }
        }
    }
    let (mut depth, mut from) = (0_usize, usize::try_from(reader.buffer_position()).ok()?);
    loop {
        let event = reader.read_event().ok()?;
        let end = usize::try_from(reader.buffer_position()).ok()?;
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) if depth == 0 => break,
            Event::End(_) => depth -= 1,
            Event::Eof => return None,
            _ => {}
        }
        if depth == 0 {
            content.elements.push(xml.get(from..end)?.to_owned());
            from = end;
        }
    }
    Some((place?, content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_content_is_kept_beside_an_owners_own() {
        let mut all = InnerContents::default();
        all.at("empty");
        *all.at("resources") = InnerContent {
            attributes: vec![
                Attribute::new("urn:\"x\"", "a", "1 < \"2\" & \n3"),
                Attribute::new("", "b", ""),
                Attribute::new("http://www.w3.org/XML/1998/namespace", "space", "preserve"),
            ],
            elements: vec![
                "<x xmlns=\"urn:x\"><x a=\"&gt;\"/><!-- <y> --></x>".to_owned(),
                "<y/>".to_owned(),
            ],
            order: "5 * 3 *".to_owned(),
        };
        all.at("triangle 7").elements.push("<z>text</z>".to_owned());
        let own = vec!["<a xmlns=\"urn:fibula:inner\"/>".to_owned()];
        let mut extra = Extra {
            attributes: Vec::new(),
            elements: own.clone(),
        };
        all.clone().store(&mut extra);
        assert_eq!(extra.elements.len(), 3, "{extra:?}");
        let (mut found, rest) = InnerContents::split(&extra.elements);
        assert_eq!(rest, own);
        assert!(found.has("triangle ") && !found.has("vertex "));
        assert_eq!(found.take("resources"), all.take("resources"));
        assert_eq!(found.take("triangle 7"), all.take("triangle 7"));
    }
}
