//! Round-trip information in the `tag` attribute of a node, so that reading restores the same function.
//!
//! A tag starts with `fibula:`; one that does not parse completely is not the writer's, and is ignored:
//!
//! | tag | the element is |
//! |---|---|
//! | `fibula:literal` | a constant for a literal of the node that refers to it, unless it has a `displayname` |
//! | `fibula:default` | a constant for a value that a parameter has by default, unless it has a `displayname` |
//! | `fibula:7` | node 7, which has no name if there is no `displayname` |
//! | `fibula:7 at=12.5,30` | node 7, drawn at that position |
//! | `fibula:7 unset=y,z` | node 7, with attributes that are its kind's defaults |
//! | `fibula:7 empty=scalaroutput` | node 7, with an attribute that stands for an empty text |
//! | `fibula:7 part=BoxMinMax.3` | the fourth of the elements that node 7 is written as |
//! | `fibula:7 set=filter:1` | node 7, with integers that 3MF keeps elsewhere |
//! | `fibula:7 inputs=[{"name":"r",...}]` | node 7, a call of no function whose ports have defaults, units or limits |

use std::fmt;

use fibula_core::graph::NodeId;
use fibula_nodes::PortSpec;

/// Prefix of a tag.
const PREFIX: &str = "fibula:";

/// Role of an element.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ElementTag {
    /// A constant for a literal.
    Literal,
    /// A constant for a default.
    Default,
    /// A node, or one of the nodes that it was lowered to.
    Node(NodeTag),
}

/// Round-trip information of a node.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NodeTag {
    /// Id of the node.
    pub(crate) id: NodeId,
    /// Position in the diagram.
    pub(crate) position: Option<[f64; 2]>,
    /// Parameters that are unset, though the file states their defaults.
    pub(crate) unset: Vec<String>,
    /// Parameters that are empty texts, though the file states what they stand for.
    pub(crate) empty: Vec<String>,
    /// Kind that the element was lowered from, and the index of the element in it.
    pub(crate) part: Option<(String, usize)>,
    /// Integers by their parameters.
    pub(crate) integers: Vec<(String, i64)>,
    /// Inputs with details of the function that the node calls, if no reference names that function.
    pub(crate) inputs: Vec<PortSpec>,
}

impl NodeTag {
    /// Returns the tag of a node that has nothing but its id.
    pub(crate) fn new(id: NodeId) -> Self {
        NodeTag {
            id,
            position: None,
            unset: Vec::new(),
            empty: Vec::new(),
            part: None,
            integers: Vec::new(),
            inputs: Vec::new(),
        }
    }
}

impl ElementTag {
    /// Parses a tag; `None` if it is not the writer's.
    pub(crate) fn parse(tag: &str) -> Option<ElementTag> {
        let mut words = tag.strip_prefix(PREFIX)?.split(' ');
        let first = words.next()?;
        let tag = match first {
            "literal" => ElementTag::Literal,
            "default" => ElementTag::Default,
            id => {
                let mut tag = NodeTag::new(NodeId(id.parse().ok().filter(|&id| id > 0)?));
                for word in words.by_ref() {
                    tag.parse_word(word)?;
                }
                ElementTag::Node(tag)
            }
        };
        words.next().is_none().then_some(tag)
    }
}

impl NodeTag {
    fn parse_word(&mut self, word: &str) -> Option<()> {
        let names = |text: &str| text.split(',').map(str::to_owned).collect();
        match word.split_once('=')? {
            ("at", text) => self.position = parse_position(text),
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
                self.integers = text.split(',').map(pair).collect::<Option<_>>()?;
            }
            ("inputs", text) => self.inputs = serde_json::from_str(text).ok()?,
            _ => return None,
        }
        Some(())
    }
}

/// Parses a position: two finite numbers separated by a comma.
pub(crate) fn parse_position(text: &str) -> Option<[f64; 2]> {
    let (x, y) = text.split_once(',')?;
    let place: [f64; 2] = [x.parse().ok()?, y.parse().ok()?];
    place
        .iter()
        .all(|number| number.is_finite())
        .then_some(place)
}

impl fmt::Display for ElementTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ElementTag::Literal => write!(f, "{PREFIX}literal"),
            ElementTag::Default => write!(f, "{PREFIX}default"),
            ElementTag::Node(tag) => tag.fmt(f),
        }
    }
}

impl fmt::Display for NodeTag {
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
        for (at, (name, number)) in self.integers.iter().enumerate() {
            let gap = if at == 0 { " set=" } else { "," };
            write!(f, "{gap}{name}:{number}")?;
        }
        if !self.inputs.is_empty() {
            // Words of a tag are separated by spaces, which JSON has only in texts.
            let inputs = serde_json::to_string(&self.inputs).map_err(|_| fmt::Error)?;
            write!(f, " inputs={}", inputs.replace(' ', "\\u0020"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use fibula_nodes::{InputDetails, Type, Value};

    use super::*;

    #[test]
    fn tags_round_trip() {
        let full = ElementTag::Node(NodeTag {
            id: NodeId(7),
            position: Some([-12.5, 1e300]),
            unset: vec!["y".to_owned(), "z".to_owned()],
            empty: vec!["scalaroutput".to_owned()],
            part: Some(("BoxMinMax".to_owned(), 3)),
            integers: vec![("filter".to_owned(), 1), ("tilestyle_u".to_owned(), -2)],
            inputs: vec![
                PortSpec::new("wall \"a\" b", Type::Float).with_details(InputDetails {
                    default: Some(Value::Float(0.1)),
                    unit: Some("m s".to_owned()),
                    ..InputDetails::default()
                }),
            ],
        });
        for tag in [
            ElementTag::Literal,
            ElementTag::Default,
            ElementTag::Node(NodeTag::new(NodeId(1))),
            full,
        ] {
            assert_eq!(ElementTag::parse(&tag.to_string()), Some(tag));
        }
    }

    #[test]
    fn other_tags_are_ignored() {
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
            assert_eq!(ElementTag::parse(tag), None, "{tag:?}");
        }
    }
}
