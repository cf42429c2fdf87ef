//! Emits built nodes as [`FunctionData`]: dead code elimination, ids and layout.

use std::collections::BTreeMap;

use fibula_nodes::{PortSpec, Type, Value};

use super::builder::{Constant, NodeBuilder, Operand, OperandSource};
use crate::graph::{FunctionData, NodeData, NodeId, Setting, SourceData};

/// Distances of columns and rows of nodes, in pixels.
const COLUMN: f64 = 240.0;
const ROW: f64 = 120.0;

/// Emits a function. An output that is a constant is a literal of `End` unless it has a name; other constants are nodes.
pub(super) fn function(
    builder: &NodeBuilder,
    name: &str,
    inputs: Vec<PortSpec>,
    outputs: Vec<(String, Operand)>,
) -> FunctionData {
    let mut emitter = FunctionEmitter {
        builder,
        inputs: &inputs,
        begin: (!inputs.is_empty()).then_some(NodeId(1)),
        node_ids: vec![None; builder.nodes.len()],
        constant_ids: vec![None; builder.constants.len()],
        nodes: Vec::new(),
    };
    emitter.nodes(&outputs);
    let mut end = NodeData::new(NodeId::END, "End");
    for (name, operand) in &outputs {
        let setting = emitter.setting(operand.source, true);
        end.parameters.insert(name.clone(), setting);
    }
    let mut nodes = emitter.nodes;
    if let Some(begin) = emitter.begin {
        nodes.insert(0, NodeData::new(begin, "Begin"));
    }
    nodes.insert(0, end);
    place(&mut nodes);
    let outputs = outputs
        .into_iter()
        .map(|(name, operand)| PortSpec::new(name, operand.ty));
    FunctionData {
        function_id: None,
        name: name.to_owned(),
        outputs: outputs.collect(),
        inputs,
        nodes,
    }
}

struct FunctionEmitter<'a> {
    builder: &'a NodeBuilder,
    inputs: &'a [PortSpec],
    begin: Option<NodeId>,
    node_ids: Vec<Option<NodeId>>,
    constant_ids: Vec<Option<NodeId>>,
    nodes: Vec<NodeData>,
}

impl FunctionEmitter<'_> {
    /// Emits the nodes that the outputs need, constants just before their first use.
    fn nodes(&mut self, outputs: &[(String, Operand)]) {
        let mut needed = vec![false; self.builder.nodes.len()];
        let need = |source: OperandSource, needed: &mut Vec<bool>| {
            if let OperandSource::Port(node, _) = source {
                needed[node] = true;
            }
        };
        for (_, operand) in outputs {
            need(operand.source, &mut needed);
        }
        for (node, built) in self.builder.nodes.iter().enumerate().rev() {
            if needed[node] {
                for &source in built.inputs.iter().flatten() {
                    need(source, &mut needed);
                }
            }
        }
        for (node, built) in self.builder.nodes.iter().enumerate() {
            if needed[node] {
                let shape = &self.builder.shapes[built.shape];
                let mut parameters = BTreeMap::new();
                for (parameter, source) in shape.signature.parameters.iter().zip(&built.inputs) {
                    if let Some(source) = *source {
                        let setting = self.setting(source, false);
                        parameters.insert(parameter.name.to_string(), setting);
                    }
                }
                let id = self.push(shape.about.name, parameters);
                self.node_ids[node] = Some(id);
            }
        }
    }

    /// Setting of a parameter: a link, or a literal for a constant output or a type without constant nodes.
    fn setting(&mut self, source: OperandSource, is_output: bool) -> Setting {
        let (node_id, port) = match source {
            OperandSource::Argument(index) => {
                let begin = self.begin.expect("a function with an argument has a Begin");
                (begin, self.inputs[index].name.clone())
            }
            OperandSource::Port(node, port) => {
                let node_id = self.node_ids[node].expect("what a needed node takes is needed");
                (
                    node_id,
                    self.builder.signature(node).ports[port].name.to_string(),
                )
            }
            OperandSource::Constant(index) => {
                let constant = &self.builder.constants[index];
                let value = &constant.value;
                let port = match value.ty() {
                    _ if is_output && constant.name.is_none() => {
                        return Setting::Value(value.to_json());
                    }
                    Type::Integer | Type::String | Type::ResourceId => {
                        return Setting::Value(value.to_json());
                    }
                    Type::Float => "value",
                    Type::Float3 => "vector",
                    Type::Matrix4x4 => "matrix",
                };
                let node_id = match self.constant_ids[index] {
                    Some(known) => known,
                    None => self.constant(constant),
                };
                self.constant_ids[index] = Some(node_id);
                (node_id, port.to_owned())
            }
        };
        Setting::Source(SourceData { node_id, port })
    }

    fn constant(&mut self, constant: &Constant) -> NodeId {
        const VECTOR: [&str; 3] = ["x", "y", "z"];
        let (kind, names): (_, Vec<String>) = match &constant.value {
            Value::Float(_) => ("ConstantScalar", vec!["value".to_owned()]),
            Value::Float3(_) => ("ConstantVector", VECTOR.map(str::to_owned).to_vec()),
            Value::Matrix4x4(_) => {
                let name = |place| format!("m{}{}", place / 4, place % 4);
                ("ConstantMatrix", (0..16).map(name).collect())
            }
            Value::Integer(_) | Value::String(_) | Value::ResourceId(_) => {
                unreachable!("values of these types are set directly")
            }
        };
        let values = constant.value.scalars().iter();
        let values = values.map(|&scalar| Setting::Value(scalar.into()));
        let id = self.push(kind, names.into_iter().zip(values).collect());
        let node = self.nodes.last_mut().expect("it was just pushed");
        node.display_name.clone_from(&constant.name);
        id
    }

    fn push(&mut self, kind: &str, parameters: BTreeMap<String, Setting>) -> NodeId {
        let before = self.nodes.len() + usize::from(self.begin.is_some());
        let id = NodeId(before as u32 + 1);
        let mut node = NodeData::new(id, kind);
        node.parameters = parameters;
        self.nodes.push(node);
        id
    }
}

/// Layered layout from left to right: each node is one column after its last source, a node without sources just before
/// its first consumer. Nodes are at the index of their id.
fn place(nodes: &mut [NodeData]) {
    let sources = |node: &NodeData| -> Vec<usize> {
        let linked = node.parameters.values();
        let linked = linked.filter_map(|setting| match setting {
            Setting::Source(source) => Some(source.node_id.0 as usize),
            Setting::Value(_) => None,
        });
        linked.collect()
    };
    let mut columns = vec![0_usize; nodes.len()];
    let order: Vec<usize> = (1..nodes.len()).chain([0]).collect();
    for &index in &order {
        let after = sources(&nodes[index])
            .into_iter()
            .map(|source| columns[source] + 1);
        columns[index] = after.max().unwrap_or(0);
    }
    let mut earliest = vec![usize::MAX; nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        for source in sources(node) {
            earliest[source] = earliest[source].min(columns[index]);
        }
    }
    let mut rows = vec![0_usize; nodes.len() + 1];
    for &index in &order {
        let node = &nodes[index];
        if index != 0 && node.node_type != "Begin" && sources(node).is_empty() {
            columns[index] = earliest[index].saturating_sub(1);
        }
        let column = columns[index];
        nodes[index].position = Some([column as f64 * COLUMN, rows[column] as f64 * ROW]);
        rows[column] += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::{Request, function};
    use crate::graph::Document;

    #[test]
    fn nodes_stand_in_columns_from_left_to_right() {
        let request = Request::new("f", "sin(pos.x*2) + pos.y");
        let data = function(&Document::default(), &request).unwrap();
        let places = data.nodes.iter().map(|node| {
            let [x, y] = node.position.unwrap();
            (node.node_type.as_str(), x / COLUMN, y / ROW)
        });
        let expected = [
            ("End", 5.0, 0.0),
            ("Begin", 0.0, 0.0),
            ("DecomposeVector", 1.0, 0.0),
            ("ConstantScalar", 1.0, 1.0),
            ("Multiplication", 2.0, 0.0),
            ("Sine", 3.0, 0.0),
            ("Addition", 4.0, 0.0),
        ];
        assert_eq!(places.collect::<Vec<_>>(), expected);
    }
}
