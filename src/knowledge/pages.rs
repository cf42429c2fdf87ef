//! A list in pages: a copy shares all of them, and what is changed then is copied page by page.

use std::sync::Arc;

/// Items on a page.
const PAGE: usize = 64;
/// Pages in a bundle.
const BUNDLE: usize = 128;

type Page<T> = Vec<T>;
type Bundle<T> = Vec<Arc<Page<T>>>;

/// A list that grows at its end and whose copies are cheap; an item is found in three steps.
///
/// A copy takes constant time. The first change after one copies a page and the lists that lead to it: for a million
/// items about 30 kB of them, for any number of changes together no more than everything.
#[derive(Debug, Clone)]
pub(super) struct Pages<T> {
    bundles: Arc<Vec<Arc<Bundle<T>>>>,
    len: usize,
}

impl<T> Default for Pages<T> {
    fn default() -> Self {
        Pages {
            bundles: Arc::default(),
            len: 0,
        }
    }
}

impl<T: Clone> Pages<T> {
    pub(super) fn get(&self, place: usize) -> Option<&T> {
        let (page, item) = (place / PAGE, place % PAGE);
        let bundle = self.bundles.get(page / BUNDLE)?;
        bundle.get(page % BUNDLE)?.get(item)
    }

    pub(super) fn get_mut(&mut self, place: usize) -> Option<&mut T> {
        if place >= self.len {
            return None;
        }
        let (page, item) = (place / PAGE, place % PAGE);
        let bundles = Arc::make_mut(&mut self.bundles);
        let bundle = Arc::make_mut(&mut bundles[page / BUNDLE]);
        Arc::make_mut(&mut bundle[page % BUNDLE]).get_mut(item)
    }

    /// Adds an item, and tells its place.
    pub(super) fn push(&mut self, item: T) -> usize {
        let (page, place) = (self.len / PAGE, self.len % PAGE);
        let bundles = Arc::make_mut(&mut self.bundles);
        if page / BUNDLE == bundles.len() {
            bundles.push(Arc::default());
        }
        let bundle = Arc::make_mut(&mut bundles[page / BUNDLE]);
        if place == 0 {
            bundle.push(Arc::new(Vec::with_capacity(if page == 0 {
                4
            } else {
                PAGE
            })));
        }
        Arc::make_mut(&mut bundle[page % BUNDLE]).push(item);
        self.len += 1;
        self.len - 1
    }

    /// The items in the order of their places.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.bundles
            .iter()
            .flat_map(|bundle| bundle.iter())
            .flat_map(|page| page.iter())
    }
}
