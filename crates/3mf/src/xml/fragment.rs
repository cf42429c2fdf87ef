//! Resource references in kept XML fragments: listed and renumbered.
//!
//! A fragment is one element that declares the namespaces that it uses. References are recognised by the names of
//! attributes, which the specifications of core, materials, slices, beam lattices, production and volumes share.

use std::borrow::Cow;

use fibula_core::graph::model::{Attribute, Extra};
use fibula_nodes::ResourceId;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::ResolveResult;
use quick_xml::reader::NsReader;

use super::unescape_namespace;

/// Attributes that hold the id of a resource.
const ID_ATTRIBUTES: [&str; 21] = [
    "pid",
    "texid",
    "matid",
    "displaypropertiesid",
    "basematerialsid",
    "basematerialid",
    "objectid",
    "slicestackid",
    "clippingmesh",
    "representationmesh",
    "functionid",
    "meshid",
    "volumeid",
    "image3did",
    "speculartextureid",
    "glossinesstextureid",
    "metallictextureid",
    "roughnesstextureid",
    "dispid",
    "nid",
    "did",
];

/// Attribute that holds a list of ids, separated by spaces.
const ID_LIST_ATTRIBUTE: &str = "pids";

/// Attributes that make the ids of their element those of another part.
const PATH_ATTRIBUTES: [&str; 2] = ["path", "slicepath"];

/// Prefixes of the namespaces of the 3MF specifications.
const NAMESPACE_PREFIXES: [&str; 2] = [
    "http://schemas.microsoft.com/3dmanufacturing/",
    "http://schemas.3mf.io/3dmanufacturing/",
];

/// Returns the resources that a fragment refers to, as far as that is known, in the order of the text, with repetitions.
pub(crate) fn references(xml: &str) -> Vec<ResourceId> {
    let mut found = Vec::new();
    visit_events(xml, |_, start, specified| {
        if let Some(start) = start.filter(|_| specified) {
            for (name, value) in reference_attributes(start) {
                if is_reference(&name) {
                    found.extend(value.split_whitespace().filter_map(id));
                }
            }
        }
    });
    found
}

/// Returns the resources that the kept content of one element refers to, as far as that is known, with repetitions.
pub(crate) fn extra_references(extra: &Extra) -> Vec<ResourceId> {
    let mut found = attribute_references(&extra.attributes);
    found.extend(
        extra
            .elements
            .iter()
            .flat_map(|element| references(element)),
    );
    found
}

/// Resources that the kept attributes of one element refer to: none of this part if a path stands beside them.
fn attribute_references(attributes: &[Attribute]) -> Vec<ResourceId> {
    let is_path = |one: &Attribute| PATH_ATTRIBUTES.contains(&one.name.as_str());
    if attributes.iter().any(is_path) {
        return Vec::new();
    }
    let named = attributes
        .iter()
        .filter(|one| is_specified(&one.namespace) && is_reference(&one.name));
    named
        .flat_map(|one| one.value.split_whitespace().filter_map(id))
        .collect()
}

/// Renumbers the references of a fragment by `new`, and replaces the id of its outermost element by `own` if it has one.
///
/// References that `new` does not change stay as they are written, and so does everything else.
pub(crate) fn renumber_references(
    xml: &str,
    own: Option<ResourceId>,
    new: impl Fn(ResourceId) -> ResourceId,
) -> String {
    let mut text = String::with_capacity(xml.len());
    let mut own = own;
    visit_events(xml, |raw, start, specified| {
        let Some(start) = start else {
            text.push_str(raw);
            return;
        };
        let found = if specified {
            reference_attributes(start)
        } else {
            Vec::new()
        };
        let mut changes: Vec<(String, String)> = found
            .into_iter()
            .filter_map(|(name, value)| {
                let other = renumber_list(&value, &new)?;
                Some((name, other))
            })
            .collect();
        let is = start.try_get_attribute("id").ok().flatten();
        if let (Some(own), Some(is)) = (own.take(), is)
            && id(&is.value) != Some(own)
        {
            changes.push(("id".to_owned(), own.to_string()));
        }
        if changes.is_empty() {
            text.push_str(raw);
            return;
        }
        text.push('<');
        text.push_str(start.name().as_ref());
        for attribute in start.attributes().with_checks(false).flatten() {
            let name = attribute.key.local_name();
            let is_own = attribute.key.as_ref() == "id";
            let change = changes
                .iter()
                .find(|(one, _)| *one == name.as_ref() && (one != "id" || is_own));
            let value = match change {
                Some((_, value)) => Cow::Borrowed(value.as_str()),
                None => escape_quotes(&attribute.value),
            };
            text.push(' ');
            text.push_str(attribute.key.as_ref());
            text.push_str("=\"");
            text.push_str(&value);
            text.push('"');
        }
        text.push_str(if raw.ends_with("/>") { "/>" } else { ">" });
    });
    text
}

/// Renumbers a kept attribute by `new`; returns `None` if it stays as it is.
///
/// A `path` attribute beside it makes it an id of another part of the package; the caller checks for that.
pub(crate) fn renumber_attribute(
    namespace: &str,
    name: &str,
    value: &str,
    new: impl Fn(ResourceId) -> ResourceId,
) -> Option<String> {
    if !is_specified(namespace) || !is_reference(name) {
        return None;
    }
    renumber_list(value, &new)
}

/// Renumbers a list of ids; `None` if all stay.
fn renumber_list(value: &str, new: &impl Fn(ResourceId) -> ResourceId) -> Option<String> {
    let same = |id: &ResourceId| new(*id) == *id;
    let mut all = value.split_whitespace().filter_map(id);
    if all.all(|id| same(&id)) {
        return None;
    }
    let word = |word: &str| id(word).map_or(word.to_owned(), |id| new(id).to_string());
    let words: Vec<String> = value.split_whitespace().map(word).collect();
    Some(words.join(" "))
}

/// Escapes double quotes in a raw value.
pub(crate) fn escape_quotes(raw: &str) -> Cow<'_, str> {
    if raw.contains('"') {
        Cow::Owned(raw.replace('"', "&quot;"))
    } else {
        Cow::Borrowed(raw)
    }
}

/// Prefixes of possible qualified names in a value or text: `x` and `y` in `x:a, y:b`. The caller checks if they are bound.
pub(crate) fn qualified_prefixes(text: &str) -> impl Iterator<Item = &str> {
    let starts = |c: char| c.is_alphabetic() || c == '_';
    let follows = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '\u{b7}');
    text.match_indices(':').filter_map(move |(at, _)| {
        let (before, after) = (&text[..at], &text[at + 1..]);
        let start = before.trim_end_matches(follows).len();
        let prefix = before[start..].trim_start_matches(|c| !starts(c));
        // The prefixes of XML itself mean the same everywhere.
        let is_own = matches!(prefix, "" | "xml" | "xmlns");
        let is_name = !is_own && after.starts_with(starts);
        is_name.then_some(prefix)
    })
}

/// True if a 3MF specification has this namespace.
pub(crate) fn is_specified(namespace: &str) -> bool {
    NAMESPACE_PREFIXES
        .iter()
        .any(|one| namespace.starts_with(one))
}

/// True if an attribute of this name refers to resources.
fn is_reference(name: &str) -> bool {
    name == ID_LIST_ATTRIBUTE || ID_ATTRIBUTES.contains(&name)
}

fn id(text: &str) -> Option<ResourceId> {
    crate::numbers::resource_id(text).map(ResourceId)
}

/// Attributes of an element that refer to resources of the same part.
fn reference_attributes(start: &BytesStart<'_>) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for attribute in start.attributes().with_checks(false).flatten() {
        let name = attribute.key.local_name();
        if PATH_ATTRIBUTES.contains(&name.as_ref()) {
            return Vec::new();
        }
        if is_reference(name.as_ref()) {
            all.push((name.as_ref().to_owned(), attribute.value.into_owned()));
        }
    }
    all
}

/// Visits the events of a fragment: the raw text, the start of an element if it is one, and `true` if a 3MF specification
/// has that element. After a syntax error, the rest is visited as one raw text.
fn visit_events(xml: &str, mut visit: impl FnMut(&str, Option<&BytesStart<'_>>, bool)) {
    let mut reader = NsReader::from_str(xml);
    let mut at = 0;
    loop {
        let event = reader.read_event();
        let end = usize::try_from(reader.buffer_position()).unwrap_or(xml.len());
        let Some(raw) = xml.get(at..end) else { break };
        match event {
            Ok(Event::Start(start) | Event::Empty(start)) => {
                let specified = match reader.resolver().resolve_element(start.name()).0 {
                    ResolveResult::Bound(space) => is_specified(&unescape_namespace(space)),
                    ResolveResult::Unbound | ResolveResult::Unknown(_) => false,
                };
                visit(raw, Some(&start), specified);
            }
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => visit(raw, None, false),
        }
        at = end;
    }
    if let Some(rest) = xml.get(at..).filter(|rest| !rest.is_empty()) {
        visit(rest, None, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUP: &str = concat!(
        r#"<m:multiproperties xmlns:m="http://schemas.microsoft.com/3dmanufacturing/material/2015/02" id="5" pids="3 4""#,
        r#" blendmethods="mix"><!-- pid="9" --><m:multi pindices="0 1"/>pid="8""#,
        r#"<m:texture2dgroup texid='7' note='a "b"'></m:texture2dgroup></m:multiproperties>"#
    );

    #[test]
    fn references_are_recognised_by_name() {
        let ids = |xml: &str| references(xml).iter().map(|id| id.0).collect::<Vec<u32>>();
        assert_eq!(ids(GROUP), [3, 4, 7]);
        assert_eq!(ids(r#"<a xmlns="urn:else" pid="3"/>"#), [0_u32; 0]);
        let invalid = r#"<a xmlns="http://schemas.microsoft.com/3dmanufacturing/slice/2015/07" pid="x -1 0"/>"#;
        assert_eq!(ids(invalid), [0_u32; 0]);
        let elsewhere = r#"<component xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02" xmlns:p="urn:p"
            objectid="3" p:path="/3D/b.model"/>"#;
        assert_eq!(ids(elsewhere), [0_u32; 0]);
        assert_eq!(ids("no xml at all <"), [0_u32; 0]);
    }

    #[test]
    fn attributes_and_elements_of_one_element_refer() {
        let ids = |namespace: &str, path: Option<&str>| {
            let mut attributes = vec![Attribute::new(namespace, "slicestackid", "8")];
            attributes.extend(path.map(|path| Attribute::new("urn:p", "path", path)));
            let elements = vec![GROUP.to_owned()];
            let found = extra_references(&Extra {
                attributes,
                elements,
            });
            found.iter().map(|id| id.0).collect::<Vec<u32>>()
        };
        let slice = "http://schemas.microsoft.com/3dmanufacturing/slice/2015/07";
        assert_eq!(ids(slice, None), [8, 3, 4, 7]);
        assert_eq!(ids(slice, Some("/3D/b.model")), [3, 4, 7]);
        assert_eq!(ids("urn:else", None), [3, 4, 7]);
    }

    #[test]
    fn prefixes_are_found_wherever_names_may_stand() {
        let found = |text: &str| {
            let found = qualified_prefixes(text);
            found.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(found("x:a"), ["x"]);
        assert_eq!(found(" x:a y-1.z:_b,(größe:c)"), ["x", "y-1.z", "größe"]);
        // Unbound prefixes are found as well; callers filter them.
        assert_eq!(found("-x:a a:b:c"), ["x", "a", "b"]);
        for none in [
            "", ":", "x:", ":a", "x: a", "http://a", "12:30", "x :a", "xml:a", "xmlns:a",
        ] {
            assert_eq!(found(none), [""; 0], "{none:?}");
        }
    }

    #[test]
    fn other_numbers_change_nothing_else() {
        assert_eq!(renumber_references(GROUP, None, |id| id), GROUP);
        let changed = renumber_references(GROUP, None, |id| ResourceId(id.0 + 100));
        let expected = GROUP.replace("\"3 4\"", "\"103 104\"").replace(
            r#"texid='7' note='a "b"'"#,
            r#"texid="107" note="a &quot;b&quot;""#,
        );
        assert_eq!(changed, expected);
        let broken = "<a><b pid=\"3\"</a";
        assert_eq!(renumber_references(broken, None, |_| ResourceId(1)), broken);
    }
}
