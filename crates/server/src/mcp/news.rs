//! News: who subscribed to what, and who is to be told of changes.
//!
//! One task follows the log for all subscribers, as long as there is one. It looks when something was written, by this
//! process or another, and then not again for a while: a burst of edits is told once, and its last edit is always told.
//! What a subscriber has not been told yet is a set, so one that is slow is told less often and holds nothing up.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fibula_service::{DEFAULT_PROJECT, Events, Reach, ReachedFunctions, Refusal, Service};
use rmcp::ErrorData;
use tokio::sync::Notify;

use super::address::Address;
use super::resources;

/// How long it is before it is looked again. Looking takes no more than a tenth of the time, however long it takes.
const PERIOD: Duration = Duration::from_millis(50);

/// How long it is before it is looked again where the log could not be read.
const RETRY: Duration = Duration::from_secs(1);

/// The most subscribers at once.
const MOST_SUBSCRIBERS: usize = 256;

/// The most addresses of a subscriber.
pub(super) const MOST_ADDRESSES: usize = 256;

/// The subscribers of a service.
pub(super) struct News {
    service: Arc<Service>,
    readers: Mutex<Readers>,
    /// Told when the last subscriber has gone.
    left: Notify,
}

#[derive(Default)]
struct Readers {
    by_number: BTreeMap<u64, Arc<Reader>>,
    last: u64,
    followed: bool,
}

/// A subscriber; its subscriptions end with it.
pub(super) struct Subscriber {
    news: Arc<News>,
    number: u64,
    reader: Arc<Reader>,
}

/// What a subscriber wants to be told, and what it has not been told yet.
#[derive(Default)]
pub(super) struct Reader {
    wanted: Mutex<Wanted>,
    wake: Notify,
}

#[derive(Default)]
struct Wanted {
    /// As the subscriber writes them.
    addresses: BTreeMap<String, Address>,
    list: bool,
    due: BTreeSet<Due>,
}

/// Something that a subscriber is to be told.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Due {
    /// The list of resources is another one.
    List,
    /// The resource with this address reads differently, or is there no more.
    Updated(String),
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl News {
    pub(super) fn new(service: Arc<Service>) -> Arc<Self> {
        Arc::new(News {
            service,
            readers: Mutex::default(),
            left: Notify::new(),
        })
    }

    /// A new subscriber, which wants nothing yet. Whatever is written from now on it can be told.
    pub(super) fn subscriber(self: &Arc<Self>) -> Result<Subscriber, ErrorData> {
        let mut readers = locked(&self.readers);
        if readers.by_number.len() >= MOST_SUBSCRIBERS {
            let message = format!(
                "{MOST_SUBSCRIBERS} subscriptions are open, which is the limit; end one first"
            );
            return Err(ErrorData::invalid_request(message, None));
        }
        if !readers.followed {
            let unreadable =
                |refusal: Refusal| ErrorData::internal_error(refusal.to_string(), None);
            let events = self.service.events(None, None).map_err(unreadable)?;
            let projects = self.service.project_numbers().map_err(unreadable)?;
            let seen = Seen {
                projects,
                text: None,
                missed: false,
            };
            tokio::spawn(follow(self.clone(), events, seen));
            readers.followed = true;
        }
        readers.last += 1;
        let number = readers.last;
        let reader = Arc::<Reader>::default();
        readers.by_number.insert(number, reader.clone());
        Ok(Subscriber {
            news: self.clone(),
            number,
            reader,
        })
    }

    /// Whether nobody is subscribed any more, so that nothing needs to be followed.
    fn is_over(&self) -> bool {
        let mut readers = locked(&self.readers);
        let over = readers.by_number.is_empty();
        if over {
            readers.followed = false;
        }
        over
    }

    fn readers(&self) -> Vec<Arc<Reader>> {
        locked(&self.readers).by_number.values().cloned().collect()
    }
}

impl Drop for Subscriber {
    fn drop(&mut self) {
        let mut readers = locked(&self.news.readers);
        readers.by_number.remove(&self.number);
        if readers.by_number.is_empty() {
            self.news.left.notify_one();
        }
    }
}

impl Subscriber {
    pub(super) fn reader(&self) -> &Arc<Reader> {
        &self.reader
    }
}

impl Reader {
    /// Wants to be told of changes of the list of resources.
    pub(super) fn want_list(&self) {
        locked(&self.wanted).list = true;
    }

    /// Wants to be told of changes of a resource; gives whether that is one among not too many.
    pub(super) fn want(&self, text: &str, address: Address) -> bool {
        let addresses = &mut locked(&self.wanted).addresses;
        let few = addresses.len() < MOST_ADDRESSES || addresses.contains_key(text);
        if few {
            addresses.insert(text.to_owned(), address);
        }
        few
    }

    /// Does not want it any more.
    pub(super) fn want_no_more(&self, text: &str) {
        let mut wanted = locked(&self.wanted);
        wanted.addresses.remove(text);
        wanted.due.remove(&Due::Updated(text.to_owned()));
    }

    /// Waits for the next that is to be told.
    pub(super) async fn due(&self) -> Due {
        loop {
            if let Some(due) = locked(&self.wanted).due.pop_first() {
                return due;
            }
            self.wake.notified().await;
        }
    }

    fn wants_projects(&self) -> bool {
        let wanted = locked(&self.wanted);
        wanted
            .addresses
            .values()
            .any(|address| *address == Address::Projects)
    }

    fn tell(&self, changes: &Changes) {
        let mut wanted = locked(&self.wanted);
        let Wanted {
            addresses,
            list,
            due,
        } = &mut *wanted;
        if *list && (changes.list || changes.anything) {
            due.insert(Due::List);
        }
        let concerned = addresses
            .iter()
            .filter(|(_, address)| changes.concern(address));
        due.extend(concerned.map(|(text, _)| Due::Updated(text.clone())));
        if !due.is_empty() {
            self.wake.notify_one();
        }
    }
}

/// What was the case when it was looked last.
struct Seen {
    projects: Vec<(String, u64)>,
    /// What `fibula://projects` said, if somebody wants to know.
    text: Option<String>,
    /// Whether changes could not be read, so that there may have been any.
    missed: bool,
}

/// What changed since it was looked last.
#[derive(Default)]
struct Changes {
    /// The functions that read differently, by project; `None` if that may be any.
    reached: BTreeMap<Arc<str>, Option<ReachedFunctions>>,
    /// Names that mean another project now, or none.
    renamed: BTreeSet<String>,
    list: bool,
    projects: bool,
    anything: bool,
}

impl Changes {
    /// Whether a project is another, or reads differently.
    fn is_other(&self, project: &str) -> bool {
        self.renamed.contains(project) || self.reached.contains_key(project)
    }

    fn concern(&self, address: &Address) -> bool {
        match address {
            Address::NodeType(_) | Address::GraphSchema => false,
            _ if self.anything => true,
            Address::Projects => self.projects,
            Address::Summary(project)
            | Address::Structure(project)
            | Address::Graph(project)
            | Address::Schema(project) => self.is_other(project),
            Address::GraphSummary => self.is_other(DEFAULT_PROJECT),
            // What is made of a certain revision never changes.
            Address::Part(make) if make.look.revision.is_some() => false,
            Address::Part(make) => {
                self.is_other(make.look.project.as_deref().unwrap_or(DEFAULT_PROJECT))
            }
            Address::Function(project, id) => self.reaches(project, |it| {
                it.functions.contains(id) || it.tied.contains(id)
            }),
            Address::Picture(project, id) => self.reaches(project, |it| it.functions.contains(id)),
        }
    }

    /// Whether a project is another, or what is reached in it is so.
    fn reaches(&self, project: &str, is_reached: impl Fn(&ReachedFunctions) -> bool) -> bool {
        let reached = self.reached.get(project);
        self.renamed.contains(project)
            || reached.is_some_and(|reached| reached.as_ref().is_none_or(is_reached))
    }
}

/// Tells subscribers of changes until there are none.
async fn follow(news: Arc<News>, mut events: Events, mut seen: Seen) {
    loop {
        let mut woken = Ok(());
        if !seen.missed {
            woken = tokio::select! {
                changed = events.changed() => changed,
                () = news.left.notified() => Ok(()),
            };
        }
        if news.is_over() {
            return;
        }
        let begun = Instant::now();
        match woken.and_then(|()| look(&news, &mut events, &mut seen)) {
            Ok(changes) => {
                for reader in news.readers() {
                    reader.tell(&changes);
                }
                tokio::time::sleep(PERIOD.max(begun.elapsed() * 10)).await;
            }
            Err(refusal) => {
                if !seen.missed {
                    tracing::error!(%refusal, "subscribers cannot be told of changes for now");
                }
                seen.missed = true;
                tokio::time::sleep(RETRY).await;
            }
        }
    }
}

/// Finds out what changed.
///
/// Who subscribes meanwhile is told of it as well, since readers are asked for afterwards.
fn look(news: &News, events: &mut Events, seen: &mut Seen) -> Result<Changes, Refusal> {
    let service = &*news.service;
    let mut reaches: BTreeMap<Arc<str>, Reach> = BTreeMap::new();
    while let Some(event) = events.ready()? {
        let reach = reaches.entry(event.project.clone()).or_default();
        reach.add(&event);
    }
    let mut changes = Changes::default();
    let projects = service.project_numbers()?;
    if projects != seen.projects {
        let (now, then): (BTreeSet<_>, BTreeSet<_>) =
            (projects.iter().collect(), seen.projects.iter().collect());
        let renamed = now.symmetric_difference(&then);
        changes.renamed = renamed.map(|(name, _)| name.clone()).collect();
        changes.list = true;
        seen.projects = projects;
    }
    let mut text = None;
    if news.readers().iter().any(|reader| reader.wants_projects()) {
        text = Some(resources::projects_text(service)?);
    }
    changes.projects = text != seen.text;
    seen.text = text;
    for (project, reach) in reaches {
        let functions = service.reached(&project, reach);
        changes.reached.insert(project, functions);
    }
    changes.anything = std::mem::take(&mut seen.missed);
    Ok(changes)
}
