//! Infers the arguments of an expression from its free names.

use std::collections::HashSet;

use fibula_nodes::{PortSpec, Type};

use super::ast::{ExpressionIndex, ExpressionKind, StatementKind, SyntaxTree};
use super::callee::{Callee, SymbolTable, follows_function};
use super::error::{Diagnostic, ErrorCode};

/// Name of the argument whose components are `x`, `y` and `z`.
pub(super) const POSITION: &str = "pos";

/// Named constants, unless another symbol has the name.
pub(super) const CONSTANTS: [(&str, f64); 2] =
    [("pi", std::f64::consts::PI), ("e", std::f64::consts::E)];

/// Names that are values in other languages, so that nobody means an input of the name.
const FOREIGN_VALUES: [&str; 17] = [
    "True",
    "False",
    "true",
    "false",
    "None",
    "null",
    "nil",
    "undefined",
    "undef",
    "NaN",
    "nan",
    "inf",
    "Infinity",
    "INFINITY",
    "infinity",
    "return",
    "π",
];

/// Index of a component of the position by its name: 0 for `x`, 1 for `y`, 2 for `z`.
pub(super) fn component(name: &str) -> Option<usize> {
    ["x", "y", "z"].iter().position(|&known| known == name)
}

/// Infers a float3 `pos` if `pos`, `x`, `y` or `z` is free, then a float for every other free name, in order of
/// occurrence. A name is free where no earlier statement defines it and nothing callable has it.
///
/// # Errors
/// If such a name is a value in other languages, unless it is quoted.
pub(super) fn arguments(
    tree: &SyntaxTree<'_>,
    symbols: &SymbolTable<'_>,
) -> Result<Vec<PortSpec>, Diagnostic> {
    let references = references(tree, symbols);
    let mut given: HashSet<&str> = HashSet::new();
    let mut seen: HashSet<&str> = HashSet::new();
    let mut floats = Vec::new();
    let mut position = false;
    for statement in &tree.statements {
        for place in statement.expressions.clone() {
            let ExpressionKind::Name(name) = &tree.expressions[place].kind else {
                continue;
            };
            if references.contains(&place) && !given.contains(&*name.text) {
                continue;
            }
            let text = &*name.text;
            let constant = !name.quoted && CONSTANTS.iter().any(|(constant, _)| *constant == text);
            if given.contains(text) || constant {
                continue;
            }
            let is_position = text == POSITION || (!name.quoted && component(text).is_some());
            // The point has its name whatever functions are called.
            if !is_position && symbols.is_callable(name) {
                continue;
            }
            if is_position {
                position = true;
            } else if !name.quoted && FOREIGN_VALUES.contains(&text) {
                let message = format!("'{text}' is no value");
                let hint = format!(
                    "values are numbers and vectors, conditions stand before '?', as in x < 0 ? 1 : 2; an input of the \
                     name is written `{text}`"
                );
                let at = tree.expressions[place].at;
                return Err(ErrorCode::UnknownName.error(at, message).hint(hint));
            } else if seen.insert(text) {
                floats.push(PortSpec::new(text, Type::Float));
            }
        }
        match &statement.kind {
            StatementKind::Binding(name) | StatementKind::Output(Some(name)) => {
                given.insert(&name.text);
            }
            StatementKind::Output(None) => {}
        }
    }
    let position = position.then(|| PortSpec::new(POSITION, Type::Float3));
    Ok(position.into_iter().chain(floats).collect())
}

/// Names in the place of a function argument of a call.
fn references(tree: &SyntaxTree<'_>, symbols: &SymbolTable<'_>) -> HashSet<ExpressionIndex> {
    let mut references = HashSet::new();
    for expression in &tree.expressions {
        let ExpressionKind::Call(name, arguments) = &expression.kind else {
            continue;
        };
        if let Some(first) = tree.arguments[arguments.clone()].first()
            && let ExpressionKind::Name(_) = &tree.expressions[first.value].kind
            && let Ok(Callee::Kind(about)) = symbols.resolve_call(name)
            && follows_function(about)
        {
            references.insert(first.value);
        }
    }
    references
}

#[cfg(test)]
mod tests {
    use fibula_nodes::PortSpec;

    use super::super::fixtures::project;
    use super::super::{Request, function};

    fn arguments_of(text: &str) -> String {
        let request = Request::new("f", text);
        let data = function(&project(), &request).unwrap_or_else(|error| panic!("{error}"));
        let ports = |ports: &[PortSpec]| {
            let ports = ports
                .iter()
                .map(|port| format!("{}: {}", port.name, port.ty));
            ports.collect::<Vec<_>>().join(", ")
        };
        format!("({}) -> {}", ports(&data.inputs), ports(&data.outputs))
    }

    #[test]
    fn arguments_and_outputs_are_found_in_the_text() {
        for case in [
            "1 => () -> shape: float",
            "a + b + a => (a: float, b: float) -> shape: float",
            "b + x => (pos: float3, b: float) -> shape: float",
            "z => (pos: float3) -> shape: float",
            "pos => (pos: float3) -> result: float3",
            "length(pos) + pi*e => (pos: float3) -> shape: float",
            "`pi` + pi + `x` => (pi: float, x: float) -> shape: float",
            "größe*2 => (größe: float) -> shape: float",
            "let x = a; x => (a: float) -> shape: float",
            "mat4(1,0,0,0, 0,1,0,0, 0,0,1,0, a,b,c,1) => (a: float, b: float, c: float) -> result: matrix4x4",
            "color = pos; shape = x; alpha = shape => (pos: float3) -> color: float3, shape: float, alpha: float",
            "pos = pos*2; => (pos: float3) -> pos: float3",
            "normalizedistance(sphere, pos, r) => (pos: float3, r: float) -> shape: float",
        ] {
            let (text, expected) = case.split_once(" => ").expect("a result");
            assert_eq!(arguments_of(text), expected, "{text}");
        }
    }
}
