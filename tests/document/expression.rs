//! Laws of expressions: they mean what mathematics says, and print and read back without a change.

use fibula::eval::Tape;
use fibula::expression::{self, Request};
use fibula::graph::{Document, FunctionData, FunctionId};
use fibula_nodes::{Binary, Operation, PortSpec, Type, Unary, Value};
use proptest::prelude::*;

/// The arguments of the tests.
const A: f64 = 0.7;
const B: f64 = -1.3;
const POS: [f64; 3] = [0.3, -1.2, 2.5];
/// Number from which on errors in the last digits may change a sine by more than the tests allow.
const LARGE: f64 = 1e8;

fn value_of(name: &str) -> Value {
    match name {
        "a" => Value::Float(A),
        "b" => Value::Float(B),
        "pos" => Value::Float3(POS),
        other => panic!("no test has an argument {other}"),
    }
}

/// The first output of a function, for the arguments of the tests, by the definitions of its operations: evaluators may
/// differ from them in the last digits of elementary functions.
fn evaluated(document: &Document, id: FunctionId) -> Vec<f64> {
    let inputs = document.function(id).unwrap().inputs();
    let arguments = inputs
        .iter()
        .flat_map(|input| value_of(&input.name).scalars().to_vec());
    let arguments: Vec<f64> = arguments.collect();
    let tape = Tape::new(document, id).unwrap();
    let mut values = Vec::new();
    for operation in tape.operations() {
        values.push(operation.apply(&values, &arguments, tape.oracles()));
    }
    let width = tape.outputs()[0].ty.width();
    let roots = tape.roots()[..width].iter();
    let exact: Vec<f64> = roots.map(|root| values[root.index()]).collect();
    // Elementary functions share fewer digits than the sine of a large number needs.
    let is_periodic = |operation| matches!(operation, Unary::Sin | Unary::Cos | Unary::Tan);
    let is_ill_conditioned = tape.operations().iter().any(|operation| match *operation {
        Operation::Unary(operation, of) => {
            is_periodic(operation) && values[of.index()].abs() > LARGE
        }
        _ => false,
    });
    if is_ill_conditioned {
        return exact;
    }
    for (exact, fast) in exact.iter().zip(tape.at(&arguments)) {
        // Sums may cancel, so that little of what elementary functions share is left.
        let near = (exact - fast).abs() <= 1e-6 * exact.abs().max(1.0);
        assert!(
            near || !exact.is_finite(),
            "{exact} by definition, evaluated {fast}"
        );
    }
    exact
}

/// A function, printed and parsed again.
fn again(document: &mut Document, id: FunctionId) -> FunctionId {
    let request = Request {
        name: "again".to_owned(),
        expression: expression::print(document, id).unwrap(),
        arguments: Some(document.function(id).unwrap().inputs()),
        outputs: Some(document.function(id).unwrap().outputs()),
    };
    let data = expression::function(document, &request).unwrap_or_else(|error| panic!("{error}"));
    document.insert(&data).unwrap()
}

fn check(text: &str, expected: &[f64]) {
    let mut document = Document::default();
    let id = expression::add_function(&mut document, "f", text)
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(evaluated(&document, id), expected, "{text}");
    let again = again(&mut document, id);
    let found = evaluated(&document, again);
    assert_eq!(found, expected, "{text}, printed and read again");
}

/// Expressions that another program was tried on, many of which came out silently wrong there.
#[test]
#[expect(clippy::too_many_lines, reason = "the cases are data")]
fn expressions_mean_what_mathematics_says() {
    use std::f64::consts::{E, PI};
    let [x, y, z] = POS;
    let scalars = cases![
        "(a+1)*2" => (A + 1.0) * 2.0;
        "(pos.x+1)*(pos.y+1)" => (x + 1.0) * (y + 1.0);
        "-2*a" => -2.0 * A;
        "-a" => -A;
        "-a+3" => 3.0 - A;
        "1-a" => 1.0 - A;
        "1e-3*a" => 1e-3 * A;
        "2" => 2.0;
        "2*a" => 2.0 * A;
        "3.5*a+1" => 3.5 * A + 1.0;
        "8/a/2" => 8.0 / A / 2.0;
        "a" => A;
        "a*-2" => -2.0 * A;
        "a*2" => A * 2.0;
        "a*2*pi" => A * 2.0 * PI;
        "a*2*pi/10" => A * 2.0 * PI / 10.0;
        "a*pi" => A * PI;
        "a+b" => A + B;
        "a+e" => A + E;
        "a-1-2" => A - 1.0 - 2.0;
        "a-1.5e-3" => A - 1.5e-3;
        "a-2+3" => A - 2.0 + 3.0;
        "a>1?2:3" => 3.0;
        "b>a?2:3" => 3.0;
        "a>b?2:3" => 2.0;
        "a<1?2:3" => 2.0;
        "a^2" => A.powf(2.0);
        "-a^2" => -A.powf(2.0);
        "2^a^b" => 2_f64.powf(A.powf(B));
        "2^-1" => 0.5;
        "abs(a)-1" => A.abs() - 1.0;
        "asin(a)" => A.asin();
        "arcsin(a)" => A.asin();
        "atan2(pos.y,pos.x)" => y.atan2(x);
        "ceil(a)" => 1.0;
        "clamp(a,0,1)" => A;
        "clamp(b,0,1)" => 0.0;
        "cos(pos).y*2" => y.cos() * 2.0;
        "exp(-a)" => (-A).exp();
        "exp(a)*1" => A.exp();
        "floor(a)" => 0.0;
        "fract(a)" => A;
        "fract(b)" => B - (-2.0);
        "length(pos)" => (x * x + y * y + z * z).sqrt();
        "log(a)" => A.ln();
        "log10(a)" => A.log10();
        "log2(a)" => A.log2();
        "max(pos.x,pos.y)" => x;
        "max(pos.z,1)" => z;
        "max(sqrt(pos.x*pos.x+pos.y*pos.y)-3,abs(pos.z)-2)" => ((x * x + y * y).sqrt() - 3.0).max(z - 2.0);
        "min(a,1)" => A;
        "mod(pos.x,3)" => x;
        "mod(pos.y,3)" => y + 3.0;
        "fmod(pos.y,1)" => y + 1.0;
        "pi*a" => PI * A;
        "pos.x*pos.x+pos.y*pos.y" => x * x + y * y;
        "pos.x*pos.y" => x * y;
        "pos.x+1" => x + 1.0;
        "pos.x+pos.y+pos.z" => x + y + z;
        "x+y+z" => x + y + z;
        "pos.x-pos.y" => x - y;
        "pow(pos.x,2)" => x.powf(2.0);
        "round(a)" => 1.0;
        "select(a,1,2,3)" => 2.0;
        "sign(a)" => 1.0;
        "sign(b)" => -1.0;
        "sin(a*2*pi/10)" => (A * 2.0 * PI / 10.0).sin();
        "sin(pos).x" => x.sin();
        "sin(pos.x)*cos(pos.y)+sin(pos.y)*cos(pos.z)" => x.sin() * y.cos() + y.sin() * z.cos();
        "sinh(a)" => A.sinh();
        "sqrt(pos.x*pos.x+pos.y*pos.y+pos.z*pos.z)-5" => (x * x + y * y + z * z).sqrt() - 5.0;
        "tanh(a)" => A.tanh();
        "mix(a, b, 0)" => A;
        "mix(a, b, 1)" => B;
        "mix(a, b, 0.25)" => A * 0.75 + B * 0.25;
        "step(0.5, a)" => 1.0;
        "step(a, 0.5)" => 0.0;
        "step(a, a)" => 1.0;
        "smoothstep(0, 2, 1)" => 0.5;
        "smoothstep(0, 1, b)" => 0.0;
        "smoothstep(0, 1, 3)" => 1.0;
        "dot(pos, vec3(1, 2, 3))" => x + y * 2.0 + z * 3.0;
        "let r = a*a; r + r" => A * A + A * A;
        "0/0 < 1 ? 2 : 3" => 3.0;
        "0/0 > 1 ? 2 : 3" => 3.0;
    ];
    for (text, expected) in scalars {
        check(text, &[expected]);
    }
    let each = |f: fn(f64) -> f64| POS.map(f);
    let length = (x * x + y * y + z * z).sqrt();
    let vectors = cases![
        "2*(pos)" => each(|c| 2.0 * c);
        "pos*2" => each(|c| c * 2.0);
        "pos+pos" => each(|c| c + c);
        "sin(pos)" => each(f64::sin);
        "1 - pos" => each(|c| 1.0 - c);
        "-pos" => each(|c| -c);
        "pos^2" => each(|c| c.powf(2.0));
        "max(pos, 0)" => each(|c| c.max(0.0));
        "mod(pos, 2)" => each(|c| c - 2.0 * (c / 2.0).floor());
        "pos < 0 ? 0 : pos" => each(|c| if c < 0.0 { 0.0 } else { c });
        "normalize(pos)" => POS.map(|c| c / length);
        "cross(pos, vec3(1, 0, 0))" => [0.0, z, -y];
        "transform(mat4(1,0,0,0, 0,1,0,0, 0,0,1,0, a,2,3,1), pos)" => [x + A, y + 2.0, z + 3.0];
    ];
    for (text, expected) in vectors {
        check(text, &expected);
    }
}

#[test]
fn what_is_no_expression_is_refused_with_a_hint() {
    for (text, hint) in [
        ("a%2", "mod(a, b)"),
        ("a**2", "a^b"),
        ("sqrt(a", "')'"),
        ("a<=1?2:3", "a > b ? d : c"),
        ("2a", "2*a"),
        ("lenght(pos)", "length"),
    ] {
        let mut document = Document::default();
        let error = expression::add_function(&mut document, "f", text).unwrap_err();
        assert!(error.to_string().contains(hint), "{text}: {error}");
        assert_eq!(document.functions().len(), 0);
    }
}

/// A name means the first of several functions that are equal, also in what they call.
#[test]
fn copies_are_not_ambiguous() {
    let mut document = Document::default();
    let mut add = |name: &str, text: &str| {
        expression::add_function(&mut document, name, text)
            .unwrap_or_else(|error| panic!("{error}"))
    };
    for (leaf, top) in [("Leaf", "call(1, pos)"), ("Leaf", "call(3, pos)")] {
        add(leaf, "length(pos) - 5");
        add("Top", &format!("{top} + 1"));
    }
    add("User", "Top(pos)");
    add("Leaf", "length(pos) - 6");
    add("Top", "call(6, pos) + 1");
    let refused = expression::function(&document, &Request::new("Other", "Top(pos)"));
    let text = refused.expect_err("the tops differ").to_string();
    assert!(text.contains("it names 3 functions: 2, 4, 7"), "{text}");
}

#[test]
fn calls_mean_what_the_function_says() {
    let mut document = Document::default();
    let mut add = |name, text| expression::add_function(&mut document, name, text).unwrap();
    add("Sphere", "length(pos) - r");
    add("Both", "shape = a; twice = 2*a");
    let id = add("f", "min(sphere(pos*2, 1), Both(x).twice) + Both(y).shape");
    let [x, y, z] = POS.map(|c| c * 2.0);
    let sphere = (x * x + y * y + z * z).sqrt() - 1.0;
    let expected = sphere.min(2.0 * POS[0]) + POS[1];
    assert_eq!(evaluated(&document, id), [expected]);
    let again = again(&mut document, id);
    assert_eq!(evaluated(&document, again), [expected]);
}

/// Every kind, called with the inputs of its examples as far as they can be written, gives the outputs.
#[test]
fn every_kind_is_called_by_each_of_its_names() {
    let mut called = 0;
    for about in fibula_nodes::catalogue::catalogue() {
        let example = &about.examples[0];
        let written: Option<Vec<String>> = example.inputs.iter().map(written).collect();
        let is_number = about.signature.overloads[0]
            .outputs
            .iter()
            .all(|ty| ty.width() > 0);
        let (Some(written), true) = (written, is_number && !example.inputs.is_empty()) else {
            continue;
        };
        if about.name == "End" || about.name == "Begin" {
            continue;
        }
        for name in about.aliases.iter().chain([&about.element, &about.name]) {
            for (port, expected) in about.signature.ports.iter().zip(&example.outputs) {
                let mut text = format!("{name}({})", written.join(", "));
                if about.signature.ports.len() > 1 {
                    text = format!("{text}.{}", port.name);
                }
                let mut document = Document::default();
                let id = expression::add_function(&mut document, "f", &text)
                    .unwrap_or_else(|error| panic!("{error}"));
                for id in [id, again(&mut document, id)] {
                    let values = evaluated(&document, id);
                    for (value, expected) in values.iter().zip(expected.scalars()) {
                        approx::assert_relative_eq!(value, expected, max_relative = 1e-14);
                    }
                }
                called += 1;
            }
        }
    }
    assert!(called > 100, "only {called} calls were tried");
}

fn written(value: &Value) -> Option<String> {
    let scalars = value.scalars().iter().map(f64::to_string);
    let scalars = scalars.collect::<Vec<_>>().join(", ");
    match value {
        Value::Float(_) => Some(scalars),
        Value::Float3(_) => Some(format!("vec3({scalars})")),
        Value::Matrix4x4(_) => Some(format!("mat4({scalars})")),
        Value::Integer(_) | Value::String(_) | Value::ResourceId(_) => None,
    }
}

/// A formula, written down apart from the code under test.
#[derive(Debug, Clone)]
pub(crate) enum Formula {
    Number(f64),
    A,
    B,
    Pos,
    Negative(Box<Formula>),
    /// + - * / ^
    Binary(char, Box<Formula>, Box<Formula>),
    /// A function of one or two values, component by component.
    Each(&'static str, Vec<Formula>),
    /// less, more, then, otherwise
    Choice(Box<[Formula; 4]>),
    /// Less or greater, as it is written.
    Vector(Box<[Formula; 3]>),
    Component(usize, Box<Formula>),
    Length(Box<Formula>),
    Dot(Box<Formula>, Box<Formula>),
}

/// A float or a float3; floats spread among float3s.
#[derive(Debug, Clone, Copy)]
enum Number {
    One(f64),
    Three([f64; 3]),
}

impl Number {
    fn component(self, index: usize) -> f64 {
        match self {
            Number::One(number) => number,
            Number::Three(numbers) => numbers[index],
        }
    }

    fn each(values: &[Number], f: impl Fn(&[f64]) -> f64) -> Number {
        let at = |index| {
            let components: Vec<f64> = values.iter().map(|value| value.component(index)).collect();
            f(&components)
        };
        if values.iter().any(|value| matches!(value, Number::Three(_))) {
            Number::Three([at(0), at(1), at(2)])
        } else {
            Number::One(at(0))
        }
    }
}

impl Formula {
    fn value(&self) -> Number {
        let dot = |a: Number, b: Number| {
            let product = |index| a.component(index) * b.component(index);
            product(0) + product(1) + product(2)
        };
        match self {
            Formula::Number(number) => Number::One(*number),
            Formula::A => Number::One(A),
            Formula::B => Number::One(B),
            Formula::Pos => Number::Three(POS),
            Formula::Negative(of) => Number::each(&[of.value()], |c| -c[0]),
            Formula::Binary(operator, left, right) => {
                Number::each(&[left.value(), right.value()], |c| match operator {
                    '+' => c[0] + c[1],
                    '-' => c[0] - c[1],
                    '*' => c[0] * c[1],
                    '/' => c[0] / c[1],
                    _ => c[0].powf(c[1]),
                })
            }
            Formula::Each(name, of) => {
                let values: Vec<Number> = of.iter().map(Formula::value).collect();
                Number::each(&values, |c| match *name {
                    "sin" => c[0].sin(),
                    "abs" => c[0].abs(),
                    "sqrt" => c[0].sqrt(),
                    "floor" => c[0].floor(),
                    "exp" => c[0].exp(),
                    "min" => Binary::Min.apply(c[0], c[1]),
                    "max" => Binary::Max.apply(c[0], c[1]),
                    "mod" => c[0] - c[1] * (c[0] / c[1]).floor(),
                    _ => c[0].atan2(c[1]),
                })
            }
            Formula::Choice(parts) => {
                let values: Vec<Number> = parts.iter().map(Formula::value).collect();
                Number::each(&values, |c| if c[0] < c[1] { c[2] } else { c[3] })
            }
            Formula::Vector(parts) => {
                Number::Three([0, 1, 2].map(|index| parts[index].value().component(0)))
            }
            Formula::Component(index, of) => Number::One(of.value().component(*index)),
            Formula::Length(of) => Number::One(dot(of.value(), of.value()).sqrt()),
            Formula::Dot(left, right) => Number::One(dot(left.value(), right.value())),
        }
    }

    /// From 0, a choice, to 5, what never needs parentheses.
    fn tightness(&self) -> u8 {
        match self {
            Formula::Choice(_) => 0,
            Formula::Binary('+' | '-', ..) => 1,
            Formula::Binary('*' | '/', ..) => 2,
            Formula::Negative(_) => 3,
            Formula::Number(number) if number.is_sign_negative() => 3,
            Formula::Binary(..) => 4,
            _ => 5,
        }
    }

    /// The formula as a text; `full` puts parentheses around every part.
    pub(crate) fn text(&self, full: bool) -> String {
        let part = |of: &Formula, needs: u8| {
            let text = of.text(full);
            if full || of.tightness() < needs {
                format!("({text})")
            } else {
                text
            }
        };
        let list = |of: &[Formula]| -> String {
            let texts: Vec<String> = of.iter().map(|of| of.text(full)).collect();
            texts.join(",")
        };
        match self {
            Formula::Number(number) => number.to_string(),
            Formula::A => "a".to_owned(),
            Formula::B => "b".to_owned(),
            Formula::Pos => "pos".to_owned(),
            Formula::Negative(of) => format!("-{}", part(of, 3)),
            Formula::Binary(operator, left, right) => {
                let (before, after) = match operator {
                    '+' | '-' => (1, 2),
                    '*' | '/' => (2, 3),
                    _ => (5, 3),
                };
                format!("{}{operator}{}", part(left, before), part(right, after))
            }
            Formula::Each(name, of) => format!("{name}({})", list(of)),
            Formula::Choice(parts) => {
                let [less, more, then, otherwise] = &**parts;
                let (then, otherwise) = (part(then, 0), part(otherwise, 0));
                if full {
                    format!(
                        "({})>({})?{then}:{otherwise}",
                        more.text(full),
                        less.text(full)
                    )
                } else {
                    format!(
                        "{} < {} ? {then} : {otherwise}",
                        part(less, 1),
                        part(more, 1)
                    )
                }
            }
            Formula::Vector(parts) => format!("vec3({})", list(&parts[..])),
            Formula::Component(index, of) => format!("{}.{}", part(of, 5), ["x", "y", "z"][*index]),
            Formula::Length(of) => format!("length({})", of.text(full)),
            Formula::Dot(left, right) => format!("dot({},{})", left.text(full), right.text(full)),
        }
    }
}

/// Formulas of both types, to a depth: floats and float3s.
fn formulas(depth: u32) -> (BoxedStrategy<Formula>, BoxedStrategy<Formula>) {
    let leaf = prop_oneof![
        Just(Formula::A),
        Just(Formula::B),
        (-9..=9_i32).prop_map(|number| Formula::Number(f64::from(number) / 2.0)),
        any::<f64>()
            .prop_filter("literals are finite", |number| number.is_finite())
            .prop_map(Formula::Number),
    ]
    .boxed();
    let vector_leaf = Just(Formula::Pos).boxed();
    if depth == 0 {
        return (leaf, vector_leaf);
    }
    let (float, vector) = formulas(depth - 1);
    let boxed = |of: &BoxedStrategy<Formula>| of.clone().prop_map(Box::new);
    let operator = || prop::sample::select(vec!['+', '-', '*', '/', '^']);
    let one = || prop::sample::select(vec!["sin", "abs", "sqrt", "floor", "exp"]);
    let two = || prop::sample::select(vec!["min", "max", "mod", "atan2"]);
    let either = prop_oneof![float.clone(), vector.clone()].boxed();
    let common = |of: &BoxedStrategy<Formula>, other: &BoxedStrategy<Formula>| {
        prop_oneof![
            boxed(of).prop_map(Formula::Negative),
            (operator(), boxed(of), boxed(other)).prop_map(|(o, a, b)| Formula::Binary(o, a, b)),
            (operator(), boxed(other), boxed(of)).prop_map(|(o, a, b)| Formula::Binary(o, a, b)),
            (one(), of.clone()).prop_map(|(name, a)| Formula::Each(name, vec![a])),
            (two(), of.clone(), other.clone())
                .prop_map(|(name, a, b)| Formula::Each(name, vec![a, b])),
            [other.clone(), other.clone(), of.clone(), other.clone()]
                .prop_map(|parts| Formula::Choice(Box::new(parts))),
        ]
        .boxed()
    };
    let floats = prop_oneof![
        1 => leaf,
        6 => common(&float, &float),
        1 => (0..3_usize, boxed(&vector)).prop_map(|(index, of)| Formula::Component(index, of)),
        1 => boxed(&vector).prop_map(Formula::Length),
        1 => (boxed(&vector), boxed(&vector)).prop_map(|(a, b)| Formula::Dot(a, b)),
    ];
    let vectors = prop_oneof![
        1 => vector_leaf,
        5 => common(&vector, &either),
        2 => [float.clone(), float.clone(), float].prop_map(|parts| Formula::Vector(Box::new(parts))),
    ];
    (floats.boxed(), vectors.boxed())
}

pub(crate) fn any_formula() -> BoxedStrategy<Formula> {
    let (floats, vectors) = formulas(4);
    prop_oneof![floats, vectors].boxed()
}

/// Bits, with one NaN for all.
fn bits(values: &[f64]) -> Vec<u64> {
    let bits = |value: &f64| {
        if value.is_nan() {
            u64::MAX
        } else {
            value.to_bits()
        }
    };
    values.iter().map(bits).collect()
}

/// The function of a text of the arguments of the tests.
pub(crate) fn built(document: &Document, text: &str) -> FunctionData {
    let arguments = [
        ("a", Type::Float),
        ("b", Type::Float),
        ("pos", Type::Float3),
    ];
    let request = Request {
        arguments: Some(arguments.map(|(name, ty)| PortSpec::new(name, ty)).to_vec()),
        ..Request::new("f", text)
    };
    expression::function(document, &request).unwrap_or_else(|error| panic!("{text}: {error}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn values_survive_reading_and_printing(formula in any_formula()) {
        let mut document = Document::default();
        let expected = match formula.value() {
            Number::One(number) => vec![number],
            Number::Three(numbers) => numbers.to_vec(),
        };
        let data = [false, true].map(|full| built(&document, &formula.text(full)));
        let id = document.insert(&data[1]).unwrap();
        prop_assert_eq!(bits(&evaluated(&document, id)), bits(&expected));
        let id = document.insert(&data[0]).unwrap();
        prop_assert_eq!(bits(&evaluated(&document, id)), bits(&expected));
        let printed = expression::print(&document, id).unwrap();
        let again = again(&mut document, id);
        prop_assert_eq!(bits(&evaluated(&document, again)), bits(&expected), "{}", printed);
        prop_assert_eq!(expression::print(&document, again).unwrap(), printed);
    }

    #[test]
    fn no_text_ends_the_process(text in "([a-z0-9+*/^<>?:;=.,()\" `-]|let |vec3\\(|pos|sin\\(|\\PC){0,40}") {
        let mut document = Document::default();
        if let Ok(id) = expression::add_function(&mut document, "f", &text) {
            again(&mut document, id);
        }
    }
}
