//! Vectors of two and four components, matrices of two and three columns, and lists, which expressions lack.
//!
//! A vector of two components is printed as `vec3(a, b, 0)`; a result whose third component may differ from 0 is
//! written anew. Vectors of four components and matrices remain only as their elements.

use fibula_core::expression::is_shape_form;
use fibula_core::library;
use fibula_nodes::Type;

use super::{Translator, Ty};
use crate::notes::Why;
use crate::tree::{
    CLASS, Expr, Result, Untranslatable, binary, call, constant_number, flat, member, name, number,
    vector,
};

/// Names that vectors have in other languages, and `vec3`.
const VECTORS: [&str; 27] = [
    "stack",
    "column_stack",
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
    "vec2f",
    "vec4",
    "float4",
    "vec4f",
    "vec3",
    "float3",
    "vec3f",
    "Vec2",
    "Vec4",
];
/// Functions of vectors whose results are no vectors of as many components, beside the forms of shapes.
const REDUCTIONS: [&str; 9] = [
    "length",
    "dot",
    "cross",
    "vec3",
    "float3",
    "splat",
    "mat4",
    "transform",
    "vec4",
];

/// Most values that are looked at to know which vectors have two components.
const MAX_STEPS: usize = 200_000;

/// True if a function makes a vector.
pub(super) fn is_vector(text: &str) -> bool {
    VECTORS.contains(&text)
}

/// Number of components of the vectors that a function makes, if its name says it.
fn components_of(text: &str) -> Option<usize> {
    match text {
        "vec2" | "float2" | "Vector2" | "vec2f" | "Vec2" => Some(2),
        "vec3" | "float3" | "vec3f" | "Vec3" | "Vector3" | "make_float3" => Some(3),
        "vec4" | "float4" | "vec4f" | "Vec4" => Some(4),
        _ => None,
    }
}

/// Columns of a matrix that was translated.
fn columns(value: &Expr) -> Option<Vec<Vec<Expr>>> {
    let Expr::Call(function, elements, _) = value else {
        return None;
    };
    let rows = match function.as_str() {
        "mat2" => 2,
        "mat3" => 3,
        _ => return None,
    };
    let elements: Vec<Expr> = elements.iter().map(|it| it.value.clone()).collect();
    (elements.len() == rows * rows).then(|| elements.chunks(rows).map(<[Expr]>::to_vec).collect())
}

/// A matrix of its columns.
fn matrix(columns: &[Vec<Expr>], at: usize) -> Expr {
    let function = if columns.len() == 2 { "mat2" } else { "mat3" };
    call(function, columns.concat(), at)
}

fn transposed(columns: &[Vec<Expr>]) -> Vec<Vec<Expr>> {
    let row = |row: usize| columns.iter().map(|column| column[row].clone()).collect();
    (0..columns.len()).map(row).collect()
}

/// A vector of two or three components.
pub(super) fn vector_from(mut components: Vec<Expr>) -> Option<Expr> {
    match components.len() {
        2 => {
            let y = components.remove(1);
            Some(flat(components.remove(0), y))
        }
        3 => components.try_into().ok().map(vector),
        _ => None,
    }
}

/// A value that the language of expressions lacks, in a lowered value: its offset, its name, and what to write.
pub(super) fn foreign(value: &Expr) -> Option<(usize, &'static str, &'static str)> {
    match value {
        Expr::Call(function, _, at) if function == "vec4" => Some((
            *at,
            "vec4",
            "vectors have three components: compute with vec3 and a float of its own, or take .xyz or .w of it at once",
        )),
        Expr::Call(function, _, at) if matches!(function.as_str(), "mat2" | "mat3") => Some((
            *at,
            if function == "mat2" { "mat2" } else { "mat3" },
            "a matrix only multiplies a vector or a matrix; rotate_x, rotate_y and rotate_z(pos, angle) rotate the point",
        )),
        Expr::Number(text) if text == crate::infinity::TEXT => Some((
            0,
            "inf",
            "no number is infinite; it is understood as the start of a minimum or a maximum, as in min(inf, d)",
        )),
        Expr::Record(fields, at) if fields.iter().all(|(name, _)| name != CLASS) => Some((
            *at,
            "dictionary",
            "values in braces are no arguments: write box(pos, size = vec3(1, 2, 3)), or take one of them, as in params.r",
        )),
        Expr::Record(_, at) => Some((
            *at,
            "class",
            "an object or a dictionary has no value: end with the value of one of its fields or methods",
        )),
        other => other.parts().into_iter().find_map(foreign),
    }
}

impl Translator<'_> {
    /// True if a lowered value is a vector of two components.
    pub(super) fn is_flat(&self, value: &Expr) -> bool {
        if !self.has_flat {
            return false;
        }
        self.flat_steps.set(self.flat_steps.get() + 1);
        let is_all_flat = |values: &[&Expr]| {
            let flat: Vec<bool> = values.iter().map(|value| self.is_flat(value)).collect();
            let mut others = values.iter().zip(&flat).filter(|(_, is_flat)| !**is_flat);
            flat.contains(&true) && others.all(|(value, _)| self.ty(value) != Some(Ty::Vector))
        };
        match value {
            Expr::Name(name, _) => self.binding(name).is_some_and(|binding| binding.is_flat),
            Expr::Negation(inner) => self.is_flat(inner),
            Expr::Binary(_, a, b) | Expr::Conditional(_, a, b) => is_all_flat(&[a, b]),
            Expr::Call(function, arguments, _) => match function.as_str() {
                "vec2" => true,
                function if REDUCTIONS.contains(&function) || is_shape_form(function) => false,
                function => {
                    let is_componentwise = match library::find(function) {
                        Some(known) => known.outputs()[0].ty == Type::Float3,
                        None => self.document.functions().all(|own| own.name() != function),
                    };
                    let values: Vec<&Expr> = arguments.iter().map(|it| &it.value).collect();
                    is_componentwise && is_all_flat(&values)
                }
            },
            _ => false,
        }
    }

    /// Components of a vector.
    pub(super) fn axes(&self, value: &Expr) -> &'static [&'static str] {
        if self.is_flat(value) {
            &["x", "y"]
        } else {
            &["x", "y", "z"]
        }
    }

    /// A lowered value; of a vector of two components with the third component 0.
    ///
    /// # Errors
    /// If it takes too many steps to know it, since trees are deep.
    pub(super) fn flattened(&mut self, value: Expr) -> Result<Expr> {
        self.has_flat |= matches!(&value, Expr::Call(function, ..) if function == "vec2");
        if !self.has_flat {
            return Ok(value);
        }
        if self.flat_steps.get() > MAX_STEPS {
            return Err(Untranslatable::Unknown);
        }
        let value = match value {
            // A number is one of each component.
            Expr::Binary(operator @ ("+" | "-"), a, b)
                if self.is_flat(&a) != self.is_flat(&b)
                    && (is_repeatable(&a) || is_repeatable(&b)) =>
            {
                let raised = |value: Expr| {
                    if is_repeatable(&value) && self.ty(&value) == Some(Ty::Float) {
                        flat(value.clone(), value)
                    } else {
                        value
                    }
                };
                if self.ty(&a) == Some(Ty::Vector) {
                    Expr::Binary(operator, a, Box::new(raised(*b)))
                } else {
                    Expr::Binary(operator, Box::new(raised(*a)), b)
                }
            }
            other => other,
        };
        let is_computed = matches!(
            value,
            Expr::Binary(..) | Expr::Call(..) | Expr::Conditional(..)
        );
        if !is_computed || !self.is_flat(&value) || self.keeps_zero(&value) {
            return Ok(value);
        }
        let value = self.atom("v", value)?;
        Ok(flat(member(value.clone(), "x"), member(value, "y")))
    }

    /// True if the third component of a vector of two components is 0, where those of the operands are.
    fn keeps_zero(&self, value: &Expr) -> bool {
        let is_zero = |value: &Expr| self.is_flat(value) || constant_number(value) == Some(0.0);
        match value {
            Expr::Binary("+" | "-", a, b) | Expr::Conditional(_, a, b) => is_zero(a) && is_zero(b),
            Expr::Binary("*", ..) => true,
            Expr::Binary("/", _, divisor) => !self.is_flat(divisor),
            Expr::Call(function, arguments, _) => {
                let values: Vec<&Expr> = arguments.iter().map(|it| &it.value).collect();
                match (function.as_str(), &values[..]) {
                    ("vec2" | "rotate_z" | "repeat_polar", [_, _])
                    | (
                        "abs" | "sin" | "tan" | "floor" | "ceil" | "round" | "sign" | "fract"
                        | "sqrt" | "normalize" | "absolute",
                        [_],
                    ) => true,
                    ("min" | "max" | "minimum" | "maximum", values) => {
                        values.iter().all(|value| is_zero(value))
                    }
                    ("mix", [a, b, _]) => is_zero(a) && is_zero(b),
                    ("mod" | "fmod", [_, divisor]) => !self.is_flat(divisor),
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// Vectors of two or three components, and matrices.
    pub(super) fn list(&mut self, values: &[Expr], at: usize) -> Result<Expr> {
        if let [Expr::List(..), ..] = values {
            let mut rows = Vec::new();
            for row in values {
                let Expr::List(row, _) = row else {
                    return Err(Untranslatable::Unknown);
                };
                rows.push(row.clone());
            }
            let is_square = rows.iter().all(|row| row.len() == rows.len());
            return match rows.len() {
                1 => self.list(&rows[0], at),
                2 | 3 if is_square => {
                    let rows = rows.iter().map(|row| self.elements(row));
                    let rows = rows.collect::<Result<Vec<_>>>()?;
                    Ok(matrix(&transposed(&rows), at))
                }
                4 if is_square => self.list(&rows.concat(), at),
                _ => Err(Untranslatable::Unknown),
            };
        }
        let values = values.iter().map(|value| self.lower(value));
        let mut values = values.collect::<Result<Vec<_>>>()?;
        match values.len() {
            1 => Ok(values.remove(0)),
            16 => Ok(call("mat4", values, at)),
            _ => vector_from(values).ok_or(Untranslatable::Unknown),
        }
    }

    /// Elements of a matrix, as values that may be repeated.
    fn elements(&mut self, values: &[Expr]) -> Result<Vec<Expr>> {
        let lowered = values.iter().map(|value| {
            let value = self.lower(value)?;
            self.atom("m", value)
        });
        lowered.collect()
    }

    /// A vector of components of a vector, such as `.xz`.
    pub(super) fn components(&mut self, value: Expr, components: &str) -> Result<Expr> {
        if components == "xyz" {
            return if self.is_flat(&value) {
                Err(Untranslatable::Unknown)
            } else {
                Ok(value)
            };
        }
        let value = self.atom("v", value)?;
        if components.contains('z') && self.is_flat(&value) {
            return Err(Untranslatable::Unknown);
        }
        let axes = components
            .chars()
            .map(|axis| member(value.clone(), &axis.to_string()));
        vector_from(axes.collect()).ok_or(Untranslatable::Unknown)
    }

    /// Components of a vector of four components, such as `.xyz` and `.w`.
    pub(super) fn of_four(
        &mut self,
        elements: &[Expr],
        components: &str,
        at: usize,
    ) -> Result<Expr> {
        let axes = components.chars().map(|axis| match axis {
            'x' | 'r' => Some(0),
            'y' | 'g' => Some(1),
            'z' | 'b' => Some(2),
            'w' | 'a' => Some(3),
            _ => None,
        });
        let axes = axes.collect::<Option<Vec<usize>>>();
        let axes = axes.ok_or(Untranslatable::Unknown)?;
        let mut picked: Vec<Expr> = axes
            .into_iter()
            .map(|axis| elements[axis].clone())
            .collect();
        self.notes
            .add(at, Why::Component, &format!(".{components}"));
        match picked.len() {
            1 => Ok(picked.remove(0)),
            4 => Ok(call("vec4", picked, at)),
            _ => vector_from(picked).ok_or(Untranslatable::Unknown),
        }
    }

    /// `vec2(a, b)`, `vec3(a)`, `np.array([a, b, c])`.
    pub(super) fn vector_of(&mut self, text: &str, values: &[&Expr], at: usize) -> Result<Expr> {
        if let [Expr::List(values, _)] = values {
            return self.list(values, at);
        }
        let values = values.iter().map(|value| self.lower(value));
        let values = values.collect::<Result<Vec<_>>>()?;
        let wanted = components_of(text);
        if let [only] = &values[..] {
            let only = only.clone();
            let is_vector = self.ty(&only) == Some(Ty::Vector);
            match wanted {
                _ if is_vector
                    && (wanted.is_none() || wanted == Some(3))
                    && !self.is_flat(&only) =>
                {
                    return Ok(only);
                }
                None if is_vector => return Ok(only),
                Some(2) if is_vector => return self.components(only, "xy"),
                Some(3) if matches!(only, Expr::Number(_)) => {
                    return Ok(vector([only.clone(), only.clone(), only]));
                }
                Some(3) | None if !is_vector && !is_four(&only) => {
                    return Ok(call("splat", vec![only], at));
                }
                Some(count) if !is_vector && !is_four(&only) => {
                    let only = self.atom("v", only)?;
                    let same = vec![only; count];
                    return match count {
                        2 => vector_from(same).ok_or(Untranslatable::Unknown),
                        _ => Ok(call("vec4", same, at)),
                    };
                }
                _ => {}
            }
        }
        let mut components = Vec::new();
        for value in values {
            components.extend(self.split(value)?);
        }
        match (components.len(), wanted) {
            (2, None | Some(2)) | (3, None | Some(3)) => {
                vector_from(components).ok_or(Untranslatable::Unknown)
            }
            (4, Some(3)) if text != "vec3" => Err(Untranslatable::Unknown),
            (4, Some(4)) => {
                let atoms = components.into_iter().map(|value| self.atom("v", value));
                Ok(call("vec4", atoms.collect::<Result<_>>()?, at))
            }
            (16, None) => Ok(call("mat4", components, at)),
            _ => Err(Untranslatable::Unknown),
        }
    }

    /// The numbers that a value adds to a vector.
    fn split(&mut self, value: Expr) -> Result<Vec<Expr>> {
        if let Expr::Call(function, elements, _) = &value
            && matches!(function.as_str(), "vec2" | "vec3" | "vec4")
        {
            return Ok(elements.iter().map(|it| it.value.clone()).collect());
        }
        if self.ty(&value) != Some(Ty::Vector) {
            return Ok(vec![value]);
        }
        let axes = self.axes(&value);
        let value = self.atom("v", value)?;
        Ok(axes
            .iter()
            .map(|axis| member(value.clone(), axis))
            .collect())
    }

    /// `mat2(a, b, c, d)` and `mat3(a, ...)`, column by column; `None` if the arguments are others.
    pub(super) fn matrix_of(
        &mut self,
        text: &str,
        values: &[&Expr],
        at: usize,
    ) -> Result<Option<Expr>> {
        let rows = if text.starts_with("mat2") { 2 } else { 3 };
        let mut elements = Vec::new();
        for value in values {
            let value = self.lower(value)?;
            elements.extend(self.split(value)?);
        }
        if elements.len() != rows * rows {
            return Ok(None);
        }
        let elements = elements.into_iter().map(|value| self.atom("m", value));
        let function = if rows == 2 { "mat2" } else { "mat3" };
        Ok(Some(call(function, elements.collect::<Result<_>>()?, at)))
    }

    /// The product of two lowered values of which one is a matrix; `None` if none is.
    pub(super) fn matrix_product(
        &mut self,
        left: &Expr,
        right: &Expr,
        at: usize,
    ) -> Result<Option<Expr>> {
        let (first, second) = (columns(left), columns(right));
        let Some(of) = first.as_ref().or(second.as_ref()) else {
            return Ok(None);
        };
        let count = of.len();
        let product = match (&first, &second) {
            (Some(first), Some(second)) => {
                let mut product = Vec::new();
                for column in second {
                    let column = Self::combined(first, column);
                    let atoms = column.into_iter().map(|value| self.atom("m", value));
                    product.push(atoms.collect::<Result<Vec<_>>>()?);
                }
                return Ok(Some(matrix(&product, at)));
            }
            (Some(columns), None) => self.transformed(columns, right.clone())?,
            _ => self.transformed(&transposed(of), left.clone())?,
        };
        if product.len() != count {
            return Err(Untranslatable::Unknown);
        }
        Ok(vector_from(product))
    }

    /// The transposed matrix; `None` if a lowered value is none.
    pub(super) fn transposed_matrix(value: &Expr, at: usize) -> Option<Expr> {
        columns(value).map(|columns| matrix(&transposed(&columns), at))
    }

    /// Components of the sum of the columns times the elements of a column.
    fn combined(columns: &[Vec<Expr>], by: &[Expr]) -> Vec<Expr> {
        let row = |row: usize| {
            let terms = columns.iter().zip(by);
            let mut terms = terms.map(|(column, by)| binary("*", column[row].clone(), by.clone()));
            let first = terms.next().unwrap_or_else(|| number(0.0));
            terms.fold(first, |sum, term| binary("+", sum, term))
        };
        (0..columns.len()).map(row).collect()
    }

    /// Components of the product of a matrix and a vector.
    fn transformed(&mut self, columns: &[Vec<Expr>], of: Expr) -> Result<Vec<Expr>> {
        let axes: &[&str] = match (columns.len(), self.is_flat(&of)) {
            (2, true) => &["x", "y"],
            (3, false) if self.ty(&of) == Some(Ty::Vector) => &["x", "y", "z"],
            _ => return Err(Untranslatable::Unknown),
        };
        let is_plain =
            |value: &Expr| matches!(value, Expr::Name(..) | Expr::Number(_) | Expr::Member(..));
        let of = match &of {
            Expr::Call(function, components, _)
                if matches!(function.as_str(), "vec2" | "vec3")
                    && components.iter().all(|it| is_plain(&it.value)) =>
            {
                self.spend(&of)?;
                of
            }
            _ => self.atom("v", of)?,
        };
        let by: Vec<Expr> = axes.iter().map(|axis| member(of.clone(), axis)).collect();
        Ok(Self::combined(columns, &by))
    }
}

fn is_four(value: &Expr) -> bool {
    matches!(value, Expr::Call(function, ..) if function == "vec4")
}

/// True if a value may be written twice.
fn is_repeatable(value: &Expr) -> bool {
    match value {
        Expr::Number(_) | Expr::Name(..) => true,
        Expr::Negation(inner) => is_repeatable(inner),
        Expr::Member(of, ..) => **of == name("pos") || matches!(**of, Expr::Name(..)),
        _ => false,
    }
}
