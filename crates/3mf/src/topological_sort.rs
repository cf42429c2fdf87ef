//! Stable topological sort, and detection of cycles.
//!
//! Indexes keep their order; one that comes too late moves to just before the first that depends on it. An order that is
//! right already does not change. Time O(n + m log m), without recursion.

use std::collections::HashMap;

/// Returns an order in which every index comes after its dependencies.
///
/// # Errors
/// A cycle: each index depends on the next, and the last is the first again.
pub(crate) fn topological_sort(dependencies: &[Vec<usize>]) -> Result<Vec<usize>, Vec<usize>> {
    let waiting = waiting(dependencies);
    if let Some(start) = waiting.iter().position(|&count| count > 0) {
        return Err(find_cycle(dependencies, &waiting, start));
    }
    let mut order = Vec::with_capacity(dependencies.len());
    let mut visited = vec![false; dependencies.len()];
    // Indexes with their remaining dependencies, each the reason for the next.
    let mut open: Vec<(usize, std::vec::IntoIter<usize>)> = Vec::new();
    let sorted = |at: usize| {
        let mut needed = dependencies[at].clone();
        needed.sort_unstable();
        needed.into_iter()
    };
    for start in 0..dependencies.len() {
        if !std::mem::replace(&mut visited[start], true) {
            open.push((start, sorted(start)));
        }
        while let Some((at, needed)) = open.last_mut() {
            match needed.next() {
                Some(next) if std::mem::replace(&mut visited[next], true) => {}
                Some(next) => open.push((next, sorted(next))),
                None => {
                    order.push(*at);
                    open.pop();
                }
            }
        }
    }
    Ok(order)
}

/// Number of dependencies of each index that are in a cycle, or depend on one.
fn waiting(dependencies: &[Vec<usize>]) -> Vec<usize> {
    let mut waiting: Vec<usize> = dependencies.iter().map(Vec::len).collect();
    let mut dependents: Vec<Vec<usize>> = vec![Vec::new(); dependencies.len()];
    for (at, needed) in dependencies.iter().enumerate() {
        for &other in needed {
            dependents[other].push(at);
        }
    }
    let mut ready: Vec<usize> = (0..dependencies.len())
        .filter(|&at| waiting[at] == 0)
        .collect();
    while let Some(at) = ready.pop() {
        for &other in &dependents[at] {
            waiting[other] -= 1;
            if waiting[other] == 0 {
                ready.push(other);
            }
        }
    }
    waiting
}

/// Every index that still waits depends on another one that waits, so following these ends in a cycle.
fn find_cycle(dependencies: &[Vec<usize>], waiting: &[usize], start: usize) -> Vec<usize> {
    let mut visited: HashMap<usize, usize> = HashMap::new();
    let mut path = Vec::new();
    let mut at = start;
    while !visited.contains_key(&at) {
        visited.insert(at, path.len());
        path.push(at);
        let next = dependencies[at].iter().find(|&&other| waiting[other] > 0);
        at = *next.expect("what waits needs something that waits");
    }
    path.push(at);
    path.drain(..visited[&at]);
    path
}

/// Formats a path, leaving out its middle if it is long.
pub(crate) fn abbreviate_path(path: &[String]) -> String {
    const ENDS: usize = 5;
    if path.len() <= 2 * ENDS {
        return path.join(" -> ");
    }
    let (first, last) = (&path[..ENDS], &path[path.len() - ENDS..]);
    format!(
        "{} -> … ({} more) … -> {}",
        first.join(" -> "),
        path.len() - 2 * ENDS,
        last.join(" -> ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(dependencies: &[&[usize]], expected: Result<&[usize], &[usize]>) {
        let dependencies: Vec<Vec<usize>> = dependencies
            .iter()
            .map(|dependencies| dependencies.to_vec())
            .collect();
        let found = topological_sort(&dependencies);
        let found = found.as_deref().map_err(Vec::as_slice);
        assert_eq!(found, expected, "{dependencies:?}");
    }

    #[test]
    fn the_order_of_the_file_stays_where_it_can() {
        check(&[], Ok(&[]));
        check(&[&[], &[], &[]], Ok(&[0, 1, 2]));
        check(&[&[2], &[], &[1, 1]], Ok(&[1, 2, 0]));
    }

    #[test]
    fn a_cycle_is_named_from_its_start() {
        check(&[&[0]], Err(&[0, 0]));
        check(&[&[1], &[2], &[3], &[2]], Err(&[2, 3, 2]));
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let chain = (0..100_000_usize).map(|at| at.checked_sub(1).into_iter().collect());
        let order = topological_sort(&chain.collect::<Vec<_>>()).unwrap();
        assert_eq!(order.len(), 100_000);
    }
}
