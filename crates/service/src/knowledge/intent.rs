//! Intent of functions, their nodes and inputs: the edges of the knowledge graph that link them to requirements and decisions, and
//! what edits do to these.

use std::collections::BTreeSet;

use fibula_core::edit::LinkData;
use fibula_core::graph::{
    Document, Function, FunctionData, FunctionId, NodeData, NodeId, NodeView,
};
use fibula_core::refactor;
use fibula_knowledge::{Direction, EdgeRef, FunctionEnd, FunctionPart};

use super::node_lookup;
use super::records::LinkShown;

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

pub(super) fn function_end(function: FunctionId) -> FunctionEnd {
    FunctionEnd {
        function: function.0,
        part: FunctionPart::Whole,
    }
}

pub(super) fn node_end(function: FunctionId, node: NodeId) -> FunctionEnd {
    FunctionEnd {
        function: function.0,
        part: FunctionPart::Node(node.0),
    }
}

pub(super) fn input_end(function: FunctionId, name: &str) -> FunctionEnd {
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

/// Intent of a function, its inputs and its nodes, and a warning if not all is listed.
pub(crate) fn whole_intent(
    document: &Document,
    function: FunctionId,
) -> (Vec<Intent>, Option<String>) {
    let mut intent = function_intent(document, function);
    let graph = document.knowledge();
    if !graph.has_function_ends() {
        return (intent, None);
    }
    let ends = graph.function_ends().into_iter();
    let ends: Vec<FunctionEnd> = ends.filter(|end| end.function == function.0).collect();
    let nodes = ends.iter().filter(|end| end.node().is_some());
    let nodes = nodes.flat_map(|end| intents_at(document, end));
    intent.extend(nodes.take(MOST_LISTED - intent.len()));
    let edges = ends
        .iter()
        .flat_map(|end| graph.edges_at(&end.to_string(), Direction::Both));
    let total = edges.count();
    let warning = (total > intent.len()).then(|| {
        format!(
            "{} of {total} edges of the knowledge graph at the function, its inputs and nodes are listed; get_neighbors lists all",
            intent.len()
        )
    });
    (intent, warning)
}

/// Intent of a node that a change concerns, of what has no effect any more since these links were deleted, and of the function.
pub(crate) fn changed_intent(
    document: &Document,
    function: FunctionId,
    node: NodeId,
    deleted: &[LinkData],
) -> Vec<Intent> {
    if !document.knowledge().has_function_ends() {
        return Vec::new();
    }
    let own = intent_edges(document, &node_end(function, node)).into_iter();
    own.chain(unused_intent(document, function, deleted))
        .chain(intents_at(document, &function_end(function)))
        .take(MOST_LISTED)
        .collect()
}

/// Intent of the nodes and inputs from which deleted links came, directly or through others, and that have no effect on the
/// outputs.
fn unused_intent(document: &Document, id: FunctionId, deleted: &[LinkData]) -> Vec<Intent> {
    let Some(function) = document.find_function(id) else {
        return Vec::new();
    };
    let Ok(unused) = refactor::unused_nodes(function) else {
        return Vec::new();
    };
    let mut pending: Vec<NodeId> = deleted.iter().map(|link| link.source_node_id).collect();
    let mut nodes = BTreeSet::new();
    while let Some(id) = pending.pop() {
        if unused.contains(&id)
            && nodes.insert(id)
            && let Ok(node) = function.node(id)
        {
            let parameters = 0..node.signature().parameters.len();
            pending.extend(parameters.filter_map(|parameter| Some(node.link(parameter)?.0)));
        }
    }
    let begin = function.begin().and_then(|begin| function.node(begin).ok());
    let links = begin.map_or_else(Vec::new, NodeView::consumers);
    let inputs = function.inputs().into_iter().enumerate();
    let unused_inputs = inputs.filter(|(place, input)| {
        let mut targets = links
            .iter()
            .filter(|(port, ..)| port == place)
            .map(|link| link.1);
        let is_source = |link: &LinkData| {
            Some(link.source_node_id) == function.begin() && link.source_port_name == input.name
        };
        let was_used =
            deleted.iter().any(is_source) || targets.clone().any(|target| nodes.contains(&target));
        was_used && targets.all(|target| unused.contains(&target))
    });
    let inputs = unused_inputs.map(|(_, input)| input_end(id, &input.name));
    let ends = nodes.iter().map(|&node| node_end(id, node)).chain(inputs);
    ends.flat_map(|end| intents_at(document, &end)).collect()
}

/// Edges that are dangling after the deletion of a node, and the intent of the nodes whose links went with it, of those
/// without effect since, and of their function.
pub(crate) fn deleted_intent(
    document: &Document,
    function: FunctionId,
    node: NodeId,
    deleted: &[LinkData],
) -> (Vec<Intent>, Vec<Intent>) {
    if !document.knowledge().has_function_ends() {
        return Default::default();
    }
    let targets = deleted.iter().map(|link| link.target_node_id);
    let targets: BTreeSet<NodeId> = targets.filter(|&target| target != node).collect();
    let targets = targets.into_iter();
    let intent = targets
        .flat_map(|target| intents_at(document, &node_end(function, target)))
        .chain(unused_intent(document, function, deleted))
        .chain(intents_at(document, &function_end(function)));
    (
        intents_at(document, &node_end(function, node)),
        intent.take(MOST_LISTED).collect(),
    )
}

/// Edges at an end, with the end.
pub(super) fn intents_at(document: &Document, end: &FunctionEnd) -> Vec<Intent> {
    let edges = intent_edges(document, end).into_iter();
    edges.map(|intent| intent.at(end)).collect()
}

pub(super) fn intent_edges(document: &Document, end: &FunctionEnd) -> Vec<Intent> {
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

/// Ends of edges that refer to functions or nodes that no longer exist.
pub(crate) fn dangling(document: &Document) -> Vec<FunctionEnd> {
    let mut ends = document.knowledge().function_ends();
    ends.retain(|end| node_lookup::check_exists(document, end).is_err());
    ends
}
