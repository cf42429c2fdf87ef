//! Operations as calls within a process, by name: for bindings of other languages, which have their own servers or none.

use std::sync::LazyLock;

use fibula_nodes::names;
use fibula_service::Refusal;
use serde_json::{Map, Value};

use crate::mcp::schema;
use crate::operation::{Answer, AnswerForm, Call, Operation, Progress, Work};
use crate::operations;

/// Description of an operation.
#[derive(Debug, Clone)]
pub struct Description {
    /// Name: the `operationId` of its route, or the name of its tool if it has none.
    pub name: &'static str,
    /// Group, which is its tag in `OpenAPI`.
    pub group: &'static str,
    /// Summary in one sentence.
    pub summary: &'static str,
    /// JSON Schema of the request, without references.
    pub request: Map<String, Value>,
    /// True if it answers with a file, else with JSON.
    pub is_file: bool,
}

/// The answer of a call.
#[derive(Debug)]
#[non_exhaustive]
pub enum Reply {
    /// A JSON object.
    Json(Value),
    /// A file.
    File {
        /// Its bytes.
        bytes: Vec<u8>,
        /// Its media type.
        media: &'static str,
        /// Warnings.
        warnings: Vec<String>,
    },
}

struct Entry {
    name: &'static str,
    group: &'static str,
    operation: Operation,
}

/// All operations that answer with JSON or a file.
static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let groups = operations::groups().into_iter();
    let all = groups.flat_map(|(group, list)| list.into_iter().map(move |one| (group, one)));
    let (routes, tools): (Vec<_>, Vec<_>) = all.partition(|(_, one)| one.route.is_some());
    let mut entries: Vec<Entry> = Vec::new();
    for (group, operation) in routes.into_iter().chain(tools) {
        let route = operation.route.as_ref().map(|route| route.id);
        let tool = operation.tool.as_ref().map(|tool| tool.name);
        let Some(name) = route.or(tool) else {
            continue;
        };
        // A tool beside a route of the same name differs in the form of its answer only: blocks for agents.
        if !entries.iter().any(|entry| entry.name == name) {
            entries.push(Entry {
                name,
                group,
                operation,
            });
        }
    }
    entries
});

/// Descriptions of all operations, in the order of the table.
///
/// # Panics
/// If the schema of an operation cannot be simplified, which tests exclude.
pub fn descriptions() -> Vec<Description> {
    let describe = |entry: &Entry| {
        let Operation {
            request,
            answer,
            tool,
            route,
            ..
        } = &entry.operation;
        let summary = route.as_ref().map(|route| route.summary);
        let about = tool.as_ref().map(|tool| tool.description);
        Description {
            name: entry.name,
            group: entry.group,
            summary: summary.or(about).unwrap_or_default(),
            request: schema::arguments(*request).expect("schemas of requests are simple"),
            is_file: matches!(answer, AnswerForm::File(_)),
        }
    };
    ENTRIES.iter().map(describe).collect()
}

/// Calls an operation with a request and waits for the answer. `progress` is called with the work done and its total, and
/// may cancel it.
///
/// ```
/// use std::ops::ControlFlow;
/// use std::sync::Arc;
///
/// use fibula_core::edit::Origin;
/// use fibula_server::in_process::{self, Reply};
/// use fibula_server::operation::Call;
/// use fibula_service::Service;
/// use serde_json::json;
///
/// let origin = Origin::program("notebook", "example");
/// let call = Call { service: Arc::new(Service::default()), origin };
/// let request = json!({ "project": "default", "name": "Ball", "expression": "length(pos) - 5" });
/// let name = "create_function_from_expression";
/// let reply = in_process::call(&call, name, &request, &mut |_, _| ControlFlow::Continue(()))?;
/// let Reply::Json(created) = reply else { panic!("it answers with JSON") };
/// assert_eq!(created["function_id"], 1);
/// # Ok::<(), fibula_service::Refusal>(())
/// ```
///
/// # Errors
/// A [`Refusal`]: `unknown_operation`, `invalid_arguments` if the request does not deserialize, and those of the
/// operation.
pub fn call(
    call: &Call,
    name: &str,
    request: &Value,
    progress: &mut Progress<'_>,
) -> Result<Reply, Refusal> {
    let entry = find(name)?;
    let work = entry.operation.call(call, request);
    let answer = match work.map_err(|failure| failure.into_refusal(|| usage(entry)))? {
        Work::Done(answer) => answer,
        Work::Deferred(work) => work(progress)?,
    };
    let written = |error: serde_json::Error| Refusal::new("internal", error.to_string());
    Ok(match answer {
        Answer::Json(answer) => Reply::Json(serde_json::to_value(&answer).map_err(written)?),
        Answer::Tool(answer) => Reply::Json(answer.structured.unwrap_or_default()),
        Answer::File(file) => {
            let mut bytes = Vec::new();
            (file.write)(&mut bytes, progress)?;
            Reply::File {
                bytes,
                media: file.media,
                warnings: file.headers.warnings,
            }
        }
    })
}

fn find(name: &str) -> Result<&'static Entry, Refusal> {
    let all = ENTRIES.iter().map(|entry| entry.name);
    match names::find(name, all.clone().enumerate()) {
        Ok(place) => Ok(&ENTRIES[place]),
        Err(unknown) => {
            let message = format!("there is no operation '{}'", names::visible(name, 60));
            let near = match &unknown.nearest[..] {
                [] => format!("the operations are {}", all.collect::<Vec<_>>().join(", ")),
                nearest => format!("did you mean {}?", nearest.join(", ")),
            };
            Err(Refusal::new("unknown_operation", message).hint(near))
        }
    }
}

/// Names of the members of a request; those that may be left out have a question mark.
fn usage(entry: &Entry) -> String {
    let schema = schema::arguments(entry.operation.request).unwrap_or_default();
    let required = |name: &str| {
        let list = schema.get("required").and_then(Value::as_array);
        list.is_some_and(|list| list.iter().any(|one| one == name))
    };
    let members = schema.get("properties").and_then(Value::as_object);
    let members = members.into_iter().flat_map(Map::keys).map(|name| {
        let mark = if required(name) { "" } else { "?" };
        format!("{name}{mark}")
    });
    let members: Vec<String> = members.collect();
    format!("{} takes {}", entry.name, members.join(", "))
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::sync::Arc;

    use fibula_core::edit::Origin;
    use fibula_service::Service;
    use serde_json::json;

    use super::*;

    fn call_in(service: &Arc<Service>, name: &str, request: &Value) -> Result<Reply, Refusal> {
        let origin = Origin::program("test", name);
        let service = service.clone();
        let call = Call { service, origin };
        super::call(&call, name, request, &mut |_, _| ControlFlow::Continue(()))
    }

    fn answer(name: &str, request: &Value) -> Result<Reply, Refusal> {
        call_in(&Arc::default(), name, request)
    }

    #[test]
    fn all_operations_are_described_once() {
        let all = descriptions();
        assert!(all.len() > 70, "{}", all.len());
        for one in &all {
            let same = all.iter().filter(|other| other.name == one.name);
            assert_eq!(same.count(), 1, "{}", one.name);
            assert!(!one.summary.is_empty(), "{}", one.name);
            assert!(one.request.contains_key("properties"), "{}", one.name);
        }
        let is_known = |name: &str| all.iter().any(|one| one.name == name);
        assert!(is_known("create_node") && is_known("redact"));
        // Of a route and a tool of one name, the route answers.
        let is_file = |name: &str| all.iter().any(|one| one.name == name && one.is_file);
        assert!(is_file("render") && is_file("render_graph") && !is_file("measure"));
    }

    #[test]
    fn answers_are_json_or_files() {
        let request = json!({ "project": "default" });
        let reply = answer("get_overview", &request).unwrap();
        assert!(matches!(reply, Reply::Json(Value::Object(_))));
        let service = Arc::default();
        let request = json!({ "project": "default", "nodes": [{ "label": "a", "types": "b" }] });
        call_in(&service, "add_nodes", &request).unwrap();
        let request = json!({ "project": "default", "format": "csv" });
        let reply = call_in(&service, "export_graph", &request).unwrap();
        let Reply::File { bytes, media, .. } = reply else {
            panic!("a file was expected");
        };
        assert!(media.starts_with("text/csv"), "{media}");
        assert!(bytes.starts_with(b"id,label"), "{bytes:?}");
    }

    #[test]
    fn requests_that_do_not_fit_say_what_fits() {
        for (name, request, said) in [
            ("creat_node", json!({}), "did you mean create_node"),
            ("", json!({}), "the operations are"),
            ("undo", json!({ "project": 5 }), "expected a string"),
            (
                "create_checkpoint",
                json!({ "project": "default", "nam": "x" }),
                "create_checkpoint takes",
            ),
            (
                "get_project",
                json!({ "project": "none" }),
                "unknown_project",
            ),
        ] {
            let refused = answer(name, &request).unwrap_err().to_string();
            assert!(refused.contains(said), "{name}: {refused}");
        }
    }

    #[test]
    fn work_is_cancelled() {
        let service = Arc::default();
        let made = json!({ "project": "default", "name": "Ball", "expression": "length(pos) - 5" });
        call_in(&service, "create_function_from_expression", &made).unwrap();
        let origin = Origin::program("test", "measure");
        let call = Call { service, origin };
        let request = json!({ "project": "default", "function_id": "Ball", "cell": 0.02 });
        let stopped = super::call(&call, "measure", &request, &mut |_, _| {
            ControlFlow::Break(())
        });
        assert_eq!(stopped.unwrap_err().code, "cancelled");
    }
}
