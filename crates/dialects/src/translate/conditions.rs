//! Conditions: which of two values is chosen, and whether the text decides it.

use std::collections::HashMap;

use super::scopes::Values;
use super::{Translator, Ty};
use crate::infinity;
use crate::notes::Why;
use crate::tree::{
    Expr, Result, Untranslatable, binary, call, constant, constant_number, negative, number,
};

/// Most parts of a condition that are looked at to decide it.
const MAX_DECIDED: usize = 200;

/// A value that the text gives.
enum Known {
    Number(f64),
    Text(String),
}

impl Translator<'_> {
    pub(super) fn is_condition(&self, value: &Expr) -> bool {
        match value {
            Expr::Comparison(..) | Expr::Bool(_) => true,
            Expr::And(a, b) | Expr::Or(a, b) => self.is_condition(a) || self.is_condition(b),
            Expr::Not(a) => self.is_condition(a),
            Expr::Name(name, _) => self.values.get(name).is_some_and(is_stored),
            _ => false,
        }
    }

    /// True if the operands of a condition are conditions too, not values whose truth is meant.
    pub(super) fn is_truth(&self, value: &Expr) -> bool {
        match value {
            Expr::And(a, b) | Expr::Or(a, b) => self.is_truth(a) && self.is_truth(b),
            Expr::Not(a) => self.is_truth(a),
            other => self.is_condition(other),
        }
    }

    /// True if no part of a lowered value is infinite.
    pub(super) fn is_finite(&self, value: &Expr) -> bool {
        match value {
            Expr::Number(text) => text != infinity::TEXT,
            Expr::Name(name, _) => self.binding(name).is_none_or(|binding| binding.is_finite),
            other => other.parts().into_iter().all(|part| self.is_finite(part)),
        }
    }

    /// The truth of a condition between values that the text gives.
    pub(super) fn decided(&self, condition: &Expr) -> Option<bool> {
        self.decided_within(condition, &mut { MAX_DECIDED })
    }

    /// The truth of a condition, if it is found in so many steps: conditions that have names are used again and again.
    fn decided_within(&self, condition: &Expr, steps: &mut usize) -> Option<bool> {
        *steps = steps.checked_sub(1)?;
        match condition {
            Expr::Bool(is_true) => Some(*is_true),
            Expr::Not(inner) => self.decided_within(inner, steps).map(|is_true| !is_true),
            Expr::And(a, b) | Expr::Or(a, b) => {
                let decides = matches!(condition, Expr::Or(..));
                match (self.decided_within(a, steps), self.decided_within(b, steps)) {
                    (first, second) if [first, second].contains(&Some(decides)) => Some(decides),
                    (Some(_), Some(_)) => Some(!decides),
                    _ => None,
                }
            }
            Expr::Comparison(operator, a, b, _) => match (self.known(a)?, self.known(b)?) {
                (Known::Number(a), Known::Number(b)) => {
                    infinity::compared(operator, Some(a), Some(b))
                }
                (Known::Text(a), Known::Text(b)) if *operator == "==" => Some(a == b),
                _ => None,
            },
            Expr::Name(name, _) => match self.values.get(name)? {
                Expr::Name(..) => None,
                value if self.is_condition(value) => self.decided_within(value, steps),
                _ => None,
            },
            _ => None,
        }
    }

    /// The value of a number, a string, or a name of one.
    fn known(&self, value: &Expr) -> Option<Known> {
        match value {
            Expr::Text(text) => Some(Known::Text(text.clone())),
            Expr::Name(name, _) => match self.values.get(name) {
                Some(Expr::Text(text)) => Some(Known::Text(text.clone())),
                Some(lowered) => self.bound_number(lowered).map(Known::Number),
                None => self.bound_number(value).map(Known::Number),
            },
            Expr::Member(of, field, _) => match &**of {
                Expr::Name(name, _) => match self.values.get(name)? {
                    Expr::Record(fields, _) => {
                        let (_, value) = fields.iter().find(|(own, _)| own == field)?;
                        self.known(value)
                    }
                    _ => None,
                },
                _ => None,
            },
            other => constant_number(other).map(Known::Number),
        }
    }

    /// The value of a lowered number, in which names stand for bindings.
    pub(super) fn bound_number(&self, value: &Expr) -> Option<f64> {
        if let Some(number) = constant_number(value) {
            return Some(number);
        }
        let mut numbers = HashMap::new();
        // Bindings depend on earlier ones only.
        for binding in &self.lets {
            if let Some(number) = constant(&binding.value, &numbers) {
                numbers.insert(binding.name.clone(), number);
            }
        }
        constant(value, &numbers)
    }

    /// An operand of a condition, lowered.
    ///
    /// # Errors
    /// If it changes values, since what a condition decides is lowered before it.
    fn operand(&mut self, value: &Expr) -> Result<Expr> {
        let before = self.values.clone();
        let value = self.lower(value)?;
        if self.values == before {
            Ok(value)
        } else {
            Err(Untranslatable::Unknown)
        }
    }

    /// Refuses that calls in a condition change values, since it is lowered where it is used.
    pub(super) fn check_calls(&mut self, condition: &Expr) -> Result<()> {
        if self.may_change(condition) {
            let truth = self.choose(condition, number(1.0), number(0.0))?;
            self.spend(&truth)?;
        }
        Ok(())
    }

    /// True if a value has calls of functions with outputs, or calls of JavaScript.
    fn may_change(&self, value: &Expr) -> bool {
        let is_own = match value {
            Expr::Method(..) => self.notes.has_javascript(),
            Expr::Call(name, ..) => self.definitions.get(name).is_some_and(|function| {
                let mut parameters = function.parameters.iter();
                self.notes.has_javascript() || parameters.any(|parameter| parameter.is_output)
            }),
            _ => false,
        };
        is_own || value.parts().into_iter().any(|part| self.may_change(part))
    }

    /// The value of a text, lowered: of a condition that compares numbers the shape of the points for which it holds.
    pub(super) fn shape(&mut self, value: &Expr) -> Result<Expr> {
        let Some(solid) = self.solid(value).filter(|_| self.is_truth(value)) else {
            return self.lower(value);
        };
        let solid = self.lower(&solid)?;
        if self.ty(&solid) == Some(Ty::Vector) {
            return Err(Untranslatable::Unknown);
        }
        let clause =
            "a comparison stands only before '?' (the shape where a < b is a - b, negative inside)";
        self.notes.add(0, Why::Clause, clause);
        Ok(solid)
    }

    /// A value that is negative where a condition holds, if the condition compares values.
    fn solid(&self, condition: &Expr) -> Option<Expr> {
        let less = |a: &Expr, b: &Expr| match constant_number(b) {
            Some(0.0) => a.clone(),
            _ => binary("-", a.clone(), b.clone()),
        };
        let both = |name: &'static str, a: &Expr, b: &Expr| {
            Some(call(name, vec![self.solid(a)?, self.solid(b)?], 0))
        };
        match condition {
            Expr::Comparison("<", a, b, _) => Some(less(a, b)),
            Expr::Comparison(">", a, b, _) => Some(less(b, a)),
            Expr::And(a, b) => both("max", a, b),
            Expr::Or(a, b) => both("min", a, b),
            Expr::Not(inner) => match &**inner {
                Expr::Comparison("<", a, b, _) => Some(less(b, a)),
                Expr::Comparison(">", a, b, _) => Some(less(a, b)),
                other => self.solid(other).map(negative),
            },
            Expr::Name(name, _) => {
                let value = self.values.get(name).filter(|value| is_stored(value));
                self.solid(value?)
            }
            _ => None,
        }
    }

    /// `condition ? then : otherwise` of lowered values.
    pub(super) fn choose(&mut self, condition: &Expr, then: Expr, otherwise: Expr) -> Result<Expr> {
        self.spend(&then)?;
        self.spend(&otherwise)?;
        if let Some(is_true) = self.decided(condition) {
            return Ok(if is_true { then } else { otherwise });
        }
        match condition {
            Expr::Comparison(operator, left, right, at) => {
                let (left, right) = (self.operand(left)?, self.operand(right)?);
                let (first, second) = (constant_number(&left), constant_number(&right));
                if let Some(is_true) = infinity::compared(operator, first, second) {
                    let unknown = if first.is_none() { &left } else { &right };
                    if !self.is_finite(unknown) && (first.is_none() || second.is_none()) {
                        return Err(Untranslatable::Unknown);
                    }
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
                let value = self.operand(other)?;
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
}

/// Refuses that a name gets another value while a condition that has a name mentions it: the values of conditions are
/// those of their names.
pub(super) fn check_conditions(values: &Values, changed: &str) -> Result<()> {
    let mut is_mentioned = false;
    for condition in values.values().filter(|value| is_stored(value)) {
        condition.names(&mut |name| is_mentioned |= name == changed);
    }
    if is_mentioned {
        Err(Untranslatable::Unknown)
    } else {
        Ok(())
    }
}

/// True if the value of a name is a condition, which is not lowered.
fn is_stored(value: &Expr) -> bool {
    matches!(
        value,
        Expr::Comparison(..) | Expr::Bool(_) | Expr::And(..) | Expr::Or(..) | Expr::Not(_)
    )
}
