//! UUIDs of the production extension.

use fibula_core::graph::ContentHash;

use crate::xml::fragment::is_specified;

/// Name of the attribute.
pub(crate) const UUID: &str = "UUID";

/// True if an attribute is the UUID of an item, object or component.
pub(crate) fn is_uuid_attribute(namespace: &str, name: &str) -> bool {
    name == UUID && is_specified(namespace)
}

/// Returns a UUID that is a hash of a text (RFC 9562, version 8).
pub(crate) fn derive_uuid(from: &str) -> String {
    let hash = ContentHash::digest(from.as_bytes()).to_string();
    let digits: Vec<char> = hash
        .chars()
        .filter(char::is_ascii_hexdigit)
        .take(32)
        .collect();
    let mut text = String::with_capacity(36);
    for (at, digit) in digits.into_iter().enumerate() {
        if matches!(at, 8 | 12 | 16 | 20) {
            text.push('-');
        }
        text.push(match at {
            12 => '8',
            // The variant has the bits 10.
            16 => ['8', '9', 'a', 'b'][digit.to_digit(16).unwrap_or(0) as usize % 4],
            _ => digit,
        });
    }
    text
}
