//! Routes: the handlers of axum for [operations](crate::operation).

use std::sync::Arc;

use axum::body::{Body, Bytes, HttpBody as _};
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, Request, State};
use axum::http::{HeaderMap, Method, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, MethodRouter, on};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use fibula_service::Refusal;
use http_body_util::BodyExt as _;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value};
use tracing::Instrument as _;

use super::fields::Fields;
use super::job::{self, guarded};
use super::progress::Reporter;
use super::{Api, caller, events, faults, openapi, progress};
use crate::http::{PermitOfRequest, refusal};
use crate::metrics;
use crate::operation::{
    Answer, AnswerForm, BYTES, Call, Download, Failure, Operation, Progress, RouteSpec, SchemaOf,
    Work, names_revision,
};
use crate::request_id;
use crate::slots::past_slots;

/// Bodies of more bytes are parsed on a thread that may block.
const LONG_BODY: usize = 32 << 10;

/// Handler of a route.
#[derive(Clone)]
enum Handler {
    Operation(Box<Operation>),
    /// The stream of changes.
    Events,
    /// The stream of the progress of a request.
    Progress,
    /// The OpenAPI document.
    Document,
}

/// Form of a route's response.
#[derive(Debug, Clone, Copy)]
pub(super) enum ResponseForm {
    Json(SchemaOf),
    /// Events, and the data of those with this name.
    Events(&'static str, SchemaOf),
    /// A file of one of these media types.
    File(&'static [&'static str]),
    Document,
}

/// A route: an operation, its fields by location, and its response.
#[derive(Clone)]
pub(super) struct Route {
    pub(super) spec: RouteSpec,
    /// Tag in OpenAPI.
    pub(super) group: &'static str,
    pub(super) fields: Fields,
    pub(super) request: SchemaOf,
    pub(super) response: ResponseForm,
    handler: Handler,
}

impl Route {
    fn new(
        spec: RouteSpec,
        group: &'static str,
        request: SchemaOf,
        response: ResponseForm,
        handler: Handler,
    ) -> Self {
        Route {
            fields: Fields::new(request, &spec.method, spec.path),
            spec,
            group,
            request,
            response,
            handler,
        }
    }

    /// Returns the route of an operation, or `None` if it has none.
    pub(super) fn from_operation(group: &'static str, operation: Operation) -> Option<Self> {
        let response = match operation.answer {
            AnswerForm::Json(schema) => ResponseForm::Json(schema),
            AnswerForm::File(media) => ResponseForm::File(media),
            // Content blocks are for tools only.
            AnswerForm::Tool(_) => return None,
        };
        let spec = operation.route.clone()?;
        let (request, handler) = (operation.request, Handler::Operation(Box::new(operation)));
        Some(Route::new(spec, group, request, response, handler))
    }

    /// The route of the stream of changes.
    pub(super) fn events(spec: RouteSpec, group: &'static str) -> Self {
        let response =
            ResponseForm::Events("change", SchemaGenerator::subschema_for::<events::Change>);
        let request = events::Listen::json_schema;
        Route::new(spec, group, request, response, Handler::Events)
    }

    /// The route of the progress of a request.
    pub(super) fn progress(spec: RouteSpec, group: &'static str) -> Self {
        let schema = SchemaGenerator::subschema_for::<progress::WorkDone>;
        let response = ResponseForm::Events("progress", schema);
        let request = progress::Follow::json_schema;
        Route::new(spec, group, request, response, Handler::Progress)
    }

    /// The route of the OpenAPI document.
    pub(super) fn document(spec: RouteSpec, group: &'static str) -> Self {
        let (request, response) = (super::Nothing::json_schema, ResponseForm::Document);
        Route::new(spec, group, request, response, Handler::Document)
    }

    /// Returns the name of the route for the history and for refusals.
    pub(super) fn name(&self) -> String {
        format!("{} {}", self.spec.method, self.spec.path)
    }

    /// Converts the route to one of axum.
    pub(super) fn serve(self) -> MethodRouter<Api> {
        // Every declared method has a filter.
        let filter = MethodFilter::try_from(self.spec.method.clone()).unwrap_or(MethodFilter::GET);
        let (name, route) = (Arc::<str>::from(self.spec.id), Arc::new(self));
        on(
            filter,
            move |State(api): State<Api>,
                  path: Result<RawPathParams, RawPathParamsRejection>,
                  request: Request| {
                let route = route.clone();
                let id = request_id::get(request.headers());
                let mut running = api.metrics.begin(super::SURFACE, &name, &id);
                async move {
                    let answer = route.answer(api, path, request);
                    let answer = answer.instrument(running.span()).await;
                    running.end(match &answer {
                        Ok(_) => metrics::OK,
                        Err(refusal) => refusal.code,
                    });
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
        if api.read_only && self.spec.is_write {
            let message = "this server is read-only: it was started with --read-only";
            return Err(Refusal::new("read_only", message));
        }
        let path = path.map_err(|_| {
            Refusal::new("invalid_path", "a segment of the path is not UTF-8")
                .hint("percent-encode its bytes")
        })?;
        let path = path.iter();
        let path = path.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let path: Vec<(String, String)> = path.collect();
        let (head, body) = request.into_parts();
        let query = head.uri.query().unwrap_or_default().to_owned();
        let operation = match &self.handler {
            Handler::Document => {
                self.fields.read(&self.name(), &path, &query, None)?;
                return Ok(json(openapi::text()));
            }
            Handler::Events => {
                let request = self.fields.read(&self.name(), &path, &query, None)?;
                return events::stream(&api, &head.headers, &request);
            }
            Handler::Progress => {
                let request = self.fields.read(&self.name(), &path, &query, None)?;
                return progress::stream(&api, &request);
            }
            Handler::Operation(operation) => operation.clone(),
        };
        let reporter = api.requests.begin(&head.headers)?;
        let permit = PermitOfRequest::hold(&head.extensions);
        let body = if self.spec.method == Method::GET {
            Bytes::new()
        } else {
            receive(body, reporter.as_ref()).await?
        };
        let call = Call {
            service: api.service.clone(),
            origin: caller::origin(&head.headers, &self.name()),
        };
        let (blocking, long) = (self.spec.is_blocking, body.len() > LONG_BODY);
        let reading = self.clone();
        let read = move || {
            let body = reading.body(&head.headers, &body)?;
            let request = reading.fields.read(&reading.name(), &path, &query, body)?;
            Ok(request)
        };
        let work = move |request: Map<String, Value>| {
            let work = operation.call(&call, &Value::Object(request));
            work.map_err(|failure| self.refusal(failure))
        };
        let answer = if long || blocking {
            let slots = if long { &api.slots } else { &api.short };
            let finish = move |progress: &mut Progress<'_>| match work(read()?)? {
                Work::Done(answer) => encode(answer),
                Work::Deferred(work) => encode(work(progress)?),
            };
            job::run(slots, permit.clone(), reporter.clone(), finish).await?
        } else {
            let request = guarded(read)?;
            let work = if names_revision(&request) {
                job::run(past_slots(), permit.clone(), reporter.clone(), move |_| {
                    work(request)
                })
                .await?
            } else {
                guarded(|| work(request))?
            };
            match work {
                Work::Done(answer) => guarded(|| encode(answer))?,
                Work::Deferred(work) => {
                    let finish = |progress: &mut Progress<'_>| encode(work(progress)?);
                    job::run(&api.slots, permit.clone(), reporter.clone(), finish).await?
                }
            }
        };
        match answer {
            Encoded::Json(bytes) => Ok(json(bytes)),
            Encoded::File(file) => file.respond(&api.slots, permit, reporter).await,
        }
    }

    /// The refusal of a call that failed.
    fn refusal(&self, failure: Failure) -> Refusal {
        failure.into_refusal(|| faults::usage(&self.name(), &self.fields.list))
    }

    /// Returns the members of a body, or `None` if it is empty.
    fn body(&self, head: &HeaderMap, body: &[u8]) -> Result<Option<Map<String, Value>>, Refusal> {
        if body.is_empty() {
            return Ok(None);
        }
        let media = head.get(header::CONTENT_TYPE);
        let media = media.and_then(|media| media.to_str().ok());
        let media = media.and_then(|media| media.split(';').next());
        let media = media.unwrap_or_default().trim().to_ascii_lowercase();
        if self.spec.takes_files && BYTES.contains(&media.as_str()) {
            let mut request = Map::new();
            request.insert("content".to_owned(), BASE64.encode(body).into());
            return Ok(Some(request));
        }
        if media != "application/json" && !media.ends_with("+json") {
            let files = if self.spec.takes_files {
                ", or the file itself with Content-Type: application/octet-stream"
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
                Refusal::new("invalid_json", "the body is JSON, but not an object")
                    .hint("send an object, such as {}"),
            ),
            Err(error) => {
                let message = format!("the body is not JSON: {error}");
                Err(Refusal::new("invalid_json", message))
            }
        }
    }
}

/// Returns the whole body of a request. Its bytes go to `reporter` as they arrive.
async fn receive(mut body: Body, reporter: Option<&Reporter>) -> Result<Bytes, Refusal> {
    let total = body.size_hint().exact();
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Refusal::new("broken_body", "the body ended early"))?;
        if let Ok(data) = frame.into_data() {
            bytes.extend_from_slice(&data);
        }
        if let (Some(reporter), Some(total)) = (reporter, total) {
            reporter.report(bytes.len() as u64, total);
        }
    }
    Ok(Bytes::from(bytes))
}

/// An answer ready to be sent.
enum Encoded {
    Json(Vec<u8>),
    File(Download),
}

fn encode(answer: Answer) -> Result<Encoded, Refusal> {
    match answer {
        Answer::File(file) => Ok(Encoded::File(file)),
        Answer::Json(answer) => serde_json::to_vec(&answer)
            .map(Encoded::Json)
            .map_err(|error| {
                tracing::error!(%error, "an answer cannot be serialized as JSON");
                Refusal::new("internal", "the answer could not be serialized as JSON")
            }),
        Answer::Tool(_) => unreachable!("the answer of a route is JSON or a file"),
    }
}

fn json(answer: impl Into<Body>) -> Response {
    let head = [(header::CONTENT_TYPE, "application/json")];
    (head, answer.into()).into_response()
}
