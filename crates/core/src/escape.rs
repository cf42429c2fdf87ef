//! Escaping of untrusted text in XML and HTML.

/// Escapes a text for content or attribute values of XML or HTML; characters that XML does not allow are replaced by
/// U+FFFD.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push('\n'),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            c if c.is_control() => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_forbidden_characters_are_escaped() {
        assert_eq!(
            escaped("a < \"b\" & c>\n"),
            "a &lt; &quot;b&quot; &amp; c&gt;\n"
        );
        assert_eq!(
            escaped("\0\u{1b}\u{fffe}\u{85}ä"),
            "\u{fffd}\u{fffd}\u{fffd}\u{fffd}ä"
        );
    }
}
