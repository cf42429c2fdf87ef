//! The history of a project: reading it, and going back and forth in it.

use axum::http::Method;
use fibula_service::{Checkpoint, GetHistory, Restore, Undo};

use super::route::Route;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::quick(
            Method::GET,
            "/api/projects/{project}/history",
            "get_history",
            "Lists the changes of a project, the newest first",
            |call, request: GetHistory| call.service.get_history(&request),
        )
        .apart(),
        Route::quick(
            Method::POST,
            "/api/projects/{project}/undo",
            "undo",
            "Takes a change back: your own last one, anyone's last one or a certain one; or does it again",
            |call, request: Undo| call.service.undo(&call.origin, &request),
        )
        .apart(),
        Route::quick(
            Method::POST,
            "/api/projects/{project}/checkpoints",
            "create_checkpoint",
            "Gives the present state a name, to which it can be restored",
            |call, request: Checkpoint| call.service.checkpoint(&call.origin, &request),
        ),
        Route::quick(
            Method::POST,
            "/api/projects/{project}/history/restore",
            "restore_state",
            "Makes the project what it was at a revision or checkpoint, by one change that can be undone",
            |call, request: Restore| call.service.restore(&call.origin, &request),
        )
        .apart(),
    ]
}
