//! Pictures, meshes, measures and slices at the command line.

use std::path::Path;

use super::{fibula_in, file, said, told};

#[test]
fn functions_are_drawn() {
    let folder = tempfile::tempdir().expect("a folder");
    file(&folder);
    let run = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        told(&fibula_in(folder.path(), &words))
    };
    let size = "--size 24x16";
    assert_eq!(
        run(&format!(
            "render part.3mf --arg radius=5 --bounds -6,-6,-6 6,6,6 {size} --out a.png"
        )),
        "a.png: 24 x 16 pixels, from [-6, -6, -6] to [6, 6, 6]\n-- 0\n"
    );
    let bytes = std::fs::read(folder.path().join("a.png")).expect("it was made");
    assert!(bytes.starts_with(b"\x89PNG"));
    // The bounds are found, and a project is as good as a file.
    run("import part.3mf --project bracket");
    let found = run(&format!(
        "render bracket --function sphere --arg radius=5 --section x=0 --orbit=-60,20 {size} --out b.png"
    ));
    assert_starts!(found => "b.png: 24 x 16 pixels, from [-5, -5, -5] to [5, 5, 5]");
    for line in [
        "--library torus --view sheet",
        "-e length(pos)-3 --colour shape --perspective 30",
        "-e length(pos)-3 --color shape --time-limit 600 --memory-limit 100",
    ] {
        let made = run(&format!("render {line} {size} --out c.png --overwrite"));
        assert!(made.ends_with("-- 0\n"), "{line}: {made}");
    }
    for (line, refused) in cases![
        "part.3mf" => "missing_argument: radius: float is missing";
        "part.3mf --arg radius=-1" => "empty_shape: ";
        "--library gyroid" => "unbounded_shape: ";
        "--library gyroit" => "unknown_function_name: ";
        "-e pos*2" => "no_field: ";
        "-e x --view side" => "invalid_value: unknown view 'side'";
        "-e x --section w=3" => "invalid_value: --section w=3 is not a plane";
        "-e x --bounds 0,0,0 0,1,1" => "invalid_value: the box";
        "-e x --output other" => "unknown_output: ";
        "-e x --bounds 0,0,0 1,1,1 --size 5x0" => "invalid_size: ";
        "-e x --bounds 0,0,0 1,1,1 --out a.png" => "unwritable_file: a.png exists already";
        "-e x --bounds 0,0,0 1,1,1 --time-limit 0" => "invalid_value: the time limit must be";
        "-e x --bounds 0,0,0 1,1,1 --size 4096x4096 --memory-limit 100"
            => "too_large: a picture of 4096 x 4096 pixels";
        "nothing" => "unknown_project: ";
    ] {
        let out = if line.contains("--out ") {
            ""
        } else {
            " --out d.png"
        };
        let said = run(&format!("render {line}{out}"));
        let expected = format!("-- 1\nfibula: {refused}");
        assert!(said.starts_with(&expected), "{line}: {said}");
        assert!(!folder.path().join("d.png").exists(), "{line}");
    }
}

#[test]
fn meshes_are_made_measured_and_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let mesh = |arguments: &[&str]| {
        let bounds = ["--bounds", "-6,-6,-6", "6,6,6", "--cell", "0.8"];
        let all = [&["mesh"], arguments, &bounds].concat();
        told(&fibula_in(folder.path(), &all))
    };
    let said = mesh(&["-e", "sphere(pos, 5)", "-o", "ball.stl"]);
    for part in [
        "ball.stl\n",
        "closed, manifold, oriented",
        "holes through it: 0",
        "-- 0",
    ] {
        assert_contains!(said => part);
    }
    let file = std::fs::read(folder.path().join("ball.stl")).expect("it is there");
    let read = fibula::format::mesh::read(&file, &fibula::format::mesh::Limits::default());
    let read = read.expect("it is a mesh");
    let read = fibula::geometry::TriangleMesh::new(read.vertices, read.triangles);
    let read = read.expect("it is whole");
    assert!(read.topology().is_sound());
    assert!((read.volume() / 523.6 - 1.0).abs() < 0.01);
    let json = mesh(&["-e", "sphere(pos, 5) - 100", "--json"]);
    let json: serde_json::Value =
        serde_json::from_str(json.split("-- 0").next().unwrap_or_default()).expect("JSON");
    assert_eq!(json["closed"], true);
    assert!((json["volume"].as_f64().expect("a number") - 1728.0).abs() < 1e-6);
    for (arguments, expected) in cases![
        &["-e", "sphere(pos, 5)", "-o", "ball.stl"][..] => "overwrite replaces it";
        &["-e", "sphere(pos, 5)", "-o", "ball.step"] => "unknown_format";
        &["-e", "sphere(pos, 5) + 10"] => "empty_shape";
        &["-e", "pos"] => "no_field";
        &["no-such-file.3mf"] => "unreadable_file";
        &["-e", "length(pos", "-o", "other.obj"] => "syntax";
        &["-e", "sphere(pos, 5)", "--most-triangles", "100"] => "too_large";
    ] {
        let said = mesh(arguments);
        assert_contains!(said => expected, "-- 1");
    }
    assert!(!folder.path().join("other.obj").exists());
    let file = file_of_one(folder.path());
    let said = mesh(&[&file, "--function", "ball", "-o", "ball.glb", "--json"]);
    assert_contains!(said => "\"genus\": 0");
}

#[test]
fn graphs_are_drawn() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = file_of_one(folder.path());
    let run = |words: &[&str]| {
        let words = [&["functions", file.as_str()], words].concat();
        told(&fibula_in(folder.path(), &words))
    };
    let bytes = |name: &str| std::fs::read(folder.path().join(name)).expect("it was made");
    let said = run(&["ball", "-o", "graph.svg"]);
    assert_starts!(said => "graph.svg: ");
    assert!(said.ends_with(" pixels\n-- 0\n"), "{said}");
    assert!(bytes("graph.svg").starts_with(b"<svg"));
    let said = run(&["ball", "--as", "svg"]);
    assert_contains!(said => "</svg>\n");
    run(&["ball", "-o", "graph.png"]);
    assert!(bytes("graph.png").starts_with(b"\x89PNG"));
    run(&["ball", "-o", "graph.mmd"]);
    assert!(bytes("graph.mmd").starts_with(b"flowchart LR"));
    for (words, refused) in cases![
        &["ball", "-o", "graph.svg"][..] => "overwrite replaces it";
        &["ball", "-o", "graph.bmp"] => "unknown_format";
        &["ball", "--as", "png"] => "invalid_arguments: a PNG file cannot be written to a terminal";
    ] {
        let said = run(words);
        assert_contains!(said => refused, "-- 1");
    }
}

#[test]
fn functions_of_files_are_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let ball = file_of_one(folder.path());
    let sphere = file(&folder);
    let measure = |line: &str| {
        let line = format!("measure {ball} --bounds -6,-6,-6 6,6,6 --cell 0.6 --json {line}");
        let words: Vec<&str> = line.split(' ').collect();
        let said = told(&fibula_in(folder.path(), &words));
        let text = said.split("-- 0").next().unwrap_or_default();
        serde_json::from_str(text).unwrap_or_else(|_| panic!("JSON: {said}"))
    };
    let pair: serde_json::Value = measure("--function ball --to-function ball");
    assert_eq!(pair["most"]["value"], 0.0);
    assert_eq!(pair["of"][0], pair["of"][1]);
    let pair = measure(&format!(
        "--to {sphere} --to-function sphere --to-arg radius=4"
    ));
    let number = |of: &str| pair["distance"][of].as_f64().expect("a number");
    let [value, error] = ["value", "error"].map(number);
    assert!((value - 1.0).abs() <= error && error < 0.1, "{pair}");
}

#[test]
fn thickness_and_slabs_are_measured() {
    let measure = |line: &str| {
        let words = [
            "measure",
            "-e",
            "box(pos, vec3(10, 8, 4))",
            "--bounds",
            "-6,-6,-6",
            "6,6,6",
        ];
        let words: Vec<&str> = words.into_iter().chain(line.split(' ')).collect();
        said(&words)
    };
    let said = measure("--cell 0.5 --at 0,0,1.5 --slabs 4 --axis x");
    assert_contains!(
        said => "thickness   4.000", "slab        64.000", "14.8 percent, x from -6.0000 to -3.0000", "-- 0"
    );
    assert_eq!(said.matches("\nslab ").count(), 4, "{said}");
    assert_contains!(measure("--cell 0.5 --at 0,0,5") => "thickness   none", "-- 0");
    let json = measure("--cell 0.5 --at 0,0,1.5 --slabs 2 --json");
    let json: serde_json::Value =
        serde_json::from_str(json.split("-- 0").next().unwrap_or_default()).expect("JSON");
    assert_eq!(json["slabs"].as_array().map(Vec::len), Some(2), "{json}");
    assert!(json["thickness"]["value"].is_number(), "{json}");
    for (line, expected) in cases![
        "--at 1,2" => "--at 1,2 is not a point";
        "--at a,2,3" => "'a' is not a finite number";
        "--slabs 0" => "slabs must be a number from 1 to 200";
        "--axis x" => "--slabs";
        "--at 0,0,0 --to-expression length(pos)-1" => "cannot be used with";
    ] {
        assert_contains!(measure(line) => expected);
    }
}

#[test]
fn masks_are_made_and_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let mask = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        told(&fibula_in(folder.path(), &words))
    };
    let ball = "mask -e sphere(pos,5) --bounds -6,-6,-6 6,6,6";
    let said = mask(&format!("{ball} --pixel 0.1 --at 3,0,9"));
    assert_contains!(
        said => "120 x 120 pixels of 0.1", "z = 3.000000: 502", "z = 9.000000: 0 pixels inside", "heights beyond the bounds, from ", " are empty", "-- 0"
    );
    let said = mask(&format!("{ball} --pixel 0.1 --layer 0.5 -o ball.zip"));
    assert_contains!(said => "... 4 more", "-- 0");
    let file = std::fs::File::open(folder.path().join("ball.zip")).expect("it is there");
    let mut zip = zip::ZipArchive::new(file).expect("it is ZIP");
    assert_eq!(zip.len(), 25);
    let json: serde_json::Value =
        serde_json::from_reader(zip.by_name("masks.json").expect("it is there")).expect("JSON");
    assert_eq!(json["layers"].as_array().map(Vec::len), Some(24));
    assert_eq!(json["corner"], serde_json::json!([-6.0, -6.0]));
    mask(&format!("{ball} --pixel 0.1 --at 0 -o one.png"));
    let file = std::fs::File::open(folder.path().join("one.png")).expect("it is there");
    let reader = png::Decoder::new(std::io::BufReader::new(file)).read_info();
    assert_eq!(reader.expect("it is PNG").info().size(), (120, 120));
    for (line, expected) in cases![
        "--pixel 0.1 --at 0 -o one.png" => "overwrite replaces it";
        "--pixel 0.1 --at 0 -o one.svg" => "unknown_format";
        "--pixel 0.1 --at 0,1 -o two.png" => "a PNG image shows a single height";
        "--pixel 0 --at 0" => "invalid_value: the pixel size must be above 0";
        "--pixel=-1 --at 0" => "invalid_value";
        "--pixel NaN --at 0" => "invalid_value";
        "--pixel 1e-9 --at 0" => "too_large";
        "--pixel 0.001 --layer 0.001" => "masks of 12000 x 12000 pixels are 2e12";
        "--pixel 0.1 --layer 1e-9" => "too_large";
        "--at 0" => "--pixel";
        "--pixel 0.0015 --layer 0.002 --time-limit 0.05" => "timed_out";
    ] {
        let said = mask(&format!("{ball} {line}"));
        assert!(said.contains(expected), "{line}: {said}");
        assert!(!said.contains("-- 0"), "{line}: {said}");
    }
    assert!(
        !folder.path().join("two.png").exists(),
        "it would not be whole"
    );
}

#[test]
fn slices_are_cut_and_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let slice = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        told(&fibula_in(folder.path(), &words))
    };
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("it is there");
    let ball = "slice -e sphere(pos,5) --bounds -6,-6,-6 6,6,6 --cell 0.2";
    let said = slice(&format!("{ball} --at 3,9 -o ball.svg"));
    assert_contains!(said => "z = 3.000000: area 50.1", "z = 9.000000: area 0.000000 millimeter^2, 0 contours");
    assert_contains!(said => "heights beyond the bounds, from ", " are empty", "-- 0");
    assert!(read("ball.svg").contains("<path fill"));
    // What is rounded stays within the error.
    for accuracy in ["2", "0.7", "0.1"] {
        let said = slice(&format!(
            "slice -e sphere(pos,10) --at 0 --accuracy {accuracy}"
        ));
        let (_, figures) = said.split_once("area ").expect("an area");
        let words: Vec<&str> = figures.split(' ').collect();
        let [area, error] = [0, 2].map(|at| words[at].parse::<f64>().expect("a number"));
        assert!(
            (area - 100.0 * std::f64::consts::PI).abs() <= error,
            "{said}"
        );
    }
    let said = slice(&format!("{ball} --layer 0.5 -o ball.cli"));
    assert_contains!(said => "... 4 more");
    assert!(read("ball.cli").contains("$$LAYERS/25"));
    let picture = |name: &str| {
        let file = std::fs::File::open(folder.path().join(name)).expect("it is there");
        let reader = png::Decoder::new(std::io::BufReader::new(file)).read_info();
        reader.expect("it is PNG").info().size()
    };
    slice(&format!("{ball} --at 0 --size 90x80 -o one.png"));
    assert_eq!(picture("one.png"), (90, 80));
    slice(&format!(
        "{ball} --at 0,1,2 --size 81x61 -o three.png --field"
    ));
    assert_eq!(picture("three.png"), (81, 61));
    slice(&format!("{ball} --at 0 -o ball.json"));
    let json: serde_json::Value = serde_json::from_str(&read("ball.json")).expect("JSON");
    assert_eq!(json["slices"][0]["contours"][0]["depth"], 0);
    for (line, expected) in cases![
        "--at 0 -o ball.json" => "overwrite replaces it";
        "--at 0 -o ball.bmp" => "unknown_format";
        "--layer 0.4 -o ball.png" => "a picture shows at most 25 slices, not 30";
        "--at 0 -o field.svg --field" => "invalid_arguments: --field";
        "--at 0 -o ball.png --size 9" => "invalid_size";
        "--layer 0" => "invalid_value: the thickness of layers must be above 0";
        "--layer 1e-9" => "too_large";
        "--at x" => "invalid_value";
        "--at 0 --tolerance=-1" => "invalid_value";
    ] {
        let said = slice(&format!("{ball} {line}"));
        assert!(said.contains(expected), "{line}: {said}");
        assert!(said.contains("-- 1"), "{line}: {said}");
    }
    // The contour is there at once, and its picture asks a hundred sines at 16 million places.
    let waves: Vec<String> = (1..100).map(|k| format!("sin({k}*x+y)")).collect();
    let waves = format!("length(pos)-5+({})/1e4", waves.join("+"));
    let line = format!(
        "slice -e {waves} --bounds -6,-6,-6 6,6,6 --cell 2 --at 0 -o slow.png --field --size 4096x4096 --time-limit 0.1"
    );
    let said = slice(&line);
    assert_contains!(said => "timed_out", "-- 1");
}

/// A .vm file of a ball.
fn file_of_one(folder: &Path) -> String {
    let ball = "_0 var-x\n_1 square _0\n_2 var-y\n_3 square _2\n_4 var-z\n_5 square _4\n_6 add _1 _3\n_7 add _6 _5\n\
        _8 sqrt _7\n_9 const 3\n_a sub _8 _9\n";
    let path = folder.join("ball.vm");
    std::fs::write(&path, ball).expect("a new file");
    path.to_str().expect("a plain path").to_owned()
}
