//! Translates values: conditions, names, components, and their types.

use std::collections::HashMap;

use fibula_nodes::Type;

use super::calls::module_language;
use super::notes::Why;
use super::openscad;
use super::translate::{BUDGET, Binding, FreePoints, POINTS, Translator, Ty};
use super::tree::{
    Expr, Result, Untranslatable, binary, call, constant, degrees, member, name, negative, number,
    vector,
};
use crate::library;

/// Modules of Python and JavaScript, and namespaces of C++, whose functions have the same names here.
const MODULES: [&str; 14] = [
    "np", "numpy", "math", "Math", "jnp", "torch", "tf", "linalg", "THREE", "glm", "std", "cmath",
    "sdf", "ti",
];

/// Elements of a `mat2`, column by column.
fn elements(value: &Expr) -> Option<[Expr; 4]> {
    match value {
        Expr::Call(function, elements, _) if function == "mat2" => {
            let elements = elements.iter().map(|element| element.value.clone());
            elements.collect::<Vec<_>>().try_into().ok()
        }
        _ => None,
    }
}

impl Translator<'_> {
    pub(super) fn is_condition(&self, value: &Expr) -> bool {
        match value {
            Expr::Comparison(..) | Expr::Bool(_) => true,
            Expr::And(a, b) | Expr::Or(a, b) => self.is_condition(a) || self.is_condition(b),
            Expr::Not(a) => self.is_condition(a),
            Expr::Name(name, _) => self.values.get(name).is_some_and(|value| {
                matches!(
                    value,
                    Expr::Comparison(..)
                        | Expr::Bool(_)
                        | Expr::And(..)
                        | Expr::Or(..)
                        | Expr::Not(_)
                )
            }),
            _ => false,
        }
    }

    /// `condition ? then : otherwise` of lowered values.
    pub(super) fn choose(&mut self, condition: &Expr, then: Expr, otherwise: Expr) -> Result<Expr> {
        self.spend(&then)?;
        self.spend(&otherwise)?;
        match condition {
            Expr::Comparison(operator, left, right, at) => {
                let (left, right) = (self.lower(left)?, self.lower(right)?);
                let known = |side| constant(side, &HashMap::new());
                if let (Some(left), Some(right)) = (known(&left), known(&right)) {
                    let is_true = match *operator {
                        "<" => left < right,
                        ">" => left > right,
                        _ => (left - right).abs() < 1e-9,
                    };
                    return Ok(if is_true { then } else { otherwise });
                }
                let compared = if *operator == "==" {
                    let is_zero = matches!(&right, Expr::Number(text) if text.parse() == Ok(0.0));
                    let apart = if is_zero {
                        left
                    } else {
                        binary("-", left, right)
                    };
                    let apart = call("abs", vec![apart], *at);
                    Expr::Comparison("<", Box::new(apart), Box::new(number(1e-9)), *at)
                } else {
                    Expr::Comparison(operator, Box::new(left), Box::new(right), *at)
                };
                Ok(Expr::Conditional(
                    Box::new(compared),
                    Box::new(then),
                    Box::new(otherwise),
                ))
            }
            Expr::And(first, second) => {
                let inner = self.choose(second, then, otherwise.clone())?;
                self.choose(first, inner, otherwise)
            }
            Expr::Or(first, second) => {
                let inner = self.choose(second, then.clone(), otherwise)?;
                self.choose(first, then, inner)
            }
            Expr::Not(inner) => self.choose(inner, otherwise, then),
            Expr::Bool(is_true) => Ok(if *is_true { then } else { otherwise }),
            Expr::Name(name, _) if self.is_condition(condition) => {
                let condition = self.values[name].clone();
                self.spend(&condition)?;
                self.choose(&condition, then, otherwise)
            }
            other => {
                let value = self.lower(other)?;
                self.notes
                    .add(0, Why::Clause, "a comparison stands before '?'");
                let size = call("abs", vec![value], 0);
                let compared = Expr::Comparison("<", Box::new(number(0.0)), Box::new(size), 0);
                Ok(Expr::Conditional(
                    Box::new(compared),
                    Box::new(then),
                    Box::new(otherwise),
                ))
            }
        }
    }

    /// Translates an expression.
    pub(super) fn lower(&mut self, expr: &Expr) -> Result<Expr> {
        self.spent += 1;
        if self.spent > BUDGET {
            return Err(Untranslatable::Unknown);
        }
        match expr {
            Expr::Number(_) | Expr::Text(_) => Ok(expr.clone()),
            Expr::Bool(is_true) => Ok(number(f64::from(*is_true))),
            Expr::Name(text, at) => {
                if self.is_condition(expr) {
                    return self.choose(expr, number(1.0), number(0.0));
                }
                if let Some(value) = self.values.get(text).cloned() {
                    self.spend(&value)?;
                    return Ok(value);
                }
                Ok(self.free_name(text, *at))
            }
            Expr::Negation(inner) => Ok(negative(self.lower(inner)?)),
            Expr::Binary(operator, left, right) => {
                if let ("*", Expr::Name(unit, at)) = (*operator, &**right)
                    && let Some(product) = self.times_unit(left, unit, *at)?
                {
                    return Ok(product);
                }
                let (left, right) = (self.lower(left)?, self.lower(right)?);
                if let Some(shape) = self.combined_shapes(operator, &left, &right) {
                    return Ok(shape);
                }
                if *operator == "*" {
                    if let Some([a, b, c, d]) = elements(&left) {
                        return self.transformed([[a, c], [b, d]], right);
                    }
                    if let Some([a, b, c, d]) = elements(&right) {
                        return self.transformed([[a, b], [c, d]], left);
                    }
                }
                if matches!(*operator, "+" | "-") {
                    self.check_points(&left, &right)?;
                }
                Ok(binary(operator, left, right))
            }
            Expr::Comparison(..) | Expr::And(..) | Expr::Or(..) | Expr::Not(_)
                if self.is_condition(expr) =>
            {
                if let Expr::Comparison(operator, _, _, at) = expr {
                    self.notes
                        .add(*at, Why::Comparison, &format!("a {operator} b"));
                }
                self.choose(expr, number(1.0), number(0.0))
            }
            // Of distances.
            Expr::And(a, b) => Ok(call("max", vec![self.lower(a)?, self.lower(b)?], 0)),
            Expr::Or(a, b) => Ok(call("min", vec![self.lower(a)?, self.lower(b)?], 0)),
            Expr::Not(a) => Ok(negative(self.lower(a)?)),
            Expr::Conditional(condition, then, otherwise) => {
                let (then, otherwise) = (self.lower(then)?, self.lower(otherwise)?);
                self.choose(condition, then, otherwise)
            }
            Expr::Call(name, arguments, at) => self.call(name, arguments, *at),
            Expr::Method(of, name, arguments, at) => self.method(of, name, arguments, *at),
            Expr::Module(name, arguments, children, at) => {
                openscad::module(self, name, arguments, children, *at)
            }
            Expr::Member(of, name, at) => self.member(of, name, *at),
            Expr::Index(of, index) => {
                let axis = match &**index {
                    Expr::Number(number) => ["0", "1", "2"].iter().position(|axis| axis == number),
                    _ => None,
                };
                let axis = axis.ok_or(Untranslatable::Unknown)?;
                Ok(member(self.lower(of)?, ["x", "y", "z"][axis]))
            }
            Expr::FirstTwo(of) => {
                let of = self.lower(of)?;
                self.components(of, "xy")
            }
            Expr::List(values, at) => self.list(values, *at),
            Expr::Comparison(..) => unreachable!("a comparison is a condition"),
            Expr::Lambda(..) => Err(Untranslatable::Unknown),
        }
    }

    /// Refuses that a free name of a point is a float where it is combined with a vector.
    pub(super) fn check_points(&self, left: &Expr, right: &Expr) -> Result<()> {
        let is_conflict = |one: &Expr, other: &Expr| {
            self.ty(other) == Some(Ty::Vector) && self.is_free_point(one)
        };
        let is_checked = self.points == FreePoints::Float;
        if is_checked && (is_conflict(left, right) || is_conflict(right, left)) {
            return Err(Untranslatable::Point);
        }
        Ok(())
    }

    /// True if a lowered value is a free name of a point, or what is computed from it componentwise.
    fn is_free_point(&self, value: &Expr) -> bool {
        match value {
            Expr::Name(name, _) => {
                let is_bound = self.binding(name).is_some() || self.arguments.contains(&**name);
                match self.binding(name) {
                    Some(binding) => self.is_free_point(&binding.value),
                    None => !is_bound && POINTS.contains(&name.as_str()),
                }
            }
            Expr::Negation(inner) => self.is_free_point(inner),
            Expr::Binary(_, a, b) => {
                let is_scaled = |one: &Expr, other: &Expr| {
                    self.is_free_point(one) && self.ty(other) != Some(Ty::Vector)
                };
                is_scaled(a, b) || is_scaled(b, a)
            }
            Expr::Call(function, arguments, _) => {
                let is_componentwise = matches!(
                    function.as_str(),
                    "abs" | "mod" | "fmod" | "fract" | "floor" | "round" | "max" | "min"
                );
                is_componentwise
                    && arguments
                        .first()
                        .is_some_and(|first| self.is_free_point(&first.value))
            }
            _ => false,
        }
    }

    /// The difference, union or intersection of two shapes, if a text subtracts, adds or multiplies them as libraries with
    /// classes of solids do, or subtracts them beside `|` and `&`.
    fn combined_shapes(&mut self, operator: &str, left: &Expr, right: &Expr) -> Option<Expr> {
        let is_meant = self.notes.has_solids || operator == "-" && self.notes.has_bits();
        if !is_meant || !self.is_shape(left) || !self.is_shape(right) {
            return None;
        }
        let (what, function, second) = match operator {
            "-" => ("difference", "max", negative(right.clone())),
            "+" => ("union", "min", right.clone()),
            "*" => ("intersection", "max", right.clone()),
            _ => return None,
        };
        let clause = format!("a {operator} b is no {what} of shapes");
        self.notes.add(0, Why::Clause, &clause);
        Some(call(function, vec![left.clone(), second], 0))
    }

    /// A number or value with a unit as a factor, such as `5 * mm` or `45 * deg`.
    fn times_unit(&mut self, value: &Expr, unit: &str, at: usize) -> Result<Option<Expr>> {
        if self.values.contains_key(unit) || self.arguments.contains(unit) {
            return Ok(None);
        }
        let product = match unit {
            "deg" | "degree" | "degrees" => degrees(self.lower(value)?),
            "mm" | "cm" | "inch" => match value {
                Expr::Number(_) => self.length(unit, value)?,
                other => {
                    let factor = self.length(unit, &number(1.0))?;
                    binary("*", self.lower(other)?, factor)
                }
            },
            _ => return Ok(None),
        };
        self.notes.add(at, Why::Unit, unit);
        Ok(Some(product))
    }

    /// True if a lowered value is a shape: of the library, or the minimum or maximum of such.
    fn is_shape(&self, value: &Expr) -> bool {
        match value {
            Expr::Name(name, _) => self
                .binding(name)
                .is_some_and(|binding| self.is_shape(&binding.value)),
            Expr::Call(function, arguments, _) => match function.as_str() {
                "min" | "max" => arguments
                    .iter()
                    .all(|argument| self.is_shape(&argument.value)),
                other => library::find(other)
                    .is_some_and(|function| function.outputs()[0].ty == Type::Float),
            },
            Expr::Negation(inner) => self.is_shape(inner),
            Expr::Binary("-" | "+", left, right) => {
                let is_length = matches!(&**left, Expr::Call(name, ..) if name == "length")
                    && self.mentions_position(left);
                (is_length || self.is_shape(left)) && !self.mentions_position(right)
            }
            _ => false,
        }
    }

    /// The sum of the arguments of a call, or of the elements of a list.
    pub(super) fn sum_of<'e>(
        &mut self,
        text: &str,
        values: impl Iterator<Item = &'e Expr>,
        at: usize,
    ) -> Result<Expr> {
        self.notes.add(at, Why::Function, text);
        let values = values.map(|value| self.lower(value));
        let values = values.collect::<Result<Vec<_>>>()?;
        let sum = values.into_iter().reduce(|a, b| binary("+", a, b));
        sum.ok_or(Untranslatable::Unknown)
    }

    /// The product of a matrix of two rows and a vector of two components.
    fn transformed(&mut self, rows: [[Expr; 2]; 2], of: Expr) -> Result<Expr> {
        let is_plain =
            |value: &Expr| matches!(value, Expr::Name(..) | Expr::Number(_) | Expr::Member(..));
        let of = match &of {
            Expr::Call(function, components, _)
                if function == "vec3" && components.iter().all(|it| is_plain(&it.value)) =>
            {
                self.spend(&of)?;
                of
            }
            _ => self.atom("v", of)?,
        };
        let [x, y] = rows.map(|[first, second]| {
            binary(
                "+",
                binary("*", first, member(of.clone(), "x")),
                binary("*", second, member(of.clone(), "y")),
            )
        });
        Ok(vector([x, y, number(0.0)]))
    }

    pub(super) fn free_name(&mut self, text: &str, at: usize) -> Expr {
        if !self.arguments.contains(text) {
            match text {
                "PI" | "M_PI" | "Pi" => {
                    self.notes.add(at, Why::Value, text);
                    return name("pi");
                }
                "tau" | "TAU" | "TWO_PI" => {
                    self.notes.add(at, Why::Value, text);
                    return binary("*", number(2.0), name("pi"));
                }
                _ if POINTS.contains(&text) && self.points == FreePoints::Position => {
                    self.notes.add(at, Why::Point, text);
                    return name("pos");
                }
                _ => {}
            }
        }
        self.taken.insert(text.to_owned());
        name(text)
    }

    /// Vectors of two or three components, and matrices.
    pub(super) fn list(&mut self, values: &[Expr], at: usize) -> Result<Expr> {
        if let [Expr::List(..), ..] = values {
            let mut all = Vec::new();
            for row in values {
                let Expr::List(row, _) = row else {
                    return Err(Untranslatable::Unknown);
                };
                all.extend(row.iter().cloned());
            }
            return if values.len() == 1 || all.len() == 16 {
                self.list(&all, at)
            } else {
                Err(Untranslatable::Unknown)
            };
        }
        let values = values.iter().map(|value| self.lower(value));
        let mut values = values.collect::<Result<Vec<_>>>()?;
        match values.len() {
            1 => Ok(values.remove(0)),
            2 => {
                values.push(number(0.0));
                Ok(call("vec3", values, at))
            }
            3 => Ok(call("vec3", values, at)),
            16 => Ok(call("mat4", values, at)),
            _ => Err(Untranslatable::Unknown),
        }
    }

    pub(super) fn member(&mut self, of: &Expr, text: &str, at: usize) -> Result<Expr> {
        if let Expr::Name(module, _) = of
            && self.is_module(of)
        {
            let constant = match text {
                "pi" | "PI" => name("pi"),
                "e" | "E" => name("e"),
                "tau" => binary("*", number(2.0), name("pi")),
                _ => return Err(Untranslatable::Unknown),
            };
            self.notes
                .add(at, module_language(module), &format!("{module}.{text}"));
            return Ok(constant);
        }
        let value = self.lower(of)?;
        let components: String = text
            .chars()
            .map(|c| match c {
                'r' | 'X' => 'x',
                'g' | 'Y' => 'y',
                'b' | 'Z' => 'z',
                other => other,
            })
            .collect();
        let is_swizzle = components.chars().all(|c| matches!(c, 'x' | 'y' | 'z'));
        if is_swizzle && (2..=3).contains(&components.len()) {
            self.notes.add(at, Why::Component, &format!(".{text}"));
            return self.components(value, &components);
        }
        if is_swizzle && components.len() == 1 {
            if components != text {
                self.notes.add(at, Why::Component, &format!(".{text}"));
            }
            return Ok(member(value, &components));
        }
        Ok(member(value, text))
    }

    /// A vector of two or three components of a vector.
    pub(super) fn components(&mut self, value: Expr, components: &str) -> Result<Expr> {
        if components == "xyz" {
            return Ok(value);
        }
        let value = self.atom("v", value)?;
        let mut axes: Vec<Expr> = components
            .chars()
            .map(|axis| member(value.clone(), &axis.to_string()))
            .collect();
        axes.resize(3, number(0.0));
        Ok(call("vec3", axes, 0))
    }

    pub(super) fn is_module(&self, of: &Expr) -> bool {
        match of {
            Expr::Name(name, _) => {
                MODULES.contains(&name.as_str()) && !self.values.contains_key(name)
            }
            Expr::Member(of, name, _) => MODULES.contains(&name.as_str()) && self.is_module(of),
            _ => false,
        }
    }

    /// True if a value, lowered or not, depends on the point and is a vector.
    pub(super) fn is_point(&self, value: &Expr) -> bool {
        if let Expr::Name(text, _) = value
            && !self.values.contains_key(text)
            && POINTS.contains(&text.as_str())
        {
            return true;
        }
        self.mentions_position(value) && self.ty(value) != Some(Ty::Float)
    }

    pub(super) fn mentions_position(&self, value: &Expr) -> bool {
        let mut found = false;
        value.names(&mut |text| found |= self.is_position(text));
        found
    }

    /// True if a name stands for what depends on the point.
    pub(super) fn is_position(&self, text: &str) -> bool {
        if let Some(binding) = self.binding(text) {
            return binding.has_position;
        }
        match self.values.get(text) {
            Some(Expr::Name(bound, _)) if bound != text => match self.binding(bound) {
                Some(binding) => binding.has_position,
                None => matches!(bound.as_str(), "pos" | "x" | "y" | "z"),
            },
            Some(Expr::Member(..)) => true,
            Some(_) | None => {
                matches!(text, "pos" | "x" | "y" | "z")
                    || self.points == FreePoints::Position && POINTS.contains(&text)
            }
        }
    }

    pub(super) fn binding(&self, name: &str) -> Option<&Binding> {
        self.bindings.get(name).map(|&index| &self.lets[index])
    }

    /// Type of a lowered value; `None` if it is not plain.
    pub(super) fn ty(&self, value: &Expr) -> Option<Ty> {
        match value {
            Expr::Number(_) => Some(Ty::Float),
            Expr::Name(name, _) => match name.as_str() {
                "pos" if self.binding("pos").is_none() => Some(Ty::Vector),
                "x" | "y" | "z" | "pi" | "e" if self.binding(name).is_none() => Some(Ty::Float),
                _ => self.name_type(name),
            },
            Expr::Negation(inner) => self.ty(inner),
            Expr::Binary(_, left, right) | Expr::Conditional(_, left, right) => {
                wider(self.ty(left), self.ty(right))
            }
            Expr::Member(_, name, _) => {
                matches!(name.as_str(), "x" | "y" | "z").then_some(Ty::Float)
            }
            Expr::Call(name, arguments, _) => match name.as_str() {
                "vec3" | "float3" | "splat" | "cross" | "normalize" | "transform" => {
                    Some(Ty::Vector)
                }
                "length" | "dot" => Some(Ty::Float),
                _ => {
                    if let Some(function) = library::find(name) {
                        return match function.outputs()[0].ty {
                            Type::Float => Some(Ty::Float),
                            Type::Float3 => Some(Ty::Vector),
                            Type::Matrix4x4 | Type::Integer | Type::String | Type::ResourceId => {
                                None
                            }
                        };
                    }
                    let types = arguments.iter().map(|argument| self.ty(&argument.value));
                    types.reduce(wider).flatten()
                }
            },
            _ => None,
        }
    }

    pub(super) fn name_type(&self, name: &str) -> Option<Ty> {
        if let Some(binding) = self.binding(name) {
            return binding.ty;
        }
        match self.values.get(name)? {
            Expr::Name(bound, _) if bound == "pos" => Some(Ty::Vector),
            Expr::Name(bound, _) => self.binding(bound)?.ty,
            Expr::Member(..) => Some(Ty::Float),
            _ => None,
        }
    }

    /// A shape at another point than `pos`.
    pub(super) fn at_point(&mut self, shape: &Expr, point: &Expr) -> Result<Expr> {
        let mut uses = 0;
        self.expanded(shape)?
            .names(&mut |name| uses += usize::from(matches!(name, "pos" | "x" | "y" | "z")));
        let point = if uses > 1 {
            self.atom("q", point.clone())?
        } else {
            point.clone()
        };
        let shape = self.expanded(shape)?;
        self.spend(&shape)?;
        Ok(shape.map_names(&|text| match text {
            "pos" => Some(point.clone()),
            "x" | "y" | "z" => Some(member(point.clone(), text)),
            _ => None,
        }))
    }

    /// The value with the let bindings that depend on the point replaced by their values.
    pub(super) fn expanded(&mut self, value: &Expr) -> Result<Expr> {
        let mut expanded = value.clone();
        // Bindings depend on earlier ones only.
        for index in (0..self.lets.len()).rev() {
            let binding = self.lets[index].clone();
            let mut uses = 0;
            expanded.names(&mut |name| uses += usize::from(name == binding.name));
            if uses > 0 && binding.has_position {
                self.spent += uses * binding.value.size();
                self.spend(&expanded)?;
                expanded = expanded
                    .map_names(&|name| (name == binding.name).then(|| binding.value.clone()));
            }
        }
        Ok(expanded)
    }
}

/// Type of what a componentwise operator returns.
fn wider(a: Option<Ty>, b: Option<Ty>) -> Option<Ty> {
    match (a, b) {
        (Some(Ty::Vector), _) | (_, Some(Ty::Vector)) => Some(Ty::Vector),
        (Some(Ty::Float), Some(Ty::Float)) => Some(Ty::Float),
        (None, _) | (_, None) => None,
    }
}
