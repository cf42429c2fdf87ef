//! Attributes of the end nodes of a function. `Begin` and `End` have no elements in 3MF, so their ids, names and positions
//! are attributes of Fibula's own namespace on the function. So are the defaults, units and limits of its inputs, as
//! `inputs="[{"name":"radius","type":"float","default":10.0}]"`.

use fibula_core::graph::model::Attribute;
use fibula_core::graph::{Function, NodeData, NodeId, NodeView};
use fibula_nodes::PortSpec;

use super::node_tag::parse_position;

/// Namespace of the attributes.
pub(crate) const NAMESPACE: &str = "urn:fibula:graph";

/// Name and position of an end node.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct EndNode {
    name: Option<String>,
    position: Option<[f64; 2]>,
}

/// Gives inputs the details that are written for inputs of the same names and types, unless a graph rejects them.
pub(crate) fn apply_details(written: &[PortSpec], inputs: &mut [PortSpec]) {
    for input in inputs {
        let same = |written: &&PortSpec| written.name == input.name && written.ty == input.ty;
        let details = written.iter().find(same);
        let details = details.and_then(|written| written.details.clone());
        input.details = details.filter(|details| details.fault(input.ty).is_none());
    }
}

/// Attributes of the end nodes of a function.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct EndAttributes {
    /// Id of `Begin`, if it is not 1.
    pub(crate) begin_id: Option<NodeId>,
    begin: EndNode,
    end: EndNode,
    /// Inputs with defaults, units and limits, which 3MF lacks.
    inputs: Vec<PortSpec>,
}

impl EndAttributes {
    /// Collects the attributes of a function.
    pub(crate) fn from_function(function: &Function) -> EndAttributes {
        let end = |node: NodeView<'_>| EndNode {
            name: node.display_name().map(str::to_owned),
            position: node.position(),
        };
        let inputs = function.inputs().into_iter();
        let view = |id: NodeId| function.node(id).map(end).unwrap_or_default();
        EndAttributes {
            begin_id: function.begin().filter(|&id| id != NodeId(1)),
            begin: function.begin().map(view).unwrap_or_default(),
            end: view(NodeId::END),
            inputs: inputs.filter(|input| input.details.is_some()).collect(),
        }
    }

    /// True if no attribute has to be written.
    pub(crate) fn is_empty(&self) -> bool {
        *self == EndAttributes::default()
    }

    /// Returns the XML attributes.
    pub(crate) fn to_attributes(&self) -> Vec<Attribute> {
        let mut all = Vec::new();
        let mut add = |name: &str, value: Option<String>| {
            all.extend(value.map(|value| Attribute::new(NAMESPACE, name, value)));
        };
        add("begin", self.begin_id.map(|id| id.to_string()));
        for (name, at, end) in [
            ("beginname", "beginat", &self.begin),
            ("endname", "endat", &self.end),
        ] {
            add(name, end.name.clone());
            add(at, end.position.map(|[x, y]| format!("{x},{y}")));
        }
        let inputs = serde_json::to_string(&self.inputs).ok();
        add("inputs", inputs.filter(|_| !self.inputs.is_empty()));
        all
    }

    /// Parses XML attributes, and ignores those of other namespaces.
    pub(crate) fn parse(attributes: &[Attribute]) -> EndAttributes {
        let mut ends = EndAttributes::default();
        let own = attributes.iter().filter(|one| one.namespace == NAMESPACE);
        for Attribute { name, value, .. } in own {
            match name.as_str() {
                "begin" => ends.begin_id = value.parse().ok().filter(|&id| id > 0).map(NodeId),
                "beginname" => ends.begin.name = Some(value.clone()),
                "beginat" => ends.begin.position = parse_position(value),
                "endname" => ends.end.name = Some(value.clone()),
                "endat" => ends.end.position = parse_position(value),
                "inputs" => ends.inputs = serde_json::from_str(value).unwrap_or_default(),
                _ => {}
            }
        }
        ends
    }

    /// Restores the details of inputs.
    pub(crate) fn apply_details(&self, inputs: &mut [PortSpec]) {
        apply_details(&self.inputs, inputs);
    }

    /// Sets the names and positions of the end nodes, without names that a graph rejects.
    pub(crate) fn apply(&self, nodes: &mut [NodeData]) {
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
