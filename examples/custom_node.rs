//! A node kind of your own, in your own crate: seven lines, and it can be placed, linked, written in
//! expressions, listed and evaluated like every other.
//!
//! `cargo run --example custom_node`

use fibula::eval::Tape;
use fibula::expression;
use fibula::graph::Document;
use fibula_nodes::catalogue;
use fibula_nodes::example::s;
use fibula_nodes::port::EACH;
use fibula_nodes::{Expr, Kernel};

fibula_nodes::node! {
    /// Smaller of `A` and `B`, blended over the width `k`. A polynomial smooth union of two distances.
    SmoothMin, helper "smin" | "smoothmin", Choice, (A, B, k) -> (result), EACH,
    [(s(1.0), s(5.0), s(0.5)) -> (s(1.0)), (s(1.0), s(1.0), s(2.0)) -> (s(0.5))],
    |x, kernel| x[0].each_at(|place, a| smooth_min(kernel, a, x[1].scalars()[place], x[2].scalars()[place]))
}

/// min(a, b) - h h k / 4 with h = max(k - |a - b|, 0) / k.
fn smooth_min(kernel: &mut Kernel, a: Expr, b: Expr, k: Expr) -> Expr {
    let (zero, quarter) = (kernel.constant(0.0), kernel.constant(0.25));
    let difference = kernel.sub(a, b);
    let apart = kernel.abs(difference);
    let within = kernel.sub(k, apart);
    let within = kernel.max(within, zero);
    let h = kernel.div(within, k);
    let square = kernel.mul(h, h);
    let width = kernel.mul(k, quarter);
    let blend = kernel.mul(square, width);
    let smaller = kernel.min(a, b);
    kernel.sub(smaller, blend)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let about = catalogue::kind("SmoothMin").map_err(|_| "the kind is in the catalogue")?;
    println!("{}: {}", about.name, about.summary());
    for rule in &about.signature.overloads {
        println!("  {:?} -> {:?}", rule.inputs, rule.outputs);
    }
    let mut document = Document::default();
    let blob = "smin(length(pos) - 2, length(pos - vec3(3, 0, 0)) - 2, 1)";
    let blob = expression::add_function(&mut document, "blob", blob)?;
    println!("{}", expression::print(&document, blob)?);
    let halfway = Tape::new(&document, blob)?.at([1.5, 0.0, 0.0]);
    println!("halfway between the balls: {halfway:?}");
    Ok(())
}
