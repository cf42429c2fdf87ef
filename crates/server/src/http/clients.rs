//! Limits of what one client may use, by its address: requests per second, requests in progress, the time of work on them, and the
//! memory of their messages.
//!
//! The rate is that of a token bucket: it fills at the rate, and holds what comes in two seconds. The time of work is another,
//! which holds that of a minute. What a request took is known when it is done, so that the bucket may be overdrawn; its client then
//! waits until it has filled again.

use std::collections::HashMap;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use axum::http::Extensions;
use fibula_service::Refusal;

/// Time in which an empty bucket fills.
const BURST: Duration = Duration::from_secs(2);

/// Time for which the limit of work holds.
const MINUTE: f64 = 60.0;

/// Number of clients above which those that are idle are forgotten.
const MANY: usize = 4096;

/// Number of requests about earlier work that a client may have in progress beyond its limit.
const SPARE: u32 = 2;

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Work,
    /// It asks how far earlier work is, or ends it, which a client may do that has used up all it may.
    EarlierWork,
}

/// Limits of each client.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClientLimits {
    /// Requests per second.
    pub rate: Option<NonZeroU32>,
    /// Requests that are worked on at a time.
    pub calls: Option<NonZeroU32>,
    /// Seconds of work on its requests per minute, of all of them together.
    pub seconds: Option<NonZeroU32>,
    /// Memory in MiB of the messages that are worked on.
    pub memory: Option<NonZeroU32>,
}

/// Address of the client of a request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peer(pub(super) IpAddr);

impl Peer {
    /// Returns the address by which a client is counted: of IPv6 the network, all of which one machine usually has.
    fn network(self) -> IpAddr {
        match self.0.to_canonical() {
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                IpAddr::from([a, b, c, d, 0, 0, 0, 0])
            }
            address @ IpAddr::V4(_) => address,
        }
    }
}

/// The clients that have sent something lately.
#[derive(Debug)]
pub(super) struct Clients {
    limits: ClientLimits,
    known: Mutex<HashMap<IpAddr, Client>>,
}

#[derive(Debug)]
struct Client {
    /// Requests that may come at once.
    tokens: f64,
    filled: Instant,
    /// Requests in progress.
    running: u32,
    /// Seconds of work that are left; negative if it is overdrawn.
    seconds: f64,
    counted: Instant,
    /// Bytes of memory of the messages in progress.
    memory: usize,
}

impl Client {
    fn new(now: Instant) -> Self {
        Client {
            tokens: f64::INFINITY,
            filled: now,
            running: 0,
            seconds: f64::INFINITY,
            counted: now,
            memory: 0,
        }
    }

    /// Returns the seconds of work that are left, of so many per minute.
    fn seconds_left(&mut self, limit: f64, now: Instant) -> f64 {
        let gained = now.saturating_duration_since(self.counted).as_secs_f64() * limit / MINUTE;
        self.seconds = limit.min(self.seconds + gained);
        self.counted = now;
        self.seconds
    }

    /// True if its buckets are full, so that nothing is lost when it is forgotten.
    fn is_idle(&mut self, limits: ClientLimits, now: Instant) -> bool {
        let is_rested = limits.seconds.is_none_or(|limit| {
            let limit = f64::from(limit.get());
            self.seconds_left(limit, now) >= limit
        });
        self.running == 0 && now.saturating_duration_since(self.filled) >= BURST && is_rested
    }
}

/// A client and its limits, for the messages of a batch.
#[derive(Debug, Clone)]
pub(crate) struct Allowance {
    pub(super) clients: Arc<Clients>,
    pub(super) peer: Peer,
}

/// The permit of a request, in its extensions. Work that may go on after the response has begun holds the permit; the extensions
/// themselves do not, since streams of events keep them.
#[derive(Debug, Clone, Default)]
pub(crate) struct PermitOfRequest(pub(super) Weak<CallPermit>);

impl PermitOfRequest {
    /// Holds the permit of a request with these extensions, if it has one.
    pub(crate) fn hold(extensions: &Extensions) -> Option<Arc<CallPermit>> {
        extensions.get::<PermitOfRequest>()?.0.upgrade()
    }
}

/// Permit of a request that is worked on, until it is dropped.
#[derive(Debug)]
pub(crate) struct CallPermit {
    clients: Arc<Clients>,
    network: IpAddr,
    begun: Instant,
    memory: usize,
}

impl Clients {
    /// Creates the clients, or `None` if nothing is limited.
    pub(super) fn new(limits: ClientLimits) -> Option<Arc<Self>> {
        let clients = || Clients {
            limits,
            known: Mutex::default(),
        };
        (limits != ClientLimits::default()).then(|| Arc::new(clients()))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, Client>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `change` with a client, which is known from now on.
    fn change<T>(&self, network: IpAddr, now: Instant, change: impl FnOnce(&mut Client) -> T) -> T {
        let mut known = self.lock();
        if known.len() >= MANY && !known.contains_key(&network) {
            known.retain(|_, client| !client.is_idle(self.limits, now));
            if known.len() >= MANY {
                // More than one machine is at work; better to forget their requests than to remember without end.
                known.retain(|_, client| client.running > 0);
            }
        }
        change(known.entry(network).or_insert_with(|| Client::new(now)))
    }

    /// Counts a request of a client.
    ///
    /// # Errors
    /// A [`Refusal`] `rate_limited`.
    fn take(&self, peer: Peer, now: Instant) -> Result<(), Refusal> {
        let Some(rate) = self.limits.rate else {
            return Ok(());
        };
        let rate = f64::from(rate.get());
        let full = rate * BURST.as_secs_f64();
        let has_token = self.change(peer.network(), now, |client| {
            let gained = (now - client.filled).as_secs_f64() * rate;
            client.tokens = full.min(client.tokens + gained);
            client.filled = now;
            let has_token = client.tokens >= 1.0;
            client.tokens -= if has_token { 1.0 } else { 0.0 };
            has_token
        });
        if has_token {
            return Ok(());
        }
        let message = format!("this client sends more than {rate} requests per second");
        let hint = "send fewer, or several edits with apply_edits";
        Err(Refusal::new("rate_limited", message).hint(hint))
    }

    /// Begins to work on a request of a client, whose message takes some bytes of memory.
    ///
    /// # Errors
    /// A [`Refusal`] `rate_limited`.
    fn begin(
        self: &Arc<Self>,
        peer: Peer,
        memory: usize,
        purpose: Purpose,
        now: Instant,
    ) -> Result<CallPermit, Refusal> {
        let network = peer.network();
        let spare = match purpose {
            Purpose::Work => 0,
            Purpose::EarlierWork => SPARE,
        };
        let ClientLimits {
            calls,
            seconds,
            memory: most,
            ..
        } = self.limits;
        self.change(network, now, |client| {
            if let Some(calls) = calls.filter(|calls| client.running >= calls.get().saturating_add(spare)) {
                let message =
                    format!("{calls} requests of this client are worked on, which is the limit");
                return Err(Refusal::new("rate_limited", message).hint("wait for an answer"));
            }
            let is_overdrawn =
                |limit: &NonZeroU32| client.seconds_left(f64::from(limit.get()), now) <= 0.0;
            let seconds = seconds.filter(|_| purpose == Purpose::Work);
            if let Some(limit) = seconds.filter(is_overdrawn) {
                let wait = -client.seconds * MINUTE / f64::from(limit.get());
                let message = format!(
                    "the requests of this client have taken more than {limit} seconds of work per minute"
                );
                let hint = format!("wait {:.0} seconds", wait.ceil().max(1.0));
                return Err(Refusal::new("rate_limited", message).hint(hint));
            }
            let total = client.memory + memory;
            if let Some(most) = most.filter(|most| total > (most.get() as usize) << 20) {
                let message = format!(
                    "the messages of this client that are worked on would take {} MiB of memory, and {most} are the limit",
                    total.div_ceil(1 << 20)
                );
                let hint = "wait for an answer, or send less at a time";
                return Err(Refusal::new("rate_limited", message).hint(hint));
            }
            client.running += 1;
            client.memory = total;
            Ok(())
        })?;
        Ok(CallPermit {
            clients: self.clone(),
            network,
            begun: now,
            memory,
        })
    }

    /// Ends the work on a request of a client.
    fn end(&self, permit: &CallPermit, now: Instant) {
        if let Some(client) = self.lock().get_mut(&permit.network) {
            client.running -= 1;
            client.memory -= permit.memory;
            if let Some(limit) = self.limits.seconds {
                client.seconds_left(f64::from(limit.get()), now);
                client.seconds -= now.saturating_duration_since(permit.begun).as_secs_f64();
            }
        }
    }
}

impl Allowance {
    /// Counts a request of the client.
    ///
    /// # Errors
    /// A [`Refusal`] `rate_limited`.
    pub(crate) fn take(&self) -> Result<(), Refusal> {
        self.clients.take(self.peer, Instant::now())
    }

    /// Begins to work on a request of the client, whose message takes some bytes of memory.
    ///
    /// # Errors
    /// A [`Refusal`] `rate_limited`.
    pub(super) fn begin(
        &self,
        memory: usize,
        purpose: Purpose,
    ) -> Result<Arc<CallPermit>, Refusal> {
        let now = Instant::now();
        let permit = self.clients.begin(self.peer, memory, purpose, now);
        permit.map(Arc::new)
    }
}

impl Drop for CallPermit {
    fn drop(&mut self) {
        self.clients.end(self, Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clients(rate: u32, calls: u32) -> Arc<Clients> {
        let limits = ClientLimits {
            rate: NonZeroU32::new(rate),
            calls: NonZeroU32::new(calls),
            ..ClientLimits::default()
        };
        Clients::new(limits).expect("something is limited")
    }

    fn peer(last: u8) -> Peer {
        Peer(IpAddr::from([10, 0, 0, last]))
    }

    #[test]
    fn a_client_sends_as_many_requests_as_the_rate_allows() {
        let clients = clients(5, 0);
        let start = Instant::now();
        let taken = |at: f64, last| {
            let now = start + Duration::from_secs_f64(at);
            clients.take(peer(last), now).is_ok()
        };
        assert_eq!((0..20).filter(|_| taken(0.0, 1)).count(), 10, "a burst");
        assert!(taken(0.0, 2), "another client");
        assert_eq!(
            (0..20).filter(|_| taken(1.01, 1)).count(),
            5,
            "a second later"
        );
        assert_eq!(
            (0..20).filter(|_| taken(60.0, 1)).count(),
            10,
            "no more than a burst"
        );
    }

    #[test]
    fn a_client_has_as_many_requests_in_progress_as_are_allowed() {
        let clients = clients(0, 2);
        let begin = |last| clients.begin(peer(last), 0, Purpose::Work, Instant::now());
        let one = begin(1).expect("room");
        let _two = begin(1).expect("room");
        assert_eq!(begin(1).expect_err("no room").code, "rate_limited");
        let about = || clients.begin(peer(1), 0, Purpose::EarlierWork, Instant::now());
        {
            let _spare = [about().expect("room"), about().expect("room")];
            assert_eq!(about().expect_err("no room").code, "rate_limited");
        }
        assert!(begin(2).is_ok());
        drop(one);
        assert!(begin(1).is_ok());
    }

    #[test]
    fn the_work_on_requests_of_a_client_is_limited_per_minute() {
        let limits = ClientLimits {
            seconds: NonZeroU32::new(30),
            ..ClientLimits::default()
        };
        let clients = Clients::new(limits).expect("something is limited");
        let start = Instant::now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let begin = |last, seconds| clients.begin(peer(last), 0, Purpose::Work, at(seconds));
        let work = |from, to| {
            let permit = begin(1, from).expect("time is left");
            clients.end(&permit, at(to));
            std::mem::forget(permit);
        };
        // A full bucket of 30 s gains half a second per second: 10 s are left, and 5 s later 12.5; the next request overdraws it by 30.
        work(0, 20);
        work(25, 85);
        let refusal = begin(1, 85).expect_err("overdrawn");
        assert_eq!(refusal.code, "rate_limited");
        assert!(begin(2, 85).is_ok(), "another client");
        let hint = refusal.hint.unwrap_or_default();
        assert_eq!(hint, "wait 60 seconds");
        assert!(begin(1, 144).is_err());
        assert!(begin(1, 146).is_ok());
    }

    #[test]
    fn the_memory_of_the_messages_of_a_client_is_limited() {
        let limits = ClientLimits {
            memory: NonZeroU32::new(4),
            ..ClientLimits::default()
        };
        let clients = Clients::new(limits).expect("something is limited");
        let begin = |last, memory: usize| {
            clients.begin(peer(last), memory << 20, Purpose::Work, Instant::now())
        };
        let three = begin(1, 3).expect("room");
        assert_eq!(begin(1, 2).expect_err("no room").code, "rate_limited");
        assert!(begin(2, 4).is_ok());
        let _one = begin(1, 1).expect("room");
        drop(three);
        assert!(begin(1, 3).is_ok());
        assert!(begin(3, 5).is_err(), "one alone that is too large");
    }

    #[test]
    fn a_network_of_ipv6_is_one_client() {
        let network = |text: &str| Peer(text.parse().expect("an address")).network();
        assert_eq!(network("2001:db8:1:2::1"), network("2001:db8:1:2:ffff::7"));
        assert_ne!(network("2001:db8:1:2::1"), network("2001:db8:1:3::1"));
        assert_eq!(network("::ffff:10.0.0.1"), network("10.0.0.1"));
        assert_ne!(network("10.0.0.1"), network("10.0.0.2"));
    }

    #[test]
    fn many_clients_do_not_fill_the_memory() {
        let clients = clients(1, 1);
        let now = Instant::now();
        let _held = clients.begin(peer(1), 0, Purpose::Work, now).expect("room");
        for number in 0..3 * MANY as u32 {
            let other = Peer(IpAddr::from(number.to_be_bytes()));
            clients.take(other, now).expect("its first request");
        }
        let known = clients.lock();
        assert!(known.len() <= MANY + 1);
        assert!(
            known.contains_key(&peer(1).0),
            "it has a request in progress"
        );
    }
}
