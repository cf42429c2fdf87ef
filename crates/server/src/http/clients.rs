//! Limits of what one client may use, by its address: requests per second, and requests in progress.
//!
//! The rate is that of a token bucket: it fills at the rate, and holds what comes in two seconds.

use std::collections::HashMap;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fibula_service::Refusal;

/// Time in which an empty bucket fills.
const BURST: Duration = Duration::from_secs(2);

/// Number of clients above which those that are idle are forgotten.
const MANY: usize = 4096;

/// Limits of each client.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClientLimits {
    /// Requests per second.
    pub rate: Option<NonZeroU32>,
    /// Requests that are worked on at a time.
    pub calls: Option<NonZeroU32>,
}

/// Address of the client of a request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peer(pub(super) IpAddr);

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
}

/// A request in progress.
#[derive(Debug)]
pub(super) struct Admitted {
    clients: Arc<Clients>,
    address: IpAddr,
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

    /// Admits a request, which is in progress until the result is dropped.
    ///
    /// # Errors
    /// A [`Refusal`] `rate_limited`.
    pub(super) fn admit(self: &Arc<Self>, peer: Peer, now: Instant) -> Result<Admitted, Refusal> {
        let Peer(address) = peer;
        let ClientLimits { rate, calls } = self.limits;
        let rate = rate.map_or(f64::INFINITY, |rate| f64::from(rate.get()));
        let full = rate * BURST.as_secs_f64();
        let calls = calls.map_or(u32::MAX, NonZeroU32::get);
        let mut known = self.lock();
        if known.len() >= MANY {
            known.retain(|_, client| client.running > 0 || now - client.filled < BURST);
        }
        let client = known.entry(address).or_insert(Client {
            tokens: full,
            filled: now,
            running: 0,
        });
        let gained = (now - client.filled).as_secs_f64() * rate;
        client.tokens = if rate.is_finite() {
            full.min(client.tokens + gained)
        } else {
            full
        };
        client.filled = now;
        if client.running >= calls {
            let message =
                format!("{calls} requests of this client are worked on, which is the limit");
            return Err(Refusal::new("rate_limited", message).hint("wait for an answer"));
        }
        if client.tokens < 1.0 {
            let message = format!("this client sends more than {rate} requests per second");
            return Err(Refusal::new("rate_limited", message)
                .hint("send fewer, or several edits with apply_edits"));
        }
        client.tokens -= 1.0;
        client.running += 1;
        Ok(Admitted {
            clients: self.clone(),
            address,
        })
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        if let Some(client) = self.clients.lock().get_mut(&self.address) {
            client.running -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clients(rate: u32, calls: u32) -> Arc<Clients> {
        let limits = ClientLimits {
            rate: NonZeroU32::new(rate),
            calls: NonZeroU32::new(calls),
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
        let admitted = |at: f64, last| {
            let now = start + Duration::from_secs_f64(at);
            clients.admit(peer(last), now).is_ok()
        };
        assert_eq!((0..20).filter(|_| admitted(0.0, 1)).count(), 10, "a burst");
        assert!(admitted(0.0, 2), "another client");
        assert_eq!(
            (0..20).filter(|_| admitted(1.01, 1)).count(),
            5,
            "a second later"
        );
        assert_eq!(
            (0..20).filter(|_| admitted(60.0, 1)).count(),
            10,
            "no more than a burst"
        );
    }

    #[test]
    fn a_client_has_as_many_requests_in_progress_as_are_allowed() {
        let clients = clients(0, 2);
        let now = Instant::now();
        let one = clients.admit(peer(1), now).expect("room");
        let two = clients.admit(peer(1), now).expect("room");
        let refused = clients.admit(peer(1), now).expect_err("no room");
        assert_eq!(refused.code, "rate_limited");
        assert!(clients.admit(peer(2), now).is_ok());
        drop(one);
        assert!(clients.admit(peer(1), now).is_ok());
        drop(two);
    }

    #[test]
    fn clients_that_are_idle_are_forgotten() {
        let clients = clients(1, 0);
        let start = Instant::now();
        let held = clients.admit(peer(1), start).expect("room");
        for number in 0..2 * MANY as u32 {
            let address = Peer(IpAddr::from(number.to_be_bytes()));
            drop(clients.admit(address, start + BURST * number));
        }
        assert!(clients.lock().len() <= MANY);
        assert!(
            clients.lock().contains_key(&peer(1).0),
            "it has a request in progress"
        );
        drop(held);
    }
}
