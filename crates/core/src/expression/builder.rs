//! Construction of nodes with hash consing: equal constants and equal nodes are shared.

use std::sync::Arc;

use fibula_nodes::{FunctionType, KindInfo, Overload, Signature, Type, Value, catalogue};
use rustc_hash::FxHashMap;

use crate::graph::FunctionId;

/// Source of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum OperandSource {
    /// Index of an argument.
    Argument(usize),
    /// Index of a constant.
    Constant(usize),
    /// Indexes of a node and of its port.
    Port(usize, usize),
}

/// A value of the expression: its source and type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Operand {
    pub(super) source: OperandSource,
    pub(super) ty: Type,
}

/// A node kind with its signature for the function that it refers to.
#[derive(Debug)]
pub(super) struct NodeShape {
    pub(super) about: &'static KindInfo,
    pub(super) signature: Arc<Signature>,
}

/// A constant value. One with a name is a parameter of the function: it is never shared or folded, so that changing it
/// changes nothing else.
#[derive(Debug)]
pub(super) struct Constant {
    pub(super) value: Value,
    pub(super) name: Option<String>,
}

#[derive(Debug)]
pub(super) struct BuiltNode {
    /// An index of [`NodeBuilder::shapes`].
    pub(super) shape: usize,
    /// Overload, an index of the signature's rules.
    rule: usize,
    /// One per parameter; `None` for its default.
    pub(super) inputs: Vec<Option<OperandSource>>,
}

/// Reason why a node does not take its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OperandMismatch {
    /// The parameter with this index takes another type.
    Parameter(usize, Type),
    /// The operands should be of one type, but are of these.
    Mixed(Type, Type),
}

/// Hash key of a constant, by the bits of its numbers.
#[derive(PartialEq, Eq, Hash)]
enum Bits {
    Scalars(Vec<u64>),
    Whole(i64),
    Text(String),
    Resource(u32),
}

/// Nodes and constants of a function in topological order.
#[derive(Default)]
pub(super) struct NodeBuilder {
    pub(super) constants: Vec<Constant>,
    pub(super) shapes: Vec<NodeShape>,
    pub(super) nodes: Vec<BuiltNode>,
    known_constants: FxHashMap<Bits, usize>,
    known_shapes: FxHashMap<(&'static str, Option<FunctionId>), usize>,
    known_nodes: FxHashMap<(usize, Vec<Option<OperandSource>>), usize>,
}

/// Maximum number of operations in a row of a number that is known before evaluation.
const MOST_STEPS: usize = 32;

impl NodeBuilder {
    /// Returns the unnamed constant of a value, shared by all values of the same bits.
    pub(super) fn constant(&mut self, value: Value) -> Operand {
        let ty = value.ty();
        let bits = match &value {
            Value::Float(_) | Value::Float3(_) | Value::Matrix4x4(_) => {
                Bits::Scalars(value.scalars().iter().map(|x| x.to_bits()).collect())
            }
            Value::Integer(number) => Bits::Whole(*number),
            Value::String(text) => Bits::Text(text.clone()),
            Value::ResourceId(id) => Bits::Resource(id.0),
        };
        let constants = &mut self.constants;
        let index = *self.known_constants.entry(bits).or_insert_with(|| {
            constants.push(Constant { value, name: None });
            constants.len() - 1
        });
        Operand {
            source: OperandSource::Constant(index),
            ty,
        }
    }

    pub(super) fn number(&mut self, number: f64) -> Operand {
        self.constant(Value::Float(number))
    }

    /// Gives a name to an unnamed constant of a type that has constant nodes; returns other operands as they are.
    pub(super) fn named(&mut self, operand: Operand, name: &str) -> Operand {
        let has_node = matches!(operand.ty, Type::Float | Type::Float3 | Type::Matrix4x4);
        let Some(value) = self.foldable(operand).filter(|_| has_node).cloned() else {
            return operand;
        };
        self.constants.push(Constant {
            value,
            name: Some(name.to_owned()),
        });
        Operand {
            source: OperandSource::Constant(self.constants.len() - 1),
            ..operand
        }
    }

    /// Value of an operand that is an unnamed constant, and may be computed with while nodes are built.
    pub(super) fn foldable(&self, operand: Operand) -> Option<&Value> {
        let OperandSource::Constant(index) = operand.source else {
            return None;
        };
        let constant = &self.constants[index];
        constant.name.is_none().then_some(&constant.value)
    }

    /// Value of an operand, if it is a constant.
    pub(super) fn constant_of(&self, operand: Operand) -> Option<&Value> {
        match operand.source {
            OperandSource::Constant(index) => Some(&self.constants[index].value),
            OperandSource::Argument(_) | OperandSource::Port(..) => None,
        }
    }

    /// Returns the shape of a kind, for the function that it refers to.
    pub(super) fn shape(
        &mut self,
        about: &'static KindInfo,
        callee: Option<(FunctionId, &FunctionType)>,
    ) -> usize {
        let key = (about.name, callee.map(|(id, _)| id));
        let shapes = &mut self.shapes;
        *self.known_shapes.entry(key).or_insert_with(|| {
            let following = callee.and_then(|(_, ty)| (about.make)().with_callee(ty));
            let signature = match following {
                Some(node) => node.signature().into_owned(),
                None => about.signature.clone(),
            };
            shapes.push(NodeShape {
                about,
                signature: signature.into(),
            });
            shapes.len() - 1
        })
    }

    /// Returns a node with the overload for the operands; floats among vectors are converted.
    pub(super) fn node(
        &mut self,
        shape: usize,
        operands: &[Option<Operand>],
    ) -> Result<usize, OperandMismatch> {
        let rule = overload(&self.shapes[shape].signature.overloads, operands)?;
        let takes = self.shapes[shape].signature.overloads[rule].inputs.clone();
        let mut inputs = Vec::with_capacity(operands.len());
        for (operand, takes) in operands.iter().zip(takes) {
            inputs.push(match operand {
                Some(operand) if (operand.ty, takes) == (Type::Float, Type::Float3) => {
                    Some(self.splat(*operand).source)
                }
                Some(operand) => Some(operand.source),
                None => None,
            });
        }
        let nodes = &mut self.nodes;
        let key = (shape, inputs);
        if let Some(&known) = self.known_nodes.get(&key) {
            return Ok(known);
        }
        nodes.push(BuiltNode {
            shape,
            rule,
            inputs: key.1.clone(),
        });
        self.known_nodes.insert(key, nodes.len() - 1);
        Ok(nodes.len() - 1)
    }

    /// Numbers of a value that is computed from constants by sums, differences, products and quotients. Those of named constants
    /// may change later.
    pub(super) fn known(&self, value: Operand) -> Option<Vec<f64>> {
        self.known_within(value.source, MOST_STEPS, &mut FxHashMap::default())
    }

    fn known_within(
        &self,
        source: OperandSource,
        steps: usize,
        known: &mut FxHashMap<OperandSource, Option<Vec<f64>>>,
    ) -> Option<Vec<f64>> {
        let (node, port) = match source {
            OperandSource::Argument(_) => return None,
            OperandSource::Constant(index) => {
                return Some(self.constants[index].value.scalars().to_vec());
            }
            OperandSource::Port(node, port) => (&self.nodes[node], port),
        };
        if let Some(found) = known.get(&source) {
            return found.clone();
        }
        let steps = steps.checked_sub(1)?;
        let inputs = node.inputs.iter();
        let inputs: Option<Vec<Vec<f64>>> = inputs
            .map(|input| self.known_within((*input)?, steps, known))
            .collect();
        let each = |apply: fn(f64, f64) -> f64, [one, other]: [&Vec<f64>; 2]| {
            one.iter().zip(other).map(|(a, b)| apply(*a, *b)).collect()
        };
        let found = match (self.shapes[node.shape].about.name, inputs.as_deref()) {
            ("Addition", Some([a, b])) => Some(each(|a, b| a + b, [a, b])),
            ("Subtraction", Some([a, b])) => Some(each(|a, b| a - b, [a, b])),
            ("Multiplication", Some([a, b])) => Some(each(|a, b| a * b, [a, b])),
            ("Division", Some([a, b])) => Some(each(|a, b| a / b, [a, b])),
            ("ComposeVector", Some(parts)) => Some(parts.concat()),
            ("DecomposeVector", Some([vector])) => vector.get(port).map(|part| vec![*part]),
            ("VectorFromScalar", Some([number])) => Some(number.repeat(3)),
            _ => None,
        };
        known.insert(source, found.clone());
        found
    }

    /// True if a value is computed from another.
    pub(super) fn depends_on(&self, value: OperandSource, other: OperandSource) -> bool {
        let mut seen = vec![false; self.nodes.len()];
        let mut open = vec![value];
        while let Some(source) = open.pop() {
            if source == other {
                return true;
            }
            if let OperandSource::Port(node, _) = source
                && !std::mem::replace(&mut seen[node], true)
            {
                open.extend(self.nodes[node].inputs.iter().flatten());
            }
        }
        false
    }

    /// Value of a node of a kind with one port.
    pub(super) fn apply(
        &mut self,
        kind: &str,
        operands: &[Operand],
    ) -> Result<Operand, OperandMismatch> {
        let about = catalogue::kind(kind).expect("the compositions name kinds of the catalogue");
        let shape = self.shape(about, None);
        let operands: Vec<Option<Operand>> = operands.iter().copied().map(Some).collect();
        let node = self.node(shape, &operands)?;
        Ok(self.port(node, 0))
    }

    fn splat(&mut self, number: Operand) -> Operand {
        self.apply("VectorFromScalar", &[number])
            .expect("it takes a float")
    }

    /// Value of a node's port.
    pub(super) fn port(&self, node: usize, port: usize) -> Operand {
        let built = &self.nodes[node];
        Operand {
            source: OperandSource::Port(node, port),
            ty: self.signature(node).overloads[built.rule].outputs[port],
        }
    }

    pub(super) fn signature(&self, node: usize) -> &Signature {
        &self.shapes[self.nodes[node].shape].signature
    }
}

/// Overload resolution: the first exact match, or, for a componentwise kind, the vector overload for a mix of floats
/// and vectors.
fn overload(rules: &[Overload], operands: &[Option<Operand>]) -> Result<usize, OperandMismatch> {
    let takes = |rule: &Overload, fits: fn(Type, Type) -> bool| {
        let mut pairs = operands.iter().zip(&rule.inputs);
        pairs.all(|(operand, &takes)| operand.is_none_or(|operand| fits(operand.ty, takes)))
    };
    let exact = |rule: &Overload| takes(rule, |is, takes| is == takes);
    if let Some(exact) = rules.iter().position(exact) {
        return Ok(exact);
    }
    let given = operands.iter().enumerate();
    let given: Vec<(usize, Type)> = given
        .filter_map(|(index, operand)| Some((index, (*operand)?.ty)))
        .collect();
    if let [only] = rules {
        let mismatch = given.iter().find(|&&(index, ty)| ty != only.inputs[index]);
        let &(index, _) = mismatch.expect("an operand does not fit, or the rule would");
        return Err(OperandMismatch::Parameter(index, only.inputs[index]));
    }
    let vectors = |is, takes| takes == Type::Float3 && matches!(is, Type::Float | Type::Float3);
    if let Some(mixed) = rules.iter().position(|rule| takes(rule, vectors)) {
        return Ok(mixed);
    }
    let strange =
        |&&(index, ty): &&(usize, Type)| rules.iter().all(|rule| rule.inputs[index] != ty);
    if let Some(&(index, _)) = given.iter().find(strange) {
        return Err(OperandMismatch::Parameter(index, rules[0].inputs[index]));
    }
    let (_, first) = given[0];
    let other = given
        .iter()
        .find(|(_, ty)| (*ty == Type::Matrix4x4) != (first == Type::Matrix4x4));
    let &(_, other) = other.expect("floats and vectors mix, so one is a matrix and one is none");
    Err(OperandMismatch::Mixed(first, other))
}
