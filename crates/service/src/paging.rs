//! Pagination: answers stay below a size that every client accepts.

use serde::Serialize;

use crate::refusal::{Refusal, Result, quoted};

/// Maximum bytes of JSON of the items of one page. They are sent twice, as structure and as text.
const BUDGET: usize = 24 << 10;

/// Start of a page and its maximum number of items.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paging {
    /// Items with a number up to this one were shown before.
    after: Option<u64>,
    limit: usize,
    /// Maximum bytes of the items' JSON.
    budget: usize,
}

/// A page of a list.
#[derive(Debug)]
pub(crate) struct Page<T> {
    pub(crate) items: Vec<T>,
    /// Cursor of the next page, or `None` if this is the last.
    pub(crate) next_cursor: Option<String>,
}

impl Paging {
    /// Parses the arguments of a request.
    pub(crate) fn new(limit: Option<u32>, cursor: Option<&str>) -> Result<Self> {
        if limit == Some(0) {
            let message = "limit is 0; pass 1 or more, or omit it";
            return Err(Refusal::new("invalid_value", message));
        }
        let after = match cursor {
            None => None,
            Some(text) => Some(text.parse().map_err(|_| {
                Refusal::new(
                    "invalid_cursor",
                    format!("{} is not a cursor", quoted(text)),
                )
                .hint("pass next_cursor of the previous page, with the same other arguments")
            })?),
        };
        Ok(Paging {
            after,
            limit: limit.map_or(usize::MAX, |limit| limit as usize),
            budget: BUDGET,
        })
    }

    /// Limits pages to this many bytes of JSON.
    pub(crate) fn of_size(self, budget: usize) -> Self {
        Paging { budget, ..self }
    }

    /// Number after which the page starts.
    pub(crate) fn after(self) -> Option<u64> {
        self.after
    }

    /// The whole list on one page.
    pub(crate) fn whole() -> Self {
        Paging {
            after: None,
            limit: usize::MAX,
            budget: usize::MAX,
        }
    }

    /// Returns a page of a list whose items have increasing numbers. Calls `make` for the items of the page only.
    pub(crate) fn page<I, T: Serialize>(
        self,
        list: impl Iterator<Item = (u64, I)>,
        mut make: impl FnMut(I) -> T,
    ) -> Page<T> {
        let mut rest =
            list.skip_while(|(number, _)| self.after.is_some_and(|after| *number <= after));
        let (mut items, mut size, mut shown) = (Vec::new(), 0, None);
        for (number, item) in rest.by_ref() {
            let full = items.len() >= self.limit;
            let item = if full { None } else { Some(make(item)) };
            size += item.as_ref().map_or(0, length);
            match item {
                // The first item is included whatever its size, or paging could not continue.
                Some(item) if size <= self.budget || items.is_empty() => items.push(item),
                Some(_) | None => {
                    return Page {
                        items,
                        next_cursor: shown.map(|number: u64| number.to_string()),
                    };
                }
            }
            shown = Some(number);
        }
        Page {
            items,
            next_cursor: None,
        }
    }
}

fn length<T: Serialize>(item: &T) -> usize {
    serde_json::to_vec(item).map_or(0, |bytes| bytes.len() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(limit: Option<u32>, cursor: Option<&str>, expected: &[u64], next: Option<&str>) {
        let paging = Paging::new(limit, cursor).unwrap();
        let page = paging.page([2, 3, 5, 7].into_iter().map(|n| (n, n)), |n| n);
        assert_eq!(page.items[..], *expected);
        assert_eq!(page.next_cursor.as_deref(), next);
    }

    #[test]
    fn pages_are_consecutive() {
        check(None, None, &[2, 3, 5, 7], None);
        check(Some(2), None, &[2, 3], Some("3"));
        check(Some(2), Some("3"), &[5, 7], None);
        check(Some(1), Some("4"), &[5], Some("5"));
        check(None, Some("7"), &[], None);
        let refused = Paging::new(None, Some("x")).unwrap_err();
        assert_eq!(refused.code, "invalid_cursor");
    }

    #[test]
    fn large_items_never_block_paging() {
        let large = "x".repeat(20 << 10);
        let list = || (0..3).map(|n| (n, ()));
        let page = Paging::new(None, None).unwrap().page(list(), |()| &large);
        assert_eq!(page.items.len(), 1);
        assert_eq!(page.next_cursor.as_deref(), Some("0"));
    }
}
