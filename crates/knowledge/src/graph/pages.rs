//! A list in pages: a copy shares all of them, and what is changed then is copied page by page.

use std::sync::Arc;

use rayon::prelude::*;

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

impl<T: Send + Sync> Pages<T> {
    /// A list of some items, unless one is a mistake.
    pub(super) fn gather<E: Send>(
        items: impl IndexedParallelIterator<Item = Result<T, E>>,
    ) -> Result<Pages<T>, E> {
        let len = items.len();
        let pages = items.chunks(PAGE).map(|page| {
            let page: Result<Page<T>, E> = page.into_iter().collect();
            page.map(Arc::new)
        });
        let pages: Bundle<T> = pages.collect::<Result<_, E>>()?;
        let bundles = pages.chunks(BUNDLE).map(|pages| Arc::new(pages.to_vec()));
        let bundles = Arc::new(bundles.collect());
        Ok(Pages { bundles, len })
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

    /// How many items there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Whether it shares everything with another, so that both are the same for certain.
    pub(super) fn is_shared(&self, other: &Pages<T>) -> bool {
        Arc::ptr_eq(&self.bundles, &other.bundles) && self.len == other.len
    }

    /// The places of this list and another that are not on pages which both share, in order. What is there may be the same
    /// all the same, and the last ones may be behind the end of one of both.
    pub(super) fn unshared<'a>(&'a self, other: &'a Pages<T>) -> impl Iterator<Item = usize> + 'a {
        let bundles = self.bundles.len().max(other.bundles.len());
        let bundles = if self.is_shared(other) { 0 } else { bundles };
        let bundles = (0..bundles).filter(move |&bundle| {
            let [one, two] = [self, other].map(|list| list.bundles.get(bundle));
            !one.zip(two).is_some_and(|(one, two)| Arc::ptr_eq(one, two))
        });
        let pages = bundles.flat_map(|bundle| (0..BUNDLE).map(move |page| (bundle, page)));
        let pages = pages.filter_map(move |(bundle, page)| {
            let [one, two] = [self, other].map(|list| list.bundles.get(bundle)?.get(page));
            let is_shared = one.zip(two).is_some_and(|(one, two)| Arc::ptr_eq(one, two));
            let items = one
                .map_or(0, |page| page.len())
                .max(two.map_or(0, |page| page.len()));
            let first = (bundle * BUNDLE + page) * PAGE;
            (!is_shared && items > 0).then_some(first..first + items)
        });
        pages.flatten()
    }

    /// The items in the order of their places.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.bundles
            .iter()
            .flat_map(|bundle| bundle.iter())
            .flat_map(|page| page.iter())
    }
}
