//! Addresses (URIs) of resources.

use std::fmt::Write as _;

use fibula_core::graph::FunctionId;
use fibula_service::{DEFAULT_PROJECT, FunctionKey, MakePart, PartFormat, Refusal};
use rmcp::ErrorData;
use serde_json::{Map, Value, json};

pub(crate) const PROJECTS: &str = "fibula://projects";
pub(crate) const SUMMARY: &str = "fibula://projects/{project}/summary";
pub(crate) const STRUCTURE: &str = "fibula://projects/{project}/structure";
pub(crate) const PACKAGE: &str = "fibula://projects/{project}/package.3mf";
pub(crate) const PART: &str = "fibula://projects/{project}/part.{format}{?request}";
pub(crate) const FUNCTION: &str = "fibula://projects/{project}/functions/{id}";
pub(crate) const PICTURE: &str = "fibula://projects/{project}/functions/{id}.svg";
pub(crate) const GRAPH: &str = "fibula://projects/{project}/graph";
pub(crate) const SCHEMA: &str = "fibula://projects/{project}/schema";
/// Address of the schema of the edits of `apply_edits`.
pub(crate) const EDIT_SCHEMA: &str = "fibula://schemas/edits";
/// Address of the schema of one kind of edit.
pub(crate) const KIND_SCHEMA: &str = "fibula://schemas/edits/{kind}";
pub(crate) const NODE_TYPE: &str = "fibula://node-types/{name}";
/// Address of the CAD terms.
pub(crate) const CAD_TERMS: &str = "fibula://library/cad";
/// Address of the page of views inside of hosts.
pub(crate) const VIEW: &str = "ui://fibula/view.html";
/// Address of the skill for agents.
pub(crate) const SKILL: &str = "skill://fibula-parts/SKILL.md";
/// Address of the summary of the default project's knowledge graph. Toolsets may list it.
pub const GRAPH_SUMMARY: &str = "graph://summary";
/// Address of the GraphQL schema of knowledge graphs. Toolsets may list it.
pub const GRAPH_SCHEMA: &str = "graph://schema";
/// Address of the default project's knowledge graph. Toolsets may list it.
pub const GRAPH_EXPORT: &str = "graph://export/json";
/// Address of the default project's knowledge graph as entities and relations. Toolsets may list it.
pub const MEMORY_GRAPH: &str = "memory://knowledge-graph";

/// A parsed address.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Address {
    Projects,
    Summary(String),
    Structure(String),
    Part(Box<MakePart>),
    Function(String, FunctionId),
    /// The graph of a function as a picture.
    Picture(String, FunctionId),
    /// The knowledge graph of a project.
    Graph(String),
    /// The types of a project's knowledge graph.
    Schema(String),
    NodeType(String),
    /// CAD terms.
    CadTerms,
    /// The edits of `apply_edits`.
    EditSchema,
    /// One kind of edit.
    KindSchema(String),
    /// The knowledge graph of the default project in brief.
    GraphSummary,
    /// The knowledge graph of the default project as entities and relations.
    Entities,
    /// The GraphQL schema of knowledge graphs.
    GraphSchema,
    /// The skill for agents.
    Skill,
}

impl Address {
    /// Project that is read.
    pub(crate) fn project(&self) -> Option<&str> {
        match self {
            Address::Summary(project)
            | Address::Structure(project)
            | Address::Function(project, _)
            | Address::Picture(project, _)
            | Address::Graph(project)
            | Address::Schema(project) => Some(project),
            Address::Part(make) => Some(make.look.project.as_deref().unwrap_or(DEFAULT_PROJECT)),
            Address::GraphSummary | Address::Entities => Some(DEFAULT_PROJECT),
            Address::Projects
            | Address::NodeType(_)
            | Address::CadTerms
            | Address::EditSchema
            | Address::KindSchema(_)
            | Address::GraphSchema
            | Address::Skill => None,
        }
    }

    /// Parses an address. `function_named` finds the function of a project by its name.
    ///
    /// # Errors
    /// If there is no such resource.
    pub(crate) fn parse(
        text: &str,
        function_named: impl Fn(&str, &str) -> Result<FunctionId, Refusal>,
    ) -> Result<Self, ErrorData> {
        match text {
            GRAPH_SUMMARY => return Ok(Address::GraphSummary),
            GRAPH_SCHEMA => return Ok(Address::GraphSchema),
            MEMORY_GRAPH => return Ok(Address::Entities),
            SKILL => return Ok(Address::Skill),
            GRAPH_EXPORT => return Ok(Address::Graph(DEFAULT_PROJECT.to_owned())),
            _ => {}
        }
        let rest = text.strip_prefix("fibula://").unwrap_or("");
        let (rest, query) = rest
            .split_once('?')
            .map_or((rest, None), |(rest, query)| (rest, Some(query)));
        let parts: Vec<String> = rest.split('/').map(decoded).collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        if let ["projects", project, file] = parts[..]
            && let Some(format) = file.strip_prefix("part.")
        {
            return part_of(project, format, query)
                .map(|make| Address::Part(Box::new(make)))
                .map_err(|hint| unknown(text, &hint));
        }
        if query.is_some() {
            return Err(unknown(text, "only part.{format} accepts a request"));
        }
        match parts[..] {
            ["projects"] => Ok(Address::Projects),
            ["library", "cad"] => Ok(Address::CadTerms),
            ["schemas", "edits"] => Ok(Address::EditSchema),
            ["schemas", "edits", kind] => Ok(Address::KindSchema(kind.to_owned())),
            ["projects", project, "summary"] => Ok(Address::Summary(project.to_owned())),
            ["projects", project, "structure"] => Ok(Address::Structure(project.to_owned())),
            ["projects", project, "graph"] => Ok(Address::Graph(project.to_owned())),
            ["projects", project, "schema"] => Ok(Address::Schema(project.to_owned())),
            ["projects", project, "package.3mf"] => Ok(Address::Part(Box::new(MakePart::project(
                (*project).to_owned(),
            )))),
            ["projects", project, "functions", name] => {
                let drawn = name.strip_suffix(".svg");
                let key = drawn.unwrap_or(name);
                let id = match FunctionKey::parse_id(key) {
                    Some(id) => FunctionId(id),
                    None => {
                        function_named(project, key).map_err(|refusal| missing(text, &refusal))?
                    }
                };
                Ok(match drawn {
                    Some(_) => Address::Picture(project.to_owned(), id),
                    None => Address::Function(project.to_owned(), id),
                })
            }
            ["node-types", name] => Ok(Address::NodeType(name.to_owned())),
            _ => {
                let hint = "list the addresses with resources/list and resources/templates/list";
                Err(unknown(text, hint))
            }
        }
    }
}

/// Returns the address of the structure of a project.
pub fn structure_of(project: &str) -> String {
    STRUCTURE.replace("{project}", &encoded(project))
}

/// Returns the address of a file that is written when it is read.
pub(crate) fn part(make: &MakePart) -> Result<String, Refusal> {
    let broken = |error: serde_json::Error| Refusal::new("internal", error.to_string());
    let mut request = serde_json::to_value(make).map_err(broken)?;
    if let Some(request) = request.as_object_mut() {
        request.remove("project");
        request.remove("format");
    }
    let project = make.look.project.as_deref().unwrap_or(DEFAULT_PROJECT);
    let path = PART.replace("{project}", &encoded(project));
    let path = path.replace("{format}", make.making.format.name());
    Ok(path.replace(
        "{?request}",
        &format!("?request={}", encoded(&request.to_string())),
    ))
}

/// Parses the address of a file.
fn part_of(project: &str, format: &str, query: Option<&str>) -> Result<MakePart, String> {
    let format = PartFormat::named(format).ok_or("there is no such format")?;
    let request = match query.map(|query| query.strip_prefix("request=").ok_or(query)) {
        None => Value::Object(Map::new()),
        Some(Ok(text)) => serde_json::from_str(&decoded(text))
            .map_err(|error| format!("request is not JSON: {error}"))?,
        Some(Err(_)) => {
            return Err("its query is request={...}, the arguments of export".to_owned());
        }
    };
    let Value::Object(mut request) = request else {
        return Err("request must be a JSON object, the arguments of export".to_owned());
    };
    request.insert("project".to_owned(), project.into());
    request.insert("format".to_owned(), json!(format));
    serde_json::from_value(Value::Object(request))
        .map_err(|error| format!("request does not match the arguments of export: {error}"))
}

/// Error of an address that no resource has.
pub(crate) fn unknown(address: &str, hint: &str) -> ErrorData {
    let address = truncate(address, 200);
    let message = format!("there is no resource {address}; {hint}");
    ErrorData::resource_not_found(message, Some(json!({ "uri": address })))
}

fn error_data(address: &str, refusal: &Refusal) -> Value {
    let (uri, Refusal { code, details, .. }) = (truncate(address, 200), refusal);
    json!({ "uri": uri, "code": code, "details": details })
}

/// Error of an address whose resource does not exist.
pub(crate) fn missing(address: &str, refusal: &Refusal) -> ErrorData {
    ErrorData::resource_not_found(refusal.to_string(), Some(error_data(address, refusal)))
}

/// Error of a resource that cannot be read.
pub(crate) fn refused(address: &str, refusal: &Refusal) -> ErrorData {
    ErrorData::invalid_request(refusal.to_string(), Some(error_data(address, refusal)))
}

/// Truncates a text for a message.
pub fn truncate(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Percent-encodes a name as a segment of an address (RFC 3986, section 2).
pub(crate) fn encoded(name: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                text.push(byte.into());
            }
            _ => write!(text, "%{byte:02X}").expect("a String takes every text"),
        }
    }
    text
}

/// Percent-decodes a segment of an address; a `%` without two hexadecimal digits is kept.
fn decoded(part: &str) -> String {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let hex = after.get(..2).filter(|_| byte == b'%');
        let hex = hex.and_then(|hex| std::str::from_utf8(hex).ok());
        let escaped = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(escaped.unwrap_or(byte));
        rest = if escaped.is_some() {
            &after[2..]
        } else {
            after
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Address, ErrorData> {
        Address::parse(text, |_, name| match name {
            "ball 2" => Ok(FunctionId(7)),
            _ => Err(Refusal::new("unknown_function", "no function has the name")),
        })
    }

    #[test]
    fn functions_are_addressed_by_id_and_by_name() {
        for (key, is_drawn) in [("7", false), ("ball%202", false), ("ball%202.svg", true)] {
            let text = format!("fibula://projects/a/functions/{key}");
            let expected = if is_drawn {
                Address::Picture("a".to_owned(), FunctionId(7))
            } else {
                Address::Function("a".to_owned(), FunctionId(7))
            };
            assert_eq!(parse(&text).expect("an address"), expected);
        }
        let error = parse("fibula://projects/a/functions/x").expect_err("there is none");
        assert!(
            error.message.starts_with("unknown_function"),
            "{}",
            error.message
        );
    }

    #[test]
    fn names_survive_addresses() {
        for name in ["default", "a b", "größe", "100%", "%zz", "a/b?c#d"] {
            assert_eq!(decoded(&encoded(name)), name);
            let address = SUMMARY.replace("{project}", &encoded(name));
            let parsed = parse(&address).expect("an address");
            assert_eq!(parsed, Address::Summary(name.to_owned()));
        }
        assert_eq!(encoded("a b%"), "a%20b%25");
        assert_eq!(decoded("%"), "%");
    }

    #[test]
    fn other_addresses_are_unknown() {
        for text in [
            "",
            "fibula://",
            "fibula://project",
            "fibula://projects/a",
            "file:///projects",
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.message.starts_with("there is no resource"), "{text}");
        }
    }
}
