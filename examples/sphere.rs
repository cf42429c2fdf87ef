//! From an expression to a picture in the terminal: a slice through a hollow ball with a gyroid inside.
//!
//! `cargo run --example sphere`

use fibula::eval::Tape;
use fibula::expression;
use fibula::graph::Document;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut document = Document::default();
    expression::add_function(&mut document, "ball", "length(pos) - 5")?;
    expression::add_function(
        &mut document,
        "gyroid",
        "abs(sin(x) * cos(y) + sin(y) * cos(z) + sin(z) * cos(x)) - 0.4",
    )?;
    // Functions call one another by name. Less than 0 is inside.
    let part = expression::add_function(
        &mut document,
        "part",
        "let skin = abs(ball(pos)) - 0.4; min(skin, max(ball(pos), gyroid(1.6 * pos)))",
    )?;
    println!("{}\n", expression::print(&document, part)?);

    let tape = Tape::new(&document, part)?;
    let mut evaluator = tape.evaluator();
    println!("{} operations; the plane z = 0.5:", tape.operations().len());
    for row in 0..24 {
        let y = 6.0 - f64::from(row) * 0.5;
        let line: String = (0..50)
            .map(|column| {
                let x = -6.125 + f64::from(column) * 0.25;
                let mut distance = [0.0];
                evaluator.run(&[x, y, 0.5], &mut distance);
                if distance[0] < 0.0 { '#' } else { '.' }
            })
            .collect();
        println!("{line}");
    }
    Ok(())
}
