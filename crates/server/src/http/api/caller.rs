//! Origin of a request for the history.
//!
//! A request names its client in `X-Fibula-Client`. The page is called `page`, and its requests count as a person's;
//! any other name is a program's. Without the header the name is the product of the `User-Agent`: `curl` for
//! `curl/8.5.0`.

use axum::http::{HeaderMap, header};
use fibula_core::edit::{Caller, Origin};
use fibula_nodes::names;

/// Header with the name of the client.
pub(super) const HEADER: &str = "x-fibula-client";

/// Name of the page.
const PAGE: &str = "page";

/// Returns the origin of a request.
pub(super) fn origin(headers: &HeaderMap, tool: &str) -> Origin {
    const LONGEST: usize = 80;
    let text = |name: &str| {
        let value = headers.get(name)?;
        let text = String::from_utf8_lossy(value.as_bytes());
        let text = names::visible(text.trim(), LONGEST);
        (!text.is_empty()).then_some(text)
    };
    let product = || {
        let agent = text(header::USER_AGENT.as_str())?;
        let product = agent.split(['/', ' ']).next()?.to_owned();
        (!product.is_empty()).then_some(product)
    };
    let named = text(HEADER);
    let kind = match named.as_deref() {
        Some(PAGE) => Caller::Person,
        Some(_) | None => Caller::Program,
    };
    let client = named.or_else(product).unwrap_or_else(|| "http".to_owned());
    Origin {
        kind,
        client,
        tool: tool.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_is_known_by_its_headers() {
        let check = |headers: &[(&'static str, &str)], kind: Caller, client: &str| {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.insert(*name, value.parse().expect("a value"));
            }
            let origin = origin(&map, "GET /");
            assert_eq!((origin.kind, origin.client.as_str()), (kind, client));
        };
        let (person, program) = (Caller::Person, Caller::Program);
        check(&[], program, "http");
        check(&[("user-agent", "curl/8.5.0")], program, "curl");
        check(&[("user-agent", "/")], program, "http");
        let headers = [("x-fibula-client", "page"), ("user-agent", "Mozilla/5.0")];
        check(&headers, person, "page");
        let headers = [("x-fibula-client", "nightly build")];
        check(&headers, program, "nightly build");
        check(&[("user-agent", "page/1")], program, "page");
        check(&[("x-fibula-client", "a\u{202e}b")], program, "ab");
        let long = "x".repeat(100);
        let cut = format!("{}…", &long[..80]);
        check(&[("x-fibula-client", &long)], program, &cut);
    }
}
