//! Operations: what programs and agents can request of the service, each declared once.
//!
//! An [`Operation`] holds the types of its request and answer, the one call of the [`Service`] between them, and the
//! names of its tool and its route. The tools of MCP, the routes of REST, the `OpenAPI` document and docs/tools.md are
//! derived from it. The only code that exists once per operation reads its request, calls, and writes its answer; it is
//! behind one function pointer, and everything else is the same code for all.

pub(crate) mod answer;
mod function_names;

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use axum::http::Method;
use fibula_core::edit::Origin;
use fibula_nodes::names;
use fibula_service::{Refusal, Service};
use rmcp::model::ToolAnnotations;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

pub use answer::ToolAnswer;
pub(crate) use answer::{Answer, BYTES, Download, DownloadHeaders, PNG};

/// Callback that long work calls with (done, total); `Break` cancels the work.
pub type Progress<'a> = dyn FnMut(u64, u64) -> ControlFlow<()> + 'a;

/// Answer of a progress callback.
pub(crate) fn break_if(is_cancelled: bool) -> ControlFlow<()> {
    if is_cancelled {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}

/// True if a request names a revision, the state of which may take long to restore.
pub(crate) fn names_revision(request: &Map<String, Value>) -> bool {
    request
        .get("revision")
        .is_some_and(|revision| !revision.is_null())
}

/// Work that has not begun.
pub type Deferred<A> = Box<dyn FnOnce(&mut Progress<'_>) -> Result<A, Refusal> + Send>;

/// An answer, or the work that leads to it and needs a thread of its own.
pub enum Work<A> {
    /// The answer of a quick call.
    Done(A),
    /// Work that may take long: it reports progress and can be cancelled.
    Deferred(Deferred<A>),
}

impl<A: 'static> Work<A> {
    /// Converts the answer, now or when the work is done.
    fn map<B>(self, convert: impl FnOnce(A) -> B + Send + 'static) -> Work<B> {
        match self {
            Work::Done(answer) => Work::Done(convert(answer)),
            Work::Deferred(work) => {
                Work::Deferred(Box::new(move |progress| work(progress).map(convert)))
            }
        }
    }
}

/// The context of a call: the service that is called, and the caller for the history.
#[derive(Debug, Clone)]
pub struct Call {
    /// The service.
    pub service: Arc<Service>,
    /// Kind and name of the caller, and the tool or route.
    pub origin: Origin,
}

impl Call {
    /// Defers work to a thread of its own.
    pub fn defer<A>(
        &self,
        work: impl FnOnce(&Service, &Origin, &mut Progress<'_>) -> Result<A, Refusal> + Send + 'static,
    ) -> Work<A> {
        let Call { service, origin } = self.clone();
        Work::Deferred(Box::new(move |progress| work(&service, &origin, progress)))
    }
}

/// A call that did not succeed.
pub(crate) enum Failure {
    /// The request does not deserialize: the path of the fault in it, and serde's text.
    Unreadable { path: String, error: String },
    /// The service refused it.
    Refused(Refusal),
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Failure::Refused(refusal)
    }
}

impl Failure {
    /// The refusal: serde's text without the names of Rust's types, and the usage as a hint.
    pub(crate) fn into_refusal(self, usage: impl FnOnce() -> String) -> Refusal {
        let (path, error) = match self {
            Failure::Refused(refusal) => return refusal,
            Failure::Unreadable { path, error } => (path, error),
        };
        let text = names::visible(&plain_message(&error), 300);
        let at = if path == "." { "the request" } else { &path };
        let at = names::visible(at, 120);
        Refusal::new("invalid_arguments", format!("`{at}`: {text}"))
            .hint(usage())
            .details(json!({ "problems": [{ "argument": at, "problem": text }] }))
    }
}

/// Replaces the names of Rust's types in serde's text.
fn plain_message(error: &str) -> String {
    let Some((problem, expected)) = error.rsplit_once(", expected ") else {
        return error.to_owned();
    };
    let expected = match expected {
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number from 0 on",
        "f64" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        _ if expected.starts_with("struct ") => "an object",
        _ => expected,
    };
    let problem = problem
        .replacen("invalid type: sequence", "invalid type: list", 1)
        .replacen("invalid type: map", "invalid type: object", 1)
        .replacen("unknown variant", "unknown name", 1);
    format!("{problem}, expected {expected}")
}

/// The code that is generated per operation.
type Run = dyn Fn(&Call, &Value) -> Result<Work<Answer>, Failure> + Send + Sync;

/// Generates the schema of a type.
pub(crate) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// Form of an operation's answer.
#[derive(Debug, Clone, Copy)]
pub(crate) enum AnswerForm {
    /// A JSON object.
    Json(SchemaOf),
    /// Content blocks of a tool; with the schema of their `structuredContent`, if they have one.
    Tool(Option<SchemaOf>),
    /// A file of one of these media types.
    File(&'static [&'static str]),
}

/// Effect of a tool on a project; the four hints of MCP follow from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Changes nothing.
    Read,
    /// Adds something with every call.
    Add,
    /// Adds something once: the same call again adds nothing.
    AddOnce,
    /// Adds something that is read from outside the project.
    Load,
    /// Overwrites or removes something; the same call again changes something again.
    Change,
    /// Overwrites or removes something; the same call again changes nothing.
    Set,
}

impl Effect {
    /// The hints for clients.
    pub(crate) fn annotations(self) -> ToolAnnotations {
        ToolAnnotations::new()
            .read_only(self == Effect::Read)
            .destructive(matches!(self, Effect::Change | Effect::Set))
            .idempotent(matches!(self, Effect::Read | Effect::AddOnce | Effect::Set))
            .open_world(self == Effect::Load)
    }
}

/// Returns the question to a person before a call, or `None` if there is nothing to ask.
type Question = dyn Fn(&Call, &Value) -> Result<Option<String>, Failure> + Send + Sync;

/// A tool as agents see it.
#[derive(Debug, Clone)]
pub(crate) struct ToolSpec {
    /// Name of its toolset.
    pub(crate) toolset: &'static str,
    pub(crate) name: &'static str,
    pub(crate) title: String,
    pub(crate) effect: Effect,
    pub(crate) description: &'static str,
    /// True if an answer may be a picture, which has no `structuredContent`.
    pub(crate) has_picture: bool,
}

/// A route as programs see it.
#[derive(Debug, Clone)]
pub(crate) struct RouteSpec {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    /// `operationId` of `OpenAPI`.
    pub(crate) id: &'static str,
    pub(crate) summary: &'static str,
    /// More about it; may be empty.
    pub(crate) description: &'static str,
    /// True if the body may be a file instead of JSON; it becomes the field `content`.
    pub(crate) takes_files: bool,
    pub(crate) is_write: bool,
    /// True if even a quick call may take too long for a thread of the async runtime.
    pub(crate) is_blocking: bool,
}

impl RouteSpec {
    pub(crate) fn new(
        method: Method,
        path: &'static str,
        id: &'static str,
        summary: &'static str,
    ) -> Self {
        RouteSpec {
            is_write: method != Method::GET,
            method,
            path,
            id,
            summary,
            description: "",
            takes_files: false,
            is_blocking: false,
        }
    }
}

/// An operation: types, call, tool, route.
///
/// ```
/// use fibula_server::operation::{Effect, Operation};
/// use fibula_service::ListProjects;
///
/// let _ = Operation::quick(|call, request: ListProjects| call.service.list_projects(&request)).tool(
///     "archive",
///     "list_archive",
///     "List the archive",
///     Effect::Read,
///     "Lists the projects by name. Example: {}",
/// );
/// ```
#[derive(Clone)]
pub struct Operation {
    run: Arc<Run>,
    /// The question to a person before it, if no undo brings back what the request removes.
    pub(crate) question: Option<Arc<Question>>,
    pub(crate) request: SchemaOf,
    pub(crate) answer: AnswerForm,
    pub(crate) tool: Option<ToolSpec>,
    pub(crate) route: Option<RouteSpec>,
}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operation")
            .field("tool", &self.tool)
            .field("route", &self.route)
            .finish_non_exhaustive()
    }
}

/// A type of requests.
pub trait Request: DeserializeOwned + JsonSchema + Send + 'static {}

impl<R: DeserializeOwned + JsonSchema + Send + 'static> Request for R {}

/// A type of JSON answers.
pub trait Response: Serialize + JsonSchema + Send + 'static {}

impl<A: Serialize + JsonSchema + Send + 'static> Response for A {}

/// Code that any thread may run, as often as it likes.
pub trait ThreadSafe: Copy + Send + Sync + 'static {}

impl<F: Copy + Send + Sync + 'static> ThreadSafe for F {}

/// Appends warnings to the hint of a refusal, unless it is about the damage itself.
fn warned(refusal: Refusal, warnings: &[String]) -> Refusal {
    if refusal.code == "damaged_store" {
        return refusal;
    }
    let hint = refusal.hint.iter().chain(warnings);
    let hint: Vec<&str> = hint.map(String::as_str).collect();
    let hint = hint.join("; ");
    refusal.hint(hint)
}

/// Deserializes a request, in which functions may be named; the error has the path of the fault.
fn read<R: Request>(call: &Call, request: &Value) -> Result<R, Failure> {
    let failure = match deserialize(request) {
        Ok(request) => return Ok(request),
        Err(failure) => failure,
    };
    match function_names::resolve(&call.service, request, R::json_schema)? {
        Some(resolved) => deserialize(&resolved),
        None => Err(failure),
    }
}

/// Paths are tracked from the start: a second attempt for them would be a second copy of the code of every request.
fn deserialize<R: DeserializeOwned>(request: &Value) -> Result<R, Failure> {
    serde_path_to_error::deserialize(request).map_err(|error| Failure::Unreadable {
        path: error.path().to_string(),
        error: error.inner().to_string(),
    })
}

fn json<A: Serialize + Send + 'static>(answer: A) -> Answer {
    Answer::Json(Box::new(answer))
}

/// Methods that make an operation a route of each method of HTTP, with its path, `operationId` and summary.
macro_rules! routes {
    ($($name:ident: $method:ident),*) => {$(
        pub(crate) fn $name(self, path: &'static str, id: &'static str, summary: &'static str) -> Self {
            self.route(Method::$method, path, id, summary)
        }
    )*};
}

impl Operation {
    fn new<R: Request>(
        answer: AnswerForm,
        run: impl Fn(&Call, R) -> Result<Work<Answer>, Refusal> + Send + Sync + 'static,
    ) -> Self {
        Operation {
            run: Arc::new(move |call, request| Ok(run(call, read(call, request)?)?)),
            question: None,
            request: R::json_schema,
            answer,
            tool: None,
            route: None,
        }
    }

    /// An operation that decides per request whether it answers at once or defers its work.
    pub fn work<R: Request, A: Response>(
        run: impl Fn(&Call, R) -> Result<Work<A>, Refusal> + Send + Sync + 'static,
    ) -> Self {
        let form = AnswerForm::Json(SchemaGenerator::subschema_for::<A>);
        Operation::new(form, move |call, request| Ok(run(call, request)?.map(json)))
    }

    /// An operation that answers at once.
    pub fn quick<R: Request, A: Response>(
        run: impl Fn(&Call, R) -> Result<A, Refusal> + Send + Sync + 'static,
    ) -> Self {
        Operation::work(move |call, request| run(call, request).map(Work::Done))
    }

    /// An operation that defers its work always.
    pub fn long<R: Request, A: Response>(
        run: impl Fn(&Service, &Origin, R, &mut Progress<'_>) -> Result<A, Refusal> + ThreadSafe,
    ) -> Self {
        Operation::quick_or_long(|_| false, run)
    }

    /// An operation that defers its work unless the request is quick.
    pub fn quick_or_long<R: Request, A: Response>(
        is_quick: fn(&R) -> bool,
        run: impl Fn(&Service, &Origin, R, &mut Progress<'_>) -> Result<A, Refusal> + ThreadSafe,
    ) -> Self {
        Operation::work(move |call, request| {
            if is_quick(&request) {
                let ignored = &mut |_, _| ControlFlow::Continue(());
                return run(&call.service, &call.origin, request, ignored).map(Work::Done);
            }
            Ok(
                call.defer(move |service, origin, progress| {
                    run(service, origin, request, progress)
                }),
            )
        })
    }

    /// A tool that answers with content blocks. It always defers its work.
    pub fn content<R: Request>(
        run: impl Fn(&Service, &Origin, R, &mut Progress<'_>) -> Result<ToolAnswer, Refusal>
        + ThreadSafe,
    ) -> Self {
        Operation::new(AnswerForm::Tool(None), move |call, request| {
            let work = call
                .defer(move |service, origin, progress| run(service, origin, request, progress));
            Ok(work.map(Answer::Tool))
        })
    }

    /// A tool whose answer is JSON, and a picture if `picture` takes one out of it. It defers its work unless the request
    /// is quick.
    pub(crate) fn pictured<R: Request, A: Response>(
        is_quick: fn(&R) -> bool,
        run: impl Fn(&Service, &Origin, R, &mut Progress<'_>) -> Result<A, Refusal> + ThreadSafe,
        picture: fn(&mut A) -> Option<Vec<u8>>,
    ) -> Self {
        let form = AnswerForm::Tool(Some(SchemaGenerator::subschema_for::<A>));
        let answer = move |mut answer: A| {
            let picture = picture(&mut answer);
            ToolAnswer::with_picture(&answer, picture).map(Answer::Tool)
        };
        Operation::new(form, move |call, request| {
            if is_quick(&request) {
                let ignored = &mut |_, _| ControlFlow::Continue(());
                let made = run(&call.service, &call.origin, request, ignored)?;
                return answer(made).map(Work::Done);
            }
            Ok(call.defer(move |service, origin, progress| {
                answer(run(service, origin, request, progress)?)
            }))
        })
    }

    /// A route that answers with a file of one of these media types.
    ///
    /// It always defers its work. Errors are reported before the file begins.
    pub(crate) fn file<R: Request>(
        media: &'static [&'static str],
        run: impl Fn(&Service, &R, &mut Progress<'_>) -> Result<Download, Refusal> + ThreadSafe,
    ) -> Self {
        Operation::new(AnswerForm::File(media), move |call, request| {
            let work = call.defer(move |service, _, progress| run(service, &request, progress));
            Ok(work.map(Answer::File))
        })
    }

    /// The tool with a schema of its `structuredContent`.
    ///
    /// # Panics
    /// If the operation does not answer with [`content`](Self::content).
    #[must_use]
    pub fn structured<A: JsonSchema>(mut self) -> Self {
        assert!(
            matches!(self.answer, AnswerForm::Tool(None)),
            "other answers have their own schema"
        );
        self.answer = AnswerForm::Tool(Some(SchemaGenerator::subschema_for::<A>));
        self
    }

    /// The operation as a tool of the toolset with this name.
    #[must_use]
    pub fn tool(
        mut self,
        toolset: &'static str,
        name: &'static str,
        title: &'static str,
        effect: Effect,
        description: &'static str,
    ) -> Self {
        self.tool = Some(ToolSpec {
            toolset,
            name,
            title: title.to_owned(),
            effect,
            description,
            has_picture: false,
        });
        self
    }

    /// The operation as a tool with the name of its route; the title is the name in words, unless it is
    /// given by [`with_title`](Self::with_title).
    ///
    /// # Panics
    /// If it has no route.
    pub(crate) fn with_tool(
        self,
        toolset: &'static str,
        effect: Effect,
        description: &'static str,
    ) -> Self {
        let name = self.route.as_ref().expect("routes are declared first").id;
        let title = name[..1].to_uppercase() + &name[1..].replace('_', " ");
        self.tool(toolset, name, "", effect, description)
            .with_title(&title)
    }

    /// The tool, whose answer may be a picture: clients are not promised `structuredContent`.
    pub(crate) fn may_have_picture(mut self) -> Self {
        if let Some(tool) = &mut self.tool {
            tool.has_picture = true;
        }
        self
    }

    /// The operation, before which a person is asked.
    pub(crate) fn asking<R: Request>(
        mut self,
        question: impl Fn(&Service, &R) -> Option<String> + ThreadSafe,
    ) -> Self {
        self.question = Some(Arc::new(move |call, request| {
            Ok(question(&call.service, &read(call, request)?))
        }));
        self
    }

    /// The tool with a title.
    pub(crate) fn with_title(mut self, title: &str) -> Self {
        if let Some(tool) = &mut self.tool {
            title.clone_into(&mut tool.title);
        }
        self
    }

    /// The operation as a route. One of GET changes nothing; so does one that is said to be [read-only](Self::read_only).
    fn route(
        mut self,
        method: Method,
        path: &'static str,
        id: &'static str,
        summary: &'static str,
    ) -> Self {
        self.route = Some(RouteSpec::new(method, path, id, summary));
        self
    }

    routes! { get: GET, post: POST, put: PUT, patch: PATCH, delete: DELETE }

    fn with_route(mut self, change: impl FnOnce(&mut RouteSpec)) -> Self {
        if let Some(route) = &mut self.route {
            change(route);
        }
        self
    }

    /// The route with a description.
    pub(crate) fn described(self, description: &'static str) -> Self {
        self.with_route(|route| route.description = description)
    }

    /// The route, which changes nothing in spite of its method.
    pub(crate) fn read_only(self) -> Self {
        self.with_route(|route| route.is_write = false)
    }

    /// The route, whose body may be a file.
    pub(crate) fn takes_files(self) -> Self {
        self.with_route(|route| route.takes_files = true)
    }

    /// The route, whose quick calls do not run on the threads of the async runtime.
    pub(crate) fn blocking(self) -> Self {
        self.with_route(|route| route.is_blocking = true)
    }

    /// Calls the operation. The answer about a damaged project carries a warning.
    ///
    /// # Errors
    /// A [`Failure`] if the request does not deserialize, or is refused before the work is deferred.
    pub(crate) fn call(&self, call: &Call, request: &Value) -> Result<Work<Answer>, Failure> {
        let service = call.service.clone();
        // A tool without that argument may work on any project.
        let project = request.get("project").and_then(Value::as_str);
        let project = project.map(str::to_owned);
        let warn = move |outcome: Result<Answer, Refusal>| {
            let found = service.found_damage(project.as_deref());
            let warnings: Vec<String> = found.iter().map(ToString::to_string).collect();
            match outcome {
                outcome if warnings.is_empty() => outcome,
                Ok(answer) => Ok(answer.with_warnings(warnings)),
                Err(refusal) => Err(warned(refusal, &warnings)),
            }
        };
        match (self.run)(call, request) {
            Ok(Work::Done(answer)) => Ok(Work::Done(warn(Ok(answer))?)),
            Ok(Work::Deferred(work)) => Ok(Work::Deferred(Box::new(move |progress| {
                warn(work(progress))
            }))),
            Err(Failure::Refused(refusal)) => Ok(Work::Done(warn(Err(refusal))?)),
            Err(unreadable @ Failure::Unreadable { .. }) => Err(unreadable),
        }
    }
}
