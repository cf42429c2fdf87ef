//! New UUIDs for elements of a file whose UUIDs the project has already.
//!
//! The production extension has one UUID for each item, object and component, unique in a package, so a file that is
//! imported twice needs others. They are hashes of the old ones: the same import gives the same.

use std::collections::{BTreeMap, BTreeSet};

use crate::uuid::{derive_uuid, is_uuid_attribute};

/// Map from UUIDs of a file, in lower case, to new ones.
#[derive(Debug, Default)]
pub(super) struct NewUuids(BTreeMap<String, String>);

impl NewUuids {
    /// Chooses new ones for those of the file that the project has.
    pub(super) fn new(file: &BTreeSet<String>, project: &BTreeSet<String>) -> NewUuids {
        let mut taken: BTreeSet<String> = file.union(project).cloned().collect();
        let clashes = file.intersection(project);
        let pairs = clashes.map(|old| {
            let new = (1..=u64::MAX)
                .map(|number| derive_uuid(&format!("{old} {number}")))
                .find(|new| taken.insert(new.clone()))
                .expect("numbers do not run out");
            (old.clone(), new)
        });
        NewUuids(pairs.collect())
    }

    /// Number of those that change.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// True if all stay.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the new value of an attribute that is such a UUID.
    pub(super) fn replace(&self, namespace: &str, name: &str, value: &str) -> Option<String> {
        if self.is_empty() || !is_uuid_attribute(namespace, name) {
            return None;
        }
        self.0.get(&value.trim().to_ascii_lowercase()).cloned()
    }
}

/// Adds the value of an attribute if it is a UUID.
pub(super) fn collect(namespace: &str, name: &str, value: &str, to: &mut BTreeSet<String>) {
    if is_uuid_attribute(namespace, name) {
        to.insert(value.trim().to_ascii_lowercase());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uuid::UUID;

    #[test]
    fn only_those_that_the_project_has_change() {
        const PRODUCTION: &str = "http://schemas.microsoft.com/3dmanufacturing/production/2015/06";
        let [a, b, c] = ["a", "b", "c"].map(|digit| {
            let of = |count| digit.repeat(count);
            format!("{}-{}-{}-{}-{}", of(8), of(4), of(4), of(4), of(12))
        });
        let set = |all: &[&String]| all.iter().map(|&one| one.clone()).collect::<BTreeSet<_>>();
        let new = NewUuids::new(&set(&[&a, &b]), &set(&[&b, &c]));
        assert_eq!(new.replace(PRODUCTION, UUID, &a), None);
        assert_eq!(new.replace("urn:else", UUID, &b), None);
        let changed = new.replace(PRODUCTION, UUID, &b.to_uppercase()).unwrap();
        let lengths: Vec<usize> = changed.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12], "{changed}");
        assert!(changed[14..].starts_with('8') && "89ab".contains(&changed[19..20]));
        // A third import has another one, and the second has the same every time.
        let third = NewUuids::new(&set(&[&b]), &set(&[&b, &changed]));
        assert_ne!(third.replace(PRODUCTION, UUID, &b).as_ref(), Some(&changed));
        let again = NewUuids::new(&set(&[&a, &b]), &set(&[&b]));
        assert_eq!(again.replace(PRODUCTION, UUID, &b), Some(changed));
    }
}
