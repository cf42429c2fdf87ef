//! Routes: each is declared once, and both the router and the OpenAPI document are made of the declaration.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, Request, State};
use axum::http::{HeaderMap, Method, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, MethodRouter, on};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use fibula_core::edit::Origin;
use fibula_service::{Refusal, Service};
use http_body_util::BodyExt as _;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::download::Download;
use super::fields::Fields;
use super::job::{self, Watch, Work, guarded};
use super::{Api, caller, events, faults, openapi};
use crate::http::refusal;

/// Bodies of more bytes are read beside the tasks of the runtime.
const LONG_BODY: usize = 32 << 10;

/// What a file that is sent as it is may be called.
pub(super) const FILES: [&str; 2] = ["application/octet-stream", "model/3mf"];

/// Who asks whom.
pub(super) struct Call {
    pub(super) service: Arc<Service>,
    pub(super) origin: Origin,
}

/// What is answered.
enum Reply {
    Json(Vec<u8>),
    File(Download),
}

/// A request, as one object, to an answer.
type Answer = dyn Fn(&Call, Map<String, Value>) -> Result<Work<Reply>, Refusal> + Send + Sync;

/// What a route does.
#[derive(Clone)]
enum Does {
    Call(Arc<Answer>),
    /// Tells of changes.
    Listen,
    /// Gives the document of all routes.
    Describe,
}

/// What is said of a route's answer.
#[derive(Debug, Clone, Copy)]
pub(super) enum Said {
    Json(fn(&mut SchemaGenerator) -> Schema),
    Events(fn(&mut SchemaGenerator) -> Schema),
    /// A file, of one of these media types.
    File(&'static [&'static str]),
    Document,
}

/// A route.
#[derive(Clone)]
pub(super) struct Route {
    pub(super) method: Method,
    pub(super) path: &'static str,
    /// What it is about; the file that declares it.
    pub(super) group: &'static str,
    /// The name of the operation, like that of the tool that does the same.
    pub(super) id: &'static str,
    pub(super) summary: &'static str,
    /// More about it; may be empty.
    pub(super) about: &'static str,
    pub(super) fields: Fields,
    pub(super) request: fn(&mut SchemaGenerator) -> Schema,
    pub(super) said: Said,
    /// Whether the body may be a file as it is, which then is `content`.
    pub(super) takes_files: bool,
    pub(super) writes: bool,
    apart: bool,
    does: Does,
}

impl Route {
    fn new<R: JsonSchema>(
        method: Method,
        path: &'static str,
        id: &'static str,
        summary: &'static str,
        said: Said,
        does: Does,
    ) -> Self {
        Route {
            fields: Fields::of::<R>(&method, path),
            writes: method != Method::GET,
            method,
            path,
            group: "",
            id,
            summary,
            about: "",
            request: R::json_schema,
            said,
            takes_files: false,
            apart: false,
            does,
        }
    }

    /// A route that answers with one call of the service.
    pub(super) fn quick<R, A>(
        method: Method,
        path: &'static str,
        id: &'static str,
        summary: &'static str,
        answer: impl Fn(&Call, R) -> Result<A, Refusal> + Send + Sync + 'static,
    ) -> Self
    where
        R: DeserializeOwned + JsonSchema,
        A: Serialize + JsonSchema + 'static,
    {
        let work = move |call: &Call, request: R| answer(call, request).map(Work::Done);
        Route::work(method, path, id, summary, work)
    }

    /// A route that answers at once, or says what leads to the answer.
    pub(super) fn work<R, A>(
        method: Method,
        path: &'static str,
        id: &'static str,
        summary: &'static str,
        answer: impl Fn(&Call, R) -> Result<Work<A>, Refusal> + Send + Sync + 'static,
    ) -> Self
    where
        R: DeserializeOwned + JsonSchema,
        A: Serialize + JsonSchema + 'static,
    {
        let fields = Fields::of::<R>(&method, path);
        let route = format!("{method} {path}");
        let does = move |call: &Call, request: Map<String, Value>| {
            let request = read(&route, &fields, request)?;
            answer(call, request)?.map(|answer| bytes(&answer).map(Reply::Json))
        };
        let said = Said::Json(SchemaGenerator::subschema_for::<A>);
        Route::new::<R>(method, path, id, summary, said, Does::Call(Arc::new(does)))
    }

    /// A route that answers with a file, after it has said whether there will be one.
    pub(super) fn file<R>(
        method: Method,
        path: &'static str,
        id: &'static str,
        summary: &'static str,
        media: &'static [&'static str],
        answer: impl Fn(&Call, R) -> Result<Work<Download>, Refusal> + Send + Sync + 'static,
    ) -> Self
    where
        R: DeserializeOwned + JsonSchema,
    {
        let fields = Fields::of::<R>(&method, path);
        let route = format!("{method} {path}");
        let does = move |call: &Call, request: Map<String, Value>| {
            let request = read(&route, &fields, request)?;
            answer(call, request)?.map(|file| Ok(Reply::File(file)))
        };
        let said = Said::File(media);
        Route::new::<R>(method, path, id, summary, said, Does::Call(Arc::new(does)))
    }

    /// The route of the events.
    pub(super) fn listen(path: &'static str, id: &'static str, summary: &'static str) -> Self {
        let said = Said::Events(SchemaGenerator::subschema_for::<events::Change>);
        Route::new::<events::Listen>(Method::GET, path, id, summary, said, Does::Listen)
    }

    /// The route of the document.
    pub(super) fn describe(path: &'static str, id: &'static str, summary: &'static str) -> Self {
        let does = Does::Describe;
        Route::new::<super::Nothing>(Method::GET, path, id, summary, Said::Document, does)
    }

    /// The route among others that are about the same.
    pub(super) fn of(mut self, group: &'static str) -> Self {
        self.group = group;
        self
    }

    /// The route with more said about it.
    pub(super) fn about(mut self, about: &'static str) -> Self {
        self.about = about;
        self
    }

    /// The route, which may take long whatever is asked.
    pub(super) fn apart(mut self) -> Self {
        self.apart = true;
        self
    }

    /// The route, which changes nothing in spite of its method.
    pub(super) fn reads(mut self) -> Self {
        self.writes = false;
        self
    }

    /// The route, whose body may be a file as it is.
    pub(super) fn takes_files(mut self) -> Self {
        self.takes_files = true;
        self
    }

    /// The route as the history and refusals call it.
    pub(super) fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// The route for axum.
    pub(super) fn serve(self) -> MethodRouter<Api> {
        // A method that axum does not know would be refused, and none is declared.
        let filter = MethodFilter::try_from(self.method.clone()).unwrap_or(MethodFilter::GET);
        let route = Arc::new(self);
        on(
            filter,
            move |State(api): State<Api>,
                  path: Result<RawPathParams, RawPathParamsRejection>,
                  request: Request| {
                let route = route.clone();
                async move {
                    let answer = route.answer(api, path, request).await;
                    answer.unwrap_or_else(|refusal| refusal::json(&refusal))
                }
            },
        )
    }

    async fn answer(
        self: Arc<Self>,
        api: Api,
        path: Result<RawPathParams, RawPathParamsRejection>,
        request: Request,
    ) -> Result<Response, Refusal> {
        if api.read_only && self.writes {
            let message = "this server changes nothing: it was started with --read-only";
            return Err(Refusal::new("read_only", message));
        }
        let path = path.map_err(|_| {
            Refusal::new("invalid_path", "the path has a part that is no UTF-8")
                .hint("percent-encode its bytes")
        })?;
        let path: Vec<(String, String)> = path
            .iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let (head, body) = request.into_parts();
        let query = head.uri.query().unwrap_or_default().to_owned();
        let answer = match &self.does {
            Does::Describe => {
                self.fields.read(&self.name(), &path, &query, None)?;
                return Ok(json(openapi::text()));
            }
            Does::Listen => {
                let asked = self.fields.read(&self.name(), &path, &query, None)?;
                return events::stream(&api, &head.headers, &asked);
            }
            Does::Call(answer) => answer.clone(),
        };
        let body = if self.method == Method::GET {
            Bytes::new()
        } else {
            let body = body.collect().await;
            let body = body.map_err(|_| Refusal::new("broken_body", "the body broke off"))?;
            body.to_bytes()
        };
        let call = Call {
            service: api.service.clone(),
            origin: caller::origin(&head.headers, &self.name()),
        };
        let (apart, long) = (self.apart, body.len() > LONG_BODY);
        let work = move || {
            let body = self.body(&head.headers, &body)?;
            let request = self.fields.read(&self.name(), &path, &query, body)?;
            answer(&call, request)
        };
        let answer = if long || apart {
            let slots = if long { &api.slots } else { &api.short };
            let whole = move |watch: &mut Watch<'_>| match work()? {
                Work::Done(answer) => Ok(answer),
                Work::Later(long) => long(watch),
            };
            job::run(slots, whole).await?
        } else {
            match guarded(work)? {
                Work::Done(answer) => answer,
                Work::Later(long) => job::run(&api.slots, long).await?,
            }
        };
        match answer {
            Reply::Json(bytes) => Ok(json(bytes)),
            Reply::File(file) => file.respond(&api.slots).await,
        }
    }

    /// The members of a body; `None` if there is none.
    fn body(&self, head: &HeaderMap, body: &[u8]) -> Result<Option<Map<String, Value>>, Refusal> {
        if body.is_empty() {
            return Ok(None);
        }
        let media = head.get(header::CONTENT_TYPE);
        let media = media.and_then(|media| media.to_str().ok());
        let media = media.and_then(|media| media.split(';').next());
        let media = media.unwrap_or_default().trim().to_ascii_lowercase();
        if self.takes_files && FILES.contains(&media.as_str()) {
            let mut request = Map::new();
            request.insert("content".to_owned(), BASE64.encode(body).into());
            return Ok(Some(request));
        }
        if media != "application/json" && !media.ends_with("+json") {
            let files = if self.takes_files {
                ", or the file as it is with Content-Type: application/octet-stream"
            } else {
                ""
            };
            let message = format!("the body is '{}', not JSON", faults::cut(&media, 60));
            return Err(
                Refusal::new("unsupported_media_type", message).hint(format!(
                    "send JSON with Content-Type: application/json (curl --json){files}"
                )),
            );
        }
        match serde_json::from_slice(body) {
            Ok(Value::Object(members)) => Ok(Some(members)),
            Ok(_) => Err(
                Refusal::new("invalid_json", "the body is JSON, but no object")
                    .hint("send an object, such as {}"),
            ),
            Err(error) => Err(Refusal::new(
                "invalid_json",
                format!("the body is no JSON: {error}"),
            )),
        }
    }
}

/// The request as the service takes it.
fn read<R: DeserializeOwned>(
    route: &str,
    fields: &Fields,
    request: Map<String, Value>,
) -> Result<R, Refusal> {
    let request = serde_path_to_error::deserialize(Value::Object(request));
    request.map_err(|error| unfit(route, fields, &error))
}

fn unfit(
    route: &str,
    fields: &Fields,
    error: &serde_path_to_error::Error<serde_json::Error>,
) -> Refusal {
    let (path, error) = (error.path().to_string(), error.inner().to_string());
    faults::unfit(route, &fields.list, &path, &error)
}

fn bytes<A: Serialize>(answer: &A) -> Result<Vec<u8>, Refusal> {
    serde_json::to_vec(answer).map_err(|error| {
        tracing::error!(%error, "an answer could not be written");
        Refusal::new("internal", "the answer could not be written as JSON")
    })
}

fn json(answer: impl Into<Body>) -> Response {
    let head = [(header::CONTENT_TYPE, "application/json")];
    (head, answer.into()).into_response()
}
