//! Calls: of node kinds, of the project's functions, and of compositions of several nodes.

use std::sync::Arc;

use fibula_nodes::{
    FunctionType, KindInfo, Parameter, ResourceId, Signature, Type, Value, catalogue,
};

use super::callee::{BuiltIn, Callee, NotFound, follows_function};
use super::check::{Check, Meaning, wrong_type};
use super::draft::{Misfit, Operand};
use super::error::{Code, Mistake};
use super::tree::{Form, Name, Place};
use crate::graph::FunctionId;

/// What a call of `name` means; `at` is where the name stands.
pub(super) fn call(
    check: &mut Check<'_, '_>,
    name: &Name<'_>,
    arguments: &[Place],
    at: usize,
) -> Result<Meaning, Mistake> {
    let callee = check.callees.called(name);
    match callee.map_err(|reason| not_found(check, name, reason, at))? {
        Callee::BuiltIn(built_in) => {
            let parameters = built_in.parameters();
            if arguments.len() != parameters.len() {
                let takes = parameters.iter().map(|name| (*name).to_owned());
                return Err(wrong_count(
                    &name.text,
                    &takes.collect::<Vec<_>>(),
                    arguments.len(),
                    at,
                ));
            }
            let values = arguments.iter().map(|&argument| check.value(argument));
            let values = values.collect::<Result<Vec<_>, _>>()?;
            let composition = Composition {
                check,
                name: &name.text,
                at,
            };
            composition.value(built_in, &values).map(Meaning::Value)
        }
        Callee::Kind(about) if follows_function(about) => {
            let Some((&function, arguments)) = arguments.split_first() else {
                let takes = ["function".to_owned(), "its arguments".to_owned()];
                return Err(wrong_count(&name.text, &takes, 0, at));
            };
            let (id, ty) = function_of(check, function)?;
            node(check, about, Some((id, &ty)), &name.text, arguments, at)
        }
        Callee::Kind(about) => node(check, about, None, &name.text, arguments, at),
        Callee::Function(id, ty) => {
            let about = catalogue::kind("FunctionCall").expect("a kind of the catalogue");
            node(check, about, Some((id, &ty)), &name.text, arguments, at)
        }
    }
}

/// A call that is one node. Of a kind that refers to a function, `arguments` are those after the function.
fn node(
    check: &mut Check<'_, '_>,
    about: &'static KindInfo,
    callee: Option<(FunctionId, &FunctionType)>,
    name: &str,
    arguments: &[Place],
    at: usize,
) -> Result<Meaning, Mistake> {
    let shape = check.draft.shape(about, callee);
    let signature = Arc::clone(&check.draft.shapes[shape].signature);
    let rules = &signature.overloads;
    let before = usize::from(callee.is_some());
    let places = places(&signature, before, arguments.len()).ok_or_else(|| {
        let takes: Vec<String> = signature.parameters[before..].iter().map(shown).collect();
        wrong_count(name, &takes, arguments.len(), at)
    })?;
    let mut operands: Vec<Option<Operand>> = vec![None; signature.parameters.len()];
    let mut argument_of = vec![at; signature.parameters.len()];
    if let Some((id, _)) = callee {
        operands[0] = Some(check.draft.constant(Value::ResourceId(id.into())));
    }
    for (&place, &argument) in places.iter().zip(arguments) {
        let takes = match &rules[..] {
            [only] => Some(only.inputs[place]),
            _ => None,
        };
        operands[place] = Some(literal(check, argument, takes)?);
        argument_of[place] = check.tree.expressions[argument].at;
    }
    let node = check.draft.node(shape, &operands).map_err(|misfit| {
        let what = |index: usize| format!("{name}.{}", signature.parameters[index].name);
        match misfit {
            Misfit::Parameter(index, takes) => {
                let gets = operands[index].expect("what does not fit is there").ty;
                wrong_type(&what(index), takes, gets, argument_of[index])
            }
            Misfit::Mixed(first, other) => {
                let message =
                    format!("{name} takes values of one type, but gets a {first} and a {other}");
                Mistake::new(Code::TypeMismatch, at, message)
            }
        }
    })?;
    Ok(Meaning::Call(node))
}

/// Which parameters so many arguments are for: the first ones, or all that have no default.
fn places(signature: &Signature, before: usize, count: usize) -> Option<Vec<usize>> {
    let parameters = &signature.parameters;
    let last = before + count;
    if last <= parameters.len() && parameters[last..].iter().all(|p| p.default.is_some()) {
        return Some((before..last).collect());
    }
    let needed = (before..parameters.len()).filter(|&place| parameters[place].default.is_none());
    let needed: Vec<usize> = needed.collect();
    (needed.len() == count).then_some(needed)
}

/// An argument's value; a number where a whole number or a resource is taken is one.
fn literal(
    check: &mut Check<'_, '_>,
    argument: Place,
    takes: Option<Type>,
) -> Result<Operand, Mistake> {
    /// Above this a float no longer tells whole numbers apart.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if takes == Some(Type::ResourceId) && check.is_unknown(argument) {
        let (id, _) = function_of(check, argument)?;
        return Ok(check.draft.constant(Value::ResourceId(id.into())));
    }
    let value = check.value(argument)?;
    let whole = match check.draft.constant_of(value) {
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
    Ok(check.draft.constant(converted))
}

/// The function that an argument refers to, by its name or its id.
fn function_of(
    check: &Check<'_, '_>,
    argument: Place,
) -> Result<(FunctionId, Arc<FunctionType>), Mistake> {
    let expression = &check.tree.expressions[argument];
    let at = expression.at;
    let found = match &expression.form {
        Form::Name(name) if check.is_unknown(argument) => check.callees.function_named(&name.text),
        Form::Text(text) => check.callees.function_named(text),
        Form::Number(number)
            if number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(number) =>
        {
            let found = check.callees.function(FunctionId(*number as u32));
            found.ok_or(NotFound::Unknown(Vec::new()))
        }
        Form::Name(_)
        | Form::Number(_)
        | Form::Negative(_)
        | Form::Binary(..)
        | Form::Less(..)
        | Form::Choice(..)
        | Form::Call(..)
        | Form::Member(..) => {
            let message = "the first argument here is a function of the project";
            return Err(
                Mistake::new(Code::TypeMismatch, at, message).hint("write its name or its id")
            );
        }
    };
    let shown = || match &expression.form {
        Form::Name(name) => format!("'{}'", name.text),
        Form::Number(number) => number.to_string(),
        Form::Text(_)
        | Form::Negative(_)
        | Form::Binary(..)
        | Form::Less(..)
        | Form::Choice(..)
        | Form::Call(..)
        | Form::Member(..) => "the text".to_owned(),
    };
    match found {
        Ok(Callee::Function(id, ty)) => Ok((id, ty)),
        Ok(Callee::BuiltIn(_) | Callee::Kind(_)) => unreachable!("only functions were looked up"),
        Err(NotFound::Unknown(near)) => {
            let message = format!("{} is no function of the project", shown());
            Err(Mistake::new(Code::UnknownFunctionName, at, message).nearest(&near))
        }
        Err(NotFound::Ambiguous(ids)) => Err(ambiguous(&shown(), &ids, at)),
    }
}

fn not_found(check: &Check<'_, '_>, name: &Name<'_>, reason: NotFound, at: usize) -> Mistake {
    let text = &name.text;
    match reason {
        NotFound::Unknown(_) if check.is_value(name) => {
            let message = format!("'{text}' is a value, not a function");
            Mistake::new(Code::UnknownFunctionName, at, message)
                .hint(format!("to multiply, write {text}*(...)"))
        }
        NotFound::Unknown(near) => {
            let message = format!("there is no function '{text}'");
            Mistake::new(Code::UnknownFunctionName, at, message).nearest(&near)
        }
        NotFound::Ambiguous(ids) => ambiguous(&format!("'{text}'"), &ids, at),
    }
}

fn ambiguous(name: &str, ids: &[FunctionId], at: usize) -> Mistake {
    let all: Vec<String> = ids.iter().take(5).map(ToString::to_string).collect();
    let message = format!(
        "{name} is the name of {} functions: {}",
        ids.len(),
        all.join(", ")
    );
    Mistake::new(Code::UnknownFunctionName, at, message)
        .hint(format!("say which, as in call({}, ...)", all[0]))
}

fn shown(parameter: &Parameter) -> String {
    if parameter.default.is_some() {
        format!("[{}]", parameter.name)
    } else {
        parameter.name.to_string()
    }
}

fn wrong_count(name: &str, takes: &[String], gets: usize, at: usize) -> Mistake {
    let message = match takes {
        [] => format!("{name} takes no arguments, but gets {gets}"),
        [only] => format!("{name} takes one argument, {only}, but gets {gets}"),
        several => {
            let all = several.join(", ");
            format!(
                "{name} takes {} arguments, {all}, but gets {gets}",
                several.len()
            )
        }
    };
    Mistake::new(Code::WrongArguments, at, message)
}

/// A built-in call being written in nodes.
struct Composition<'c, 'a, 't> {
    check: &'c mut Check<'a, 't>,
    name: &'c str,
    at: usize,
}

impl Composition<'_, '_, '_> {
    fn value(mut self, built_in: BuiltIn, values: &[Operand]) -> Result<Operand, Mistake> {
        match built_in {
            BuiltIn::Number => self.of_type(Type::Float, values).map(|()| values[0]),
            BuiltIn::Vector => self.composed(Type::Float3, "ComposeVector", values),
            BuiltIn::Matrix => self.composed(Type::Matrix4x4, "ComposeMatrix", values),
            // v / |v|; it is NaN for a vector of length 0.
            BuiltIn::Normalize => {
                self.of_type(Type::Float3, values)?;
                let length = self.apply("Length", &[values[0]])?;
                self.apply("Division", &[values[0], length])
            }
            // a (1 - t) + b t, exact at both ends.
            BuiltIn::Mix => {
                let &[a, b, t] = values else {
                    unreachable!("three were counted")
                };
                let one = self.check.draft.number(1.0);
                let rest = self.apply("Subtraction", &[one, t])?;
                let from = self.apply("Multiplication", &[a, rest])?;
                let to = self.apply("Multiplication", &[b, t])?;
                self.apply("Addition", &[from, to])
            }
            BuiltIn::Step => {
                let &[edge, x] = values else {
                    unreachable!("two were counted")
                };
                let (zero, one) = (self.check.draft.number(0.0), self.check.draft.number(1.0));
                self.apply("Select", &[x, edge, zero, one])
            }
            // t² (3 - 2t) with t = clamp((x - from) / (to - from), 0, 1).
            BuiltIn::Smoothstep => {
                let &[from, to, x] = values else {
                    unreachable!("three were counted")
                };
                let (zero, one) = (self.check.draft.number(0.0), self.check.draft.number(1.0));
                let (two, three) = (self.check.draft.number(2.0), self.check.draft.number(3.0));
                let (above, range) = (
                    self.apply("Subtraction", &[x, from])?,
                    self.apply("Subtraction", &[to, from])?,
                );
                let ratio = self.apply("Division", &[above, range])?;
                let t = self.apply("Clamp", &[ratio, zero, one])?;
                let square = self.apply("Multiplication", &[t, t])?;
                let twice = self.apply("Multiplication", &[two, t])?;
                let rest = self.apply("Subtraction", &[three, twice])?;
                self.apply("Multiplication", &[square, rest])
            }
        }
    }

    fn apply(&mut self, kind: &str, operands: &[Operand]) -> Result<Operand, Mistake> {
        self.check.apply(kind, self.name, operands, self.at)
    }

    fn of_type(&self, ty: Type, values: &[Operand]) -> Result<(), Mistake> {
        match values.iter().find(|value| value.ty != ty) {
            Some(other) => Err(wrong_type(self.name, ty, other.ty, self.at)),
            None => Ok(()),
        }
    }

    /// A vector or matrix of numbers: a constant if they all are, else a node of the kind.
    fn composed(&mut self, ty: Type, kind: &str, values: &[Operand]) -> Result<Operand, Mistake> {
        self.of_type(Type::Float, values)?;
        let scalar = |value: &Operand| match self.check.draft.constant_of(*value) {
            Some(&Value::Float(number)) => Some(number),
            Some(_) | None => None,
        };
        let scalars: Option<Vec<f64>> = values.iter().map(scalar).collect();
        match scalars {
            Some(scalars) => {
                let constant = Value::from_scalars(ty, &scalars);
                Ok(self
                    .check
                    .draft
                    .constant(constant.expect("the numbers were counted")))
            }
            None => self.apply(kind, values),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::drawn::check;

    #[test]
    fn calls_fill_parameters_in_their_order() {
        check(
            "sphere(pos, 5)",
            "0 End(shape=3.shape); 1 Begin(); 2 ConstantScalar(value=5.0); \
             3 FunctionCall(functionID=1, pos=1.pos, radius=2.value)",
        );
        check(
            "`Two parts`(pos).color.x",
            "0 End(shape=3.x); 1 Begin(); 2 FunctionCall(functionID=2, pos=1.pos); \
             3 DecomposeVector(A=2.color)",
        );
        let kind = "0 End(shape=2.result); 1 Begin(); 2 Length(A=1.pos)";
        for text in [
            "length(pos)",
            "Length(pos)",
            "LENGTH(pos)",
            "length(pos).result",
        ] {
            check(text, kind);
        }
        let called = "0 End(shape=2.shape); 1 Begin(); 2 FunctionCall(functionID=3, pos=1.pos)";
        for text in [
            "`Length`(pos)",
            "call(3, pos)",
            "functioncall(\"Length\", pos)",
        ] {
            check(text, called);
        }
        check(
            "gradient(sphere, pos, a).magnitude",
            "0 End(shape=2.magnitude); 1 Begin(); \
             2 FunctionGradient(functionID=1, pos=1.pos, radius=1.a)",
        );
        check(
            "gradient(Sphere, a, \"shape\", \"\", pos, a).gradient",
            "0 End(result=2.gradient); 1 Begin(); 2 FunctionGradient(functionID=1, pos=1.pos, \
             radius=1.a, scalaroutput=\"shape\", step=1.a, vectorinput=\"\")",
        );
        check(
            "imagesampler(pos, 12, 0).alpha",
            "0 End(shape=2.alpha); 1 Begin(); 2 ImageSampler(filter=0, resourceid=12, uvw=1.pos)",
        );
        check(
            "composevector(1, 2, a)",
            "0 End(result=4.result); 1 Begin(); 2 ConstantScalar(value=1.0); \
             3 ConstantScalar(value=2.0); 4 ComposeVector(x=2.value, y=3.value, z=1.a)",
        );
        check(
            "constvec(1, 2, 3) + constant(a)",
            "0 End(result=4.result); 1 Begin(); 2 VectorFromScalar(A=1.a); \
             3 ConstantVector(x=1.0, y=2.0, z=3.0); \
             4 Addition(A=3.vector, B=2.result)",
        );
    }

    #[test]
    fn mistakes_are_shown_in_their_place() {
        check(
            "clamp(a, 0)",
            "clamp takes 3 arguments, A, min, max, but gets 2\n  clamp(a, 0)\n  ^",
        );
        check(
            "sin()",
            "sin takes one argument, A, but gets 0\n  sin()\n  ^",
        );
        check(
            "Sphere(pos)",
            "Sphere takes 2 arguments, pos, radius, but gets 1\n  Sphere(pos)\n  ^",
        );
        check(
            "length(5)",
            "length.A takes a float3, but gets a float; write vec3(x, y, z), or splat(a) for equal components\n  length(5)\n         ^",
        );
        check(
            "1 + sin(dot(pos, 2))",
            "dot.B takes a float3, but gets a float; write vec3(x, y, z), or splat(a) for equal components\n  1 + sin(dot(pos, 2))\n                   ^",
        );
        check(
            "transpose(2*inverse(3))",
            "inverse.A takes a matrix4x4, but gets a float; write mat4(16 numbers, row by row)\n  transpose(2*inverse(3))\n                      ^",
        );
        check(
            "sin(\"a\")",
            "sin.A takes a float, but gets a string\n  sin(\"a\")\n      ^",
        );
        check(
            "mesh(1.5, pos)",
            "mesh.mesh takes a resource_id, but gets a float; write the id of a resource, a whole number\n  mesh(1.5, pos)\n       ^",
        );
        check(
            "lenth(pos)",
            "there is no function 'lenth'; did you mean Length or length?\n  lenth(pos)\n  ^",
        );
        check(
            "let f = a; f(2)",
            "'f' is a value, not a function; to multiply, write f*(...)\n  let f = a; f(2)\n             ^",
        );
        check(
            "twin(pos)",
            "'twin' is the name of 2 functions: 4, 5; say which, as in call(4, ...)\n  twin(pos)\n  ^",
        );
        check(
            "call(99, pos)",
            "99 is no function of the project\n  call(99, pos)\n       ^",
        );
        check(
            "call(pos, pos)",
            "the first argument here is a function of the project; write its name or its id\n  call(pos, pos)\n       ^",
        );
    }
}
