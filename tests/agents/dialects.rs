//! Texts in Python, GLSL and `OpenSCAD` as agents send them: right, or refused with a translation that is right when it
//! is sent.

use serde_json::{Value as Json, json};

use crate::agent::Agent;

/// Texts with what they are told and expressions of equal values.
const SNIPPETS: &str = include_str!("../../crates/dialects/src/snippets.txt");

/// Creates the function again.
fn create(agent: &mut Agent, expression: &str) -> Result<Json, String> {
    let made = json!({ "function_id": 1, "name": "Part", "expression": expression });
    agent.call("create_function_from_expression", &made)
}

/// Values of the function at some points.
fn values(agent: &mut Agent) -> Vec<f64> {
    let points = [
        [3.1, -2.2, 1.3],
        [-4.7, 0.4, -2.9],
        [0.3, 5.8, 6.1],
        [7.9, -6.3, 0.6],
    ];
    let inputs = call!(agent, "get_function", { "function_id": 1 })["inputs"].clone();
    let names = inputs.as_array().expect("a list").iter();
    let names: Vec<&str> = names.filter_map(|input| input["name"].as_str()).collect();
    // Numbers have values by their names.
    let value = |name: &str, at: [f64; 3]| match name {
        "pos" => json!(at),
        name => json!(f64::from(name.as_bytes()[0]) / 40.0),
    };
    let points = points.map(|at| {
        let arguments = names
            .iter()
            .map(|name| ((*name).to_owned(), value(name, at)));
        Json::Object(arguments.collect())
    });
    let answer = call!(agent, "evaluate", { "function_id": 1, "arguments": points });
    let at_points = answer["values"].as_array().expect("a list").iter();
    let outputs = at_points.flat_map(|outputs| outputs.as_object().expect("outputs").values());
    let numbers = outputs.flat_map(|value| match value {
        Json::Array(numbers) => numbers.clone(),
        number => vec![number.clone()],
    });
    numbers
        .map(|number| number.as_f64().expect("a number"))
        .collect()
}

#[test]
fn texts_in_other_languages_are_right_or_refused_with_what_is_right() {
    let mut agent = Agent::scratch(&[]);
    let (translated, _) = SNIPPETS
        .split_once("# Without translation")
        .expect("two parts");
    let (mut right, mut refused) = (0, 0);
    for case in translated
        .split("\n\n")
        .filter(|case| case.starts_with("> "))
    {
        let lines = |mark: &str| {
            let lines = case.lines().filter_map(|line| line.strip_prefix(mark));
            lines.collect::<Vec<_>>().join("\n")
        };
        match create(&mut agent, &lines("> ")) {
            Ok(_) => right += 1,
            Err(refusal) => {
                let (_, rewrite) = refusal
                    .split_once("write: ")
                    .unwrap_or_else(|| panic!("{case}: {refusal}"));
                // The text follows, with a mark below the place.
                let rewrite = rewrite.lines().next().expect("a line");
                create(&mut agent, rewrite).unwrap_or_else(|refusal| panic!("{case}: {refusal}"));
                refused += 1;
            }
        }
        let found = values(&mut agent);
        create(&mut agent, &lines("= ")).unwrap_or_else(|refusal| panic!("{case}: {refusal}"));
        for (found, expected) in found.iter().zip(values(&mut agent)) {
            let error = (found - expected).abs();
            assert!(error <= 1e-9 * expected.abs().max(1.0), "{case}: {found}");
        }
    }
    assert!(right > 0 && refused >= 60, "{right} {refused}");
}
