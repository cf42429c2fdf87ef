//! Talks to the program as a client does that knows nothing of MCP libraries: bytes in, JSON out.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// Calls a tool and returns the fields of its answer; its arguments are JSON in braces, or an expression.
macro_rules! call {
    ($server:expr, $tool:expr, {$($arguments:tt)*}) => {
        call!($server, $tool, serde_json::json!({$($arguments)*}))
    };
    ($server:expr, $tool:expr, $arguments:expr) => {{
        let (tool, arguments) = ($tool, $arguments);
        let answer = $server.call(tool, &arguments);
        answer.unwrap_or_else(|refusal| panic!("{tool} {arguments}: {refusal}"))
    }};
}

/// Calls a tool as [`call!`] does and returns the text of its refusal.
macro_rules! refusal {
    ($server:expr, $tool:expr, {$($arguments:tt)*}) => {
        refusal!($server, $tool, serde_json::json!({$($arguments)*}))
    };
    ($server:expr, $tool:expr, $arguments:expr) => {{
        let (tool, arguments) = ($tool, $arguments);
        match $server.call(tool, &arguments) {
            Ok(answer) => panic!("{tool} {arguments}: {answer}"),
            Err(refusal) => refusal,
        }
    }};
}

/// Longest time that an answer may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A message that calls a tool.
pub(crate) fn call(id: u64, tool: &str, arguments: &Json) -> Json {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool, "arguments": arguments } })
}

/// The answer's fields, or the text of the refusal or error.
pub(crate) fn outcome(answer: &Json) -> Result<Json, String> {
    if let Some(error) = answer.get("error") {
        let message = error["message"].as_str().unwrap_or_default();
        return Err(format!("{}: {message}", error["code"]));
    }
    let result = &answer["result"];
    if result["isError"] != json!(true) {
        return Ok(result["structuredContent"].clone());
    }
    let text = result["content"][0]["text"]
        .as_str()
        .expect("a refusal has a text")
        .to_owned();
    // The code, for programs.
    let machine: Json = serde_json::from_str(
        result["content"][1]["text"]
            .as_str()
            .expect("and the code as JSON"),
    )
    .expect("which is JSON");
    let code = &result["_meta"]["code"];
    assert_eq!(machine, json!({ "success": false, "error": code }));
    assert_starts!(text => code.as_str().expect("a code"));
    assert!(result.get("structuredContent").is_none(), "{text}");
    Err(text)
}

/// Place in which a program keeps its projects.
pub(crate) enum Data<'a> {
    /// In a folder of its own, which goes with it.
    Own,
    /// In a folder that others use, too.
    Shared(&'a Path),
}

impl Data<'_> {
    /// Sets the program's environment; the folder has to be held as long as it runs.
    fn tell(&self, command: &mut Command) -> Option<TempDir> {
        match self {
            Data::Own => {
                let folder = tempfile::tempdir().expect("a folder");
                command.env("FIBULA_DATA", folder.path());
                Some(folder)
            }
            Data::Shared(folder) => {
                command.env("FIBULA_DATA", folder);
                None
            }
        }
    }
}

/// `fibula mcp`.
pub(crate) struct Pipe {
    child: Child,
    /// Goes after the program.
    _data: Option<TempDir>,
    /// Its working folder, if nothing else uses that.
    _folder: Option<TempDir>,
    to: Option<ChildStdin>,
    from: Receiver<String>,
    next: u64,
}

impl Pipe {
    pub(crate) fn new(arguments: &[&str], folder: &Path) -> Self {
        Pipe::on(&Data::Own, arguments, folder)
    }

    /// As [`new`](Self::new), in a folder that nothing else uses.
    pub(crate) fn scratch(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().to_owned();
        Pipe::start(&Data::Own, arguments, &path, Some(folder))
    }

    pub(crate) fn on(data: &Data<'_>, arguments: &[&str], folder: &Path) -> Self {
        Pipe::start(data, arguments, folder, None)
    }

    fn start(data: &Data<'_>, arguments: &[&str], folder: &Path, own: Option<TempDir>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fibula"));
        command
            .arg("mcp")
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let data = data.tell(&mut command);
        let mut child = command.spawn().expect("the program starts");
        let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let (sender, from) = channel();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let to = child.stdin.take();
        Pipe {
            child,
            _data: data,
            _folder: own,
            to,
            from,
            next: 0,
        }
    }

    /// Sends bytes as they are.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        let to = self.to.as_mut().expect("it is open");
        to.write_all(bytes).expect("the program reads");
        to.flush().expect("the program reads");
    }

    pub(crate) fn receive(&mut self) -> Json {
        let line = self.from.recv_timeout(PATIENCE).expect("an answer in time");
        serde_json::from_str(&line).expect("an answer is JSON")
    }

    /// The next message, if it comes in time.
    pub(crate) fn receive_within(&mut self, time: Duration) -> Option<Json> {
        let line = self.from.recv_timeout(time).ok()?;
        Some(serde_json::from_str(&line).expect("a message is JSON"))
    }

    /// Calls a tool.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Json) -> Result<Json, String> {
        let params = json!({ "name": tool, "arguments": arguments });
        outcome(&self.ask("tools/call", &params))
    }

    /// The whole answer to a request.
    pub(crate) fn ask(&mut self, method: &str, params: &Json) -> Json {
        self.next += 1;
        let id = self.next;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(format!("{message}\n").as_bytes());
        let answer = self.receive();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// The names of the tools that are listed.
    pub(crate) fn tools(&mut self) -> Vec<String> {
        let listed = self.ask("tools/list", &json!({}));
        let tools = listed["result"]["tools"].as_array().expect("tools").iter();
        let name = |tool: &Json| tool["name"].as_str().expect("a name").to_owned();
        tools.map(name).collect()
    }

    /// Ends the input.
    pub(crate) fn close(&mut self) {
        drop(self.to.take());
    }

    /// Ends the input, and waits for the end of the program.
    pub(crate) fn end(mut self) -> std::process::ExitStatus {
        self.close();
        self.child.wait().expect("it ends")
    }

    /// As [`end`](Self::end), within this time.
    pub(crate) fn end_within(mut self, limit: Duration) -> std::process::ExitStatus {
        self.close();
        wait_within(&mut self.child, limit)
    }
}

/// Waits for the end of a program; a program that runs on after this time fails the test.
pub(crate) fn wait_within(child: &mut Child, limit: Duration) -> std::process::ExitStatus {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            return status;
        }
        assert!(start.elapsed() < limit, "it runs on after {limit:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `fibula serve`.
pub(crate) struct Http {
    pub(crate) child: Child,
    /// Goes after the program.
    _data: Option<TempDir>,
    pub(crate) address: String,
    pub(crate) token: Option<&'static str>,
}

impl Http {
    pub(crate) fn new(arguments: &[&str], token: Option<&'static str>) -> Self {
        Http::on(&Data::Own, arguments, token)
    }

    pub(crate) fn on(data: &Data<'_>, arguments: &[&str], token: Option<&'static str>) -> Self {
        Http::start(data, arguments, token, &[])
    }

    /// As [`new`](Self::new), with these variables in its environment.
    #[cfg_attr(
        not(feature = "opentelemetry"),
        expect(dead_code, reason = "one test needs it")
    )]
    pub(crate) fn with_environment(variables: &[(&str, &str)]) -> Self {
        Http::start(&Data::Own, &[], None, variables)
    }

    fn start(
        data: &Data<'_>,
        arguments: &[&str],
        token: Option<&'static str>,
        variables: &[(&str, &str)],
    ) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fibula"));
        command
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(arguments)
            .envs(variables.iter().copied())
            .stderr(Stdio::piped());
        command.env_remove("FIBULA_TOKEN");
        if let Some(token) = token {
            command.env("FIBULA_TOKEN", token);
        }
        let data = data.tell(&mut command);
        let mut child = command.spawn().expect("the program starts");
        let mut from = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut line = String::new();
        from.read_line(&mut line).expect("it says where it listens");
        std::thread::spawn(move || std::io::copy(&mut from, &mut std::io::sink()));
        let start = line
            .find("http://")
            .unwrap_or_else(|| panic!("no address in {line}"))
            + "http://".len();
        let end = start + line[start..].find('/').expect("an address ends in a path");
        Http {
            child,
            _data: data,
            address: line[start..end].to_owned(),
            token,
        }
    }

    /// Sends a request with these headers beside the usual ones, which they replace; gives status, headers and body.
    pub(crate) fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> (u16, String, String) {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let authorization = self.token.map(|token| format!("Bearer {token}"));
        let length = body.len().to_string();
        let mut usual = vec![
            ("Host", self.address.as_str()),
            ("Connection", "close"),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", "2025-11-25"),
            ("Content-Length", &length),
        ];
        usual.extend(
            authorization
                .as_deref()
                .map(|value| ("Authorization", value)),
        );
        usual.retain(|(name, _)| {
            !headers
                .iter()
                .any(|(other, _)| name.eq_ignore_ascii_case(other))
        });
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        for (name, value) in usual
            .iter()
            .chain(headers)
            .filter(|(_, value)| !value.is_empty())
        {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        head.push_str("\r\n");
        stream.write_all(head.as_bytes()).expect("it reads");
        // It may refuse before it has read all.
        let _ = stream.write_all(body);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let text = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = text
            .split_once("\r\n\r\n")
            .unwrap_or_else(|| panic!("no answer: {text}"));
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|code| code.parse().ok())
            .expect("a status");
        (status, head.to_owned(), body.to_owned())
    }

    /// Sends a message to /mcp; gives status and answer.
    pub(crate) fn post(&self, body: &[u8]) -> (u16, Json) {
        let (status, _, body) = self.request("POST", "/mcp", &[], body);
        (
            status,
            serde_json::from_str(&body).unwrap_or(Json::String(body)),
        )
    }

    /// Calls a tool.
    pub(crate) fn call(&self, tool: &str, arguments: &Json) -> Result<Json, String> {
        let (_, answer) = self.post(call(1, tool, arguments).to_string().as_bytes());
        outcome(&answer)
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A zip archive with one stored entry, by hand, so that nothing repairs what is wrong with it.
pub(crate) fn zip(name: &str, data: &[u8]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated);
    writer.start_file(name, options).expect("an entry");
    writer.write_all(data).expect("its data");
    writer.finish().expect("the end").into_inner()
}
