//! The toolset `project`: projects, their history, files.

use fibula_service::{
    CreateProject, GetHistory, HistoryShown, Import, Imported, ListProjects, ProjectCreated,
    ProjectsListed, Undo, Undone,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, tool, tool_router};

use super::arguments::Parameters;
use super::reply::{Caller, Fail, Json};
use super::server::Server;

#[tool_router(router = project_tools, vis = "pub(super)")]
impl Server {
    /// Lists the projects with their revision and number of functions. Use it to find a project by name. Example: {}
    #[tool(
        title = "List projects",
        annotations(
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    fn list_projects(
        &self,
        Parameters(request): Parameters<ListProjects>,
    ) -> Result<Json<ProjectsListed>, Fail> {
        Ok(Json(self.service().list_projects(&request)?))
    }

    /// Makes an empty project, to keep work apart; other tools take its name as `project`. Example:
    /// {"project":"bracket"}
    #[tool(
        title = "Create project",
        annotations(
            read_only_hint = false,
            destructive_hint = false,
            idempotent_hint = false,
            open_world_hint = false
        )
    )]
    fn create_project(
        &self,
        Parameters(request): Parameters<CreateProject>,
    ) -> Result<Json<ProjectCreated>, Fail> {
        Ok(Json(self.service().create_project(request)?))
    }

    /// Takes back your own last step (those of your client's name), and when called again the one before. redo brings
    /// the last undone one back. anyone: true takes back the last step whoever made it, revision a certain one. A later
    /// change that is in_the_way is named with its revision and author: take that back first, or mend by hand. One
    /// apply_edits or import is one step. Example: {} or {"redo":true}
    #[tool(
        title = "Undo or redo",
        annotations(
            read_only_hint = false,
            destructive_hint = true,
            idempotent_hint = false,
            open_world_hint = false
        )
    )]
    fn undo(
        &self,
        Caller(origin): Caller,
        Parameters(request): Parameters<Undo>,
    ) -> Result<Json<Undone>, Fail> {
        Ok(Json(self.service().undo(&origin, &request)?))
    }

    /// Lists the changes of a project, the newest first: revision, time, client, tool and what was done. Use it to see
    /// what others did, or to find a revision: undo takes one back, get_function shows it. Example:
    /// {"limit":5}
    #[tool(
        title = "Get history",
        annotations(
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    fn get_history(
        &self,
        Parameters(request): Parameters<GetHistory>,
    ) -> Result<Json<HistoryShown>, Fail> {
        Ok(Json(self.service().get_history(&request)?))
    }

    /// Brings a 3MF, STL, OBJ or .vm file into a project, as one change; tells what was repaired or left out. Ids of the file are
    /// kept where they are free. Example: {"path":"gyroid.3mf"}
    #[tool(
        title = "Import a file",
        annotations(
            read_only_hint = false,
            destructive_hint = false,
            idempotent_hint = false,
            open_world_hint = false
        )
    )]
    async fn import(
        &self,
        context: RequestContext<RoleServer>,
        Caller(origin): Caller,
        Parameters(request): Parameters<Import>,
    ) -> Result<Json<Imported>, Fail> {
        if request.is_quick() {
            return Ok(Json(self.service().import(&origin, request)?));
        }
        let done = self.later(&context, move |service, watch| {
            service.import_watched(&origin, request, watch)
        });
        Ok(Json(done.await?))
    }
}
