//! Importing the sample files, each alone and all into one project: ids may change, values may not.

use fibula::service::{Evaluate, Import, ListFunctions, Options, Service, Undo};
use serde_json::{Value as Json, json};

use crate::calls::origin;
use crate::samples::samples;

/// A point for every function, and what it gives there; refusals by their code.
fn values(service: &Service) -> Vec<(String, Json)> {
    let mut request = ListFunctions::default();
    let mut all = Vec::new();
    loop {
        let page = service.list_functions(&request).expect("a list");
        for function in page.functions {
            let argument = |ty: &str| match ty {
                "float3" => json!([0.5, -0.25, 2.0]),
                "matrix4x4" => json!([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]),
                "integer" | "resource_id" => json!(1),
                "string" => json!("a"),
                _ => json!(0.75),
            };
            let arguments = function
                .inputs
                .iter()
                .map(|input| (input.name.clone(), argument(input.ty.name())));
            let arguments: serde_json::Map<String, Json> = arguments.collect();
            let given = service.evaluate(Evaluate::new(function.function_id, arguments));
            all.push((
                function.name,
                given.map_or_else(|refusal| json!(refusal.code), |given| given.values),
            ));
        }
        match page.next_cursor {
            Some(cursor) => request.cursor = Some(cursor),
            None => return all,
        }
    }
}

#[test]
fn files_are_imported_beside_one_another() {
    let Some((folder, files)) = samples() else {
        return;
    };
    let options = with_defaults!(Options, roots: vec![folder]);
    let together = Service::new(&options);
    let mut expected = Vec::new();
    for file in &files {
        let path = file
            .file_name()
            .and_then(|name| name.to_str())
            .map(str::to_owned);
        let request = with_defaults!(Import, path);
        let alone = Service::new(&options);
        let first = alone
            .import(&origin(), request.clone())
            .expect("a file of the field");
        assert!(first.renumbered.is_empty(), "{file:?}");
        let beside = together
            .import(&origin(), request)
            .expect("a file of the field");
        assert_eq!(beside.function_count, first.function_count);
        expected.extend(values(&alone));
    }
    // Ids are others, values are not.
    let mut found = values(&together);
    let text = |(name, value): &(String, Json)| (name.clone(), value.to_string());
    found.sort_by_key(text);
    expected.sort_by_key(text);
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.len(), expected.len());
    for _ in &files {
        together
            .undo(&origin(), &Undo::default())
            .expect("an import is one step");
    }
    let listed = together.list_functions(&ListFunctions::default());
    assert_eq!(listed.expect("a list").total, 0);
}
