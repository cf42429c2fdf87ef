//! What a text is about: the function, class or value that is the shape, beside programs that draw it.

use super::conditions::check_conditions;
use super::{FreePoints, Translator};
use crate::names::POINTS;
use crate::statements::returns;
use crate::tree::{Expr, Parameter, Result, flat, member, name};

/// Hint for a program without a function of the point.
pub(super) const MAIN: &str = "it draws a picture: the text needs a function of the point, as in float map(vec3 p) { return length(p) - 5.0; }";

impl Translator<'_> {
    /// Parameters of the function that the text defines: the first point is `pos`, others are arguments.
    pub(super) fn main_parameters(&mut self, parameters: &[Parameter]) -> Result<()> {
        let is_point = |parameter: &Parameter| {
            parameter.components.is_some()
                || parameter.name == "pos"
                || POINTS.contains(&parameter.name.as_str())
        };
        let mut point = parameters.iter().position(is_point);
        if point.is_none()
            && self.points == FreePoints::Position
            && !parameters
                .iter()
                .any(|parameter| matches!(&*parameter.name, "x" | "y" | "z"))
        {
            point = (!parameters.is_empty()).then_some(0);
        }
        let names: Vec<&str> = parameters.iter().map(|it| it.name.as_str()).collect();
        if names == ["X", "Y", "Z"] {
            for (parameter, axis) in names.into_iter().zip(["x", "y", "z"]) {
                self.values.insert(parameter.to_owned(), name(axis));
            }
            return Ok(());
        }
        for (index, parameter) in parameters.iter().enumerate() {
            if Some(index) == point && !self.arguments.contains(&*parameter.name) {
                let point = if parameter.components == Some(2) {
                    self.has_flat = true;
                    let [x, y] = ["x", "y"].map(|axis| member(name("pos"), axis));
                    flat(x, y)
                } else {
                    name("pos")
                };
                self.values.insert(parameter.name.clone(), point);
            } else if let Some(default) = &parameter.default {
                let default = self.lower(default)?;
                self.assign(&parameter.name, default)?;
            } else {
                // An input, whatever the name is outside.
                check_conditions(&self.values, &parameter.name)?;
                self.values.remove(&parameter.name);
                self.taken.insert(parameter.name.clone());
            }
        }
        Ok(())
    }

    /// True if a statement that is a value is a result, not a call that changes its arguments or shows something.
    pub(super) fn is_result(&self, value: &Expr) -> bool {
        let changes = |name: &str| {
            let found = self.definitions.get(name);
            found.is_some_and(|function| {
                let mut parameters = function.parameters.iter();
                parameters.any(|parameter| parameter.is_output) && !returns(&function.body)
            })
        };
        match value {
            Expr::Text(_) => false,
            Expr::Call(name, ..) if name == "super" || changes(name) => false,
            Expr::Method(_, name, ..) if name == "__init__" => false,
            value => !self.is_output(value),
        }
    }
}
