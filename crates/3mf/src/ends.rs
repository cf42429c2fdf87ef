//! The ends of a function, which are no elements: what 3MF does not say of them stands in attributes of Fibula's own.

use fibula_core::graph::model::Attribute;
use fibula_core::graph::{Function, NodeData, NodeId, NodeView};

use super::mark::place;

/// The namespace of the attributes.
pub(super) const NAMESPACE: &str = "urn:fibula:graph";

/// What is said of one end.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct End {
    name: Option<String>,
    position: Option<[f64; 2]>,
}

/// What is said of the ends of a function.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Ends {
    /// The id of `Begin`, if it is not 1.
    pub(super) begin_id: Option<NodeId>,
    begin: End,
    end: End,
}

impl Ends {
    /// What there is to say of a function.
    pub(super) fn of(function: &Function) -> Ends {
        let end = |node: NodeView<'_>| End {
            name: node.display_name().map(str::to_owned),
            position: node.position(),
        };
        let view = |id: NodeId| function.node(id).map(end).unwrap_or_default();
        Ends {
            begin_id: function.begin().filter(|&id| id != NodeId(1)),
            begin: function.begin().map(view).unwrap_or_default(),
            end: view(NodeId::END),
        }
    }

    /// Whether there is nothing to say.
    pub(super) fn is_empty(&self) -> bool {
        *self == Ends::default()
    }

    /// What is said, as attributes.
    pub(super) fn attributes(&self) -> Vec<Attribute> {
        let mut all = Vec::new();
        let mut add = |name: &str, value: Option<String>| {
            all.extend(value.map(|value| Attribute {
                namespace: NAMESPACE.to_owned(),
                name: name.to_owned(),
                value,
            }));
        };
        add("begin", self.begin_id.map(|id| id.to_string()));
        for (name, at, end) in [
            ("beginname", "beginat", &self.begin),
            ("endname", "endat", &self.end),
        ] {
            add(name, end.name.clone());
            add(at, end.position.map(|[x, y]| format!("{x},{y}")));
        }
        all
    }

    /// What attributes say.
    pub(super) fn read(attributes: &[Attribute]) -> Ends {
        let mut ends = Ends::default();
        let own = attributes.iter().filter(|one| one.namespace == NAMESPACE);
        for Attribute { name, value, .. } in own {
            match name.as_str() {
                "begin" => ends.begin_id = value.parse().ok().filter(|&id| id > 0).map(NodeId),
                "beginname" => ends.begin.name = Some(value.clone()),
                "beginat" => ends.begin.position = place(value),
                "endname" => ends.end.name = Some(value.clone()),
                "endat" => ends.end.position = place(value),
                _ => {}
            }
        }
        ends
    }

    /// Says it of the nodes; names that a graph does not take do not count.
    pub(super) fn apply(&self, nodes: &mut [NodeData]) {
        for node in nodes {
            let end = match node.node_type.as_str() {
                "Begin" => &self.begin,
                "End" => &self.end,
                _ => continue,
            };
            let sound =
                |name: &&String| fibula_core::graph::check_name("a node's name", name).is_ok();
            node.display_name = end.name.as_ref().filter(sound).cloned();
            node.position = end.position;
        }
    }
}
