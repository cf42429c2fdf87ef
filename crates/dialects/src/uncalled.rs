//! Names of shapes of the library as values, as in `cylinder * 2 - 1`: they would be inputs, which nobody means.

use fibula_core::expression::{ErrorCode, ExpressionError, Request};
use fibula_core::library::{self, LibraryFunction};
use fibula_nodes::{PortSpec, Type};

use crate::lexer::{self, Token, TokenKind};
use crate::notes::Notes;

/// Names of shapes that a quantity may have as well.
const QUANTITIES: [&str; 7] = ["boss", "hole", "plane", "rib", "sector", "slab", "slot"];

/// The shape of the library that has the name of an input that a text does not declare.
pub(super) fn input(request: &Request, inputs: &[PortSpec]) -> Option<&'static LibraryFunction> {
    if request.arguments.is_some() {
        return None;
    }
    inputs.iter().find_map(|input| shape(&input.name))
}

/// The shape of the library that a text names without a call and without giving the name a value.
pub(super) fn name(request: &Request) -> Option<&'static LibraryFunction> {
    if request.arguments.is_some() {
        return None;
    }
    let tokens = lexer::tokens(&request.expression, &mut Notes::default())?;
    let defines = |word: &str| {
        let is_defined = |pair: &[Token]| {
            pair[0].is_word(word) && (pair[1].is("=") || pair[1].is(":") || pair[1].is_word("in"))
        };
        tokens.windows(2).any(is_defined)
    };
    let mut found = tokens.windows(2).filter_map(|pair| match &pair[0].kind {
        TokenKind::Name(word) if !pair[1].is("(") && !defines(word) => shape(word),
        _ => None,
    });
    found.next()
}

/// Refuses the name of a shape as a value.
pub(super) fn refusal(request: &Request, function: &LibraryFunction) -> ExpressionError {
    let LibraryFunction { name, example, .. } = function;
    let text = &request.expression;
    let tokens = lexer::tokens(text, &mut Notes::default()).unwrap_or_default();
    let is_value = |pair: &&[Token]| pair[0].is_word(name) && !pair[1].is("(");
    let at = tokens
        .windows(2)
        .find(is_value)
        .map_or(0, |pair| pair[0].at);
    let message =
        format!("'{name}' is a function of the library, which has a value only where it is called");
    let hint = format!(
        "call it, as in {example}; a number needs another name, or is declared as an argument"
    );
    ExpressionError::new(ErrorCode::UnknownName, message, hint, at, text)
}

/// The shape of the library that has a name.
fn shape(name: &str) -> Option<&'static LibraryFunction> {
    let function = library::find(name)?;
    let is_shape = function.takes_point() && function.outputs()[0].ty == Type::Float;
    (is_shape && !QUANTITIES.contains(&name)).then_some(function)
}
