//! The document as a whole: status, emptying, importing a file, evaluation and validation.

use std::time::{SystemTime, UNIX_EPOCH};

use fibula_core::edit::Origin;
use fibula_core::graph::FunctionId;
use fibula_server::mcp::structure_of;
use fibula_server::operation::{Call, Operation, Progress, Work};
use fibula_service::{
    DEFAULT_PROJECT, EmptyProject, Evaluate, FaultInfo, FunctionKey, Import, Refusal, Service,
    Validate, imported_formats, utc,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    Confirmation, EditNotes, Members, NAME, OfProject, function, invalid, members, type_name,
};

/// Default of the maximal number of messages of a validation.
const DEFAULT_MAX_MESSAGES: usize = 50;

#[derive(Debug, Serialize, JsonSchema)]
#[expect(
    clippy::struct_excessive_bools,
    clippy::struct_field_names,
    reason = "member names of Gladius"
)]
struct Status {
    success: bool,
    application: String,
    version: String,
    status: String,
    is_running: bool,
    has_active_document: bool,
    headless: bool,
    ui_running: bool,
    active_document_path: String,
    /// UTC, as in 2026-01-31T12:00:00.000Z.
    server_time: String,
    revision: u64,
}

requests! {
    OpenDocument {
        #[schemars(description = format!("A {} file below the folders that the server may read.", imported_formats("or")))]
        path: String,
    }

    EvaluateFunction {
        /// The function.
        #[schemars(with = "FunctionKey")]
        function_id: FunctionId,
        /// Each {INPUT: value}, such as {"pos": [0, 0, 5]}.
        samples: Vec<Members>,
    }

    ValidateModel {
        /// false checks only the graphs.
        compile: Option<bool>,
        /// Maximum number of messages; default 50.
        max_messages: Option<u32>,
    }
}

#[derive(Debug, Serialize, JsonSchema)]
struct DocumentOpened {
    success: bool,
    path: String,
    message: String,
    /// The imported functions; the first 100.
    functions: Vec<Members>,
    /// Ids that were in use in the project: those of the file, and the new ones.
    renumbered: Members,
    warnings: Vec<String>,
    revision: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct FunctionEvaluated {
    success: bool,
    function_id: u32,
    function_name: String,
    output_type: String,
    /// Each {inputs, outputs}.
    results: Vec<Members>,
    warnings: Vec<String>,
    revision: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ModelValidated {
    /// True if every required function can be evaluated.
    success: bool,
    /// Each {name, ok, errors, warnings, messages}.
    phases: Vec<Members>,
    /// {graph_ok, compile_ok}
    summary: Members,
    /// Level sets of the build that their domains cut, if it compiles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    revision: u64,
}

pub(super) fn operations() -> Vec<Operation> {
    tools! {
        Read "get_status", "Get status", Operation::quick(get_status),
            "Returns the server and the current project.", "{}";
        Set "create_document", "Create a document", Operation::long(create_document),
            "Empties a project as one change, which undo reverts.", "{}";
        Load "open_document", "Open a document", Operation::long(open_document),
            "Imports a file into a project, in addition to its contents; create_document empties it first.",
            r#"{"path":"part.3mf"}"#;
        Read "evaluate_function", "Evaluate a function", Operation::work(evaluate_function),
            "Evaluates a function at points.", r#"{"function_id":1,"samples":[{"pos":[0,0,0]},{"pos":[8,0,0]}]}"#;
        Read "validate_model", "Validate the model", Operation::long(validate_model),
            "Checks whether every function can be evaluated: first the graphs, then the resources that they query. \
             Functions that the build does not need only cause warnings. success is false if there are errors.",
            "{}";
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "operations pass requests by value"
)]
fn get_status(call: &Call, request: OfProject) -> Result<Status, Refusal> {
    let project = request.project.as_deref();
    let project = project.unwrap_or(DEFAULT_PROJECT);
    let summary = call.service.project_summary(Some(project))?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |now| u64::try_from(now.as_millis()).unwrap_or(u64::MAX));
    Ok(Status {
        success: true,
        application: "Fibula".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        status: "running".to_owned(),
        is_running: true,
        has_active_document: true,
        headless: true,
        ui_running: false,
        active_document_path: structure_of(project),
        server_time: utc(now),
        revision: summary.revision,
    })
}

fn create_document(
    service: &Service,
    origin: &Origin,
    request: OfProject,
    _: &mut Progress<'_>,
) -> Result<Confirmation, Refusal> {
    let request = EmptyProject {
        project: request.project,
        ..EmptyProject::default()
    };
    let emptied = service.empty_project(origin, &request)?;
    let notes = EditNotes {
        effects: emptied.effects,
        ..EditNotes::default()
    };
    Ok(Confirmation::new(
        "New 3MF document created",
        emptied.revision,
        notes,
    ))
}

fn open_document(
    service: &Service,
    origin: &Origin,
    request: OpenDocument,
    progress: &mut Progress<'_>,
) -> Result<DocumentOpened, Refusal> {
    let OpenDocument { project, path } = request;
    let import = Import {
        project,
        path: Some(path.clone()),
        ..Import::default()
    };
    let imported = service.import_watched(origin, import, progress)?;
    let functions = imported.functions.iter();
    let functions =
        functions.map(|one| members(json!({ "resource_id": one.function_id, "name": one.name })));
    Ok(DocumentOpened {
        success: true,
        path,
        message: format!("Document opened with {} functions", imported.function_count),
        functions: functions.collect(),
        renumbered: members(json!(imported.renumbered)),
        warnings: imported.warnings,
        revision: imported.revision,
    })
}

fn evaluate_function(
    call: &Call,
    request: EvaluateFunction,
) -> Result<Work<FunctionEvaluated>, Refusal> {
    let (function_id, samples) = (request.function_id, request.samples);
    if samples.is_empty() {
        let hint = r#"as in "samples": [{"pos": [0, 0, 5]}]; [{}] if the function takes nothing"#;
        return Err(invalid("samples has no point").hint(hint));
    }
    let shown = function(&call.service, request.project.clone(), function_id)?;
    let evaluate = Evaluate {
        project: request.project,
        revision: Some(shown.revision),
        ..Evaluate::new(function_id, json!(samples))
    };
    let evaluation = call.service.evaluation(evaluate)?.brief();
    Ok(call.defer(move |_, _, progress| {
        let evaluated = evaluation.run(progress)?;
        let values = match evaluated.values {
            Value::Array(values) => values,
            one => vec![one],
        };
        let results = samples.into_iter().zip(values);
        let results = results
            .map(|(inputs, outputs)| members(json!({ "inputs": inputs, "outputs": outputs })));
        let function = shown.function;
        Ok(FunctionEvaluated {
            success: true,
            function_id: function_id.0,
            function_name: function.name,
            output_type: function
                .outputs
                .first()
                .map_or("none", |output| type_name(output.ty))
                .to_owned(),
            results: results.collect(),
            warnings: evaluated.warnings,
            revision: evaluated.revision,
            truncated: evaluated.truncated,
            total: evaluated.total,
        })
    }))
}

fn validate_model(
    service: &Service,
    _: &Origin,
    request: ValidateModel,
    progress: &mut Progress<'_>,
) -> Result<ModelValidated, Refusal> {
    let code = request.compile.unwrap_or(true);
    let most = request
        .max_messages
        .map_or(DEFAULT_MAX_MESSAGES, |most| most as usize);
    let validate = Validate {
        project: request.project,
        code,
    };
    let found = service.validate(&validate, progress)?;
    let of = |in_graph: bool| {
        let faults = found.faults.iter();
        faults.filter(move |fault| fault.in_graph == in_graph)
    };
    let ok = |in_graph: bool| !of(in_graph).any(|fault| fault.needed);
    let mut phases = vec![phase("graph_sync", ok(true), of(true), most)];
    if code {
        phases.push(phase("compile", ok(false), of(false), most));
    }
    Ok(ModelValidated {
        success: ok(true) && ok(false),
        phases,
        summary: members(json!({ "graph_ok": ok(true), "compile_ok": ok(false) })),
        warnings: found.warnings,
        revision: found.revision,
    })
}

/// Returns the result of a phase.
fn phase<'a>(
    name: &str,
    ok: bool,
    faults: impl Iterator<Item = &'a FaultInfo>,
    most: usize,
) -> Members {
    let (errors, warnings): (Vec<_>, Vec<_>) = faults.partition(|fault| fault.needed);
    let severity = |fault: &FaultInfo| if fault.needed { "error" } else { "warning" };
    let message = |fault: &&FaultInfo| {
        json!({
            "severity": severity(fault),
            "function_id": fault.function_id,
            "code": fault.code,
            "message": fault.message,
        })
    };
    let messages = errors.iter().chain(&warnings).take(most).map(message);
    let messages: Vec<Value> = messages.collect();
    members(json!({
        "name": name,
        "ok": ok,
        "errors": errors.len(),
        "warnings": warnings.len(),
        "messages": messages,
    }))
}
