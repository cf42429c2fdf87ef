//! Edges that follow nodes and inputs of functions to their new ids and names, and ids that are reserved because knowledge refers to them.

use std::collections::{BTreeMap, BTreeSet};

use fibula_core::edit::{Edit, KnowledgeEdit, PortEdit, Stage};
use fibula_core::graph::{Document, Function, FunctionData, FunctionId, NodeId, NodeView, Side};
use fibula_core::refactor;
use fibula_knowledge::{Direction, FunctionEnd, FunctionPart};

use super::intent::{input_end, intent_edges, node_end};
use super::node_lookup;
use crate::refusal::{Refusal, Result};

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

fn have_one_kind(one: NodeView<'_>, other: NodeView<'_>) -> bool {
    one.kind().info().name == other.kind().info().name
}
