//! The gradients of oracles, as oracles: channel 3 c + i is the derivative of channel c by coordinate i.

use std::cell::RefCell;
use std::sync::{Arc, Weak};

use fibula_nodes::{Bounds, Oracle, OracleUse, Query};

#[derive(Debug)]
struct GradientOracle {
    of: Arc<dyn Oracle>,
    bounds: Bounds,
}

/// The use of an oracle's gradient.
pub(super) fn gradient_use(asked: &OracleUse) -> OracleUse {
    let bounds = match asked.query {
        // Distances change by no more than the way that is gone; some room is left for rounding.
        Query::SignedDistance | Query::UnsignedDistance | Query::BeamLattice { .. } => {
            Bounds::new(-1.000_001, 1.000_001)
        }
        Query::Image { .. } => Bounds::UNKNOWN,
    };
    let of = Arc::clone(&asked.answers);
    OracleUse {
        answers: Arc::new(GradientOracle { of, bounds }),
        ..asked.clone()
    }
}

/// Last block of a thread: its three derivatives are computed together and read one by one.
#[derive(Default)]
struct GradientCache {
    /// Held weakly: a thread keeps no mesh that its project gave up.
    oracle: Option<Weak<dyn Oracle>>,
    channel: u8,
    at: [Vec<f64>; 3],
    answers: [Vec<f64>; 3],
}

thread_local! {
    static CACHE: RefCell<GradientCache> = RefCell::default();
}

impl Oracle for GradientOracle {
    fn sample(&self, at: [f64; 3], channel: u8) -> f64 {
        self.of.gradient(at, channel / 3)[usize::from(channel % 3)]
    }

    fn sample_block(&self, at: [&[f64]; 3], channel: u8, results: &mut [f64]) {
        let at = at.map(|list| &list[..results.len()]);
        // The cache is moved out while the oracle is sampled, which may use it for gradients itself.
        let mut cache = CACHE.take();
        if !cache.holds(&self.of, channel / 3, at) {
            cache.fill(&self.of, channel / 3, at);
        }
        results.copy_from_slice(&cache.answers[usize::from(channel % 3)]);
        CACHE.set(cache);
    }

    fn gradient(&self, _at: [f64; 3], _channel: u8) -> [f64; 3] {
        [f64::NAN; 3]
    }

    fn bounds(&self, low: [f64; 3], high: [f64; 3], _channel: u8) -> Bounds {
        let is_finite = low.into_iter().chain(high).all(f64::is_finite);
        Bounds {
            undefined: self.bounds.undefined || !is_finite,
            ..self.bounds
        }
    }
}

impl GradientCache {
    fn holds(&self, oracle: &Arc<dyn Oracle>, channel: u8, at: [&[f64]; 3]) -> bool {
        let mut lists = self.at.iter().zip(at);
        // NaN is equal to nothing: it is sampled again.
        self.channel == channel
            && self
                .oracle
                .as_ref()
                .is_some_and(|held| std::ptr::addr_eq(held.as_ptr(), Arc::as_ptr(oracle)))
            && lists.all(|(held, list)| held == list)
    }

    fn fill(&mut self, oracle: &Arc<dyn Oracle>, channel: u8, at: [&[f64]; 3]) {
        self.oracle = Some(Arc::downgrade(oracle));
        self.channel = channel;
        for (held, list) in self.at.iter_mut().zip(at) {
            held.clear();
            held.extend_from_slice(list);
        }
        self.answers.iter_mut().for_each(Vec::clear);
        for index in 0..at[0].len() {
            let gradient = oracle.gradient(at.map(|list| list[index]), channel);
            for (answers, part) in self.answers.iter_mut().zip(gradient) {
                answers.push(part);
            }
        }
    }
}
