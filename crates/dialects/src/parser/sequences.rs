//! Lists that a text gives, and what makes lists of them: `range`, `zip`, `map`, `sorted`, `product`.

use super::Parser;
use super::loops::{MAX_REPETITIONS, steps};
use crate::notes::Why;
use crate::tree::{APPLY, Argument, Expr, Result, Untranslatable, binary, call, literal, member};

/// Functions of a list that is no vector, even if it has two or three elements.
const LIST_FUNCTIONS: [&str; 18] = [
    "min",
    "max",
    "sum",
    "fsum",
    "len",
    "sorted",
    "reduce",
    "minimum",
    "maximum",
    "amin",
    "amax",
    "nanmin",
    "nanmax",
    "divmod",
    "sort",
    "union",
    "intersection",
    "difference",
];

impl Parser<'_> {
    /// The element of a list at an index that is known.
    pub(super) fn element(&self, list: &Expr, index: &Expr) -> Option<Expr> {
        let Expr::List(items, _) = list else {
            return None;
        };
        let index = self.value_of(index).ok()?;
        let place = if index < 0.0 {
            index + items.len() as f64
        } else {
            index
        };
        let is_place = place >= 0.0 && place.fract() == 0.0;
        is_place
            .then(|| items.get(place as usize).cloned())
            .flatten()
    }

    /// The elements of a list, or of what makes one.
    pub(super) fn items(&self, list: &Expr) -> Option<Vec<Expr>> {
        let numbers = |arguments: &[Argument]| -> Option<Vec<f64>> {
            let value = |argument: &Argument| self.value_of(&argument.value).ok();
            arguments.iter().map(value).collect()
        };
        let pair = |values: Vec<Expr>| Expr::List(values, 0);
        let (name, arguments) = match list {
            Expr::List(values, _) => return Some(values.clone()),
            Expr::FirstTwo(of) => {
                let axis = |axis: &str| member((**of).clone(), axis);
                return Some(vec![axis("x"), axis("y")]);
            }
            Expr::Name(name, _) => {
                return self.loops.lists.get(name).map(|list| list.items.clone());
            }
            Expr::Call(name, arguments, _) | Expr::Method(_, name, arguments, _) => {
                (name.as_str(), &arguments[..])
            }
            _ => return None,
        };
        match (name, arguments) {
            ("range" | "arange", _) => match numbers(arguments)?[..] {
                [to] => steps(0.0, 1.0, to, false).ok(),
                [from, to] => steps(from, 1.0, to, false).ok(),
                [from, to, step] => steps(from, step, to, false).ok(),
                _ => None,
            },
            ("linspace", _) => match numbers(arguments)?[..] {
                [from, to, count] if count >= 2.0 => {
                    steps(from, (to - from) / (count - 1.0), to, true).ok()
                }
                _ => None,
            },
            ("array" | "asarray" | "list" | "tuple" | "stack" | "vstack" | "iter", [only, ..]) => {
                self.items(&only.value)
            }
            ("map", [function, values])
                if matches!(function.value, Expr::Lambda(..) | Expr::Name(..)) =>
            {
                let values = self.items(&values.value)?.into_iter();
                values
                    .map(|value| applied(&function.value, value))
                    .collect()
            }
            ("map", [function]) => {
                let Expr::Method(of, ..) = list else {
                    return None;
                };
                let values = self.items(of)?.into_iter();
                values
                    .map(|value| applied(&function.value, value))
                    .collect()
            }
            ("reversed", [only]) => Some(self.items(&only.value)?.into_iter().rev().collect()),
            ("sorted" | "sort", [only]) => self.sorted(&only.value, false),
            ("sorted", [only, reverse]) if reverse.name.as_deref() == Some("reverse") => {
                self.sorted(&only.value, reverse.value == Expr::Bool(true))
            }
            ("divmod", [a, b]) => {
                let ratio = binary("/", a.value.clone(), b.value.clone());
                let rest = call("mod", vec![a.value.clone(), b.value.clone()], 0);
                Some(vec![call("floor", vec![ratio], 0), rest])
            }
            ("product", _) => self.product_of(arguments),
            ("enumerate", [only]) => {
                let items = self.items(&only.value)?.into_iter().enumerate();
                Some(
                    items
                        .map(|(index, item)| pair(vec![literal(index as f64), item]))
                        .collect(),
                )
            }
            ("zip", [_, ..]) => {
                let lists = arguments.iter().map(|list| self.items(&list.value));
                let lists: Vec<Vec<Expr>> = lists.collect::<Option<_>>()?;
                let rows = lists.iter().map(Vec::len).min()?;
                let row = |index: usize| lists.iter().map(|list| list[index].clone()).collect();
                Some((0..rows).map(|index| pair(row(index))).collect())
            }
            _ => None,
        }
    }

    /// The product of lists, as of `itertools.product`.
    fn product_of(&self, arguments: &[Argument]) -> Option<Vec<Expr>> {
        let mut lists = Vec::new();
        let mut repeat = 1.0;
        for argument in arguments {
            match argument.name.as_deref() {
                None => lists.push(self.items(&argument.value)?),
                Some("repeat") => repeat = self.value_of(&argument.value).ok()?,
                Some(_) => return None,
            }
        }
        let is_count = repeat.fract() == 0.0 && (1.0..=8.0).contains(&repeat);
        let lists = is_count.then(|| vec![lists; repeat as usize].concat())?;
        let mut rows: Vec<Vec<Expr>> = vec![Vec::new()];
        for list in &lists {
            if rows.len() * list.len() > MAX_REPETITIONS {
                return None;
            }
            let longer = |row: &Vec<Expr>| {
                let row = row.clone();
                list.iter()
                    .map(move |item| [&row[..], std::slice::from_ref(item)].concat())
            };
            rows = rows.iter().flat_map(longer).collect();
        }
        Some(rows.into_iter().map(|row| Expr::List(row, 0)).collect())
    }

    /// Elements in order: of numbers, or of two values.
    fn sorted(&self, list: &Expr, is_reversed: bool) -> Option<Vec<Expr>> {
        let items = self.items(list)?;
        let numbers = items.iter().map(|item| self.value_of(item).ok());
        let mut sorted = if let Some(mut numbers) = numbers.collect::<Option<Vec<f64>>>() {
            numbers.sort_by(f64::total_cmp);
            numbers.into_iter().map(literal).collect()
        } else if items.len() == 2 {
            vec![call("min", items.clone(), 0), call("max", items, 0)]
        } else {
            return None;
        };
        if is_reversed {
            sorted.reverse();
        }
        Some(sorted)
    }

    /// Number of tokens of the size of an array, such as `[3]` or `[]`, some tokens ahead; 0 if there is none.
    pub(super) fn array_size(&self, ahead: usize) -> usize {
        if !self.peek(ahead).is("[") {
            0
        } else if self.peek(ahead + 1).is("]") {
            2
        } else if self.peek(ahead + 2).is("]") {
            3
        } else {
            0
        }
    }

    /// The elements of `float[3](1.0, 2.0, 3.0)`, from the size of the array on.
    pub(super) fn array(&mut self, at: usize) -> Result<Expr> {
        self.notes.add(at, Why::List, "[...]");
        self.next += self.array_size(0);
        let items = self.arguments()?.into_iter().map(|argument| argument.value);
        Ok(Expr::List(items.collect(), at))
    }

    /// The call of a function with lists in the place of their names, where no vector is meant, or the list that it makes.
    pub(super) fn with_lists(
        &mut self,
        name: &str,
        arguments: Vec<Argument>,
        at: usize,
    ) -> Result<std::result::Result<Expr, Vec<Argument>>> {
        if matches!(name, "sorted" | "divmod") && !arguments.is_empty() {
            self.notes.add(at, Why::Python, name);
            let made = call_of(name, arguments);
            return match self.items(&made) {
                Some(items) => Ok(Ok(Expr::List(items, at))),
                None => Err(Untranslatable::Construct(
                    at,
                    if name == "sorted" { "sorted" } else { "divmod" },
                    "numbers and pairs are sorted: min(min(a, b), c) is the least of three, max(max(a, b), c) the greatest, \
                     max(min(a, b), min(max(a, b), c)) the middle one",
                )),
            };
        }
        if !LIST_FUNCTIONS.contains(&name) {
            return Ok(Err(arguments));
        }
        let has_one = arguments.iter().filter(|it| it.name.is_none()).count() == 1;
        let listed = arguments.into_iter().map(|argument| {
            let is_listed = argument.name.is_none()
                && (has_one || name == "reduce")
                && matches!(
                    argument.value,
                    Expr::Name(..) | Expr::Call(..) | Expr::Method(..)
                );
            let items = if is_listed {
                self.items(&argument.value)
            } else {
                None
            };
            match items {
                Some(items) => Argument {
                    name: None,
                    value: Expr::List(items, at),
                },
                None => argument,
            }
        });
        Ok(Err(listed.collect()))
    }
}

fn call_of(name: &str, arguments: Vec<Argument>) -> Expr {
    Expr::Call(name.to_owned(), arguments, 0)
}

/// The call of a function, which may have no name, with one value.
fn applied(function: &Expr, value: Expr) -> Option<Expr> {
    let argument = Argument { name: None, value };
    match function {
        Expr::Name(name, at) => Some(Expr::Call(name.clone(), vec![argument], *at)),
        Expr::Lambda(..) => {
            let of = Box::new(function.clone());
            Some(Expr::Method(of, APPLY.to_owned(), vec![argument], 0))
        }
        _ => None,
    }
}
