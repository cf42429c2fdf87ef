//! Semantic analysis of calls: of node kinds, of functions of the project, and of built-in compositions of nodes.

use std::sync::Arc;

use fibula_nodes::{FunctionType, KindInfo, ResourceId, Type, Value, catalogue, names};

use super::ast::{CallArgument, ExpressionIndex, ExpressionKind, Name};
use super::builder::{Operand, OperandMismatch};
use super::callee::{Callee, LookupError, follows_function};
use super::check::{Checker, Resolution, list, wrong_type};
use super::composition::Composition;
use super::error::{Diagnostic, ErrorCode};
use super::polygon::polygon;
use super::sweep::sweep_polyline;
use crate::graph::FunctionId;

/// Resolves a call of `name` at the offset `at`.
pub(super) fn call(
    check: &mut Checker<'_, '_>,
    name: &Name<'_>,
    arguments: &[CallArgument<'_>],
    at: usize,
) -> Result<Resolution, Diagnostic> {
    let callee = check.symbols.resolve_call(name);
    match callee.map_err(|reason| not_found(check, name, reason, at))? {
        Callee::Polygon(format) => {
            let composition = Composition::new(check, &name.text, at);
            polygon(composition, format, arguments).map(Resolution::Value)
        }
        Callee::SweepPolyline => {
            let composition = Composition::new(check, &name.text, at);
            sweep_polyline(composition, arguments).map(Resolution::Value)
        }
        Callee::BuiltIn(built_in) => {
            let parameters = built_in.parameters().iter();
            let parameters: Vec<_> = parameters
                .map(|name| CallParameter::required(name))
                .collect();
            let places = places(&name.text, &parameters, arguments, at)?;
            let mut values = Vec::with_capacity(parameters.len());
            for place in 0..parameters.len() {
                let argument = places.iter().position(|&other| other == place);
                let argument = argument.expect("a parameter without a default has an argument");
                values.push(check.value(arguments[argument].value)?);
            }
            let composition = Composition::new(check, &name.text, at);
            composition.value(built_in, &values).map(Resolution::Value)
        }
        Callee::Kind(about) if follows_function(about) => {
            let Some((function, arguments)) = arguments.split_first() else {
                let takes = ["function", "its arguments"].map(CallParameter::required);
                return Err(wrong_count(&name.text, &takes, 0, at));
            };
            if function.name.is_some() {
                let message = format!(
                    "the first argument of {} is the function, without a name",
                    name.text
                );
                return Err(ErrorCode::WrongArguments.error(function.at, message));
            }
            let (id, ty) = function_of(check, function.value)?;
            node(check, about, Some((id, &ty)), &name.text, arguments, at)
        }
        Callee::Kind(about) => node(check, about, None, &name.text, arguments, at),
        Callee::Function(id, ty) => {
            let about = catalogue::kind("FunctionCall").expect("a kind of the catalogue");
            node(check, about, Some((id, &ty)), &name.text, arguments, at)
        }
    }
}

/// Resolves a call that is one node. If its kind refers to a function, `arguments` are those after the function.
fn node(
    check: &mut Checker<'_, '_>,
    about: &'static KindInfo,
    callee: Option<(FunctionId, &FunctionType)>,
    name: &str,
    arguments: &[CallArgument<'_>],
    at: usize,
) -> Result<Resolution, Diagnostic> {
    let shape = check.builder.shape(about, callee);
    let signature = Arc::clone(&check.builder.shapes[shape].signature);
    let rules = &signature.overloads;
    let before = usize::from(callee.is_some());
    let parameters = signature.parameters[before..]
        .iter()
        .map(|parameter| CallParameter {
            name: &parameter.name,
            is_optional: parameter.default.is_some(),
        });
    let places = places(name, &parameters.collect::<Vec<_>>(), arguments, at)?;
    let mut operands: Vec<Option<Operand>> = vec![None; signature.parameters.len()];
    let mut argument_of = vec![at; signature.parameters.len()];
    if let Some((id, _)) = callee {
        operands[0] = Some(check.builder.constant(Value::ResourceId(id.into())));
    }
    for (place, argument) in places.into_iter().zip(arguments) {
        let (place, argument) = (before + place, argument.value);
        let takes = match &rules[..] {
            [only] => Some(only.inputs[place]),
            _ => None,
        };
        let operand = literal(check, argument, takes)?;
        let at = check.tree.expressions[argument].at;
        let parameter = &signature.parameters[place];
        if let (Some(value), Some(details)) =
            (check.builder.constant_of(operand), &parameter.details)
            && let Some(violation) = details.violation(value)
        {
            let message = format!("{name}.{}: {violation}", parameter.name);
            return Err(ErrorCode::WrongArguments.error(at, message));
        }
        operands[place] = Some(operand);
        argument_of[place] = at;
    }
    let node = check.builder.node(shape, &operands).map_err(|mismatch| {
        let what = |index: usize| format!("{name}.{}", signature.parameters[index].name);
        match mismatch {
            OperandMismatch::Parameter(index, takes) => {
                let gets = operands[index].expect("what does not fit is there").ty;
                wrong_type(&what(index), takes, gets, argument_of[index])
            }
            OperandMismatch::Mixed(first, other) => {
                let message =
                    format!("{name} takes values of one type, but got a {first} and a {other}");
                ErrorCode::TypeMismatch.error(at, message)
            }
        }
    })?;
    Ok(Resolution::Call(node))
}

/// A parameter of a callable.
pub(super) struct CallParameter<'a> {
    pub(super) name: &'a str,
    /// True if it has a default.
    pub(super) is_optional: bool,
}

impl<'a> CallParameter<'a> {
    fn required(name: &'a str) -> Self {
        CallParameter {
            name,
            is_optional: false,
        }
    }
}

/// Index of the parameter of each argument. Arguments without names are the first parameters, or, if no argument has a
/// name, all that have no default.
pub(super) fn places(
    name: &str,
    parameters: &[CallParameter<'_>],
    arguments: &[CallArgument<'_>],
    at: usize,
) -> Result<Vec<usize>, Diagnostic> {
    let unnamed = arguments
        .iter()
        .take_while(|argument| argument.name.is_none())
        .count();
    let required = || (0..parameters.len()).filter(|&place| !parameters[place].is_optional);
    if unnamed == arguments.len() && unnamed < parameters.len() && required().count() == unnamed {
        return Ok(required().collect());
    }
    if arguments.len() > parameters.len() {
        return Err(wrong_count(name, parameters, arguments.len(), at));
    }
    let mut places: Vec<usize> = (0..unnamed).collect();
    for argument in &arguments[unnamed..] {
        let wrong = |message| ErrorCode::WrongArguments.error(argument.at, message);
        let Some(wanted) = argument.name.as_ref().map(|name| &*name.text) else {
            let message = "an argument without a name follows one with a name".to_owned();
            return Err(wrong(message).hint("name it too, or put it first"));
        };
        let names = || parameters.iter().map(|parameter| parameter.name);
        let place = names::find(wanted, names().enumerate()).map_err(|unknown| {
            let are = format!("its arguments are {}", list(names()));
            wrong(format!("{name} has no argument '{wanted}'"))
                .nearest(&unknown.nearest)
                .or_hint(Some(are))
        })?;
        if places.contains(&place) {
            let message = format!("{name} gets two values for '{wanted}'");
            return Err(wrong(message).hint("leave one out"));
        }
        places.push(place);
    }
    let missing = required().filter(|place| !places.contains(place));
    let missing: Vec<&str> = missing.map(|place| parameters[place].name).collect();
    match missing[..] {
        [] => Ok(places),
        _ if unnamed == arguments.len() => Err(wrong_count(name, parameters, arguments.len(), at)),
        [first, ..] => {
            let message = format!("{name} gets no value for {}", list(missing.iter().copied()));
            Err(ErrorCode::WrongArguments
                .error(at, message)
                .hint(format!("add {first} = ...")))
        }
    }
}

/// Value of an argument; float constants convert to integers and resource ids.
fn literal(
    check: &mut Checker<'_, '_>,
    argument: ExpressionIndex,
    takes: Option<Type>,
) -> Result<Operand, Diagnostic> {
    /// Limit of exactly represented integers, 2^53.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if takes == Some(Type::ResourceId) && check.is_unknown(argument) {
        let (id, _) = function_of(check, argument)?;
        return Ok(check.builder.constant(Value::ResourceId(id.into())));
    }
    let value = check.value(argument)?;
    let whole = match check.builder.constant_of(value) {
        Some(&Value::Float(number)) if number.fract() == 0.0 && number.abs() <= EXACT => number,
        Some(_) | None => return Ok(value),
    };
    let converted = match takes {
        Some(Type::Integer) => Value::Integer(whole as i64),
        Some(Type::ResourceId) if (0.0..=f64::from(u32::MAX)).contains(&whole) => {
            Value::ResourceId(ResourceId(whole as u32))
        }
        Some(_) | None => return Ok(value),
    };
    Ok(check.builder.constant(converted))
}

/// Function that an argument names, by name or id.
fn function_of(
    check: &Checker<'_, '_>,
    argument: ExpressionIndex,
) -> Result<(FunctionId, Arc<FunctionType>), Diagnostic> {
    let expression = &check.tree.expressions[argument];
    let at = expression.at;
    let (found, shown) = match &expression.kind {
        ExpressionKind::Name(name) if check.is_unknown(argument) => {
            let found = check.symbols.function_named(&name.text);
            (found, format!("'{}'", name.text))
        }
        ExpressionKind::Text(text) => {
            let found = check.symbols.function_named(text);
            (found, "the text".to_owned())
        }
        ExpressionKind::Number(number)
            if number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(number) =>
        {
            let found = check.symbols.function(FunctionId(*number as u32));
            let found = found.ok_or(LookupError::Unknown(Vec::new()));
            (found, number.to_string())
        }
        ExpressionKind::Name(_)
        | ExpressionKind::Number(_)
        | ExpressionKind::Negation(_)
        | ExpressionKind::Binary(..)
        | ExpressionKind::Less(..)
        | ExpressionKind::Conditional(..)
        | ExpressionKind::Call(..)
        | ExpressionKind::Member(..) => {
            let message = "the first argument must be a function of the project";
            let diagnostic = ErrorCode::TypeMismatch.error(at, message);
            return Err(diagnostic.hint("give its name or its id"));
        }
    };
    match found {
        Ok(Callee::Function(id, ty)) => Ok((id, ty)),
        Ok(Callee::BuiltIn(_) | Callee::Polygon(_) | Callee::SweepPolyline | Callee::Kind(_)) => {
            unreachable!("only functions were looked up")
        }
        Err(LookupError::Unknown(near)) => {
            let message = format!("unknown function {shown}");
            Err(ErrorCode::UnknownFunctionName
                .error(at, message)
                .nearest(&near))
        }
        Err(LookupError::Ambiguous(ids)) => Err(ambiguous(&shown, &ids, at)),
    }
}

fn not_found(
    check: &Checker<'_, '_>,
    name: &Name<'_>,
    reason: LookupError,
    at: usize,
) -> Diagnostic {
    let text = &name.text;
    match reason {
        LookupError::Unknown(_) if check.is_value(name) => {
            let message = format!("'{text}' is a value, not a function");
            ErrorCode::UnknownFunctionName
                .error(at, message)
                .hint(format!("to multiply, write {text}*(...)"))
        }
        LookupError::Unknown(near) => {
            let message = format!("unknown function '{text}'");
            ErrorCode::UnknownFunctionName
                .error(at, message)
                .nearest(&near)
        }
        LookupError::Ambiguous(ids) => ambiguous(&format!("'{text}'"), &ids, at),
    }
}

fn ambiguous(name: &str, ids: &[FunctionId], at: usize) -> Diagnostic {
    let all: Vec<String> = ids.iter().take(5).map(ToString::to_string).collect();
    let message = format!(
        "{name} is ambiguous: it names {} functions: {}",
        ids.len(),
        all.join(", ")
    );
    ErrorCode::UnknownFunctionName
        .error(at, message)
        .hint(format!("use the id, as in call({}, ...)", all[0]))
}

fn wrong_count(name: &str, takes: &[CallParameter<'_>], gets: usize, at: usize) -> Diagnostic {
    let shown = takes.iter().map(|parameter| {
        if parameter.is_optional {
            format!("[{}]", parameter.name)
        } else {
            parameter.name.to_owned()
        }
    });
    let shown = shown.collect::<Vec<_>>().join(", ");
    let message = match takes.len() {
        0 => format!("{name} takes no arguments, but got {gets}"),
        1 => format!("{name} takes one argument, {shown}, but got {gets}"),
        count => format!("{name} takes {count} arguments, {shown}, but got {gets}"),
    };
    ErrorCode::WrongArguments.error(at, message)
}
