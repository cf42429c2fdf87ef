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
            let (value, expected) = (value.to_bits(), expected.to_bits());
            assert_eq!(value, expected, "{operation} {operands:?}");
        }
    };
    // The operation, its operands and the result.
    let cases = "\
        add 2 3.5 5.5, sub 2 3.5 -1.5, mul 2 3.5 7, div 7 2 3.5, min 7 2 2, max 7 2 7, neg 2.5 -2.5, neg 0 -0, \
        abs -2.5 2.5, sqrt 6.25 2.5, square -1.5 2.25, recip 4 0.25, floor -1.5 -2, ceil -1.5 -1, round 2.5 3, \
        compare 1 2 -1, compare 2 2 0, compare 3 2 1, not 0 1, not 3 0, not -1e-300 0, and 0 7 0, and -0.25 7 7, \
        or 0 7 7, or -0.25 7 -0.25";
    for case in cases.split(", ") {
        let (operation, numbers) = case.split_once(' ').unwrap();
        let numbers: Vec<f64> = numbers.split(' ').map(|x| x.parse().unwrap()).collect();
        let (expected, operands) = numbers.split_last().unwrap();
        check(operation, operands, *expected);
    }
    for (a, b) in [(5.5, 2.0), (-5.5, 2.0), (5.5, -2.0), (-5.5, -2.0)] {
        check("mod", &[a, b], f64::rem_euclid(a, b));
    }
}

/// Elementary functions are within the error that the evaluators state, 4 units in the last place.
#[test]
fn elementary_functions_are_those_of_their_names() {
    const X: f64 = 0.5;
    let check = |operation: &str, operands: &[f64], expected: f64| {
        for value in on(operation, operands) {
            let apart = value.to_bits().abs_diff(expected.to_bits());
            assert!(
                apart <= 4,
                "{operation} {operands:?}: {value}, not {expected}"
            );
        }
    };
    check("sin", &[X], X.sin());
    check("cos", &[X], X.cos());
    check("tan", &[X], X.tan());
    check("asin", &[X], X.asin());
    check("acos", &[X], X.acos());
    check("atan", &[X], X.atan());
    check("exp", &[X], X.exp());
    check("ln", &[X], X.ln());
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
    let nodes = model.function.nodes.iter();
    let kinds: Vec<&str> = nodes.map(|node| node.node_type.as_str()).collect();
    assert_eq!(kinds, ["End", "Begin", "DecomposeVector", "Multiplication"]);
}

#[test]
fn refusals_name_the_line() {
    // Lines end with semicolons.
    const CASES: &str = "\
        # nothing;; | nothing_to_import | the file has no operation
        _0 var-x;_1; | syntax | line 2: '_1' is an id without an operation
        ;_0 var-w; | unknown_operation | line 2: unknown operation 'var-w'
        _0 Const 1; | unknown_operation | line 1: unknown operation 'Const'
        _0 var-x;_1 add _0; | wrong_arguments | line 2: 'add' takes two operands, but got 1
        _0 var-x;_1 neg _0 _0; | wrong_arguments | line 2: 'neg' takes one operand, but got 2
        _0 var-x 1; | wrong_arguments | line 1: 'var-x' takes no operands, but got 1
        _0 const; | wrong_arguments | line 1: 'const' takes a number, but got 0
        _0 const one; | invalid_value | line 1: 'one' is not a finite number
        _0 const inf; | invalid_value | line 1: 'inf' is not a finite number
        _0 const 1e999; | invalid_value | line 1: '1e999' is not a finite number
        _0 neg _1; | dangling_reference | line 1: unknown id '_1': no line above has it
        _0 neg _0; | dangling_reference | line 1: unknown id '_0': no line above has it
        _0 var-x;#;_0 var-y; | duplicate_id | line 3: duplicate id '_0': line 1 has it as well
        _0 var-x;_1 rand _0; | unsupported_operation | line 2: unsupported operation 'rand': it works on the bits of \
        single-precision numbers, which no node does";
    let check = |text: &[u8], code: &str, message: &str| {
        let error = read(text, "f", &Limits::default()).expect_err(message);
        assert_eq!((error.code(), error.to_string().as_str()), (code, message));
        assert!(!error.hint().is_empty());
    };
    for case in CASES.lines() {
        let [text, code, message] = case.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{case}");
        };
        let text = text.trim_start().replace(';', "\n");
        check(text.as_bytes(), code, message);
    }
    check(b"", "nothing_to_import", "the file has no operation");
    let broken = b"_0 var-x\n_1 n\xfeg _0\n";
    let message = "line 2: the file is not UTF-8 text";
    check(broken, "invalid_content", message);
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
        assert_eq!(error.code(), "too_large");
        assert_eq!(error.to_string(), message);
    };
    check(&[b'#'; 201], "the file has more than 200 bytes");
    let five = b"a var-x\nb var-x\nc var-x\nd var-x\ne var-x";
    check(five, "line 5: the file has more than 4 operations");
    let text = b"a var-x\nb not a\nc not b\nd not c\n";
    check(text, "the file has more than 5 nodes");
    assert!(read(&[b"a var-x\n", &[b'#'; 190][..]].concat(), "f", &limits).is_ok());
}

#[test]
fn hints_know_more() {
    let check = |text: &str, expected: &str| {
        let error = read(text.as_bytes(), "f", &Limits::default()).expect_err(text);
        assert!(error.hint().starts_with(expected), "{}", error.hint());
    };
    let message = "line 2 has it; move that line above this one";
    check("_0 neg _1\n_1 var-x\n", message);
    check("_0 neg _0\n", "add a line with this id above");
    check("_0 neg _7\n_1 var-x\n", "add a line with this id above");
    check("_0 sqart _7\n", "did you mean sqrt or square?");
    check("_0 frobnicate _7\n", "the operations are const, var-x");
}

#[test]
fn files_are_known_by_their_first_operation() {
    for text in [
        "_0 var-x\n",
        "# by hand\n\n a const 3",
        "\u{feff}_0 rand _1",
        "X1 add",
    ] {
        assert!(is_vm(text.as_bytes()), "{text}");
    }
    let others = [
        "",
        "#",
        "PK\u{3}\u{4}",
        "{\"fibula\": 1}",
        "once upon a time\n_0 var-x",
        "_0\n_1 var-x",
    ];
    for text in others {
        assert!(!is_vm(text.as_bytes()), "{text}");
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
