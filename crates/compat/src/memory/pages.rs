//! Lists of answers, cut to the size that clients show; what is left out is said.

use std::collections::BTreeSet;

use fibula_service::EntityGraph;
use serde::Serialize;

/// Maximum bytes of an answer.
const MAX_BYTES: usize = 60 << 10;
/// Bytes by which a line of an item is indented in an answer.
const INDENTATION: usize = 6;

/// Number of leading items with at most so many bytes, and the bytes; at least one item.
fn fitting<T: Serialize>(items: &[T], most: usize) -> (usize, usize) {
    let (mut count, mut bytes) = (0, 0);
    for item in items {
        let text = serde_json::to_string_pretty(item).unwrap_or_default();
        let own = text.len() + INDENTATION * text.lines().count();
        if count > 0 && bytes + own > most {
            break;
        }
        (count, bytes) = (count + 1, bytes + own);
    }
    (count, bytes)
}

/// Items from an offset on that fit so many times in an answer; with a note if some follow.
pub(super) fn page<T: Serialize>(
    mut items: Vec<T>,
    offset: usize,
    copies: usize,
) -> (Vec<T>, Option<String>) {
    let total = items.len();
    items.drain(..offset.min(total));
    let (count, _) = fitting(&items, MAX_BYTES / copies);
    let note = (count < items.len()).then(|| {
        let next = offset + count;
        format!("{count} of {total} are shown; offset {next} continues.")
    });
    items.truncate(count);
    (items, note)
}

/// Cuts a graph without its first `offset` entities to the first that fit in an answer, and the relations at them; with
/// those between names that are no entities. Returns a note if not all do, in which `next` says how to get the entities
/// after so many.
pub(super) fn cut(
    graph: &mut EntityGraph,
    offset: usize,
    next: impl Fn(usize) -> String,
) -> Option<String> {
    let (entities, relations) = (graph.entities.len(), graph.relations.len());
    let (count, bytes) = fitting(&graph.entities, MAX_BYTES);
    let (shown, _) = fitting(&graph.relations, MAX_BYTES.saturating_sub(bytes));
    if (count, shown) == (entities, relations) {
        return None;
    }
    // Half of the answer is for the relations.
    let (count, bytes) = fitting(&graph.entities, MAX_BYTES / 2);
    let names = graph.entities.iter().map(|one| &*one.name);
    let (shown, later): (BTreeSet<&str>, BTreeSet<&str>) = (
        names.clone().take(count).collect(),
        names.skip(count).collect(),
    );
    graph.relations.retain(|one| {
        let ends = [&*one.from, &*one.to];
        ends.iter().any(|end| shown.contains(end)) || !ends.iter().any(|end| later.contains(end))
    });
    graph.entities.truncate(count);
    let at_these = graph.relations.len();
    let (shown, _) = fitting(&graph.relations, MAX_BYTES.saturating_sub(bytes));
    graph.relations.truncate(shown);
    let total = offset + entities;
    let mut notes = vec![format!("{count} of {total} entities are shown")];
    if count < entities {
        notes.push(next(count));
    }
    if shown < at_these {
        notes.push(format!(
            "{shown} of {at_these} relations at them are shown, and get_related pages through those of one entity"
        ));
    }
    Some(notes.join("; ") + ".")
}

#[cfg(test)]
mod tests {
    use fibula_service::{Entity, Relation};

    use super::*;

    fn entity(name: &str, bytes: usize) -> Entity {
        Entity {
            name: name.to_owned(),
            entity_type: "t".to_owned(),
            observations: vec!["x".repeat(bytes)],
            created_by: None,
        }
    }

    fn relation(from: &str, to: &str) -> Relation {
        Relation {
            from: from.to_owned(),
            to: to.to_owned(),
            relation_type: "r".to_owned(),
            valid_from: None,
            valid_to: None,
            created_by: None,
            dangling: None,
        }
    }

    #[test]
    fn answers_are_cut_to_what_fits_and_say_so() {
        let names: Vec<String> = (0..100).map(|at| format!("e{at}")).collect();
        let entities = names.iter().map(|name| entity(name, 2_000));
        let mut graph = EntityGraph {
            entities: entities.collect(),
            relations: names
                .windows(2)
                .map(|pair| relation(&pair[0], &pair[1]))
                .collect(),
        };
        graph.relations.push(relation("nobody", "nothing"));
        let note = cut(&mut graph, 7, |count| format!("next {count}")).expect("a note");
        assert!(serde_json::to_string_pretty(&graph).unwrap().len() < MAX_BYTES + 100);
        let count = graph.entities.len();
        assert!((10..20).contains(&count) && graph.relations.len() == count + 1);
        let expected = format!("{count} of 107 entities are shown; next {count}.");
        assert_eq!(note, expected);
        assert_eq!(cut(&mut graph, 0, |_| String::new()), None);
        graph.entities.truncate(1);
        graph.relations = vec![relation("e0", "e1"); 2_000];
        let note = cut(&mut graph, 0, |_| String::new()).expect("a note");
        let shown = graph.relations.len();
        assert!(
            note.contains(&format!("{shown} of 2000 relations")),
            "{note}"
        );
        let (first, note) = page(names.clone(), 0, 1);
        assert_eq!((first.len(), note), (100, None));
        let long = vec!["y".repeat(1_000); 100];
        let (some, note) = page(long.clone(), 10, 1);
        assert!(
            note.expect("a note")
                .starts_with(&format!("{} of 100 are shown; offset", some.len()))
        );
        assert!(page(long, 90, 1).1.is_none());
    }
}
