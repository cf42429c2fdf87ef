//! The page: static files for people, at `/`.
//!
//! The files are embedded in the program, or read from a folder for work on the page (`--web-dir`). They are sent without a
//! token, since they are no secret: the page asks for the token and sends it with its own requests. `/` is the page for
//! browsers only; programs, which do not accept HTML, receive JSON there.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use percent_encoding::percent_decode_str;

use super::api;

/// Declares files of the built page.
macro_rules! bundle {
    ($($name:literal),*) => {
        [$(($name, include_bytes!(concat!("../../page/", $name)).as_slice())),*]
    };
}

/// The built page.
pub const BUNDLE: [(&str, &[u8]); 5] = bundle![
    "app.css",
    "app.js",
    "index.html",
    "third-party.txt",
    "vendor.js"
];

/// The file that is sent for `/`.
const INDEX: &str = "index.html";

/// Scripts, pictures and requests of this server only; inline styles, with which the graph editor places its nodes; nothing
/// from elsewhere, and no frame around the page.
const CONTENT_SECURITY_POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
     object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Source of the page's files.
#[derive(Debug)]
pub(super) enum Page {
    Embedded,
    /// A folder, with its canonical path.
    Folder(PathBuf),
}

impl Page {
    /// The files of a folder, or the embedded ones.
    ///
    /// # Errors
    /// If the folder does not exist or has no index.html.
    pub(super) fn open(folder: Option<&Path>) -> io::Result<Self> {
        let Some(folder) = folder else {
            return Ok(Page::Embedded);
        };
        let folder = folder.canonicalize()?;
        if !folder.join(INDEX).is_file() {
            let text = format!("it has no {INDEX}");
            return Err(io::Error::new(io::ErrorKind::NotFound, text));
        }
        Ok(Page::Folder(folder))
    }

    /// Returns the content of a file, or `None` if there is no such file.
    fn read(&self, name: &str) -> Option<Cow<'static, [u8]>> {
        match self {
            Page::Embedded => {
                let file = BUNDLE.iter().find(|(known, _)| *known == name);
                file.map(|(_, bytes)| Cow::Borrowed(*bytes))
            }
            Page::Folder(folder) => {
                let name = Path::new(name);
                let is_plain = |part| matches!(part, Component::Normal(_));
                if !name.components().all(is_plain) {
                    return None;
                }
                // A link may not lead out of the folder.
                let path = folder.join(name).canonicalize().ok()?;
                let is_inside = path.starts_with(folder) && path.is_file();
                is_inside.then(|| std::fs::read(path).ok().map(Cow::Owned))?
            }
        }
    }
}

/// Answers requests for files of the page and passes all others on.
pub(super) async fn serve(State(page): State<Arc<Page>>, request: Request, next: Next) -> Response {
    let Some(name) = file_name(&request) else {
        return next.run(request).await;
    };
    let file = name.clone();
    let read = tokio::task::spawn_blocking(move || page.read(&file));
    match read.await {
        Ok(Some(bytes)) => response(&name, bytes, request.headers()),
        Ok(None) | Err(_) => next.run(request).await,
    }
}

/// Returns the name of the file that a request may mean.
fn file_name(request: &Request) -> Option<String> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return None;
    }
    let path = request.uri().path();
    if api::has(path) {
        return None;
    }
    if path == "/" {
        return accepts_html(request.headers()).then(|| INDEX.to_owned());
    }
    let name = percent_decode_str(path.strip_prefix('/')?).decode_utf8();
    name.ok().map(Cow::into_owned)
}

/// Returns true if a client names HTML, as browsers do.
fn accepts_html(headers: &HeaderMap) -> bool {
    let values = headers.get_all(header::ACCEPT).iter();
    let mut ranges = values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','));
    ranges.any(|range| {
        let mut parts = range.split(';').map(str::trim);
        let is_html = parts
            .next()
            .is_some_and(|media| media.eq_ignore_ascii_case("text/html"));
        let weight = parts.find_map(|part| part.strip_prefix("q="));
        let weight = weight.and_then(|weight| weight.parse().ok());
        is_html && weight.unwrap_or(1.0) > 0.0
    })
}

fn response(name: &str, bytes: Cow<'static, [u8]>, headers: &HeaderMap) -> Response {
    let tag = entity_tag(&bytes);
    let is_known = headers
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|known| matches!(known.trim().trim_start_matches("W/"), known if known == tag || known == "*"));
    let mut response = if is_known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let body = match bytes {
            Cow::Borrowed(bytes) => Body::from(bytes),
            Cow::Owned(bytes) => Body::from(bytes),
        };
        let mut response = Response::new(body);
        let media = HeaderValue::from_static(media_type(name));
        response.headers_mut().insert(header::CONTENT_TYPE, media);
        response
    };
    let head = response.headers_mut();
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        head.insert(header::ETAG, tag);
    }
    for (name, value) in [
        // The names are stable, so the browser asks each time whether its copy is still the present one.
        (header::CACHE_CONTROL, "no-cache"),
        (header::VARY, "accept"),
        (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
    ] {
        head.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Returns the tag of a content; the hash is the same in every process.
fn entity_tag(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    format!("\"{:016x}-{:x}\"", hasher.finish(), bytes.len())
}

/// Returns the media type of a file by its extension.
fn media_type(name: &str) -> &'static str {
    let extension = Path::new(name).extension().and_then(|text| text.to_str());
    match extension.unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "json" | "map" => "application/json",
        "txt" => "text/plain; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "wasm" => "application/wasm",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Maximum total size of what a browser loads for the page, which is a goal of its design.
    const MAX_BYTES: usize = 750_000;
    /// Licences of what the page contains, which nobody loads who does not read them.
    const NOTICES: &str = "third-party.txt";

    fn text(name: &str) -> &'static str {
        let (_, bytes) = BUNDLE.iter().find(|(known, _)| *known == name).expect(name);
        std::str::from_utf8(bytes).expect("text")
    }

    /// The values of `src` and `href` in HTML.
    fn references(html: &str) -> Vec<&str> {
        let starts = ["src=\"", "href=\""].map(|name| html.split(name).skip(1));
        let rests = starts.into_iter().flatten();
        rests.filter_map(|rest| rest.split('"').next()).collect()
    }

    #[test]
    fn the_page_refers_only_to_embedded_files_and_routes_of_this_server() {
        let html = text(INDEX);
        let all = references(html);
        let scripts = all
            .iter()
            .filter(|name| media_type(name).starts_with("text/javascript"));
        assert!(scripts.count() >= 1, "{all:?}");
        for reference in all {
            let is_route = reference.starts_with("/api/");
            let name = reference.trim_start_matches("./").trim_start_matches('/');
            let is_file = BUNDLE.iter().any(|(known, _)| *known == name);
            assert!(
                is_route || is_file || reference.starts_with("data:"),
                "{reference} is not embedded"
            );
        }
        // What the policy would block.
        for forbidden in [
            "<script>",
            "<base",
            "http-equiv",
            " onclick=",
            "javascript:",
        ] {
            assert!(!html.contains(forbidden), "{forbidden}");
        }
        for name in ["app.css", INDEX] {
            for foreign in ["url(http", "url(//", "src=\"//", "@import"] {
                assert!(!text(name).contains(foreign), "{name}: {foreign}");
            }
        }
    }

    #[test]
    fn the_licences_of_what_is_bundled_are_beside_it() {
        for package in ["@xyflow/react", "react-dom", "zustand", "d3-zoom"] {
            let (head, rest) = text(NOTICES).split_once(package).expect(package);
            assert!(head.ends_with('\n'), "{package} has a section");
            assert!(rest.contains("Permission "), "{package}");
        }
    }

    #[test]
    fn the_files_have_media_types_and_are_small() {
        let loaded = BUNDLE.iter().filter(|(name, _)| *name != NOTICES);
        let total: usize = loaded.map(|(_, bytes)| bytes.len()).sum();
        assert!(total <= MAX_BYTES, "{total} bytes");
        for (name, expected) in [
            ("index.html", "text/html; charset=utf-8"),
            ("app.css", "text/css; charset=utf-8"),
            ("app.js", "text/javascript; charset=utf-8"),
            ("vendor.js", "text/javascript; charset=utf-8"),
            (NOTICES, "text/plain; charset=utf-8"),
            ("favicon.svg", "image/svg+xml"),
            ("no-extension", "application/octet-stream"),
        ] {
            assert_eq!(media_type(name), expected, "{name}");
        }
    }

    #[test]
    fn browsers_are_told_from_programs_by_accept() {
        let check = |accept: &'static str, expected: bool| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
            assert_eq!(accepts_html(&headers), expected, "{accept}");
        };
        check("text/html,application/xhtml+xml,*/*;q=0.8", true);
        check("application/json, text/HTML;q=0.5", true);
        check("*/*", false);
        check("application/json", false);
        check("text/html;q=0, application/json", false);
        assert!(!accepts_html(&HeaderMap::new()));
    }
}
