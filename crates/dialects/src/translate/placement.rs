//! Shapes that are translated, scaled and mirrored, by the point at which they are evaluated.

use super::{Translator, Ty};
use crate::tree::{
    Expr, Result, binary, call, constant_number, fold, member, name, number, vector,
};

/// A shape that is moved, scaled or mirrored by a vector.
pub(super) fn moved(
    translator: &mut Translator<'_>,
    how: &str,
    shape: &Expr,
    by: Expr,
    at: usize,
) -> Result<Expr> {
    let pos = name("pos");
    match how {
        "translate" => translator.at_point(shape, &binary("-", pos, by)),
        "scale" if translator.ty(&by) == Some(Ty::Vector) => {
            let by = if translator.is_flat(&by) {
                let [x, y] = ["x", "y"].map(|axis| member(by.clone(), axis));
                vector([x, y, number(1.0)])
            } else {
                by
            };
            let is_literal = matches!(&by, Expr::Call(_, sizes, _) if sizes.iter().all(|it| constant_number(&it.value).is_some()));
            let by = if is_literal {
                by
            } else {
                translator.atom("size", by)?
            };
            let factors = ["x", "y", "z"].map(|axis| member(by.clone(), axis));
            let least = fold(
                "min",
                factors.map(|factor| magnitude(factor, at)).into_iter(),
                at,
            );
            let shape = translator.at_point(shape, &binary("/", pos, by))?;
            Ok(binary("*", shape, least))
        }
        "scale" => {
            let shape = translator.at_point(shape, &binary("/", pos, by.clone()))?;
            Ok(binary("*", shape, magnitude(by, at)))
        }
        _ => {
            let normal = translator.atom("normal", call("normalize", vec![by], at))?;
            let along = call("dot", vec![pos.clone(), normal.clone()], at);
            let point = binary(
                "-",
                pos,
                binary("*", binary("*", number(2.0), along), normal),
            );
            translator.at_point(shape, &point)
        }
    }
}

/// Size of a factor, which mirrors if it is negative.
fn magnitude(factor: Expr, at: usize) -> Expr {
    match constant_number(&factor) {
        Some(positive) if positive >= 0.0 => factor,
        Some(negative) => number(-negative),
        None => call("abs", vec![factor], at),
    }
}
