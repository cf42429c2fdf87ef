//! Rules of what is built, across parts: types, transforms of sliced objects, alternatives, objects of other parts.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{ObjectFacts, ObjectReference, PartFacts};
use crate::error::Location;
use crate::findings::Findings;

/// Position of an object: name of its part in lower case, and id.
type Key = (String, u32);

/// Model parts by their names in lower case.
pub(super) type Parts = BTreeMap<String, PartFacts>;

/// Checks the objects of a package from the items of its root part on.
pub(super) fn check(parts: &Parts, root: &str, findings: &mut Findings) {
    let root = root.to_ascii_lowercase();
    let sliced = ancestors(parts, |object| object.stack.is_some());
    let others = ancestors(parts, |object| {
        object.object_type == "other" && object.components.is_empty()
    });
    for (folded, part) in parts {
        let place = |line| Location::part(&part.name).at_line(line);
        for (id, object) in &part.objects {
            for one in &object.components {
                check_transform(one, folded, &sliced, place(one.line), findings);
            }
            for one in &object.alternatives {
                let key = key(one, folded);
                let found = find(parts, &key);
                if found.is_some_and(|found| !found.alternatives.is_empty()) {
                    let message = format!(
                        "an alternative of object {id} is object {}, which has alternatives",
                        one.id
                    );
                    findings.violate(
                        "nested_alternative",
                        place(one.line),
                        message,
                        "refer to an object without alternatives",
                    );
                }
            }
        }
        if *folded != root {
            continue;
        }
        for item in &part.items {
            check_transform(item, folded, &sliced, place(item.line), findings);
            if others.contains(&key(item, folded)) {
                let message = format!(
                    "the item builds object {}, which is or contains an object of the type other",
                    item.id
                );
                let fix = "remove the item, or change the object's type, for example to model";
                findings.violate("not_buildable", place(item.line), message, fix);
            }
        }
    }
}

fn find<'p>(parts: &'p Parts, (part, id): &Key) -> Option<&'p ObjectFacts> {
    parts.get(part)?.objects.get(id)
}

/// Object that a reference in a part leads to.
fn key(reference: &ObjectReference, part: &str) -> Key {
    let path = reference
        .path
        .as_deref()
        .map(|path| path.trim_start_matches('/').to_ascii_lowercase());
    (path.unwrap_or_else(|| part.to_owned()), reference.id)
}

/// Objects that are of this kind, or have components that are.
fn ancestors(parts: &Parts, is: impl Fn(&ObjectFacts) -> bool) -> BTreeSet<Key> {
    let mut owners: BTreeMap<Key, Vec<Key>> = BTreeMap::new();
    let mut open = Vec::new();
    for (folded, part) in parts {
        for (&id, object) in &part.objects {
            let own = (folded.clone(), id);
            for one in &object.components {
                owners
                    .entry(key(one, folded))
                    .or_default()
                    .push(own.clone());
            }
            if is(object) {
                open.push(own);
            }
        }
    }
    let mut all = BTreeSet::new();
    while let Some(next) = open.pop() {
        if all.insert(next.clone()) {
            open.extend(owners.get(&next).into_iter().flatten().cloned());
        }
    }
    all
}

/// Checks the transform of a reference to an object that is, or contains, a sliced one.
fn check_transform(
    reference: &ObjectReference,
    part: &str,
    sliced: &BTreeSet<Key>,
    place: Location,
    findings: &mut Findings,
) {
    let Some(transform) = &reference.transform else {
        return;
    };
    let words: Vec<&str> = transform.split_ascii_whitespace().collect();
    // Texts, not numbers, are compared (slice 1).
    let is = |at: usize, digit: char| {
        let text = words[at].strip_prefix(digit);
        let rest = text.map(|rest| rest.strip_prefix('.').unwrap_or(rest));
        rest.is_some_and(|rest| rest.bytes().all(|byte| byte == b'0'))
            && (words[at].len() == 1 || words[at].contains('.'))
    };
    if words.len() != 12 || !sliced.contains(&key(reference, part)) {
        return;
    }
    if ![2, 5, 6, 7].into_iter().all(|at| is(at, '0')) || !is(8, '1') {
        let message = format!(
            "the transform of the sliced object {} tilts or scales z",
            reference.id
        );
        let fix = "write 0 for m02, m12, m20 and m21, and 1 for m22, without signs or exponents";
        findings.violate("nonplanar_transform", place, message, fix);
    }
}
