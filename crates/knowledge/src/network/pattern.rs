//! Pattern matching: paths whose edges and nodes have given types, as a regular path query.
//!
//! The pattern is compiled to a nondeterministic finite automaton (Thompson, Regular expression search algorithm,
//! 1968), which is simulated with all states at once as a bit set; so each path is found once, however often it
//! matches. The search is depth-first; memory: the current path.

use rustc_hash::FxHashSet;

use super::adjacency::Step;
use super::all_paths::{PathCollector, PathLimits, Paths};
use super::error::NetworkError;
use super::filter::{CompiledFilter, Filter};
use super::path::{PathQuery, ResolvedQuery};
use super::view::Network;
use crate::graph::Direction;
use crate::progress::{Cancelled, Watch};

/// Maximum number of edges of a pattern.
pub const MAX_HOPS: u32 = 64;

/// Element of a pattern: one edge and the vertex at its end, possibly repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hop {
    /// Type of the edge, ignoring case; `None`: any.
    pub relation_type: Option<String>,
    /// Direction in which the edge is followed.
    pub direction: Direction,
    /// Type of the node at its end, ignoring case; `None`: any node or function.
    pub target_type: Option<String>,
    /// Minimum number of repetitions.
    pub least: u32,
    /// Maximum number of repetitions.
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

/// A compiled hop: its filter and states.
struct PatternStep<'a> {
    sieve: CompiledFilter<'a>,
    /// States from which this hop comes next.
    states: u64,
}

/// The automaton: in each state, a bit, one edge of a hop comes next.
#[derive(Default)]
struct Automaton<'a> {
    gates: Vec<PatternStep<'a>>,
    /// Successors of each state.
    after: Vec<u64>,
    /// States after which the path may end.
    last: u64,
    first: u64,
    /// True if the empty path matches.
    is_done: bool,
}

/// A vertex on the current path and its next edge.
struct Frame {
    at: u32,
    states: u64,
    direction: Direction,
    next: usize,
}

impl Network {
    /// Returns all paths from a vertex that match a pattern and use no edge twice, in depth-first order: extensions of
    /// a path come after it, and the edges of a vertex in their order, outgoing before incoming ones. The empty pattern
    /// matches the empty path.
    ///
    /// The filter selects edges and nodes; its direction is ignored, as each hop has one.
    ///
    /// # Errors
    /// [`NetworkError`]: an unknown vertex, an invalid repetition, a pattern that is too long, or [`Cancelled`].
    pub fn traverse(
        &self,
        start: &str,
        pattern: &[Hop],
        filter: &Filter,
        bounds: PathLimits,
        watch: &Watch<'_>,
    ) -> Result<Paths, NetworkError> {
        let automaton = Automaton::new(self, pattern)?;
        let query = PathQuery {
            source: start.to_owned(),
            target: start.to_owned(),
            weighted: false,
            filter: filter.clone(),
        };
        let resolved = ResolvedQuery::new(self, &query)?;
        let mut collector = PathCollector::new(bounds, watch);
        automaton.follow(&resolved, &mut collector)?;
        Ok(collector.found)
    }
}

impl<'a> Automaton<'a> {
    fn new(network: &'a Network, pattern: &[Hop]) -> Result<Automaton<'a>, NetworkError> {
        let is_invalid = |hop: &&Hop| hop.least > hop.most || hop.most == 0;
        if let Some(hop) = pattern.iter().find(is_invalid) {
            let what = "the repetition of a step of a pattern";
            let given = format!("from {} to {} times", hop.least, hop.most);
            let needed = "from a number to one that is not smaller, and not 0";
            return Err(NetworkError::invalid(what, &given, needed));
        }
        let hops: u64 = pattern.iter().map(|hop| u64::from(hop.most)).sum();
        if hops > u64::from(MAX_HOPS) {
            let what = "the number of edges of a pattern";
            let needed = format!("at most {MAX_HOPS}, counting all repetitions");
            return Err(NetworkError::invalid(what, &hops, needed));
        }
        let mut automaton = Automaton {
            is_done: true,
            ..Automaton::default()
        };
        // Built from the end, so that the successors of each state are known.
        let mut after = vec![0; hops as usize];
        let mut state = hops as usize;
        for hop in pattern.iter().rev() {
            let mut gate = PatternStep::new(network, hop);
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

    /// Creates the frame of a vertex at which the automaton is in `states`.
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

    /// Returns the successors of the states in which an edge may be taken, and true if the path may end with it.
    fn step(&self, network: &Network, from: &Frame, step: Step) -> (u64, bool) {
        let [source, target] = network.ends(step.edge);
        let passes = |gate: &&PatternStep<'_>| {
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

    fn follow(
        &self,
        course: &ResolvedQuery<'a>,
        collector: &mut PathCollector<'_>,
    ) -> Result<(), Cancelled> {
        if self.is_done && !collector.push(|| course.path(&[])) {
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
            if !collector.step()? {
                return Ok(());
            }
            if taken.contains(&step.edge) || !course.sieve.step(step) {
                continue;
            }
            let (behind, ends) = self.step(course.network, frame, step);
            path.push(step.edge);
            if ends && !collector.push(|| course.path(&path)) {
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
    /// Returns the next edge; a self-loop once.
    fn next(&mut self, network: &Network) -> Option<Step> {
        let steps = network.adjacency.steps(self.at, self.direction);
        loop {
            let step = *steps.get(self.next)?;
            let is_again = self.direction == Direction::Both
                && self.next >= network.adjacency.outgoing(self.at).len();
            self.next += 1;
            if !is_again || step.to != self.at {
                return Some(step);
            }
        }
    }
}

impl<'a> PatternStep<'a> {
    fn new(network: &'a Network, hop: &Hop) -> PatternStep<'a> {
        let filter = Filter {
            edge_types: hop.relation_type.iter().cloned().collect(),
            node_types: hop.target_type.iter().cloned().collect(),
            direction: hop.direction,
            ..Filter::default()
        };
        PatternStep {
            sieve: CompiledFilter::new(network, &filter),
            states: 0,
        }
    }
}
