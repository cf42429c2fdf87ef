//! Importing .vm files: through the service and at the command line.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use fibula::service::{
    Evaluate, Import, ImportFormat, ImportResult, ListFunctions, Options, Refusal, Service, Undo,
};
use serde_json::{Value as Json, json};

use crate::calls::origin;

const SLAB: &str = "# |x| < 5\n_0 var-x\n_1 square _0\n_2 const 25\n_3 sub _1 _2\n";

fn import(service: &Service, content: &str) -> Result<ImportResult, Refusal> {
    let request = with_defaults!(Import, content: Some(content.to_owned()));
    service.import(&origin(), request)
}

#[test]
fn a_text_and_its_base64_are_the_same() {
    use base64::Engine as _;
    let service = Service::default();
    let first = import(&service, SLAB).expect("a .vm file");
    assert_eq!(first.function_count, 1);
    let function = &first.functions[0];
    assert_eq!(function.name, "formula");
    assert_eq!(function.node_count, 3);
    let coded = base64::engine::general_purpose::STANDARD.encode(SLAB);
    let second = import(&service, &coded).expect("a .vm file");
    assert_ne!(second.functions[0].function_id, function.function_id);
    assert!(second.renumbered.is_empty(), "a .vm file has no ids");
    for imported in [&first, &second] {
        let request = Evaluate::new(
            imported.functions[0].function_id,
            json!({ "pos": [6, 0, 0] }),
        );
        let values = service.evaluate(request).expect("a value").values;
        assert_eq!(values, json!({ "shape": 11.0 }));
    }
    for _ in 0..2 {
        service
            .undo(&origin(), &Undo::default())
            .expect("an import is one step");
    }
    let left = service.list_functions(&ListFunctions::default());
    assert_eq!(left.expect("a list").total, 0);
}

#[test]
fn files_are_named_and_what_is_unused_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = SLAB.to_owned() + "_4 sin _0\n_5 cos _4\n_6 neg _3\n";
    std::fs::write(folder.path().join("my slab.VM"), text).expect("a file");
    let service = Service::new(&with_defaults!(Options, roots: vec![folder.path().to_path_buf()]));
    let request = with_defaults!(Import, path: Some("my slab.VM".to_owned()));
    let imported = service.import(&origin(), request).expect("a .vm file");
    assert_eq!(imported.functions[0].name, "my slab");
    let left: Vec<(&str, usize)> = imported
        .left_out
        .iter()
        .map(|left| (left.what.as_str(), left.count))
        .collect();
    assert_eq!(left, [("operation", 2)]);
}

#[test]
fn refusals_change_nothing() {
    let service = Service::default();
    let refusal = import(&service, "_0 var-x\n_1 add _0\n").expect_err("an operand is missing");
    assert_eq!(refusal.code, "wrong_arguments");
    assert_eq!(refusal.details["line"], 2);
    assert_eq!(
        refusal.to_string(),
        "wrong_arguments: line 2: 'add' takes two operands, but got 1; operands are ids of lines above, separated by \
         spaces"
    );
    // By its content it is nothing at all, but somebody says what it is.
    let request = with_defaults!(Import, content: Some("X28gdmFyLXE=".to_owned()), format: Some(ImportFormat::Vm));
    let refusal = service
        .import(&origin(), request.clone())
        .expect_err("no such operation");
    assert_eq!(refusal.code, "unknown_operation");
    let unsaid = Import {
        format: None,
        ..request
    };
    let refusal = service
        .import(&origin(), unsaid)
        .expect_err("no known format");
    assert_each_eq! {
        refusal.code => "unknown_format";
        service.list_functions(&ListFunctions::default()).expect("a list").total => 0;
    }
}

#[test]
fn the_command_line_reads_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("slab.vm");
    std::fs::write(&file, SLAB).expect("a file");
    let file = file.to_str().expect("a plain path");
    let said = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fibula"));
        let output = command.args(arguments).env("FIBULA_DATA", folder.path());
        let output = output.output().expect("the program runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it speaks UTF-8");
        text(output.stdout) + &text(output.stderr)
    };
    let expected = "shape = 11\n";
    assert_eq!(said(&["eval", file, "slab", "--at", "6,0,0"]), expected);
    let table =
        "id  nodes  links  function\n1   3      5      slab(pos: float3) -> (shape: float)\n";
    assert_eq!(said(&["import", file]), table);
    assert_eq!(said(&["functions", file]), table);
    let found = said(&["import", file, "--project", "parts"]);
    assert_eq!(found, table.to_owned() + "parts is at revision 1\n");
    std::fs::write(folder.path().join("bad.vm"), "_0 vra-x\n").expect("a file");
    let bad = folder.path().join("bad.vm");
    assert_eq!(
        said(&["import", bad.to_str().expect("a plain path")]),
        "fibula: unknown_operation: line 1: unknown operation 'vra-x'; did you mean var-x or var-y or var-z?\n"
    );
}

/// The sample that everybody measures by, where the folder that has it is there.
fn prospero() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/samples/vm/prospero.vm");
    path.is_file().then_some(path)
}

/// Value of the last line at a point, by the plainest reading of the text.
fn plainly(text: &str, [x, y, z]: [f64; 3]) -> f64 {
    let mut values: HashMap<&str, f64> = HashMap::new();
    let mut last = f64::NAN;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let value = |place: usize| values[words[place]];
        last = match words[1] {
            "const" => words[2].parse().expect("a number"),
            "var-x" => x,
            "var-y" => y,
            "var-z" => z,
            "add" => value(2) + value(3),
            "sub" => value(2) - value(3),
            "mul" => value(2) * value(3),
            "min" => value(2).min(value(3)),
            "max" => value(2).max(value(3)),
            "neg" => -value(2),
            "sqrt" => value(2).sqrt(),
            "square" => value(2) * value(2),
            other => panic!("the sample has {other}"),
        };
        values.insert(words[0], last);
    }
    last
}

#[test]
fn the_prospero_challenge_is_read() {
    let Some(path) = prospero() else {
        println!("skipped: ../shared/samples/vm/prospero.vm is not there");
        return;
    };
    let service = Service::new(&Options {
        roots: vec![path.parent().expect("it has a folder").to_path_buf()],
        ..Options::default()
    });
    let request = with_defaults!(Import, path: Some("prospero.vm".to_owned()));
    let imported = service.import(&origin(), request).expect("the sample");
    assert_eq!(imported.functions[0].name, "prospero");
    assert!(imported.left_out.is_empty(), "{:?}", imported.left_out);
    let points: Vec<[f64; 3]> = (0..64)
        .map(|place| [f64::from(place % 8), f64::from(place / 8), 0.0].map(|c| c / 4.0 - 0.87))
        .collect();
    let arguments: Vec<Json> = points.iter().map(|point| json!({ "pos": point })).collect();
    let id = imported.functions[0].function_id;
    let values = service
        .evaluate(Evaluate::new(id, arguments))
        .expect("values");
    let text = std::fs::read_to_string(&path).expect("it was read before");
    let (mut inside, mut outside) = (0, 0);
    for (point, value) in points.iter().zip(values.values.as_array().expect("a list")) {
        let value = value["shape"].as_f64().expect("a number");
        let expected = plainly(&text, *point);
        assert_eq!(value.to_bits(), expected.to_bits(), "{point:?}");
        if value < 0.0 {
            inside += 1;
        } else {
            outside += 1;
        }
    }
    assert!(
        inside > 0 && outside > 0,
        "{inside} inside, {outside} outside"
    );
}
