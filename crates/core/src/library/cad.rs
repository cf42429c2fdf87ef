//! Terms of CAD systems, and the expressions for them.

use std::sync::LazyLock;

use super::{LibraryFunction, called};
use crate::graph::Document;

/// The terms as Markdown.
pub const CAD_TERMS: &str = include_str!("cad.md");

/// A row of the tables of CAD terms.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CadTerm {
    /// Its meaning, such as "part of a turn".
    pub meaning: &'static str,
    /// Its names in other systems, as they are written there.
    pub names: Vec<&'static str>,
    /// Examples of expressions for it.
    pub expressions: Vec<&'static str>,
}

/// The rows of the tables, in order.
pub fn cad_terms() -> &'static [CadTerm] {
    static TERMS: LazyLock<Vec<CadTerm>> =
        LazyLock::new(|| CAD_TERMS.lines().filter_map(CadTerm::of_row).collect());
    &TERMS
}

impl CadTerm {
    fn of_row(line: &'static str) -> Option<CadTerm> {
        let row = line.strip_prefix('|')?.strip_suffix(" |")?;
        let cells: Vec<&str> = row.split(" |").map(str::trim).collect();
        let [meaning, names @ .., expressions] = &cells[..] else {
            return None;
        };
        let expressions = expressions.split('`').skip(1).step_by(2);
        let expressions: Vec<&str> = expressions.collect();
        // Heads of tables have none.
        if expressions.is_empty() {
            return None;
        }
        let names = names
            .iter()
            .flat_map(|cell| cell.split(", "))
            .map(|name| name.trim_matches('`'))
            .filter(|name| !name.is_empty());
        Some(CadTerm {
            meaning,
            names: names.collect(),
            expressions,
        })
    }

    /// True if a search is one of its names, ignoring case and what is no letter or digit; or if each of its words, but
    /// articles, is such a name or a word of the meaning.
    pub fn matches(&self, search: &str) -> bool {
        let is_name = |searched: &str| {
            !searched.is_empty() && self.names.iter().any(|name| is_name(name, searched))
        };
        let meaning = self.meaning.to_lowercase();
        let is_meant = |word: &str| {
            let mut words = meaning.split(|letter: char| !letter.is_alphanumeric());
            words.any(|other| other == word)
        };
        let mut words: Vec<String> = search.split_whitespace().map(folded).collect();
        words.retain(|word| !word.is_empty() && !["a", "an", "the"].contains(&&**word));
        let has = |word: &String| is_meant(word) || is_name(word);
        is_name(&folded(search)) || !words.is_empty() && words.iter().all(has)
    }

    /// Functions of the library that its expressions call.
    pub fn functions(&self) -> Vec<&'static LibraryFunction> {
        let expressions = self.expressions.iter();
        let calls = expressions.flat_map(|text| called(&Document::default(), text));
        calls.collect()
    }
}

/// True if a folded search is a name, whole or without what is in brackets or before a point.
fn is_name(name: &str, searched: &str) -> bool {
    let call = name.split_once('(').map_or(name, |(call, _)| call);
    let [last, last_call] = [name, call].map(|name| name.rsplit('.').next().unwrap_or(name));
    let mut names = [name, call, last, last_call].into_iter();
    names.any(|name| folded(name) == searched)
}

fn folded(name: &str) -> String {
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::cad_terms;

    #[test]
    fn rows_are_read_whole() {
        let terms = cad_terms();
        assert!(terms.len() > 60, "{}", terms.len());
        let sweep = terms.iter().find(|term| term.matches("sweep")).unwrap();
        assert_eq!(sweep.names, ["sweep", "sweep", "Sweep"]);
        let union = terms.iter().find(|term| term.matches("Boolean union"));
        assert_eq!(union.unwrap().expressions, ["union(a, b)"]);
        let found = |search: &str| {
            let found = terms.iter().filter(|term| term.matches(search));
            found.map(|term| term.meaning).collect::<Vec<_>>()
        };
        assert_eq!(found("linear_extrude(twist)"), ["twisted"]);
        assert_eq!(found("coil spring"), ["helix, coil, spring"]);
        assert_eq!(found("makeCone"), ["cone"]);
        assert_eq!(found("twistExtrude"), ["twisted"]);
        assert_eq!(found("part circle"), ["part of a circle"]);
        assert_eq!(found("sweep along a polyline"), ["along a polyline"]);
        assert_eq!(found("sweep - along the polyline"), ["along a polyline"]);
        for nothing in ["", "|", "the", "a - the"] {
            assert!(found(nothing).is_empty(), "{nothing}");
        }
    }
}
