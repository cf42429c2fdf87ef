//! The history of a project: reading it, undo and redo, restoring earlier states, forgetting.

use fibula_service::{Checkpoint, Compact, GetHistory, Redact, Restore, Undo};

use super::{PROJECT, PROJECT_EXTRA};
use crate::operation::{Effect, Operation};

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::quick(|call, request: GetHistory| call.service.get_history(&request))
            .get(
                "/api/projects/{project}/history",
                "get_history",
                "Lists the changes of a project, the newest first",
            )
            .blocking()
            .with_tool(
                PROJECT,
                Effect::Read,
                "Lists the changes of a project, the newest first: revision, time, client, tool \
                 and what was done. Use it to see what others did, or to find a revision: undo \
                 takes one back, get_function shows it. Example: {\"limit\":5}",
            ),
        Operation::quick(|call, request: Undo| call.service.undo(&call.origin, &request))
            .post(
                "/api/projects/{project}/undo",
                "undo",
                "Takes a change back: your own last one, anyone's last one or a certain one; or \
                 does it again",
            )
            .blocking()
            .with_tool(
                PROJECT,
                Effect::Change,
                "Takes back your own last step (those of your client's name), and when called \
                 again the one before. redo brings the last undone one back. anyone: true takes \
                 back the last step whoever made it, revision a certain one. A later change that \
                 is in_the_way is named with its revision and author: take that back first, or \
                 mend by hand. One apply_edits or import is one step. Example: {} or \
                 {\"redo\":true}",
            )
            .with_title("Undo or redo"),
        Operation::quick(|call, request: Checkpoint| {
            call.service.checkpoint(&call.origin, &request)
        })
        .post(
            "/api/projects/{project}/checkpoints",
            "create_checkpoint",
            "Gives the present state a name, to which it can be restored",
        )
        .tool(
            PROJECT_EXTRA,
            "checkpoint",
            "Name the present state",
            Effect::Add,
            "Gives the present state a name, to which restore can go back. Use it before a \
             rework. Example: {\"name\":\"before the holes\"}",
        ),
        Operation::long(|service, origin, request: Restore, _| service.restore(origin, &request))
            .post(
                "/api/projects/{project}/history/restore",
                "restore_state",
                "Makes the project what it was at a revision or checkpoint, by one change that \
                 can be undone",
            )
            .blocking()
            .tool(
                PROJECT_EXTRA,
                "restore",
                "Restore an earlier state",
                Effect::Change,
                "Makes the project what it was at a revision or checkpoint, whoever changed it \
                 since, by one change that undo takes back. To take back single steps use undo. \
                 Example: {\"checkpoint\":\"before the holes\"}",
            ),
        Operation::long(|service, _, request: Compact, _| service.compact(&request)).tool(
            PROJECT_EXTRA,
            "compact",
            "Forget old history",
            Effect::Change,
            "Forgets a project's history up to a revision, for good; what the project is \
             stays. Nothing before can be undone or read any more. Example: \
             {\"revision\":100,\"dry_run\":true}",
        ),
        Operation::long(|service, _, request: Redact, _| service.redact(&request)).tool(
            PROJECT_EXTRA,
            "redact",
            "Take a text out of the history",
            Effect::Set,
            "Takes a text out of a project and all of its history, for good: names, labels \
             and values that hold it. Use it for personal data. Example: {\"text\":\"Jane \
             Doe\",\"dry_run\":true}",
        ),
    ]
}
