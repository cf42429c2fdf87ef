//! Names for what a printed expression binds with `let`.

use std::collections::{HashMap, HashSet};

use super::arguments::{CONSTANTS, POSITION, component};
use super::callee::Callees;
use super::lexer;
use super::tree::Name;
use crate::graph::{FunctionId, NodeView};

/// Names for bindings: no two alike, and none that means something already.
pub(super) struct Names<'c, 'd> {
    taken: HashSet<String>,
    callees: &'c Callees<'d>,
    /// The last number given to a name.
    counts: HashMap<String, usize>,
}

impl<'c, 'd> Names<'c, 'd> {
    /// No names but those that are taken.
    pub(super) fn new(taken: &HashSet<&str>, callees: &'c Callees<'d>) -> Self {
        Names {
            taken: taken.iter().map(|&name| name.to_owned()).collect(),
            callees,
            counts: HashMap::new(),
        }
    }

    /// The node's own name if it is free, else that or the name of its kind or function with a number.
    pub(super) fn name(&mut self, node: NodeView<'_>, callee: Option<FunctionId>) -> String {
        let own = node
            .display_name()
            .map(word)
            .filter(|name| !name.is_empty());
        if let Some(own) = &own
            && self.is_free(own)
        {
            self.taken.insert(own.clone());
            return own.clone();
        }
        let function = callee.and_then(|id| self.callees.name(id)).map(word);
        let function = function.filter(|name| !name.is_empty());
        let mut base = own
            .or(function)
            .unwrap_or_else(|| word(node.kind().info().name));
        base[..1].make_ascii_lowercase();
        if base.ends_with(|c: char| c.is_ascii_digit()) {
            base.push('_');
        }
        loop {
            let count = self.counts.entry(base.clone()).or_default();
            *count += 1;
            let name = format!("{base}{count}");
            if self.is_free(&name) {
                self.taken.insert(name.clone());
                return name;
            }
        }
    }

    fn is_free(&self, name: &str) -> bool {
        let constant = CONSTANTS.iter().any(|(constant, _)| *constant == name);
        let callable = || {
            self.callees.is_callable(&Name {
                text: name.into(),
                quoted: false,
            })
        };
        let plain = lexer::is_name(name) && name != POSITION && component(name).is_none();
        plain && !constant && !self.taken.contains(name) && !callable()
    }
}

/// The ASCII letters and digits of a name, as one word.
fn word(name: &str) -> String {
    let parts = name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|part| !part.is_empty());
    let word = parts.collect::<Vec<_>>().join("_");
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        format!("_{word}")
    } else {
        word
    }
}
