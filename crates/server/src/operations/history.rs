//! The history of a project: reading it, undo and redo, restoring earlier states, compaction,
//! redaction.

use fibula_core::quote::quoted;
use fibula_nodes::names;
use fibula_service::{Checkpoint, Compact, GetHistory, Redact, Restore, Undo};

use super::{PROJECT, PROJECT_EXTRA, existing_project};
use crate::operation::{Effect, Operation};

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::quick(|call, request: GetHistory| call.service.get_history(&request))
            .get(
                "/api/projects/{project}/history",
                "get_history",
                "Lists the changes of a project, newest first",
            )
            .blocking()
            .with_tool(
                PROJECT,
                Effect::Read,
                "Lists the changes of a project, newest first: revision, time, client, tool and \
                 label.",
            ),
        Operation::quick(|call, request: Undo| call.service.undo(&call.origin, &request))
            .post(
                "/api/projects/{project}/undo",
                "undo",
                "Reverts a change: your own last one, anyone's last one or a given revision; or \
                 redoes it",
            )
            .blocking()
            .with_tool(
                PROJECT,
                Effect::Change,
                "Reverts your own last change; called again, the one before. A later change that is \
                 in_the_way is named: undo that first, or correct by hand. One apply_edits or \
                 import is one change. Example: {\"redo\":true}",
            )
            .with_title("Undo or redo"),
        Operation::quick(|call, request: Checkpoint| {
            call.service.checkpoint(&call.origin, &request)
        })
        .post(
            "/api/projects/{project}/checkpoints",
            "create_checkpoint",
            "Names the current state, so that it can be restored",
        )
        .tool(
            PROJECT_EXTRA,
            "checkpoint",
            "Name the current state",
            Effect::Add,
            "Names the current state, so that restore can return to it. Use it before a rework. \
             Example: {\"name\":\"before the holes\"}",
        ),
        Operation::long(|service, origin, request: Restore, _| service.restore(origin, &request))
            .post(
                "/api/projects/{project}/history/restore",
                "restore_state",
                "Restores the project to a revision or checkpoint, by one change that can be undone",
            )
            .blocking()
            .tool(
                PROJECT_EXTRA,
                "restore",
                "Restore an earlier state",
                Effect::Change,
                "Restores the project to a revision or checkpoint, whoever changed it since, by \
                 one change that can be undone. To revert single changes use undo. Example: \
                 {\"checkpoint\":\"before the holes\"}",
            ),
        Operation::long(|service, _, request: Compact, _| service.compact(&request)).tool(
            PROJECT_EXTRA,
            "compact",
            "Forget old history",
            Effect::Change,
            "Permanently deletes a project's history up to a revision; its current state is kept. \
             Earlier revisions can no longer be read or undone. Example: \
             {\"revision\":100,\"dry_run\":true}",
        )
        .asking(|service, request: &Compact| {
            let project = existing_project(service, request.project.as_deref())?;
            let range = match request.revision {
                Some(revision) => format!("up to revision {revision}"),
                None => "up to the last change".to_owned(),
            };
            (!request.dry_run).then(|| {
                format!(
                    "Permanently delete the history of the project {project} {range}? Earlier states can then no longer \
                     be read or restored."
                )
            })
        }),
        Operation::long(|service, _, request: Redact, _| service.redact(&request)).tool(
            PROJECT_EXTRA,
            "redact",
            "Remove a text from the history",
            Effect::Set,
            "Permanently removes a text from a project and all of its history: names, labels and \
             values that contain it. Use it for personal data. Example: {\"text\":\"Jane \
             Doe\",\"dry_run\":true}",
        )
        .asking(|service, request: &Redact| {
            let project = existing_project(service, request.project.as_deref())?;
            let shown = |text: &str| quoted(&names::visible(text, 100));
            let replacement = request.replacement.as_deref();
            let by = replacement.map_or(String::new(), |text| format!(", replaced by {}", shown(text)));
            (!request.dry_run).then(|| {
                format!(
                    "Permanently remove the text {} from the project {project} and all of its history{by}? This cannot \
                     be undone.",
                    shown(&request.text)
                )
            })
        }),
    ]
}
