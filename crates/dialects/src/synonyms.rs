//! Names that other languages and libraries have for functions, and what they are here: for suggestions, searches and
//! translations.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use fibula_core::expression::SHAPE_FORMS;
use fibula_core::library;
use fibula_nodes::{catalogue, names};

use crate::lexer::tokens;
use crate::notes::Notes;
use crate::parser::Parser;
use crate::tree::Expr;

/// Forms of the language that are no kinds of nodes, beside those of shapes.
const FORMS: [&str; 6] = ["vec3", "mat4", "mix", "normalize", "step", "smoothstep"];

/// Names of the forms of the language that are no kinds of nodes.
fn forms() -> impl Iterator<Item = &'static str> {
    let shapes = SHAPE_FORMS.iter().map(|form| form.name);
    FORMS.into_iter().chain(shapes)
}

/// True if a name is that of a form of the language.
pub(super) fn is_form(name: &str) -> bool {
    forms().any(|form| form == name)
}

/// A line of `synonyms.txt`.
struct Synonym {
    parameters: Vec<&'static str>,
    /// A translation of a call, perhaps empty.
    expression: &'static str,
    /// Names of Fibula, the best first.
    targets: Vec<&'static str>,
}

/// Synonyms by name.
static SYNONYMS: LazyLock<HashMap<&'static str, Vec<Arc<Synonym>>>> = LazyLock::new(|| {
    let mut synonyms: HashMap<&'static str, Vec<Arc<Synonym>>> = HashMap::new();
    let lines = include_str!("synonyms.txt").lines();
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let [words, parameters, expression, targets] = fields[..] else {
            unreachable!("each line has four fields, as a test checks");
        };
        let synonym = Arc::new(Synonym {
            parameters: parameters.split_whitespace().collect(),
            expression,
            targets: targets.split_whitespace().collect(),
        });
        for word in words.split_whitespace() {
            synonyms.entry(word).or_default().push(Arc::clone(&synonym));
        }
    }
    synonyms
});

/// Names of Fibula for a name of another language: functions of the library, elements of node kinds, and forms such as
/// `mix`; the best first. Empty if the name is unknown.
///
/// ```
/// assert_eq!(fibula_dialects::synonyms("opSmoothUnion"), ["smooth_union"]);
/// ```
pub fn synonyms(name: &str) -> Vec<&'static str> {
    let mut found: Vec<&'static str> = Vec::new();
    found.extend(forms().find(|form| *form == folded(name)));
    for target in entries(name).iter().flat_map(|synonym| &synonym.targets) {
        if !found.contains(target) {
            found.push(target);
        }
    }
    found
}

/// A name without case, `_`, blanks, and the marks of distance functions.
pub(super) fn plain(name: &str) -> String {
    let joined = folded(name);
    let inner = joined
        .strip_prefix("sdf")
        .or_else(|| joined.strip_prefix("sd"));
    let inner = inner
        .or_else(|| joined.strip_suffix("sdf"))
        .unwrap_or(&joined);
    if inner.is_empty() {
        joined.clone()
    } else {
        inner.to_owned()
    }
}

fn folded(name: &str) -> String {
    let letters = name.chars().filter(|c| !matches!(c, '_' | ' ' | '-'));
    letters.collect::<String>().to_lowercase()
}

/// Synonyms of a name, else of its inner part.
fn entries(name: &str) -> &'static [Arc<Synonym>] {
    let found = SYNONYMS.get(&*folded(name));
    found
        .or_else(|| SYNONYMS.get(&*plain(name)))
        .map_or(&[], Vec::as_slice)
}

/// The combination of shapes that a name means, if its shapes have the same order.
pub(super) fn combination(name: &str) -> Option<&'static str> {
    let is_ordered = |synonym: &&Arc<Synonym>| {
        let call = format!("{}({})", synonym.targets[0], synonym.parameters.join(", "));
        synonym.expression == call
    };
    let target = entries(name).iter().find(is_ordered)?.targets[0];
    let is_combination = |word: &str| {
        let kind = target.strip_suffix(word);
        kind.is_some_and(|kind| ["", "smooth_", "fillet_", "chamfer_"].contains(&kind))
    };
    ["union", "intersection", "difference"]
        .into_iter()
        .any(is_combination)
        .then_some(target)
}

/// Parameters and expression of the translation of a call with so many arguments.
pub(super) fn rewrite(name: &str, count: usize) -> Option<(Vec<String>, Expr)> {
    let is_it = |synonym: &&Arc<Synonym>| {
        !synonym.expression.is_empty() && synonym.parameters.len() == count
    };
    let synonym = entries(name).iter().find(is_it)?;
    let body = parsed(synonym.expression)?;
    let parameters = synonym.parameters.iter().map(|name| (*name).to_owned());
    Some((parameters.collect(), body))
}

/// The syntax tree of an expression of a table.
pub(super) fn parsed(expression: &str) -> Option<Expr> {
    let mut notes = Notes::default();
    let tokens = tokens(expression, &mut notes)?;
    Parser::new(tokens, &mut notes).expression().ok()
}

/// The function of the library or kind that has this name apart from case, `_` and the marks of distance functions.
pub(super) fn same_name(name: &str) -> Option<&'static str> {
    let words = [folded(name), plain(name)];
    let library = library::functions().iter().map(|function| &*function.name);
    let elements = catalogue::catalogue().iter().map(|about| about.element);
    let mut known = library.chain(elements);
    known.find(|known| *known != name && words.contains(&folded(known)))
}

/// True if two names differ in nothing but case, `_` and blanks.
pub(super) fn is_same(known: &str, name: &str) -> bool {
    folded(known) == folded(name)
}

/// Suggestions for an unknown name of a function: what it is called here, or else the nearest names.
pub(super) fn suggestions<'a>(name: &str, own: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut found: Vec<String> = same_name(name).into_iter().map(str::to_owned).collect();
    found.extend(synonyms(name).into_iter().map(str::to_owned));
    if found.is_empty() {
        let library = library::functions().iter().map(|function| &*function.name);
        let elements = catalogue::catalogue().iter().map(|about| about.element);
        let aliases = catalogue::catalogue()
            .iter()
            .flat_map(|about| about.aliases);
        let known = library
            .chain(elements)
            .chain(aliases.copied())
            .chain(forms().map(|form| -> &'a str { form }))
            .chain(own);
        found = names::nearest(name, known);
    }
    found.dedup();
    found.truncate(3);
    found
}

#[cfg(test)]
mod tests {
    use fibula_nodes::{PortSpec, Type};

    use super::*;
    use fibula_core::expression::{self, Request};
    use fibula_core::graph::Document;

    #[test]
    fn every_target_exists_and_every_name_is_folded() {
        for (name, synonyms) in SYNONYMS.iter() {
            assert_eq!(folded(name), *name);
            for synonym in synonyms {
                let Synonym {
                    parameters,
                    expression,
                    targets,
                } = &**synonym;
                assert_eq!(parameters.is_empty(), expression.is_empty(), "{name}");
                assert!(!targets.is_empty(), "{name}");
                for target in targets {
                    let is_kind = catalogue::kind(target).is_ok();
                    let is_function = library::find(target).is_some();
                    assert!(
                        is_kind || is_function || is_form(target),
                        "{name}: {target}"
                    );
                }
            }
        }
        assert!(SYNONYMS.len() > 300, "{}", SYNONYMS.len());
    }

    /// Every translation compiles where its parameters are floats, points or arguments of no type.
    #[test]
    fn every_translation_compiles() {
        for (name, synonyms) in SYNONYMS.iter() {
            for synonym in synonyms
                .iter()
                .filter(|synonym| !synonym.expression.is_empty())
            {
                let Synonym {
                    parameters,
                    expression,
                    ..
                } = &**synonym;
                let mut document = Document::default();
                for called in library::called(&document, expression) {
                    document.insert(called.data()).unwrap();
                }
                let compiles = |types: usize| {
                    let argument = |(index, name): (usize, &&str)| {
                        let is_vector = types >> index & 1 == 1;
                        PortSpec::new(*name, if is_vector { Type::Float3 } else { Type::Float })
                    };
                    let arguments = parameters.iter().enumerate().map(argument);
                    let pos =
                        (!parameters.contains(&"pos")).then(|| PortSpec::new("pos", Type::Float3));
                    let request = Request {
                        arguments: Some(arguments.chain(pos).collect()),
                        ..Request::new("f", *expression)
                    };
                    expression::function(&document, &request).is_ok()
                };
                let any = (0..1 << parameters.len()).any(compiles);
                assert!(any, "{name}: {expression}");
            }
        }
    }

    #[test]
    fn names_are_found_whatever_their_case_and_marks() {
        for (name, expected) in [
            ("smoothUnion", ""),
            ("smooth_min", "smooth_union"),
            ("sdSphere", "sphere"),
            ("sd_box", "box"),
            (
                "fillet",
                "fillet_union fillet_difference fillet_intersection extrude_rounded smooth_union",
            ),
            ("unionRound", "fillet_union"),
            ("polygon", "polygon"),
            ("fabs", "abs"),
            ("nothing_like_it", ""),
        ] {
            assert_eq!(synonyms(name).join(" "), expected, "{name}");
        }
        assert_eq!(same_name("smoothUnion"), Some("smooth_union"));
        assert_eq!(same_name("smooth_union"), None);
        assert_eq!(same_name("sdGyroid"), Some("gyroid"));
    }
}
