//! Functions: listing, making, reading, replacing, renaming, deleting and evaluating them.

use std::ops::ControlFlow;

use axum::http::Method;
use fibula_core::graph::FunctionId;
use fibula_service::{
    ApplyEdits, CreateFunctionFromExpression, Evaluate, FunctionCreated, GetFunction,
    GetFunctionPicture, GetFunctionText, How, ListFunctions, Refusal, Sample,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::download::{Download, Told};
use super::edits::apply;
use super::job::Work;
use super::route::{Call, Route};

/// A function, however large it is.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GetGraph {
    /// The project.
    project: String,
    /// The function.
    #[schemars(with = "u32")]
    function_id: FunctionId,
}

/// What a function is to be.
#[derive(Debug, Deserialize, JsonSchema)]
struct SetFunction {
    /// The project.
    project: String,
    /// The function; a free id makes one.
    function_id: u32,
    /// Refuse at any other.
    expected_revision: Option<u64>,
    /// true tries it and changes nothing.
    #[serde(default)]
    dry_run: bool,
    #[serde(flatten)]
    #[schemars(with = "FunctionForm")]
    function: Map<String, Value>,
}

/// A function, as it is read as a graph. What a graph says beside it is read over.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct FunctionForm {
    /// The function's name.
    name: String,
    /// The inputs, in their order, each {name, type}.
    #[schemars(default)]
    inputs: Vec<Map<String, Value>>,
    /// The outputs, in their order, each {name, type}.
    #[schemars(default)]
    outputs: Vec<Map<String, Value>>,
    /// The nodes, each {node_id, node_type, display_name, position, parameters}.
    #[schemars(default)]
    nodes: Vec<Map<String, Value>>,
}

/// The function that is to be called something else.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RenameFunction {
    /// The project.
    project: String,
    /// The function.
    function_id: u32,
    /// Its new name.
    name: String,
    /// Refuse at any other.
    expected_revision: Option<u64>,
    /// true tries it and changes nothing.
    #[serde(default)]
    dry_run: bool,
}

/// The function that is to go.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DeleteFunction {
    /// The project.
    project: String,
    /// The function.
    function_id: u32,
    /// Refuse at any other.
    expected_revision: Option<u64>,
    /// true tries it and changes nothing.
    #[serde(default)]
    dry_run: bool,
}

pub(super) fn routes() -> Vec<Route> {
    let mut routes = reading();
    routes.extend(writing());
    routes
}

fn reading() -> Vec<Route> {
    vec![
        Route::quick(
            Method::GET,
            "/api/projects/{project}/functions",
            "list_functions",
            "Lists the functions of a project",
            |call, request: ListFunctions| call.service.list_functions(&request),
        )
        .apart(),
        Route::quick(
            Method::GET,
            "/api/projects/{project}/functions/{function_id}",
            "get_function",
            "Shows a function as a graph, in pages, or as an expression",
            |call, request: GetFunction| call.service.get_function(&request),
        )
        .apart(),
        Route::quick(
            Method::GET,
            "/api/projects/{project}/functions/{function_id}/graph",
            "get_graph",
            "Shows a whole function as a graph, however large it is; PUT takes it back",
            |call, request: GetGraph| {
                let GetGraph {
                    project,
                    function_id,
                } = request;
                call.service.whole_function(Some(&project), function_id)
            },
        )
        .apart(),
        Route::quick(
            Method::GET,
            "/api/projects/{project}/functions/{function_id}/text",
            "get_function_text",
            "Writes a function as a diagram (dot, mermaid) or a shader (glsl)",
            |call, request: GetFunctionText| call.service.function_text(&request),
        )
        .apart(),
        Route::file(
            Method::GET,
            "/api/projects/{project}/functions/{function_id}/picture",
            "get_function_picture",
            "Draws the graph of a function as a picture (svg, png)",
            &PICTURES,
            |call, request| Ok(picture(call, request)),
        ),
        Route::work(
            Method::POST,
            "/api/projects/{project}/functions/{function_id}/evaluate",
            "evaluate",
            "Evaluates a function at one point or many",
            |call, request: Evaluate| {
                let evaluation = call.service.evaluation(request)?;
                if evaluation.is_quick() {
                    let go_on = &mut |_, _| ControlFlow::Continue(());
                    return evaluation.run(go_on).map(Work::Done);
                }
                Ok(Work::Later(Box::new(move |watch| evaluation.run(watch))))
            },
        )
        .reads()
        .about(
            "With a region, `statistics` tells what the outputs are like, and `values` has a list for each output.",
        ),
        Route::file(
            Method::POST,
            "/api/projects/{project}/functions/{function_id}/samples",
            "sample",
            "Writes the values of a function on a line, plane, grid or list of points as a file",
            &MEDIA,
            sample,
        )
        .reads()
        .about(
            "The first coordinate varies fastest. CSV has a line per point, with its coordinates; .npy is an array of \
             the shape (nz, ny, nx), or (points), with one axis more if a point has several numbers; f32 and f64 are \
             the same numbers alone, the lowest byte first. A file that breaks off is not whole.",
        ),
    ]
}

/// The media types of pictures of graphs.
const PICTURES: [&str; 2] = ["image/svg+xml", "image/png"];

fn picture(call: &Call, request: GetFunctionPicture) -> Work<Download> {
    let service = call.service.clone();
    Work::Later(Box::new(move |watch| {
        // What can be refused is refused before the file begins.
        let picture = service.function_picture(&request, watch)?;
        Ok(Download {
            media: picture.format.media_type(),
            name: format!("function-{}.{}", picture.function_id, picture.format.name()),
            told: Told::default(),
            make: Box::new(move |to, _| {
                to.write_all(&picture.bytes)
                    .map_err(|_| Refusal::cancelled())
            }),
        })
    }))
}

/// The media types of files of values.
const MEDIA: [&str; 2] = ["text/csv", "application/octet-stream"];

fn sample(call: &Call, request: Sample) -> Result<Work<Download>, Refusal> {
    let (format, precision) = (request.format, request.precision);
    let sampling = call.service.sampling(request)?;
    Ok(Work::Later(Box::new(move |_| {
        let how = How {
            precision,
            ..How::default()
        };
        // What can be refused is refused before the file begins.
        let ready = sampling.ready(how)?;
        Ok(Download {
            media: format.media_type(),
            name: format!("values.{}", format.name()),
            told: Told::default(),
            make: Box::new(move |to, watch| ready.write(format, to, watch).map(drop)),
        })
    })))
}

fn writing() -> Vec<Route> {
    vec![
        Route::work(
            Method::POST,
            "/api/projects/{project}/functions",
            "create_function_from_expression",
            "Makes a function of an expression, or puts it in the place of another",
            create,
        ),
        Route::work(
            Method::PUT,
            "/api/projects/{project}/functions/{function_id}",
            "set_function",
            "Makes a function what the body says, as the whole graph is read",
            |call, request: SetFunction| {
                let SetFunction {
                    project,
                    function_id,
                    expected_revision,
                    dry_run,
                    mut function,
                } = request;
                function.insert("function_id".to_owned(), function_id.into());
                let edits = vec![json!({ "set_function": function })];
                apply(call, one(project, edits, expected_revision, dry_run))
            },
        ),
        Route::work(
            Method::PATCH,
            "/api/projects/{project}/functions/{function_id}",
            "rename_function",
            "Calls a function something else",
            |call, request: RenameFunction| {
                let (function_id, name) = (request.function_id, request.name);
                let edits = vec![
                    json!({ "rename_function": { "function_id": function_id, "name": name } }),
                ];
                let (expected, dry_run) = (request.expected_revision, request.dry_run);
                apply(call, one(request.project, edits, expected, dry_run))
            },
        ),
        Route::work(
            Method::DELETE,
            "/api/projects/{project}/functions/{function_id}",
            "delete_function",
            "Removes a function that no other calls",
            |call, request: DeleteFunction| {
                let function_id = request.function_id;
                let edits = vec![json!({ "delete_function": { "function_id": function_id } })];
                let (expected, dry_run) = (request.expected_revision, request.dry_run);
                apply(call, one(request.project, edits, expected, dry_run))
            },
        ),
    ]
}

fn create(
    call: &Call,
    request: CreateFunctionFromExpression,
) -> Result<Work<FunctionCreated>, Refusal> {
    let (service, origin) = (call.service.clone(), call.origin.clone());
    let quick = request.is_quick();
    let create = move || service.create_function_from_expression(&origin, request);
    if quick {
        return create().map(Work::Done);
    }
    Ok(Work::Later(Box::new(move |_| create())))
}

/// A request for edits that are one thing.
pub(super) fn one(
    project: String,
    edits: Vec<Value>,
    expected_revision: Option<u64>,
    dry_run: bool,
) -> ApplyEdits {
    ApplyEdits {
        project: Some(project),
        edits,
        dry_run,
        label: None,
        expected_revision,
    }
}
