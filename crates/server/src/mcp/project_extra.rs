//! The toolset `project-extra`: what is needed rarely of projects. It is off by default.

use fibula_service::{
    Checkpoint, Compact, Compacted, DeleteProject, DuplicateProject, ProjectCreated, Redact,
    Redacted, RenameProject, Restore, RestoreProject, Undone,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, tool, tool_router};

use super::arguments::Parameters;
use super::reply::{Caller, Fail, Json};
use super::server::Server;

#[tool_router(router = project_extra_tools, vis = "pub(super)")]
impl Server {
    /// Gives the present state a name, to which restore can go back. Use it before a rework. Example:
    /// {"name":"before the holes"}
    #[tool(
        title = "Name the present state",
        annotations(
            read_only_hint = false,
            destructive_hint = false,
            idempotent_hint = false,
            open_world_hint = false
        )
    )]
    fn checkpoint(
        &self,
        Caller(origin): Caller,
        Parameters(request): Parameters<Checkpoint>,
    ) -> Result<Json<Undone>, Fail> {
        Ok(Json(self.service().checkpoint(&origin, &request)?))
    }

    /// Makes the project what it was at a revision or checkpoint, whoever changed it since, by one change that undo
    /// takes back. To take back single steps use undo. Example: {"checkpoint":"before the holes"}
    #[tool(
        title = "Restore an earlier state",
        annotations(
            read_only_hint = false,
            destructive_hint = true,
            idempotent_hint = false,
            open_world_hint = false
        )
    )]
    async fn restore(
        &self,
        context: RequestContext<RoleServer>,
        Caller(origin): Caller,
        Parameters(request): Parameters<Restore>,
    ) -> Result<Json<Undone>, Fail> {
        let done = self.later(&context, move |service, _| {
            service.restore(&origin, &request)
        });
        Ok(Json(done.await?))
    }

    /// Gives a project another name; the old one then means nothing. Example: {"project":"bracket","name":"bracket 2"}
    #[tool(
        title = "Rename project",
        annotations(
            read_only_hint = false,
            destructive_hint = true,
            idempotent_hint = false,
            open_world_hint = false
        )
    )]
    fn rename_project(
        &self,
        Parameters(request): Parameters<RenameProject>,
    ) -> Result<Json<ProjectCreated>, Fail> {
        Ok(Json(self.service().rename_project(request)?))
    }

    /// Copies a project, as it is or as of a revision; the copy has a history of its own. Use it to try a variant.
    /// Example: {"project":"bracket","name":"bracket, lighter"}
    #[tool(
        title = "Duplicate project",
        annotations(
            read_only_hint = false,
            destructive_hint = false,
            idempotent_hint = false,
            open_world_hint = false
        )
    )]
    async fn duplicate_project(
        &self,
        context: RequestContext<RoleServer>,
        Caller(origin): Caller,
        Parameters(request): Parameters<DuplicateProject>,
    ) -> Result<Json<ProjectCreated>, Fail> {
        let done = self.later(&context, move |service, _| {
            service.duplicate_project(&origin, request)
        });
        Ok(Json(done.await?))
    }

    /// Puts a project aside with its history; restore_project brings it back. Example: {"project":"bracket"}
    #[tool(
        title = "Delete project",
        annotations(
            read_only_hint = false,
            destructive_hint = true,
            idempotent_hint = false,
            open_world_hint = false
        )
    )]
    fn delete_project(
        &self,
        Parameters(request): Parameters<DeleteProject>,
    ) -> Result<Json<ProjectCreated>, Fail> {
        Ok(Json(self.service().delete_project(&request)?))
    }

    /// Brings a deleted project back; list_projects with deleted: true names them. Example: {"project":"bracket"}
    #[tool(
        title = "Restore a deleted project",
        annotations(
            read_only_hint = false,
            destructive_hint = false,
            idempotent_hint = false,
            open_world_hint = false
        )
    )]
    fn restore_project(
        &self,
        Parameters(request): Parameters<RestoreProject>,
    ) -> Result<Json<ProjectCreated>, Fail> {
        Ok(Json(self.service().restore_project(request)?))
    }

    /// Forgets a project's history up to a revision, for good; what the project is stays. Nothing before can be undone
    /// or read any more. Example: {"revision":100,"dry_run":true}
    #[tool(
        title = "Forget old history",
        annotations(
            read_only_hint = false,
            destructive_hint = true,
            idempotent_hint = false,
            open_world_hint = false
        )
    )]
    async fn compact(
        &self,
        context: RequestContext<RoleServer>,
        Parameters(request): Parameters<Compact>,
    ) -> Result<Json<Compacted>, Fail> {
        let done = self.later(&context, move |service, _| service.compact(&request));
        Ok(Json(done.await?))
    }

    /// Takes a text out of a project and all of its history, for good: names, labels and values that hold it. Use it
    /// for personal data. Example: {"text":"Jane Doe","dry_run":true}
    #[tool(
        title = "Take a text out of the history",
        annotations(
            read_only_hint = false,
            destructive_hint = true,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    async fn redact(
        &self,
        context: RequestContext<RoleServer>,
        Parameters(request): Parameters<Redact>,
    ) -> Result<Json<Redacted>, Fail> {
        let done = self.later(&context, move |service, _| service.redact(&request));
        Ok(Json(done.await?))
    }
}
