//! A persistent vector in pages, shared by copies (copy on write).

use std::sync::Arc;

use rayon::prelude::*;

const PAGE_LEN: usize = 64;
const BUNDLE_LEN: usize = 128;

type Page<T> = Vec<T>;
type Bundle<T> = Vec<Arc<Page<T>>>;

/// An append-only vector with O(1) clones; access follows three pointers.
///
/// The first change after a clone copies one page and the arrays that lead to it: about 30 kB for a million items. Any
/// number of changes copy at most everything once.
#[derive(Debug, Clone)]
pub(super) struct PagedVec<T> {
    bundles: Arc<Vec<Arc<Bundle<T>>>>,
    len: usize,
}

impl<T> Default for PagedVec<T> {
    fn default() -> Self {
        let (bundles, len) = (Arc::default(), 0);
        PagedVec { bundles, len }
    }
}

impl<T: Send + Sync> PagedVec<T> {
    /// Collects items in parallel, or returns the first error.
    pub(super) fn from_par_iter<E: Send>(
        items: impl IndexedParallelIterator<Item = Result<T, E>>,
    ) -> Result<PagedVec<T>, E> {
        let len = items.len();
        let pages = items.chunks(PAGE_LEN).map(|page| {
            let page: Result<Page<T>, E> = page.into_iter().collect();
            page.map(Arc::new)
        });
        let pages: Bundle<T> = pages.collect::<Result<_, E>>()?;
        let bundles = pages.chunks(BUNDLE_LEN);
        let bundles = bundles.map(|pages| Arc::new(pages.to_vec()));
        let bundles = Arc::new(bundles.collect());
        Ok(PagedVec { bundles, len })
    }
}

impl<T: Clone> PagedVec<T> {
    pub(super) fn get(&self, place: usize) -> Option<&T> {
        let (page, item) = (place / PAGE_LEN, place % PAGE_LEN);
        let bundle = self.bundles.get(page / BUNDLE_LEN)?;
        bundle.get(page % BUNDLE_LEN)?.get(item)
    }

    pub(super) fn get_mut(&mut self, place: usize) -> Option<&mut T> {
        if place >= self.len {
            return None;
        }
        let (page, item) = (place / PAGE_LEN, place % PAGE_LEN);
        let bundles = Arc::make_mut(&mut self.bundles);
        let bundle = Arc::make_mut(&mut bundles[page / BUNDLE_LEN]);
        Arc::make_mut(&mut bundle[page % BUNDLE_LEN]).get_mut(item)
    }

    /// Appends an item and returns its index.
    pub(super) fn push(&mut self, item: T) -> usize {
        let (page, place) = (self.len / PAGE_LEN, self.len % PAGE_LEN);
        let bundles = Arc::make_mut(&mut self.bundles);
        if page / BUNDLE_LEN == bundles.len() {
            bundles.push(Arc::default());
        }
        let bundle = Arc::make_mut(&mut bundles[page / BUNDLE_LEN]);
        if place == 0 {
            let capacity = if page == 0 { 4 } else { PAGE_LEN };
            bundle.push(Arc::new(Vec::with_capacity(capacity)));
        }
        Arc::make_mut(&mut bundle[page % BUNDLE_LEN]).push(item);
        self.len += 1;
        self.len - 1
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// True if both share all pages, and thus are equal.
    pub(super) fn is_shared(&self, other: &PagedVec<T>) -> bool {
        Arc::ptr_eq(&self.bundles, &other.bundles) && self.len == other.len
    }

    /// Returns the indexes on pages that the two lists do not share, in order. Their items may be equal all the same,
    /// and the last ones may be beyond the end of one list.
    pub(super) fn unshared<'a>(
        &'a self,
        other: &'a PagedVec<T>,
    ) -> impl Iterator<Item = usize> + 'a {
        let bundles = self.bundles.len().max(other.bundles.len());
        let bundles = if self.is_shared(other) { 0 } else { bundles };
        let bundles = (0..bundles).filter(move |&bundle| {
            let [one, two] = [self, other].map(|list| list.bundles.get(bundle));
            !one.zip(two).is_some_and(|(one, two)| Arc::ptr_eq(one, two))
        });
        let pages = bundles.flat_map(|bundle| (0..BUNDLE_LEN).map(move |page| (bundle, page)));
        let pages = pages.filter_map(move |(bundle, page)| {
            let [one, two] = [self, other].map(|list| list.bundles.get(bundle)?.get(page));
            let is_shared = one.zip(two).is_some_and(|(one, two)| Arc::ptr_eq(one, two));
            let len = |page: Option<&Arc<Page<T>>>| page.map_or(0, |page| page.len());
            let items = len(one).max(len(two));
            let first = (bundle * BUNDLE_LEN + page) * PAGE_LEN;
            (!is_shared && items > 0).then_some(first..first + items)
        });
        pages.flatten()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        let pages = self.bundles.iter().flat_map(|bundle| bundle.iter());
        pages.flat_map(|page| page.iter())
    }
}
