//! Files in which MCP clients name their servers.

use std::path::{Path, PathBuf};

use directories::BaseDirs;
use jsonc_parser::{ParseOptions, parse_to_serde_value};
use serde_json::{Map, Value as Json};

/// Folder that a file lies in.
#[derive(Debug, Clone, Copy)]
enum Base {
    /// The home folder.
    Home,
    /// The folder that the platform has for settings.
    Settings,
    /// The working directory.
    Here,
}

/// Files of clients, and the field in each that has the servers by name.
const FILES: [(&str, Base, &str, &str); 13] = [
    (
        "Claude Desktop",
        Base::Settings,
        "Claude/claude_desktop_config.json",
        "mcpServers",
    ),
    ("Claude Code", Base::Home, ".claude.json", "mcpServers"),
    ("Cursor", Base::Home, ".cursor/mcp.json", "mcpServers"),
    ("VS Code", Base::Settings, "Code/User/mcp.json", "servers"),
    (
        "Windsurf",
        Base::Home,
        ".codeium/windsurf/mcp_config.json",
        "mcpServers",
    ),
    ("Codex", Base::Home, ".codex/config.toml", "mcp_servers"),
    (
        "Gemini CLI",
        Base::Home,
        ".gemini/settings.json",
        "mcpServers",
    ),
    ("LM Studio", Base::Home, ".lmstudio/mcp.json", "mcpServers"),
    (
        "Zed",
        Base::Home,
        ".config/zed/settings.json",
        "context_servers",
    ),
    ("Claude Code", Base::Here, ".mcp.json", "mcpServers"),
    ("Cursor", Base::Here, ".cursor/mcp.json", "mcpServers"),
    ("VS Code", Base::Here, ".vscode/mcp.json", "servers"),
    (
        "Gemini CLI",
        Base::Here,
        ".gemini/settings.json",
        "mcpServers",
    ),
];

/// A file of a client.
#[derive(Debug, Clone)]
pub(super) struct ClientFile {
    pub(super) client: &'static str,
    pub(super) path: PathBuf,
    /// Field with the servers, by name.
    field: &'static str,
}

/// A server as a client starts or reaches it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Entry {
    /// A program with arguments and variables of its environment.
    Program {
        command: String,
        arguments: Vec<String>,
        store: Option<String>,
    },
    /// An address, and the token of its header.
    Address {
        address: String,
        token: Option<String>,
    },
}

/// Lists the files in which clients look, of this user and of the working directory.
pub(super) fn client_files() -> Vec<ClientFile> {
    let folders = BaseDirs::new();
    let files = FILES.iter().filter_map(|&(client, base, path, field)| {
        let folder = match base {
            Base::Home => folders.as_ref()?.home_dir(),
            Base::Settings => folders.as_ref()?.config_dir(),
            Base::Here => Path::new(""),
        };
        let path = folder.join(path);
        Some(ClientFile {
            client,
            path,
            field,
        })
    });
    files.collect()
}

impl ClientFile {
    /// Reads the servers that mean Fibula, by name; `None` if there is no such file.
    ///
    /// # Errors
    /// A text if the file cannot be read, or is not what its name says.
    pub(super) fn entries(&self) -> Option<Result<Vec<(String, Entry)>, String>> {
        let text = match std::fs::read_to_string(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
            read => read,
        };
        let parsed = text
            .map_err(|error| format!("cannot be read: {error}"))
            .and_then(|text| self.parse(&text));
        Some(parsed.map(|settings| {
            let servers = settings.get(self.field).and_then(Json::as_object);
            // Claude Code keeps servers of a folder beside those of the user.
            let projects = settings.get("projects").and_then(Json::as_object);
            let projects = projects.into_iter().flat_map(Map::values);
            let projects = projects.filter_map(|project| project.get(self.field)?.as_object());
            let entries = servers.into_iter().chain(projects).flatten();
            let entries =
                entries.filter_map(|(name, server)| Some((name.clone(), Entry::new(server)?)));
            entries
                .filter(|(name, entry)| entry.is_fibula(name))
                .collect()
        }))
    }

    fn parse(&self, text: &str) -> Result<Json, String> {
        // Editors of Windows may begin a file with a byte order mark.
        let text = text.trim_start_matches('\u{feff}');
        if self
            .path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            let parsed = toml::from_str(text).map_err(|error| error.message().to_owned());
            return parsed
                .map_err(|error| format!("is not TOML, so that the client ignores it: {error}"));
        }
        // Editors allow comments; an empty file is one without servers.
        let parsed = parse_to_serde_value::<Option<Json>>(text, &ParseOptions::default());
        parsed
            .map(Option::unwrap_or_default)
            .map_err(|error| format!("is not JSON, so that the client ignores it: {error}"))
    }
}

impl Entry {
    fn new(server: &Json) -> Option<Entry> {
        let is_set =
            |name: &str, value: bool| server.get(name).and_then(Json::as_bool) == Some(value);
        if is_set("disabled", true) || is_set("enabled", false) {
            return None;
        }
        let address = ["url", "httpUrl", "serverUrl"]
            .into_iter()
            .find_map(|name| server.get(name)?.as_str());
        if let Some(address) = address {
            let header = server
                .get("headers")
                .and_then(|headers| headers.get("Authorization")?.as_str());
            let token = header.and_then(|header| header.strip_prefix("Bearer "));
            return Some(Entry::Address {
                address: address.to_owned(),
                token: token.map(str::to_owned),
            });
        }
        // Zed had the program and its arguments in an object.
        let nested = server.get("command").filter(|command| command.is_object());
        let command = nested.map_or_else(|| server.get("command"), |nested| nested.get("path"))?;
        let arguments = nested
            .unwrap_or(server)
            .get("args")
            .and_then(Json::as_array);
        let arguments = arguments.into_iter().flatten().filter_map(Json::as_str);
        let store = server
            .get("env")
            .and_then(|env| env.get("FIBULA_DATA")?.as_str());
        Some(Entry::Program {
            command: command.as_str()?.to_owned(),
            arguments: arguments.map(str::to_owned).collect(),
            store: store.map(str::to_owned),
        })
    }

    /// True if the server is Fibula, whatever the client calls it.
    fn is_fibula(&self, name: &str) -> bool {
        let is_named = |text: &str| text.to_ascii_lowercase().contains("fibula");
        is_named(name)
            || match self {
                Entry::Program {
                    command, arguments, ..
                } => is_named(command) || arguments.iter().any(|text| is_named(text)),
                Entry::Address { address, .. } => address.contains(":7878/"),
            }
    }
}
