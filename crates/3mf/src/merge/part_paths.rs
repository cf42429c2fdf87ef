//! New names for the parts of a file where the project has other bytes under the same name.
//!
//! A part of the same bytes is shared. A new name is the old one with a number in front of its last segment, so that
//! references keep their form: a leading slash, percent-encoding.

use std::collections::{BTreeMap, BTreeSet};

use fibula_core::graph::ContentHash;

use crate::package::part_names::percent_decode;

/// Attributes that name a part even without a leading slash.
const PATH_ATTRIBUTES: [&str; 3] = ["path", "slicepath", "thumbnail"];

/// Prefixes of the last segments of parts that are renamed.
#[derive(Debug, Default)]
pub(super) struct PartPaths {
    /// By the old name in lower case, without a leading slash.
    prefixes: BTreeMap<String, String>,
}

impl PartPaths {
    /// True if no part is renamed.
    pub(super) fn is_empty(&self) -> bool {
        self.prefixes.is_empty()
    }

    /// Returns the new value of an attribute that names a renamed part.
    pub(super) fn replace(&self, name: &str, value: &str) -> Option<String> {
        if self.is_empty() || !(value.starts_with('/') || PATH_ATTRIBUTES.contains(&name)) {
            return None;
        }
        self.renamed(value)
    }

    /// Returns the new name of a renamed part, in the form in which it is written.
    pub(super) fn renamed(&self, written: &str) -> Option<String> {
        let prefix = self.prefixes.get(&key(written)).or_else(|| {
            let decoded = percent_decode(written)?;
            self.prefixes.get(&key(&decoded))
        })?;
        Some(with_prefix(written, prefix))
    }

    /// Renames a part to the first name that is free: neither in `taken`, which gets it, nor shared by other bytes.
    ///
    /// `held` returns the bytes of the project under a name, and `content` those of the part if they do not change.
    pub(super) fn rename(
        &mut self,
        name: &str,
        content: Option<ContentHash>,
        held: &BTreeMap<String, ContentHash>,
        taken: &mut BTreeSet<String>,
    ) {
        for number in 2_u64.. {
            let prefix = format!("{number}_");
            let other = key(&with_prefix(name, &prefix));
            let is_shared = content.is_some() && held.get(&other) == content.as_ref();
            if is_shared || taken.insert(other) {
                self.prefixes.insert(key(name), prefix);
                return;
            }
        }
    }
}

/// Name of a part as packages compare it.
pub(super) fn key(name: &str) -> String {
    name.trim_start_matches('/').to_ascii_lowercase()
}

fn with_prefix(name: &str, prefix: &str) -> String {
    let at = name.rfind('/').map_or(0, |at| at + 1);
    format!("{}{prefix}{}", &name[..at], &name[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_keep_their_form() {
        let hash = |text: &str| ContentHash::digest(text.as_bytes());
        let held = BTreeMap::from([
            ("3d/a b.model".to_owned(), hash("1")),
            ("3d/2_a b.model".to_owned(), hash("2")),
            ("t.png".to_owned(), hash("1")),
        ]);
        let mut taken: BTreeSet<String> = held.keys().cloned().collect();
        let mut paths = PartPaths::default();
        assert_eq!(paths.replace("path", "/3D/A%20b.model"), None);
        paths.rename("3D/a b.model", Some(hash("2")), &held, &mut taken);
        paths.rename("t.png", None, &held, &mut taken);
        for (name, value, expected) in [
            ("path", "/3D/A%20b.model", Some("/3D/2_A%20b.model")),
            ("path", "3D/a b.model", Some("3D/2_a b.model")),
            ("note", "3D/a b.model", None),
            ("note", "/t.png", Some("/2_t.png")),
            ("path", "/3D/c.model", None),
            ("path", "", None),
        ] {
            assert_eq!(
                paths.replace(name, value).as_deref(),
                expected,
                "{name} {value}"
            );
        }
        // Other bytes get a name of their own, since the second one is in use.
        let mut others = PartPaths::default();
        others.rename("3D/a b.model", Some(hash("3")), &held, &mut taken);
        assert_eq!(
            others.renamed("3d/a b.model").as_deref(),
            Some("3d/3_a b.model")
        );
    }
}
