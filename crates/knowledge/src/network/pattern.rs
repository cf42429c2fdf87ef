//! Paths that follow a pattern: types of edges and of the nodes to which they lead, one after the other.
//!
//! The pattern is a nondeterministic automaton without branches (Thompson, Regular expression search algorithm, 1968),
//! and the path is followed with all states in which it may be at once, as bits of a number; so each path is found
//! once, however often it matches. The search is depth-first and holds no more than the path on which it is.

use rustc_hash::FxHashSet;

use super::adjacency::Step;
use super::all_paths::{Bounds, Meter, Paths};
use super::error::NetworkError;
use super::filter::{Filter, Sieve};
use super::path::{Between, Course};
use super::view::Network;
use crate::graph::Direction;
use crate::progress::{Cancelled, Watch};

/// The most edges that a pattern may have.
pub const MOST_HOPS: u32 = 64;

/// A part of a pattern: one edge and the vertex to which it leads, or several such.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hop {
    /// The type of the edge, ignoring case; any if it is left out.
    pub relation_type: Option<String>,
    /// How the edge is followed.
    pub direction: Direction,
    /// A type of the node to which it leads, ignoring case; any node or function if it is left out.
    pub target_type: Option<String>,
    /// How often this comes at least.
    pub least: u32,
    /// How often this comes at most.
    pub most: u32,
}

impl Default for Hop {
    /// Any edge, once.
    fn default() -> Hop {
        Hop {
            relation_type: None,
            direction: Direction::Both,
            target_type: None,
            least: 1,
            most: 1,
        }
    }
}

/// A hop made ready: what may be stepped.
struct Gate<'a> {
    sieve: Sieve<'a>,
    /// The bits of the states in which it may come next.
    states: u64,
}

/// The pattern as an automaton: in a state, a bit, one edge of a hop comes next.
struct Automaton<'a> {
    gates: Vec<Gate<'a>>,
    /// The states behind each.
    after: Vec<u64>,
    /// The states behind which the path may end.
    last: u64,
    first: u64,
    /// Whether the path may end where it begins.
    is_done: bool,
}

/// A vertex on the path, and the steps from it that come next.
struct Frame {
    at: u32,
    states: u64,
    direction: Direction,
    next: usize,
}

impl Network {
    /// All paths from a vertex that follow a pattern and take no edge twice, as deep as possible first: those that go
    /// on from a path come behind it, and the edges of a vertex in their order, those that begin there before those
    /// that end there. An empty pattern is followed by the path that is the vertex alone.
    ///
    /// The filter says which edges and nodes there are at all; its direction does not count, as each hop has one.
    ///
    /// # Errors
    /// [`NetworkError`]: an unknown vertex, a pattern that is too long or empty in itself, or [`Cancelled`].
    pub fn traverse(
        &self,
        start: &str,
        pattern: &[Hop],
        filter: &Filter,
        bounds: Bounds,
        watch: &Watch<'_>,
    ) -> Result<Paths, NetworkError> {
        let automaton = Automaton::new(self, pattern)?;
        let between = Between {
            source: start.to_owned(),
            target: start.to_owned(),
            weighted: false,
            filter: filter.clone(),
        };
        let course = Course::new(self, &between)?;
        let mut meter = Meter::new(bounds, watch);
        automaton.follow(&course, &mut meter)?;
        Ok(meter.made)
    }
}

impl<'a> Automaton<'a> {
    fn new(network: &'a Network, pattern: &[Hop]) -> Result<Automaton<'a>, NetworkError> {
        if let Some(hop) = pattern
            .iter()
            .find(|hop| hop.least > hop.most || hop.most == 0)
        {
            return Err(NetworkError::Invalid {
                what: "how often a part of a pattern comes",
                given: format!("from {} to {} times", hop.least, hop.most),
                needed: "from a number to one that is not lower, nor 0".to_owned(),
            });
        }
        let hops: u64 = pattern.iter().map(|hop| u64::from(hop.most)).sum();
        if hops > u64::from(MOST_HOPS) {
            return Err(NetworkError::Invalid {
                what: "the number of edges that a pattern may have",
                given: hops.to_string(),
                needed: format!("at most {MOST_HOPS}, all repetitions together"),
            });
        }
        let mut automaton = Automaton {
            gates: Vec::new(),
            after: Vec::new(),
            last: 0,
            first: 0,
            is_done: true,
        };
        // From the end, so that what comes behind is known: the states that may come next, and whether none has to.
        let mut after = vec![0; hops as usize];
        let mut state = hops as usize;
        for hop in pattern.iter().rev() {
            let mut gate = Gate::new(network, hop);
            let (behind, may_end) = (automaton.first, automaton.is_done);
            let mut next = 0;
            for count in (1..=hop.most).rev() {
                state -= 1;
                let bit = 1_u64 << state;
                after[state] = next;
                if count >= hop.least {
                    after[state] |= behind;
                    automaton.last |= if may_end { bit } else { 0 };
                }
                gate.states |= bit;
                next = bit;
            }
            automaton.first = next | if hop.least == 0 { behind } else { 0 };
            automaton.is_done = may_end && hop.least == 0;
            automaton.gates.push(gate);
        }
        automaton.after = after;
        Ok(automaton)
    }

    /// A place on the path at which the automaton may be in some states.
    fn frame(&self, at: u32, states: u64) -> Frame {
        let gates = self.gates.iter().filter(|gate| states & gate.states != 0);
        let directions = gates.map(|gate| gate.sieve.direction());
        let both = |one, other| if one == other { one } else { Direction::Both };
        Frame {
            at,
            states,
            direction: directions.reduce(both).unwrap_or_default(),
            next: 0,
        }
    }

    /// The states behind those in which a step may be made, and whether the path may end with it.
    fn step(&self, network: &Network, from: &Frame, step: Step) -> (u64, bool) {
        let [source, target] = network.ends(step.edge);
        let passes = |gate: &&Gate<'_>| {
            let is_along = match gate.sieve.direction() {
                Direction::Outgoing => source == from.at,
                Direction::Incoming => target == from.at,
                Direction::Both => true,
            };
            is_along && from.states & gate.states != 0 && gate.sieve.step(step)
        };
        let open = self.gates.iter().filter(passes);
        let mut made = open.fold(0, |made, gate| made | from.states & gate.states);
        let ends = made & self.last != 0;
        let mut behind = 0;
        while made != 0 {
            behind |= self.after[made.trailing_zeros() as usize];
            made &= made - 1;
        }
        (behind, ends)
    }

    fn follow(&self, course: &Course<'a>, meter: &mut Meter<'_>) -> Result<(), Cancelled> {
        if self.is_done && !meter.keep(|| course.path(&[])) {
            return Ok(());
        }
        let mut path: Vec<u32> = Vec::new();
        let mut taken: FxHashSet<u32> = FxHashSet::default();
        let mut open = vec![self.frame(course.source, self.first)];
        while let Some(frame) = open.last_mut() {
            let Some(step) = frame.next(course.network) else {
                open.pop();
                if let Some(edge) = path.pop() {
                    taken.remove(&edge);
                }
                continue;
            };
            if !meter.step()? {
                return Ok(());
            }
            if taken.contains(&step.edge) || !course.sieve.step(step) {
                continue;
            }
            let (behind, ends) = self.step(course.network, frame, step);
            path.push(step.edge);
            if ends && !meter.keep(|| course.path(&path)) {
                return Ok(());
            }
            if behind == 0 {
                path.pop();
            } else {
                taken.insert(step.edge);
                open.push(self.frame(step.to, behind));
            }
        }
        Ok(())
    }
}

impl Frame {
    /// The next step; one along an edge from the vertex to itself is made once.
    fn next(&mut self, network: &Network) -> Option<Step> {
        let steps = network.adjacency.steps(self.at, self.direction);
        loop {
            let step = *steps.get(self.next)?;
            let is_again = self.direction == Direction::Both
                && self.next >= network.adjacency.along(self.at).len();
            self.next += 1;
            if !is_again || step.to != self.at {
                return Some(step);
            }
        }
    }
}

impl<'a> Gate<'a> {
    fn new(network: &'a Network, hop: &Hop) -> Gate<'a> {
        let filter = Filter {
            edge_types: hop.relation_type.iter().cloned().collect(),
            node_types: hop.target_type.iter().cloned().collect(),
            direction: hop.direction,
            ..Filter::default()
        };
        Gate {
            sieve: Sieve::new(network, &filter),
            states: 0,
        }
    }
}
