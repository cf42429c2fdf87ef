//! The arguments of an expression that lists none: read from the names that it uses.

use std::collections::HashSet;

use fibula_nodes::{PortSpec, Type};

use super::callee::{Callee, Callees, follows_function};
use super::tree::{Form, Gives, Place, Tree};

/// The argument of which `x`, `y` and `z` are components.
pub(super) const POSITION: &str = "pos";

/// Names of numbers, unless something else has the name.
pub(super) const CONSTANTS: [(&str, f64); 2] =
    [("pi", std::f64::consts::PI), ("e", std::f64::consts::E)];

/// The component that a name stands for when there is a position: 0 for `x`, 1 for `y`, 2 for `z`.
pub(super) fn component(name: &str) -> Option<usize> {
    ["x", "y", "z"].iter().position(|&known| known == name)
}

/// A float3 `pos` if `pos`, `x`, `y` or `z` is free, and then a float for every other free name, in order of
/// occurrence. A name is free where no earlier statement gives it and nothing callable has it.
pub(super) fn arguments(tree: &Tree<'_>, callees: &Callees<'_>) -> Vec<PortSpec> {
    let references = references(tree, callees);
    let mut given: HashSet<&str> = HashSet::new();
    let mut seen: HashSet<&str> = HashSet::new();
    let mut floats = Vec::new();
    let mut position = false;
    for statement in &tree.statements {
        for place in statement.expressions.clone() {
            let Form::Name(name) = &tree.expressions[place].form else {
                continue;
            };
            if references.contains(&place) && !given.contains(&*name.text) {
                continue;
            }
            let text = &*name.text;
            let constant = !name.quoted && CONSTANTS.iter().any(|(constant, _)| *constant == text);
            if given.contains(text) || constant || callees.is_callable(name) {
                continue;
            }
            if text == POSITION || (!name.quoted && component(text).is_some()) {
                position = true;
            } else if seen.insert(text) {
                floats.push(PortSpec::new(text, Type::Float));
            }
        }
        match &statement.gives {
            Gives::Binding(name) | Gives::Output(Some(name)) => {
                given.insert(&name.text);
            }
            Gives::Output(None) => {}
        }
    }
    let position = position.then(|| PortSpec::new(POSITION, Type::Float3));
    position.into_iter().chain(floats).collect()
}

/// The names that stand where a call takes a function of the project.
fn references(tree: &Tree<'_>, callees: &Callees<'_>) -> HashSet<Place> {
    let mut references = HashSet::new();
    for expression in &tree.expressions {
        let Form::Call(name, arguments) = &expression.form else {
            continue;
        };
        if let Some(&first) = tree.arguments[arguments.clone()].first()
            && let Form::Name(_) = &tree.expressions[first].form
            && let Ok(Callee::Kind(about)) = callees.called(name)
            && follows_function(about)
        {
            references.insert(first);
        }
    }
    references
}

#[cfg(test)]
mod tests {
    use fibula_nodes::PortSpec;

    use super::super::drawn::project;
    use super::super::{Request, function};

    fn arguments_of(text: &str) -> String {
        let request = Request {
            name: "f".to_owned(),
            expression: text.to_owned(),
            ..Request::default()
        };
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
        for (text, expected) in [
            ("1", "() -> shape: float"),
            ("a + b + a", "(a: float, b: float) -> shape: float"),
            ("b + x", "(pos: float3, b: float) -> shape: float"),
            ("z", "(pos: float3) -> shape: float"),
            ("pos", "(pos: float3) -> result: float3"),
            ("length(pos) + pi*e", "(pos: float3) -> shape: float"),
            ("`pi` + pi + `x`", "(pi: float, x: float) -> shape: float"),
            ("größe*2", "(größe: float) -> shape: float"),
            ("let x = a; x", "(a: float) -> shape: float"),
            (
                "mat4(1,0,0,0, 0,1,0,0, 0,0,1,0, a,b,c,1)",
                "(a: float, b: float, c: float) -> result: matrix4x4",
            ),
            (
                "color = pos; shape = x; alpha = shape",
                "(pos: float3) -> color: float3, shape: float, alpha: float",
            ),
            ("pos = pos*2;", "(pos: float3) -> pos: float3"),
            (
                "normalizedistance(sphere, pos, r)",
                "(pos: float3, r: float) -> shape: float",
            ),
        ] {
            assert_eq!(arguments_of(text), expected, "{text}");
        }
    }
}
