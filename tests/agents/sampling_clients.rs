//! Regions and files of values as people and agents ask for them: at the command line and over MCP.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::json;

use crate::talk::Pipe;

/// Runs a command that keeps nothing, in a folder.
fn fibula(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fibula"));
    command
        .args(arguments)
        .env("FIBULA_DATA", "/dev/null/no data folder")
        .current_dir(folder);
    command.output().expect("the program runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("it speaks UTF-8")
}

/// Output of a command that succeeds, with nothing on its error output.
fn said(folder: &Path, arguments: &[&str]) -> String {
    let output = fibula(folder, arguments);
    assert_eq!(text(&output.stderr), "", "{arguments:?}");
    assert!(output.status.success(), "{arguments:?}");
    text(&output.stdout)
}

/// Error output of a command that is refused.
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = fibula(folder, arguments);
    assert!(!output.status.success(), "{arguments:?}");
    assert_eq!(text(&output.stdout), "", "{arguments:?}");
    text(&output.stderr)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = names
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_person_is_told_what_values_are_like() {
    let folder = tempfile::tempdir().expect("a folder");
    let check = |arguments: &[&str], expected: &str| {
        assert_eq!(said(folder.path(), arguments), expected, "{arguments:?}");
    };
    check_each! { check;
        &["expr", "x + z", "--grid", "0,0,0", "3,0,4", "3,1,3"]
            => "9 points (3 x 3)\n\
         output  min  at     max  at     mean  not finite\n\
         shape   0    0,0,0  7    3,0,4  3.5   0\n";
        &["expr", "x", "--line", "0,0,0", "1,1,1", "3", "--format", "csv"]
            => "pos.x,pos.y,pos.z,shape\n0.0,0.0,0.0,0.0\n0.5,0.5,0.5,0.5\n1.0,1.0,1.0,1.0\n";
        &["expr", "x + a", "--arg", "a=1", "--plane", "-1,0,5", "1,0,7", "2", "--format", "csv"]
            => "pos.x,pos.y,pos.z,shape\n-1.0,0.0,5.0,0.0\n1.0,0.0,5.0,2.0\n-1.0,0.0,7.0,0.0\n1.0,0.0,7.0,2.0\n";
        &["expr", "a * b", "--arg", "b=2", "--input", "a", "--line", "0", "1", "2", "--gradient", "--format", "csv"]
            => "a,result,result/a,result/b\n0.0,0.0,2.0,0.0\n1.0,2.0,2.0,1.0\n".replace("result", "shape").as_str();
        &["expr", "x", "--box", "-1,0,0", "2,0,0", "--lipschitz"]
            => "shape is between -1 and 2 in the box\nshape changes by at least 1 and at most 1 per unit of the input\n";
        &["expr", "x * y", "--at", "2,3,4", "--gradient"] => "shape = 6\nd shape / d pos = [3, 2, 0]\n";
    }
    let line = ["expr", "x", "--line", "0,0,0", "1,0,0", "2", "--json"];
    let answer = said(folder.path(), &line);
    let answer: serde_json::Value = serde_json::from_str(&answer).expect("JSON");
    assert_eq!(answer["values"], json!({ "shape": [0.0, 1.0] }));
    assert!(names(folder.path()).is_empty());
}

#[test]
fn files_are_whole_and_never_replaced_unasked() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let grid = |more: &[&'static str]| -> Vec<&'static str> {
        let start = ["expr", "x + y + z", "--grid", "0,0,0", "1,1,1", "4,3,2"];
        [&start[..], more].concat()
    };
    let told = said(path, &grid(&["--out", "values.npy"]));
    assert_eq!(told, "values.npy: 24 points (4 x 3 x 2), shape\n");
    let array = fs::read(path.join("values.npy")).expect("it was written");
    assert_eq!(array.len(), 128 + 24 * 8);
    assert!(text(&array[10..127]).contains("'<f8'") && text(&array[10..127]).contains("(2, 3, 4)"));
    assert_contains!(refused(path, &grid(&["--out", "values.npy"])) => "values.npy exists already");
    let again = ["--out", "values.npy", "--overwrite", "--precision", "f32"];
    said(path, &grid(&again));
    let array = fs::read(path.join("values.npy")).expect("it was written");
    assert_eq!(array.len(), 128 + 24 * 4);
    let raw = ["--out", "values", "--format", "f32", "--no-jit"];
    said(path, &grid(&raw));
    let values = fs::read(path.join("values")).expect("it was written");
    assert_eq!(values.len(), 24 * 4);
    said(path, &grid(&["--out", "values.f64"]));
    said(path, &grid(&["--out", "values.json"]));
    // What is written goes in again.
    said(
        path,
        &[
            "expr",
            "length(pos)",
            "--line",
            "0,0,0",
            "0,3,4",
            "3",
            "--out",
            "line.csv",
        ],
    );
    let line = fs::read_to_string(path.join("line.csv")).expect("it was written");
    let points: String = line
        .lines()
        .map(|line| line.rsplit_once(',').expect("four columns").0.to_owned() + "\n")
        .collect();
    fs::write(path.join("points.csv"), points).expect("a file");
    let again = said(
        path,
        &[
            "expr",
            "length(pos)",
            "--points",
            "points.csv",
            "--format",
            "csv",
        ],
    );
    assert_eq!(again, line);
    let all = [
        "line.csv",
        "points.csv",
        "values",
        "values.f64",
        "values.json",
        "values.npy",
    ];
    assert_eq!(names(path), all);
}

#[test]
fn every_wrong_wish_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    fs::write(path.join("pairs.csv"), "1,2\n3,4\n").expect("a file");
    fs::write(path.join("broken.csv"), "1,2,3\n4,five,6\n").expect("a file");
    let check = |arguments: &[&str], expected: &str| {
        let told = refused(path, &[&["expr", "x"], arguments].concat());
        assert!(told.contains(expected), "{arguments:?}: {told}");
    };
    let line = |count: &'static str| ["--line", "0,0,0", "1,1,1", count];
    check_each! { check;
        &line("many") => "'many' is not a count";
        &line("2,2") => "--line takes one count, but got 2,2";
        &line("0") => "region.counts is [0]";
        &["--grid", "0,0", "1,1", "2,2"] => "region.from is [0.0,0.0], but pos is a float3";
        &["--grid", "0,0,0", "1,1,1", "2,2"] => "region.counts is [2,2]";
        &["--plane", "0,0,0", "1,1,1", "2,2"] => "the corners of a plane differ on two of three axes";
        &["--grid", "0,0,0"] => "3 values required";
        &["--input", "pos"] => "required";
        &["--lipschitz"] => "required";
        &[&line("2")[..], &["--box", "0,0,0", "1,1,1"]].concat() => "cannot be used with";
        &[&line("2")[..], &["--out", "values.txt"]].concat() => "cannot determine the format";
        &[&line("2")[..], &["--out", "no/values.csv"]].concat() => "no/values.csv cannot be written";
        &[&line("2")[..], &["--format", "xml"]].concat() => "invalid value 'xml'";
        &["--box", "0,0,0", "1,1,1", "--format", "csv"] => "not values that could be written";
        &["--points", "none.csv"] => "none.csv cannot be read";
        &["--points", "pairs.csv"] => "each point has 2 numbers";
        &["--points", "broken.csv"] => "line 2: 'five' is not a finite number";
        &[&line("2")[..], &["--trace"]].concat() => "--trace applies to a single point";
        &[&line("2")[..], &["--arg", "pos=1,2,3"]].concat() => "'pos' varies in the region";
        &[&line("2")[..], &["--json", "--no-jit"]].concat() => "require --format csv";
    }
    assert_eq!(names(path), ["broken.csv", "pairs.csv"]);
}

/// Whoever presses Ctrl-C leaves no half file.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_command_leaves_nothing() {
    use std::io::Read as _;
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    let folder = tempfile::tempdir().expect("a folder");
    let mut child = Command::new(env!("CARGO_BIN_EXE_fibula"))
        .args([
            "expr",
            "sin(x) * cos(y) * exp(z)",
            "--grid",
            "0,0,0",
            "1,1,1",
            "4000",
            "--out",
            "values.f64",
        ])
        .env("FIBULA_DATA", "/dev/null/no data folder")
        .current_dir(folder.path())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let begun = Instant::now();
    // It listens before it begins the work, and then writes.
    let has_begun = || {
        let entries = fs::read_dir(folder.path()).expect("a folder");
        let mut sizes = entries.map(|entry| {
            entry
                .expect("an entry")
                .metadata()
                .map_or(0, |meta| meta.len())
        });
        sizes.any(|size| size > 0)
    };
    while !has_begun() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it never began");
        std::thread::sleep(Duration::from_millis(10));
    }
    let id = child.id().to_string();
    let killed = Command::new("sh")
        .args(["-c", &format!("kill -INT {id}")])
        .status();
    assert!(killed.expect("a shell").success());
    let status = child.wait().expect("it ends");
    let mut told = String::new();
    child
        .stderr
        .take()
        .expect("it is piped")
        .read_to_string(&mut told)
        .expect("text");
    assert_eq!(status.code(), Some(1), "{told}");
    assert!(told.starts_with("fibula: cancelled"), "{told}");
    let names = names(folder.path());
    assert!(names.is_empty(), "{names:?}");
}

#[test]
fn the_machine_is_measured() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("slab.vm"), "_0 var-x\n_1 square _0\n").expect("a file");
    let told = said(folder.path(), &["bench", "slab.vm", "--json"]);
    let figures: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    let figures = figures.as_array().expect("a list");
    for name in ["sphere", "gyroid", "boxes", "slab"] {
        for precision in ["f32", "f64"] {
            let own = figures
                .iter()
                .filter(|figure| figure["function"] == name && figure["precision"] == precision);
            let times: Vec<f64> = own
                .map(|figure| figure["ns_per_point"].as_f64().expect("a number"))
                .collect();
            assert!(
                times.len() >= 2 && times.iter().all(|time| *time > 0.0),
                "{name} {precision}: {times:?}"
            );
        }
    }
}

#[test]
fn agents_ask_for_regions() {
    let mut pipe = Pipe::scratch(&[]);
    call!(pipe, "create_function_from_expression", { "name": "Ball", "expression": "length(pos) - 5" });
    let request = json!({
        "function_id": 1, "gradient": true, "bounds": true, "lipschitz": true,
        "region": { "from": [-8, -8, -8], "to": [8, 8, 8], "counts": [65, 65, 65] },
    });
    let answer = call!(pipe, "evaluate", &request);
    assert_fields!(answer, { "total": 274_625, "truncated": true });
    let expected = json!([0.0, 0.0, 0.0]);
    assert_eq!(answer["statistics"]["shape"]["min_at"], expected);
    assert_eq!(answer["statistics"]["shape"]["min"], -5.0);
    let shown = answer["values"]["shape"].as_array().expect("a list").len();
    let slopes = answer["gradients"]["shape"]["pos"]
        .as_array()
        .expect("a list")
        .len();
    assert_eq!((shown, slopes), (100, 100), "four numbers a point");
    let low = answer["bounds"]["shape"]["low"].as_f64();
    assert!(low.is_some_and(|low| low <= -5.0));
    assert_eq!(answer["lipschitz"]["shape"]["may_jump"], false);
    let length = answer.to_string().len();
    assert!(length < 24_000, "{length}");
    let wrong =
        json!({ "function_id": 1, "region": { "from": [0, 0], "to": [1, 1], "counts": 2 } });
    let refusal = refusal!(pipe, "evaluate", &wrong);
    assert_starts!(refusal => "invalid_value: region.from is [0.0,0.0], but pos is a float3");
    let formula = json!({ "content": "_0 var-x\n_1 square _0\n", "format": "vm" });
    let imported = call!(pipe, "import", &formula);
    assert_eq!(imported["functions"][0]["name"], "formula");
}
