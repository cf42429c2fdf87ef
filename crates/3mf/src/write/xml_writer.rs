//! Streaming XML writer: elements, attributes and numbers, escaped and indented.
//!
//! Text goes to the sink in large pieces. The first error of the sink is kept and returned by [`XmlWriter::finish`], so
//! that callers need not check after each element.

use std::fmt::Display;
use std::io::{self, Write};

/// Bytes that are buffered before they go to the sink.
const PIECE: usize = 1 << 16;

/// Writer of one XML part.
pub(super) struct XmlWriter<'w> {
    sink: &'w mut dyn Write,
    buffer: Vec<u8>,
    open: Vec<String>,
    /// True if the last start tag still takes attributes.
    starting: bool,
    /// Start of the last start tag in the buffer.
    tag: usize,
    /// True if the open element has text, so that no line break may be added.
    text: bool,
    failed: Option<io::Error>,
}

impl<'w> XmlWriter<'w> {
    /// Starts a document.
    pub(super) fn new(sink: &'w mut dyn Write) -> Self {
        XmlWriter {
            sink,
            buffer: b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>".to_vec(),
            open: Vec::new(),
            starting: false,
            tag: 0,
            text: false,
            failed: None,
        }
    }

    /// Opens an element; attributes may follow.
    pub(super) fn start(&mut self, name: &str) -> &mut Self {
        self.line();
        self.tag = self.buffer.len();
        self.buffer.push(b'<');
        self.buffer.extend_from_slice(name.as_bytes());
        self.open.push(name.to_owned());
        self.starting = true;
        self
    }

    /// Writes an attribute of the element that was just opened.
    pub(super) fn attribute(&mut self, name: &str, value: &str) -> &mut Self {
        self.name(name);
        escape(value, EscapeContext::Attribute, &mut self.buffer);
        self.buffer.push(b'"');
        self
    }

    /// Writes an attribute, if it is not empty.
    pub(super) fn optional(&mut self, name: &str, value: &str) -> &mut Self {
        if value.is_empty() {
            return self;
        }
        self.attribute(name, value)
    }

    /// Writes an attribute, unless the element that was just opened has one of this name.
    pub(super) fn attribute_if_absent(&mut self, name: &str, value: &str) -> &mut Self {
        let start = format!(" {name}=\"");
        let tag = self.buffer.get(self.tag..).unwrap_or_default();
        // Quotes in values are escaped, so this matches names only.
        if tag.windows(start.len()).any(|one| one == start.as_bytes()) {
            return self;
        }
        self.attribute(name, value)
    }

    /// Writes an integer attribute.
    pub(super) fn integer(&mut self, name: &str, value: impl Display) -> &mut Self {
        self.name(name);
        self.plain(format_args!("{value}\""));
        self
    }

    /// Writes a number attribute.
    pub(super) fn number(&mut self, name: &str, value: f64) -> &mut Self {
        self.numbers(name, &[value])
    }

    /// Writes an attribute that is a list of numbers.
    pub(super) fn numbers(&mut self, name: &str, values: &[f64]) -> &mut Self {
        self.name(name);
        for (place, &value) in values.iter().enumerate() {
            if place > 0 {
                self.buffer.push(b' ');
            }
            number(value, &mut self.buffer);
        }
        self.buffer.push(b'"');
        self
    }

    /// Closes the element that was opened last.
    pub(super) fn end(&mut self) {
        let Some(name) = self.open.pop() else { return };
        if self.starting {
            self.buffer.extend_from_slice(b"/>");
            self.starting = false;
        } else {
            if !self.text {
                self.line();
            }
            self.text = false;
            self.plain(format_args!("</{name}>"));
        }
        self.flush();
    }

    /// Writes text into the element that was opened last, which has no elements.
    pub(super) fn content(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.close_tag();
        self.text = true;
        escape(text, EscapeContext::Content, &mut self.buffer);
    }

    /// Writes a serialised element.
    pub(super) fn fragment(&mut self, xml: &str) {
        self.line();
        self.buffer.extend_from_slice(xml.as_bytes());
        self.flush();
    }

    /// Writes an element as a line of its own, formatted by the caller: for millions of vertices and triangles.
    pub(super) fn row(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        self.close_tag();
        self.buffer.push(b'\n');
        write(&mut self.buffer);
        self.flush();
    }

    /// Closes all elements and flushes.
    ///
    /// # Errors
    /// The first error of the sink.
    pub(super) fn finish(mut self) -> io::Result<()> {
        while !self.open.is_empty() {
            self.end();
        }
        self.buffer.push(b'\n');
        match self.failed {
            Some(error) => Err(error),
            None => self.sink.write_all(&self.buffer),
        }
    }

    fn name(&mut self, name: &str) {
        self.buffer.push(b' ');
        self.buffer.extend_from_slice(name.as_bytes());
        self.buffer.extend_from_slice(b"=\"");
    }

    fn plain(&mut self, text: std::fmt::Arguments<'_>) {
        self.buffer
            .write_fmt(text)
            .expect("memory takes what is written");
    }

    fn close_tag(&mut self) {
        if self.starting {
            self.buffer.push(b'>');
            self.starting = false;
        }
    }

    /// Starts a new, indented line.
    fn line(&mut self) {
        self.close_tag();
        self.buffer.push(b'\n');
        let depth = self.buffer.len() + self.open.len();
        self.buffer.resize(depth, b' ');
    }

    fn flush(&mut self) {
        if self.buffer.len() < PIECE {
            return;
        }
        if self.failed.is_none() {
            self.failed = self.sink.write_all(&self.buffer).err();
        }
        self.buffer.clear();
    }
}

/// Context of escaped text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EscapeContext {
    /// Attribute value, where line ends and tabs survive only as character references.
    Attribute,
    /// Element content. lib3mf 2.5.0 does not read character references, so only the necessary ones are written.
    Content,
}

/// Escapes text, so that parsing restores it.
pub(super) fn escape(text: &str, place: EscapeContext, to: &mut Vec<u8>) {
    let mut written = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escaped: &[u8] = match byte {
            b'&' => b"&amp;",
            b'<' => b"&lt;",
            b'>' => b"&gt;",
            b'"' => b"&quot;",
            b'\t' if place == EscapeContext::Attribute => b"&#9;",
            b'\n' if place == EscapeContext::Attribute => b"&#10;",
            b'\r' => b"&#13;",
            _ => continue,
        };
        to.extend_from_slice(&text.as_bytes()[written..at]);
        to.extend_from_slice(escaped);
        written = at + 1;
    }
    to.extend_from_slice(&text.as_bytes()[written..]);
}

/// Writes the shortest text that parses to this number.
pub(super) fn number(value: f64, to: &mut Vec<u8>) {
    let size = value.abs();
    let plain = size == 0.0 || (1e-5..1e16).contains(&size);
    let done = if plain {
        write!(to, "{value}")
    } else {
        write!(to, "{value:e}")
    };
    done.expect("memory takes what is written");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl FnOnce(&mut XmlWriter<'_>)) -> String {
        let mut bytes = Vec::new();
        let mut xml = XmlWriter::new(&mut bytes);
        write(&mut xml);
        xml.finish().unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn elements_are_indented_and_escaped() {
        let text = text(|xml| {
            xml.start("a").attribute("b", "<\"&\n>").integer("c", 7);
            xml.start("d")
                .number("e", -0.0)
                .optional("f", "")
                .attribute_if_absent("e", "2")
                .attribute_if_absent("g", "3");
            xml.end();
            xml.start("g").content("1 < 2\n\t");
            xml.end();
            xml.fragment("<h/>");
        });
        let body = "<a b=\"&lt;&quot;&amp;&#10;&gt;\" c=\"7\">\n <d e=\"-0\" g=\"3\"/>\n <g>1 &lt; 2\n\t</g>\n <h/>\n</a>\n";
        let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
        assert_eq!(text, head.to_owned() + body);
    }

    #[test]
    fn numbers_come_back_bit_for_bit() {
        let written = |value: f64| {
            let mut bytes = Vec::new();
            number(value, &mut bytes);
            String::from_utf8(bytes).unwrap()
        };
        let smallest = 5e-324;
        for value in [
            0.1 + 0.2,
            -0.0,
            smallest,
            f64::MAX,
            1e15,
            123_456.789,
            1e-5,
            1e16,
        ] {
            let text = written(value);
            let parsed: f64 = text.parse().unwrap();
            assert_eq!(parsed.to_bits(), value.to_bits(), "{text}");
            assert!(text.len() < 25, "{text}");
        }
        assert_eq!([1.0, -0.0, 1e300].map(written), ["1", "-0", "1e300"]);
    }

    #[test]
    fn a_failing_sink_is_reported_at_the_end() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut sink = Full;
        let mut xml = XmlWriter::new(&mut sink);
        xml.start("a");
        for _ in 0..PIECE {
            xml.row(|row| row.extend_from_slice(b"<b/>"));
        }
        xml.end();
        assert_eq!(xml.finish().unwrap_err().kind(), io::ErrorKind::StorageFull);
    }
}
