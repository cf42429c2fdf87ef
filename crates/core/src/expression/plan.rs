//! How a function's nodes are going to be spelled: which of them as what, and which are bound to a name.

use std::collections::HashSet;

use fibula_nodes::{Type, Value};
use rustc_hash::FxHashMap;

use super::binding::Names;
use super::callee::Callees;
use super::print::PrintError;
use super::tree::{Operator, Tightness};
use crate::graph::{Argument, Function, FunctionId, NodeId, NodeView};

/// What a node is spelled as.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Spelling {
    /// The names of the arguments.
    Begin,
    Literal(Value),
    /// A float3 of equal components: among other float3s just the number.
    Splat,
    /// The components of its input.
    Components,
    Negative,
    Operator(Operator),
    Choice,
    Call,
}

/// Where a value comes from, as it is spelled.
#[derive(Debug, Clone, Copy)]
pub(super) enum Origin<'a> {
    Literal(&'a Value),
    /// A port of the node with this place in the plan.
    Port(usize, usize),
}

pub(super) struct Planned<'a> {
    pub(super) node: NodeView<'a>,
    pub(super) spelling: Spelling,
    /// The function that a call refers to.
    pub(super) callee: Option<FunctionId>,
    /// The name that it is bound to.
    pub(super) name: Option<String>,
    /// How often it is written, as a text or as the name that it is bound to.
    uses: usize,
    /// How deeply its text is nested where it is used; 0 if that is a name.
    depth: usize,
}

/// The nodes that the outputs need, each after what it takes from.
pub(super) struct Plan<'a> {
    pub(super) planned: Vec<Planned<'a>>,
    places: FxHashMap<NodeId, usize>,
    /// The names of arguments and outputs.
    pub(super) taken: HashSet<&'a str>,
}

/// A text that is nested more deeply than this gets a name; far less than what the parser takes.
const DEEP: usize = 100;

impl<'a> Plan<'a> {
    pub(super) fn new(function: &'a Function, callees: &Callees<'_>) -> Result<Self, PrintError> {
        let mut plan = Plan {
            planned: Vec::new(),
            places: FxHashMap::default(),
            taken: HashSet::new(),
        };
        plan.collect(function)?;
        let end = function.node(NodeId::END)?;
        let begin = function.begin().map(|id| function.node(id)).transpose()?;
        let inputs = begin
            .iter()
            .flat_map(|begin| &begin.signature().ports)
            .map(|port| &*port.name);
        plan.taken.extend(inputs);
        plan.taken.extend(
            end.signature()
                .parameters
                .iter()
                .map(|parameter| &*parameter.name),
        );
        plan.count_uses(end);
        plan.bind(callees);
        Ok(plan)
    }

    /// Lists the nodes that the outputs need, by a walk that goes back from them.
    fn collect(&mut self, function: &'a Function) -> Result<(), PrintError> {
        let end = function.node(NodeId::END)?;
        let mut walk = vec![(end, 0)];
        let mut entered = HashSet::new();
        while let Some((node, parameter)) = walk.last_mut() {
            let node = *node;
            if *parameter == node.signature().parameters.len() {
                walk.pop();
                if node.id() != NodeId::END {
                    self.places.insert(node.id(), self.planned.len());
                    let planned = self.planned(node);
                    self.planned.push(planned);
                }
                continue;
            }
            let argument = node.argument(*parameter);
            *parameter += 1;
            match argument {
                Argument::Link { node: source, .. } => {
                    if entered.insert(source) {
                        walk.push((function.node(source)?, 0));
                    }
                }
                Argument::Unset => {
                    return Err(PrintError::Unset {
                        node: node.label(),
                        parameter: node.signature().parameters[*parameter - 1].name.to_string(),
                    });
                }
                Argument::Default(_) | Argument::Value(_) => {}
            }
        }
        Ok(())
    }

    /// The node, whose sources are planned.
    fn planned(&self, node: NodeView<'a>) -> Planned<'a> {
        let kind = node.kind().info().name;
        let count = node.signature().parameters.len();
        let spelling = match kind {
            "Begin" => Spelling::Begin,
            "ConstantScalar" | "ConstantVector" | "ConstantMatrix" | "Resource" => {
                literal(node).map_or(Spelling::Call, Spelling::Literal)
            }
            "VectorFromScalar" if !self.ends_chain(node) => Spelling::Splat,
            "DecomposeVector" if !self.ends_chain(node) => Spelling::Components,
            "Multiplication" if self.is_negative(node) => Spelling::Negative,
            "Select" => Spelling::Choice,
            kind => Operator::of_kind(kind).map_or(Spelling::Call, Spelling::Operator),
        };
        let refers = (0..count).find(|&place| {
            let parameter = &node.signature().parameters[place];
            parameter.refers == Some(fibula_nodes::ResourceKind::Function)
        });
        let callee = refers.and_then(|place| {
            let Some(Value::ResourceId(id)) = self.literal(self.source(node, place)) else {
                return None;
            };
            Some(FunctionId::from(*id))
        });
        Planned {
            node,
            spelling,
            callee,
            name: None,
            uses: 0,
            depth: 0,
        }
    }

    /// Whether a node that could be spelled within others takes from a chain of such nodes. Then it is spelled as a
    /// call, so that the chain can have a name and is not written again and again.
    fn ends_chain(&self, mut node: NodeView<'a>) -> bool {
        const LONGEST: usize = 3;
        for _ in 0..LONGEST {
            match self.source(node, 0) {
                Origin::Port(source, _) if self.planned[source].is_transparent() => {
                    node = self.planned[source].node;
                }
                Origin::Port(..) | Origin::Literal(_) => return false,
            }
        }
        true
    }

    /// Whether a product is one of -1 and something that is no literal.
    fn is_negative(&self, node: NodeView<'a>) -> bool {
        let minus_one = |from| {
            let literal = self.literal(from)?;
            let mut scalars = literal.scalars().iter();
            (scalars.len() > 0)
                .then(|| scalars.all(|scalar| scalar.to_bits() == (-1.0_f64).to_bits()))
        };
        let sign = match self.source(node, 0) {
            Origin::Port(source, _) if self.planned[source].spelling == Spelling::Splat => {
                self.source(self.planned[source].node, 0)
            }
            other => other,
        };
        minus_one(sign) == Some(true) && self.literal(self.source(node, 1)).is_none()
    }

    fn literal<'s>(&'s self, from: Origin<'s>) -> Option<&'s Value> {
        match from {
            Origin::Literal(value) => Some(value),
            Origin::Port(source, _) => {
                let Spelling::Literal(value) = &self.planned[source].spelling else {
                    return None;
                };
                Some(value)
            }
        }
    }

    /// Where the value of a parameter comes from; every parameter of a planned node has one.
    pub(super) fn source(&self, node: NodeView<'a>, parameter: usize) -> Origin<'a> {
        match node.argument(parameter) {
            Argument::Link { node, port, .. } => Origin::Port(self.places[&node], port),
            Argument::Value(value) | Argument::Default(value) => Origin::Literal(value),
            Argument::Unset => unreachable!("a function with an unset parameter has no plan"),
        }
    }

    /// How tightly the text of a value holds together.
    pub(super) fn tightness(&self, from: Origin<'_>) -> Tightness {
        let of_literal = |value: &Value| {
            let negative = match value {
                Value::Float(number) => number.is_sign_negative(),
                Value::Integer(number) => *number < 0,
                Value::Float3(_)
                | Value::Matrix4x4(_)
                | Value::String(_)
                | Value::ResourceId(_) => false,
            };
            if negative {
                Tightness::Sign
            } else {
                Tightness::Whole
            }
        };
        let planned = match from {
            Origin::Literal(value) => return of_literal(value),
            Origin::Port(place, _) => &self.planned[place],
        };
        if planned.name.is_some() {
            return Tightness::Whole;
        }
        match &planned.spelling {
            Spelling::Literal(value) => of_literal(value),
            Spelling::Negative => Tightness::Sign,
            Spelling::Operator(operator) => operator.tightness(),
            Spelling::Choice => Tightness::Choice,
            Spelling::Begin | Spelling::Splat | Spelling::Components | Spelling::Call => {
                Tightness::Whole
            }
        }
    }

    /// One level for each operand that is not the left end of the same chain.
    fn depth(&self, planned: &Planned<'a>) -> usize {
        let parameters = 0..planned.node.signature().parameters.len();
        let below = parameters.map(|parameter| {
            let from = self.source(planned.node, parameter);
            let Origin::Port(source, _) = from else {
                return 0;
            };
            let is_chain = parameter == 0
                && matches!(planned.spelling, Spelling::Operator(operator)
                    if operator.tightness() <= self.tightness(from));
            self.planned[source].depth + usize::from(!is_chain)
        });
        below.max().unwrap_or(0)
    }

    /// Counts how often each text is written. What is bound to a name is written once, whatever uses it.
    fn count_uses(&mut self, end: NodeView<'a>) {
        let sources = |plan: &Self, node: NodeView<'a>| -> Vec<usize> {
            let parameters = 0..node.signature().parameters.len();
            let port = |parameter| match plan.source(node, parameter) {
                Origin::Port(source, _) => Some(source),
                Origin::Literal(_) => None,
            };
            parameters.filter_map(port).collect()
        };
        for source in sources(self, end) {
            self.planned[source].uses += 1;
        }
        for place in (0..self.planned.len()).rev() {
            let planned = &self.planned[place];
            let times = if planned.is_transparent() {
                planned.uses
            } else {
                1
            };
            for source in sources(self, planned.node) {
                self.planned[source].uses += times;
            }
        }
    }

    /// Gives names to what is used more than once or nested too deeply.
    fn bind(&mut self, callees: &Callees<'_>) {
        let mut names = Names::new(&self.taken, callees);
        for place in 0..self.planned.len() {
            let depth = self.depth(&self.planned[place]);
            let planned = &mut self.planned[place];
            if planned.is_bindable() && (planned.uses > 1 || depth > DEEP) {
                planned.name = Some(names.name(planned.node, planned.callee));
            } else {
                planned.depth = depth;
            }
        }
    }
}

impl Planned<'_> {
    /// Whether the node is spelled by its input, with little about it.
    fn is_transparent(&self) -> bool {
        matches!(self.spelling, Spelling::Splat | Spelling::Components)
    }

    fn is_bindable(&self) -> bool {
        match self.spelling {
            Spelling::Negative | Spelling::Operator(_) | Spelling::Choice | Spelling::Call => true,
            Spelling::Begin | Spelling::Literal(_) | Spelling::Splat | Spelling::Components => {
                false
            }
        }
    }
}

/// The value of a constant whose parameters are all literals.
fn literal(node: NodeView<'_>) -> Option<Value> {
    let value = |parameter| match node.argument(parameter) {
        Argument::Value(value) | Argument::Default(value) => Some(value),
        Argument::Link { .. } | Argument::Unset => None,
    };
    if node.port_type(0) == Type::ResourceId {
        return value(0).cloned();
    }
    let scalars: Option<Vec<f64>> = (0..node.signature().parameters.len())
        .map(|parameter| value(parameter)?.scalars().first().copied())
        .collect();
    Value::from_scalars(node.port_type(0), &scalars?)
}
