use std::fmt::Write as _;

use fibula_core::eval::Tape;
use fibula_core::expression;
use fibula_core::graph::{Document, FunctionId};
use fibula_core::library;
use fibula_eval::{Rounding, Settings};
use fibula_nodes::Type;

use super::{Request, function};

const SNIPPETS: &str = include_str!("snippets.txt");

/// Compiles a text as the service does: after the functions of the library that it calls.
fn compiled(text: &str) -> Result<(Document, FunctionId), super::ExpressionError> {
    let mut document = Document::default();
    for called in library::called(&document, text) {
        document.insert(called.data()).unwrap();
    }
    let data = function(&document, &Request::new("f", text))?;
    let id = document.insert(&data).unwrap();
    Ok((document, id))
}

/// Values of a function of the point and of numbers, which have values by their names, at some points.
fn values(text: &str) -> Vec<f64> {
    let (document, id) = compiled(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let inputs = document.function(id).unwrap().inputs();
    let tape = Tape::new(&document, id).unwrap();
    let code = tape.code(Rounding::Exact);
    let points = [
        [3.1, -2.2, 1.3],
        [-4.7, 0.4, -2.9],
        [0.3, 5.8, 6.1],
        [7.9, -6.3, 0.6],
        [-0.2, -0.1, 0.15],
    ];
    let value = |point: &[f64; 3]| {
        let inputs = inputs
            .iter()
            .flat_map(|input| match (&*input.name, input.ty) {
                ("pos", Type::Float3) => point.to_vec(),
                (name, Type::Float) => vec![f64::from(name.as_bytes()[0]) / 40.0],
                _ => panic!("{text} has other inputs: {inputs:?}"),
            });
        let inputs: Vec<f64> = inputs.collect();
        code.jacobian(&inputs, &[], Settings::default()).values
    };
    points.iter().flat_map(value).collect()
}

/// Each text is right, or refused with a translation that compiles to the same values as the expression given for it.
#[test]
fn snippets_are_right_or_refused_with_what_is_right() {
    let (translated, others) = SNIPPETS
        .split_once("\n\n# Without translation\n\n")
        .expect("two parts");
    let (translated, others) = (translated.split("\n\n"), others.split("\n\n"));
    let cases = translated
        .map(|case| (case, true))
        .chain(others.map(|case| (case, false)));
    let (mut count, mut differences) = (0, Vec::new());
    for (case, is_translated) in cases.filter(|(case, _)| case.starts_with("> ")) {
        let texts: Vec<&str> = case
            .lines()
            .filter_map(|line| line.strip_prefix("> "))
            .collect();
        let text = texts.join("\n");
        let equal = case.lines().find_map(|line| line.strip_prefix("= "));
        assert_eq!(equal.is_some(), is_translated, "{case}");
        let mut now = String::new();
        for line in &texts {
            let _ = writeln!(now, "> {line}");
        }
        let right = match compiled(&text) {
            Ok(_) => {
                now.push_str("ok");
                Some(text.clone())
            }
            Err(error) => {
                let hint = error.hint.clone().unwrap_or_default();
                let _ = write!(now, "{}\n{hint}", error.message);
                hint.strip_prefix("write: ").map(str::to_owned)
            }
        };
        if let Some(equal) = equal {
            let _ = write!(now, "\n= {equal}");
            let Some(right) = right else {
                differences.push(now);
                continue;
            };
            for (value, expected) in values(&right).iter().zip(values(equal)) {
                if (value - expected).abs() > 1e-9 * expected.abs().max(1.0) {
                    let _ = write!(now, "\n! {value} is not {expected}");
                }
            }
        }
        if now != case.trim_end() {
            differences.push(now);
        }
        count += usize::from(is_translated);
    }
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
    assert!(count >= 370, "{count}");
}

/// A translation does not call a function of the library by a name that another function of the document has.
#[test]
fn translations_call_no_function_that_is_hidden() {
    let text = "cylinder(h = 10, r = 3);";
    let translated = |document: &Document, text: &str| {
        let error = super::function(document, &Request::new("F", text)).unwrap_err();
        error.hint.is_some_and(|hint| hint.starts_with("write: "))
    };
    let mut document = Document::default();
    assert!(translated(&document, text));
    expression::add_function(&mut document, "Cylinder", "length(pos) - r").unwrap();
    assert!(!translated(&document, text));
    let copy = library::find("cylinder").unwrap();
    document.insert(copy.data()).unwrap();
    assert!(translated(&document, text), "the copy has this very name");
    for function in library::functions() {
        let mut document = Document::default();
        for called in library::called(&document, &function.example) {
            document.insert(called.data()).unwrap();
        }
        assert!(
            !super::calls_hidden(&document, &function.example),
            "{}",
            function.name
        );
    }
}

/// Functions of the document are called with names in translations, too.
#[test]
fn named_arguments_of_own_functions_are_kept() {
    let mut document = Document::default();
    expression::add_function(&mut document, "Helper", "length(pos) - len").unwrap();
    let text = "max(Helper(pos, len=5), length(pos.xy) - 2mm)";
    let error = super::function(&document, &Request::new("F", text)).unwrap_err();
    let hint = error.hint.unwrap_or_default();
    let right = hint
        .strip_prefix("write: ")
        .unwrap_or_else(|| panic!("{hint}"));
    assert!(right.contains("Helper(pos, len = 5)"), "{right}");
    assert!(super::function(&document, &Request::new("F", right)).is_ok());
}

/// A stored condition has the values that names had when it was stored, which a translation would lose.
#[test]
fn a_condition_of_a_value_that_changes_is_not_translated() {
    let text = "d = x - 1\ninside = d < 0\nd = d + 1\nreturn 1 if inside else 2";
    let error = compiled(text).unwrap_err();
    assert!(!error.to_string().contains("write: "), "{error}");
}

/// Neither deep trees nor values that are used again and again take much time or stack.
#[test]
fn texts_of_any_form_take_little_time() {
    let doubled = |first: &str, step: fn(usize) -> String| {
        let steps = (1..80).map(step).collect::<String>();
        format!("{first}{steps}return v79 % 2")
    };
    for text in [
        "x+".repeat(1_900) + "x % 2",
        "x.".repeat(1_900) + "x % 2",
        "-".repeat(3_900) + "x % 2",
        "(".repeat(1_900) + "x % 2" + &")".repeat(1_900),
        "f(".repeat(1_300) + "x % 2" + &")".repeat(1_300),
        "x if x < 0 else ".repeat(200) + "1",
        "translate([1, 2, 3]) ".repeat(180) + "sphere(5);",
        "x < 0 and ".repeat(300) + "x < 1",
        "translate([x, y, z]) rotate([1, 2, 3]) ".repeat(50) + "sphere(5);",
        doubled("v0 = x\n", |index| {
            format!("v{index} = v{0} * v{0}\n", index - 1)
        }),
        doubled("v0 = [[x], [x], [x]]\n", |index| {
            format!("v{index} = [v{0}, v{0}, v{0}]\n", index - 1)
        }),
        doubled("v0 = x < 0\n", |index| {
            format!("v{index} = v{0} and v{0}\n", index - 1)
        }),
        doubled("v0 = x\n", |index| {
            format!(
                "if x < {index}: v{index} = v{0}\nelse: v{index} = -v{0}\n",
                index - 1
            )
        }),
        doubled("def v0(p): return p\n", |index| {
            format!("def v{index}(p): return v{0}(p) + v{0}(p)\n", index - 1)
        }),
        doubled("v0 = sphere(pos, 1)\n", |index| {
            format!("v{index} = translate(v{0}, v{0} * pos)\n", index - 1)
        }),
    ] {
        let begin = std::time::Instant::now();
        let refused = compiled(&text).is_err();
        assert!(refused, "{text}");
        assert!(begin.elapsed().as_secs() < 2, "{text}");
    }
}

/// Any sequence of words is refused or compiles, and what is offered compiles.
#[test]
fn no_sequence_of_words_fails_otherwise() {
    const WORDS: [&str; 56] = [
        "x",
        "pos",
        "p",
        "1",
        "2.5f",
        "3mm",
        "45°",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ";",
        "\n",
        "\n    ",
        "=",
        "+=",
        "+",
        "-",
        "*",
        "**",
        "//",
        "%",
        "<",
        "<=",
        "==",
        "?",
        ":",
        "if",
        "else",
        "and",
        "not",
        "&&",
        "!",
        "def f",
        "return",
        "lambda",
        "float",
        "vec3",
        "let",
        "import",
        "np.",
        ".xy",
        ".x",
        "sphere(5)",
        "cube(",
        "translate(",
        "union() {",
        "sphere(pos, 1)",
        "max(",
        "sin(",
        "=>",
        "for",
        "\"a\"",
    ];
    let mut state = 1_u64;
    let mut next = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % below
    };
    let mut offered = 0;
    for _ in 0..4_000 {
        let text = (0..=next(12))
            .map(|_| WORDS[next(WORDS.len())])
            .collect::<Vec<_>>()
            .join(" ");
        let Err(error) = compiled(&text) else {
            continue;
        };
        if let Some(rewrite) = error
            .hint
            .as_deref()
            .and_then(|hint| hint.strip_prefix("write: "))
        {
            assert!(compiled(rewrite).is_ok(), "{text}: {rewrite}");
            offered += 1;
        }
    }
    assert!(offered > 50, "{offered}");
}
