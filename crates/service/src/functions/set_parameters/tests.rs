use std::fmt::Write as _;

use fibula_core::edit::Stage;
use fibula_core::eval::Tape;
use fibula_core::expression;
use fibula_core::graph::{Document, FunctionId};
use fibula_eval::{Rounding, Settings};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::effects::{Effects, affected};

const FUNCTIONS: u32 = 6;

/// Functions of `pos` and `w` with two outputs, each a sum of `w`, of constants and of outputs of functions before.
fn document(seeds: &[[u8; 4]]) -> Document {
    let mut document = Document::default();
    for (index, seed) in seeds.iter().enumerate() {
        let mut text = "let c0 = 3; let c1 = 5;".to_owned();
        for (output, bits) in ["a", "b"].into_iter().zip([seed[0], seed[1]]) {
            let _ = write!(text, " {output} = length(pos) + 0.7*w");
            for bit in 0..2 {
                if bits >> bit & 1 == 1 {
                    let _ = write!(text, " + 1.{bit}1*c{bit}");
                }
            }
            if index > 0 && bits & 4 == 4 {
                let callee = usize::from(seed[2]) % index;
                let of = if bits & 8 == 8 { "a" } else { "b" };
                let given = ["", ", w = w", ", w = c0"][usize::from(seed[3]) % 3];
                let _ = write!(text, " + 0.3*F{callee}(pos{given}).{of}");
            }
            text.push(';');
        }
        let arguments = json!([{ "name": "pos", "type": "float3" },
            { "name": "w", "type": "float", "default": index }]);
        let arguments = serde_json::from_value(arguments).expect("ports");
        let request = expression::Request {
            arguments: Some(arguments),
            ..expression::Request::new(format!("F{index}"), text)
        };
        let data = expression::function(&document, &request).expect("a valid text");
        document.insert(&data).expect("a valid function");
    }
    document
}

/// Values of both outputs for some points and values of `w`.
fn values(document: &Document, id: FunctionId) -> Vec<f64> {
    let tape = Tape::new(document, id).expect("a function that can be evaluated");
    let code = tape.code(Rounding::Exact);
    let values = |inputs: [f64; 4]| code.jacobian(&inputs, &[], Settings::default()).values;
    [[0.1, 0.2, 0.3, 7.0], [-3.0, 2.0, 0.5, -1.5]]
        .into_iter()
        .flat_map(values)
        .collect()
}

proptest! {
    /// What is told to follow is what has other values, and no more.
    #[test]
    fn functions_that_follow_are_those_with_other_values(
        seeds in proptest::collection::vec(any::<[u8; 4]>(), FUNCTIONS as usize),
        changed in 1..=FUNCTIONS,
        parameter in 0..3_usize,
    ) {
        let before = document(&seeds);
        let name = ["c0", "c1", "w"][parameter];
        let id = FunctionId(changed);
        let Ok(set) = parameters::set_parameter(&before, id, name, &json!(100.5)) else {
            // No output needs the constant, so there is none.
            return Ok(());
        };
        let mut stage = Stage::new(&before);
        stage.push(&set.edit).expect("a valid value");
        let after = stage.document();
        let others = (1..=FUNCTIONS).map(FunctionId).filter(|other| *other != id);
        let differ = others.filter(|other| values(&before, *other) != values(after, *other));
        let expected: Vec<String> = differ.filter_map(|id| after.noun(id.into())).collect();
        let set = SetValue {
            name: name.to_owned(),
            node_id: set.node_id,
            previous: None,
        };
        let own = changed_values(after, id, &[set]);
        prop_assert_eq!(&affected(after, &own), &expected);
        prop_assert_eq!(&Effects::between(&before, after).0.affects, &expected);
    }
}
