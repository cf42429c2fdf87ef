//! Order of the resources of a file, which later elements may rely on without Fibula's knowledge.
//!
//! A document has its resources by their ids. The order of the file is kept as the shortest list from which, with the
//! remaining ids in ascending order, a stable topological sort makes that order again.

use std::collections::{BTreeMap, BTreeSet};

use crate::topological_sort::topological_sort;

/// A resource, or a kept element that has no id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum OrderEntry {
    Resource(u32),
    /// Index of the element.
    Element(usize),
}

/// Dependencies of entries.
pub(crate) type Needs = BTreeMap<OrderEntry, BTreeSet<u32>>;

/// Sorts entries: those that are listed in that order, the others by their ids, each after what it needs.
///
/// # Errors
/// A cycle: each entry needs the next, and the last is the first again.
pub(crate) fn sort(
    listed: &[OrderEntry],
    needs: &Needs,
) -> Result<Vec<OrderEntry>, Vec<OrderEntry>> {
    let mut seen = BTreeSet::new();
    let known = listed.iter().chain(needs.keys()).copied();
    let ranked: Vec<OrderEntry> = known
        .filter(|entry| needs.contains_key(entry) && seen.insert(*entry))
        .collect();
    let ranks = ranked.iter().copied().zip(0..);
    let ranks: BTreeMap<OrderEntry, usize> = ranks.collect();
    let dependencies = ranked.iter().map(|entry| {
        let needed = needs[entry].iter().map(|id| OrderEntry::Resource(*id));
        let mut needed: Vec<usize> = needed
            .filter(|other| other != entry)
            .filter_map(|other| ranks.get(&other).copied())
            .collect();
        needed.sort_unstable();
        needed
    });
    let order = topological_sort(&dependencies.collect::<Vec<_>>());
    let entries = |order: Vec<usize>| order.into_iter().map(|at| ranked[at]).collect();
    order.map(entries).map_err(entries)
}

/// Returns the shortest list from which [`sort`] makes the order of a file, after what was out of order there.
pub(crate) fn shortest_list(file: &[OrderEntry], needs: &Needs) -> Vec<OrderEntry> {
    let Ok(order) = sort(file, needs) else {
        // The cycle was reported.
        return Vec::new();
    };
    let is_enough = |count: usize| sort(&order[..count], needs).as_ref() == Ok(&order);
    let is_element = |entry: &OrderEntry| matches!(entry, OrderEntry::Element(_));
    // Elements without an id are only in the list.
    let mut low = order
        .iter()
        .rposition(is_element)
        .map_or(0, |last| last + 1);
    let mut high = order.len();
    if is_enough(low) {
        high = low;
    }
    while low < high {
        let middle = low.midpoint(high);
        if is_enough(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    order[..high].to_vec()
}

/// Writes a list: ids, and `*` for the next element.
pub(crate) fn format(list: &[OrderEntry]) -> String {
    let words = list.iter().map(|entry| match entry {
        OrderEntry::Resource(id) => id.to_string(),
        OrderEntry::Element(_) => "*".to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Reads a list; words of neither kind are ignored.
pub(crate) fn parse(text: &str) -> Vec<OrderEntry> {
    let mut elements = 0..;
    let words = text.split(' ').filter_map(|word| match word {
        "*" => elements.next().map(OrderEntry::Element),
        word => word.parse().ok().map(OrderEntry::Resource),
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_kept_as_the_shortest_list() {
        // The file, what each needs, its order when it is written, and the list.
        for (file, needs, written, list) in [
            ("1 2 3", "", "1 2 3", ""),
            ("3 1 2", "1>3", "3 1 2", ""),
            ("3 1 2", "", "3 1 2", "3"),
            ("2 9 1 3 4", "", "2 9 1 3 4", "2 9"),
            ("5 9 6", "5>9", "9 5 6", ""),
            ("6 5 9", "5>9", "6 9 5", "6"),
            ("1 * 2 3", "", "1 * 2 3", "1 *"),
            ("* 3 * 1", "", "* 3 * 1", "* 3 *"),
            ("", "", "", ""),
        ] {
            let entries = parse(file);
            let mut needed = Needs::new();
            for entry in &entries {
                needed.insert(*entry, BTreeSet::new());
            }
            for (one, other) in needs.split(' ').filter_map(|pair| pair.split_once('>')) {
                let one = OrderEntry::Resource(one.parse().unwrap());
                needed.get_mut(&one).unwrap().insert(other.parse().unwrap());
            }
            let found = shortest_list(&entries, &needed);
            assert_eq!(format(&found), list, "{file}");
            assert_eq!(
                sort(&parse(list), &needed).map(|all| format(&all)),
                Ok(written.to_owned())
            );
        }
    }
}
