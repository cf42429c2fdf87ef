//! Correspondence between the nodes of two versions of a function, so that ids survive a rebuild.
//!
//! `End` and `Begin` correspond, and nodes of one kind whose display name occurs once in each version, or else once if
//! case is ignored. The others are matched in rounds of three steps until nothing changes:
//!
//! 1. bottom-up: nodes of one kind and name with equal literals whose sources correspond, in topological order; then
//!    nodes with sources of which only the name differs, if each is the only one of this form;
//! 2. top-down from the nodes that correspond: the sources of one parameter, if they are alike, or constants of one
//!    value;
//! 3. nodes that are alike and share a source that corresponds, if each is the only one of this form.
//!
//! Two nodes are alike if they have one kind, their names do not contradict, and each parameter has in both a literal,
//! nothing, the same port of sources that correspond, or the same port of sources of one kind that have no counterpart
//! yet. A literal that was changed therefore keeps its node, and so do the nodes that depend on it. A node that is
//! not like any other gets no counterpart: nothing should be taken for something else.
//!
//! This is a form of tree matching by subtree isomorphism, as in change detection of abstract syntax trees (J.-R.
//! Falleri et al., Fine-grained and Accurate Source Code Differencing, ASE 2014), for acyclic graphs. Time is linear
//! in the nodes and links, times a bounded number of rounds.

use std::collections::BTreeMap;
use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::graph::{
    Function, FunctionData, GraphError, IdSet, Input, NodeId, NodeKey, Setting, Stored,
};

/// Maximum number of rounds.
const MAX_ROUNDS: usize = 16;

/// Nodes of the new version by id, each with its counterpart in the old one.
pub type NodeMatches = BTreeMap<NodeId, NodeId>;

/// Argument of a parameter, as far as it is compared; sources are nodes of the old version.
#[derive(Debug, PartialEq, Eq, Hash)]
enum ArgumentForm<'a> {
    Unset,
    /// A literal, unless literals are ignored.
    Literal(Option<String>),
    Link(NodeKey, usize),
    /// A source without counterpart, by its kind.
    Unmatched(&'a str, usize),
}

/// Kind, display name if it is compared, and arguments.
type NodeForm<'a> = (&'a str, Option<&'a str>, Vec<ArgumentForm<'a>>);

/// Returns the nodes of `new` that correspond to nodes of `old`; no two have the same counterpart. Nodes that are alike with
/// all that they depend on correspond if they have the same id.
pub fn match_nodes(old: &Function, new: &Function) -> NodeMatches {
    let mut matching = Matching::new(old, new);
    matching.by_name();
    matching.by_id();
    find_matches(matching)
}

/// Completes a matching.
fn find_matches(mut matching: Matching<'_>) -> NodeMatches {
    for _ in 0..MAX_ROUNDS {
        let before = matching.counterparts.len();
        matching.bottom_up();
        matching.renamed();
        matching.top_down();
        matching.by_shared_source();
        if matching.counterparts.len() == before {
            break;
        }
    }
    let (old, new) = (matching.old, matching.new);
    let pairs = matching.counterparts.iter();
    pairs
        .map(|(&of_new, &of_old)| (new.stored(of_new).id, old.stored(of_old).id))
        .collect()
}

/// Renumbers the nodes of `data`, which was built as `new` and replaces `old`: nodes that correspond take the old ids,
/// others take ids that `old` never used and that are not reserved. Every node of `data` has an id.
///
/// # Errors
/// [`GraphError::TooLarge`] if no ids are left.
///
/// # Panics
/// If a node of `data` has no id, or a source is not in `data`.
pub fn renumber(
    data: &mut FunctionData,
    old: Option<&Function>,
    new: &Function,
    is_reserved: impl Fn(NodeId) -> bool,
) -> Result<(), GraphError> {
    let mut ids = match old {
        Some(old) => {
            let mut matching = Matching::new(old, new);
            matching.by_name();
            find_matches(matching)
        }
        None => NodeMatches::from([(NodeId::END, NodeId::END)]),
    };
    let mut used = old.map_or_else(IdSet::default, |old| old.used().clone());
    for node in &data.nodes {
        let id = node.node_id.expect("every node has an id");
        if ids.contains_key(&id) {
            continue;
        }
        let fresh = loop {
            let next = used.next();
            let next = next.ok_or_else(|| GraphError::out_of_ids("a function"))?;
            used.insert(next);
            if !is_reserved(NodeId(next)) {
                break NodeId(next);
            }
        };
        ids.insert(id, fresh);
    }
    for node in &mut data.nodes {
        node.node_id = node.node_id.map(|id| ids[&id]);
        for setting in node.parameters.values_mut() {
            if let Setting::Source(source) = setting {
                source.node_id = ids[&source.node_id];
            }
        }
    }
    data.nodes.sort_by_key(|node| node.node_id);
    Ok(())
}

/// A matching in progress.
struct Matching<'a> {
    old: &'a Function,
    new: &'a Function,
    /// Nodes of the old version in topological order.
    old_order: Vec<NodeKey>,
    /// Nodes of the new version in topological order.
    new_order: Vec<NodeKey>,
    /// Nodes of the new version with those of the old.
    counterparts: FxHashMap<NodeKey, NodeKey>,
    /// The old nodes that have a counterpart.
    taken: FxHashSet<NodeKey>,
    /// Pairs whose sources were not compared yet.
    waiting: Vec<(NodeKey, NodeKey)>,
}

impl<'a> Matching<'a> {
    fn new(old: &'a Function, new: &'a Function) -> Self {
        let mut matching = Matching {
            old,
            new,
            old_order: topological_order(old),
            new_order: topological_order(new),
            counterparts: FxHashMap::default(),
            taken: FxHashSet::default(),
            waiting: Vec::new(),
        };
        matching.pair(new.end_key(), old.end_key());
        if let (Some(of_new), Some(of_old)) = (new.begin_key(), old.begin_key()) {
            matching.pair(of_new, of_old);
        }
        matching
    }

    fn pair(&mut self, of_new: NodeKey, of_old: NodeKey) {
        self.counterparts.insert(of_new, of_old);
        self.taken.insert(of_old);
        self.waiting.push((of_new, of_old));
    }

    fn is_open(&self, of_new: NodeKey) -> bool {
        !self.counterparts.contains_key(&of_new)
    }

    /// Open nodes of the new version, in topological order.
    fn open_nodes(&self) -> Vec<NodeKey> {
        let all = self.new_order.iter().copied();
        all.filter(|&key| self.is_open(key)).collect()
    }

    /// Old nodes without counterpart, in topological order.
    fn free_nodes(&self) -> impl Iterator<Item = NodeKey> {
        let all = self.old_order.iter().copied();
        all.filter(|key| !self.taken.contains(key))
    }

    /// Pairs nodes whose kind and display name occur once in each version, then those whose name does so if case is ignored.
    fn by_name(&mut self) {
        let spellings: [fn(&str) -> String; 2] = [str::to_owned, str::to_ascii_lowercase];
        for spelling in spellings {
            let named =
                |node: &'a Stored| Some((kind(node), spelling(node.display_name.as_deref()?)));
            let olds = unique(self.free_nodes().filter_map(|key| {
                let form = named(self.old.stored(key))?;
                Some((form, key))
            }));
            let news = unique(self.open_nodes().into_iter().filter_map(|key| {
                let form = named(self.new.stored(key))?;
                Some((form, key))
            }));
            self.pair_equal(&olds, news, |_, _| true);
        }
    }

    /// Pairs nodes of one id, kind and name with equal literals whose sources correspond, in topological order.
    fn by_id(&mut self) {
        for of_new in self.open_nodes() {
            let node = self.new.stored(of_new);
            let Ok(of_old) = self.old.key(node.id) else {
                continue;
            };
            let name = self.old.stored(of_old).display_name.as_deref();
            let counterpart = |source| self.counterparts.get(&source).copied();
            let form = exact_form(self.new, of_new, node.display_name.as_deref(), counterpart);
            if !self.taken.contains(&of_old)
                && form.is_some()
                && form == exact_form(self.old, of_old, name, Some)
            {
                self.pair(of_new, of_old);
            }
        }
    }

    /// Pairs open nodes with free ones of the same form and name, each with the first that is left.
    fn bottom_up(&mut self) {
        let mut free: FxHashMap<NodeForm<'a>, Vec<NodeKey>> = FxHashMap::default();
        for key in self.free_nodes() {
            let name = self.old.stored(key).display_name.as_deref();
            let form = exact_form(self.old, key, name, Some);
            free.entry(form.expect("every source is known"))
                .or_default()
                .push(key);
        }
        for keys in free.values_mut() {
            // The last is taken first.
            keys.reverse();
        }
        for of_new in self.open_nodes() {
            let name = self.new.stored(of_new).display_name.as_deref();
            let counterpart = |source| self.counterparts.get(&source).copied();
            let form = exact_form(self.new, of_new, name, counterpart);
            if let Some(of_old) = form.and_then(|form| free.get_mut(&form)?.pop()) {
                self.pair(of_new, of_old);
            }
        }
    }

    /// Pairs nodes that were renamed: those of a form that occurs once in each version, whatever their names.
    fn renamed(&mut self) {
        let counterpart = |source| self.counterparts.get(&source).copied();
        // A constant of equal value that is used elsewhere is another one.
        let olds = unique(self.free_nodes().filter_map(|key| {
            let form = exact_form(self.old, key, None, Some)?;
            has_sources(&form).then_some((form, key))
        }));
        let news = unique(self.open_nodes().into_iter().filter_map(|key| {
            let form = exact_form(self.new, key, None, counterpart)?;
            has_sources(&form).then_some((form, key))
        }));
        self.pair_equal(&olds, news, |_, _| true);
    }

    /// Pairs sources of the same parameter of nodes that correspond, from the outputs to the inputs.
    fn top_down(&mut self) {
        while let Some((of_new, of_old)) = self.waiting.pop() {
            let (new, old) = (self.new.stored(of_new), self.old.stored(of_old));
            for (place, input) in new.inputs.iter().enumerate() {
                let name = &new.signature.parameters[place].name;
                let parameters = &mut old.signature.parameters.iter();
                let Some(other) = parameters.position(|other| other.name == *name) else {
                    continue;
                };
                if let (
                    Input::Link { source, port },
                    Input::Link {
                        source: other,
                        port: other_port,
                    },
                ) = (input, &old.inputs[other])
                    && port == other_port
                    && self.is_open(*source)
                    && !self.taken.contains(other)
                    && (self.are_alike(*source, *other) || self.is_renamed(*source, *other))
                {
                    self.pair(*source, *other);
                }
            }
        }
    }

    /// Pairs nodes that are alike and share a source that corresponds, if each is the only one of this form.
    fn by_shared_source(&mut self) {
        let own = |source| Some(source).filter(|source| self.taken.contains(source));
        let counterpart = |source| self.counterparts.get(&source).copied();
        let olds = unique(
            self.free_nodes()
                .filter_map(|key| Some((rough_form(self.old, key, own)?, key))),
        );
        let news = unique(
            self.open_nodes()
                .into_iter()
                .filter_map(|key| Some((rough_form(self.new, key, counterpart)?, key))),
        );
        self.pair_equal(&olds, news, have_compatible_names);
    }

    fn pair_equal<F: Eq + Hash>(
        &mut self,
        olds: &FxHashMap<F, Option<NodeKey>>,
        news: FxHashMap<F, Option<NodeKey>>,
        fits: impl Fn(&Stored, &Stored) -> bool,
    ) {
        let pairs = news.into_iter().filter_map(|(form, of_new)| {
            let (of_new, of_old) = (of_new?, (*olds.get(&form)?)?);
            let (new, old) = (self.new.stored(of_new), self.old.stored(of_old));
            fits(new, old).then_some((new.label, of_new, of_old))
        });
        let mut pairs: Vec<(i64, NodeKey, NodeKey)> = pairs.collect();
        pairs.sort_unstable();
        for (_, of_new, of_old) in pairs {
            self.pair(of_new, of_old);
        }
    }

    /// True if two constants differ at most in their names.
    fn is_renamed(&self, of_new: NodeKey, of_old: NodeKey) -> bool {
        let new = exact_form(self.new, of_new, None, |_| None);
        new.is_some() && new == exact_form(self.old, of_old, None, |_| None)
    }

    fn are_alike(&self, of_new: NodeKey, of_old: NodeKey) -> bool {
        let (new, old) = (self.new.stored(of_new), self.old.stored(of_old));
        let have_one_source = |source: NodeKey, other: NodeKey| {
            if let Some(counterpart) = self.counterparts.get(&source) {
                return *counterpart == other;
            }
            let (source, node) = (self.new.stored(source), self.old.stored(other));
            kind(source) == kind(node) && !self.taken.contains(&other)
        };
        let are_alike = |(input, other): (&Input, &Input)| match (input, other) {
            (Input::Unset, Input::Unset) | (Input::Value(_), Input::Value(_)) => true,
            (
                Input::Link { source, port },
                Input::Link {
                    source: other,
                    port: other_port,
                },
            ) => port == other_port && have_one_source(*source, *other),
            (Input::Unset | Input::Value(_) | Input::Link { .. }, _) => false,
        };
        kind(new) == kind(old)
            && have_compatible_names(new, old)
            && new.inputs.len() == old.inputs.len()
            && new.inputs.iter().zip(&old.inputs).all(are_alike)
    }
}

fn kind(node: &Stored) -> &'static str {
    node.kind.info().name
}

/// True if at most one of two nodes has a name, or both have the same.
fn have_compatible_names(new: &Stored, old: &Stored) -> bool {
    match (&new.display_name, &old.display_name) {
        (Some(new), Some(old)) => new == old,
        (None, _) | (_, None) => true,
    }
}

/// Form of a node with its literals; `None` if a source has no counterpart.
fn exact_form<'a>(
    function: &'a Function,
    key: NodeKey,
    name: Option<&'a str>,
    counterpart: impl Fn(NodeKey) -> Option<NodeKey>,
) -> Option<NodeForm<'a>> {
    let node = function.stored(key);
    let arguments = node.inputs.iter().map(|input| {
        Some(match input {
            Input::Unset => ArgumentForm::Unset,
            Input::Value(value) => ArgumentForm::Literal(Some(format!("{value:?}"))),
            Input::Link { source, port } => ArgumentForm::Link(counterpart(*source)?, *port),
        })
    });
    Some((kind(node), name, arguments.collect::<Option<_>>()?))
}

/// True if a parameter of the node is linked.
fn has_sources((_, _, arguments): &NodeForm<'_>) -> bool {
    let is_link = |argument: &ArgumentForm<'_>| matches!(argument, ArgumentForm::Link(..));
    arguments.iter().any(is_link)
}

/// Form of a node without literals and its name; `None` if no source has a counterpart.
fn rough_form(
    function: &Function,
    key: NodeKey,
    counterpart: impl Fn(NodeKey) -> Option<NodeKey>,
) -> Option<NodeForm<'_>> {
    let node = function.stored(key);
    let mut is_anchored = false;
    let arguments = node.inputs.iter().map(|input| match input {
        Input::Unset => ArgumentForm::Unset,
        Input::Value(_) => ArgumentForm::Literal(None),
        Input::Link { source, port } => match counterpart(*source) {
            Some(source) => {
                is_anchored = true;
                ArgumentForm::Link(source, *port)
            }
            None => ArgumentForm::Unmatched(kind(function.stored(*source)), *port),
        },
    });
    let arguments = arguments.collect();
    is_anchored.then_some((kind(node), None, arguments))
}

fn topological_order(function: &Function) -> Vec<NodeKey> {
    let ids = function.node_ids().into_iter();
    let keys = ids.filter_map(|id| function.key(id).ok());
    let mut keys: Vec<NodeKey> = keys.collect();
    keys.sort_unstable_by_key(|&key| {
        let node = function.stored(key);
        (node.label, node.id)
    });
    keys
}

/// Nodes by form; `None` for a form of several nodes.
fn unique<F: Eq + Hash>(
    nodes: impl Iterator<Item = (F, NodeKey)>,
) -> FxHashMap<F, Option<NodeKey>> {
    let mut forms = FxHashMap::default();
    for (form, key) in nodes {
        forms
            .entry(form)
            .and_modify(|only| *only = None)
            .or_insert(Some(key));
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::{Request, function};
    use crate::graph::Document;

    /// Nodes of the second text as `Kind name`, each with its counterpart in the first or `new`.
    fn matched(before: &str, after: &str) -> String {
        let document = Document::default();
        let build = |text: &str| {
            let data = function(&document, &Request::new("f", text)).unwrap();
            (document.build(&data).unwrap(), data)
        };
        let ((old, _), (new, mut data)) = (build(before), build(after));
        renumber(&mut data, Some(&old), &new, |id| id.0 == 100).unwrap();
        document.build(&data).unwrap();
        let inner = data.nodes.iter().filter(|node| node.node_type != "End");
        let lines = inner.map(|node| {
            let id = node.node_id.unwrap();
            let known = old.node(id).ok();
            if let Some(known) = known {
                assert_eq!(
                    known.kind().info().name,
                    node.node_type,
                    "{before} => {after}"
                );
            }
            let name = node.display_name.as_ref().unwrap_or(&node.node_type);
            match known {
                Some(_) => format!("{name} {id}"),
                None => format!("{name} new"),
            }
        });
        lines.collect::<Vec<_>>().join(", ")
    }

    fn check(before: &str, after: &str, expected: &str) {
        assert_eq!(matched(before, after), expected, "{before} => {after}");
    }

    #[test]
    fn the_same_nodes_keep_their_ids() {
        let ball = "length(pos) - 5";
        check(
            ball,
            ball,
            "Begin 1, Length 2, ConstantScalar 3, Subtraction 4",
        );
        check(
            ball,
            "length(pos) - 6",
            "Begin 1, Length 2, ConstantScalar 3, Subtraction 4",
        );
        check(
            ball,
            "max(z, length(pos) - 6)",
            "Begin 1, Length 2, ConstantScalar 3, Subtraction 4, DecomposeVector new, Max new",
        );
        check(
            "x*2 + y*3",
            "y*4 + x*5",
            "Begin 1, DecomposeVector 2, ConstantScalar 3, Multiplication 4, ConstantScalar 5, Multiplication 6, \
             Addition 7",
        );
    }

    #[test]
    fn names_come_before_structure() {
        let box_ = "let wall = 2; let gap = 3; max(x - wall, y - gap)";
        check(
            box_,
            "let gap = 2; let wall = 3; max(x - wall, y - gap)",
            "Begin 1, DecomposeVector 2, wall 3, Subtraction 4, gap 5, Subtraction 6, Max 7",
        );
        // In another case, unless there is the very name.
        check(
            box_,
            "let Wall = 7; let GAP = 3; let gap = 4; max(x - Wall, y - gap*GAP)",
            "Begin 1, DecomposeVector 2, Wall 3, Subtraction 4, gap 5, Max 7, GAP new, Multiplication new, Subtraction new",
        );
        // Renamed, with the same value.
        check(
            box_,
            "let side = 2; let gap = 7; max(x - side, y - gap)",
            "Begin 1, DecomposeVector 2, side 3, Subtraction 4, gap 5, Subtraction 6, Max 7",
        );
        // A constant of equal value with another use.
        check(
            "let wall = 2; let hole = 3; max(wall - x, hole - y)",
            "length(pos) - 3",
            "Begin 1, Length new, ConstantScalar new, Subtraction new",
        );
        // Another name and another value: another constant.
        check(
            "let wall = 2; x - wall",
            "let gap = 3; x - gap",
            "Begin 1, DecomposeVector 2, Subtraction 4, gap new",
        );
        check(
            "let a = 2; x - a",
            "x - 2",
            "Begin 1, DecomposeVector 2, ConstantScalar 3, Subtraction 4",
        );
    }

    #[test]
    fn what_is_not_alike_gets_a_new_id() {
        check(
            "length(pos) - 5",
            "x*7",
            "Begin 1, DecomposeVector new, ConstantScalar new, Multiplication new",
        );
        check("length(pos) - 5", "sin(a)", "Begin 1, Sine new");
        check("5*6", "a", "Begin new");
    }
}
