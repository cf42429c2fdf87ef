//! What the writer notes in the `tag` of a node, so that reading it gives the same function again.
//!
//! A tag starts with `fibula:`, and is of the writer's making only if all of it is understood:
//!
//! | tag | the element is |
//! |---|---|
//! | `fibula:literal` | a constant for a literal of the node that refers to it, unless it has a `displayname` |
//! | `fibula:default` | a constant for a value that a parameter has by default, unless it has a `displayname` |
//! | `fibula:7` | node 7, which has no name if there is no `displayname` |
//! | `fibula:7 at=12.5,30` | node 7, drawn at that place |
//! | `fibula:7 unset=y,z` | node 7, with attributes that are its kind's defaults |
//! | `fibula:7 empty=scalaroutput` | node 7, with an attribute that stands for an empty text |
//! | `fibula:7 part=BoxMinMax.3` | the fourth of the elements that node 7 is written as |
//! | `fibula:7 set=filter:1` | node 7, with whole numbers that 3MF keeps elsewhere |

use std::fmt;

use fibula_core::graph::NodeId;

/// What a tag starts with.
const PREFIX: &str = "fibula:";

/// What is noted of an element.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Mark {
    /// It is a constant for a literal.
    Literal,
    /// It is a constant for a default.
    Default,
    /// It is a node, or a part of one.
    Node(NodeMark),
}

/// What is noted of a node.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NodeMark {
    /// The node's id.
    pub(super) id: NodeId,
    /// Where it is drawn.
    pub(super) position: Option<[f64; 2]>,
    /// The parameters that are unset, though the file says their defaults.
    pub(super) unset: Vec<String>,
    /// The parameters that are empty texts, though the file says what they stand for.
    pub(super) empty: Vec<String>,
    /// The kind that the element is a part of, and which.
    pub(super) part: Option<(String, usize)>,
    /// Whole numbers by their parameters.
    pub(super) set: Vec<(String, i64)>,
}

impl NodeMark {
    /// Of a node, nothing but its id.
    pub(super) fn new(id: NodeId) -> Self {
        NodeMark {
            id,
            position: None,
            unset: Vec::new(),
            empty: Vec::new(),
            part: None,
            set: Vec::new(),
        }
    }
}

impl Mark {
    /// What a tag says; `None` if it is not the writer's.
    pub(super) fn parse(tag: &str) -> Option<Mark> {
        let mut words = tag.strip_prefix(PREFIX)?.split(' ');
        let first = words.next()?;
        let mark = match first {
            "literal" => Mark::Literal,
            "default" => Mark::Default,
            id => {
                let mut mark = NodeMark::new(NodeId(id.parse().ok().filter(|&id| id > 0)?));
                for word in words.by_ref() {
                    mark.word(word)?;
                }
                Mark::Node(mark)
            }
        };
        words.next().is_none().then_some(mark)
    }
}

impl NodeMark {
    fn word(&mut self, word: &str) -> Option<()> {
        let names = |text: &str| text.split(',').map(str::to_owned).collect();
        match word.split_once('=')? {
            ("at", text) => self.position = place(text),
            ("unset", text) => self.unset = names(text),
            ("empty", text) => self.empty = names(text),
            ("part", text) => {
                let (kind, index) = text.rsplit_once('.')?;
                self.part = Some((kind.to_owned(), index.parse().ok()?));
            }
            ("set", text) => {
                let pair = |pair: &str| {
                    let (name, number) = pair.split_once(':')?;
                    Some((name.to_owned(), number.parse().ok()?))
                };
                self.set = text.split(',').map(pair).collect::<Option<_>>()?;
            }
            _ => return None,
        }
        Some(())
    }
}

/// A place as it is written: two finite numbers with a comma between them.
pub(super) fn place(text: &str) -> Option<[f64; 2]> {
    let (x, y) = text.split_once(',')?;
    let place: [f64; 2] = [x.parse().ok()?, y.parse().ok()?];
    place
        .iter()
        .all(|number| number.is_finite())
        .then_some(place)
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mark::Literal => write!(f, "{PREFIX}literal"),
            Mark::Default => write!(f, "{PREFIX}default"),
            Mark::Node(mark) => mark.fmt(f),
        }
    }
}

impl fmt::Display for NodeMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", self.id)?;
        if let Some([x, y]) = self.position {
            write!(f, " at={x},{y}")?;
        }
        for (word, names) in [("unset", &self.unset), ("empty", &self.empty)] {
            if !names.is_empty() {
                write!(f, " {word}={}", names.join(","))?;
            }
        }
        if let Some((kind, index)) = &self.part {
            write!(f, " part={kind}.{index}")?;
        }
        for (at, (name, number)) in self.set.iter().enumerate() {
            let gap = if at == 0 { " set=" } else { "," };
            write!(f, "{gap}{name}:{number}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read_as_they_are_written() {
        let full = Mark::Node(NodeMark {
            id: NodeId(7),
            position: Some([-12.5, 1e300]),
            unset: vec!["y".to_owned(), "z".to_owned()],
            empty: vec!["scalaroutput".to_owned()],
            part: Some(("BoxMinMax".to_owned(), 3)),
            set: vec![("filter".to_owned(), 1), ("tilestyle_u".to_owned(), -2)],
        });
        for mark in [
            Mark::Literal,
            Mark::Default,
            Mark::Node(NodeMark::new(NodeId(1))),
            full,
        ] {
            assert_eq!(Mark::parse(&mark.to_string()), Some(mark));
        }
    }

    #[test]
    fn what_a_person_wrote_is_no_mark() {
        for tag in [
            "",
            "fibula",
            "fibula:",
            "fibula:x",
            "fibula:0",
            "fibula:-1",
            "fibula:literal x",
            "fibula:7 at",
            "fibula:7 at=1 ",
            "fibula:7 colour=red",
            "fibula:7  at=1,2",
            "fibula:7 part=x",
            "fibula:7 set=a",
            "Fibula:7",
            " fibula:7",
        ] {
            assert_eq!(Mark::parse(tag), None, "{tag:?}");
        }
    }
}
