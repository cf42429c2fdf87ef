//! docs/tools.md, generated from the tools.

use std::fmt::Write as _;
use std::path::Path;

use fibula::mcp::{TOOLSETS, Toolset};
use rmcp::model::Tool;
use serde_json::Value as Json;

use super::server;

#[test]
fn the_page_of_tools_is_up_to_date() {
    assert_up_to_date("docs/tools.md", &page());
}

/// Asserts that a generated file is as it is generated now; with `FIBULA_BLESS=1` it is written.
pub(crate) fn assert_up_to_date(file: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if std::env::var_os("FIBULA_BLESS").is_some() {
        std::fs::write(&path, text).expect("the file can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == text,
        "{file} is out of date; run FIBULA_BLESS=1 cargo test --test agents"
    );
}

const RESOURCES: &str = "
## Resources

| address | content |
|---|---|
| `fibula://projects` | every project with its revision |
| `fibula://projects/{project}/summary` | its functions and last changes |
| `fibula://projects/{project}/structure` | its objects, images, volume data, build and metadata |
| `fibula://projects/{project}/package.3mf` | the project as a 3MF file, in base64; at most 8 MiB |
| `fibula://projects/{project}/part.{format}?request={...}` | a mesh or slices, made on reading; the request is the arguments of `export` as JSON; at most 8 MiB |
| `fibula://projects/{project}/functions/{id}` | the whole graph of a function |
| `fibula://projects/{project}/functions/{id}.svg` | the graph of a function as a picture |
| `fibula://projects/{project}/graph` | its knowledge graph; at most 8 MiB |
| `fibula://projects/{project}/schema` | the types of its knowledge graph, with counts |
| `skill://fibula-parts/SKILL.md` | a skill for agents: how to design, change, check and export parts; [a copy](skills/fibula-parts/SKILL.md) for hosts that read skills from folders |
| `ui://fibula/view.html` | the page of [views inside of hosts](install.md#views-inside-of-hosts), for clients that show them |
| `graph://summary`, `graph://schema`, `graph://export/json` | of the knowledge graph of project \"default\": counts, its schema in GraphQL, all of it; listed by toolset `graphinate` |
| `fibula://node-types/{name}` | parameters, ports, overloads and examples of a node type |
| `fibula://schemas/edits` | the arguments of each kind of edit of `apply_edits`, as a JSON Schema |
| `fibula://schemas/edits/{kind}` | those of one kind |

Clients can subscribe to them. They are notified when the content of a resource changes, whoever changed it: for a function,
edits of it, changes of the inputs or outputs of its callees, and of its edges in the knowledge graph; for a summary,
structure or package, every change of the project; for the list of projects, every change of any project. A burst of edits
causes one notification, at most every 50 ms, and its last edit always causes one. Clients of 2026-07-28 use
`subscriptions/listen`, over stdio and HTTP; resources that do not exist are not acknowledged. Clients of 2025-11-25 use
`resources/subscribe` over stdio; it is not offered over HTTP, where notifications cannot be delivered without sessions.
";

fn page() -> String {
    let mut page = "# Tools

Tools that agents can call over MCP, by toolset. This page is generated from the tools: do not edit it.

An argument with a question mark is optional; one with two is accepted as well, but not in the schema that `tools/list`
sends, since every word of it costs agents context. Every answer has `success: true` (for `validate_model` it is the result of
the validation); a refused call changes nothing, and its text begins with a code and says what to do.

Some arguments are the same everywhere. `project` is by default \"default\". With `expected_revision` the call fails unless
the project is at that revision. With `dry_run: true` the call is validated and returns the same answer, with `dry_run: true`
and the current revision, but changes nothing. In tools that read, `revision` selects an earlier state. Long lists are
paginated: a page has at most `limit` items, and `next_cursor` of an answer is the `cursor` of the next page.
"
    .to_owned();
    page.push_str(RESOURCES);
    for &toolset in TOOLSETS {
        let _ = writeln!(page, "\n## {}", toolset.name());
        if !Toolset::DEFAULT.contains(&toolset) {
            let (name, default) = (
                toolset.name(),
                Toolset::DEFAULT.map(Toolset::name).join(","),
            );
            let _ = writeln!(
                page,
                "\nOff by default; `--toolsets {default},{name}` turns it on."
            );
        }
        let server = server(&[toolset]);
        for listed in server.tools() {
            let tool = server.tool(&listed.name).expect("it is listed");
            let listed = listed
                .input_schema
                .get("properties")
                .and_then(Json::as_object);
            describe(&mut page, tool, listed, toolset.is_profile());
        }
    }
    page
}

fn describe(
    page: &mut String,
    tool: &Tool,
    listed: Option<&serde_json::Map<String, Json>>,
    is_profile: bool,
) {
    let hints = tool.annotations.as_ref().expect("every tool has hints");
    let reads = if hints.read_only_hint == Some(true) {
        "Changes nothing."
    } else {
        "Changes the project."
    };
    let text = tool.description.as_deref().unwrap_or_default();
    let _ = writeln!(page, "\n### {}\n\n{text} {reads}\n", tool.name);
    table(page, "argument", &tool.input_schema, listed);
    let Some(output) = tool.output_schema.as_deref() else {
        let what = if is_profile {
            "Answers text, like the server of the other system."
        } else {
            "Answers a picture, and its properties as text."
        };
        let _ = writeln!(page, "{what}");
        return;
    };
    let fields = output["properties"].as_object().expect("fields").keys();
    let fields: Vec<String> = fields.map(|name| format!("`{name}`")).collect();
    let _ = writeln!(page, "Answers {}.", fields.join(", "));
}

fn table(
    page: &mut String,
    head: &str,
    schema: &rmcp::model::JsonObject,
    listed: Option<&serde_json::Map<String, Json>>,
) {
    let Some(properties) = schema
        .get("properties")
        .and_then(Json::as_object)
        .filter(|all| !all.is_empty())
    else {
        return;
    };
    let required = schema.get("required").and_then(Json::as_array);
    let required = required.into_iter().flatten().filter_map(Json::as_str);
    let required: Vec<&str> = required.collect();
    let _ = writeln!(page, "| {head} | type | |\n|---|---|---|");
    let optional = |name: &str| !required.contains(&name);
    let mut rows: Vec<(&String, &Json)> = properties.iter().collect();
    rows.sort_by_key(|(name, _)| optional(name));
    for (name, property) in rows {
        let mark = match (
            optional(name),
            listed.is_some_and(|all| all.contains_key(name)),
        ) {
            (false, _) => "",
            (true, true) => "?",
            (true, false) => "??",
        };
        let kind = property["type"].as_str().unwrap_or("any");
        let text = property["description"]
            .as_str()
            .unwrap_or_default()
            .replace('|', "\\|");
        let _ = writeln!(page, "| `{name}`{mark} | {kind} | {text} |");
    }
    page.push('\n');
}
