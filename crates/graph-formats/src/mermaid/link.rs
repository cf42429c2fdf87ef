//! Links: `-->`, `-.->`, `==>`, `~~~` and the like, with texts and ids.

use super::cursor::{Cursor, RawText};
use crate::error::FormatError;

/// A link between nodes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Link<'a> {
    pub(super) id: Option<&'a str>,
    pub(super) text: Option<RawText<'a>>,
    pub(super) stroke: Stroke,
    /// Arrowheads at the beginning and at the end.
    pub(super) heads: [Option<Arrowhead>; 2],
}

/// Style of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stroke {
    Normal,
    Dotted,
    Thick,
    Invisible,
}

/// Mark at an end of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrowhead {
    Arrow,
    Circle,
    Cross,
}

impl Stroke {
    /// Character that lengthens the line.
    fn sign(self) -> char {
        match self {
            Stroke::Normal => '-',
            Stroke::Dotted => '.',
            Stroke::Thick => '=',
            Stroke::Invisible => '~',
        }
    }

    /// Name in Mermaid; `None` for the usual line.
    pub(super) fn name(self) -> Option<&'static str> {
        match self {
            Stroke::Normal | Stroke::Invisible => None,
            Stroke::Dotted => Some("dotted"),
            Stroke::Thick => Some("thick"),
        }
    }
}

impl Arrowhead {
    /// Name in Mermaid; `None` for an arrow.
    pub(super) fn name(self) -> Option<&'static str> {
        match self {
            Arrowhead::Arrow => None,
            Arrowhead::Circle => Some("circle"),
            Arrowhead::Cross => Some("cross"),
        }
    }

    fn parse(c: char, arrow: char) -> Option<Arrowhead> {
        match c {
            'o' => Some(Arrowhead::Circle),
            'x' => Some(Arrowhead::Cross),
            c if c == arrow => Some(Arrowhead::Arrow),
            _ => None,
        }
    }
}

/// True if a text begins with a link. `has_letters` allows it to begin with `o` or `x`.
pub(super) fn begins(text: &str, has_letters: bool) -> bool {
    let is_line = |text: &str| ["--", "-.", "=="].iter().any(|line| text.starts_with(line));
    let letters = ['o', 'x'].iter().filter(|_| has_letters);
    let mut heads = ['<'].iter().chain(letters);
    let has_head = heads.any(|head| text.strip_prefix(*head).is_some_and(is_line));
    has_head || is_line(text) || text.starts_with("~~~")
}

/// Parses the id at the beginning of a link, as in `e1@-->`.
fn id<'a>(cursor: &mut Cursor<'a>) -> Option<&'a str> {
    let begin = cursor.at();
    let id = cursor.id();
    if !id.is_empty() && cursor.eat("@") && begins(cursor.rest(), true) {
        return Some(id);
    }
    cursor.go(begin);
    None
}

/// Parses a link, if one is next, possibly in the next line; otherwise the cursor stays.
pub(super) fn read<'a>(cursor: &mut Cursor<'a>) -> Result<Option<Link<'a>>, FormatError> {
    let begin = cursor.at();
    cursor.skip_blanks()?;
    let is_same_line = cursor.peek() != Some('\n');
    cursor.skip_lines()?;
    let id = id(cursor);
    // In a new line, "x--" is more likely a node than a cross.
    if id.is_none() && !begins(cursor.rest(), is_same_line) {
        cursor.go(begin);
        return Ok(None);
    }
    let mut link = line(cursor)?;
    link.id = id;
    cursor.skip_lines()?;
    if cursor.eat("|") {
        link.text = Some(cursor.text_until("|", &["|"])?.0);
    }
    link.text = link.text.filter(|raw| !raw.text.is_empty());
    Ok(Some(link))
}

/// Parses the line, with the text within it.
fn line<'a>(cursor: &mut Cursor<'a>) -> Result<Link<'a>, FormatError> {
    let begin = cursor.at();
    let tail = cursor.peek().and_then(|c| Arrowhead::parse(c, '<'));
    if tail.is_some() {
        cursor.take(1);
    }
    let stroke = match (cursor.peek(), cursor.rest().starts_with("-.")) {
        (Some('~'), _) => Stroke::Invisible,
        (Some('='), _) => Stroke::Thick,
        (_, true) => Stroke::Dotted,
        (_, false) => Stroke::Normal,
    };
    let mut link = Link {
        id: None,
        text: None,
        stroke,
        heads: [tail, None],
    };
    if stroke == Stroke::Invisible {
        cursor.take_while(|c| c == stroke.sign());
        return Ok(link);
    }
    if stroke == Stroke::Dotted {
        cursor.take(1);
    }
    if let Some(length) = end(cursor.rest(), stroke) {
        cursor.take(length);
    } else {
        cursor.take_while(|c| c == stroke.sign());
        link.text = text(cursor, stroke);
        if link.text.is_none() {
            cursor.go(begin);
            let wrong = "the link text that starts here is not closed on this line; write '-- text -->', '-. text .->' \
                         or '== text ==>', or '-->' without text";
            return Err(cursor.wrong(wrong));
        }
    }
    // Only at the end of a line an arrowhead may be a letter.
    link.heads[1] = cursor.peek().and_then(|c| Arrowhead::parse(c, '>'));
    if link.heads[1].is_some() {
        cursor.take(1);
    }
    Ok(link)
}

/// Length of the end of a line at the beginning of a text, without its arrowhead.
fn end(text: &str, stroke: Stroke) -> Option<usize> {
    if stroke == Stroke::Dotted {
        let dots = text.len() - text.trim_start_matches('.').len();
        return (dots > 0 && text[dots..].starts_with('-')).then_some(dots + 1);
    }
    let after = text.trim_start_matches(stroke.sign());
    let count = text.len() - after.len();
    let has_head = after
        .chars()
        .next()
        .is_some_and(|c| Arrowhead::parse(c, '>').is_some());
    (count > 2 || (count == 2 && has_head)).then_some(count)
}

/// Parses the text of a line, and the rest of the line.
fn text<'a>(cursor: &mut Cursor<'a>, stroke: Stroke) -> Option<RawText<'a>> {
    cursor.take_while(|c| c == ' ' || c == '\t');
    if cursor.peek() == Some('"') {
        let text = cursor.quoted().ok()?;
        cursor.take_while(char::is_whitespace);
        // Dotted lines may continue as they begin.
        if stroke == Stroke::Dotted {
            cursor.eat("-");
        }
        let length = end(cursor.rest(), stroke)?;
        cursor.take(length);
        let is_quoted = true;
        return Some(RawText { text, is_quoted });
    }
    let start = cursor.at();
    let sign = stroke.sign();
    loop {
        cursor.take_while(|c| c != sign && c != '\n');
        if cursor.peek() != Some(sign) {
            return None;
        }
        if let Some(length) = end(cursor.rest(), stroke) {
            let text = cursor.since(start);
            let line = text.strip_suffix('-');
            let text = line.filter(|_| stroke == Stroke::Dotted).unwrap_or(text);
            cursor.take(length);
            let is_quoted = false;
            return Some(RawText {
                text: text.trim(),
                is_quoted,
            });
        }
        cursor.take_while(|c| c == sign);
    }
}
