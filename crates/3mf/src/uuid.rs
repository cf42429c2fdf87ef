//! UUIDs of the production extension.

use fibula_core::graph::ContentHash;
use uuid::Builder;

use crate::xml::fragment::is_specified;

/// Name of the attribute.
pub(crate) const UUID: &str = "UUID";

/// True if an attribute is the UUID of an item, object or component.
pub(crate) fn is_uuid_attribute(namespace: &str, name: &str) -> bool {
    name == UUID && is_specified(namespace)
}

/// Returns a UUID that is a hash of a text (RFC 9562, version 8).
pub(crate) fn derive_uuid(from: &str) -> String {
    let ContentHash(hash) = ContentHash::digest(from.as_bytes());
    let (first, _) = hash.split_first_chunk().expect("a hash has 32 bytes");
    Builder::from_custom_bytes(*first).into_uuid().to_string()
}
