//! Arguments of calls of library functions: their order, their names and their types.

use fibula_core::library::{self, LibraryFunction};
use fibula_nodes::Type;

use super::{Translator, Ty};
use crate::notes::Why;
use crate::synonyms;
use crate::tree::{
    Argument, Expr, Result, Untranslatable, binary, call, half, name, number, vector,
};

/// Hint for a cone of two numbers, which would be its radii.
const CONE: &str = "lower_radius, upper_radius and height belong to it, and the height is left out: write \
    cone(pos, 5, 0, 10) for a radius of 5 and a height of 10, or cone(pos, 5, 10, 20) for two radii and a height";
/// Names of the lengths of a box along x, y and z.
const LENGTHS: [[&str; 3]; 5] = [
    ["x", "y", "z"],
    ["width", "depth", "height"],
    ["w", "d", "h"],
    ["length", "width", "height"],
    ["l", "w", "h"],
];

impl Translator<'_> {
    /// Arguments with a vector in the place of the three lengths of a box, which keep their names; in JavaScript a height
    /// is a length along y.
    fn with_size(
        &mut self,
        function: &LibraryFunction,
        mut arguments: Vec<Argument>,
        at: usize,
    ) -> Vec<Argument> {
        if !matches!(&*function.name, "box" | "rounded_box") {
            return arguments;
        }
        let place = |wanted: &str| {
            let mut names = arguments.iter().map(|argument| argument.name.as_deref());
            names.position(|name| name == Some(wanted))
        };
        let is_y_up = self.notes.has_javascript();
        let mut known = LENGTHS.iter().take(if is_y_up { 1 } else { LENGTHS.len() });
        let Some(names) = known.find(|names| names.iter().all(|name| place(name).is_some())) else {
            return arguments;
        };
        let lengths = names.map(|name| {
            let value = place(name).map(|index| arguments[index].value.clone());
            let value = value.unwrap_or_else(|| number(1.0));
            // The components of the point have these names.
            if matches!(name, "x" | "y" | "z") {
                value
            } else {
                self.named_number(name, value)
            }
        });
        let takes = format!("size of {} is a vector", function.name);
        self.notes.add(at, Why::Clause, &takes);
        arguments.retain(|argument| {
            let name = argument.name.as_deref();
            name.is_none_or(|name| !names.contains(&name))
        });
        arguments.push(Argument {
            name: Some("size".to_owned()),
            value: vector(lengths),
        });
        arguments
    }

    /// A call of a library function: arguments in their order, by name where they have one or follow one that is left
    /// out, and `pos`.
    pub(super) fn library_call(
        &mut self,
        function: &LibraryFunction,
        arguments: Vec<Argument>,
        at: usize,
    ) -> Result<Expr> {
        if function.name == "rotate"
            && let Some(point) = self.rotated(&arguments, at)?
        {
            return Ok(point);
        }
        let arguments = self.with_size(function, arguments, at);
        let inputs = &function.inputs;
        let mut slots: Vec<Option<Expr>> = vec![None; inputs.len()];
        let mut is_named = vec![false; inputs.len()];
        let mut plain = Vec::new();
        for Argument { name, value } in arguments {
            let Some(name) = name else {
                plain.push(value);
                continue;
            };
            let is_place = matches!(
                &*name.to_ascii_lowercase(),
                "center" | "centre" | "origin" | "location" | "position" | "at"
            );
            let takes_point = function.takes_point();
            let (index, value) = if is_place && takes_point && !self.is_point(&value) {
                // The shape at a place is that of the point from there.
                (0, binary("-", crate::tree::name("pos"), value))
            } else {
                slot(function, &name, value).ok_or(Untranslatable::Unknown)?
            };
            if inputs[index].name != name {
                let has_none = format!("{} has no argument '{name}'", function.name);
                self.notes.add(at, Why::Clause, &has_none);
            }
            let is_float = inputs[index].ty == Type::Float3 && self.ty(&value) == Some(Ty::Float);
            let value = if is_float {
                check_size(&inputs[index].name)?;
                let takes = format!("{} of {} is a vector", inputs[index].name, function.name);
                self.notes.add(at, Why::Clause, &takes);
                self.vector_of("vec3", &[&value], at)?
            } else {
                value
            };
            (slots[index], is_named[index]) = (Some(value), index > 0);
        }
        let takes_point = function.takes_point();
        let lacks_point = takes_point
            && slots[0].is_none()
            && !plain.first().is_some_and(|first| self.is_point(first));
        if lacks_point {
            self.notes.add(
                at,
                Why::Clause,
                &format!("{} takes the point first", function.name),
            );
            // Only libraries with classes of solids leave the point out.
            self.notes.has_solids = true;
            slots[0] = Some(name("pos"));
        }
        check_cone(function, &plain, &slots, at)?;
        let mut plain = plain.into_iter().peekable();
        let vectors = inputs
            .iter()
            .filter(|input| input.ty == Type::Float3 && input.name != "pos")
            .count();
        for (slot, input) in slots.iter_mut().zip(inputs) {
            if slot.is_some() {
                continue;
            }
            let Some(value) = plain.next() else {
                if input.default.is_none() {
                    return Err(Untranslatable::Unknown);
                }
                continue;
            };
            let is_float = input.ty == Type::Float3 && self.ty(&value) == Some(Ty::Float);
            if is_float && !lacks_point {
                let takes = format!("{} of {} is a vector", input.name, function.name);
                self.notes.add(at, Why::Clause, &takes);
            }
            *slot = Some(if !is_float {
                value
            } else if vectors == 1 && plain.len() >= 2 {
                let rest =
                    [plain.next(), plain.next()].map(|next| next.unwrap_or_else(|| number(0.0)));
                let [y, z] = rest;
                vector([value, y, z])
            } else if check_size(&input.name)? && matches!(value, Expr::Number(_)) {
                vector([value.clone(), value.clone(), value])
            } else {
                call("splat", vec![value], at)
            });
        }
        if plain.next().is_some() {
            return Err(Untranslatable::Unknown);
        }
        let mut must_name = false;
        let arguments = slots.into_iter().zip(inputs).zip(is_named);
        let arguments = arguments.filter_map(|((slot, input), is_named)| {
            must_name |= is_named || slot.is_none();
            let name = must_name.then(|| input.name.clone());
            Some(Argument { name, value: slot? })
        });
        Ok(Expr::Call(function.name.clone(), arguments.collect(), at))
    }
}

/// Refuses a cone of two numbers without names.
fn check_cone(
    function: &LibraryFunction,
    plain: &[Expr],
    slots: &[Option<Expr>],
    at: usize,
) -> Result<()> {
    let after_point = plain.get(usize::from(slots[0].is_none())..);
    let has_names = slots[1..].iter().any(Option::is_some);
    match (&*function.name, after_point) {
        ("cone", Some([_, _])) if !has_names => Err(Untranslatable::Construct(at, "cone", CONE)),
        _ => Ok(()),
    }
}

/// Checks that one number may stand for a vector of an input, as for a size, not for a place or a direction.
fn check_size(input: &str) -> Result<bool> {
    if matches!(input, "size" | "radii" | "spacing" | "count") {
        Ok(true)
    } else {
        Err(Untranslatable::Unknown)
    }
}

/// The function of the library of a name that moves the point.
pub(super) fn operator(text: &str) -> Option<&'static LibraryFunction> {
    let function = library::find(synonyms::same_name(text).unwrap_or(text))?;
    (function.takes_point() && function.outputs()[0].ty == Type::Float3).then_some(function)
}

/// Arguments of a function that moves the point, after the first, in the order of its inputs; `None` if they have other
/// names, or one is left out.
pub(super) fn in_order(text: &str, arguments: &[Argument]) -> Option<Vec<Expr>> {
    let inputs = &operator(text)?.inputs;
    let mut slots = vec![None; inputs.len()];
    for (index, Argument { name, value }) in arguments.iter().enumerate() {
        let index = match name {
            Some(name) => inputs.iter().position(|input| input.name == *name)?,
            None => index,
        };
        *slots.get_mut(index)? = Some(value.clone());
    }
    slots.into_iter().skip(1).collect()
}

/// Input of a library function that a name means, with the value for it.
fn slot(function: &LibraryFunction, wanted: &str, value: Expr) -> Option<(usize, Expr)> {
    let position = |name: &str| function.inputs.iter().position(|input| input.name == name);
    let folded = wanted.to_ascii_lowercase();
    if let Some(index) = position(&folded) {
        return Some((index, value));
    }
    let (names, value): (&[&str], Expr) = match folded.as_str() {
        "d" | "diameter" => (&["radius"], half(value)),
        "r" | "k" | "rounding" | "fillet" | "smoothness" => (&["radius", "outer_radius"], value),
        "h" | "length" => (&["height"], value),
        "p" | "point" | "position" | "center" => (&["pos"], value),
        "r1" => (&["lower_radius", "major_radius"], value),
        "r2" => (&["upper_radius", "minor_radius"], value),
        "major" => (&["major_radius"], value),
        "minor" => (&["minor_radius"], value),
        "dimensions" | "dims" | "extents" | "s" => (&["size"], value),
        "cell_size" | "cell" | "scale" => (&["period", "width"], value),
        "a" | "start" => (&["from"], value),
        "b" | "end" => (&["to"], value),
        "t" | "wall" => (&["thickness"], value),
        "v" | "vector" => (&["by"], value),
        _ => return None,
    };
    names
        .iter()
        .find_map(|name| position(name))
        .map(|index| (index, value))
}
