//! Functions of a list or of the components of a vector: norms, and `reduce`.

use super::calls::OPTIONS;
use super::scopes::{Definition, Values};
use super::{Translator, Ty};
use crate::infinity;
use crate::notes::Why;
use crate::tree::{
    Argument, Expr, Result, Untranslatable, binary, call, constant_number, fold, literal, member,
    number,
};

/// Functions that combine shapes.
const COMBINATIONS: [&str; 6] = [
    "union",
    "intersection",
    "difference",
    "smooth_union",
    "smooth_intersection",
    "smooth_difference",
];

impl Translator<'_> {
    /// A smooth combination of more than two shapes; the radius is the last value.
    pub(super) fn smooth(&mut self, function: &str, values: &[Expr], at: usize) -> Option<Expr> {
        let [first, rest @ .., radius] = values else {
            return None;
        };
        // A fillet has an angle after its radius.
        let has_angle = !function.starts_with("smooth_") && !self.mentions_position(rest.last()?);
        if rest.len() < 2 || self.mentions_position(radius) || has_angle {
            return None;
        }
        let takes = format!("{function} takes two shapes and a radius");
        self.notes.add(at, Why::Clause, &takes);
        let join = |a: Expr, b: &Expr| call(function, vec![a, b.clone(), radius.clone()], at);
        Some(rest.iter().fold(first.clone(), join))
    }

    /// Linear interpolation between values at increasing places, as by `np.interp`, as a sum of ramps.
    ///
    /// # Errors
    /// If the lists are of different lengths, or places are known and do not increase.
    pub(super) fn interpolated(
        &mut self,
        value: &Expr,
        places: &[Expr],
        values: &[Expr],
        at: usize,
    ) -> Result<Expr> {
        let known = places.iter().map(constant_number);
        let known: Option<Vec<f64>> = known.collect();
        let increases = known.is_none_or(|known| known.is_sorted_by(|a, b| a < b));
        if places.len() != values.len() || !increases {
            return Err(Untranslatable::Unknown);
        }
        self.notes.add(at, Why::Function, "interp");
        let value = self.lower(value)?;
        let value = self.atom("at", value)?;
        let [places, values] = [places, values].map(|list| {
            let lowered = list.iter().map(|item| self.lower(item));
            lowered.collect::<Result<Vec<Expr>>>()
        });
        let (places, values) = (places?, values?);
        let first = values.first().ok_or(Untranslatable::Unknown)?;
        let rise = |from: &Expr, to: &Expr| match [to, from].map(constant_number) {
            [Some(to), Some(from)] => literal(to - from),
            _ => binary("-", to.clone(), from.clone()),
        };
        let pairs = places.windows(2).zip(values.windows(2));
        let ramps = pairs.map(|(places, values)| {
            let done = match constant_number(&places[0]) {
                Some(0.0) => value.clone(),
                Some(place) if place < 0.0 => binary("+", value.clone(), literal(-place)),
                _ => binary("-", value.clone(), places[0].clone()),
            };
            let share = binary("/", done, rise(&places[0], &places[1]));
            let share = call("clamp", vec![share, number(0.0), number(1.0)], at);
            binary("*", rise(&values[0], &values[1]), share)
        });
        Ok(ramps.fold(first.clone(), |sum, ramp| binary("+", sum, ramp)))
    }

    /// Arguments of a combination of shapes that gets a list of them: the elements, and what follows the list.
    pub(super) fn unlisted(
        &mut self,
        text: &str,
        arguments: &[Argument],
        at: usize,
    ) -> Option<Vec<Argument>> {
        let known = self.combination(text);
        let [
            Argument {
                name: None,
                value: Expr::List(shapes, _),
            },
            rest @ ..,
        ] = arguments
        else {
            return None;
        };
        let is_list = |argument: &Argument| matches!(argument.value, Expr::List(..));
        if !COMBINATIONS.contains(&known) || shapes.len() < 2 || rest.iter().any(is_list) {
            return None;
        }
        self.notes.add(at, Why::List, "[...]");
        let shapes = shapes.iter().map(|shape| Argument {
            name: None,
            value: shape.clone(),
        });
        Some(shapes.chain(rest.iter().cloned()).collect())
    }

    /// `f(f(a, b), c)` of a function that may have no name.
    pub(super) fn reduced<'e>(
        &mut self,
        function: &Expr,
        values: impl Iterator<Item = &'e Expr>,
        at: usize,
    ) -> Result<Expr> {
        let values = values.map(|value| self.lower(value));
        let values = values.collect::<Result<Vec<_>>>()?;
        let (Expr::Name(name, _) | Expr::Member(_, name, _)) = function else {
            let Expr::Lambda(parameters, body) = function else {
                return Err(Untranslatable::Unknown);
            };
            return self.reduced_by(&self.definition(parameters, body), values);
        };
        if let Some(function) = self.defined(name) {
            return self.reduced_by(&function, values);
        }
        if values
            .iter()
            .any(|value| self.ty(value) == Some(Ty::Vector))
        {
            return Err(Untranslatable::Unknown);
        }
        match name.as_str() {
            "min" | "minimum" | "fmin" | "union" => Ok(folded("min", values, at)),
            "max" | "maximum" | "fmax" | "intersection" => Ok(folded("max", values, at)),
            "add" | "sum" => {
                let sum = values.into_iter().reduce(|a, b| binary("+", a, b));
                sum.ok_or(Untranslatable::Unknown)
            }
            _ => Err(Untranslatable::Unknown),
        }
    }

    fn reduced_by(&mut self, function: &Definition, values: Vec<Expr>) -> Result<Expr> {
        let [first, second] = &function.parameters[..] else {
            return Err(Untranslatable::Unknown);
        };
        let mut values = values.into_iter();
        let mut value = values.next().ok_or(Untranslatable::Unknown)?;
        for next in values {
            let given = [(first.name.clone(), value), (second.name.clone(), next)];
            let inner = self.entered(function.depth, Values::from(given))?;
            let (reduced, _) = self.inlined(inner, function.depth, &function.body)?;
            value = reduced.ok_or(Untranslatable::Unknown)?;
        }
        Ok(value)
    }

    /// The length of a vector, or another norm of it that `ord` names.
    pub(super) fn norm(&mut self, arguments: &[Argument], at: usize) -> Result<Expr> {
        let mut plain = arguments.iter().filter(|it| it.name.is_none());
        let vector = plain.next().ok_or(Untranslatable::Unknown)?;
        let is_order = |it: &&Argument| it.name.as_deref() == Some("ord");
        let order = arguments.iter().find(is_order).or_else(|| plain.next());
        let is_known = |it: &Argument| {
            it.name
                .as_deref()
                .is_none_or(|name| name == "ord" || OPTIONS.contains(&name))
        };
        if !arguments.iter().all(is_known) {
            return Err(Untranslatable::Unknown);
        }
        self.notes.add(at, Why::Function, "norm");
        let vector = self.lower(&vector.value)?;
        let order = order.map(|order| self.lower(&order.value)).transpose()?;
        let order = order.unwrap_or_else(|| number(2.0));
        if constant_number(&order) == Some(2.0) {
            return Ok(call("length", vec![vector], at));
        }
        let (function, is_sum) = match (infinity::sign(&order), constant_number(&order)) {
            (1, _) => ("max", false),
            (-1, _) => ("min", false),
            (_, Some(1.0)) => ("max", true),
            _ => {
                return Err(Untranslatable::Construct(
                    at,
                    "norm",
                    "length(v) is the norm of order 2; those of order 1 and inf are translated",
                ));
            }
        };
        let vector = self.atom("v", vector)?;
        let axes = self.axes(&vector).iter();
        let sizes = axes.map(|axis| call("abs", vec![member(vector.clone(), axis)], at));
        Ok(if is_sum {
            sizes
                .reduce(|a, b| binary("+", a, b))
                .ok_or(Untranslatable::Unknown)?
        } else {
            fold(function, sizes, at)
        })
    }
}

/// The minimum or maximum of values of which some may be infinite.
pub(super) fn folded(function: &str, values: Vec<Expr>, at: usize) -> Expr {
    let two = |a: Expr, b: Expr| {
        let arguments = [a, b].map(|value| Argument { name: None, value });
        infinity::folded(function, &arguments)
            .unwrap_or_else(|| Expr::Call(function.to_owned(), arguments.to_vec(), at))
    };
    values
        .into_iter()
        .reduce(two)
        .unwrap_or_else(|| number(0.0))
}
