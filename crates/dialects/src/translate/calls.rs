//! Translates calls: of functions of the text, of the library, and of other languages.

use fibula_core::expression;
use fibula_core::library::{self, Group, LibraryFunction};
use fibula_nodes::catalogue;

use super::arguments;
use super::openscad;
use super::placement;
use super::reductions::folded;
use super::vectors;
use super::{Translator, Ty};
use crate::infinity;
use crate::notes::Why;
use crate::synonyms;
use crate::tree::{
    APPLY, Argument, Expr, Result, Statement, UNIT, Untranslatable, binary, call, fold, member,
    name, negative, number, vector,
};

/// Names of arguments that say nothing of a single point.
pub(super) const OPTIONS: [&str; 3] = ["axis", "keepdims", "dtype"];

/// Methods of JavaScript that change their vector.
const CHANGES: [&str; 21] = [
    "add",
    "addScalar",
    "addScaledVector",
    "sub",
    "subScalar",
    "mult",
    "multiply",
    "multiplyScalar",
    "div",
    "divide",
    "divideScalar",
    "negate",
    "normalize",
    "min",
    "max",
    "clamp",
    "floor",
    "round",
    "cross",
    "lerp",
    "reflect",
];
impl Translator<'_> {
    pub(super) fn method(
        &mut self,
        of: &Expr,
        text: &str,
        arguments: &[Argument],
        at: usize,
    ) -> Result<Expr> {
        if let Some(value) = self.record_method(of, text, arguments, at)? {
            return Ok(value);
        }
        if let (Expr::Lambda(parameters, body), APPLY) = (of, text) {
            let function = self.definition(parameters, body);
            let value = self.run_own(&function, arguments)?;
            return value.ok_or(Untranslatable::Unknown);
        }
        if let ("reduce", Expr::Member(_, function, _)) = (text, of)
            && let [
                Argument {
                    value: Expr::List(values, _),
                    ..
                },
                ..,
            ] = arguments
        {
            self.notes
                .add(at, Why::Python, &format!("{function}.reduce"));
            return self.reduced(&name(function), values.iter(), at);
        }
        if let ("reduce", [function, first @ ..]) = (text, arguments)
            && let Expr::List(values, _) = of
            && first.len() <= 1
        {
            self.notes.add(at, Why::JavaScript, ".reduce");
            let values = first.iter().map(|first| &first.value).chain(values);
            return self.reduced(&function.value, values, at);
        }
        if let Some(solid) = self.solid_method(of, text, arguments, at)? {
            return Ok(solid);
        }
        if self.is_module(of) {
            let mut module = of;
            while let Expr::Member(of, ..) = module {
                module = of;
            }
            if let Expr::Name(module, start) = module {
                let why = module_language(module);
                let dot = if why == Why::Glsl { "::" } else { "." };
                self.notes.add(*start, why, &format!("{module}{dot}{text}"));
                // The remainder of the nearest quotient.
                if text == "remainder"
                    && !matches!(module.as_str(), "np" | "numpy" | "jnp" | "torch")
                {
                    return Err(Untranslatable::Unknown);
                }
            }
            // JavaScript rounds halves upwards.
            if let (Expr::Name(module, _), "round", [argument]) = (module, text, arguments)
                && module == "Math"
            {
                let value = self.lower(&argument.value)?;
                return Ok(call("floor", vec![binary("+", value, number(0.5))], at));
            }
            // No flat shape.
            if let ("square", [argument]) = (text, arguments) {
                return Ok(binary("^", self.lower(&argument.value)?, number(2.0)));
            }
            return self.call(text, arguments, at);
        }
        self.notes.add(at, Why::Method, &format!(".{text}(...)"));
        self.check_field(text, at)?;
        let value = self.lower(of)?;
        if let ("clone" | "copy", []) = (text, arguments) {
            return Ok(value);
        }
        if let ("orient", [axis]) = (text, arguments) {
            return self.oriented(&value, &axis.value);
        }
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
        let result = self.call(function, &all, at)?;
        self.check_objects(&all)?;
        if let Expr::Name(changed, _) = of
            && CHANGES.contains(&text)
            && self.notes.has_javascript()
        {
            self.forget(changed)?;
        }
        Ok(result)
    }

    #[expect(
        clippy::too_many_lines,
        reason = "the order of the meanings of a name is one list"
    )]
    pub(super) fn call(&mut self, text: &str, arguments: &[Argument], at: usize) -> Result<Expr> {
        if let Some(function) = self.defined(text) {
            let value = self.run_own(&function, arguments)?;
            return value.ok_or(Untranslatable::Unknown);
        }
        if let Some(value) = self.record_call(text, arguments, at)? {
            return Ok(value);
        }
        if self.notes.macros.iter().any(|name| name == text) && text != "saturate" {
            return Err(Untranslatable::Construct(
                at,
                "define",
                "macros with parameters are not expanded: write a function, as in float f(float a) { return a * a; }",
            ));
        }
        if let Some(unit) = text.strip_prefix(UNIT) {
            return self.length(unit, &arguments[0].value);
        }
        let is_list = |it: &Argument| matches!(it.value, Expr::List(..));
        if text == "polygon" && arguments.iter().any(is_list) {
            return self.polygon(arguments, at);
        }
        if let Some(arguments) = self.unlisted(text, arguments, at) {
            return self.call(text, &arguments, at);
        }
        if let Some(shape) = self.distance_function(text, arguments, at)? {
            return Ok(shape);
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
        self.check_field(text, at)?;
        if let Some(shape) = self.field_shape(text, arguments, at)? {
            return Ok(shape);
        }
        let library = self.library(text);
        if library.is_some_and(is_measured_otherwise) && text.starts_with(char::is_uppercase) {
            return Err(Untranslatable::Unknown);
        }
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
        if named > 0
            && self.is_distance(&plain[0])
            && let Some(values) = arguments::in_order(text, &lowered)
            && let Some(value) = self.moved(text, &plain[0], &values, at)?
        {
            return Ok(value);
        }
        if named == 0
            && let Some(value) = self.several(text, &plain, at)?
        {
            return Ok(value);
        }
        if let (Some(_), Some(value)) = (library, infinity::folded(text, &lowered)) {
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
                if matches!(known, "cylinder" | "cone" | "circle")
                    && !synonyms::is_same(known, text)
                {
                    // The order of radius and height, and the axis, differ from library to library; a circle has no point.
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
            let mut functions = self.document.functions();
            return if functions.any(|function| function.name() == text) {
                Ok(Expr::Call(text.to_owned(), lowered, at))
            } else {
                Err(Untranslatable::Unknown)
            };
        }
        if let Some(value) = infinity::folded(text, &lowered) {
            return Ok(value);
        }
        if text == "dot"
            && let [a, b] = &plain[..]
            && let Some(product) = self.matrix_product(a, b, at)?
        {
            return Ok(product);
        }
        if let ("transpose", [value]) = (text, &plain[..])
            && let Some(matrix) = Self::transposed_matrix(value, at)
        {
            return Ok(matrix);
        }
        if text == "round" {
            self.notes.rounds.get_or_insert(at);
        }
        Ok(call(text, plain, at))
    }

    /// Calls whose arguments are no values, or of any number: choices, vectors, conversions, `max` of a list.
    #[expect(clippy::too_many_lines, reason = "one arm for each form")]
    fn form(&mut self, text: &str, arguments: &[Argument], at: usize) -> Result<Option<Expr>> {
        let plain: Vec<&Expr> = arguments
            .iter()
            .filter(|argument| argument.name.is_none())
            .map(|argument| &argument.value)
            .collect();
        let is_unknown = self.is_unknown(text);
        let is_option =
            |name: &str| OPTIONS.contains(&name) || name.starts_with('$') || text == "norm";
        let mut names = arguments.iter().filter_map(|it| it.name.as_deref());
        if !names.all(is_option) {
            return Ok(None);
        }
        match (text, &plain[..]) {
            ("select", [otherwise, then, condition]) if self.is_truth(condition) => {
                self.notes.add(at, Why::Function, text);
                let (then, otherwise) = (self.lower(then)?, self.lower(otherwise)?);
                self.choose(condition, then, otherwise).map(Some)
            }
            ("mix", [otherwise, then, condition]) if self.is_truth(condition) => {
                let (then, otherwise) = (self.lower(then)?, self.lower(otherwise)?);
                self.choose(condition, then, otherwise).map(Some)
            }
            ("where", [condition, then, otherwise]) if arguments.len() == 3 => {
                self.notes.add(at, Why::Function, text);
                let (then, otherwise) = (self.lower(then)?, self.lower(otherwise)?);
                self.choose(condition, then, otherwise).map(Some)
            }
            (_, values) if vectors::is_vector(text) && (is_unknown || values.len() != 3) => {
                if is_unknown {
                    self.notes.add(at, Why::Function, text);
                } else {
                    let takes = format!("{text} takes three numbers");
                    self.notes.add(at, Why::Clause, &takes);
                }
                self.vector_of(text, values, at).map(Some)
            }
            (_, [_] | [_, _]) if self.notes.has_scad() && openscad::has_angle(text) => {
                let values: Result<Vec<Expr>> =
                    plain.iter().map(|value| self.lower(value)).collect();
                Ok(Some(openscad::in_degrees(text, values?, at)))
            }
            ("reduce", [function, Expr::List(values, _), first @ ..])
                if is_unknown && first.len() <= 1 =>
            {
                self.notes.add(at, Why::Python, text);
                let values = first.iter().copied().chain(values);
                self.reduced(function, values, at).map(Some)
            }
            ("length", [_, _] | [_, _, _]) => {
                self.notes.add(at, Why::Clause, "length takes a vector");
                let vector = self.vector_of("vec", &plain, at)?;
                Ok(Some(call("length", vec![vector], at)))
            }
            ("|...|", [value]) => {
                let value = self.lower(value)?;
                let is_vector = self.ty(&value) == Some(Ty::Vector);
                Ok(Some(call(
                    if is_vector { "length" } else { "abs" },
                    vec![value],
                    at,
                )))
            }
            ("len", [Expr::List(values, _)]) => {
                self.notes.add(at, Why::Python, text);
                Ok(Some(number(values.len() as f64)))
            }
            ("interp", [value, Expr::List(places, _), Expr::List(values, _)]) if is_unknown => {
                self.interpolated(value, places, values, at).map(Some)
            }
            ("mat2" | "mat3" | "mat2x2" | "mat3x3", values) if is_unknown => {
                self.notes.add(at, Why::Function, text);
                self.matrix_of(text, values, at)
            }
            ("sum" | "fsum", [Expr::List(values, _)]) if is_unknown => {
                self.sum_of(text, values.iter(), at).map(Some)
            }
            ("sum" | "fsum", [value]) if is_unknown => {
                let value = self.lower(value)?;
                if !self.is_flat(&value) {
                    return Ok(None);
                }
                self.notes.add(at, Why::Function, text);
                let value = self.atom("v", value)?;
                let [x, y] = ["x", "y"].map(|axis| member(value.clone(), axis));
                Ok(Some(binary("+", x, y)))
            }
            ("sum" | "fsum", [_, _, ..]) if is_unknown => {
                self.sum_of(text, plain.iter().copied(), at).map(Some)
            }
            ("float" | "Number", [Expr::Text(text)]) => {
                self.notes.add(at, Why::Function, "float");
                infinity::of_text(text)
                    .map(Some)
                    .ok_or(Untranslatable::Unknown)
            }
            ("clip" | "clamp", [value, low, high])
                if arguments.len() == 3
                    && infinity::limits(low, high)
                        != (Some((*low).clone()), Some((*high).clone())) =>
            {
                self.notes.add(at, Why::Function, text);
                let (low, high) = infinity::limits(low, high);
                let mut value = self.lower(value)?;
                for (limit, function) in [(low, "max"), (high, "min")] {
                    if let Some(limit) = limit {
                        value = call(function, vec![value, self.lower(&limit)?], at);
                    }
                }
                Ok(Some(value))
            }
            ("norm", [_] | [_, _]) if is_unknown => self.norm(arguments, at).map(Some),
            (
                "float" | "double" | "float32" | "float64" | "half" | "f32" | "f64" | "Number",
                [value],
            ) => {
                self.notes.add(at, Why::Function, text);
                self.lower(value).map(Some)
            }
            ("max" | "min" | "maximum" | "minimum", [Expr::List(values, _)]) => {
                self.notes.add(at, Why::List, "[...]");
                let values = values.iter().map(|value| self.lower(value));
                let values = values.collect::<Result<Vec<_>>>()?;
                // Of vectors the axis is in doubt.
                if values
                    .iter()
                    .any(|value| self.ty(value) == Some(Ty::Vector))
                {
                    return Err(Untranslatable::Unknown);
                }
                Ok(Some(folded(&text[..3], values, at)))
            }
            ("max" | "min" | "maximum" | "minimum" | "amax" | "amin", [value]) => {
                let value = self.lower(value)?;
                if self.ty(&value) != Some(Ty::Vector) {
                    return Ok(None);
                }
                let function = if text.contains("max") { "max" } else { "min" };
                let takes = format!("{text} takes two arguments");
                self.notes.add(at, Why::Clause, &takes);
                let value = self.atom("v", value)?;
                let axes = self.axes(&value).iter();
                let components = axes.map(|axis| member(value.clone(), axis));
                Ok(Some(fold(function, components, at)))
            }
            _ => Ok(None),
        }
    }

    /// The combination of shapes that a name means, or the name itself.
    pub(super) fn combination<'t>(&self, text: &'t str) -> &'t str {
        if self.is_unknown(text) {
            synonyms::combination(text).unwrap_or(text)
        } else {
            text
        }
    }

    /// Calls with more arguments than there are parameters, and operators of points that get shapes.
    fn several(&mut self, text: &str, values: &[Expr], at: usize) -> Result<Option<Expr>> {
        let known = self.combination(text);
        let function = match known {
            "max" | "maximum" | "intersection" | "difference" => "max",
            "min" | "minimum" | "union" => "min",
            smooth
                if ["smooth_", "fillet_", "chamfer_"]
                    .iter()
                    .any(|kind| smooth.starts_with(kind)) =>
            {
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
            if known == "difference" {
                negative(value.clone())
            } else {
                value.clone()
            }
        };
        let all = std::iter::once(first.clone()).chain(rest.iter().map(negate));
        Ok(Some(fold(function, all, at)))
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
                placement::moved(self, "translate", shape, by, at)?
            }
            ("translate" | "move", [by]) => {
                placement::moved(self, "translate", shape, by.clone(), at)?
            }
            ("scale", [by]) => placement::moved(self, "scale", shape, by.clone(), at)?,
            ("mirror" | "reflect", [by]) => {
                placement::moved(self, "mirror", shape, by.clone(), at)?
            }
            _ => {
                let Some(function) = arguments::operator(text) else {
                    return Ok(None);
                };
                let rest = self.with_radians(&function.name, rest, at)?;
                let plain = std::iter::once(&pos).chain(&rest);
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

/// True for shapes that build123d has under the same name, but with other sizes: a radius for a diameter, another order.
fn is_measured_otherwise(function: &LibraryFunction) -> bool {
    matches!(function.group, Group::Profile | Group::Feature)
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
