//! Texts of a flowchart: they are HTML, with character references by number or name between `#` and `;`.

use fibula_knowledge::{MAX_NODE_TYPES, is_name};

use super::cursor::RawText;

/// Text before the types of a node, which are in a line of their own.
pub(super) const TYPES_BEGIN: &str = "<br/><i>";
/// Text after the types.
pub(super) const TYPES_END: &str = "</i>";
/// Separator of types.
pub(super) const BETWEEN_TYPES: &str = ", ";

/// HTML elements of text styles.
const STYLES: [&str; 17] = [
    "b", "i", "u", "s", "em", "strong", "small", "big", "sub", "sup", "code", "tt", "span", "font",
    "div", "p", "center",
];
/// Named characters.
const NAMED: [(&str, char); 7] = [
    ("quot", '"'),
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("apos", '\''),
    ("nbsp", '\u{a0}'),
    ("semi", ';'),
];
/// Maximum number of bytes of a character reference after its prefix, with the `;`.
const LONGEST_CODE: usize = 8;

/// A text without markup.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PlainText {
    pub(super) text: String,
    /// True if there were HTML elements, which were removed.
    pub(super) has_html: bool,
}

/// Extracts the plain text, and the types in its last line.
pub(super) fn label_and_types(raw: RawText<'_>) -> (PlainText, Vec<String>) {
    let italic = raw.text.strip_suffix(TYPES_END).filter(|_| raw.is_quoted);
    if let Some((label, types)) = italic.and_then(|text| text.rsplit_once(TYPES_BEGIN))
        && !types.contains('<')
    {
        let types = types.split(BETWEEN_TYPES).map(|ty| remove_markup(ty).text);
        let types: Vec<String> = types.filter(|ty| !ty.is_empty()).collect();
        if types.len() <= MAX_NODE_TYPES && types.iter().all(|ty| is_name(ty)) {
            return (remove_markup(label), types);
        }
    }
    (plain(raw), Vec::new())
}

/// Extracts the plain text; between grave accents it is Markdown, which is kept.
pub(super) fn plain(raw: RawText<'_>) -> PlainText {
    let markdown = raw.text.strip_prefix('`');
    match markdown.and_then(|text| text.strip_suffix('`')) {
        Some(text) if raw.is_quoted => remove_markup(text),
        _ => remove_markup(raw.text),
    }
}

fn remove_markup(raw: &str) -> PlainText {
    let mut plain = PlainText::default();
    let text = &mut plain.text;
    let mut rest = raw;
    while let Some(at) = rest.find(['<', '#', '&', '\\', '\n']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = if let Some((element, length)) = element(rest) {
            match element {
                Element::Break => text.push('\n'),
                Element::Style => plain.has_html = true,
            }
            length
        } else if let Some((c, length)) = character(rest) {
            text.push(c);
            length
        } else if rest.starts_with("\\n") {
            text.push('\n');
            2
        } else if let Some(next) = rest.strip_prefix('\n') {
            // The indentation of the next line is not shown.
            text.truncate(text.trim_end_matches([' ', '\t', '\r']).len());
            text.push('\n');
            rest.len() - next.trim_start_matches([' ', '\t']).len()
        } else {
            text.push_str(&rest[..1]);
            1
        };
        rest = &rest[length..];
    }
    text.push_str(rest);
    plain
}

/// A known HTML element.
enum Element {
    Break,
    Style,
}

/// Parses the tag of a known element at the beginning of a text; returns the element and the length of the tag.
fn element(text: &str) -> Option<(Element, usize)> {
    let tag = text.strip_prefix('<')?;
    let inside = &tag[..tag.find(['<', '>'])?];
    if !tag[inside.len()..].starts_with('>') {
        return None;
    }
    let name = inside.strip_prefix('/').unwrap_or(inside);
    let name = &name[..name
        .find(|c: char| !c.is_ascii_alphanumeric())
        .unwrap_or(name.len())];
    let is = |known: &str| name.eq_ignore_ascii_case(known);
    let element = if is("br") {
        Element::Break
    } else if STYLES.into_iter().any(is) {
        Element::Style
    } else {
        return None;
    };
    Some((element, inside.len() + 2))
}

/// Parses a character reference at the beginning of a text (`#35;`, `#quot;`, `&amp;`, `&#35;`); returns the character and the
/// length of the reference.
pub(super) fn character(text: &str) -> Option<(char, usize)> {
    let begin = ["&#", "#", "&"];
    let begin = begin.into_iter().find(|begin| text.starts_with(begin))?;
    let code = &text[begin.len()..];
    let length = code.bytes().take(LONGEST_CODE).position(|b| b == b';')?;
    let code = &code[..length];
    let c = match (begin, code.strip_prefix('x')) {
        ("&#", Some(digits)) => numbered(digits, 16),
        ("&#", None) => numbered(code, 10),
        ("#", _) => numbered(code, 10).or_else(|| named(code)),
        _ => named(code),
    };
    Some((c?, begin.len() + length + 1))
}

fn numbered(digits: &str, radix: u32) -> Option<char> {
    let is_number = digits.chars().all(|digit| digit.is_digit(radix));
    let number = u32::from_str_radix(digits, radix).ok();
    number.filter(|_| is_number).and_then(char::from_u32)
}

fn named(name: &str) -> Option<char> {
    let known = NAMED.into_iter().find(|(known, _)| *known == name);
    known.map(|(_, c)| c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_removed() {
        for (raw, expected) in [
            ("a#quot;b#quot; #35;#9829;", "a\"b\" #♥"),
            ("&lt;a&gt; &amp; &#39;b&#x27; #amp;", "<a> & 'b' &"),
            ("one<br/>two<BR>three<br />four", "one\ntwo\nthree\nfour"),
            ("a\\nb", "a\nb"),
            ("first \r\n   second", "first\nsecond"),
            (
                "#; #1114112; #unknown; # & a &b; &x41;",
                "#; #1114112; #unknown; # & a &b; &x41;",
            ),
            ("List<String> a<b <", "List<String> a<b <"),
            ("<b>bold</b> <span style='color:red'>x</span>", "bold x"),
            ("#123456789;", "#123456789;"),
            ("`**x**`", "`**x**`"),
        ] {
            let raw = RawText {
                text: raw,
                is_quoted: false,
            };
            assert_eq!(plain(raw).text, expected);
        }
        let markdown = RawText {
            text: "`**x**`",
            is_quoted: true,
        };
        assert_eq!(plain(markdown).text, "**x**");
    }

    #[test]
    fn types_are_the_italic_last_line_of_a_quote() {
        let italic = "a<br/><i>b</i><br/><i>Gene, a#44; b</i>";
        let raw = RawText {
            text: italic,
            is_quoted: true,
        };
        let (label, types) = label_and_types(raw);
        assert_eq!((&*label.text, label.has_html), ("a\nb", true));
        assert_eq!(types, ["Gene", "a, b"]);
        let raw = RawText {
            is_quoted: false,
            ..raw
        };
        let (label, types) = label_and_types(raw);
        assert_eq!((&*label.text, types.len()), ("a\nb\nGene, a, b", 0));
    }
}
