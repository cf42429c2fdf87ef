//! docs/rest.md: its commands are sent as they stand there, and answered as it says.

use std::path::Path;

use serde_json::Value as Json;

use super::routes::part;
use super::stream::Stream;
use crate::talk::Http;

/// Address of the page's server.
const SERVER: &str = "http://127.0.0.1:7878";

/// The blocks of code of the page: language and text.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut parts = page.split("\n```");
    parts.next();
    while let (Some(block), _) = (parts.next(), parts.next()) {
        let (language, text) = block.split_once('\n').expect("a block has lines");
        blocks.push((language.to_owned(), text.to_owned()));
    }
    blocks
}

/// The words of a command, as a shell takes it apart.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted, mut begun) = (Vec::new(), String::new(), false, false);
    for c in command.replace("\\\n", " ").chars() {
        match c {
            '\'' => (quoted, begun) = (!quoted, true),
            c if c.is_whitespace() && !quoted => {
                if begun {
                    words.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            '"' | '$' | '`' | '\\' | '&' | '?' | '*' if !quoted => panic!("{c} in {command}"),
            c => {
                word.push(c);
                begun = true;
            }
        }
    }
    words.extend(begun.then_some(word));
    words
}

/// Request that curl sends.
struct Curl {
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    listens: bool,
}

fn curl(command: &str) -> Curl {
    let mut words = words(command).into_iter();
    assert_eq!(words.next().as_deref(), Some("curl"), "{command}");
    let (mut method, mut path) = (None, None);
    let (mut headers, mut body) = (
        vec![("User-Agent".to_owned(), "curl/8.5.0".to_owned())],
        Vec::new(),
    );
    let mut listens = false;
    while let Some(word) = words.next() {
        let mut value = || words.next().expect("the option has a value");
        match word.as_str() {
            "-X" => method = Some(value()),
            "-N" => listens = true,
            "-H" => {
                let header = value();
                let (name, text) = header.split_once(": ").expect("a header");
                headers.push((name.to_owned(), text.to_owned()));
            }
            "--json" => {
                body = value().into_bytes();
                headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
            }
            "--data-binary" => {
                assert_eq!(value(), "@part.3mf");
                body = part();
            }
            url => path = Some(url.strip_prefix(SERVER).expect("our address").to_owned()),
        }
    }
    let usual = if body.is_empty() { "GET" } else { "POST" };
    Curl {
        method: method.unwrap_or_else(|| usual.to_owned()),
        path: path.expect("an address"),
        headers,
        body,
        listens,
    }
}

/// A text without what differs from run to run.
fn without_times(text: &str) -> String {
    let mut parts = text.split("\"at\":");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let end = part.find(',').expect("something follows a time");
        text + "\"at\":" + &part[end..]
    })
}

#[test]
fn the_commands_of_the_page_do_what_it_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rest.md");
    let page = std::fs::read_to_string(path).expect("docs/rest.md is there");
    let http = Http::new(&[], None);
    let blocks = blocks(&page);
    let mut sent = 0;
    for pair in blocks.windows(2) {
        let [(language, command), (answer, shown)] = pair else {
            unreachable!("windows are two long");
        };
        if language != "sh" {
            continue;
        }
        let Curl {
            method,
            path,
            headers,
            body,
            listens,
        } = curl(command);
        let headers: Vec<(&str, &str)> = headers
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str()))
            .collect();
        if listens {
            let query = path.strip_prefix("/api/events").expect("the stream");
            let mut stream = Stream::silent(&http, query, &headers);
            let frames = shown.trim_end().split("\n\n").count();
            let text: String = (0..frames)
                .filter_map(|_| Some(stream.next()?.text))
                .collect();
            let found = without_times(text.trim_end());
            assert_eq!(found, without_times(shown.trim_end()), "{command}");
        } else {
            assert_eq!(answer, "json", "{command}");
            let (_, _, text) = http.request(&method, &path, &headers, &body);
            let given: Json = serde_json::from_str(&text).expect("JSON");
            let shown: Json =
                serde_json::from_str(shown).unwrap_or_else(|error| panic!("{error} in {shown}"));
            assert_eq!(given, shown, "{command}\n{text}");
        }
        sent += 1;
    }
    assert!(sent >= 10, "{sent}");
}
