//! Texts that others wrote, in XML and HTML.

/// A text between tags or quotes of XML or HTML; what XML has no character for is replaced.
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
    fn nothing_of_a_text_is_markup_or_no_character() {
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
