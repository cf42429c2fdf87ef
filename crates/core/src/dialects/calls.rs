//! Translates calls: of functions of the text, of the library, and of other languages.

use std::collections::HashMap;

use fibula_nodes::{Type, catalogue};

use super::notes::Why;
use super::openscad;
use super::synonyms;
use super::translate::{Translator, Ty};
use super::tree::{
    Argument, Expr, Parameter, Result, Statement, UNIT, Untranslatable, binary, call, fold, member,
    name, negative, number, vector,
};
use crate::expression;
use crate::library::{self, LibraryFunction};

/// Names of arguments that say nothing of a single point.
const OPTIONS: [&str; 4] = ["axis", "keepdims", "dtype", "ord"];
/// Names that vectors have in other languages, and `vec3`.
const VECTORS: [&str; 19] = [
    "array",
    "asarray",
    "vector",
    "Vector",
    "Vec3",
    "Vector3",
    "Point",
    "Point3D",
    "tuple",
    "list",
    "make_float3",
    "vec",
    "V",
    "vec2",
    "float2",
    "Vector2",
    "vec4",
    "vec3",
    "float3",
];
/// Most calls of functions of the text within each other.
const MAX_INLINED: usize = 16;
impl Translator<'_> {
    pub(super) fn method(
        &mut self,
        of: &Expr,
        text: &str,
        arguments: &[Argument],
        at: usize,
    ) -> Result<Expr> {
        if self.is_module(of) {
            let mut module = of;
            while let Expr::Member(of, ..) = module {
                module = of;
            }
            if let Expr::Name(module, start) = module {
                let why = module_language(module);
                let dot = if why == Why::Glsl { "::" } else { "." };
                self.notes.add(*start, why, &format!("{module}{dot}{text}"));
            }
            return self.call(text, arguments, at);
        }
        self.notes.add(at, Why::Method, &format!(".{text}(...)"));
        let value = self.lower(of)?;
        let is_shape = self.ty(&value) == Some(Ty::Float) && self.mentions_position(&value);
        let function = match text {
            "subtract" | "sub" | "difference" | "cut" if is_shape => "difference",
            "add" | "union" | "fuse" if is_shape => "union",
            "multiplyScalar" => "multiply",
            "divideScalar" => "divide",
            other => other,
        };
        let first = Argument {
            name: None,
            value: of.clone(),
        };
        let all: Vec<Argument> = std::iter::once(first)
            .chain(arguments.iter().cloned())
            .collect();
        self.call(function, &all, at)
    }

    pub(super) fn call(&mut self, text: &str, arguments: &[Argument], at: usize) -> Result<Expr> {
        if let Some((parameters, body)) = self.definitions.get(text).cloned() {
            return self.call_own(&parameters, &body, arguments);
        }
        if let Some(unit) = text.strip_prefix(UNIT) {
            return self.length(unit, &arguments[0].value);
        }
        if let Some(shape) = self.flat(text, arguments, at)? {
            return Ok(shape);
        }
        let has_point = |argument: &Argument| {
            matches!(argument.value, Expr::Name(..)) && self.is_point(&argument.value)
        };
        if !arguments.iter().any(has_point)
            && let Some(shape) = openscad::shape(self, text, arguments, at)?
        {
            return Ok(shape);
        }
        if let Some(value) = self.form(text, arguments, at)? {
            return Ok(value);
        }
        if let ("cylinder", [Argument { name: None, value }]) = (text, arguments)
            && self.notes.has_bits()
            && !self.is_point(value)
        {
            // Libraries with these operators have cylinders without ends.
            let radius = self.lower(value)?;
            self.notes
                .add(at, Why::Clause, "cylinder takes the point first");
            let [x, y] = ["x", "y"].map(|axis| member(name("pos"), axis));
            let axis = vector([x, y, number(0.0)]);
            return Ok(binary("-", call("length", vec![axis], at), radius));
        }
        let library = self.library(text);
        let is_input = |name: &str| {
            library.is_some_and(|function| function.inputs.iter().any(|input| input.name == name))
        };
        let is_option = |argument: &&Argument| {
            let name = argument.name.as_deref();
            let is_other = |name: &str| OPTIONS.contains(&name) && !is_input(name);
            name.is_some_and(|name| is_other(name) || name.starts_with('$'))
        };
        let needed = arguments.iter().filter(|argument| !is_option(argument));
        let lowered = needed.map(|Argument { name, value }| {
            let (name, value) = (name.clone(), self.lower(value)?);
            Ok(Argument { name, value })
        });
        let mut lowered: Vec<Argument> = lowered.collect::<Result<_>>()?;
        self.raise_flat_box(text, &mut lowered);
        let named = lowered.iter().filter(|argument| argument.name.is_some());
        let named = named.count();
        let plain: Vec<Expr> = lowered
            .iter()
            .map(|argument| argument.value.clone())
            .collect();
        if named == 0
            && let Some(value) = self.several(text, &plain, at)?
        {
            return Ok(value);
        }
        if let Some(function) = library {
            self.notes.has_solids |= text.starts_with(char::is_uppercase);
            return self.library_call(function, lowered, at);
        }
        let is_unknown = self.is_unknown(text);
        if is_unknown || takes_others(text, plain.len()) {
            if let Some(known) = synonyms::same_name(text)
                && (synonyms::is_same(known, text)
                    || library::find(known).is_none()
                    || synonyms::rewrite(text, plain.len()).is_none())
            {
                if matches!(known, "cylinder" | "cone") && !synonyms::is_same(known, text) {
                    // Their order of radius and height, and their axis, differ from library to library.
                    return Err(Untranslatable::Unknown);
                }
                self.notes.add(at, Why::Function, text);
                return self.call(known, arguments, at);
            }
            // The order of several names is not known, of one it is the last.
            if named <= 1
                && let Some((parameters, body)) = synonyms::rewrite(text, plain.len())
            {
                if is_unknown {
                    self.notes.add(at, Why::Function, text);
                } else {
                    let other = format!("{text} does not take {} arguments", plain.len());
                    self.notes.add(at, Why::Clause, &other);
                }
                let values = parameters.into_iter().zip(plain).collect();
                return self.inline(values, &[Statement::Return(body)]);
            }
        }
        if named > 0 {
            Err(Untranslatable::Unknown)
        } else {
            Ok(call(text, plain, at))
        }
    }

    /// Calls whose arguments are no values, or of any number: choices, vectors, conversions, `max` of a list.
    fn form(&mut self, text: &str, arguments: &[Argument], at: usize) -> Result<Option<Expr>> {
        let plain: Vec<&Expr> = arguments
            .iter()
            .filter(|argument| argument.name.is_none())
            .map(|argument| &argument.value)
            .collect();
        let is_unknown = self.is_unknown(text);
        match (text, &plain[..]) {
            ("where", [condition, then, otherwise]) if arguments.len() == 3 => {
                self.notes.add(at, Why::Function, text);
                let (then, otherwise) = (self.lower(then)?, self.lower(otherwise)?);
                self.choose(condition, then, otherwise).map(Some)
            }
            (_, values) if VECTORS.contains(&text) && (is_unknown || values.len() != 3) => {
                if is_unknown {
                    self.notes.add(at, Why::Function, text);
                } else {
                    let takes = format!("{text} takes three numbers");
                    self.notes.add(at, Why::Clause, &takes);
                }
                self.vector_of(text, values, at).map(Some)
            }
            (_, [value]) if self.notes.has_scad() && openscad::has_angle(text) => {
                let value = self.lower(value)?;
                Ok(Some(openscad::in_degrees(text, value, at)))
            }
            ("reduce", [Expr::Name(function, _), Expr::List(values, _)]) if is_unknown => {
                self.notes.add(at, Why::Python, text);
                let values = values.iter().map(|value| Argument {
                    name: None,
                    value: value.clone(),
                });
                self.call(function, &values.collect::<Vec<_>>(), at)
                    .map(Some)
            }
            ("len", [Expr::List(values, _)]) => {
                self.notes.add(at, Why::Python, text);
                Ok(Some(number(values.len() as f64)))
            }
            ("mat2", [_, _, _, _]) => {
                self.notes.add(at, Why::Function, text);
                let values = plain.iter().map(|value| {
                    let value = self.lower(value)?;
                    self.atom("m", value)
                });
                let values = values.collect::<Result<Vec<_>>>()?;
                Ok(Some(call("mat2", values, at)))
            }
            ("sum" | "fsum", [Expr::List(values, _)]) if is_unknown => {
                self.sum_of(text, values.iter(), at).map(Some)
            }
            ("sum" | "fsum", [_, _, ..]) if is_unknown => {
                self.sum_of(text, plain.iter().copied(), at).map(Some)
            }
            ("float" | "double" | "float32" | "float64" | "half", [value]) => {
                self.notes.add(at, Why::Function, text);
                self.lower(value).map(Some)
            }
            ("max" | "min" | "maximum" | "minimum", [Expr::List(values, _)]) => {
                self.notes.add(at, Why::List, "[...]");
                let values = values.iter().map(|value| self.lower(value));
                let values = values.collect::<Result<Vec<_>>>()?;
                Ok(Some(fold(&text[..3], values.into_iter(), at)))
            }
            ("max" | "min" | "maximum" | "minimum" | "amax" | "amin", [value])
                if arguments.len() == 1 =>
            {
                let value = self.lower(value)?;
                if self.ty(&value) != Some(Ty::Vector) {
                    return Ok(None);
                }
                let function = if text.contains("max") { "max" } else { "min" };
                let takes = format!("{text} takes two arguments");
                self.notes.add(at, Why::Clause, &takes);
                let value = self.atom("v", value)?;
                let components = ["x", "y", "z"].map(|axis| member(value.clone(), axis));
                Ok(Some(fold(function, components.into_iter(), at)))
            }
            _ => Ok(None),
        }
    }

    /// Calls with more arguments than there are parameters, and operators of points that get shapes.
    fn several(&mut self, text: &str, values: &[Expr], at: usize) -> Result<Option<Expr>> {
        let known = if self.is_unknown(text) {
            synonyms::combination(text)
        } else {
            Some(text)
        };
        let function = match known.unwrap_or(text) {
            "max" | "maximum" | "intersection" | "difference" => "max",
            "min" | "minimum" | "union" => "min",
            smooth @ ("smooth_union" | "smooth_intersection" | "smooth_difference") => {
                return Ok(self.smooth(smooth, values, at));
            }
            _ => {
                return match values {
                    [shape, rest @ ..]
                        if self.ty(shape) == Some(Ty::Float) && self.mentions_position(shape) =>
                    {
                        self.moved(text, shape, rest, at)
                    }
                    _ => Ok(None),
                };
            }
        };
        let [first, rest @ ..] = values else {
            return Ok(None);
        };
        if rest.len() < 2 {
            return Ok(None);
        }
        let takes = format!("{text} takes two arguments");
        self.notes.add(at, Why::Clause, &takes);
        let negate = |value: &Expr| {
            if known == Some("difference") {
                negative(value.clone())
            } else {
                value.clone()
            }
        };
        let all = std::iter::once(first.clone()).chain(rest.iter().map(negate));
        Ok(Some(fold(function, all, at)))
    }

    /// A smooth combination of more than two shapes; the radius is the last value.
    fn smooth(&mut self, function: &str, values: &[Expr], at: usize) -> Option<Expr> {
        let [first, rest @ .., radius] = values else {
            return None;
        };
        if rest.len() < 2 || self.mentions_position(radius) {
            return None;
        }
        let takes = format!("{function} takes two shapes and a radius");
        self.notes.add(at, Why::Clause, &takes);
        let join = |a: Expr, b: &Expr| call(function, vec![a, b.clone(), radius.clone()], at);
        Some(rest.iter().fold(first.clone(), join))
    }

    /// A shape that an operator of points is applied to: the shape at the point that the operator returns.
    pub(super) fn moved(
        &mut self,
        text: &str,
        shape: &Expr,
        rest: &[Expr],
        at: usize,
    ) -> Result<Option<Expr>> {
        let folded = text.to_ascii_lowercase();
        let pos = name("pos");
        let moved = match (folded.as_str(), rest) {
            ("translate" | "move", [x, y, z]) => {
                let by = vector([x.clone(), y.clone(), z.clone()]);
                openscad::moved(self, "translate", shape, by, at)?
            }
            ("translate" | "move", [by]) => {
                openscad::moved(self, "translate", shape, by.clone(), at)?
            }
            ("scale", [by]) => openscad::moved(self, "scale", shape, by.clone(), at)?,
            ("mirror" | "reflect", [by]) => openscad::moved(self, "mirror", shape, by.clone(), at)?,
            _ => {
                let Some(function) = synonyms::same_name(text)
                    .or(Some(text))
                    .and_then(library::find)
                else {
                    return Ok(None);
                };
                let is_operator = function.outputs()[0].ty == Type::Float3
                    && function
                        .inputs
                        .first()
                        .is_some_and(|input| input.name == "pos");
                if !is_operator {
                    return Ok(None);
                }
                let plain = std::iter::once(&pos).chain(rest);
                let arguments: Vec<Argument> = plain
                    .map(|value| Argument {
                        name: None,
                        value: value.clone(),
                    })
                    .collect();
                let point = self.library_call(function, arguments, at)?;
                self.at_point(shape, &point)?
            }
        };
        self.notes.add(
            at,
            Why::Clause,
            &format!("{text} takes the point, not the shape"),
        );
        Ok(Some(moved))
    }

    /// Calls a function that the text defines.
    pub(super) fn call_own(
        &mut self,
        parameters: &[Parameter],
        body: &[Statement],
        arguments: &[Argument],
    ) -> Result<Expr> {
        let is_fineness = |argument: &&Argument| {
            argument
                .name
                .as_deref()
                .is_some_and(|name| name.starts_with('$'))
        };
        if arguments.len() - arguments.iter().filter(is_fineness).count() > parameters.len() {
            return Err(Untranslatable::Unknown);
        }
        let mut values = self.values.clone();
        for (index, parameter) in parameters.iter().enumerate() {
            let named = arguments
                .iter()
                .find(|argument| argument.name.as_ref() == Some(&parameter.name));
            let given = named.or_else(|| {
                arguments
                    .get(index)
                    .filter(|argument| argument.name.is_none())
            });
            let value = given
                .map(|argument| &argument.value)
                .or(parameter.default.as_ref());
            let value = self.lower(value.ok_or(Untranslatable::Unknown)?)?;
            values.insert(parameter.name.clone(), value);
        }
        self.inline(values, body)
    }

    /// Value of the body of a function where names have these values.
    pub(super) fn inline(
        &mut self,
        values: HashMap<String, Expr>,
        body: &[Statement],
    ) -> Result<Expr> {
        if self.inlined == MAX_INLINED {
            return Err(Untranslatable::Unknown);
        }
        for value in values.values() {
            self.spend(value)?;
        }
        self.inlined += 1;
        let outside = std::mem::replace(&mut self.values, values);
        let value = self.block(body)?.ok_or(Untranslatable::Unknown)?;
        self.values = outside;
        self.inlined -= 1;
        Ok(value)
    }

    /// `vec2(a, b)`, `vec3(a)`, `np.array([a, b, c])`.
    pub(super) fn vector_of(&mut self, text: &str, values: &[&Expr], at: usize) -> Result<Expr> {
        if let [Expr::List(values, _)] = values {
            return self.list(values, at);
        }
        let values = values.iter().map(|value| self.lower(value));
        let mut values = values.collect::<Result<Vec<_>>>()?;
        let is_flat = matches!(text, "vec2" | "float2" | "Vector2");
        if let [only] = &values[..] {
            let only = only.clone();
            return match self.ty(&only) {
                Some(Ty::Vector) if is_flat => self.components(only, "xy"),
                Some(Ty::Vector) => Ok(only),
                _ if is_flat => Ok(vector([only.clone(), only, number(0.0)])),
                _ if matches!(only, Expr::Number(_)) => {
                    Ok(vector([only.clone(), only.clone(), only]))
                }
                _ => Ok(call("splat", vec![only], at)),
            };
        }
        if let [first, second] = &values[..] {
            let (first, second) = (first.clone(), second.clone());
            match (self.ty(&first), self.ty(&second)) {
                (Some(Ty::Vector), _) => {
                    let first = self.atom("v", first)?;
                    return Ok(vector([
                        member(first.clone(), "x"),
                        member(first, "y"),
                        second,
                    ]));
                }
                (_, Some(Ty::Vector)) => {
                    let second = self.atom("v", second)?;
                    return Ok(vector([
                        first,
                        member(second.clone(), "x"),
                        member(second, "y"),
                    ]));
                }
                _ => {}
            }
        }
        values.resize(values.len().max(3), number(0.0));
        // The fourth component of a point is 1.
        values.truncate(3);
        Ok(call("vec3", values, at))
    }

    /// A length with a unit, in the unit of the document.
    pub(super) fn length(&mut self, unit: &str, value: &Expr) -> Result<Expr> {
        let metres = match unit {
            "mm" => 1e-3,
            "cm" => 1e-2,
            "um" | "µm" => 1e-6,
            "m" => 1.0,
            "in" | "inch" => 0.0254,
            _ => 0.3048,
        };
        let factor: f64 = metres / self.document.model().info().unit.metres();
        let Expr::Number(text) = value else {
            return Err(Untranslatable::Unknown);
        };
        if (factor - 1.0).abs() < 1e-12 {
            return Ok(value.clone());
        }
        let length: f64 = text.parse().map_err(|_| Untranslatable::Unknown)?;
        // Twelve digits, so that 3 cm are 30 mm and not 30.000000000000004.
        let scaled = format!("{:.11e}", length * factor)
            .parse()
            .map_err(|_| Untranslatable::Unknown)?;
        Ok(number(scaled))
    }

    /// The function of the library that a call means: the document has none of the name, or a copy of it.
    pub(super) fn library(&self, text: &str) -> Option<&'static LibraryFunction> {
        let function = library::find(text)?;
        let same = |own: &str| own.eq_ignore_ascii_case(text);
        let mut own = self.document.functions().filter(|own| same(own.name()));
        let is_copy = own.all(|own| own.inputs() == function.data().inputs);
        is_copy.then_some(function)
    }

    /// True if nothing but perhaps the library has a function of the name.
    pub(super) fn is_unknown(&self, text: &str) -> bool {
        !expression::unknown_calls(self.document, &format!("{text}()")).is_empty()
    }
}

/// True if a kind has the name, but another number of parameters.
fn takes_others(text: &str, count: usize) -> bool {
    catalogue::kind(text).is_ok_and(|about| about.signature.parameters.len() != count)
}

/// Language of a module or namespace.
pub(super) fn module_language(module: &str) -> Why {
    match module {
        "Math" | "THREE" => Why::JavaScript,
        "glm" | "std" => Why::Glsl,
        _ => Why::Python,
    }
}
