//! Attribute values of kept XML: visited and replaced, wherever they stand in it.

use fibula_core::graph::model::Extra;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::{NamespaceResolver, ResolveResult};
use quick_xml::reader::NsReader;

use super::fragment::escape_quotes;
use super::unescape_namespace;

/// Returns the new value of an attribute, by its namespace, its name without a prefix, and its value; `None` keeps it.
///
/// An attribute without a prefix has the namespace of its element.
pub(crate) type Replace<'r> = dyn FnMut(&str, &str, &str) -> Option<String> + 'r;

/// Replaces attribute values in a text of XML: a fragment, or a whole part. Returns `None` if all stay.
///
/// Everything else stays as it is written. After a syntax error, so does the rest.
pub(crate) fn replace_values(xml: &str, replace: &mut Replace<'_>) -> Option<String> {
    // The reader does not count a byte order mark.
    let mark = if xml.starts_with('\u{feff}') { 3 } else { 0 };
    let (mark, xml) = xml.split_at(mark);
    let mut reader = NsReader::from_str(xml);
    let mut text = mark.to_owned();
    let (mut at, mut copied) = (0, 0);
    loop {
        let event = reader.read_event();
        let end = usize::try_from(reader.buffer_position()).unwrap_or(xml.len());
        match event {
            Ok(Event::Start(start) | Event::Empty(start)) => {
                let changes = changes(&start, reader.resolver(), replace);
                if !changes.is_empty() && xml.is_char_boundary(at) {
                    text.push_str(&xml[copied..at]);
                    write_start(&start, &changes, &xml[at..end], &mut text);
                    copied = end;
                }
            }
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
        at = end;
    }
    (copied > 0).then(|| {
        text.push_str(&xml[copied..]);
        text
    })
}

/// Replaces attribute values in the kept content of one element.
pub(crate) fn replace_extra_values(extra: &mut Extra, replace: &mut Replace<'_>) {
    for one in &mut extra.attributes {
        if let Some(value) = replace(&one.namespace, &one.name, &one.value) {
            one.value = value;
        }
    }
    for element in &mut extra.elements {
        if let Some(text) = replace_values(element, replace) {
            *element = text;
        }
    }
}

/// Visits the attribute values of a text of XML, by namespace and name.
pub(crate) fn visit_values(xml: &str, visit: &mut dyn FnMut(&str, &str, &str)) {
    replace_values(xml, &mut |space, name, value| {
        visit(space, name, value);
        None
    });
}

/// Visits the attribute values in the kept content of one element.
pub(crate) fn visit_extra(extra: &Extra, visit: &mut dyn FnMut(&str, &str, &str)) {
    for one in &extra.attributes {
        visit(&one.namespace, &one.name, &one.value);
    }
    for element in &extra.elements {
        visit_values(element, visit);
    }
}

/// Attributes of an element that get new values: their indexes, and the values.
fn changes(
    start: &BytesStart<'_>,
    resolver: &NamespaceResolver,
    replace: &mut Replace<'_>,
) -> Vec<(usize, String)> {
    let own = namespace(&resolver.resolve_element(start.name()).0);
    let mut changes = Vec::new();
    for (index, attribute) in start.attributes().with_checks(false).flatten().enumerate() {
        let key = attribute.key;
        let space = match key.prefix() {
            None => own.clone(),
            Some(_) => namespace(&resolver.resolve_attribute(key).0),
        };
        let Ok(value) = quick_xml::escape::unescape(&attribute.value) else {
            continue;
        };
        if let Some(value) = replace(&space, key.local_name().as_ref(), &value) {
            changes.push((index, value));
        }
    }
    changes
}

fn namespace(found: &ResolveResult<'_>) -> String {
    match found {
        ResolveResult::Bound(space) => unescape_namespace(*space).into_owned(),
        ResolveResult::Unbound | ResolveResult::Unknown(_) => String::new(),
    }
}

fn write_start(start: &BytesStart<'_>, changes: &[(usize, String)], raw: &str, to: &mut String) {
    to.push('<');
    to.push_str(start.name().as_ref());
    for (index, attribute) in start.attributes().with_checks(false).flatten().enumerate() {
        to.push(' ');
        to.push_str(attribute.key.as_ref());
        to.push_str("=\"");
        match changes.iter().find(|(one, _)| *one == index) {
            Some((_, value)) => to.push_str(&quick_xml::escape::escape(value.as_str())),
            None => to.push_str(&escape_quotes(&attribute.value)),
        }
        to.push('"');
    }
    to.push_str(if raw.ends_with("/>") { "/>" } else { ">" });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_replaced_by_namespace_and_name() {
        let part = concat!(
            "\u{feff}<?xml version=\"1.0\"?>\n<m xmlns='urn:m' xmlns:p='urn:p' a=\"x\" p:a='x' b='x'>",
            "<!-- a=\"x\" --><n a='x' c='\"&amp;'/>a=\"x\"</m>"
        );
        let all = |only: &str| {
            replace_values(part, &mut |space, name, value| {
                let hit = format!("{space} {name}") == only;
                hit.then(|| format!("<{value}>"))
            })
        };
        assert_eq!(all("urn:p b"), None);
        let expected = part
            .replace("p:a='x' b='x'", "p:a=\"&lt;x&gt;\" b=\"x\"")
            .replace(
                "xmlns='urn:m' xmlns:p='urn:p'",
                "xmlns=\"urn:m\" xmlns:p=\"urn:p\"",
            );
        assert_eq!(all("urn:p a"), Some(expected));
        let inner = all("urn:m c").expect("it is there");
        assert!(
            inner.ends_with(r#"<n a="x" c="&lt;&quot;&amp;&gt;"/>a="x"</m>"#),
            "{inner}"
        );
        assert_eq!(
            replace_values("<a b='1'", &mut |_, _, _| Some(String::new())),
            None
        );
    }
}
