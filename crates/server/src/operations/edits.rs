//! Many edits as one transaction, and the import of files.

use std::sync::LazyLock;

use fibula_service::{
    ApplyEdits, EditsApplied, Import, Refusal, imported_formats, imported_text_extensions,
};
use serde_json::Value;

use super::{FUNCTION, PROJECT};
use crate::operation::{Call, Effect, Operation, Work};

/// Summary, description and tool description of the import, with the formats that are read.
static IMPORT_TEXTS: LazyLock<[String; 3]> = LazyLock::new(|| {
    let (formats, texts) = (imported_formats("or"), imported_text_extensions("or"));
    [
        format!(
            "Imports a {formats} file into the project as one change; creates the project if there is none; check: true \
             only reports the faults of the file"
        ),
        format!(
            "The file is base64 in `content` (or the text of a {texts} file), or the body itself, with Content-Type \
             application/octet-stream or model/3mf; or `path` names one that the server may read."
        ),
        format!(
            "Imports a {formats} file into a project, which it creates if there is none, as one change; reports repairs \
             and omissions. Example: {{\"path\":\"gyroid.3mf\"}}"
        ),
    ]
});

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::work(apply)
            .post(
                "/api/projects/{project}/edits",
                "apply_edits",
                "Applies edits of any kind as one change: all of them, or none",
            )
            .with_tool(
                FUNCTION,
                Effect::Change,
                "Applies many edits as one change, all or none. \
                 An alias \"$a\" as node_id or function_id names what an edit creates, for later \
                 edits; function_id defaults to that of the previous edit. Example: \
                 {\"edits\":[{\"create_node\":{\"function_id\":1,\"node_id\":\"$n\",\
                 \"node_type\":\"Addition\",\"parameters\":{\"A\":5,\"B\":10}}},\
                 {\"create_link\":{\"source_node_id\":\"$n\",\"source_port_name\":\"result\",\
                 \"target_node_id\":0,\"target_parameter_name\":\"shape\"}}]}",
            ),
        Operation::quick_or_long(Import::is_quick, |service, origin, request, progress| {
            service.import_watched(origin, request, progress)
        })
        .post("/api/projects/{project}/import", "import", &IMPORT_TEXTS[0])
        .takes_files()
        .described(&IMPORT_TEXTS[1])
        .with_tool(PROJECT, Effect::Add, &IMPORT_TEXTS[2])
        .with_title("Import a file"),
    ]
}

/// Applies edits: all of them, or none.
pub(super) fn apply(call: &Call, request: ApplyEdits) -> Result<Work<EditsApplied>, Refusal> {
    if request.is_quick() {
        let applied = call.service.apply_edits(&call.origin, request);
        return applied.map(Work::Done);
    }
    Ok(call.defer(move |service, origin, progress| {
        service.apply_edits_watched(origin, request, progress)
    }))
}

/// Applies edits of one project under the conditions of a route.
pub(super) fn apply_to(
    call: &Call,
    project: String,
    edits: Vec<Value>,
    expected_revision: Option<u64>,
    dry_run: bool,
) -> Result<Work<EditsApplied>, Refusal> {
    let request = ApplyEdits {
        project: Some(project),
        edits,
        dry_run,
        label: None,
        expected_revision,
    };
    apply(call, request)
}
