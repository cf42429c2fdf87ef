//! Translates values: conditions, names, components, and their types.

use fibula_core::expression::is_shape_form;
use fibula_core::graph::model::Unit;
use fibula_core::library;
use fibula_nodes::Type;

use super::calls::module_language;
use super::fields;
use super::openscad;
use super::{Binding, FreePoints, Translator, Ty};
use crate::infinity;
use crate::names::POINTS;
use crate::notes::Why;
use crate::tree::{
    Expr, MAX_COPIED_NODES, Result, Untranslatable, binary, call, constant_number, degrees, member,
    name, negative, number,
};

/// Hint for a macro that means something else than its value.
const MACRO: &str = "macros are values here, not texts: put the value in parentheses, and write a function of what changes";
/// Hint for a shape of `OpenSCAD` that is there only sometimes.
const PARTIAL: &str =
    "a shape that is not always there has no distance: write else with another shape";
/// Modules of Python and JavaScript, and namespaces of C++, whose functions have the same names here.
const MODULES: [&str; 18] = [
    "functools",
    "itertools",
    "operator",
    "cp",
    "np",
    "numpy",
    "math",
    "Math",
    "jnp",
    "torch",
    "tf",
    "linalg",
    "THREE",
    "glm",
    "std",
    "cmath",
    "sdf",
    "ti",
];

impl Translator<'_> {
    /// Translates an expression.
    pub(super) fn lower(&mut self, expr: &Expr) -> Result<Expr> {
        let value = self.lowered(expr)?;
        self.flattened(value)
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each expression")]
    fn lowered(&mut self, expr: &Expr) -> Result<Expr> {
        self.spent += 1;
        if self.spent > MAX_COPIED_NODES {
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
                if self.notes.macros.contains(text) {
                    return Err(Untranslatable::Construct(*at, "define", MACRO));
                }
                // The binding of another scope would hide it.
                if self.undefined.contains(text) || self.bindings.contains_key(text) {
                    return Err(Untranslatable::Unknown);
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
                if *operator == "*"
                    && let Some(product) = self.matrix_product(&left, &right, 0)?
                {
                    return Ok(product);
                }
                if matches!(*operator, "+" | "-") {
                    self.check_points(&left, &right)?;
                }
                Ok(binary(operator, left, right))
            }
            // `a and b or c` is the `a ? b : c` of languages without one, for a `b` other than 0.
            Expr::Or(first, otherwise)
                if matches!(&**first, Expr::And(condition, then)
                    if self.is_truth(condition) && !self.is_condition(then) && !self.is_condition(otherwise)) =>
            {
                let Expr::And(condition, then) = &**first else {
                    unreachable!("the guard says so");
                };
                let (then, otherwise) = (self.lower(then)?, self.lower(otherwise)?);
                if constant_number(&then) == Some(0.0) {
                    return Err(Untranslatable::Unknown);
                }
                self.choose(condition, then, otherwise)
            }
            Expr::Comparison(..) | Expr::And(..) | Expr::Or(..) | Expr::Not(_)
                if self.is_condition(expr) =>
            {
                if !self.is_truth(expr) {
                    return Err(Untranslatable::Unknown);
                }
                if let Expr::Comparison(operator, _, _, at) = expr {
                    self.notes
                        .add(*at, Why::Comparison, &format!("a {operator} b"));
                }
                self.choose(expr, number(1.0), number(0.0))
            }
            Expr::And(a, b) | Expr::Or(a, b) => {
                let (a, b) = (self.lower(a)?, self.lower(b)?);
                // Of distances, not of numbers, whose truth is meant.
                if !self.is_distance(&a) || !self.is_distance(&b) {
                    return Err(Untranslatable::Unknown);
                }
                let is_and = matches!(expr, Expr::And(..));
                Ok(call(if is_and { "max" } else { "min" }, vec![a, b], 0))
            }
            Expr::Not(a) => {
                let a = self.lower(a)?;
                if !self.is_distance(&a) {
                    return Err(Untranslatable::Unknown);
                }
                Ok(negative(a))
            }
            Expr::Conditional(condition, then, otherwise) => {
                if let Some(is_true) = self.decided(condition) {
                    return self.lower(if is_true { then } else { otherwise });
                }
                let before = self.values.clone();
                let (then, otherwise) = (self.lower(then)?, self.lower(otherwise)?);
                let is_partial = infinity::sign(&then) != 0 || infinity::sign(&otherwise) != 0;
                let chosen = self.choose(condition, then, otherwise)?;
                // A call in a branch that is not taken changes nothing.
                if self.values != before {
                    return Err(Untranslatable::Unknown);
                }
                if self.is_scad && matches!(chosen, Expr::Conditional(..)) && is_partial {
                    return Err(Untranslatable::Construct(0, "if", PARTIAL));
                }
                Ok(chosen)
            }
            Expr::Call(name, arguments, at) => self.call(name, arguments, *at),
            Expr::Method(of, name, arguments, at) => self.method(of, name, arguments, *at),
            Expr::Module(name, arguments, children, at) => {
                openscad::module(self, name, arguments, children, *at)
            }
            Expr::Member(of, name, at) => self.member(of, name, *at),
            Expr::Index(of, index) => {
                if let Expr::Text(field) = &**index {
                    return self.field(of, field);
                }
                let place = match &**index {
                    Expr::Number(number) => ["0", "1", "2"].iter().position(|axis| axis == number),
                    // From the end.
                    Expr::Negation(number) => match &**number {
                        Expr::Number(number) => {
                            ["3", "2", "1"].iter().position(|axis| axis == number)
                        }
                        _ => None,
                    },
                    _ => None,
                };
                let of = self.lower(of)?;
                let axes = self.axes(&of);
                let place = place.map(|place| match **index {
                    Expr::Negation(_) => (place + axes.len()).checked_sub(3),
                    _ => Some(place),
                });
                let component = place.flatten().and_then(|place| axes.get(place));
                Ok(member(of, component.ok_or(Untranslatable::Unknown)?))
            }
            Expr::FirstTwo(of) => {
                let of = self.lower(of)?;
                self.components(of, "xy")
            }
            Expr::List(values, at) => self.list(values, *at),
            Expr::Comparison(..) => unreachable!("a comparison is a condition"),
            Expr::Record(fields, at) => self.record(fields, *at),
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
    pub(super) fn is_free_point(&self, value: &Expr) -> bool {
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

    /// True if a lowered value is computed from the point, as distances are, and no component of it.
    pub(super) fn is_distance(&self, value: &Expr) -> bool {
        let is_component = match value {
            Expr::Name(name, _) => self.binding(name).is_none(),
            Expr::Member(..) => true,
            _ => false,
        };
        !is_component && self.ty(value) != Some(Ty::Vector) && self.mentions_position(value)
    }

    /// True if a lowered value is a shape: of the library, or the minimum or maximum of such.
    pub(super) fn is_shape(&self, value: &Expr) -> bool {
        match value {
            Expr::Name(name, _) => self
                .binding(name)
                .is_some_and(|binding| self.is_shape(&binding.value)),
            Expr::Call(function, arguments, _) => match function.as_str() {
                "min" | "max" => arguments
                    .iter()
                    .all(|argument| self.is_shape(&argument.value)),
                form if is_shape_form(form) => true,
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

    pub(super) fn free_name(&mut self, text: &str, at: usize) -> Expr {
        if !self.arguments.contains(text) {
            match text {
                "PI" | "M_PI" | "Pi" => {
                    self.notes.add(at, Why::Value, text);
                    return name("pi");
                }
                "Infinity" | "INFINITY" | "FLT_MAX" | "DBL_MAX" | "HUGE_VAL" => {
                    self.notes.add(at, Why::Value, text);
                    return infinity::value();
                }
                "tau" | "TAU" | "TWO_PI" => {
                    self.notes.add(at, Why::Value, text);
                    return binary("*", number(2.0), name("pi"));
                }
                _ if self.notes.has_fields
                    && let Some(axis) = fields::axis(text) =>
                {
                    self.notes.add(at, Why::Value, text);
                    return axis;
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

    pub(super) fn member(&mut self, of: &Expr, text: &str, at: usize) -> Result<Expr> {
        if let Expr::Name(module, _) = of
            && self.is_module(of)
        {
            let constant = match text {
                _ if infinity::is_name(text) => infinity::value(),
                "pi" | "PI" => name("pi"),
                "e" | "E" => name("e"),
                "tau" => binary("*", number(2.0), name("pi")),
                "SQRT2" => call("sqrt", vec![number(2.0)], 0),
                "SQRT1_2" => call("sqrt", vec![number(0.5)], 0),
                _ => return Err(Untranslatable::Unknown),
            };
            self.notes
                .add(at, module_language(module), &format!("{module}.{text}"));
            return Ok(constant);
        }
        let value = self.lower(of)?;
        if let Expr::Record(fields, _) = &value {
            let field = fields.iter().find(|(name, _)| name == text);
            return field
                .map(|(_, value)| value.clone())
                .ok_or(Untranslatable::Unknown);
        }
        if text == "T" && self.ty(&value) == Some(Ty::Vector) {
            return Ok(value);
        }
        if let Expr::Call(function, elements, _) = &value
            && function == "vec4"
        {
            let elements: Vec<Expr> = elements.iter().map(|it| it.value.clone()).collect();
            return self.of_four(&elements, text, at);
        }
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
            if components == "z" && self.is_flat(&value) {
                return Err(Untranslatable::Unknown);
            }
            if components != text {
                self.notes.add(at, Why::Component, &format!(".{text}"));
            }
            return Ok(member(value, &components));
        }
        Ok(member(value, text))
    }

    /// A length with a unit, in the unit of the document.
    pub(super) fn length(&mut self, unit: &str, value: &Expr) -> Result<Expr> {
        let spelled = Unit::ALL.into_iter().find(|own| own.spellings()[0] == unit);
        let mil = 1e-3 * Unit::Inch.metres();
        let metres = spelled.map_or(mil, Unit::metres);
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
                "vec2" | "vec3" | "float3" | "splat" | "cross" | "normalize" | "transform" => {
                    Some(Ty::Vector)
                }
                "length" | "dot" => Some(Ty::Float),
                form if is_shape_form(form) => Some(Ty::Float),
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
        let shape = self.expanded(shape)?;
        self.spend(&shape)?;
        let mut uses = 0;
        shape.names(&mut |name| uses += usize::from(matches!(name, "pos" | "x" | "y" | "z")));
        let point = if uses > 1 {
            self.atom("q", point.clone())?
        } else {
            point.clone()
        };
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
