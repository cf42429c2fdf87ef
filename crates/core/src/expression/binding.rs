//! Names of the `let` bindings of a printed expression.

use std::collections::{HashMap, HashSet};

use super::arguments::{CONSTANTS, POSITION, component};
use super::ast::Name;
use super::callee::SymbolTable;
use super::lexer;
use crate::graph::{FunctionId, NodeView};

/// Generator of unique names that no other symbol has.
pub(super) struct BindingNames<'c, 'd> {
    taken: HashSet<String>,
    symbols: &'c SymbolTable<'d>,
    /// Last number appended to each name.
    counts: HashMap<String, usize>,
}

impl<'c, 'd> BindingNames<'c, 'd> {
    pub(super) fn new(taken: &HashSet<&str>, symbols: &'c SymbolTable<'d>) -> Self {
        BindingNames {
            taken: taken.iter().map(|&name| name.to_owned()).collect(),
            symbols,
            counts: HashMap::new(),
        }
    }

    /// Returns the display name of a constant, as it is if no other value has it; else with a number. A binding hides the
    /// component or the constant of its name, which are never written where it is.
    pub(super) fn parameter(&mut self, node: NodeView<'_>) -> String {
        let name = node.display_name().unwrap_or_default();
        if name != POSITION && !self.taken.contains(name) {
            self.taken.insert(name.to_owned());
            return name.to_owned();
        }
        self.name(node, None)
    }

    /// Returns the node's display name if it is free; else that, or the name of its function or kind, with a number.
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
        let function = callee.and_then(|id| self.symbols.name(id)).map(word);
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

    /// True if no value has the name.
    fn is_unused(&self, name: &str) -> bool {
        let constant = CONSTANTS.iter().any(|(constant, _)| *constant == name);
        name != POSITION && component(name).is_none() && !constant && !self.taken.contains(name)
    }

    fn is_free(&self, name: &str) -> bool {
        let callable = || {
            self.symbols.is_callable(&Name {
                text: name.into(),
                quoted: false,
            })
        };
        lexer::is_name(name) && self.is_unused(name) && !callable()
    }
}

/// Converts a name to an identifier of ASCII letters and digits.
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
