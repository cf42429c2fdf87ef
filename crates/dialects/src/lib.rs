//! Other languages that people and agents write expressions in: Python, GLSL, `OpenSCAD`, JavaScript.
//!
//! [`explain`] names the foreign constructs of a text that is no expression, with their replacement: the whole
//! text, translated. A translation is offered only if it compiles, with the functions of the library that it calls; it
//! is what follows `write: ` in the hint. [`synonyms`] finds functions by the names that other languages have for them.
//!
//! Not here: acceptance. An expression has one spelling for one thing, and what this crate reads is still refused.
//! Translating takes time and space linear in the text but for nested and inlined calls and repeated values, which are bounded,
//! and happens only for texts of at most 4000 bytes that are refused.
//!
//! ```
//! use fibula_core::{expression::Request, graph::Document};
//!
//! let request = Request::new("Ball", "np.sqrt(x**2 + y**2 + z**2) - 5");
//! let error = fibula_dialects::function(&Document::default(), &request).unwrap_err();
//! assert_eq!(error.message, "'np.sqrt' is Python, '**' is no operator");
//! assert_eq!(error.hint.as_deref(), Some("write: sqrt(x^2 + y^2 + z^2) - 5"));
//! ```

mod impossible;
mod names;
mod tree;

mod infinity;
mod notes;
mod statements;

mod declaration_order;
mod lexer;

mod parser;

mod synonyms;

mod translate;

mod uncalled;

pub use synonyms::synonyms;

use fibula_core::expression::{self, ErrorCode, ExpressionError, Request};
use fibula_core::graph::{Document, Function, FunctionData};
use fibula_core::library::{self, LibraryFunction};
use fibula_nodes::{PortSpec, Type};

use lexer::Token;
use names::POINTS;
use notes::{Notes, Why};
use parser::Parser;
use translate::{FreePoints, SOLIDS_HINT, Translator};
use tree::{Statement, Untranslatable};

/// Names that constants have in other languages, and units as factors.
const CONSTANTS: [&str; 12] = [
    "PI", "Pi", "M_PI", "tau", "TAU", "TWO_PI", "mm", "cm", "inch", "deg", "degree", "degrees",
];
/// Longest text that is translated, in bytes.
const MAX_TEXT: usize = 4_000;
/// Stack of a translation, of which little is used: a tree is at most as deep as the text has operators.
const STACK: usize = 64 * 1024 * 1024;
/// Longest translation that is offered, in characters; it is never truncated, unlike other hints.
const MAX_REWRITE: usize = 4_000;

/// Compiles an expression; an error of a text in another language names the replacement. The document has the
/// functions of the library that the text calls, as after [`library::called`].
///
/// # Errors
/// As [`expression::function`], explained.
pub fn function(document: &Document, request: &Request) -> Result<FunctionData, ExpressionError> {
    // A block of Markdown would be a name between back quotes.
    if let Some(at) = fence(&request.expression) {
        let (message, hint) = ("'```' begins no expression", "leave the lines with ``` out");
        let error = ExpressionError::new(ErrorCode::Syntax, message, hint, at, &request.expression);
        return Err(explain(document, request, error));
    }
    let data = expression::function(document, request)
        .map_err(|error| explain(document, request, error))?;
    if let Some(shape) = uncalled::input(request, &data.inputs) {
        return Err(uncalled::refusal(request, shape));
    }
    match doubt(document, request, &data) {
        Some(error) => Err(error),
        None => Ok(data),
    }
}

/// Refusal of a text that compiles, but to another function than is meant: where a free name of a point is an input,
/// a float, a rotation has no angle, or a cone no height.
fn doubt(document: &Document, request: &Request, data: &FunctionData) -> Option<ExpressionError> {
    let text = &request.expression;
    let (code, has_point) = match request.arguments {
        None if data.inputs.iter().any(is_point) => (ErrorCode::TypeMismatch, true),
        _ => (ErrorCode::WrongArguments, false),
    };
    let is_constant = |port: &PortSpec| CONSTANTS.contains(&&*port.name);
    let has_constant = request.arguments.is_none() && data.inputs.iter().any(is_constant);
    let has_doubtful_call = ["rotate", "cone"].iter().any(|name| text.contains(name));
    if !has_point && !has_constant && !has_doubtful_call {
        return None;
    }
    match translation(document, request) {
        Ok(Translation::Found(notes, rewrite)) if notes.is_doubtful || has_constant => {
            let (at, message) = notes.message()?;
            let hint = format!("write: {rewrite}");
            Some(ExpressionError::new(code, message, hint, at, text))
        }
        Err((at, name @ ("rotate" | "cone"), hint)) => {
            let message = format!("these arguments of '{name}' have no meaning");
            Some(ExpressionError::new(code, message, hint, at, text))
        }
        Ok(_) | Err(_) => None,
    }
}

/// Names the foreign constructs of a text that [`expression::function`] refuses, with a translation that compiles or
/// with the names that its functions have here. Returns the error itself if there is nothing to add.
pub fn explain(
    document: &Document,
    request: &Request,
    mut error: ExpressionError,
) -> ExpressionError {
    if matches!(error.code, ErrorCode::TooDeep | ErrorCode::TooLarge) {
        return error;
    }
    match translation(document, request) {
        Ok(Translation::Found(notes, rewrite)) => {
            let Some((at, message)) = notes.message() else {
                // The text is of the language, but for `let`, if no value is left out, or for a comparison that has a name.
                let statements =
                    |text: &str| text.trim_end_matches([';', ' ']).matches(';').count();
                let is_whole = statements(&rewrite) == statements(&request.expression);
                let is_comparison = error.message == expression::COMPARISON;
                if is_comparison || error.code == ErrorCode::WrongOutputs && is_whole {
                    error.hint = Some(format!("write: {rewrite}"));
                }
                return error;
            };
            let mut error = ExpressionError::new(error.code, message, "", at, &request.expression);
            error.hint = Some(format!("write: {rewrite}"));
            error
        }
        Ok(Translation::Uncalled(shape)) => uncalled::refusal(request, shape),
        Ok(Translation::None(notes, unknown)) => {
            if let (false, ErrorCode::TypeMismatch, Some(shape)) =
                (notes.is_foreign(), error.code, uncalled::name(request))
            {
                return uncalled::refusal(request, shape);
            }
            let error = suggest(document, request, error);
            without_translation(request, error, &notes, &unknown)
        }
        Err((at, name, hint)) if library::find(name).is_some() || synonyms::is_form(name) => {
            let message = format!("these arguments of '{name}' have no meaning");
            ExpressionError::new(error.code, message, hint, at, &request.expression)
        }
        Err((at, name, hint))
            if !expression::unknown_calls(document, &format!("{name}()")).is_empty() =>
        {
            let message = format!("'{name}' is not in the language of expressions");
            ExpressionError::new(error.code, message, hint, at, &request.expression)
        }
        Err(_) => error,
    }
}

/// A text in the language of expressions, or none with the constructs and the unknown functions that were met.
enum Translation {
    Found(Notes, String),
    /// A function of the library is named, but not called.
    Uncalled(&'static LibraryFunction),
    None(Notes, Vec<String>),
}

/// A construct without translation: its offset, its name, and what to do.
type Impossible = (usize, &'static str, &'static str);

/// The constructs of a text and the text that stands for it, if there is one that compiles.
fn translation(document: &Document, request: &Request) -> Result<Translation, Impossible> {
    if request.expression.len() > MAX_TEXT {
        return Ok(Translation::None(Notes::default(), Vec::new()));
    }
    // Long sums are deep trees.
    stacker::grow(STACK, || translated(document, request))
}

fn translated(document: &Document, request: &Request) -> Result<Translation, Impossible> {
    let mut notes = Notes::default();
    if let Some(at) = fence(&request.expression) {
        notes.add(at, Why::Syntax, "```");
    }
    let text = without_fence(&request.expression);
    let Some((statements, has_pos)) = parsed(&text, &mut notes)? else {
        return Ok(Translation::None(notes, Vec::new()));
    };
    let is_argument = |name: &str| {
        let mut arguments = request.arguments.iter().flatten();
        arguments.any(|port| &*port.name == name)
    };
    let Ok(statements) = declaration_order::ordered(statements, &is_argument, &mut notes) else {
        return Ok(Translation::None(notes, Vec::new()));
    };
    let (mut is_doubtful, mut unknown) = (false, Vec::new());
    // Beside `pos`, a name of a point is an input.
    let itself = if has_pos {
        FreePoints::Argument
    } else {
        FreePoints::Float
    };
    let parsed_notes = notes.clone();
    for points in [itself, FreePoints::Position] {
        let mut tried = parsed_notes.clone();
        tried.is_doubtful |= is_doubtful;
        let arguments = request.arguments.iter().flatten().map(|port| &*port.name);
        let translator = Translator::new(document, arguments, &text, points, &mut tried);
        match translator.program(&statements) {
            Ok(rewrite) => {
                let data = compiled(document, request, &rewrite);
                let is_short = rewrite.chars().count() <= MAX_REWRITE;
                let data = data
                    .filter(|data| is_short && !is_vague(request, &rewrite, &data.inputs, has_pos));
                if data.is_some() && calls_hidden(document, &rewrite) {
                    return Ok(Translation::None(tried, Vec::new()));
                }
                match data {
                    Some(data) => {
                        let shape = uncalled::input(request, &data.inputs);
                        let found = || Translation::Found(tried, rewrite);
                        return Ok(shape.map_or_else(found, Translation::Uncalled));
                    }
                    None => unknown = expression::unknown_calls(document, &rewrite),
                }
            }
            Err(Untranslatable::Point) => is_doubtful = true,
            Err(Untranslatable::Unknown) => {}
            Err(Untranslatable::Construct(at, name, hint)) => return Err((at, name, hint)),
        }
        notes = tried;
    }
    unknown.retain(|name| library::find(name).is_none());
    Ok(Translation::None(notes, unknown))
}

/// True if a translation is only the name of an input, or takes the point for a number.
fn is_vague(request: &Request, rewrite: &str, inputs: &[PortSpec], has_pos: bool) -> bool {
    let is_name = rewrite.chars().all(|c| c.is_alphanumeric() || c == '_');
    let is_input = inputs.iter().any(|input| input.name == rewrite);
    request.arguments.is_none() && (is_name && is_input || !has_pos && inputs.iter().any(is_point))
}

/// True if an input is a number, but has a name of the point.
fn is_point(input: &PortSpec) -> bool {
    input.ty == Type::Float && POINTS.contains(&&*input.name)
}

/// True if a translation calls a function of the library by a name that another function of the document has.
fn calls_hidden(document: &Document, rewrite: &str) -> bool {
    let called = expression::unknown_calls(&Document::default(), rewrite);
    let mut called = called.iter().filter(|name| library::find(name).is_some());
    called.any(|name| {
        let named: Vec<&Function> = document
            .functions()
            .filter(|function| function.name().eq_ignore_ascii_case(name))
            .collect();
        let is_exact = |function: &&&Function| function.name() == name;
        let exact = named.iter().find(is_exact).or(named.first());
        exact.is_some_and(|function| !library::is_copy(function))
    })
}

/// The statements of a text; true if it has the point `pos` or its components.
fn parsed(text: &str, notes: &mut Notes) -> Result<Option<(Vec<Statement>, bool)>, Impossible> {
    let Some(tokens) = lexer::tokens(text, notes) else {
        return Ok(None);
    };
    let is_pos = |(index, token): (usize, &Token)| {
        let is_component = index > 0 && tokens[index - 1].is(".");
        let words = ["pos", "x", "y", "z"];
        !is_component && words.into_iter().any(|word| token.is_word(word))
    };
    let has_pos = tokens.iter().enumerate().any(is_pos);
    match Parser::new(tokens, notes).program() {
        Ok(statements) => Ok(Some((statements, has_pos))),
        Err(Untranslatable::Unknown | Untranslatable::Point) => Ok(None),
        Err(Untranslatable::Construct(at, name, hint)) => Err((at, name, hint)),
    }
}

/// Offset of the line that begins a block of Markdown, if the text begins with one.
fn fence(text: &str) -> Option<usize> {
    let trimmed = text.trim_start();
    trimmed
        .starts_with("```")
        .then(|| text.len() - trimmed.len())
}

/// The text with blanks in the place of the lines that begin and end a block of Markdown.
fn without_fence(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        if line.trim_start().starts_with("```") {
            " ".repeat(line.len())
        } else {
            line.to_owned()
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The function that a text compiles to with the functions of the library that it calls.
fn compiled(document: &Document, request: &Request, text: &str) -> Option<FunctionData> {
    let mut document = document.clone();
    for called in library::called(&document, text) {
        document.insert(called.data()).ok()?;
    }
    let request = Request {
        expression: text.to_owned(),
        ..request.clone()
    };
    expression::function(&document, &request).ok()
}

/// Names the constructs of a text that is plainly in another language, of which an error of syntax says little.
fn without_translation(
    request: &Request,
    error: ExpressionError,
    notes: &Notes,
    unknown: &[String],
) -> ExpressionError {
    let is_other = notes.is_foreign() || !unknown.is_empty() && error.hint.is_none();
    let Some((at, message)) = notes.message().filter(|_| is_other) else {
        return error;
    };
    if error.code != ErrorCode::Syntax {
        return error;
    }
    if let Some(library) = notes.library {
        let message = format!("'{library}' is a library of Python, which is not known here");
        return ExpressionError::new(error.code, message, SOLIDS_HINT, at, &request.expression);
    }
    let unknown = match unknown {
        [] => String::new(),
        names => format!(" ({} is unknown)", names.join(", ")),
    };
    let hint = format!(
        "there is no translation of the text{unknown}: write one expression of pos, with functions of the library, as in \
         let d = sphere(pos, 5); union(d, box(pos, vec3(20, 4, 4)))"
    );
    ExpressionError::new(error.code, message, hint, at, &request.expression)
}

/// Adds the names that an unknown function has here.
fn suggest(document: &Document, request: &Request, mut error: ExpressionError) -> ExpressionError {
    if error.code != ErrorCode::UnknownFunctionName {
        return error;
    }
    let unknown = expression::unknown_calls(document, &request.expression);
    let named = |name: &&String| error.message.contains(&format!("'{name}'"));
    if let Some(name) = unknown.iter().find(named) {
        let own = document.functions().map(Function::name);
        match &synonyms::suggestions(name, own)[..] {
            [] => {}
            [only] => error.hint = Some(format!("did you mean {only}?")),
            [others @ .., last] => {
                error.hint = Some(format!("did you mean {} or {last}?", others.join(", ")));
            }
        }
    }
    error
}

#[cfg(test)]
mod tests;
