//! Lists in pages: an answer stays below a size that every client takes.

use serde::Serialize;

use super::refusal::{Refusal, quoted};

/// The most bytes of JSON that the items of one page have. They travel twice, as structure and as text.
const BUDGET: usize = 24 << 10;

/// Where a page starts, and how many items it has at most.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paging {
    /// Items whose number is not above this one were shown before.
    after: Option<u64>,
    limit: usize,
    /// The most bytes of the items' JSON.
    budget: usize,
}

/// A part of a list.
#[derive(Debug)]
pub(super) struct Page<T> {
    pub(super) items: Vec<T>,
    /// What the next page starts after; `None` if this is the last.
    pub(super) next_cursor: Option<String>,
}

impl Paging {
    /// Reads the arguments of a request.
    pub(super) fn new(limit: Option<u32>, cursor: Option<&str>) -> Result<Self, Refusal> {
        if limit == Some(0) {
            return Err(Refusal::new(
                "invalid_value",
                "limit is 0; give 1 or more, or leave it out",
            ));
        }
        let after = match cursor {
            None => None,
            Some(text) => Some(text.parse().map_err(|_| {
                Refusal::new("invalid_cursor", format!("{} is no cursor", quoted(text)))
                    .hint("send back next_cursor of the page before, with the same other arguments")
            })?),
        };
        Ok(Paging {
            after,
            limit: limit.map_or(usize::MAX, |limit| limit as usize),
            budget: BUDGET,
        })
    }

    /// With pages of so many bytes of JSON at most.
    pub(super) fn of_size(self, budget: usize) -> Self {
        Paging { budget, ..self }
    }

    /// The number that the page starts after.
    pub(super) fn after(self) -> Option<u64> {
        self.after
    }

    /// The whole list on one page.
    pub(super) fn whole() -> Self {
        Paging {
            after: None,
            limit: usize::MAX,
            budget: usize::MAX,
        }
    }

    /// The page of a list whose items have rising numbers. `make` is called for the items of the page only.
    pub(super) fn page<I, T: Serialize>(
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
                // The first item is shown however large it is, or the list could not be read on.
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
        assert_eq!(
            (&page.items[..], page.next_cursor.as_deref()),
            (expected, next)
        );
    }

    #[test]
    fn pages_follow_one_another() {
        check(None, None, &[2, 3, 5, 7], None);
        check(Some(2), None, &[2, 3], Some("3"));
        check(Some(2), Some("3"), &[5, 7], None);
        check(Some(1), Some("4"), &[5], Some("5"));
        check(None, Some("7"), &[], None);
        assert_eq!(
            Paging::new(None, Some("x")).unwrap_err().code,
            "invalid_cursor"
        );
    }

    #[test]
    fn large_items_end_a_page_but_never_stop_it() {
        let large = "x".repeat(20 << 10);
        let list = || (0..3).map(|n| (n, ()));
        let page = Paging::new(None, None).unwrap().page(list(), |()| &large);
        assert_eq!(
            (page.items.len(), page.next_cursor.as_deref()),
            (1, Some("0"))
        );
    }
}
