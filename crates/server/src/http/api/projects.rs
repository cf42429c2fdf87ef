//! Projects: listing, making, renaming, copying, deleting and bringing them back.

use axum::http::Method;
use fibula_service::{
    CreateProject, DeleteProject, DuplicateProject, GetStructure, ListProjects, RenameProject,
    RestoreProject,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::route::Route;

/// A project.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GetProject {
    /// The project.
    project: String,
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::quick(
            Method::GET,
            "/api/projects",
            "list_projects",
            "Lists the projects by name, or those that were deleted",
            |call, request: ListProjects| call.service.list_projects(&request),
        )
        .apart(),
        Route::quick(
            Method::POST,
            "/api/projects",
            "create_project",
            "Makes an empty project",
            |call, request: CreateProject| call.service.create_project(request),
        ),
        Route::quick(
            Method::GET,
            "/api/projects/{project}",
            "get_project",
            "Tells what a project has: its revision, its first functions and its last changes",
            |call, request: GetProject| call.service.project_summary(Some(&request.project)),
        )
        .apart(),
        Route::quick(
            Method::GET,
            "/api/projects/{project}/structure",
            "get_structure",
            "Lists what a project has beside its functions: objects, images, volume data, the build, metadata",
            |call, request: GetStructure| call.service.get_structure(&request),
        )
        .apart(),
        Route::quick(
            Method::PATCH,
            "/api/projects/{project}",
            "rename_project",
            "Calls a project something else",
            |call, request: RenameProject| call.service.rename_project(request),
        ),
        Route::quick(
            Method::DELETE,
            "/api/projects/{project}",
            "delete_project",
            "Puts a project aside, from where undelete brings it back",
            |call, request: DeleteProject| call.service.delete_project(&request),
        ),
        Route::quick(
            Method::POST,
            "/api/projects/{project}/undelete",
            "undelete_project",
            "Brings a deleted project back; of several with the name, the one that was deleted last",
            |call, request: RestoreProject| call.service.restore_project(request),
        ),
        Route::quick(
            Method::POST,
            "/api/projects/{project}/duplicate",
            "duplicate_project",
            "Copies a project as it is, or as it was at a revision",
            |call, request: DuplicateProject| call.service.duplicate_project(&call.origin, request),
        )
        .apart(),
    ]
}
