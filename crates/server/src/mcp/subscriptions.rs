//! Subscriptions to resources, as both eras of the protocol have them.
//!
//! Since 2026-07-28 `subscriptions/listen` is a request whose answer is the stream of notifications, so it works over
//! every transport. Before, `resources/subscribe` has them sent to the connection at any time: over stdio there is one;
//! over HTTP there would have to be a session, which this server does not keep, so there it is not offered.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::http::request::Parts;
use rmcp::model::{
    ErrorCode, ResourceUpdatedNotificationParam, ServerCapabilities, SubscriptionFilter,
    TASKS_EXTENSION_ID,
};
use rmcp::service::{Peer, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer};
use tokio::sync::Semaphore;
use tokio::task::{self, JoinHandle};

use super::confirm::Questions;
use super::logging::LevelOfConnection;
use super::notifications::{
    MAX_ADDRESSES, Notification, Notifier, Subscriber, Subscriptions, locked,
};
use super::resources;
use super::server::Server;

/// Maximum number of streams that a connection may listen to at once.
const MAX_STREAMS: usize = 16;

/// Subscriptions of a connection, which end with it.
pub(super) struct Connection {
    pub(super) log_level: LevelOfConnection,
    pub(super) questions: Questions,
    streams: Semaphore,
    /// Subscribers of streams that are being acknowledged, by task. They are registered before the acknowledgement, so
    /// that no change after it is missed.
    acknowledging: Mutex<HashMap<task::Id, Subscriber>>,
    subscriber: Mutex<Option<ConnectionSubscriber>>,
}

/// A subscriber whose notifications are sent to the connection.
struct ConnectionSubscriber {
    subscriber: Subscriber,
    task: JoinHandle<()>,
}

impl Default for Connection {
    fn default() -> Self {
        Connection {
            log_level: LevelOfConnection::default(),
            questions: Questions::default(),
            streams: Semaphore::new(MAX_STREAMS),
            acknowledging: Mutex::default(),
            subscriber: Mutex::default(),
        }
    }
}

/// A clone of a server serves another connection.
impl Clone for Connection {
    fn clone(&self) -> Self {
        Connection::default()
    }
}

impl Drop for ConnectionSubscriber {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Connection {
    fn acknowledging(&self) -> MutexGuard<'_, HashMap<task::Id, Subscriber>> {
        locked(&self.acknowledging)
    }

    /// Changes the subscriptions of the connection's subscriber, which is created if there is none.
    pub(super) fn subscribe<T>(
        &self,
        notifier: &Arc<Notifier>,
        peer: &Peer<RoleServer>,
        change: impl FnOnce(&Subscriptions) -> Result<T, ErrorData>,
    ) -> Result<T, ErrorData> {
        let mut slot = locked(&self.subscriber);
        let own = match &mut *slot {
            Some(own) => own,
            none => {
                let subscriber = notifier.subscriber()?;
                let task = tokio::spawn(forward(peer.clone(), subscriber.subscriptions.clone()));
                none.insert(ConnectionSubscriber { subscriber, task })
            }
        };
        change(&own.subscriber.subscriptions)
    }
}

/// Forwards notifications to a connection until it is closed.
async fn forward(peer: Peer<RoleServer>, subscriptions: Arc<Subscriptions>) {
    loop {
        let sent = match subscriptions.next().await {
            Notification::List => peer.notify_resource_list_changed().await,
            Notification::Updated(address) => {
                let update = ResourceUpdatedNotificationParam::new(address);
                peer.notify_resource_updated(update).await
            }
        };
        if sent.is_err() {
            return;
        }
    }
}

/// Rejects subscriptions of the older era where no notification can be sent.
pub(super) fn require_connection(
    method: &str,
    context: &RequestContext<RoleServer>,
) -> Result<(), ErrorData> {
    if context.extensions.get::<Parts>().is_none() {
        return Ok(());
    }
    let message = format!(
        "{method} is not offered over HTTP: without sessions notifications cannot be delivered; use \
         subscriptions/listen of protocol 2026-07-28, or stdio"
    );
    Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None))
}

/// Removes subscriptions from the capabilities of the older era where no notification can be sent.
pub(super) fn adjust_capabilities(
    capabilities: &mut ServerCapabilities,
    context: &RequestContext<RoleServer>,
) {
    let over_http = context.extensions.get::<Parts>().is_some();
    if let (true, Some(resources)) = (over_http, &mut capabilities.resources) {
        (resources.subscribe, resources.list_changed) = (None, None);
    }
    if over_http {
        capabilities.logging = None;
    }
    // Without a session nobody knows later that the client takes tasks.
    if let (true, Some(extensions)) = (over_http, &mut capabilities.extensions) {
        extensions.remove(TASKS_EXTENSION_ID);
    }
}

impl Server {
    /// Returns the notifications that a stream will have: those of resources that exist.
    pub(super) fn accepted(&self, requested: &SubscriptionFilter) -> SubscriptionFilter {
        let subscriber = self.notifier.subscriber().ok();
        let mut accepted = SubscriptionFilter::new();
        if requested.resources_list_changed == Some(true) {
            accepted.resources_list_changed = Some(true);
            if let Some(subscriber) = &subscriber {
                subscriber.subscriptions.add_list();
            }
        }
        let mut there = Vec::new();
        for text in requested.resource_subscriptions.iter().flatten() {
            let Ok(address) = resources::find(&self.service, text) else {
                continue;
            };
            if there.len() == MAX_ADDRESSES {
                break;
            }
            if let Some(subscriber) = &subscriber {
                subscriber.subscriptions.add(text, address);
            }
            there.push(text.clone());
        }
        accepted.resource_subscriptions = (!there.is_empty()).then_some(there);
        if let (Some(id), Some(subscriber)) = (task::try_id(), subscriber) {
            self.connection.acknowledging().insert(id, subscriber);
        }
        accepted
    }

    /// Forwards notifications to a stream until it is cancelled.
    pub(super) async fn serve_stream(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let acknowledging =
            task::try_id().and_then(|id| self.connection.acknowledging().remove(&id));
        let Ok(_place) = self.connection.streams.try_acquire() else {
            let message = format!(
                "this connection listens to {MAX_STREAMS} streams, which is the limit; cancel one first"
            );
            return Err(ErrorData::invalid_request(message, None));
        };
        let subscriber = match acknowledging {
            Some(subscriber) => subscriber,
            // There were too many subscribers; this reports the error.
            None => self.notifier.subscriber()?,
        };
        if *context.accepted() == SubscriptionFilter::new() {
            // The stream would have no notification: report the reason.
            let mut refused = context.requested().resource_subscriptions.iter().flatten();
            if let Some(text) = refused.next() {
                resources::find(&self.service, text)?;
            }
        }
        loop {
            let sent = async {
                match subscriber.subscriptions.next().await {
                    Notification::List => context.sink().notify_resource_list_changed().await,
                    Notification::Updated(address) => {
                        context.sink().notify_resource_updated(address).await
                    }
                }
            };
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                sent = sent => if sent.is_err() {
                    return Ok(());
                },
            }
        }
    }
}
