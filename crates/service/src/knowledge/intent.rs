//! Intent of functions, their nodes and inputs: the edges of the knowledge graph that link them to requirements and decisions, and
//! what edits do to these.

use std::collections::{BTreeMap, BTreeSet};

use fibula_core::edit::{Edit, KnowledgeEdit, PortEdit, Stage};
use fibula_core::graph::{
    Document, Function, FunctionData, FunctionId, NodeData, NodeId, NodeView, Side,
};
use fibula_core::refactor;
use fibula_knowledge::{Direction, EdgeRef, FunctionEnd, FunctionPart};

use super::node_lookup;
use super::records::LinkShown;
use crate::refusal::{Refusal, Result};

/// Maximum number of edges of a function or node in an answer.
const MOST_LISTED: usize = 20;

json_structs! {
    /// An edge between a node of the knowledge graph and a function, its node or its input.
    pub answer(PartialEq) struct Intent {
        #[serde(flatten)]
        pub link: LinkShown,
        /// "incoming" at the function, or "outgoing".
        pub direction: &'static str,
        /// The function, its node or its input, if it is not implied: "fn:3/7".
        pub end: Option<String>,
    }

    /// An edge that follows a node to another id.
    pub answer(PartialEq) struct MovedEdge {
        #[serde(flatten)]
        pub link: LinkShown,
        /// End before the change: "fn:3/7".
        pub from: String,
        /// End after it.
        pub to: String,
    }
}

impl Intent {
    /// The same with its end.
    fn at(self, end: &FunctionEnd) -> Intent {
        Intent {
            end: Some(end.to_string()),
            ..self
        }
    }
}

fn function_end(function: FunctionId) -> FunctionEnd {
    FunctionEnd {
        function: function.0,
        part: FunctionPart::Whole,
    }
}

fn node_end(function: FunctionId, node: NodeId) -> FunctionEnd {
    FunctionEnd {
        function: function.0,
        part: FunctionPart::Node(node.0),
    }
}

fn input_end(function: FunctionId, name: &str) -> FunctionEnd {
    FunctionEnd {
        function: function.0,
        part: FunctionPart::Input(name.into()),
    }
}

/// Intent of a node of a function; of the `Begin` also that of the inputs.
pub(crate) fn node_intent(document: &Document, function: FunctionId, node: NodeId) -> Vec<Intent> {
    let known = document.find_function(function);
    let inputs = known
        .filter(|known| known.begin() == Some(node))
        .map_or_else(Vec::new, |known| inputs_intent(document, known));
    let own = intent_edges(document, &node_end(function, node)).into_iter();
    own.chain(inputs).take(MOST_LISTED).collect()
}

/// Intent of all inputs of a function, with their ends.
fn inputs_intent(document: &Document, function: &Function) -> Vec<Intent> {
    if !document.knowledge().has_function_ends() {
        return Vec::new();
    }
    let inputs = function.inputs().into_iter();
    inputs
        .flat_map(|input| input_intent(document, function.id(), &input.name))
        .collect()
}

/// Intent of an input of a function, with its end.
pub(crate) fn input_intent(document: &Document, function: FunctionId, name: &str) -> Vec<Intent> {
    intents_at(document, &input_end(function, name))
}

/// Intent of a function and its inputs, without that of its nodes.
pub(crate) fn function_intent(document: &Document, function: FunctionId) -> Vec<Intent> {
    let known = document.find_function(function);
    let inputs = known.map_or_else(Vec::new, |known| inputs_intent(document, known));
    let own = intent_edges(document, &function_end(function)).into_iter();
    own.chain(inputs).take(MOST_LISTED).collect()
}

/// Intent of a node that a change concerns, then that of its function.
pub(crate) fn changed_intent(
    document: &Document,
    function: FunctionId,
    node: NodeId,
) -> Vec<Intent> {
    if !document.knowledge().has_function_ends() {
        return Vec::new();
    }
    let of_function = intents_at(document, &function_end(function));
    let own = intent_edges(document, &node_end(function, node)).into_iter();
    own.chain(of_function).take(MOST_LISTED).collect()
}

/// Edges that are dangling after the deletion of a node, and the intent of the nodes whose links went with it and of their
/// function.
pub(crate) fn deleted_intent(
    document: &Document,
    function: FunctionId,
    node: NodeId,
    targets: &BTreeSet<NodeId>,
) -> (Vec<Intent>, Vec<Intent>) {
    if !document.knowledge().has_function_ends() {
        return Default::default();
    }
    let targets = targets
        .iter()
        .flat_map(|&target| intents_at(document, &node_end(function, target)));
    let intent = targets.chain(intents_at(document, &function_end(function)));
    (
        intents_at(document, &node_end(function, node)),
        intent.take(MOST_LISTED).collect(),
    )
}

/// Edges at an end, with the end.
fn intents_at(document: &Document, end: &FunctionEnd) -> Vec<Intent> {
    let edges = intent_edges(document, end).into_iter();
    edges.map(|intent| intent.at(end)).collect()
}

fn intent_edges(document: &Document, end: &FunctionEnd) -> Vec<Intent> {
    let graph = document.knowledge();
    let end = end.to_string();
    let edges = graph.edges_at(&end, Direction::Both).into_iter();
    let links = edges.take(MOST_LISTED).map(|edge| {
        let (other, direction) = if edge.target() == end {
            (edge.source(), "incoming")
        } else {
            (edge.target(), "outgoing")
        };
        Intent {
            link: LinkShown::of(document, edge, other),
            direction,
            end: None,
        }
    });
    links.collect()
}

/// Effects of a change of functions on the edges of the knowledge graph that end at them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct AffectedIntent {
    /// Edges whose function, node or input is gone.
    pub(crate) dangling: Vec<Intent>,
    /// Edges whose node has another id now, which they follow.
    pub(crate) moved: Vec<MovedEdge>,
    /// Edges whose function or node has changed, or exists again.
    pub(crate) intent: Vec<Intent>,
}

impl AffectedIntent {
    /// Compares two states of a document. Takes time only for functions to which knowledge is tied.
    pub(crate) fn between(before: &Document, after: &Document) -> AffectedIntent {
        let mut affected = AffectedIntent::default();
        let old = before.knowledge();
        if !old.has_function_ends() {
            return affected;
        }
        for end in &old.function_ends() {
            if node_lookup::check_exists(before, end).is_err() {
                if node_lookup::check_exists(after, end).is_ok() {
                    affected.intent.extend(intents_at(after, end));
                }
                continue;
            }
            let id = end.to_string();
            let edges = old.edges_at(&id, Direction::Both).into_iter();
            affected
                .moved
                .extend(edges.filter_map(|edge| MovedEdge::of(after, edge, &id)));
            let list = match fate(before, after, end) {
                Fate::Unchanged => continue,
                Fate::Changed => &mut affected.intent,
                Fate::Gone => &mut affected.dangling,
            };
            list.extend(intents_at(after, end));
        }
        let moved = affected.moved.iter().map(|moved| &moved.link.edge);
        let moved: BTreeSet<&String> = moved.collect();
        affected
            .intent
            .retain(|intent| !moved.contains(&intent.link.edge));
        affected.dangling.truncate(MOST_LISTED);
        affected.moved.truncate(MOST_LISTED);
        affected.intent.truncate(MOST_LISTED);
        affected
    }
}

impl MovedEdge {
    /// An edge that ended at `from`, if it ends elsewhere now.
    fn of(after: &Document, edge: EdgeRef<'_>, from: &str) -> Option<MovedEdge> {
        let now = after.knowledge().find_edge(edge.id())?;
        let (to, other) = if edge.target() == from {
            (now.target(), now.source())
        } else {
            (now.source(), now.target())
        };
        (to != from).then(|| MovedEdge {
            link: LinkShown::of(after, now, other),
            from: from.to_owned(),
            to: to.to_owned(),
        })
    }
}

/// Effect of a change on a function or node at the end of an edge.
enum Fate {
    Unchanged,
    Changed,
    /// Removed.
    Gone,
}

/// Compares a function, node or input in two documents; positions of nodes are ignored. It exists in the first.
fn fate(before: &Document, after: &Document, end: &FunctionEnd) -> Fate {
    let id = FunctionId(end.function);
    let is_image = |document: &Document| document.image_function(id.into()).is_some();
    if end.is_whole() && is_image(before) && is_image(after) {
        return Fate::Unchanged;
    }
    let (Some(old), Some(new)) = (before.find_function(id), after.find_function(id)) else {
        return Fate::Gone;
    };
    if old.hash() == new.hash() {
        return Fate::Unchanged;
    }
    let is_unchanged = match &end.part {
        FunctionPart::Whole => {
            let data = |function: &Function| FunctionData {
                nodes: function.nodes().map(without_position).collect(),
                ..function.data()
            };
            data(old) == data(new)
        }
        FunctionPart::Node(node) => match (old.node(NodeId(*node)), new.node(NodeId(*node))) {
            (Ok(old), Ok(new)) => without_position(old) == without_position(new),
            _ => return Fate::Gone,
        },
        FunctionPart::Input(name) => match (old.input(name), new.input(name)) {
            (old, new @ Some(_)) => old == new,
            (_, None) => return Fate::Gone,
        },
    };
    if is_unchanged {
        Fate::Unchanged
    } else {
        Fate::Changed
    }
}

fn without_position(node: NodeView<'_>) -> NodeData {
    NodeData {
        position: None,
        ..node.data()
    }
}

fn have_one_kind(one: NodeView<'_>, other: NodeView<'_>) -> bool {
    one.kind().info().name == other.kind().info().name
}

/// Nodes of a function to which knowledge is tied, whether they still exist or not.
pub(crate) fn tied_nodes(document: &Document, function: FunctionId) -> BTreeSet<NodeId> {
    let graph = document.knowledge();
    if !graph.has_function_ends() {
        return BTreeSet::new();
    }
    let ends = graph.function_ends().into_iter();
    let own = ends.filter(|end| end.function == function.0);
    own.filter_map(|end| end.node().map(NodeId)).collect()
}

/// True if knowledge is tied to nodes or inputs of a function, whether they still exist or not.
pub(crate) fn has_tied_parts(document: &Document, function: FunctionId) -> bool {
    if !document.knowledge().has_function_ends() {
        return false;
    }
    let ends = document.knowledge().function_ends().into_iter();
    let mut own = ends.filter(|end| end.function == function.0);
    own.any(|end| !end.is_whole())
}

/// Returns the id for a new node, of which no knowledge is told: the one that is asked for, or the next one if knowledge
/// is tied to that; `None` leaves the choice to the edit.
///
/// # Errors
/// A [`Refusal`] if edges end at the id that is asked for, since they are about a node that was deleted; or if there are
/// no more ids.
pub(crate) fn untied_id(
    document: &Document,
    function: FunctionId,
    asked: Option<NodeId>,
) -> Result<Option<NodeId>> {
    let graph = document.knowledge();
    let Some(known) = document.find_function(function) else {
        return Ok(asked);
    };
    if !graph.has_function_ends() || asked.is_some_and(|node| known.node(node).is_ok()) {
        return Ok(asked);
    }
    let is_tied = |node: NodeId| {
        let end = node_end(function, node).to_string();
        !graph.edges_at(&end, Direction::Both).is_empty()
    };
    let Some(asked) = asked else {
        let first = known.next_node_id()?;
        let mut free = (first.0..=u32::MAX)
            .map(NodeId)
            .filter(|&node| !is_tied(node));
        return Ok(free.next().filter(|&free| free != first));
    };
    check_untied(document, function, asked)?;
    Ok(Some(asked))
}

/// Checks that no knowledge is told of a node that is new.
///
/// # Errors
/// A [`Refusal`] if edges end at its id, since they are about a node that was deleted.
pub(crate) fn check_untied(document: &Document, function: FunctionId, node: NodeId) -> Result<()> {
    let end = node_end(function, node);
    check_untied_end(document, &end, ["node", "node_id"])
}

/// Checks that no knowledge is told of a function that is new, or of its nodes.
///
/// # Errors
/// A [`Refusal`] if edges end at its id or those of its nodes, since they are about a function that was deleted.
pub(crate) fn check_untied_function(document: &Document, function: FunctionId) -> Result<()> {
    let graph = document.knowledge();
    if !graph.has_function_ends() {
        return Ok(());
    }
    let ends = graph.function_ends().into_iter();
    let mut own = ends.filter(|end| {
        end.function == function.0 && node_lookup::check_exists(document, end).is_ok()
    });
    own.try_for_each(|end| check_untied_end(document, &end, ["function", "function_id"]))
}

/// Checks that no edge ends at something new, which is named with the argument that gives its id.
fn check_untied_end(
    document: &Document,
    end: &FunctionEnd,
    [what, argument]: [&str; 2],
) -> Result<()> {
    let edges = intent_edges(document, end);
    if edges.is_empty() {
        return Ok(());
    }
    let ids: Vec<&str> = edges
        .iter()
        .map(|intent| intent.link.edge.as_str())
        .collect();
    let form = match end.part {
        FunctionPart::Whole => "fn:FUNCTION",
        FunctionPart::Node(_) => "fn:FUNCTION/NODE",
        FunctionPart::Input(_) => "fn:FUNCTION#INPUT",
    };
    let message = format!(
        "the knowledge at {end} (edges {}) is about a {what} that was deleted, and would be about the new one",
        ids.join(", ")
    );
    Err(Refusal::new("tied_id", message).hint(format!(
        "omit {argument}; then move the edges with update {{\"edges\": [{{\"id\": ..., \"target\": \"{form}\"}}]}} if they are \
         about the new {what}, or remove them; undo brings the old {what} back with its knowledge",
    )))
}

/// Gives the nodes of a function that is set without their ids such to which no knowledge is tied.
pub(crate) fn number_nodes(document: &Document, data: &mut FunctionData) {
    let tied = data.function_id.map(|id| tied_nodes(document, id));
    let mut taken = tied.unwrap_or_default();
    if taken.is_empty() {
        return;
    }
    taken.extend(data.nodes.iter().filter_map(|node| node.node_id));
    let mut free = (1..=u32::MAX).map(NodeId).filter(|id| !taken.contains(id));
    let unnumbered = data.nodes.iter_mut();
    let unnumbered = unnumbered.filter(|node| node.node_id.is_none() && node.node_type != "End");
    for node in unnumbered {
        node.node_id = free.next();
    }
}

/// Moves the edges at parameters of a function that was replaced ([`follow_parameters`]), then those at nodes that have other ids
/// now.
///
/// Edges follow the node that corresponds to theirs ([`refactor::match_nodes`]), if there is one, unless a node of the id, kind
/// and name of theirs corresponds to no other node. Edges at a node without counterpart stay at its id.
///
/// # Errors
/// A [`Refusal`] if the stage is full.
pub(crate) fn follow_replaced(stage: &mut Stage, before: &Function) -> Result<()> {
    follow_parameters(stage, before)?;
    let document = stage.document();
    let (id, tied) = (before.id(), tied_nodes(document, before.id()));
    let after = document.function(id)?;
    let tied = tied.into_iter().filter_map(|node| before.node(node).ok());
    let tied: Vec<NodeView<'_>> = tied.collect();
    if tied.is_empty() {
        return Ok(());
    }
    let matches = refactor::match_nodes(before, after);
    let has_stayed = |node: &NodeView<'_>| {
        let now = after.node(node.id());
        let is_same = now.is_ok_and(|now| {
            have_one_kind(*node, now) && node.display_name() == now.display_name()
        });
        is_same && !matches.contains_key(&node.id())
    };
    let counterparts: BTreeMap<NodeId, NodeId> =
        matches.iter().map(|(new, old)| (*old, *new)).collect();
    let lost = tied
        .iter()
        .filter(|node| !has_stayed(node))
        .map(|node| node.id());
    let moves = lost.filter_map(|old| Some((old, *counterparts.get(&old)?)));
    let moves = moves.filter(|(old, new)| old != new);
    let moves = moves.map(|(old, new)| (node_end(id, old), node_end(id, new)));
    follow(stage, moves.collect())
}

/// Moves the edges at constants of a function that are inputs of the same names now, and at inputs that are constants or
/// have their names in another case. A name decides, not what has the id of a constant now.
///
/// # Errors
/// A [`Refusal`] if the stage is full.
pub(crate) fn follow_parameters(stage: &mut Stage, before: &Function) -> Result<()> {
    let (id, document) = (before.id(), stage.document());
    let after = document.function(id)?;
    let constants = |function: &Function| -> Vec<(String, NodeId)> {
        let own = function.named_constants();
        own.map(|own| (own.name.to_owned(), own.node.id()))
            .collect()
    };
    let (old, new) = (constants(before), constants(after));
    let inputs = after.inputs();
    let input = |name: &str| {
        let found = only_named(&inputs, |input| &*input.name, name)?;
        Some(input_end(id, &found.name))
    };
    let constant = |name: &str| only_named(&new, |own| own.0.as_str(), name);
    let ends = document.knowledge().function_ends().into_iter();
    let moves = ends.filter(|end| end.function == id.0).filter_map(|end| {
        let now = match &end.part {
            FunctionPart::Whole => None,
            FunctionPart::Input(name) => {
                before.input(name)?;
                input(name).or_else(|| Some(node_end(id, constant(name)?.1)))
            }
            FunctionPart::Node(node) => {
                let (name, _) = old.iter().find(|(_, own)| own.0 == *node)?;
                let is_there = new.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
                (!is_there).then(|| input(name))?
            }
        }?;
        (now != end).then_some((end, now))
    });
    let moves = moves.collect();
    follow(stage, moves)
}

/// The only one of a name, or if there is none, the only one of it in another case.
fn only_named<'a, T>(all: &'a [T], of: impl Fn(&T) -> &str, name: &str) -> Option<&'a T> {
    let is_exact = all.iter().any(|one| of(one) == name);
    let mut named = all.iter().filter(|one| {
        let own = of(one);
        own == name || (!is_exact && own.eq_ignore_ascii_case(name))
    });
    let first = named.next()?;
    named.next().is_none().then_some(first)
}

/// The ends before and after an edit, if it renames an input, which it names in any case.
pub(crate) fn renamed_input(document: &Document, edit: &Edit) -> Vec<(FunctionEnd, FunctionEnd)> {
    let Edit::Port(PortEdit::Rename {
        function_id,
        side: Side::Input,
        name,
        new_name,
    }) = edit
    else {
        return Vec::new();
    };
    let function = document.find_function(*function_id);
    let inputs = function.map_or_else(Vec::new, Function::inputs);
    let before = only_named(&inputs, |input| &*input.name, name);
    let ends = before.map(|before| [&*before.name, new_name.as_str()]);
    let ends = ends.map(|names| names.map(|name| input_end(*function_id, name)).into());
    ends.into_iter().collect()
}

/// Moves the edges at nodes that were extracted to another function, in which they have the same ids.
///
/// # Errors
/// A [`Refusal`] if the stage is full.
pub(crate) fn follow_extracted(
    stage: &mut Stage,
    from: FunctionId,
    to: FunctionId,
    nodes: &[NodeId],
) -> Result<()> {
    let tied = tied_nodes(stage.document(), from).into_iter();
    let moves = tied.filter(|node| nodes.binary_search(node).is_ok());
    let moves = moves.map(|node| (node_end(from, node), node_end(to, node)));
    follow(stage, moves.collect())
}

/// Moves the edges at a call that was replaced by other nodes to the one that gives its output.
///
/// # Errors
/// A [`Refusal`] if the stage is full.
pub(crate) fn follow_inlined(
    stage: &mut Stage,
    function: FunctionId,
    call: NodeId,
    result: NodeId,
) -> Result<()> {
    follow(
        stage,
        vec![(node_end(function, call), node_end(function, result))],
    )
}

/// Replaces ends of edges, all at once: two ends may take each other's place.
///
/// # Errors
/// A [`Refusal`] if the stage is full.
pub(crate) fn follow(stage: &mut Stage, moves: Vec<(FunctionEnd, FunctionEnd)>) -> Result<()> {
    let mut edits = Vec::new();
    for (from, to) in moves {
        let (from, to) = (from.to_string(), to.to_string());
        for edge in stage
            .document()
            .knowledge()
            .edges_at(&from, Direction::Both)
        {
            let mut edge = edge.written();
            for end in [&mut edge.source, &mut edge.target] {
                if *end == from {
                    end.clone_from(&to);
                }
            }
            edits.push(Edit::Knowledge(KnowledgeEdit::PutEdge(Box::new(edge))));
        }
    }
    for edit in edits {
        stage.push(&edit)?;
    }
    Ok(())
}

/// Ends of edges that refer to functions or nodes that no longer exist.
pub(crate) fn dangling(document: &Document) -> Vec<FunctionEnd> {
    let mut ends = document.knowledge().function_ends();
    ends.retain(|end| node_lookup::check_exists(document, end).is_err());
    ends
}
