//! Expressions: text to function, and back.
//!
//! ```text
//! text       = statement { ";" statement } [ ";" ]
//! statement  = "let" name "=" expression | [ name "=" ] expression
//! expression = comparison [ "?" expression ":" expression ]
//! comparison = sum [ ( "<" | ">" ) sum ]                          only before "?"
//! sum        = product { ( "+" | "-" ) product }
//! product    = signed { ( "*" | "/" ) signed }
//! signed     = { "-" } power
//! power      = member [ "^" signed ]                              right associative, -a^2 is -(a^2)
//! member     = whole { "." name }                                 an output of a call, or x, y, z of a float3
//! whole      = number | text | name | name "(" [ expression { "," expression } ] ")" | "(" expression ")"
//! ```
//!
//! **Functions** are the node kinds, by their names, elements and aliases (`sin`, `asin` or `arcsin`, `transform`),
//! with their parameters in order; those with a default may be left out. Beside them there are `vec3(x, y, z)`,
//! `mat4(16 numbers, row by row)`, and, as in GLSL, `normalize`, `mix`, `step` and `smoothstep`. Functions of the
//! project are called by name. A spelling that is exact wins over one that differs in case; a kind wins over a
//! function of the same name, which `` `name`(...) `` still calls, as it does any name that is no word. Of several
//! functions of one name, `call(ID, ...)` says which. A call of several outputs is followed by `.output`.
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
//! Texts have at most 1 MB, are nested at most 1000 levels deep, and have at most 1000 arguments and 1000 outputs.
//! Time and space are linear in the length.

mod arguments;
mod binding;
mod call;
mod callee;
mod check;
mod draft;
#[cfg(test)]
mod drawn;
mod error;
mod lexer;
mod parser;
mod plan;
mod print;
mod spell;
mod tree;
mod write;

use std::collections::{HashMap, HashSet};

use fibula_nodes::{PortSpec, Type};

use crate::graph::{Document, FunctionData, FunctionId, GraphError, MOST_NODES, MOST_PORTS};

pub use error::{Code, ExpressionError};
pub use print::{PrintError, print};

use callee::Callees;
use check::{Output, list, wrong_type};
use draft::Operand;
use error::Mistake;
use tree::Form;

/// What a function is made of.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    /// The function's name.
    pub name: String,
    /// The text.
    pub expression: String,
    /// The inputs in their order; found in the expression if they are not listed.
    pub arguments: Option<Vec<PortSpec>>,
    /// The outputs in their order, if they are to be checked; one may name what the text does not.
    pub outputs: Option<Vec<PortSpec>>,
}

/// Why a function could not be added from an expression.
#[derive(Debug, thiserror::Error)]
pub enum AddError {
    /// The expression is wrong.
    #[error(transparent)]
    Expression(#[from] ExpressionError),
    /// The document does not take the function.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

/// Adds a function that an expression says, with the arguments and outputs found in it.
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
///     "there is no function 'lenght'; did you mean length?\n  lenght(pos)\n  ^",
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`AddError::Expression`] when the text is wrong, [`AddError::Graph`] when the name or something it refers to is.
pub fn add_function(
    document: &mut Document,
    name: &str,
    expression: &str,
) -> Result<FunctionId, AddError> {
    let request = Request {
        name: name.to_owned(),
        expression: expression.to_owned(),
        ..Request::default()
    };
    let data = function(document, &request)?;
    Ok(document.insert(&data)?)
}

/// Writes out the function that an expression says. `Begin` is node 1 if there are arguments; other nodes follow in
/// the order in which they are computed, from left to right in their places.
///
/// # Errors
/// [`ExpressionError`], with the place in the text.
pub fn function(document: &Document, request: &Request) -> Result<FunctionData, ExpressionError> {
    written(document, request).map_err(|mistake| mistake.shown_in(&request.expression))
}

/// The names of functions that an expression calls and that are neither of the language, nor a kind's, nor a function's of
/// the document, each once, what is computed first before what takes it. Empty if the text is no expression.
pub fn unknown_calls(document: &Document, expression: &str) -> Vec<String> {
    let Ok(tree) = parser::parse(expression) else {
        return Vec::new();
    };
    let callees = Callees::new(document);
    let mut seen = HashSet::new();
    let calls = tree.expressions.iter().filter_map(|part| match &part.form {
        Form::Call(name, _) => Some(name),
        Form::Number(_)
        | Form::Text(_)
        | Form::Name(_)
        | Form::Negative(_)
        | Form::Binary(..)
        | Form::Less(..)
        | Form::Choice(..)
        | Form::Member(..) => None,
    });
    calls
        .filter(|name| seen.insert(&*name.text) && !callees.knows(name))
        .map(|name| name.text.to_string())
        .collect()
}

fn written(document: &Document, request: &Request) -> Result<FunctionData, Mistake> {
    let tree = parser::parse(&request.expression)?;
    // Each operator and call becomes a node at least, and there is a name or number beside each.
    if tree.expressions.len() > 2 * MOST_NODES {
        let message = format!(
            "the expression has more parts than the {MOST_NODES} nodes that a function may have"
        );
        return Err(Mistake::new(Code::TooLarge, 0, message)
            .hint("divide it into functions that call each other"));
    }
    let callees = Callees::new(document);
    let arguments = match &request.arguments {
        Some(given) => given.clone(),
        None => arguments::arguments(&tree, &callees),
    };
    for (what, ports) in [
        ("argument", Some(&arguments)),
        ("output", request.outputs.as_ref()),
    ] {
        unique(what, ports.map_or(&[], Vec::as_slice))?;
    }
    few("arguments", arguments.len())?;
    let (draft, outputs) = check::check(&tree, &arguments, &callees)?;
    few("outputs", outputs.len())?;
    let end = request.expression.trim_end().len();
    let outputs = match &request.outputs {
        None => named(outputs, end)?,
        Some(wanted) => wanted_outputs(outputs, wanted, end)?,
    };
    Ok(write::function(&draft, &request.name, arguments, outputs))
}

fn few(what: &str, count: usize) -> Result<(), Mistake> {
    if count > MOST_PORTS {
        let message = format!("the function has {count} {what}, the most are {MOST_PORTS}");
        return Err(Mistake::new(Code::TooLarge, 0, message)
            .hint("divide it into functions that call each other"));
    }
    Ok(())
}

fn unique(what: &str, ports: &[PortSpec]) -> Result<(), Mistake> {
    let mut seen = HashSet::new();
    match ports.iter().find(|port| !seen.insert(&port.name)) {
        Some(port) => {
            let message = format!("two {what}s are called '{}'", port.name);
            Err(Mistake::new(Code::DuplicateName, 0, message))
        }
        None => Ok(()),
    }
}

/// The name of an output that the text does not name.
fn default_output(ty: Type) -> &'static str {
    match ty {
        Type::Float => "shape",
        Type::Float3 | Type::Matrix4x4 | Type::Integer | Type::String | Type::ResourceId => {
            "result"
        }
    }
}

/// The outputs by their names in the text.
fn named(outputs: Vec<Output>, end: usize) -> Result<Vec<(String, Operand)>, Mistake> {
    match &outputs[..] {
        [] => {
            let message = "the expression gives no output";
            return Err(Mistake::new(Code::WrongOutputs, end, message)
                .hint("end with a value, as in let a = 2; a*x"));
        }
        [_] => {}
        several => {
            if let Some(output) = several.iter().find(|output| output.name.is_none()) {
                let message = "of several outputs each has a name";
                return Err(Mistake::new(Code::WrongOutputs, output.at, message).hint(
                    "write shape = ...; color = ..., or let a = ...; for what is no output",
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

/// The outputs as they were asked for, if the text has them.
fn wanted_outputs(
    mut outputs: Vec<Output>,
    wanted: &[PortSpec],
    end: usize,
) -> Result<Vec<(String, Operand)>, Mistake> {
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
        Mistake::new(Code::WrongOutputs, at, message)
            .hint(format!("the outputs wanted are {names}"))
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
        Some((name, (_, at))) => Err(wrong(at, format!("the output '{name}' is not wanted"))),
        None => Ok(ordered),
    }
}

#[cfg(test)]
mod tests {
    use super::drawn::{check, drawn, project};
    use super::*;

    #[test]
    fn a_bare_constant_is_a_literal_of_the_end() {
        check("0", "0 End(shape=0.0)");
        check("-0", "0 End(shape=-0.0)");
        check("-pi", "0 End(shape=-3.141592653589793)");
        check("vec3(1, 2, -3)", "0 End(result=[1.0,2.0,-3.0])");
        check("-vec3(1, 2, 3)", "0 End(result=[-1.0,-2.0,-3.0])");
        check("vec3(1, 2, 3).y", "0 End(shape=2.0)");
        check("let a = 1; let b = a; b", "0 End(shape=1.0)");
        check(
            "color = vec3(1, 0, 0); shape = a",
            "0 End(color=[1.0,0.0,0.0], shape=1.a); 1 Begin()",
        );
    }

    type Ports = Option<Vec<PortSpec>>;

    #[test]
    fn what_is_asked_for_is_checked() {
        let float = |name: &str| PortSpec::new(name, Type::Float);
        let vector = |name: &str| PortSpec::new(name, Type::Float3);
        let cases: [(&str, Ports, Ports, &str); 12] = [
            ("x + y", Some(vec![float("x"), float("y")]), None, "ok"),
            ("x + y", Some(vec![vector("pos"), float("r")]), None, "ok"),
            (
                "x + y",
                Some(vec![float("x")]),
                None,
                "'y' is not defined; the only argument is x\n  x + y\n      ^",
            ),
            (
                "radus",
                Some(vec![float("radius")]),
                None,
                "'radus' is not defined; did you mean radius?\n  radus\n  ^",
            ),
            ("sin", Some(vec![float("sin")]), None, "ok"),
            ("e", Some(vec![float("e")]), None, "ok"),
            ("pos", None, Some(vec![vector("moved")]), "ok"),
            (
                "b = 1; a = 2",
                None,
                Some(vec![float("a"), float("b")]),
                "ok",
            ),
            (
                "pos",
                None,
                Some(vec![float("shape")]),
                "the output 'shape' takes a float, but gets a float3; take one component, as in v.x, or length(v)\n  pos\n  ^",
            ),
            (
                "a = 1; b = 2",
                None,
                Some(vec![float("a")]),
                "the output 'b' is not wanted; the outputs wanted are a\n  a = 1; b = 2\n         ^",
            ),
            (
                "a = 1",
                None,
                Some(vec![float("a"), float("b")]),
                "the output 'b' is missing; the outputs wanted are a and b\n  a = 1\n       ^",
            ),
            (
                "a",
                Some(vec![float("a"), float("a")]),
                None,
                "two arguments are called 'a'\n  a\n  ^",
            ),
        ];
        for (text, arguments, outputs, expected) in cases {
            let request = Request {
                name: "f".to_owned(),
                expression: text.to_owned(),
                arguments: arguments.clone(),
                outputs: outputs.clone(),
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

    fn code_of(text: &str) -> Code {
        let request = Request {
            name: "f".to_owned(),
            expression: text.to_owned(),
            ..Request::default()
        };
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
            assert!(drawn(&nested(open, "x", close, 450)).contains("Begin"));
            assert_eq!(
                code_of(&nested(open, "x", close, 100_000)),
                Code::TooDeep,
                "{open}"
            );
        }
        assert_eq!(code_of(&"x".repeat(10_000_000)), Code::TooLarge);
        assert_eq!(code_of(&"(".repeat(1_000_000)), Code::TooDeep);
        let many = |form: fn(usize) -> String| (0..=MOST_PORTS).map(form).collect::<String>();
        assert_eq!(code_of(&(many(|i| format!("a{i}+")) + "1")), Code::TooLarge);
        assert_eq!(code_of(&many(|i| format!("o{i} = a;"))), Code::TooLarge);
        assert_eq!(code_of(&"-".repeat(1_000_000)), Code::Syntax);
        assert_eq!(
            code_of(&"x".repeat(1_000_000).replace("xx", "f(")),
            Code::TooDeep
        );
    }

    /// Reading, building, printing and reading again; with a limit on the stack these would end the process.
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
