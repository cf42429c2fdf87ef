//! Projects: listing, creating, renaming, duplicating, deleting and restoring them.

use fibula_service::{
    CreateProject, DeleteProject, DuplicateProject, GetOverview, GetStructure, ListProjects,
    RenameProject, RestoreProject,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{PROJECT, PROJECT_EXTRA, existing_project};
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
                "Lists the projects by name, or the deleted ones",
            )
            .blocking()
            .with_tool(
                PROJECT,
                Effect::Read,
                "Lists the projects with their revision and number of functions.",
            ),
        Operation::quick(|call, request: CreateProject| call.service.create_project(request))
            .post("/api/projects", "create_project", "Creates an empty project")
            .with_tool(
                PROJECT,
                Effect::Add,
                "Creates an empty project, to separate work; other tools accept its name as \
                 `project`. Example: {\"project\":\"bracket\"}",
            ),
        Operation::quick(|call, request: GetProject| {
            call.service.project_summary(Some(&request.project))
        })
        .get(
            "/api/projects/{project}",
            "get_project",
            "Returns a summary of a project: its revision, its first functions and its last changes",
        )
        .blocking(),
        Operation::long(|service, _, request: GetOverview, progress| {
            service.overview(&request, progress)
        })
        .get(
            "/api/projects/{project}/overview",
            "get_overview",
            "Describes the contents of a project in brief: functions with parameters, objects, the \
             build, resources, warnings and next steps",
        ),
        Operation::quick(|call, request: GetStructure| call.service.get_structure(&request))
            .get(
                "/api/projects/{project}/structure",
                "get_structure",
                "Lists the other contents of a project: objects, images, volume data, the build, \
                 metadata",
            )
            .blocking(),
        Operation::quick(|call, request: RenameProject| call.service.rename_project(request))
            .patch(
                "/api/projects/{project}",
                "rename_project",
                "Renames a project",
            )
            .with_tool(
                PROJECT_EXTRA,
                Effect::Change,
                "Renames a project; the old name is then free. Example: {\"project\":\"bracket\",\
                 \"name\":\"bracket 2\"}",
            ),
        Operation::quick(|call, request: DeleteProject| call.service.delete_project(&request))
            .delete(
                "/api/projects/{project}",
                "delete_project",
                "Deletes a project; undelete restores it",
            )
            .with_tool(
                PROJECT_EXTRA,
                Effect::Change,
                "Deletes a project with its history; restore_project restores it. Example: \
                 {\"project\":\"bracket\"}",
            )
            .asking(|service, request: &DeleteProject| {
                let project = existing_project(service, Some(&request.project))?;
                Some(format!(
                    "Delete the project {project} with its history? restore_project restores it."
                ))
            }),
        Operation::quick(|call, request: RestoreProject| call.service.restore_project(request))
            .post(
                "/api/projects/{project}/undelete",
                "undelete_project",
                "Restores a deleted project; of several with the name, the last deleted one",
            )
            .tool(
                PROJECT_EXTRA,
                "restore_project",
                "Restore a deleted project",
                Effect::Add,
                "Restores a deleted project; list_projects with deleted: true lists them. Example: \
                 {\"project\":\"bracket\"}",
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
            "Copies a project, as it is or as of a revision; the copy has its own history. Use it \
             to try a variant. Example: {\"project\":\"bracket\",\"name\":\"bracket, lighter\"}",
        ),
    ]
}
