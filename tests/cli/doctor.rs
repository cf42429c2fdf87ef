//! `fibula doctor` on set-ups of all kinds: what is wrong is said, with what to do, and nothing is created.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use fibula::store::{Sqlite, sqlite};
use serde_json::{Value as Json, json};

/// A home folder with files of clients.
struct Home(tempfile::TempDir);

impl Home {
    fn new(files: &[(&str, &str)]) -> Self {
        let home = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let path = home.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        Home(home)
    }

    /// The exit code and the findings.
    fn doctor(&self, arguments: &[&str], variables: &[(&str, &str)]) -> (i32, Vec<Json>) {
        let home = self.0.path();
        let mut command = Command::new(env!("CARGO_BIN_EXE_fibula"));
        command
            .args(["doctor", "--json"])
            .args(arguments)
            .current_dir(home)
            .env_clear()
            .env("HOME", home)
            .env("PATH", home.join("bin"))
            .envs(variables.iter().copied());
        let output = command.output().expect("the program runs");
        let findings = serde_json::from_slice(&output.stdout);
        let fault = String::from_utf8_lossy(&output.stderr);
        (
            output.status.code().expect("a code"),
            findings.unwrap_or_else(|error| panic!("{error}: {fault}")),
        )
    }

    /// The level and the text about a subject.
    fn finding(
        &self,
        subject: &str,
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> (String, String) {
        let (code, findings) = self.doctor(arguments, variables);
        let has_errors = findings.iter().any(|one| one["level"] == "error");
        assert_eq!(code, i32::from(has_errors), "{findings:?}");
        let found = findings.iter().find(|one| one["subject"] == subject);
        let found = found.unwrap_or_else(|| panic!("nothing about {subject}: {findings:?}"));
        let text = |name: &str| found[name].as_str().expect("a text").to_owned();
        (text("level"), text("text"))
    }

    fn check(&self, subject: &str, level: &str, parts: &[&str]) {
        let free = ["--listen", "127.0.0.1:0"];
        let (found, text) = self.finding(subject, &free, &[]);
        assert_eq!(found, level, "{text}");
        for part in parts {
            assert!(text.contains(part), "{part:?} is not in {text}");
        }
    }
}

fn claude(server: &Json) -> String {
    json!({ "mcpServers": { "parts": server } }).to_string()
}

#[test]
fn a_fresh_machine_is_in_order_and_stays_as_it_is() {
    let home = Home::new(&[]);
    home.check("program", "note", &["is not on the path"]);
    home.check("store", "ok", &["does not exist yet"]);
    home.check("clients", "note", &["docs/install.md"]);
    let left = fs::read_dir(home.0.path()).expect("a folder").count();
    assert_eq!(left, 0, "doctor creates nothing");
}

#[test]
fn faults_of_the_store_are_named() {
    let home = Home::new(&[
        (
            "store/fibula.db",
            "not a database at all, but long enough to be one",
        ),
        ("file", ""),
    ]);
    let free = ["--listen", "127.0.0.1:0"];
    let check = |data: &str, level: &str, part: &str| {
        let (found, text) = home.finding("store", &free, &[("FIBULA_DATA", data)]);
        assert_eq!(found, level, "{text}");
        assert!(text.contains(part), "{text}");
    };
    check("store", "error", "not_a_store");
    check("file/fibula.db", "error", "cannot be created");
    check(":memory:", "note", "lost");
    check("postgres://localhost/x", "error", "PostgreSQL");
    let sound = home.0.path().join("sound.db");
    drop(Sqlite::open(&sound, &sqlite::Options::default()).expect("a store"));
    check("sound.db", "ok", "has 0 projects, ");
}

#[test]
fn the_port_and_the_token_are_tried() {
    let home = Home::new(&[]);
    let other = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = other.local_addr().expect("an address").to_string();
    std::thread::spawn(move || {
        for stream in other.incoming() {
            drop(stream);
        }
    });
    let (level, text) = home.finding("port", &["--listen", &address], &[]);
    assert_eq!(level, "warning", "{text}");
    assert!(text.contains("another program has"), "{text}");
    let server = crate::talk::Http::new(&[], None);
    let (level, text) = home.finding("port", &["--listen", &server.address], &[]);
    assert_eq!(level, "ok", "{text}");
    let (level, text) = home.finding("port", &["--listen", "0.0.0.0:0"], &[]);
    assert_eq!(level, "error", "{text}");
    let (level, text) = home.finding(
        "token",
        &["--listen", "127.0.0.1:0"],
        &[("FIBULA_TOKEN", "short")],
    );
    assert_eq!(level, "error", "{text}");
    assert!(text.contains("16"), "{text}");
}

#[test]
fn configurations_of_clients_are_read() {
    let program = env!("CARGO_BIN_EXE_fibula");
    let desktop = ".config/Claude/claude_desktop_config.json";
    let check = |server: Json, level: &str, parts: &[&str]| {
        Home::new(&[(desktop, &claude(&server))]).check("Claude Desktop", level, parts);
    };
    check(
        json!({ "command": program, "args": ["mcp"] }),
        "ok",
        &["\"parts\" starts"],
    );
    check(
        json!({ "command": "fibula", "args": ["mcp"] }),
        "error",
        &["not on the path", program],
    );
    check(
        json!({ "command": "/nowhere/fibula", "args": ["mcp"] }),
        "error",
        &["does not exist"],
    );
    check(
        json!({ "command": program, "args": ["serve"] }),
        "error",
        &["nothing answers the client"],
    );
    check(
        json!({ "command": program }),
        "error",
        &["nothing answers the client"],
    );
    check(
        json!({ "command": program, "args": ["mcp", "--toolsets", "geometrie"] }),
        "error",
        &["is refused", "geometrie"],
    );
    check(
        json!({ "command": program, "args": ["mcp", "--data", "/tmp/other.db"] }),
        "note",
        &["/tmp/other.db"],
    );
    check(
        json!({ "command": program, "args": ["mcp"], "env": { "FIBULA_DATA": "/tmp/o.db" } }),
        "note",
        &["/tmp/o.db"],
    );
    check(
        json!({ "url": "http://127.0.0.1:1/mcp", "name": "fibula" }),
        "note",
        &["does not name Fibula"],
    );
    let named = |server: Json| json!({ "mcpServers": { "Fibula": server } }).to_string();
    let check = |server: Json, level: &str, part: &str| {
        Home::new(&[(desktop, &named(server))]).check("Claude Desktop", level, &[part]);
    };
    check(
        json!({ "url": "http://127.0.0.1:1/mcp" }),
        "warning",
        "start `fibula serve`",
    );
    check(
        json!({ "url": "http://127.0.0.1:1/" }),
        "error",
        "the path is /mcp",
    );
    check(
        json!({ "url": "https://parts.invalid/mcp" }),
        "error",
        "no machine parts.invalid",
    );
    check(
        json!({ "command": "npx", "args": ["-y", "fibula", "mcp"] }),
        "error",
        "npx, which is not on the path",
    );
}

#[test]
fn each_form_of_configuration_is_read_and_faults_are_told() {
    let program = env!("CARGO_BIN_EXE_fibula");
    let server = json!({ "command": program, "args": ["mcp"] }).to_string();
    let of = |field: &str| format!("{{ // a comment\n \"{field}\": {{ \"fibula\": {server}, }} }}");
    let claude_code = format!("{{\"projects\": {{\"/x\": {}}}}}", of("mcpServers"));
    let codex = format!("[mcp_servers.fibula]\ncommand = '{program}'\nargs = ['mcp']\n");
    let zed = format!(
        "{{\"context_servers\": {{\"fibula\": {{\"command\": {{\"path\": \"{program}\", \"args\": [\"mcp\"]}}}}}}}}"
    );
    let home = Home::new(&[
        (".config/Code/User/mcp.json", &of("servers")),
        (".claude.json", &claude_code),
        (".codex/config.toml", &codex),
        (".config/zed/settings.json", &zed),
        (".cursor/mcp.json", "{ \"mcpServers\": { \"fibula\": "),
        (".gemini/settings.json", ""),
    ]);
    for client in ["VS Code", "Claude Code", "Codex", "Zed"] {
        home.check(client, "ok", &["\"fibula\" starts", " with `mcp`"]);
    }
    home.check("Cursor", "error", &["is not JSON"]);
    home.check("Gemini CLI", "note", &["gemini mcp add"]);
}

/// What cannot be known is no error.
#[test]
fn sound_configurations_are_no_errors() {
    let program = env!("CARGO_BIN_EXE_fibula");
    let desktop = ".config/Claude/claude_desktop_config.json";
    let check = |server: Json, level: &str, part: &str| {
        let text = json!({ "mcpServers": { "Fibula": server } }).to_string();
        let starter = "#!/bin/sh\nexit 0\n";
        let home = Home::new(&[
            (desktop, &format!("\u{feff}{text}")),
            ("bin/cmd", starter),
            ("bin/sh", starter),
            ("bin/npx", starter),
            ("bin/plain", starter),
        ]);
        for name in ["cmd", "sh", "npx"] {
            let path = home.0.path().join("bin").join(name);
            let permissions = fs::Permissions::from_mode(0o755);
            fs::set_permissions(path, permissions).expect("a program");
        }
        home.check("Claude Desktop", level, &[part]);
    };
    check(
        json!({ "command": "cmd", "args": ["/c", program, "mcp"] }),
        "ok",
        "with `mcp`",
    );
    check(
        json!({ "command": "npx", "args": ["-y", "fibula", "mcp"] }),
        "ok",
        "with `mcp`",
    );
    check(
        json!({ "command": "npx", "args": ["-y", "fibula"] }),
        "error",
        "nothing answers",
    );
    check(
        json!({ "command": "sh", "args": ["-c", "fibula mcp"] }),
        "note",
        "are not checked",
    );
    check(
        json!({ "command": "${workspaceFolder}/fibula", "args": ["mcp"] }),
        "note",
        "only the client knows",
    );
    check(
        json!({ "command": "~/bin/fibula", "args": ["mcp"] }),
        "note",
        "only the client knows",
    );
    check(
        json!({ "command": "/nowhere", "disabled": true }),
        "note",
        "does not name Fibula",
    );
    check(json!({ "command": "plain" }), "error", "not on the path");
}

/// People paste the report into issues.
#[test]
fn secrets_are_not_shown() {
    let server = crate::talk::Http::new(&[], Some("token-of-the-test-0123456789"));
    let program = env!("CARGO_BIN_EXE_fibula");
    let url = format!(
        "http://localhost:{}/mcp",
        server.address.rsplit_once(':').expect("a port").1
    );
    let header = json!({ "Authorization": "Bearer token-of-the-test-0123456789" });
    let home = Home::new(&[
        (".cursor/mcp.json", &json!({ "mcpServers": {
            "fibula-a": { "url": "https://u:SECRET@fibula.example.org/mcp?key=SECRET" },
            "fibula-b": { "command": program, "args": ["mcp", "--token", "SECRET"] },
            "fibula-c": { "command": program, "args": ["mcp", "--root", "SECRET"], "env": { "KEY": "SECRET" } },
            "fibula-d": { "url": url, "headers": header },
            "fibula-e": { "url": url, "headers": { "Authorization": "Bearer SECRET-SECRET-SECRET" } },
        } }).to_string()),
    ]);
    let listen = ["--listen", &server.address];
    let (_, findings) = home.doctor(&listen, &[("FIBULA_TOKEN", "token-of-the-test-0123456789")]);
    let text = json!(findings).to_string();
    assert!(
        !text.contains("SECRET") && !text.contains("0123456789"),
        "{text}"
    );
    assert_contains!(text => "\\\"fibula-d\\\" is at http://localhost", "where Fibula ", "asks for a token that the client does not have");
    assert_contains!(text => "serves on 127.0.0.1");
    let (level, text) = home.finding("port", &listen, &[]);
    assert_eq!(
        (level.as_str(), text.contains("asks for another token")),
        ("note", true),
        "{text}"
    );
    // An address of all interfaces is asked on this machine.
    let port = server.address.rsplit_once(':').expect("a port").1;
    let (level, text) = home.finding(
        "port",
        &["--listen", &format!("0.0.0.0:{port}")],
        &[("FIBULA_TOKEN", "token-of-the-test-0123456789")],
    );
    assert_eq!(
        (level.as_str(), text.contains("serves on")),
        ("ok", true),
        "{text}"
    );
}

/// Another program of this name has little time, and not the token.
#[test]
fn a_program_on_the_path_is_asked_with_care() {
    let home = Home::new(&[(
        "bin/fibula",
        "#!/bin/sh\necho $FIBULA_TOKEN > leak\nexec /bin/sleep 30\n",
    )]);
    let path = home.0.path().join("bin/fibula");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
    let begun = std::time::Instant::now();
    let token = [("FIBULA_TOKEN", "token-of-the-test-0123456789")];
    let (level, text) = home.finding("program", &["--listen", "127.0.0.1:0"], &token);
    assert_eq!(level, "warning", "{text}");
    assert!(text.contains("does not tell its version"), "{text}");
    assert!(begun.elapsed().as_secs() < 20);
    assert_eq!(
        fs::read_to_string(home.0.path().join("leak"))
            .expect("it ran")
            .trim(),
        ""
    );
}

/// Text for people has a line for each finding.
#[test]
fn the_report_is_a_table() {
    let home = Home::new(&[]);
    let output = Command::new(env!("CARGO_BIN_EXE_fibula"))
        .args(["doctor", "--listen", "127.0.0.1:0"])
        .current_dir(home.0.path())
        .env("HOME", home.0.path())
        .env_remove("FIBULA_DATA")
        .env_remove("XDG_DATA_HOME")
        .env_remove("XDG_CONFIG_HOME")
        .output()
        .expect("it runs");
    let text = String::from_utf8(output.stdout).expect("text");
    let subjects: Vec<&str> = text
        .lines()
        .filter_map(|line| line.split_whitespace().nth(1))
        .collect();
    assert_eq!(subjects, ["program", "store", "port", "clients"], "{text}");
    assert!(
        Path::new(home.0.path())
            .read_dir()
            .expect("a folder")
            .next()
            .is_none()
    );
}
