//! Questions to the person (elicitation) before what no undo brings back, if the client can ask them.
//!
//! Since 2026-07-28 the question is the answer of the call, which the client repeats with the person's decision. Before, it is a
//! request of the server, which needs a connection, so that over HTTP it is not asked.

use std::collections::BTreeMap;
use std::time::Duration;

use fibula_service::Refusal;
use rmcp::RoleServer;
use rmcp::model::{
    CancelledNotificationParam, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationSchema, InputRequest, InputRequiredResult, InputResponses,
    ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// Time that a person has to decide over a connection.
const PATIENCE: Duration = Duration::from_secs(600);

/// Maximum number of questions that are open over a connection.
const MAX_OPEN: usize = 8;

/// Questions to the person over a connection.
pub(super) struct Questions {
    /// Cancelled when nothing more comes from the client.
    pub(super) input_ended: CancellationToken,
    open: Semaphore,
}

impl Default for Questions {
    fn default() -> Self {
        Questions {
            input_ended: CancellationToken::new(),
            open: Semaphore::new(MAX_OPEN),
        }
    }
}

/// What a call does next.
pub(super) enum Consent {
    /// It goes on: the person has agreed, or the client does not ask.
    Given,
    /// It answers with the question.
    Asked(InputRequiredResult),
}

/// Asks a question, unless `responses` of a repeated call decide it.
pub(super) async fn ask(
    question: String,
    responses: Option<&InputResponses>,
    context: &RequestContext<RoleServer>,
    questions: &Questions,
) -> Result<Consent, Refusal> {
    if !has_forms(context) {
        return Ok(Consent::Given);
    }
    // Since 2026-07-28 a request carries its version.
    let is_stateless = context.meta.protocol_version().is_some();
    let decision = if is_stateless {
        // A decision is one on this question: another call has another.
        let Some(response) = responses.and_then(|responses| responses.get(&question)) else {
            let request = InputRequest::Elicitation(request(&question));
            let requests = BTreeMap::from([(question, request)]);
            return Ok(Consent::Asked(InputRequiredResult::from_input_requests(
                requests,
            )));
        };
        serde_json::from_value(response.clone()).ok()
    } else {
        let Ok(_open) = questions.open.try_acquire() else {
            let reason = format!("{MAX_OPEN} questions are open");
            return Err(not_confirmed(&question, &reason));
        };
        let request = ServerRequest::ElicitRequest(request(&question));
        let mut options = PeerRequestOptions::no_options();
        // The client is told when the time is over.
        options.timeout = Some(PATIENCE);
        let asked = context
            .peer
            .send_cancellable_request(request, options)
            .await;
        let Ok(asked) = asked else {
            return Err(not_confirmed(&question, "the client cannot be asked"));
        };
        let id = asked.id.clone();
        tokio::select! {
            biased;
            response = asked.await_response() => match response {
                Ok(ClientResult::ElicitResult(decision)) => Some(decision),
                _ => None,
            },
            () = context.ct.cancelled() => {
                let reason = Some("the call was cancelled".to_owned());
                let closed = CancelledNotificationParam::new(Some(id), reason);
                // It fails only if the client has gone.
                let _ = context.peer.notify_cancelled(closed).await;
                return Err(Refusal::cancelled());
            }
            () = questions.input_ended.cancelled() => None,
        }
    };
    let reason = match decision {
        Some(ElicitResult {
            action: ElicitationAction::Accept,
            ..
        }) => return Ok(Consent::Given),
        Some(ElicitResult {
            action: ElicitationAction::Decline,
            ..
        }) => "the person declined",
        Some(_) => "the person did not decide",
        None => "the client did not return a decision",
    };
    Err(not_confirmed(&question, reason))
}

fn not_confirmed(question: &str, reason: &str) -> Refusal {
    let message = format!("nothing was changed, since {reason}: {question}");
    let hint = "do not repeat the call unless the person asks for it";
    Refusal::new("not_confirmed", message).hint(hint)
}

/// True if the client of a request shows forms; an empty capability is that of forms.
fn has_forms(context: &RequestContext<RoleServer>) -> bool {
    let capabilities = context.client_capabilities();
    let declared = capabilities.and_then(|capabilities| capabilities.elicitation);
    declared.is_some_and(|modes| modes.form.is_some() || modes.url.is_none())
}

/// A form without fields: to accept it is to agree.
fn request(question: &str) -> ElicitRequest {
    ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question.to_owned(),
        requested_schema: ElicitationSchema::new(BTreeMap::new()),
    })
}
