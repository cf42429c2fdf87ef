//! What texts of a flowchart say: they are HTML, and their characters may be numbers or names between `#` and `;`.

use fibula_knowledge::{MAX_NODE_TYPES, is_name};

use super::cursor::Raw;

/// What stands before the types of a node, in a line of their own.
pub(super) const TYPES_BEGIN: &str = "<br/><i>";
/// What stands after them.
pub(super) const TYPES_END: &str = "</i>";
/// What stands between two of them.
pub(super) const BETWEEN_TYPES: &str = ", ";

/// The elements of HTML that only say how a text looks.
const LOOKS: [&str; 17] = [
    "b", "i", "u", "s", "em", "strong", "small", "big", "sub", "sup", "code", "tt", "span", "font",
    "div", "p", "center",
];
/// The names of characters.
const NAMED: [(&str, char); 7] = [
    ("quot", '"'),
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("apos", '\''),
    ("nbsp", '\u{a0}'),
    ("semi", ';'),
];
/// The most bytes of a character's number or name, with the `;`.
const LONGEST_CODE: usize = 8;

/// A text as it is shown.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) text: String,
    /// Whether it has elements of HTML, which were left out.
    pub(super) has_html: bool,
}

/// A text as it is shown, and the types in its last line.
pub(super) fn label_and_types(raw: Raw<'_>) -> (Shown, Vec<String>) {
    let slanted = raw.text.strip_suffix(TYPES_END).filter(|_| raw.is_quoted);
    if let Some((label, types)) = slanted.and_then(|text| text.rsplit_once(TYPES_BEGIN))
        && !types.contains('<')
    {
        let types = types.split(BETWEEN_TYPES).map(|ty| of(ty).text);
        let types: Vec<String> = types.filter(|ty| !ty.is_empty()).collect();
        if types.len() <= MAX_NODE_TYPES && types.iter().all(|ty| is_name(ty)) {
            return (of(label), types);
        }
    }
    (shown(raw), Vec::new())
}

/// A text as it is shown; between grave accents it is Markdown, which stays as it is.
pub(super) fn shown(raw: Raw<'_>) -> Shown {
    let markdown = raw.text.strip_prefix('`');
    match markdown.and_then(|text| text.strip_suffix('`')) {
        Some(text) if raw.is_quoted => of(text),
        _ => of(raw.text),
    }
}

fn of(raw: &str) -> Shown {
    let mut shown = Shown::default();
    let text = &mut shown.text;
    let mut rest = raw;
    while let Some(at) = rest.find(['<', '#', '&', '\\', '\n']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = if let Some((element, length)) = element(rest) {
            match element {
                Element::Break => text.push('\n'),
                Element::Look => shown.has_html = true,
            }
            length
        } else if let Some((c, length)) = character(rest) {
            text.push(c);
            length
        } else if rest.starts_with("\\n") {
            text.push('\n');
            2
        } else if let Some(next) = rest.strip_prefix('\n') {
            // How far the next line is indented is not shown.
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
    shown
}

/// An element of HTML that texts may have.
enum Element {
    Break,
    Look,
}

/// The known element that begins a text, and how many bytes its tag has.
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
    } else if LOOKS.into_iter().any(is) {
        Element::Look
    } else {
        return None;
    };
    Some((element, inside.len() + 2))
}

/// The character that begins a text as a number or a name (`#35;`, `#quot;`, `&amp;`, `&#35;`), and how many bytes that takes.
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
    fn texts_are_read_as_they_are_shown() {
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
            let raw = Raw {
                text: raw,
                is_quoted: false,
            };
            assert_eq!(shown(raw).text, expected);
        }
        let markdown = Raw {
            text: "`**x**`",
            is_quoted: true,
        };
        assert_eq!(shown(markdown).text, "**x**");
    }

    #[test]
    fn types_are_the_slanted_last_line_of_a_quote() {
        let slanted = "a<br/><i>b</i><br/><i>Gene, a#44; b</i>";
        let raw = Raw {
            text: slanted,
            is_quoted: true,
        };
        let (label, types) = label_and_types(raw);
        assert_eq!((&*label.text, label.has_html), ("a\nb", true));
        assert_eq!(types, ["Gene", "a, b"]);
        let raw = Raw {
            is_quoted: false,
            ..raw
        };
        let (label, types) = label_and_types(raw);
        assert_eq!((&*label.text, types.len()), ("a\nb\nGene, a, b", 0));
    }
}
