//! Subscriptions to resources, as both eras of the protocol have them.
//!
//! Since 2026-07-28 `subscriptions/listen` is a request whose answer is the stream of notifications, so it works over
//! every transport. Before, `resources/subscribe` has them sent to the connection at any time: over stdio there is one;
//! over HTTP there would have to be a session, which this server does not keep, so there it is not offered.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::request::Parts;
use rmcp::model::{
    ErrorCode, ResourceUpdatedNotificationParam, ServerCapabilities, SubscriptionFilter,
};
use rmcp::service::{Peer, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer};
use tokio::sync::Semaphore;
use tokio::task::{self, JoinHandle};

use super::news::{Due, MOST_ADDRESSES, News, Reader, Subscriber};
use super::resources;
use super::server::Server;

/// The most streams that a connection may listen to at once.
const MOST_STREAMS: usize = 16;

/// What a connection is subscribed to; all of it ends with the connection.
pub(super) struct Connection {
    streams: Semaphore,
    /// The subscribers of streams that are just being acknowledged, by the tasks that do it. They are there before the
    /// acknowledgment, so that nothing that comes after it is missed.
    early: Mutex<HashMap<task::Id, Subscriber>>,
    told: Mutex<Option<Told>>,
}

/// A subscriber that is told by notifications of their own.
struct Told {
    subscriber: Subscriber,
    teller: JoinHandle<()>,
}

impl Default for Connection {
    fn default() -> Self {
        Connection {
            streams: Semaphore::new(MOST_STREAMS),
            early: Mutex::default(),
            told: Mutex::default(),
        }
    }
}

/// A copy of a server serves another connection.
impl Clone for Connection {
    fn clone(&self) -> Self {
        Connection::default()
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        self.teller.abort();
    }
}

impl Connection {
    fn early(&self) -> MutexGuard<'_, HashMap<task::Id, Subscriber>> {
        self.early.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what the connection's subscriber wants; there is one from then on.
    pub(super) fn wants<T>(
        &self,
        news: &Arc<News>,
        peer: &Peer<RoleServer>,
        change: impl FnOnce(&Reader) -> Result<T, ErrorData>,
    ) -> Result<T, ErrorData> {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let told = match &mut *told {
            Some(told) => told,
            none => {
                let subscriber = news.subscriber()?;
                let teller = tokio::spawn(tell(peer.clone(), subscriber.reader().clone()));
                none.insert(Told { subscriber, teller })
            }
        };
        change(told.subscriber.reader())
    }
}

/// Tells a connection what it wants to know, until it is gone.
async fn tell(peer: Peer<RoleServer>, reader: Arc<Reader>) {
    loop {
        let told = match reader.due().await {
            Due::List => peer.notify_resource_list_changed().await,
            Due::Updated(address) => {
                let update = ResourceUpdatedNotificationParam::new(address);
                peer.notify_resource_updated(update).await
            }
        };
        if told.is_err() {
            return;
        }
    }
}

/// Refuses the older sort of subscription where nothing can be told.
pub(super) fn needs_connection(
    method: &str,
    context: &RequestContext<RoleServer>,
) -> Result<(), ErrorData> {
    if context.extensions.get::<Parts>().is_none() {
        return Ok(());
    }
    let message = format!(
        "{method} is not offered over HTTP: without sessions there is nowhere to send notifications to; use \
         subscriptions/listen of protocol 2026-07-28, or stdio"
    );
    Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None))
}

/// What is offered to a client of the older era.
pub(super) fn offered(capabilities: &mut ServerCapabilities, context: &RequestContext<RoleServer>) {
    let over_http = context.extensions.get::<Parts>().is_some();
    if let (true, Some(resources)) = (over_http, &mut capabilities.resources) {
        (resources.subscribe, resources.list_changed) = (None, None);
    }
}

impl Server {
    /// What of the wanted notifications a stream will have: resources that are not there are left out.
    pub(super) fn accepted(&self, requested: &SubscriptionFilter) -> SubscriptionFilter {
        let subscriber = self.news().subscriber().ok();
        let mut accepted = SubscriptionFilter::new();
        if requested.resources_list_changed == Some(true) {
            accepted.resources_list_changed = Some(true);
            if let Some(subscriber) = &subscriber {
                subscriber.reader().want_list();
            }
        }
        let mut there = Vec::new();
        for text in requested.resource_subscriptions.iter().flatten() {
            let Ok(address) = resources::find(self.service(), text) else {
                continue;
            };
            if there.len() == MOST_ADDRESSES {
                break;
            }
            if let Some(subscriber) = &subscriber {
                subscriber.reader().want(text, address);
            }
            there.push(text.clone());
        }
        accepted.resource_subscriptions = (!there.is_empty()).then_some(there);
        if let (Some(id), Some(subscriber)) = (task::try_id(), subscriber) {
            self.connection().early().insert(id, subscriber);
        }
        accepted
    }

    /// Tells a stream what it wants to know, until it is cancelled.
    pub(super) async fn serve_stream(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let early = task::try_id().and_then(|id| self.connection().early().remove(&id));
        let Ok(_place) = self.connection().streams.try_acquire() else {
            let message = format!(
                "this connection listens to {MOST_STREAMS} streams, which is the limit; cancel one first"
            );
            return Err(ErrorData::invalid_request(message, None));
        };
        let subscriber = match early {
            Some(subscriber) => subscriber,
            // There were too many, which is said now.
            None => self.news().subscriber()?,
        };
        if *context.accepted() == SubscriptionFilter::new() {
            // It would never be told anything: better to say why.
            let mut refused = context.requested().resource_subscriptions.iter().flatten();
            if let Some(text) = refused.next() {
                resources::find(self.service(), text)?;
            }
        }
        loop {
            let told = async {
                match subscriber.reader().due().await {
                    Due::List => context.sink().notify_resource_list_changed().await,
                    Due::Updated(address) => context.sink().notify_resource_updated(address).await,
                }
            };
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                told = told => if told.is_err() {
                    return Ok(());
                },
            }
        }
    }
}
