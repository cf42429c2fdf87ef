//! `fibula graph` as a person uses it.

use std::path::Path;
use std::process::Command;

/// Output of a command that succeeds.
fn fibula(folder: &Path, arguments: &[&str]) -> String {
    let done = run(folder, arguments);
    let error = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{arguments:?}: {error}");
    String::from_utf8(done.stdout).expect("text")
}

fn run(folder: &Path, arguments: &[&str]) -> std::process::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fibula"));
    let command = command.arg("graph").args(arguments).current_dir(folder);
    let command = command.env("FIBULA_DATA", folder.join("data"));
    command.output().expect("the program runs")
}

#[test]
fn a_file_is_brought_in_searched_drawn_and_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let friends = r#"{ "nodes": [{ "id": "a", "name": "Ann", "entityType": "Person" }, { "id": "b", "name": "Bob", "entityType": "Person" },
        { "id": "c", "name": "Chess", "entityType": "Game" }],
        "links": [{ "source": "a", "target": "b", "label": "knows" }, { "source": "b", "target": "c", "label": "plays" }] }"#;
    std::fs::write(folder.join("friends.json"), friends).expect("a file");
    assert_starts!(fibula(folder, &["import", "friends", "friends.json"]) => "node-link: 3 nodes, 2 edges; 5 made");
    let told = fibula(folder, &["import", "friends", "friends.json"]);
    assert_contains!(told => "0 made, 0 merged, 0 replaced, 5 skipped");
    let told = fibula(folder, &["search", "friends", "ches"]);
    assert!(told.contains("Chess") && !told.contains("Bob"), "{told}");
    assert_each_eq! {
        fibula(folder, &["path", "friends", "Ann", "Chess"]) => "Ann -knows-> Bob -plays-> Chess\n";
        fibula(folder, &["path", "friends", "Chess", "Ann"]) => "Chess <-plays- Bob <-knows- Ann\n";
    }
    assert_contains!(fibula(folder, &["show", "friends", "Bob"]) => "-plays-> Chess", "<-knows- Ann");
    assert_starts!(fibula(folder, &["show", "friends"]) => "3 nodes, 2 edges\nnodes: 2 Person\n");
    let told = fibula(
        folder,
        &["near", "friends", "Ann", "--depth", "2", "--type", "game"],
    );
    assert!(told.contains("Chess") && !told.contains("Bob"), "{told}");
    assert_contains!(fibula(folder, &["analyze", "friends", "components"]) => "\"size\": 3");
    for name in [
        "friends.png",
        "friends.svg",
        "friends.html",
        "friends.dot",
        "friends.mmd",
    ] {
        let told = fibula(folder, &["draw", "friends", "-o", name]);
        assert_eq!(told, format!("{name}: 3 nodes, 2 edges\n"));
        let size = folder.join(name).metadata().expect("it is there").len();
        assert!(size > 40, "{name}");
    }
    fibula(folder, &["export", "friends", "friends.graphml"]);
    fibula(folder, &["import", "copy", "friends.graphml"]);
    assert_eq!(
        fibula(folder, &["export", "copy", "-", "--format", "csv"]),
        fibula(folder, &["export", "friends", "-", "--format", "csv"])
    );
    let tables = ["export", "friends", "nodes.csv", "--edges", "edges.csv"];
    fibula(folder, &tables);
    let edges = std::fs::read_to_string(folder.join("edges.csv")).expect("a file");
    assert_eq!(edges.lines().count(), 3);
    let tables = ["import", "again", "nodes.csv", "--edges", "edges.csv"];
    assert_starts!(fibula(folder, &tables) => "csv: 3 nodes, 2 edges; 5 made");
    std::fs::create_dir(folder.join("made")).expect("a folder");
    let links = &["export", "friends", "-", "--format", "node-link", "--links"];
    let links = fibula(folder, links);
    assert!(links.contains("\"links\":[") && !links.contains("\"edges\":["));
    std::fs::write(folder.join("people.csv"), ":ID,name,:LABEL\n1,Ann,Person\n").expect("a file");
    let knows = ":START_ID,:END_ID,:TYPE\n1,1,KNOWS\n";
    std::fs::write(folder.join("knows.csv"), knows).expect("a file");
    let tables = ["import", "tables", "people.csv", "--edges", "knows.csv"];
    assert_starts!(fibula(folder, &tables) => "csv: 1 nodes, 1 edges; 2 made");
    // Another delimiter, and the mark that spreadsheets write.
    let marked = "\u{feff}source;target;type\nPerson:1;Person:1;likes\n";
    std::fs::write(folder.join("likes.csv"), marked).expect("a file");
    let tables = ["import", "tables", "people.csv", "--edges", "likes.csv"];
    assert_starts!(fibula(folder, &tables) => "csv: 2 nodes, 1 edges");
    for (arguments, code) in cases![
        &["import", "other", "knows.csv", "--edges", "people.csv"][..] => "this is a table of edges, not one of nodes";
        &["show", "friends", "Cleo"] => "unknown_node";
        &["import", "other", "friends.json", "--edges", "knows.csv"] => "invalid_arguments";
        &["show", "nothing"] => "unknown_project";
        &["export", "friends", "friends.xyz"] => "unknown_format";
        &["export", "friends", "new.csv", "--edges", "./new.csv"] => "are one file";
        &["export", "friends", "nodes.csv", "--edges", "made/../nodes.csv", "--overwrite"] => "are one file";
        &["export", "friends", "new.csv", "--edges", "other.csv", "--links"] => "csv has no list of links";
        &["export", "friends", "-", "--format", "csv", "--edges", "new.csv"] => "name a file for the nodes";
        &["export", "friends", "new.dot", "--edges", "new.csv"] => "is one file";
        &["export", "friends", "new.csv", "--edges", "edges.csv"] => "edges.csv";
        &["export", "friends", "new.csv", "--links"] => "csv has no list of links";
        &["import", "friends", "nowhere.json"] => "unreadable_file";
        &["import", "other", "friends.json", "--dry-run"] => "unknown_project";
    ] {
        let done = run(folder, arguments);
        let error = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(!done.status.success(), "{arguments:?}: {error}");
        assert!(error.contains(code), "{arguments:?}: {error}");
    }
    // A file whose writer was interrupted.
    let line = |name: &str| {
        format!(
            "{{\"type\":\"entity\",\"name\":\"{name}\",\"entityType\":\"t\",\"observations\":[]}}\n"
        )
    };
    let whole = line("a") + &line("é");
    let cut = whole.find('é').expect("a character") + 1;
    std::fs::write(folder.join("cut.jsonl"), &whole.as_bytes()[..cut]).expect("a file");
    let done = run(folder, &["import", "cut", "cut.jsonl"]);
    let [told, warned] = [&done.stdout, &done.stderr].map(|text| String::from_utf8_lossy(text));
    assert_contains!(told => "memory-jsonl: 1 nodes, 0 edges");
    assert_contains!(warned => "cut.jsonl ends in the middle of a character");
    std::fs::write(folder.join("wrong.jsonl"), b"\xff\n").expect("a file");
    let done = run(folder, &["import", "cut", "wrong.jsonl"]);
    assert_contains!(String::from_utf8_lossy(&done.stderr) => "is not UTF-8 text");
    // Of two tables neither is written if one cannot be.
    assert!(!folder.join("new.csv").exists());
}
