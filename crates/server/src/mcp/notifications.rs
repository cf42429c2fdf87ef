//! Notifications of changed resources: subscribers, and the task that follows the log for them.
//!
//! One task follows the log as long as there is a subscriber. It wakes on every write, by this process or another, and
//! then sleeps for a while: a burst of edits causes one notification, and its last edit always causes one. The pending
//! notifications of a subscriber are a set, so a slow one gets fewer and delays nobody.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fibula_service::{
    AffectedFunctionIds, AffectedFunctions, DEFAULT_PROJECT, Events, Refusal, Service,
};
use rmcp::ErrorData;
use tokio::sync::Notify;

use super::resources;
use crate::address::Address;

/// Minimal time between two reads of the log. At most a tenth of the time is spent on reading.
const PERIOD: Duration = Duration::from_millis(50);

/// Time before the log is read again after an error.
const RETRY: Duration = Duration::from_secs(1);

/// Maximum number of subscribers.
const MAX_SUBSCRIBERS: usize = 256;

/// Maximum number of addresses of a subscriber.
pub(super) const MAX_ADDRESSES: usize = 256;

/// Notifier of the subscribers of a service.
pub(super) struct Notifier {
    service: Arc<Service>,
    subscribers: Mutex<Subscribers>,
    /// Notified when the last subscriber has gone.
    last_left: Notify,
}

#[derive(Default)]
struct Subscribers {
    by_id: BTreeMap<u64, Arc<Subscriptions>>,
    last: u64,
    is_followed: bool,
}

/// A subscriber; its subscriptions end when it is dropped.
pub(super) struct Subscriber {
    notifier: Arc<Notifier>,
    id: u64,
    pub(super) subscriptions: Arc<Subscriptions>,
}

/// Subscriptions of a subscriber, and its pending notifications.
#[derive(Default)]
pub(super) struct Subscriptions {
    state: Mutex<SubscriptionState>,
    wake: Notify,
}

#[derive(Default)]
struct SubscriptionState {
    /// By the text that the subscriber sent.
    addresses: BTreeMap<String, Address>,
    list: bool,
    due: BTreeSet<Notification>,
}

/// A notification.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Notification {
    /// The list of resources has changed.
    List,
    /// The resource with this address has changed or no longer exists.
    Updated(String),
}

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Notifier {
    pub(super) fn new(service: Arc<Service>) -> Arc<Self> {
        Arc::new(Notifier {
            service,
            subscribers: Mutex::default(),
            last_left: Notify::new(),
        })
    }

    /// Registers a subscriber without subscriptions. It misses no change from now on.
    pub(super) fn subscriber(self: &Arc<Self>) -> Result<Subscriber, ErrorData> {
        let mut subscribers = locked(&self.subscribers);
        if subscribers.by_id.len() >= MAX_SUBSCRIBERS {
            let message = format!(
                "{MAX_SUBSCRIBERS} subscriptions are open, which is the limit; end one first"
            );
            return Err(ErrorData::invalid_request(message, None));
        }
        if !subscribers.is_followed {
            let unreadable =
                |refusal: Refusal| ErrorData::internal_error(refusal.to_string(), None);
            let events = self.service.events(None, None).map_err(unreadable)?;
            let projects = self.service.project_numbers().map_err(unreadable)?;
            let baseline = Baseline {
                projects,
                text: None,
                is_unknown: false,
            };
            tokio::spawn(follow_log(self.clone(), events, baseline));
            subscribers.is_followed = true;
        }
        subscribers.last += 1;
        let id = subscribers.last;
        let subscriptions = Arc::<Subscriptions>::default();
        subscribers.by_id.insert(id, subscriptions.clone());
        Ok(Subscriber {
            notifier: self.clone(),
            id,
            subscriptions,
        })
    }

    /// Returns true if there is no subscriber, so that the task can end.
    fn is_idle(&self) -> bool {
        let mut subscribers = locked(&self.subscribers);
        let over = subscribers.by_id.is_empty();
        if over {
            subscribers.is_followed = false;
        }
        over
    }

    fn subscribers(&self) -> Vec<Arc<Subscriptions>> {
        locked(&self.subscribers).by_id.values().cloned().collect()
    }
}

impl Drop for Subscriber {
    fn drop(&mut self) {
        let mut subscribers = locked(&self.notifier.subscribers);
        subscribers.by_id.remove(&self.id);
        if subscribers.by_id.is_empty() {
            self.notifier.last_left.notify_one();
        }
    }
}

impl Subscriptions {
    /// Subscribes to the list of resources.
    pub(super) fn add_list(&self) {
        locked(&self.state).list = true;
    }

    /// Subscribes to a resource; returns false if there are too many subscriptions.
    pub(super) fn add(&self, text: &str, address: Address) -> bool {
        let addresses = &mut locked(&self.state).addresses;
        let has_room = addresses.len() < MAX_ADDRESSES || addresses.contains_key(text);
        if has_room {
            addresses.insert(text.to_owned(), address);
        }
        has_room
    }

    /// Removes a subscription and its pending notification.
    pub(super) fn remove(&self, text: &str) {
        let mut state = locked(&self.state);
        state.addresses.remove(text);
        state.due.remove(&Notification::Updated(text.to_owned()));
    }

    /// Waits for the next notification.
    pub(super) async fn next(&self) -> Notification {
        loop {
            if let Some(due) = locked(&self.state).due.pop_first() {
                return due;
            }
            self.wake.notified().await;
        }
    }

    fn has_projects(&self) -> bool {
        let addresses = &locked(&self.state).addresses;
        addresses.values().any(|one| *one == Address::Projects)
    }

    fn enqueue(&self, changes: &ChangeSet) {
        let mut state = locked(&self.state);
        let SubscriptionState {
            addresses,
            list,
            due,
        } = &mut *state;
        if *list && (changes.list || changes.anything) {
            due.insert(Notification::List);
        }
        let concerned = addresses.iter().filter(|(_, one)| changes.affects(one));
        due.extend(concerned.map(|(text, _)| Notification::Updated(text.clone())));
        if !due.is_empty() {
            self.wake.notify_one();
        }
    }
}

/// State at the last read of the log.
struct Baseline {
    projects: Vec<(String, u64)>,
    /// Content of `fibula://projects`, if it is subscribed to.
    text: Option<String>,
    /// True if changes could not be read, so that anything may have changed.
    is_unknown: bool,
}

/// Changes since the last read of the log.
#[derive(Default)]
struct ChangeSet {
    /// Changed functions by project; `None` if any may have changed.
    reached: BTreeMap<Arc<str>, Option<AffectedFunctionIds>>,
    /// Names that denote another project now, or none.
    renamed: BTreeSet<String>,
    list: bool,
    projects: bool,
    anything: bool,
}

impl ChangeSet {
    /// Returns true if a project has changed, or its name denotes another.
    fn has_changed(&self, project: &str) -> bool {
        self.renamed.contains(project) || self.reached.contains_key(project)
    }

    fn affects(&self, address: &Address) -> bool {
        match address {
            Address::NodeType(_)
            | Address::CadTerms
            | Address::GraphSchema
            | Address::EditSchema
            | Address::KindSchema(_)
            | Address::Skill => false,
            _ if self.anything => true,
            Address::Projects => self.projects,
            Address::Summary(project)
            | Address::Structure(project)
            | Address::Graph(project)
            | Address::Schema(project) => self.has_changed(project),
            Address::GraphSummary | Address::Entities => self.has_changed(DEFAULT_PROJECT),
            // A part of a fixed revision never changes.
            Address::Part(make) if make.look.revision.is_some() => false,
            Address::Part(make) => {
                self.has_changed(make.look.project.as_deref().unwrap_or(DEFAULT_PROJECT))
            }
            Address::Function(project, id) => self.has_changed_functions(project, |it| {
                it.functions.contains(id) || it.tied.contains(id)
            }),
            Address::Picture(project, id) => {
                self.has_changed_functions(project, |it| it.functions.contains(id))
            }
        }
    }

    /// Returns true if changed functions of a project satisfy a condition, or its name denotes another.
    fn has_changed_functions(
        &self,
        project: &str,
        is_reached: impl Fn(&AffectedFunctionIds) -> bool,
    ) -> bool {
        let reached = self.reached.get(project);
        self.renamed.contains(project)
            || reached.is_some_and(|reached| reached.as_ref().is_none_or(is_reached))
    }
}

/// Notifies subscribers of changes until there are none.
async fn follow_log(notifier: Arc<Notifier>, mut events: Events, mut baseline: Baseline) {
    loop {
        let mut woken = Ok(());
        if !baseline.is_unknown {
            woken = tokio::select! {
                changed = events.changed() => changed,
                () = notifier.last_left.notified() => Ok(()),
            };
        }
        if notifier.is_idle() {
            return;
        }
        let started = Instant::now();
        match woken.and_then(|()| collect_changes(&notifier, &mut events, &mut baseline)) {
            Ok(changes) => {
                for subscriptions in notifier.subscribers() {
                    subscriptions.enqueue(&changes);
                }
                tokio::time::sleep(PERIOD.max(started.elapsed() * 10)).await;
            }
            Err(refusal) => {
                if !baseline.is_unknown {
                    tracing::error!(%refusal, "subscribers cannot be notified of changes for now");
                }
                baseline.is_unknown = true;
                tokio::time::sleep(RETRY).await;
            }
        }
    }
}

/// Reads the changes from the log.
///
/// New subscribers are notified of them as well, since the list of subscribers is read afterwards.
fn collect_changes(
    notifier: &Notifier,
    events: &mut Events,
    baseline: &mut Baseline,
) -> Result<ChangeSet, Refusal> {
    let service = &*notifier.service;
    let mut reaches: BTreeMap<Arc<str>, AffectedFunctions> = BTreeMap::new();
    while let Some(event) = events.ready()? {
        let reach = reaches.entry(event.project.clone()).or_default();
        reach.add(&event);
    }
    let mut changes = ChangeSet::default();
    let projects = service.project_numbers()?;
    if projects != baseline.projects {
        let (now, then): (BTreeSet<_>, BTreeSet<_>) = (
            projects.iter().collect(),
            baseline.projects.iter().collect(),
        );
        let renamed = now.symmetric_difference(&then);
        changes.renamed = renamed.map(|(name, _)| name.clone()).collect();
        changes.list = true;
        baseline.projects = projects;
    }
    let mut text = None;
    if notifier.subscribers().iter().any(|one| one.has_projects()) {
        text = Some(resources::projects_text(service)?);
    }
    changes.projects = text != baseline.text;
    baseline.text = text;
    for (project, reach) in reaches {
        let functions = service.affected_functions(&project, reach);
        changes.reached.insert(project, functions);
    }
    changes.anything = std::mem::take(&mut baseline.is_unknown);
    Ok(changes)
}
