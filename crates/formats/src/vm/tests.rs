//! Semantics and errors of .vm files.

use std::fmt::Write as _;

use fibula_core::eval::Tape;
use fibula_core::graph::Document;

use super::*;

const POINT: [f64; 3] = [0.75, -2.5, 3.0];

fn value(text: &str) -> f64 {
    let model = read(text.as_bytes(), "f", &Limits::default())
        .unwrap_or_else(|error| panic!("{text}: {error}"));
    let mut document = Document::default();
    let function = document
        .insert(&model.function)
        .unwrap_or_else(|error| panic!("{text}: {error}"));
    Tape::new(&document, function)
        .expect("every input is set")
        .at(POINT)[0]
}

/// Value of an operation on numbers, and on numbers that are computed from the point.
fn on(operation: &str, operands: &[f64]) -> [f64; 2] {
    let (mut constant, mut computed) = (
        String::new(),
        "x var-x\no const 0\nzero mul x o\n".to_owned(),
    );
    let mut last = format!("r {operation}");
    for (place, operand) in operands.iter().enumerate() {
        let _ = writeln!(constant, "a{place} const {operand}");
        let _ = writeln!(
            computed,
            "c{place} const {operand}\na{place} add c{place} zero"
        );
        let _ = write!(last, " a{place}");
    }
    [constant, computed].map(|text| value(&(text + &last)))
}

/// Checks a value bit by bit, with the signs of zeros.
fn check(text: &str, expected: f64) {
    let value = value(text);
    assert_eq!(
        value.to_bits(),
        expected.to_bits(),
        "{text}: {value}, not {expected}"
    );
}

#[test]
fn operations_mean_what_fidget_means() {
    let check = |operation: &str, operands: &[f64], expected: f64| {
        for value in on(operation, operands) {
            assert_eq!(
                value.to_bits(),
                expected.to_bits(),
                "{operation} {operands:?}: {value}, not {expected}"
            );
        }
    };
    check("add", &[2.0, 3.5], 5.5);
    check("sub", &[2.0, 3.5], -1.5);
    check("mul", &[2.0, 3.5], 7.0);
    check("div", &[7.0, 2.0], 3.5);
    check("min", &[7.0, 2.0], 2.0);
    check("max", &[7.0, 2.0], 7.0);
    check("neg", &[2.5], -2.5);
    check("neg", &[0.0], -0.0);
    check("abs", &[-2.5], 2.5);
    check("sqrt", &[6.25], 2.5);
    check("square", &[-1.5], 2.25);
    check("recip", &[4.0], 0.25);
    check("floor", &[-1.5], -2.0);
    check("ceil", &[-1.5], -1.0);
    check("round", &[2.5], 3.0);
    for (a, b) in [(5.5, 2.0), (-5.5, 2.0), (5.5, -2.0), (-5.5, -2.0)] {
        check("mod", &[a, b], f64::rem_euclid(a, b));
    }
    check("compare", &[1.0, 2.0], -1.0);
    check("compare", &[2.0, 2.0], 0.0);
    check("compare", &[3.0, 2.0], 1.0);
    check("not", &[0.0], 1.0);
    check("not", &[3.0], 0.0);
    check("not", &[-1e-300], 0.0);
    check("and", &[0.0, 7.0], 0.0);
    check("and", &[-0.25, 7.0], 7.0);
    check("or", &[0.0, 7.0], 7.0);
    check("or", &[-0.25, 7.0], -0.25);
}

/// Elementary functions are within the error that the evaluators state, 4 units in the last place.
#[test]
fn elementary_functions_are_those_of_their_names() {
    let check = |operation: &str, operands: &[f64], expected: f64| {
        for value in on(operation, operands) {
            let apart = value.to_bits().abs_diff(expected.to_bits());
            assert!(
                apart <= 4,
                "{operation} {operands:?}: {value}, not {expected}"
            );
        }
    };
    check("sin", &[0.5], 0.5_f64.sin());
    check("cos", &[0.5], 0.5_f64.cos());
    check("tan", &[0.5], 0.5_f64.tan());
    check("asin", &[0.5], 0.5_f64.asin());
    check("acos", &[0.5], 0.5_f64.acos());
    check("atan", &[0.5], 0.5_f64.atan());
    check("exp", &[0.5], 0.5_f64.exp());
    check("ln", &[0.5], 0.5_f64.ln());
    check("atan2", &[1.0, -2.0], 1.0_f64.atan2(-2.0));
}

#[test]
fn what_is_undefined_is_not_zero() {
    let nan = "m const -1\nn sqrt m\n";
    check(&format!("{nan}r not n\n"), 0.0);
    check(&format!("{nan}b const 7\nr and n b\n"), 7.0);
    assert!(value(&format!("{nan}b const 7\nr or n b\n")).is_nan());
}

#[test]
fn texts_are_read_as_programs_write_them() {
    check("# a comment\n\n_0 const 2.5\n", 2.5);
    check("\u{feff}_0 var-y\r\n", -2.5);
    check("a var-x\n  b   square\ta # of x\n#end", 0.5625);
    check("_0 var-z\n_1 var-z\n_2 add _0 _1", 6.0);
    check("_0 const 1e-3\n_1 const -.5\n_2 sub _0 _1", 0.501);
    // The last line counts, whatever comes before.
    check("_0 var-x\n_1 neg _0\n_2 var-y", -2.5);
}

#[test]
fn what_is_not_needed_is_left_out() {
    let text = "_0 var-x\n_1 sin _0\n_2 const 3\n_3 mul _0 _2\n";
    let model = read(text.as_bytes(), "f", &Limits::default()).expect("it is one");
    assert_eq!(model.unused, 1);
    let kinds: Vec<&str> = model
        .function
        .nodes
        .iter()
        .map(|node| node.node_type.as_str())
        .collect();
    assert_eq!(kinds, ["End", "Begin", "DecomposeVector", "Multiplication"]);
}

#[test]
fn refusals_name_the_line() {
    const CASES: [(&[u8], &str, &str); 17] = [
        (b"", "nothing_to_import", "the file has no operation"),
        (
            b"# nothing\n\n",
            "nothing_to_import",
            "the file has no operation",
        ),
        (
            b"_0 var-x\n_1 n\xfeg _0\n",
            "invalid_content",
            "line 2: the file is no UTF-8 text",
        ),
        (
            b"_0 var-x\n_1\n",
            "syntax",
            "line 2: '_1' is an id without an operation",
        ),
        (
            b"\n_0 var-w\n",
            "unknown_operation",
            "line 2: 'var-w' is no operation",
        ),
        (
            b"_0 Const 1\n",
            "unknown_operation",
            "line 1: 'Const' is no operation",
        ),
        (
            b"_0 var-x\n_1 add _0\n",
            "wrong_arguments",
            "line 2: 'add' takes two operands, but got 1",
        ),
        (
            b"_0 var-x\n_1 neg _0 _0\n",
            "wrong_arguments",
            "line 2: 'neg' takes one operand, but got 2",
        ),
        (
            b"_0 var-x 1\n",
            "wrong_arguments",
            "line 1: 'var-x' takes no operands, but got 1",
        ),
        (
            b"_0 const\n",
            "wrong_arguments",
            "line 1: 'const' takes a number, but got 0",
        ),
        (
            b"_0 const one\n",
            "invalid_value",
            "line 1: 'one' is no finite number",
        ),
        (
            b"_0 const inf\n",
            "invalid_value",
            "line 1: 'inf' is no finite number",
        ),
        (
            b"_0 const 1e999\n",
            "invalid_value",
            "line 1: '1e999' is no finite number",
        ),
        (
            b"_0 neg _1\n",
            "dangling_reference",
            "line 1: '_1' is the id of no line above",
        ),
        (
            b"_0 neg _0\n",
            "dangling_reference",
            "line 1: '_0' is the id of no line above",
        ),
        (
            b"_0 var-x\n#\n_0 var-y\n",
            "duplicate_id",
            "line 3: the id '_0' is that of line 1, too",
        ),
        (
            b"_0 var-x\n_1 rand _0\n",
            "unsupported_operation",
            "line 2: 'rand' works on the bits of single-precision numbers, which no node does",
        ),
    ];
    for (text, code, message) in CASES {
        let error = read(text, "f", &Limits::default()).expect_err(message);
        assert_eq!((error.code(), error.to_string().as_str()), (code, message));
        assert!(!error.hint().is_empty());
    }
}

#[test]
fn limits_are_kept() {
    let limits = Limits {
        bytes: 200,
        operations: 4,
        nodes: 5,
    };
    let check = |text: &[u8], message: &str| {
        let error = read(text, "f", &limits).expect_err(message);
        assert_eq!(
            (error.code(), error.to_string().as_str()),
            ("too_large", message)
        );
    };
    check(&[b'#'; 201], "the file has more than 200 bytes");
    check(
        b"a var-x\nb var-x\nc var-x\nd var-x\ne var-x",
        "line 5: the file has more than 4 operations",
    );
    check(
        b"a var-x\nb not a\nc not b\nd not c\n",
        "the file has more than 5 nodes",
    );
    assert!(read(&[b"a var-x\n", &[b'#'; 190][..]].concat(), "f", &limits).is_ok());
}

#[test]
fn hints_know_more() {
    let hint = |text: &str| {
        read(text.as_bytes(), "f", &Limits::default())
            .expect_err(text)
            .hint()
    };
    assert_eq!(
        hint("_0 neg _1\n_1 var-x\n"),
        "it is that of line 2; move that line above this one"
    );
    assert_eq!(hint("_0 neg _0\n"), "add a line with this id above");
    assert_eq!(
        hint("_0 neg _7\n_1 var-x\n"),
        "add a line with this id above"
    );
    assert_eq!(hint("_0 sqart _7\n"), "did you mean sqrt or square?");
    assert!(hint("_0 frobnicate _7\n").starts_with("the operations are const, var-x"));
}

#[test]
fn files_are_known_by_their_first_operation() {
    for text in [
        "_0 var-x\n",
        "# by hand\n\n a const 3",
        "\u{feff}_0 rand _1",
    ] {
        assert!(is_vm(text.as_bytes()), "{text}");
    }
    for text in [
        "",
        "#",
        "PK\u{3}\u{4}",
        "{\"fibula\": 1}",
        "X1 add",
        "once upon a time\n_0 var-x",
        "_0\n_1 var-x",
    ] {
        assert_eq!(is_vm(text.as_bytes()), text == "X1 add", "{text}");
    }
}

#[test]
fn depth_costs_no_stack() {
    let mut text = "_0 var-x\n".to_owned();
    for place in 1..100_000 {
        let _ = writeln!(text, "_{place} sin _{}", place - 1);
    }
    assert!(value(&text).abs() < 0.01);
}
