//! Topological sort (callees before callers), and detection of cycles.
//!
//! Kahn's algorithm, the smallest index first, so that the order of the file stays where it can. Time
//! O((n + m) log n) and no recursion, however long a chain is.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::Limits;
use super::budget::Budget;
use super::error::{Problem, ReadError};
use super::raw;
use super::scope::{Known, Scope};

/// The places of the functions, callees before callers.
///
/// # Errors
/// [`Problem::RecursiveCall`] when a function calls itself, directly or through others; [`Problem::TooLarge`] when
/// all calls together have too many inputs and outputs.
pub(super) fn callees_first(
    functions: &[raw::Function],
    known: &Known<'_>,
    limits: &Limits,
) -> Result<Vec<usize>, ReadError> {
    let ids = functions.iter().map(|function| function.id);
    let index: HashMap<u32, usize> = ids.enumerate().map(|(at, id)| (id, at)).collect();
    let mut kept = Budget::new(limits);
    let mut needs = Vec::new();
    for function in functions {
        let callees = Scope::new(function, known)?.callees()?;
        for id in &callees {
            let ty = &known.types[id];
            kept.nodes(ty.inputs.len() + ty.outputs.len())
                .map_err(|problem| problem.at(function.place.clone()))?;
        }
        let graphs = callees.iter().filter_map(|id| index.get(id).copied());
        needs.push(graphs.collect::<Vec<_>>());
    }
    needed_first(&needs).map_err(|circle| {
        let name = |&at: &usize| format!("{} ({})", functions[at].id, functions[at].name);
        let path: Vec<String> = circle.iter().map(name).collect();
        Problem::RecursiveCall(shortened(&path)).at(functions[circle[0]].place.clone())
    })
}

/// An order in which everything comes after what it needs.
///
/// # Errors
/// A circle: each needs the next, the last is the first again.
pub(super) fn needed_first(needs: &[Vec<usize>]) -> Result<Vec<usize>, Vec<usize>> {
    let mut waiting: Vec<usize> = needs.iter().map(Vec::len).collect();
    let mut needed_by: Vec<Vec<usize>> = vec![Vec::new(); needs.len()];
    for (at, needed) in needs.iter().enumerate() {
        for &other in needed {
            needed_by[other].push(at);
        }
    }
    let free = (0..needs.len()).filter(|&at| waiting[at] == 0);
    let mut ready: BinaryHeap<Reverse<usize>> = free.map(Reverse).collect();
    let mut order = Vec::with_capacity(needs.len());
    while let Some(Reverse(at)) = ready.pop() {
        order.push(at);
        for &other in &needed_by[at] {
            waiting[other] -= 1;
            if waiting[other] == 0 {
                ready.push(Reverse(other));
            }
        }
    }
    match waiting.iter().position(|&count| count > 0) {
        None => Ok(order),
        Some(start) => Err(circle(needs, &waiting, start)),
    }
}

/// Whatever still waits needs something that still waits, so following that leads round and round.
fn circle(needs: &[Vec<usize>], waiting: &[usize], start: usize) -> Vec<usize> {
    let mut met: HashMap<usize, usize> = HashMap::new();
    let mut path = Vec::new();
    let mut at = start;
    while !met.contains_key(&at) {
        met.insert(at, path.len());
        path.push(at);
        let next = needs[at].iter().find(|&&other| waiting[other] > 0);
        at = *next.expect("what waits needs something that waits");
    }
    path.push(at);
    path.drain(..met[&at]);
    path
}

/// A path as a text, its middle left out when it is long.
pub(super) fn shortened(path: &[String]) -> String {
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

    fn check(needs: &[&[usize]], expected: Result<&[usize], &[usize]>) {
        let needs: Vec<Vec<usize>> = needs.iter().map(|needs| needs.to_vec()).collect();
        let found = needed_first(&needs);
        assert_eq!(
            found.as_deref().map_err(Vec::as_slice),
            expected,
            "{needs:?}"
        );
    }

    #[test]
    fn the_order_of_the_file_stays_where_it_can() {
        check(&[], Ok(&[]));
        check(&[&[], &[], &[]], Ok(&[0, 1, 2]));
        check(&[&[2], &[], &[1, 1]], Ok(&[1, 2, 0]));
    }

    #[test]
    fn a_circle_is_named_from_its_start() {
        check(&[&[0]], Err(&[0, 0]));
        check(&[&[1], &[2], &[3], &[2]], Err(&[2, 3, 2]));
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let needs: Vec<Vec<usize>> = (0..100_000_usize)
            .map(|at| at.checked_sub(1).into_iter().collect())
            .collect();
        assert_eq!(needed_first(&needs).unwrap().len(), 100_000);
    }
}
