//! Resources: what can be read by address, with completion of the addresses.

use std::fmt::Write as _;

use rmcp::ErrorData;
use rmcp::model::{
    CompleteRequestParams, ReadResourceResult, Reference, Resource, ResourceContents,
    ResourceTemplate,
};
use serde::Serialize;
use serde_json::{Value, json};

use super::arguments::cut;
use crate::graph::FunctionId;
use crate::service::{ListProjects, Refusal, Service};

const JSON: &str = "application/json";
const PROJECTS: &str = "fibula://projects";
const SUMMARY: &str = "fibula://projects/{project}/summary";
const FUNCTION: &str = "fibula://projects/{project}/functions/{id}";
const NODE_TYPE: &str = "fibula://node-types/{name}";

/// The resources that are there without being asked for by name.
pub(super) fn list(service: &Service) -> Vec<Resource> {
    let projects = Resource::new(PROJECTS, "projects")
        .with_title("Projects")
        .with_description("Every project with its revision")
        .with_mime_type(JSON);
    let summary = |name: String| {
        Resource::new(
            format!("fibula://projects/{}/summary", encoded(&name)),
            format!("{name}/summary"),
        )
        .with_title(format!("Project {name}"))
        .with_description("Functions and last changes")
        .with_mime_type(JSON)
    };
    let summaries = service.project_names("").into_iter().map(summary);
    std::iter::once(projects).chain(summaries).collect()
}

/// The addresses that take names.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = |address: &str, name: &str, title: &str, description: &str| {
        ResourceTemplate::new(address, name)
            .with_title(title)
            .with_description(description)
            .with_mime_type(JSON)
    };
    vec![
        template(
            SUMMARY,
            "project summary",
            "Project",
            "Functions and last changes",
        ),
        template(
            FUNCTION,
            "function",
            "Function",
            "The whole graph of a function",
        ),
        template(
            NODE_TYPE,
            "node type",
            "Node type",
            "Parameters, ports, overloads and examples of a kind",
        ),
    ]
}

/// Reads a resource.
pub(super) fn read(service: &Service, address: &str) -> Result<ReadResourceResult, ErrorData> {
    let rest = address.strip_prefix("fibula://").unwrap_or("");
    let parts: Vec<String> = rest.split('/').map(decoded).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let text = match &parts[..] {
        ["projects"] => text(projects(service)),
        ["projects", project, "summary"] => text(service.project_summary(Some(project))),
        ["projects", project, "functions", id] => match id.parse() {
            Ok(id) => text(service.whole_function(Some(project), FunctionId(id))),
            Err(_) => return Err(unknown(address, "the id of a function is a number")),
        },
        ["node-types", name] => text(service.node_type(name)),
        _ => {
            return Err(unknown(
                address,
                "resources/list and resources/templates/list name what there is",
            ));
        }
    };
    match text {
        Ok(text) => {
            let contents = ResourceContents::text(text, address).with_mime_type(JSON);
            Ok(ReadResourceResult::new(vec![contents]))
        }
        Err(refusal) => {
            let data = json!({ "uri": cut(address, 200), "code": refusal.code, "details": refusal.details });
            Err(ErrorData::resource_not_found(
                refusal.to_string(),
                Some(data),
            ))
        }
    }
}

/// The first projects, and how the others are listed.
fn projects(service: &Service) -> Result<Value, Refusal> {
    let listed = service.list_projects(&ListProjects::default())?;
    let mut answer = json!(listed);
    if let Some(cursor) = &listed.next_cursor {
        let (shown, total) = (listed.projects.len(), listed.total);
        answer["next"] = json!(format!(
            "these are the first {shown} of {total} projects; list_projects with cursor: {cursor:?} lists the rest"
        ));
    }
    Ok(answer)
}

fn text<T: Serialize>(answer: Result<T, Refusal>) -> Result<String, Refusal> {
    let answer = answer?;
    serde_json::to_string(&answer).map_err(|error| Refusal::new("internal", error.to_string()))
}

fn unknown(address: &str, hint: &str) -> ErrorData {
    let message = format!("there is no resource {}; {hint}", cut(address, 200));
    ErrorData::resource_not_found(message, Some(json!({ "uri": cut(address, 200) })))
}

/// What an argument of an address or a prompt may be completed to.
pub(super) fn complete(service: &Service, request: &CompleteRequestParams) -> Vec<String> {
    let start = request.argument.value.as_str();
    let known = request
        .context
        .as_ref()
        .and_then(|context| context.arguments.as_ref());
    let project = known
        .and_then(|arguments| arguments.get("project"))
        .map(String::as_str);
    let ours = match &request.r#ref {
        Reference::Resource(template) => {
            [SUMMARY, FUNCTION, NODE_TYPE].contains(&template.uri.as_str())
        }
        Reference::Prompt(_) => true,
        _ => false,
    };
    let mut values = match request.argument.name.as_str() {
        _ if !ours => Vec::new(),
        "project" => service.project_names(start),
        "id" | "function_id" => service.function_ids(project, start),
        "name" => service.node_type_names(start),
        _ => Vec::new(),
    };
    values.truncate(100);
    values
}

/// A name as a part of an address: what is not unreserved is written as %XX (RFC 3986, section 2).
fn encoded(name: &str) -> String {
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

/// The name that a part of an address stands for; a `%` that begins no byte stands for itself.
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

    #[test]
    fn a_page_of_projects_says_that_there_are_more() {
        use crate::service::CreateProject;
        let service = Service::default();
        assert_eq!(projects(&service).expect("a list").get("next"), None);
        for number in 0..2_000 {
            let project = format!("p{number}");
            service
                .create_project(CreateProject { project })
                .expect("a project");
        }
        let answer = projects(&service).expect("a list");
        let next = answer["next"].as_str().expect("a text");
        assert!(next.contains("of 2001 projects; list_projects"), "{next}");
    }

    #[test]
    fn names_survive_addresses() {
        for name in ["default", "a b", "größe", "100%", "%zz", "a/b?c#d"] {
            assert_eq!(decoded(&encoded(name)), name);
        }
        assert_eq!(encoded("a b%"), "a%20b%25");
        assert_eq!(decoded("%"), "%");
    }
}
