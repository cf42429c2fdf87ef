//! Functions: listing, creating, reading, replacing, renaming, deleting and evaluating them.

use std::ops::ControlFlow;

use fibula_core::graph::FunctionId;
use fibula_service::{
    ApplyLayout, Evaluate, Evaluation, EvaluationResult, FunctionKey, FunctionMade,
    GetCompatibleLinks, GetFunction, GetFunctionPicture, GetFunctionShader, GetFunctionText,
    GetLayout, GetPortValues, ListFunctions, MakeFunction, Refusal, Sample, SamplingOptions,
    Service,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::FUNCTION;
use super::edits::apply_to;
use crate::operation::{Call, Download, DownloadHeaders, Effect, Operation, Progress, Work};

requests! {
    /// Request for the whole graph of a function.
    struct GetGraph {
        /// The function.
        #[schemars(with = "FunctionKey")]
        function_id: FunctionId,
    }

    /// A function to rename.
    write struct RenameFunction {
        /// The function.
        #[schemars(with = "FunctionKey")]
        function_id: u32,
        /// Its new name.
        name: String,
    }

    /// Request to delete a function.
    write struct DeleteFunction {
        /// The function.
        #[schemars(with = "FunctionKey")]
        function_id: u32,
    }
}

/// New content of a function.
#[derive(Debug, Deserialize, JsonSchema)]
struct SetFunction {
    /// The project.
    project: String,
    /// The function; a free id creates one.
    #[schemars(with = "FunctionKey")]
    function_id: u32,
    /// Fail unless the project is at this revision.
    expected_revision: Option<u64>,
    /// Validate only; change nothing.
    #[serde(default)]
    dry_run: bool,
    #[serde(flatten)]
    #[schemars(with = "FunctionForm")]
    function: Map<String, Value>,
}

/// Content of the function in the body, as get_graph returns it. Members that only get_graph adds are ignored.
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

pub(super) fn operations() -> Vec<Operation> {
    let mut operations = read_operations();
    operations.extend(write_operations());
    operations
}

fn read_operations() -> Vec<Operation> {
    vec![
        Operation::quick(|call, request: ListFunctions| call.service.list_functions(&request))
            .get(
                "/api/projects/{project}/functions",
                "list_functions",
                "Lists the functions of a project",
            )
            .blocking()
            .with_tool(FUNCTION, Effect::Read,
                "Lists a project's functions, or the library's shapes, lattices and operators, which \
                 can be called. Example: \
                 {\"search\":\"smooth\",\"library\":true}",
            ),
        Operation::quick(|call, request: GetFunction| call.service.get_function(&request))
            .get(
                "/api/projects/{project}/functions/{function_id}",
                "get_function",
                "Returns a function as a graph, in pages, or as an expression",
            )
            .blocking()
            .with_tool(FUNCTION, Effect::Read,
                "Returns a function as a graph (nodes with values, links and positions, which \
                 apply_edits accepts as set_function) or as an expression. Large graphs come in \
                 pages. Example: {\"function_id\":1,\"format\":\"expression\"}",
            ),
        Operation::quick(|call, request: GetGraph| {
            let (project, id) = (&request.project, request.function_id);
            call.service.whole_function(Some(project), id)
        })
        .get(
            "/api/projects/{project}/functions/{function_id}/graph",
            "get_graph",
            "Returns a whole function as a graph, however large it is; PUT accepts the same",
        )
        .blocking(),
        Operation::quick(|call, request: GetFunctionText| call.service.function_text(&request))
            .get(
                "/api/projects/{project}/functions/{function_id}/text",
                "get_function_text",
                "Writes a function as a diagram (dot, mermaid) or a shader (glsl)",
            )
            .blocking(),
        Operation::file(&PICTURES, picture).get(
            "/api/projects/{project}/functions/{function_id}/picture",
            "get_function_picture",
            "Draws the graph of a function as a picture (svg, png)",
        ),
        Operation::long(|service, _, request: GetFunctionShader, progress| {
            service.function_shader(&request, progress)
        })
        .get(
            "/api/projects/{project}/functions/{function_id}/shader",
            "get_function_shader",
            "Writes a function, or a port of a node, as GLSL whose numbers are uniforms",
        ),
        Operation::long(|service, _, request: GetLayout, progress| {
            service.function_layout(&request, progress)
        })
        .post(
            "/api/projects/{project}/functions/{function_id}/layout",
            "lay_out",
            "Computes positions for the nodes of a function: a layered layout",
        )
        .read_only(),
        Operation::quick(|call, request: GetCompatibleLinks| {
            call.service.compatible_links(&request)
        })
        .get(
            "/api/projects/{project}/functions/{function_id}/links/compatible",
            "get_compatible_links",
            "Lists where a link from a port, or to a parameter, may lead, and why not elsewhere",
        )
        .blocking(),
        Operation::work(|call, request| evaluate(call, request, Detail::All))
            .post(
                "/api/projects/{project}/functions/{function_id}/evaluate",
                "evaluate",
                "Evaluates a function at one point or many",
            )
            .read_only()
            .described(
                "With a region, `statistics` summarizes the outputs, and `values` has a list for \
                 each output.",
            ),
        Operation::long(|service, _, request: GetPortValues, _| service.port_values(&request))
            .post(
                "/api/projects/{project}/functions/{function_id}/values",
                "get_port_values",
                "Returns the values at all ports of a function at one point",
            )
            .read_only(),
        // The answer of the tool is shorter.
        Operation::work(|call, request| evaluate(call, request, Detail::Brief)).tool(
            FUNCTION,
            "evaluate",
            "Evaluate",
            Effect::Read,
            "Evaluates a function at points, or on a line, plane or grid (with statistics). Example: \
             {\"function_id\":1,\"arguments\":[{\"pos\":[0,0,0]},\
             {\"pos\":[8,0,0]}]}",
        ),
        Operation::file(&MEDIA, sample)
            .post(
                "/api/projects/{project}/functions/{function_id}/samples",
                "sample",
                "Writes the values of a function on a line, plane, grid or list of points as a \
                 file",
            )
            .read_only()
            .described(
                "The first coordinate varies fastest. CSV has a line per point, with its coordinates; .npy is an array \
                 of the shape (nz, ny, nx), or (points), with one axis more if a point has several numbers; f32 and \
                 f64 are the same numbers alone, the lowest byte first. If the connection breaks, the file is \
                 incomplete.",
            ),
    ]
}

/// Length of an evaluation's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Detail {
    All,
    Brief,
}

fn evaluate(
    call: &Call,
    request: Evaluate,
    detail: Detail,
) -> Result<Work<EvaluationResult>, Refusal> {
    let is_quick_to_read = request.is_quick_to_read();
    let read = move |service: &Service| -> Result<Evaluation, Refusal> {
        let evaluation = service.evaluation(request)?;
        Ok(match detail {
            Detail::All => evaluation,
            Detail::Brief => evaluation.brief(),
        })
    };
    if !is_quick_to_read {
        return Ok(call.defer(move |service, _, progress| read(service)?.run(progress)));
    }
    let evaluation = read(&call.service)?;
    if evaluation.is_quick() {
        let ignored = &mut |_, _| ControlFlow::Continue(());
        return evaluation.run(ignored).map(Work::Done);
    }
    Ok(call.defer(move |_, _, progress| evaluation.run(progress)))
}

/// Media types of pictures of graphs.
const PICTURES: [&str; 2] = ["image/svg+xml", "image/png"];

fn picture(
    service: &Service,
    request: &GetFunctionPicture,
    progress: &mut Progress<'_>,
) -> Result<Download, Refusal> {
    let picture = service.function_picture(request, progress)?;
    let (id, format) = (picture.function_id, picture.format);
    let name = format!("function-{id}.{}", format.name());
    Ok(Download::from_bytes(
        format.media_type(),
        name,
        picture.bytes,
    ))
}

/// Media types of files of values.
const MEDIA: [&str; 2] = ["text/csv", "application/octet-stream"];

fn sample(service: &Service, request: &Sample, _: &mut Progress<'_>) -> Result<Download, Refusal> {
    let (format, precision) = (request.format, request.precision);
    let sampling = service.sampling(request.clone())?;
    let options = SamplingOptions {
        precision,
        ..SamplingOptions::default()
    };
    // Errors are reported before the file begins.
    let ready = sampling.prepare(options)?;
    Ok(Download {
        media: format.media_type(),
        name: format!("values.{}", format.name()),
        headers: DownloadHeaders::default(),
        write: Box::new(move |to, progress| ready.write(format, to, progress).map(drop)),
    })
}

fn write_operations() -> Vec<Operation> {
    vec![
        Operation::quick_or_long(
            MakeFunction::is_quick,
            |service, origin, request, progress| service.make_function(origin, request, progress),
        )
        .post(
            "/api/projects/{project}/functions",
            "create_function_from_expression",
            "Creates a function from an expression, or replaces one; optionally draws and measures it",
        ),
        // Its picture is an image.
        Operation::pictured(
            MakeFunction::is_quick,
            |service, origin, request, progress| service.make_function(origin, request, progress),
            |made: &mut FunctionMade| made.look.picture.take().map(|picture| picture.0),
        )
        .tool(
            FUNCTION,
            "create_function_from_expression",
            "Create function from expression",
            Effect::Change,
            "Creates a function from a formula. Operators + - * / ^, \
             a < b ? c : d, vec3(x,y,z), .x .y .z, sin, length, min, clamp and every other node \
             type, functions of the project or the library (sphere, box, gyroid, \
             ...) by name, let bindings, several outputs. \
             Example: {\"name\":\"Ball\",\"expression\":\"length(pos) - 5\",\
             \"render\":{}}",
        )
        .may_have_picture(),
        Operation::work(|call, request: SetFunction| {
            let SetFunction {
                project,
                function_id,
                expected_revision,
                dry_run,
                mut function,
            } = request;
            function.insert("function_id".to_owned(), function_id.into());
            let edits = vec![json!({ "set_function": function })];
            apply_to(call, project, edits, expected_revision, dry_run)
        })
        .put(
            "/api/projects/{project}/functions/{function_id}",
            "set_function",
            "Replaces the content of a function; the body is as get_graph returns it",
        ),
        Operation::long(|service, origin, request: ApplyLayout, progress| {
            service.apply_layout(origin, &request, progress)
        })
        .put(
            "/api/projects/{project}/functions/{function_id}/layout",
            "apply_layout",
            "Moves the nodes of a function to a layered layout, as one change",
        ),
        Operation::work(|call, request: RenameFunction| {
            let (function_id, name) = (request.function_id, request.name);
            let edits =
                vec![json!({ "rename_function": { "function_id": function_id, "name": name } })];
            let (expected, dry_run) = (request.expected_revision, request.dry_run);
            apply_to(call, request.project, edits, expected, dry_run)
        })
        .patch(
            "/api/projects/{project}/functions/{function_id}",
            "rename_function",
            "Renames a function",
        ),
        Operation::work(|call, request: DeleteFunction| {
            let function_id = request.function_id;
            let edits = vec![json!({ "delete_function": { "function_id": function_id } })];
            let (expected, dry_run) = (request.expected_revision, request.dry_run);
            apply_to(call, request.project, edits, expected, dry_run)
        })
        .delete(
            "/api/projects/{project}/functions/{function_id}",
            "delete_function",
            "Deletes a function that no other calls",
        ),
    ]
}
