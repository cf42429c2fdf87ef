//! A listener that reads server-sent events, byte by byte.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value as Json;

use crate::talk::Http;

/// Lines between two empty lines.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Frame {
    pub(crate) id: Option<String>,
    pub(crate) event: Option<String>,
    pub(crate) data: Json,
    pub(crate) text: String,
}

pub(crate) struct Stream {
    from: BufReader<TcpStream>,
    pub(crate) head: String,
    held: Vec<u8>,
}

impl Stream {
    /// Listens; the first comment has come.
    pub(crate) fn new(http: &Http, query: &str, headers: &[(&str, &str)]) -> Self {
        let mut stream = Stream::silent(http, query, headers);
        let opening = stream.next().expect("it begins");
        assert!(opening.text.starts_with(": "), "{opening:?}");
        assert!(opening.text.contains("retry: "), "{opening:?}");
        stream
    }

    /// As [`new`](Self::new), with nothing read beside the head.
    pub(crate) fn silent(http: &Http, query: &str, headers: &[(&str, &str)]) -> Self {
        Stream::of(http, &format!("/api/events{query}"), headers)
    }

    /// The stream at a path, with nothing read beside the head.
    pub(crate) fn of(http: &Http, path: &str, headers: &[(&str, &str)]) -> Self {
        let mut tcp = TcpStream::connect(&http.address).expect("it listens");
        tcp.set_read_timeout(Some(Duration::from_secs(30)))
            .expect("a timeout");
        let mut request = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nAccept: text/event-stream\r\n",
            http.address
        );
        for (name, value) in headers {
            let _ = write!(request, "{name}: {value}\r\n");
        }
        request.push_str("\r\n");
        tcp.write_all(request.as_bytes()).expect("it reads");
        let mut from = BufReader::new(tcp);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            let read = from.read_line(&mut head).expect("a head");
            assert!(read > 0, "it broke off: {head}");
        }
        Stream {
            from,
            head,
            held: Vec::new(),
        }
    }

    /// The next frame; `None` at the end.
    pub(crate) fn next(&mut self) -> Option<Frame> {
        loop {
            if let Some(end) = self.held.windows(2).position(|two| two == b"\n\n") {
                let text: Vec<u8> = self.held.drain(..end + 2).collect();
                return Some(frame(&String::from_utf8(text).expect("text")));
            }
            let mut size = String::new();
            self.from.read_line(&mut size).expect("a chunk in time");
            let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
            if size == 0 {
                return None;
            }
            let mut chunk = vec![0; size + 2];
            self.from.read_exact(&mut chunk).expect("a whole chunk");
            self.held.extend_from_slice(&chunk[..size]);
        }
    }

    /// The next change.
    pub(crate) fn change(&mut self) -> Frame {
        let frame = self.next().expect("it goes on");
        assert_eq!(frame.event.as_deref(), Some("change"), "{frame:?}");
        frame
    }
}

fn frame(text: &str) -> Frame {
    let mut frame = with_defaults!(Frame, text: text.to_owned());
    for line in text.lines() {
        match line.split_once(": ") {
            Some(("id", id)) => frame.id = Some(id.to_owned()),
            Some(("event", event)) => frame.event = Some(event.to_owned()),
            Some(("data", data)) => frame.data = serde_json::from_str(data).expect("data is JSON"),
            _ => {}
        }
    }
    frame
}
