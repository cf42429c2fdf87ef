//! The expression language: parses text to functions, and prints functions as text.
//!
//! ```text
//! text       = statement { ";" statement } [ ";" ]
//! statement  = "let" name "=" expression | [ name "=" ] expression
//! expression = comparison [ "?" expression ":" expression ]
//! comparison = sum [ ( "<" | ">" ) sum ]                          only before "?"
//! sum        = product { ( "+" | "-" ) product }
//! product    = unary { ( "*" | "/" ) unary }
//! unary      = { "-" } power
//! power      = member [ "^" unary ]                               right associative, -a^2 is -(a^2)
//! member     = primary { "." name }                               an output of a call, or x, y, z of a float3
//! primary    = number | text | name | name "(" [ argument { "," argument } ] ")" | "(" expression ")"
//! argument   = [ name "=" ] expression                            those with names come last
//! ```
//!
//! **Functions** are the node kinds, by their names, elements and aliases (`sin`, `asin` or `arcsin`, `transform`),
//! with their parameters in order or by name (`clamp(a, max = 1, min = 0)`); those with a default may be left out. Beside them there are `vec3(x, y, z)`,
//! `mat4(16 numbers, row by row)`, as in GLSL `normalize`, `mix`, `step` and `smoothstep`, and the signed distances to
//! planar polygons, `polygon(pos, x1, y1, x2, y2, ...)` and `arc_polygon(pos, x1, y1, bulge1, ...)`, where a bulge is
//! the tangent of a quarter of the angle of the arc that follows its corner (as in DXF); and sweeps along polylines,
//! `sweep_polyline(profile, x1, y1, z1, x2, y2, z2, ..., radius = 0, at = pos)`, where the profile is an expression of `pos`, which
//! in it is the point in the frame of the path. Functions of the project are called by name. A spelling that is exact wins
//! over one that differs in case; a kind wins over a function of the same name, which `` `name`(...) `` still calls, as it does any name that is no word. Of several functions of one name,
//! `call(ID, ...)` selects one. A call of several outputs is followed by `.output`.
//!
//! **Names** are let bindings, then arguments, then outputs given before, then `x`, `y`, `z` if there is an argument
//! `pos: float3`, then `pi` and `e`. **Arguments** that are not listed are found: `pos: float3` if `pos`, `x`, `y` or
//! `z` is free, then a float for each other free name that is no function's, in order of occurrence.
//!
//! **Types** agree; only where a componentwise operator or kind gets floats among float3s, the floats are spread over
//! three components by `VectorFromScalar`. `a < b ? c : d` is `Select`, and a comparison with NaN is false; `<=` and
//! `>=` are refused, since no `Select` is equal to them for NaN. A sign is a product with -1, or part of a constant.
//!
//! **Outputs** that are not named are `shape` if they are floats, else `result`. An output that is a constant is a
//! literal of `End`. Other constants are nodes, one for each value; equal subexpressions are one node; what no
//! output needs is left out.
//!
//! **Parameters** are constants that a `let` names: `let wall = 2`, or `let wall = 5 / 2`, a number that is written as a sum, difference,
//! product or quotient of numbers. Each is a constant node of its own whose display name
//! is that of the binding. It is neither shared with equal constants nor folded, and is printed as a `let` again.
//!
//! **Other languages** are refused: Python, GLSL, `OpenSCAD`, JavaScript. The crate `fibula_dialects` has the replacements
//! for a text in one of them.
//!
//! Texts have at most 1 MB, are nested at most 1000 levels deep, and have at most 1000 arguments and 1000 outputs.
//! Time and space are linear in the length.

mod arguments;
mod ast;
mod binding;
mod builder;
mod call;
mod callee;
mod check;
mod composition;
mod emit;
mod error;
#[cfg(test)]
mod fixtures;
mod lexer;
mod parser;
mod plan;
mod polygon;
mod positional;
mod print;
mod shape_forms;
mod sweep;
mod writer;

use std::collections::{HashMap, HashSet};

use fibula_nodes::{PortSpec, Type};

use crate::graph::{Document, FunctionData, FunctionId, GraphError, MOST_NODES, MOST_PORTS};

pub use ast::Precedence;
pub use error::{COMPARISON, ErrorCode, ExpressionError};
pub use parser::is_foreign_keyword;
pub use positional::positional_calls;
pub use print::{PrintError, print};
pub use shape_forms::{SHAPE_FORMS, ShapeForm, is_shape_form};
pub use writer::quoted;

use ast::{ExpressionKind, StatementKind};
use builder::Operand;
use callee::SymbolTable;
use check::{Output, list, wrong_type};
use error::Diagnostic;

/// Input of [`function`]: an expression, with the interface of its function.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    /// Name of the function.
    pub name: String,
    /// Text of the expression.
    pub expression: String,
    /// The inputs in order; inferred from the expression if `None`.
    pub arguments: Option<Vec<PortSpec>>,
    /// The expected outputs in order; a single one may name an unnamed output of the text.
    pub outputs: Option<Vec<PortSpec>>,
}

impl Request {
    /// Creates a request whose arguments and outputs are inferred.
    pub fn new(name: impl Into<String>, expression: impl Into<String>) -> Self {
        Request {
            name: name.into(),
            expression: expression.into(),
            ..Request::default()
        }
    }
}

/// Error returned when a function cannot be added from an expression.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AddError {
    /// The expression is invalid.
    #[error(transparent)]
    Expression(#[from] ExpressionError),
    /// The document does not take the function.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

/// Adds the function of an expression, with inferred arguments and outputs.
///
/// ```
/// use fibula_core::{expression, graph::Document};
///
/// let mut doc = Document::default();
/// let ball = expression::add_function(&mut doc, "Ball", "length(pos) - 5")?;
/// assert_eq!(expression::print(&doc, ball)?, "length(pos) - 5");
/// let mistake = expression::add_function(&mut doc, "Wrong", "lenght(pos)").unwrap_err();
/// assert_eq!(
///     mistake.to_string(),
///     "unknown function 'lenght'; did you mean length?\n  lenght(pos)\n  ^",
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`AddError::Expression`] if the text is invalid, [`AddError::Graph`] if the name or a reference is.
pub fn add_function(
    document: &mut Document,
    name: &str,
    expression: &str,
) -> Result<FunctionId, AddError> {
    let request = Request::new(name, expression);
    let data = function(document, &request)?;
    Ok(document.insert(&data)?)
}

/// Compiles an expression to a function. `Begin` is node 1 if there are arguments; other nodes follow in the order of
/// computation, laid out from left to right.
///
/// # Errors
/// [`ExpressionError`] with the location in the text.
pub fn function(document: &Document, request: &Request) -> Result<FunctionData, ExpressionError> {
    written(document, request).map_err(|diagnostic| diagnostic.with_source(&request.expression))
}

/// Inputs that [`function`] infers for an expression.
///
/// ```
/// use fibula_core::{expression, graph::Document};
///
/// let inputs = expression::inferred_arguments(&Document::default(), "length(pos) - radius")?;
/// let names: Vec<&str> = inputs.iter().map(|input| input.name.as_str()).collect();
/// assert_eq!(names, ["pos", "radius"]);
/// # Ok::<(), expression::ExpressionError>(())
/// ```
///
/// # Errors
/// [`ExpressionError`] with the location in the text, if it does not parse, or a name is a value in other languages.
pub fn inferred_arguments(
    document: &Document,
    expression: &str,
) -> Result<Vec<PortSpec>, ExpressionError> {
    let inferred = |tree| arguments::arguments(&tree, &SymbolTable::new(document));
    parser::parse(expression)
        .and_then(inferred)
        .map_err(|diagnostic| diagnostic.with_source(expression))
}

/// Names of called functions that are unknown to the language, the node kinds and the document, without duplicates, in
/// the order of computation. Empty if the text does not parse.
pub fn unknown_calls(document: &Document, expression: &str) -> Vec<String> {
    let Ok(tree) = parser::parse(expression) else {
        return Vec::new();
    };
    let symbols = SymbolTable::new(document);
    let mut seen = HashSet::new();
    let calls = tree.expressions.iter().filter_map(|part| {
        let ExpressionKind::Call(name, _) = &part.kind else {
            return None;
        };
        Some(name)
    });
    calls
        .filter(|name| seen.insert(&*name.text) && !symbols.contains(name))
        .map(|name| name.text.to_string())
        .collect()
}

/// Names of `let` bindings that nothing in the text refers to, in its order: their values are in no node of the function.
/// Empty if the text does not parse.
pub fn unused_bindings(expression: &str) -> Vec<String> {
    let Ok(tree) = parser::parse(expression) else {
        return Vec::new();
    };
    let used: HashSet<&str> = tree
        .expressions
        .iter()
        .filter_map(|part| match &part.kind {
            ExpressionKind::Name(name) => Some(&*name.text),
            ExpressionKind::Number(_)
            | ExpressionKind::Text(_)
            | ExpressionKind::Negation(_)
            | ExpressionKind::Binary(..)
            | ExpressionKind::Less(..)
            | ExpressionKind::Conditional(..)
            | ExpressionKind::Call(..)
            | ExpressionKind::Member(..) => None,
        })
        .collect();
    let bound = tree
        .statements
        .iter()
        .filter_map(|statement| match &statement.kind {
            StatementKind::Binding(name) => Some(&*name.text),
            StatementKind::Output(_) => None,
        });
    bound
        .filter(|name| !used.contains(name))
        .map(str::to_owned)
        .collect()
}

fn written(document: &Document, request: &Request) -> Result<FunctionData, Diagnostic> {
    let tree = parser::parse(&request.expression)?;
    // Every operator and call becomes at least one node, and there is about one name or number for each.
    if tree.expressions.len() > 2 * MOST_NODES {
        let message =
            format!("the expression needs more than {MOST_NODES} nodes, the limit of a function");
        return Err(Diagnostic::too_large(message));
    }
    let symbols = SymbolTable::new(document);
    let arguments = match &request.arguments {
        Some(given) => given.clone(),
        None => arguments::arguments(&tree, &symbols)?,
    };
    for (what, ports) in [
        ("argument", Some(&arguments)),
        ("output", request.outputs.as_ref()),
    ] {
        unique(what, ports.map_or(&[], Vec::as_slice))?;
    }
    few("arguments", arguments.len())?;
    let (builder, outputs) = check::check(&tree, &arguments, &symbols)?;
    few("outputs", outputs.len())?;
    let end = request.expression.trim_end().len();
    let outputs = match &request.outputs {
        None => named(outputs, end)?,
        Some(wanted) => wanted_outputs(outputs, wanted, end)?,
    };
    Ok(emit::function(&builder, &request.name, arguments, outputs))
}

fn few(what: &str, count: usize) -> Result<(), Diagnostic> {
    if count > MOST_PORTS {
        let message =
            format!("the function has {count} {what}, more than the limit of {MOST_PORTS}");
        return Err(Diagnostic::too_large(message));
    }
    Ok(())
}

fn unique(what: &str, ports: &[PortSpec]) -> Result<(), Diagnostic> {
    let mut seen = HashSet::new();
    match ports.iter().find(|port| !seen.insert(&port.name)) {
        Some(port) => {
            let message = format!("duplicate {what} '{}'", port.name);
            Err(ErrorCode::DuplicateName.error(0, message))
        }
        None => Ok(()),
    }
}

/// True if two functions have the same inputs, outputs and nodes, and call the same functions or copies: if they have one name,
/// expressions may call either by it.
pub fn are_copies(document: &Document, one: FunctionId, other: FunctionId) -> bool {
    SymbolTable::new(document).is_copy(one, other)
}

/// Name of an unnamed output.
fn default_output(ty: Type) -> &'static str {
    match ty {
        Type::Float => "shape",
        Type::Float3 | Type::Matrix4x4 | Type::Integer | Type::String | Type::ResourceId => {
            "result"
        }
    }
}

/// Outputs with their names in the text.
fn named(outputs: Vec<Output>, end: usize) -> Result<Vec<(String, Operand)>, Diagnostic> {
    match &outputs[..] {
        [] => {
            let message = "the expression has no result";
            return Err(ErrorCode::WrongOutputs
                .error(end, message)
                .hint("end with a value, as in let a = 2; a*x"));
        }
        [_] => {}
        several => {
            if let Some(output) = several.iter().find(|output| output.name.is_none()) {
                let message = "each of several outputs needs a name";
                return Err(ErrorCode::WrongOutputs.error(output.at, message).hint(
                    "write shape = ...; color = ..., or let a = ...; for intermediate values",
                ));
            }
        }
    }
    let name = |output: Output| {
        let name = output
            .name
            .unwrap_or_else(|| default_output(output.value.ty).to_owned());
        (name, output.value)
    };
    Ok(outputs.into_iter().map(name).collect())
}

/// Outputs in the expected order; an error if the text has others.
fn wanted_outputs(
    mut outputs: Vec<Output>,
    wanted: &[PortSpec],
    end: usize,
) -> Result<Vec<(String, Operand)>, Diagnostic> {
    if let ([output], [only]) = (&mut outputs[..], wanted) {
        output.name.get_or_insert_with(|| only.name.clone());
    }
    let places: Vec<usize> = outputs.iter().map(|output| output.at).collect();
    let mut given: HashMap<String, (Operand, usize)> = HashMap::new();
    for ((name, operand), at) in named(outputs, end)?.into_iter().zip(places) {
        given.insert(name, (operand, at));
    }
    let wrong = |at, message| {
        let names = list(wanted.iter().map(|port| &*port.name));
        ErrorCode::WrongOutputs
            .error(at, message)
            .hint(format!("the expected outputs are {names}"))
    };
    let mut ordered = Vec::with_capacity(wanted.len());
    for port in wanted {
        let Some((operand, at)) = given.remove(&port.name) else {
            return Err(wrong(end, format!("the output '{}' is missing", port.name)));
        };
        if operand.ty != port.ty {
            let what = format!("the output '{}'", port.name);
            return Err(wrong_type(&what, port.ty, operand.ty, at));
        }
        ordered.push((port.name.clone(), operand));
    }
    match given.into_iter().min_by_key(|(_, (_, at))| *at) {
        Some((name, (_, at))) => Err(wrong(at, format!("unexpected output '{name}'"))),
        None => Ok(ordered),
    }
}

#[cfg(test)]
mod tests {
    use super::fixtures::{check, describe, for_each_case, project};
    use super::*;

    #[test]
    fn nodes_and_errors_are_those_of_the_cases() {
        assert_eq!(for_each_case(include_str!("cases.txt"), check), 86);
    }

    #[test]
    fn bindings_without_a_use_are_found() {
        let check = |text: &str, expected: &[&str]| {
            assert_eq!(unused_bindings(text), expected, "{text}");
        };
        check("let wall = 2; let cell = 8; length(pos) - wall", &["cell"]);
        check("let `a b` = 2; let c = 3; max(`a b`, 2 * c)", &[]);
        check("let a = 1; let b = a; x", &["b"]);
        check("let a = sin(; x", &[]);
    }

    /// Ports from their names; `^` marks a float3, and no name stands for `None`.
    fn ports(names: &str) -> Option<Vec<PortSpec>> {
        let ports = names
            .split_whitespace()
            .map(|name| match name.strip_prefix('^') {
                Some(name) => PortSpec::new(name, Type::Float3),
                None => PortSpec::new(name, Type::Float),
            });
        Some(ports.collect()).filter(|ports: &Vec<PortSpec>| !ports.is_empty())
    }

    /// A case is a text, its arguments, its outputs, and the error.
    #[test]
    fn arguments_and_outputs_are_checked() {
        for case in [
            "x + y | x y | | ok",
            "x + y | ^pos r | | ok",
            "x + y | x | | 'y' is not defined; the only argument is x\n  x + y\n      ^",
            "radus | radius | | 'radus' is not defined; did you mean radius?\n  radus\n  ^",
            "sin | sin | | ok",
            "e | e | | ok",
            "pos | | ^moved | ok",
            "b = 1; a = 2 | | a b | ok",
            "pos | | shape | the output 'shape' takes a float, but got a float3; use one component, as in v.x, or \
             length(v)\n  pos\n  ^",
            "a = 1; b = 2 | | a | unexpected output 'b'; the expected outputs are a\n  a = 1; b = 2\n         ^",
            "a = 1 | | a b | the output 'b' is missing; the expected outputs are a and b\n  a = 1\n       ^",
            "a | a a | | duplicate argument 'a'\n  a\n  ^",
        ] {
            let fields: Vec<&str> = case.split('|').map(str::trim).collect();
            let [text, arguments, outputs, expected] = fields[..] else {
                panic!("{case}");
            };
            let (arguments, outputs) = (ports(arguments), ports(outputs));
            let request = Request {
                arguments: arguments.clone(),
                outputs: outputs.clone(),
                ..Request::new("f", text)
            };
            let result = function(&project(), &request);
            let shown = result
                .as_ref()
                .map_or_else(ToString::to_string, |_| "ok".to_owned());
            assert_eq!(shown, expected, "{text}");
            if let Ok(data) = result {
                assert_eq!(data.inputs, arguments.unwrap_or(data.inputs.clone()));
                assert_eq!(data.outputs, outputs.unwrap_or(data.outputs.clone()));
            }
        }
    }

    fn code_of(text: &str) -> ErrorCode {
        let request = Request::new("f", text);
        function(&Document::default(), &request).unwrap_err().code
    }

    #[test]
    fn depth_and_length_are_limited() {
        let nested = |open: &str, inside: &str, close: &str, times: usize| {
            open.repeat(times) + inside + &close.repeat(times)
        };
        for (open, close) in [
            ("(", ")"),
            ("sin(", ")"),
            ("x^", ""),
            ("x<1?2:", ""),
            ("x*(", "+1)"),
        ] {
            assert!(describe(&nested(open, "x", close, 450)).contains("Begin"));
            assert_eq!(
                code_of(&nested(open, "x", close, 100_000)),
                ErrorCode::TooDeep,
                "{open}"
            );
        }
        assert_eq!(code_of(&"x".repeat(10_000_000)), ErrorCode::TooLarge);
        assert_eq!(code_of(&"(".repeat(1_000_000)), ErrorCode::TooDeep);
        let many = |form: fn(usize) -> String| (0..=MOST_PORTS).map(form).collect::<String>();
        assert_eq!(
            code_of(&(many(|i| format!("a{i}+")) + "1")),
            ErrorCode::TooLarge
        );
        assert_eq!(
            code_of(&many(|i| format!("o{i} = a;"))),
            ErrorCode::TooLarge
        );
        assert_eq!(code_of(&"-".repeat(1_000_000)), ErrorCode::Syntax);
        assert_eq!(
            code_of(&"x".repeat(1_000_000).replace("xx", "f(")),
            ErrorCode::TooDeep
        );
    }

    /// Parses, builds, prints and parses again; recursion would overflow the stack.
    #[test]
    fn long_chains_neither_overflow_nor_grow() {
        for (first, more, count) in [
            ("a", "+a", 100_000),
            ("a", "-b*a", 20_000),
            ("1", "/-a", 20_000),
            ("a", "-1", 100_000),
        ] {
            let mut document = Document::default();
            let text = format!("{first}{}", more.repeat(count));
            let id = add_function(&mut document, "f", &text).unwrap();
            let printed = print(&document, id).unwrap();
            let request = Request {
                name: "f".to_owned(),
                expression: printed,
                arguments: Some(document.function(id).unwrap().inputs()),
                outputs: None,
            };
            let again = function(&document, &request).unwrap();
            assert_eq!(
                document.build(&again).unwrap().link_count(),
                document.function(id).unwrap().link_count()
            );
        }
    }
}
