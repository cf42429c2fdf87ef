//! The command line as a person or a script uses it.

mod parts;

use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::archive::{RELATIONSHIPS, archive};
use fibula::format::threemf;
use fibula::store::{LogRange, LogRewrite, Record, Sqlite, Store, sqlite};

/// Runs a command that keeps nothing.
fn fibula(arguments: &[&str]) -> Output {
    // A data folder that cannot be: whoever touched it would fail.
    fibula_in(Path::new("/dev/null/no data folder"), arguments)
}

/// Runs a command in a folder, in which its data lie, too.
fn fibula_in(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fibula"));
    command.args(arguments).env("FIBULA_DATA", folder);
    if folder.is_dir() {
        command.current_dir(folder);
    }
    command.output().expect("the program runs")
}

/// Output of a command, its error output after a line `--`.
fn said(arguments: &[&str]) -> String {
    told(&fibula(arguments))
}

fn told(output: &Output) -> String {
    let code = output.status.code().expect("it ended by itself");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("it speaks UTF-8");
    format!(
        "{}-- {code}\n{}",
        text(&output.stdout),
        text(&output.stderr)
    )
}

/// A 3MF file with one function, `sphere`.
fn file(folder: &tempfile::TempDir) -> String {
    let model = r#"<?xml version="1.0" encoding="UTF-8"?>
<model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02" unit="millimeter"
  xmlns:i="http://schemas.3mf.io/3dmanufacturing/implicit/2023/12" requiredextensions="i">
 <resources>
  <i:implicitfunction id="5" displayname="sphere">
   <i:in><i:vector identifier="pos" displayname="pos"/><i:scalar identifier="radius" displayname="radius"/></i:in>
   <i:length identifier="length1" displayname="distance">
    <i:in><i:vectorref identifier="A" ref="inputs.pos"/></i:in>
    <i:out><i:scalar identifier="result"/></i:out>
   </i:length>
   <i:subtraction identifier="sub1" displayname="less">
    <i:in><i:scalarref identifier="A" ref="length1.result"/><i:scalarref identifier="B" ref="inputs.radius"/></i:in>
    <i:out><i:scalar identifier="result"/></i:out>
   </i:subtraction>
   <i:out><i:scalarref identifier="shape" ref="sub1.result"/></i:out>
  </i:implicitfunction>
 </resources>
 <build/>
</model>"#;
    let types = r#"<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
 <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
 <Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/>
</Types>"#;
    let path = folder.path().join("part.3mf");
    let bytes = archive(&[
        ("[Content_Types].xml", types.as_bytes()),
        ("_rels/.rels", RELATIONSHIPS.as_bytes()),
        ("3D/3dmodel.model", model.as_bytes()),
    ]);
    std::fs::write(&path, &bytes).expect("it is written");
    assert!(threemf::is_3mf(&bytes));
    path.to_str().expect("a plain path").to_owned()
}

#[test]
fn commands_say_what_a_person_wants_to_know() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = file(&folder);
    let commands: [&[&str]; 26] = [
        &["expr", "length(pos)-5", "--at", "8,0,0"],
        &["expr", "length(pos)-5", "--at", "8,0,0", "--at", "0,3,4"],
        &["expr", "a^2 + b", "--arg", "a=3", "--arg", "b=1", "--json"],
        &["expr", "a^2 + b", "--arg", "a=3"],
        &["expr", "a^2", "--arg", "a=3", "--arg", "a=4"],
        &["expr", "1/x", "--at", "0,0,0"],
        &["expr", "-2*x", "--at", "-1,0,0", "--trace"],
        &["expr", "sin(x", "--at", "0,0,0"],
        &["expr", "x", "--at", "1,2,3,4"],
        &["expr", "x", "--at", "one"],
        &["expr", "2*(x+1)", "--graph"],
        &["nodes", "Sine"],
        &["nodes", "no", "such", "kind"],
        &["import", &file],
        &["functions", &file, "SPHERE"],
        &["functions", &file, "spere"],
        &["functions", &file, "sphere", "--as", "mermaid"],
        &["functions", &file, "sphere", "--as", "glsl"],
        &["functions", &file, "--as", "dot"],
        &["library", "smooth"],
        &["library", "torus"],
        &["library", "Box"],
        &["library", "along", "a", "polyline"],
        &["library", "no", "such"],
        &[
            "eval", &file, "sphere", "--at", "1,2,2", "--arg", "radius=5",
        ],
        &["eval", &file, "5", "--at", "1,2,2"],
    ];
    let all: Vec<String> = commands
        .iter()
        .map(|command| {
            let shown = command.join(" ").replace(&file, "part.3mf");
            format!(
                "$ fibula {shown}\n{}",
                said(command).replace(&file, "part.3mf")
            )
        })
        .collect();
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn wrong_command_lines_and_files_have_their_exit_codes() {
    let code = |arguments: &[&str]| fibula(arguments).status.code();
    assert_eq!(code(&["--help"]), Some(0));
    assert_eq!(code(&["--version"]), Some(0));
    assert_eq!(code(&["no-such-command"]), Some(2));
    assert_eq!(code(&["eval"]), Some(2));
    assert_eq!(code(&["import", "no-such-file.3mf"]), Some(1));
    let folder = tempfile::tempdir().expect("a folder");
    let broken = folder.path().join("broken.3mf");
    std::fs::write(&broken, b"PK\x03\x04 and then nothing").expect("a new file");
    let path = broken.to_str().expect("a plain path");
    assert_eq!(code(&["import", path]), Some(1));
    assert_contains!(said(&["import", path]) => "fibula: ");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let child = Command::new(env!("CARGO_BIN_EXE_fibula"))
        .args(["nodes"])
        .stdout(writer)
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let output = child.wait_with_output().expect("it ends");
    let errors = String::from_utf8(output.stderr).expect("it speaks UTF-8");
    assert_eq!((output.status.code(), errors.as_str()), (Some(0), ""));
}

/// A text without what differs from run to run: times and durations.
fn settled(text: &str) -> String {
    let mut settled = String::new();
    for line in text.lines() {
        let words = line.split(' ').collect::<Vec<_>>();
        let mut kept: Vec<&str> = Vec::new();
        for (place, word) in words.iter().enumerate() {
            let time = word.len() == 24 && word.ends_with('Z') && word.contains('T');
            let duration = words.get(place + 1) == Some(&"ms");
            kept.push(match (time, duration) {
                (true, _) => "<time>",
                (_, true) => "<n>",
                (false, false) => word,
            });
        }
        settled.push_str(kept.join(" ").trim_end());
        settled.push('\n');
    }
    settled
}

#[test]
fn projects_are_kept_and_looked_after() {
    let folder = tempfile::tempdir().expect("a folder");
    let part = file(&folder);
    let run = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let text = told(&fibula_in(folder.path(), &words));
        let text = text.replace(folder.path().to_str().expect("a plain path"), "FOLDER");
        format!("$ fibula {line}\n{}", settled(&text))
    };
    assert!(part.ends_with("part.3mf"));
    let lines = [
        "projects",
        "import part.3mf --project bracket",
        "project checkpoint bracket start",
        "import part.3mf --project bracket",
        "projects",
        "history bracket --limit 2 --changes",
        "project restore bracket --checkpoint start",
        "project undo bracket",
        "project undo bracket --redo",
        "export bracket bracket.jsonl",
        "export bracket bracket.jsonl",
        "export bracket now.jsonl --without-history",
        "export bracket then.jsonl --revision 9",
        "import bracket.jsonl",
        "import bracket.jsonl --as copy",
        "import now.jsonl --as now",
        "import now.jsonl --project now",
        "import part.3mf --as now",
        "history now",
        "verify",
        "project compact copy --revision 2",
        "project redact copy sphere --replacement ball",
        "project rename copy ball",
        "project delete ball",
        "project undelete bull",
        "projects --deleted",
        "project undelete ball --as sphere",
        "project delete now",
        "project purge now",
        "backup copy.db",
        "backup copy.db",
        "project copy sphere round --data copy.db",
        "projects --data copy.db",
        "verify sphere --data copy.db",
        "verify nothing",
        "project files list bracket",
        "project files add bracket part.3mf --as drawing.3mf",
        "project files add bracket nothing.pdf",
        "project files list bracket",
        "project files get bracket 2 part.3mf",
        "project files get bracket 2 drawing.3mf",
        "import drawing.3mf --json",
        "project files get bracket 9 out.3mf",
        "project files remove bracket 2",
        "project files list bracket --json",
        "project files list bracket --revision 7",
        "history brackets",
        "projects --data part.3mf",
        "projects --data :memory:",
        "backup more.db --data :memory:",
        "serve --data postgres://localhost/parts",
    ];
    let all: Vec<String> = lines.iter().map(|line| run(line)).collect();
    insta::assert_snapshot!(all.join("\n"));
}

/// Puts a record of a project in the store's file that was not written so.
fn damage(folder: &Path, project: &str, revision: u64) {
    let store = Sqlite::open(&folder.join("fibula.db"), &sqlite::Options::default());
    let store = store.expect("a store");
    let id = store.find(project).expect("a list").expect("the project");
    let mut record = None;
    let mut keep = |found: Record| {
        record = Some(found);
        ControlFlow::Break(())
    };
    store
        .read(id, LogRange::After(revision - 1), true, &mut keep)
        .expect("a log");
    let mut record = record.expect("a record");
    let place = record.body.len() / 2;
    record.body[place] ^= 1;
    let rewriting = LogRewrite {
        expected: store.head(id).expect("a head"),
        base: None,
        records: vec![record],
        wipe: false,
    };
    store.rewrite(id, rewriting).expect("it is written");
}

#[test]
fn a_backup_that_cannot_be_written_is_no_fault_of_the_store() {
    let folder = tempfile::tempdir().expect("a folder");
    file(&folder);
    fibula_in(folder.path(), &["import", "part.3mf", "--project", "p"]);
    let text = told(&fibula_in(folder.path(), &["backup", "nowhere/copy.db"]));
    let refused = "fibula: unwritable_file: nowhere/copy.db cannot be written: ";
    assert_contains!(text => refused);
}

#[test]
fn damage_is_told_and_what_is_left_is_saved() {
    let folder = tempfile::tempdir().expect("a folder");
    file(&folder);
    let run = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let text = told(&fibula_in(folder.path(), &words));
        settled(&text.replace(folder.path().to_str().expect("a plain path"), "FOLDER"))
    };
    for _ in 0..4 {
        run("import part.3mf --project bracket");
    }
    run("import part.3mf --project other");
    damage(folder.path(), "bracket", 3);
    insta::assert_snapshot!(run("verify"), @r"
    bracket  DAMAGED  2 entries, <n> ms
      revision 3 is damaged: its checksum does not match
      revisions 1 to 2 can be saved: fibula export bracket --revision 2 saved.jsonl --data FOLDER
    default  ok       0 entries, <n> ms
    other    ok       1 entries, <n> ms
    -- 1
    fibula: damaged_store: 1 of 3 projects are damaged; stop all programs that use the store, copy its files, and save what can be saved as shown above, or all of it with `fibula recover NEW.db`
    ");
    assert!(run("export bracket whole.jsonl").contains("damaged_store"));
    assert!(!folder.path().join("whole.jsonl").exists());
    let saved = run("export bracket --revision 2 saved.jsonl");
    assert_starts!(saved => "bracket: revisions 1 to 2\n-- 0\nfibula: warning: project 'bracket' is damaged");
    assert_each_eq! {
        run("import saved.jsonl --as saved") => "saved is at revision 2, with 2 entries of history\n-- 0\n";
    }
    assert!(run("verify saved").starts_with("saved  ok       2 entries"));
}

#[test]
fn a_project_goes_through_a_pipe() {
    let folder = tempfile::tempdir().expect("a folder");
    file(&folder);
    fibula_in(
        folder.path(),
        &["import", "part.3mf", "--project", "bracket"],
    );
    let exported = fibula_in(folder.path(), &["export", "bracket"]);
    assert!(exported.status.success());
    let other = tempfile::tempdir().expect("a folder");
    let mut child = Command::new(env!("CARGO_BIN_EXE_fibula"))
        .args(["import", "-", "--json", "--data"])
        .arg(other.path().join("deep/in/parts.db"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut to = child.stdin.take().expect("a pipe");
    to.write_all(&exported.stdout).expect("it reads");
    drop(to);
    let output = child.wait_with_output().expect("it ends");
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_fields!(answer, { "project": "bracket", "revision": 1 });
}
