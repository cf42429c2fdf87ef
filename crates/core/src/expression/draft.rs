//! Nodes being drawn up: equal constants and equal nodes are one.

use std::sync::Arc;

use fibula_nodes::{FunctionType, KindInfo, Overload, Signature, Type, Value, catalogue};
use rustc_hash::FxHashMap;

use crate::graph::FunctionId;

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Source {
    /// The argument with this index.
    Argument(usize),
    /// The constant with this index.
    Constant(usize),
    /// A port of a node, by their indices.
    Port(usize, usize),
}

/// A value of the expression: where it comes from, and its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Operand {
    pub(super) source: Source,
    pub(super) ty: Type,
}

/// A node kind as it is used here, with the ports that it has for the function that it refers to.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) about: &'static KindInfo,
    pub(super) signature: Arc<Signature>,
}

#[derive(Debug)]
pub(super) struct Drawn {
    /// An index of [`Draft::shapes`].
    pub(super) shape: usize,
    /// The overload, an index of the signature's rules.
    rule: usize,
    /// One per parameter; `None` leaves it at its default.
    pub(super) inputs: Vec<Option<Source>>,
}

/// Operands that a node does not take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Misfit {
    /// The parameter with this index takes another type.
    Parameter(usize, Type),
    /// The operands of a node that takes several of one type are of different types.
    Mixed(Type, Type),
}

/// A constant, with every number as its bits.
#[derive(PartialEq, Eq, Hash)]
enum Bits {
    Scalars(Vec<u64>),
    Whole(i64),
    Text(String),
    Resource(u32),
}

/// The nodes and constants of a function, each after what it depends on.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) constants: Vec<Value>,
    pub(super) shapes: Vec<Shape>,
    pub(super) nodes: Vec<Drawn>,
    known_constants: FxHashMap<Bits, usize>,
    known_shapes: FxHashMap<(&'static str, Option<FunctionId>), usize>,
    known_nodes: FxHashMap<(usize, Vec<Option<Source>>), usize>,
}

impl Draft {
    /// A constant; one for all values of the same bits.
    pub(super) fn constant(&mut self, value: Value) -> Operand {
        let ty = value.ty();
        let bits = match &value {
            Value::Float(_) | Value::Float3(_) | Value::Matrix4x4(_) => Bits::Scalars(
                value
                    .scalars()
                    .iter()
                    .map(|scalar| scalar.to_bits())
                    .collect(),
            ),
            Value::Integer(number) => Bits::Whole(*number),
            Value::String(text) => Bits::Text(text.clone()),
            Value::ResourceId(id) => Bits::Resource(id.0),
        };
        let constants = &mut self.constants;
        let index = *self.known_constants.entry(bits).or_insert_with(|| {
            constants.push(value);
            constants.len() - 1
        });
        Operand {
            source: Source::Constant(index),
            ty,
        }
    }

    pub(super) fn number(&mut self, number: f64) -> Operand {
        self.constant(Value::Float(number))
    }

    /// The value of an operand that is a constant.
    pub(super) fn constant_of(&self, operand: Operand) -> Option<&Value> {
        match operand.source {
            Source::Constant(index) => Some(&self.constants[index]),
            Source::Argument(_) | Source::Port(..) => None,
        }
    }

    /// A kind as it is used for a function, or for none.
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
            shapes.push(Shape {
                about,
                signature: signature.into(),
            });
            shapes.len() - 1
        })
    }

    /// A node of a shape, of the overload that takes the operands, where numbers among vectors become vectors.
    pub(super) fn node(
        &mut self,
        shape: usize,
        operands: &[Option<Operand>],
    ) -> Result<usize, Misfit> {
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
        nodes.push(Drawn {
            shape,
            rule,
            inputs: key.1.clone(),
        });
        self.known_nodes.insert(key, nodes.len() - 1);
        Ok(nodes.len() - 1)
    }

    /// The value of a new node of a kind that has one port.
    pub(super) fn apply(&mut self, kind: &str, operands: &[Operand]) -> Result<Operand, Misfit> {
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

    /// The value of a node's port.
    pub(super) fn port(&self, node: usize, port: usize) -> Operand {
        let drawn = &self.nodes[node];
        Operand {
            source: Source::Port(node, port),
            ty: self.signature(node).overloads[drawn.rule].outputs[port],
        }
    }

    pub(super) fn signature(&self, node: usize) -> &Signature {
        &self.shapes[self.nodes[node].shape].signature
    }
}

/// The overload that takes the operands: as they are, or, of a componentwise kind, with numbers among vectors.
fn overload(rules: &[Overload], operands: &[Option<Operand>]) -> Result<usize, Misfit> {
    let takes = |rule: &Overload, fits: fn(Type, Type) -> bool| {
        let mut pairs = operands.iter().zip(&rule.inputs);
        pairs.all(|(operand, &takes)| operand.is_none_or(|operand| fits(operand.ty, takes)))
    };
    if let Some(exact) = rules
        .iter()
        .position(|rule| takes(rule, |is, takes| is == takes))
    {
        return Ok(exact);
    }
    let given = operands.iter().enumerate();
    let given: Vec<(usize, Type)> = given
        .filter_map(|(index, operand)| Some((index, (*operand)?.ty)))
        .collect();
    if let [only] = rules {
        let misfit = given.iter().find(|&&(index, ty)| ty != only.inputs[index]);
        let &(index, _) = misfit.expect("an operand does not fit, or the rule would");
        return Err(Misfit::Parameter(index, only.inputs[index]));
    }
    let vectors = |is, takes| takes == Type::Float3 && matches!(is, Type::Float | Type::Float3);
    if let Some(mixed) = rules.iter().position(|rule| takes(rule, vectors)) {
        return Ok(mixed);
    }
    let strange =
        |&&(index, ty): &&(usize, Type)| rules.iter().all(|rule| rule.inputs[index] != ty);
    if let Some(&(index, _)) = given.iter().find(strange) {
        return Err(Misfit::Parameter(index, rules[0].inputs[index]));
    }
    let (_, first) = given[0];
    let other = given
        .iter()
        .find(|(_, ty)| (*ty == Type::Matrix4x4) != (first == Type::Matrix4x4));
    let &(_, other) = other.expect("floats and vectors mix, so one is a matrix and one is none");
    Err(Misfit::Mixed(first, other))
}
