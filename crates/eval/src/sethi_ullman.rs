//! Sethi-Ullman scheduling: an order of values in which few are live at once. It is depth first, and of the operands
//! of a value the one that needs most registers comes first.
//!
//! For trees that is the best order there is (Sethi and Ullman, The Generation of Optimal Code for Arithmetic
//! Expressions, 1970); values with several uses make the problem hard, and the order only good. It takes time in
//! proportion to the values and to what they take.

/// Schedules the values that `roots` need, each after its operands.
///
/// There are `count` values, given by their index; each has up to three earlier ones as operands. Of those that need
/// as much room, the last is computed first. `own` is the least room that a value needs.
pub(crate) fn schedule<I: Iterator<Item = u32>>(
    count: usize,
    roots: impl Iterator<Item = u32>,
    own: impl Fn(u32) -> u32,
    operands: impl Fn(u32) -> I,
) -> Vec<u32> {
    /// Marks a value whose operands are scheduled.
    const READY: u32 = 1 << 31;

    let needs = sethi_ullman_numbers(count, own, &operands);
    let mut order = Vec::with_capacity(count);
    let mut is_done = vec![false; count];
    let mut stack: Vec<u32> = Vec::new();
    for root in roots {
        stack.push(root);
        while let Some(entry) = stack.pop() {
            let value = entry & !READY;
            if is_done[value as usize] {
                continue;
            }
            if entry & READY != 0 {
                is_done[value as usize] = true;
                order.push(value);
                continue;
            }
            stack.push(value | READY);
            let first = stack.len();
            for operand in operands(value).filter(|&operand| !is_done[operand as usize]) {
                // The operand that needs most registers lies on top.
                let needs_more = |&other: &u32| needs[other as usize] > needs[operand as usize];
                let place = stack[first..].iter().position(needs_more);
                let place = place.map_or(stack.len(), |place| first + place);
                stack.insert(place, operand);
            }
        }
    }
    order
}

/// Sethi-Ullman number of each value: the maximal number of live values while it is computed, if no value had two uses.
fn sethi_ullman_numbers<I: Iterator<Item = u32>>(
    count: usize,
    own: impl Fn(u32) -> u32,
    operands: impl Fn(u32) -> I,
) -> Vec<u32> {
    let mut needs: Vec<u32> = Vec::with_capacity(count);
    for value in 0..count as u32 {
        // Of what is taken, from the one that needs most.
        let mut most = [0; 3];
        for operand in operands(value) {
            let mut need = needs[operand as usize];
            for place in &mut most {
                if need > *place {
                    std::mem::swap(place, &mut need);
                }
            }
            debug_assert_eq!(need, 0, "a value takes up to three");
        }
        let [a, b, c] = most;
        let beside = |need: u32, others| if need == 0 { 0 } else { need + others };
        needs.push(a.max(beside(b, 1)).max(beside(c, 2)).max(own(value)));
    }
    needs
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order of values that take what `lists` lists, up to the last one.
    fn order(lists: &[&[u32]]) -> Vec<u32> {
        let root = lists.len() as u32 - 1;
        let operands = |value: u32| lists[value as usize].iter().copied();
        schedule(lists.len(), std::iter::once(root), |_| 1, operands)
    }

    #[test]
    fn the_operand_that_needs_more_registers_comes_first() {
        let pair: &[&[u32]] = &[&[], &[], &[], &[1, 2], &[0, 3]];
        assert_eq!(order(pair), [2, 1, 3, 0, 4]);
        let swapped: &[&[u32]] = &[&[], &[], &[], &[1, 2], &[3, 0]];
        assert_eq!(order(swapped), [2, 1, 3, 0, 4]);
    }

    #[test]
    fn shared_values_come_once_and_dead_ones_never() {
        assert_eq!(order(&[&[], &[], &[0, 0], &[0, 2, 2]]), [0, 2, 3]);
    }

    #[test]
    fn one_more_register_is_needed_for_each_level_of_a_balanced_tree() {
        let tree: &[&[u32]] = &[&[], &[], &[0, 1], &[], &[], &[3, 4], &[2, 5]];
        let operands = |value: u32| tree[value as usize].iter().copied();
        let numbers = sethi_ullman_numbers(7, |_| 1, operands);
        assert_eq!(numbers, [1, 1, 2, 1, 1, 2, 3]);
        // What is there already needs no room.
        let last = |value| u32::from(value == 6);
        assert_eq!(sethi_ullman_numbers(7, last, operands)[6], 1);
    }
}
