//! Log messages to clients: the outcome of each of their calls.
//!
//! Since 2026-07-28 a request names the lowest level that its client wants. Before, `logging/setLevel` sets it for the
//! connection, so that over HTTP there is none.

#![expect(
    deprecated,
    reason = "the protocol is to lose log messages, but clients of both revisions still ask for them"
)]

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use rmcp::RoleServer;
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use rmcp::service::{Peer, RequestContext};
use serde_json::json;

use crate::metrics::{self, RunningCall};

/// A value above all levels.
const NONE: u8 = u8::MAX;

/// The lowest level that a connection wants; [`NONE`] before its client has set one.
#[derive(Debug)]
pub(super) struct LevelOfConnection(AtomicU8);

impl Default for LevelOfConnection {
    fn default() -> Self {
        LevelOfConnection(AtomicU8::new(NONE))
    }
}

impl LevelOfConnection {
    pub(super) fn set(&self, level: LoggingLevel) {
        self.0.store(level as u8, Relaxed);
    }
}

/// A client that wants the outcome of a call if it is of this level or above.
pub(super) struct Listener {
    level: u8,
    peer: Peer<RoleServer>,
}

impl Listener {
    /// Returns the client of a request, if it wants log messages.
    pub(super) fn of(
        connection: &LevelOfConnection,
        context: &RequestContext<RoleServer>,
    ) -> Option<Self> {
        let named = context.meta.log_level().map(|level| level as u8);
        let level = named.unwrap_or_else(|| connection.0.load(Relaxed));
        (level != NONE).then(|| Listener {
            level,
            peer: context.peer.clone(),
        })
    }

    /// Sends the outcome of a call.
    pub(super) async fn send(&self, call: &RunningCall, request: &str) {
        let outcome = call.outcome();
        let level = match outcome {
            metrics::OK | metrics::TASK | metrics::ASKED => LoggingLevel::Info,
            "internal" => LoggingLevel::Error,
            _ => LoggingLevel::Warning,
        };
        if (level as u8) < self.level {
            return;
        }
        let data = json!({
            "tool": call.operation(), "outcome": outcome, "ms": call.milliseconds(), "request": request
        });
        let message = LoggingMessageNotificationParam::new(level, data).with_logger("fibula");
        // It fails only if the client has gone.
        let _ = self.peer.notify_logging_message(message).await;
    }
}
