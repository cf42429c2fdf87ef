//! Flat shapes that get a point, such as `circle(pos, 3)`, and extrusions.

use fibula_core::library;

use super::{Translator, Ty};
use crate::notes::Why;
use crate::synonyms;
use crate::tree::{Argument, Expr, Result, Untranslatable, call, member, name, number, vector};

/// A flat shape about a point.
enum Outline {
    Circle(Expr, Expr),
    Rectangle(Expr, [Expr; 2]),
}

impl Translator<'_> {
    /// A flat shape, or the extrusion of one; `None` if a call is neither.
    pub(super) fn flat(
        &mut self,
        text: &str,
        arguments: &[Argument],
        at: usize,
    ) -> Result<Option<Expr>> {
        if let (true, [shape, height]) = (is_extrusion(text), arguments)
            && shape.name.is_none()
            && !matches!(shape.value, Expr::Name(..) if self.is_point(&shape.value))
        {
            return self
                .extruded(text, &shape.value, &height.value, at)
                .map(Some);
        }
        if library::find(text).is_some() || !self.is_unknown(text) {
            return Ok(None);
        }
        let Some(outline) = self.outline(text, arguments)? else {
            return Ok(None);
        };
        self.notes.add(at, Why::Function, text);
        Ok(Some(match outline {
            Outline::Circle(point, radius) => call("circle", vec![point, radius], at),
            Outline::Rectangle(point, [width, depth]) => {
                call("rectangle", vec![point, width, depth], at)
            }
        }))
    }

    /// A shape between two planes at half of the height from 0; a circle becomes a cylinder, a rectangle a box.
    fn extruded(&mut self, text: &str, shape: &Expr, height: &Expr, at: usize) -> Result<Expr> {
        self.note_flat(text, at);
        let height = self.lower(height)?;
        if let Expr::Call(inner, arguments, inner_at) = shape
            && let Some(outline) = self.outline(inner, arguments)?
        {
            self.note_flat(inner, *inner_at);
            return Ok(match outline {
                Outline::Circle(point, radius) => call("cylinder", vec![point, radius, height], at),
                Outline::Rectangle(point, [width, depth]) => {
                    call("box", vec![point, vector([width, depth, height])], at)
                }
            });
        }
        let is_outer = std::mem::replace(&mut self.is_flat, true);
        let mut flat = self.lower(shape)?;
        self.is_flat = is_outer;
        if uses_height(&self.expanded(&flat)?) {
            // The section at z = 0 is what is extruded.
            let [x, y] = ["x", "y"].map(|axis| member(name("pos"), axis));
            flat = self.at_point(&flat, &vector([x, y, number(0.0)]))?;
        }
        Ok(call("extrude", vec![name("pos"), flat, height], at))
    }

    /// Notes a flat shape or an extrusion that is written in another way here.
    fn note_flat(&mut self, text: &str, at: usize) {
        match library::find(text) {
            Some(function) if function.name == "extrude" => {
                self.notes
                    .add(at, Why::Clause, "extrude takes the point first");
            }
            Some(_) => {}
            None => self.notes.add(at, Why::Function, text),
        }
    }

    fn outline(&mut self, text: &str, arguments: &[Argument]) -> Result<Option<Outline>> {
        let word = synonyms::plain(text);
        let is_circle =
            word == "circle" || self.is_flat && matches!(word.as_str(), "disk" | "disc");
        let is_rectangle = matches!(&*text.to_lowercase(), "square" | "rect" | "rectangle");
        let [point, sizes @ ..] = arguments else {
            return Ok(None);
        };
        if !is_circle && !is_rectangle || point.name.is_some() || !self.is_point(&point.value) {
            return Ok(None);
        }
        let point = self.lower(&point.value)?;
        let sizes = sizes.iter().map(|size| self.lower(&size.value));
        let mut sizes = sizes.collect::<Result<Vec<_>>>()?;
        Ok(match (is_circle, sizes.len()) {
            (true, 1) => Some(Outline::Circle(point, sizes.remove(0))),
            (false, 1) => {
                let size = sizes.remove(0);
                let sizes = if self.ty(&size) == Some(Ty::Vector) {
                    ["x", "y"].map(|axis| member(size.clone(), axis))
                } else {
                    [size.clone(), size]
                };
                Some(Outline::Rectangle(point, sizes))
            }
            (false, 2) => {
                let depth = sizes.remove(1);
                Some(Outline::Rectangle(point, [sizes.remove(0), depth]))
            }
            _ => return Err(Untranslatable::Unknown),
        })
    }

    /// Gives a box of a flat point and flat sizes, such as `sdBox(p.xy, vec2(2, 3))`, a height without influence: one
    /// of height 0 has no inside.
    pub(super) fn raise_flat_box(&self, text: &str, arguments: &mut [Argument]) {
        const HEIGHT: f64 = 1e6;
        let [point, size, ..] = arguments else {
            return;
        };
        let is_box = matches!(&*synonyms::plain(text), "box" | "roundedbox" | "roundbox");
        if is_box && self.is_flat_point(&point.value) && self.is_flat_point(&size.value) {
            let [x, y] = ["x", "y"].map(|axis| member(size.value.clone(), axis));
            size.value = vector([x, y, number(HEIGHT)]);
        }
    }

    /// True if the z of a point is 0, as of `p.xy`.
    fn is_flat_point(&self, point: &Expr) -> bool {
        let point = match point {
            Expr::Name(name, _) => self.binding(name).map_or(point, |binding| &binding.value),
            other => other,
        };
        matches!(point, Expr::Call(function, values, _)
            if function == "vec2" || function == "vec3" && values.len() == 3 && values[2].value == number(0.0))
    }
}

fn is_extrusion(text: &str) -> bool {
    let folded = text.replace('_', "").to_lowercase();
    matches!(folded.as_str(), "extrude" | "linearextrude" | "extrusion")
}

/// True if a value depends on the height of the point.
fn uses_height(value: &Expr) -> bool {
    match value {
        Expr::Name(name, _) => matches!(name.as_str(), "pos" | "z"),
        Expr::Member(of, axis, _) if axis != "z" && **of == name("pos") => false,
        Expr::Member(of, ..) | Expr::Negation(of) => uses_height(of),
        Expr::Binary(_, a, b) | Expr::Comparison(_, a, b, _) => uses_height(a) || uses_height(b),
        Expr::Conditional(a, b, c) => uses_height(a) || uses_height(b) || uses_height(c),
        Expr::Call(_, arguments, _) => arguments
            .iter()
            .any(|argument| uses_height(&argument.value)),
        _ => false,
    }
}
