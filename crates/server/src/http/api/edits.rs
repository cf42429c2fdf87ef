//! Many edits as one, and files.

use axum::http::Method;
use fibula_service::{ApplyEdits, EditsApplied, Import, Refusal};

use super::job::Work;
use super::route::{Call, Route};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::work(
            Method::POST,
            "/api/projects/{project}/edits",
            "apply_edits",
            "Makes any edits of any kind in one step: all of them, or none",
            apply,
        ),
        Route::work(
            Method::POST,
            "/api/projects/{project}/import",
            "import",
            "Brings a 3MF, STL, OBJ or .vm file into the project, as one change; check: true only lists what is wrong with \
             it",
            |call, request: Import| {
                let (service, origin) = (call.service.clone(), call.origin.clone());
                if request.is_quick() {
                    return service.import(&origin, request).map(Work::Done);
                }
                Ok(Work::Later(Box::new(move |watch| {
                    service.import_watched(&origin, request, watch)
                })))
            },
        )
        .takes_files()
        .about(
            "The file is base64 in `content` (of a .vm, .stl or .obj file also its text), or the body as it is, with \
             Content-Type application/octet-stream or model/3mf; or `path` names one that the server may read.",
        ),
    ]
}

/// Makes edits as one.
pub(super) fn apply(call: &Call, request: ApplyEdits) -> Result<Work<EditsApplied>, Refusal> {
    let (service, origin) = (call.service.clone(), call.origin.clone());
    if request.is_quick() {
        return service.apply_edits(&origin, request).map(Work::Done);
    }
    Ok(Work::Later(Box::new(move |watch| {
        service.apply_edits_watched(&origin, request, watch)
    })))
}
