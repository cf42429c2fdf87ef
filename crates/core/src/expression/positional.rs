//! Shows which arguments calls by position pass to which inputs.

use fibula_nodes::Type;

use super::ast::{ExpressionIndex, ExpressionKind, Name, SyntaxTree};
use super::call::{CallParameter, places};
use super::callee::{Callee, SymbolTable};
use super::parser;
use crate::graph::Document;

/// Number of floats that are passed by position without being shown.
const CLEAR: usize = 2;

/// Maximum number of calls that are shown.
const SHOWN: usize = 5;

/// Calls of functions of the document that pass more than two floats by position, each with the names of its inputs:
/// `Plate(pos, thickness = 8, hole = 4, cell = 6)`. Without duplicates; empty if the text does not parse.
pub fn positional_calls(document: &Document, expression: &str) -> Vec<String> {
    let Ok(tree) = parser::parse(expression) else {
        return Vec::new();
    };
    let symbols = SymbolTable::new(document);
    let mut shown: Vec<String> = Vec::new();
    for place in 0..tree.expressions.len() {
        if shown.len() == SHOWN {
            break;
        }
        if let Some(text) = call(&tree, place, &symbols)
            && !shown.contains(&text)
        {
            shown.push(text);
        }
    }
    shown
}

/// Text of a call that passes many floats by position.
fn call(
    tree: &SyntaxTree<'_>,
    place: ExpressionIndex,
    symbols: &SymbolTable<'_>,
) -> Option<String> {
    let expression = &tree.expressions[place];
    let ExpressionKind::Call(name, arguments) = &expression.kind else {
        return None;
    };
    let Ok(Callee::Function(_, ty)) = symbols.resolve_call(name) else {
        return None;
    };
    let arguments = &tree.arguments[arguments.clone()];
    let parameters: Vec<CallParameter<'_>> = ty
        .inputs
        .iter()
        .map(|input| CallParameter {
            name: &input.name,
            is_optional: input.default_value().is_some(),
        })
        .collect();
    let places = places(&name.text, &parameters, arguments, expression.at).ok()?;
    let by_position = arguments.iter().zip(&places);
    let floats = by_position.filter(|(argument, place)| {
        argument.name.is_none() && ty.inputs[**place].ty == Type::Float
    });
    if floats.count() <= CLEAR {
        return None;
    }
    let shown = arguments.iter().zip(places).map(|(argument, place)| {
        let (input, value) = (&ty.inputs[place], brief(tree, argument.value));
        if input.ty == Type::Float3 && argument.name.is_none() {
            return value;
        }
        format!("{} = {value}", input.name)
    });
    let shown: Vec<String> = shown.collect();
    Some(format!("{}({})", name.text, shown.join(", ")))
}

/// Text of a short argument; `...` for others.
fn brief(tree: &SyntaxTree<'_>, place: ExpressionIndex) -> String {
    let plain = |place: ExpressionIndex| match &tree.expressions[place].kind {
        ExpressionKind::Number(number) => Some(number.to_string()),
        ExpressionKind::Name(Name { text, .. }) => Some(text.to_string()),
        ExpressionKind::Text(_)
        | ExpressionKind::Negation(_)
        | ExpressionKind::Binary(..)
        | ExpressionKind::Less(..)
        | ExpressionKind::Conditional(..)
        | ExpressionKind::Call(..)
        | ExpressionKind::Member(..) => None,
    };
    let text = match tree.expressions[place].kind {
        ExpressionKind::Negation(inner) => plain(inner).map(|text| format!("-{text}")),
        _ => plain(place),
    };
    text.unwrap_or_else(|| "...".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::add_function;

    #[test]
    fn calls_with_many_floats_are_shown_with_names() {
        let mut document = Document::default();
        let plate = "length(pos) - thickness + hole*cell";
        add_function(&mut document, "Plate", plate).unwrap();
        for (text, expected) in [
            (
                "Plate(pos, 8, 4, 6)",
                "Plate(pos, thickness = 8, hole = 4, cell = 6)",
            ),
            (
                "Plate(pos*2, -8, h, 2+3) + Plate(pos*2, -8, h, 2+3)",
                "Plate(..., thickness = -8, hole = h, cell = ...)",
            ),
            ("Plate(pos, 8, 4, cell = 6)", ""),
            ("Plate(pos, thickness = 8, hole = 4, cell = 6)", ""),
            ("clamp(x, 0, 1) + Plate(pos)", ""),
            ("Plate(", ""),
        ] {
            assert_eq!(
                positional_calls(&document, text).join("; "),
                expected,
                "{text}"
            );
        }
    }
}
