//! Top-k selection without sorting all items.

use std::cmp::Ordering;

/// Minimum capacity of the buffer; small in tests.
const FEW: usize = if cfg!(test) { 2 } else { 32 };

/// Keeps the k least of the items pushed.
///
/// Up to 2k items are buffered before the worse half is dropped by one selection, which takes less time per item than a
/// heap; most items that are worse than the k-th are not buffered at all.
pub(super) struct TopK<T, F> {
    most: usize,
    items: Vec<T>,
    /// The k-th item so far: k items are at least as good.
    worst: Option<T>,
    compare: F,
}

impl<T: Clone, F: Fn(&T, &T) -> Ordering> TopK<T, F> {
    pub(super) fn new(most: usize, compare: F) -> Self {
        TopK {
            most,
            items: Vec::new(),
            worst: None,
            compare,
        }
    }

    pub(super) fn push(&mut self, item: T) {
        let worst = self.worst.as_ref();
        if worst.is_some_and(|worst| (self.compare)(&item, worst) != Ordering::Less) {
            return;
        }
        self.items.push(item);
        if self.items.len() >= self.most.saturating_mul(2).max(FEW) {
            self.drop_worse();
        }
    }

    /// Returns the bound that an item has to beat to be kept.
    pub(super) fn worst(&self) -> Option<&T> {
        self.worst.as_ref()
    }

    fn drop_worse(&mut self) {
        if self.most < self.items.len() {
            self.items.select_nth_unstable_by(self.most, &self.compare);
            self.items.truncate(self.most);
        }
        if self.items.len() == self.most {
            let items = self.items.iter();
            let worst = items.max_by(|one, two| (self.compare)(one, two));
            self.worst = worst.cloned();
        }
    }

    /// Returns the k least items, sorted.
    pub(super) fn into_sorted(mut self) -> Vec<T> {
        self.drop_worse();
        self.items.sort_unstable_by(&self.compare);
        self.items
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_best_are_the_first_of_all_sorted(
            items in prop::collection::vec(any::<u16>(), 0..2_000),
            most in prop_oneof![0..20_usize, 0..2_500_usize, Just(usize::MAX)],
        ) {
            let mut best = TopK::new(most, u16::cmp);
            for &item in &items {
                best.push(item);
            }
            let mut sorted = items;
            sorted.sort_unstable();
            sorted.truncate(most);
            prop_assert_eq!(best.into_sorted(), sorted);
        }
    }
}
