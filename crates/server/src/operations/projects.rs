//! Projects: listing, creating, renaming, duplicating, deleting and restoring them.

use fibula_service::{
    CreateProject, DeleteProject, DuplicateProject, GetStructure, ListProjects, RenameProject,
    RestoreProject,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{PROJECT, PROJECT_EXTRA};
use crate::operation::{Effect, Operation};

requests! {
    /// A project.
    struct GetProject {
    }
}

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::quick(|call, request: ListProjects| call.service.list_projects(&request))
            .get(
                "/api/projects",
                "list_projects",
                "Lists the projects by name, or those that were deleted",
            )
            .blocking()
            .with_tool(
                PROJECT,
                Effect::Read,
                "Lists the projects with their revision and number of functions. Use it to find \
                 a project by name. Example: {}",
            ),
        Operation::quick(|call, request: CreateProject| call.service.create_project(request))
            .post("/api/projects", "create_project", "Makes an empty project")
            .with_tool(
                PROJECT,
                Effect::Add,
                "Makes an empty project, to keep work apart; other tools take its name as \
                 `project`. Example: {\"project\":\"bracket\"}",
            ),
        Operation::quick(|call, request: GetProject| {
            call.service.project_summary(Some(&request.project))
        })
        .get(
            "/api/projects/{project}",
            "get_project",
            "Tells what a project has: its revision, its first functions and its last changes",
        )
        .blocking(),
        Operation::quick(|call, request: GetStructure| call.service.get_structure(&request))
            .get(
                "/api/projects/{project}/structure",
                "get_structure",
                "Lists what a project has beside its functions: objects, images, volume data, \
                 the build, metadata",
            )
            .blocking(),
        Operation::quick(|call, request: RenameProject| call.service.rename_project(request))
            .patch(
                "/api/projects/{project}",
                "rename_project",
                "Calls a project something else",
            )
            .with_tool(
                PROJECT_EXTRA,
                Effect::Change,
                "Gives a project another name; the old one then means nothing. Example: \
                 {\"project\":\"bracket\",\"name\":\"bracket 2\"}",
            ),
        Operation::quick(|call, request: DeleteProject| call.service.delete_project(&request))
            .delete(
                "/api/projects/{project}",
                "delete_project",
                "Puts a project aside, from where undelete brings it back",
            )
            .with_tool(
                PROJECT_EXTRA,
                Effect::Change,
                "Puts a project aside with its history; restore_project brings it back. Example: \
                 {\"project\":\"bracket\"}",
            ),
        Operation::quick(|call, request: RestoreProject| call.service.restore_project(request))
            .post(
                "/api/projects/{project}/undelete",
                "undelete_project",
                "Brings a deleted project back; of several with the name, the one that was \
                 deleted last",
            )
            .tool(
                PROJECT_EXTRA,
                "restore_project",
                "Restore a deleted project",
                Effect::Add,
                "Brings a deleted project back; list_projects with deleted: true names them. \
                 Example: {\"project\":\"bracket\"}",
            ),
        Operation::long(|service, origin, request: DuplicateProject, _| {
            service.duplicate_project(origin, request)
        })
        .post(
            "/api/projects/{project}/duplicate",
            "duplicate_project",
            "Copies a project as it is, or as it was at a revision",
        )
        .blocking()
        .with_tool(
            PROJECT_EXTRA,
            Effect::Add,
            "Copies a project, as it is or as of a revision; the copy has a history of its \
             own. Use it to try a variant. Example: {\"project\":\"bracket\",\
             \"name\":\"bracket, lighter\"}",
        ),
    ]
}
