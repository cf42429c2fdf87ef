//! Measuring at the command line.

use std::process::Command;

/// Output of the command, its error output after a line with the exit code.
fn measure(line: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fibula"));
    // A data folder that cannot be: whoever touched it would fail.
    command.env("FIBULA_DATA", "/dev/null/no data folder");
    let output = command.arg("measure").args(line.split(' ')).output();
    let output = output.expect("the program runs");
    let code = output.status.code().expect("it ended by itself");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("it speaks UTF-8");
    format!(
        "{}-- {code}\n{}",
        text(&output.stdout),
        text(&output.stderr)
    )
}

#[test]
fn a_table_tells_figures_with_their_units_and_errors() {
    let bounds = "--bounds -6,-6,-6 6,6,6 --cell 0.6";
    let said = measure(&format!("-e sphere(pos,5) {bounds}"));
    for part in [
        "volume      5",
        " millimeter^3\n",
        "pieces      1\n",
        "closed, manifold, oriented\n",
        "wall        10.00",
        "gap         none\n",
        "overhang    ",
        "-- 0",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let said = measure(&format!("-e sphere(pos,5) {bounds} --overhang 60 --json"));
    let text = said.split("-- 0").next().unwrap_or_default();
    let answer: serde_json::Value = serde_json::from_str(text).expect("JSON");
    let number = |of: &str| answer["volume"][of].as_f64().expect("a number");
    let (volume, error) = (number("value"), number("error"));
    assert!((volume - 523.599).abs() < error && error < 20.0, "{answer}");
    assert_eq!(answer["unit"], "millimeter");
    let said = measure(&format!(
        "-e sphere(pos,5) {bounds} --to-expression sphere(pos,3)"
    ));
    assert_contains!(said => "distance    2.0", "overlap     11");
}

#[test]
fn what_cannot_be_measured_is_told() {
    for (line, expected) in cases![
        "-e sphere(pos,5) --cell 0" => "invalid_value";
        "-e sphere(pos,5) --cell 1e-9" => "too_large";
        "-e sphere(pos,5) --cell nan" => "invalid_value";
        "-e sphere(pos,5) --overhang 90" => "invalid_value: the overhang angle must be";
        "-e sphere(pos,5)+9" => "empty_shape";
        "-e z" => "unbounded_shape";
        "-e pos" => "no_field";
        "-e sphere(pos,5) --to-function ball" => "invalid_arguments";
        "-e sphere(pos,5) --to-arg radius=4" => "invalid_arguments";
        "-e sphere(pos,5) --to no-such-file.3mf" => "unreadable_file";
    ] {
        let said = measure(line);
        let is_told = said.contains(&format!("fibula: {expected}")) && said.contains("-- 1");
        assert!(is_told, "{line}: {said}");
    }
    let said = measure("-e x --overhang 30 --to-expression y");
    assert_contains!(said => "cannot be used with", "-- 2");
}
