//! Ids of requests over HTTP, by which answers, logs and spans are found: that of the client or of a proxy, or one of this server.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use axum::http::{HeaderMap, HeaderValue};

/// Header of a request and its answer.
pub(crate) const HEADER: &str = "x-request-id";

/// Maximum length of an id in bytes; longer ones are replaced.
const MAX_BYTES: usize = 64;

/// Gives the headers of a request an id, unless they have a valid one, and returns it.
pub(crate) fn ensure(headers: &mut HeaderMap) -> HeaderValue {
    let given = headers.get(HEADER).filter(|id| is_valid(id)).cloned();
    let id = given.unwrap_or_else(generated);
    headers.insert(HEADER, id.clone());
    id
}

/// Returns the id of a request.
pub(crate) fn get(headers: &HeaderMap) -> &str {
    let id = headers.get(HEADER);
    id.and_then(|id| id.to_str().ok()).unwrap_or_default()
}

/// True for ids that can stand in a line of a log.
fn is_valid(id: &HeaderValue) -> bool {
    (1..=MAX_BYTES).contains(&id.len()) && id.as_bytes().iter().all(u8::is_ascii_graphic)
}

/// Creates an id that no other request of any process has, for all that matters.
fn generated() -> HeaderValue {
    static PROCESS: LazyLock<u32> =
        LazyLock::new(|| RandomState::new().hash_one(std::process::id()) as u32);
    static NUMBER: AtomicU64 = AtomicU64::new(1);
    let id = format!("{:08x}-{:x}", *PROCESS, NUMBER.fetch_add(1, Relaxed));
    HeaderValue::try_from(id).expect("hexadecimal digits are visible")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_clients_are_kept_if_they_are_valid() {
        let check = |given: &[u8], is_kept: bool| {
            let mut headers = HeaderMap::new();
            headers.insert(HEADER, HeaderValue::from_bytes(given).expect("a header"));
            let id = ensure(&mut headers);
            assert_eq!(id.as_bytes() == given, is_kept, "{given:?}");
            assert_eq!(get(&headers).as_bytes(), id.as_bytes());
        };
        check(b"a-1", true);
        check(&[b'x'; 64], true);
        check(&[b'x'; 65], false);
        check(b"two words", false);
        check("\u{e9}".as_bytes(), false);
        check(b"", false);
        let (mut one, mut two) = (HeaderMap::new(), HeaderMap::new());
        assert_ne!(ensure(&mut one), ensure(&mut two));
    }
}
