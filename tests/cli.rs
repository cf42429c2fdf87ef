//! The command line as a person or a script uses it.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use fibula::format::threemf;

fn fibula(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fibula"))
        .args(arguments)
        .output()
        .expect("the program runs")
}

/// What a command says, its error output after a line `--`.
fn said(arguments: &[&str]) -> String {
    let output = fibula(arguments);
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
    let relations = r#"<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
 <Relationship Target="/3D/3dmodel.model" Id="r" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/>
</Relationships>"#;
    let types = r#"<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
 <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
 <Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/>
</Types>"#;
    let path = folder.path().join("part.3mf");
    let mut writer = zip::ZipWriter::new(std::fs::File::create(&path).expect("a new file"));
    let options = zip::write::SimpleFileOptions::default();
    for (name, text) in [
        ("[Content_Types].xml", types),
        ("_rels/.rels", relations),
        ("3D/3dmodel.model", model),
    ] {
        writer.start_file(name, options).expect("an entry");
        writer.write_all(text.as_bytes()).expect("its text");
    }
    writer.finish().expect("the end");
    let bytes = std::fs::read(&path).expect("it was written");
    assert!(threemf::is_3mf(&bytes));
    path.to_str().expect("a plain path").to_owned()
}

#[test]
fn commands_say_what_a_person_wants_to_know() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = file(&folder);
    let commands: [&[&str]; 18] = [
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
    assert!(
        said(&["import", path]).contains("fibula: "),
        "{}",
        said(&["import", path])
    );
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
