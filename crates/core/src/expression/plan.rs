//! Plans the printed form of a function: the notation of each node, and which nodes are bound to names.

use std::collections::HashSet;

use fibula_nodes::Value;
use rustc_hash::FxHashMap;

use super::ast::{Operator, Precedence};
use super::binding::BindingNames;
use super::callee::SymbolTable;
use super::print::PrintError;
use crate::graph::{Argument, Function, FunctionId, NodeId, NodeView};

/// Notation of a node.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Notation {
    /// Names of the arguments.
    Begin,
    Literal(Value),
    /// A constant with a name: bound to it however often it is used.
    NamedConstant(Value),
    /// A float3 of equal components: just the float among other float3s.
    Splat,
    /// Components of its input.
    Components,
    Negative,
    Operator(Operator),
    Choice,
    Call,
}

/// Source of a printed value.
#[derive(Debug, Clone, Copy)]
pub(super) enum ValueSource<'a> {
    Literal(&'a Value),
    /// Index of a node in the plan, and of its port.
    Port(usize, usize),
}

pub(super) struct PlannedNode<'a> {
    pub(super) node: NodeView<'a>,
    pub(super) notation: Notation,
    /// Function that a call refers to.
    pub(super) callee: Option<FunctionId>,
    /// Name of its binding.
    pub(super) name: Option<String>,
    /// Number of occurrences, of its text or of its name.
    uses: usize,
    /// Nesting depth of its text; 0 if it is bound.
    depth: usize,
    /// True for a number, or an operation of numbers.
    is_number: bool,
}

/// Nodes that the outputs need, in topological order.
pub(super) struct PrintPlan<'a> {
    pub(super) planned: Vec<PlannedNode<'a>>,
    places: FxHashMap<NodeId, usize>,
    /// The names of arguments, outputs and named constants.
    pub(super) taken: HashSet<&'a str>,
}

/// Texts that are nested more deeply are bound to names; far below the parser's limit.
const DEEP: usize = 100;

impl<'a> PrintPlan<'a> {
    pub(super) fn new(
        function: &'a Function,
        symbols: &SymbolTable<'_>,
    ) -> Result<Self, PrintError> {
        let mut plan = PrintPlan {
            planned: Vec::new(),
            places: FxHashMap::default(),
            taken: HashSet::new(),
        };
        plan.collect(function)?;
        let end = function.node(NodeId::END)?;
        let begin = function.begin().map(|id| function.node(id)).transpose()?;
        let inputs = begin.iter().flat_map(|begin| &begin.signature().ports);
        plan.taken.extend(inputs.map(|port| &*port.name));
        let outputs = end.signature().parameters.iter();
        plan.taken.extend(outputs.map(|parameter| &*parameter.name));
        plan.count_uses(end);
        plan.bind(symbols);
        Ok(plan)
    }

    /// Collects the nodes that the outputs need, in postorder of a depth-first search.
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

    /// Plans a node whose sources are planned.
    fn planned(&self, node: NodeView<'a>) -> PlannedNode<'a> {
        let kind = node.kind().info().name;
        let count = node.signature().parameters.len();
        let notation = match kind {
            "Begin" => Notation::Begin,
            "ConstantScalar" | "ConstantVector" | "ConstantMatrix" if is_named(node) => node
                .constant()
                .map_or(Notation::Call, Notation::NamedConstant),
            "ConstantScalar" | "ConstantVector" | "ConstantMatrix" | "Resource" => {
                node.constant().map_or(Notation::Call, Notation::Literal)
            }
            "VectorFromScalar" if !self.ends_chain(node) => Notation::Splat,
            "DecomposeVector" if !self.ends_chain(node) => Notation::Components,
            "Multiplication" if self.is_negative(node) => Notation::Negative,
            "Select" => Notation::Choice,
            kind => Operator::of_kind(kind).map_or(Notation::Call, Notation::Operator),
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
        PlannedNode {
            node,
            notation,
            callee,
            name: None,
            uses: 0,
            depth: 0,
            is_number: false,
        }
    }

    /// True if a transparent node ends a long chain of such nodes. It is printed as a call then, so that it can be
    /// bound and the chain is not repeated.
    fn ends_chain(&self, mut node: NodeView<'a>) -> bool {
        const LONGEST: usize = 3;
        for _ in 0..LONGEST {
            match self.source(node, 0) {
                ValueSource::Port(source, _) if self.planned[source].is_transparent() => {
                    node = self.planned[source].node;
                }
                ValueSource::Port(..) | ValueSource::Literal(_) => return false,
            }
        }
        true
    }

    /// True if a product is one of -1 and a value that is no literal.
    fn is_negative(&self, node: NodeView<'a>) -> bool {
        let minus_one = |from| {
            let literal = self.literal(from)?;
            let mut scalars = literal.scalars().iter();
            (scalars.len() > 0)
                .then(|| scalars.all(|scalar| scalar.to_bits() == (-1.0_f64).to_bits()))
        };
        let sign = match self.source(node, 0) {
            ValueSource::Port(source, _) if self.planned[source].notation == Notation::Splat => {
                self.source(self.planned[source].node, 0)
            }
            other => other,
        };
        minus_one(sign) == Some(true) && self.literal(self.source(node, 1)).is_none()
    }

    fn literal<'s>(&'s self, from: ValueSource<'s>) -> Option<&'s Value> {
        match from {
            ValueSource::Literal(value) => Some(value),
            ValueSource::Port(source, _) => {
                let Notation::Literal(value) = &self.planned[source].notation else {
                    return None;
                };
                Some(value)
            }
        }
    }

    /// Source of a parameter; every parameter of a planned node has one.
    pub(super) fn source(&self, node: NodeView<'a>, parameter: usize) -> ValueSource<'a> {
        match node.argument(parameter) {
            Argument::Link { node, port, .. } => ValueSource::Port(self.places[&node], port),
            Argument::Value(value) | Argument::Default(value) => ValueSource::Literal(value),
            Argument::Unset => unreachable!("a function with an unset parameter has no plan"),
        }
    }

    /// Precedence of the text of a value.
    pub(super) fn precedence(&self, from: ValueSource<'_>) -> Precedence {
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
                Precedence::Unary
            } else {
                Precedence::Primary
            }
        };
        let planned = match from {
            ValueSource::Literal(value) => return of_literal(value),
            ValueSource::Port(place, _) => &self.planned[place],
        };
        if planned.name.is_some() {
            return Precedence::Primary;
        }
        match &planned.notation {
            Notation::Literal(value) => of_literal(value),
            Notation::Negative => Precedence::Unary,
            Notation::Operator(operator) => operator.precedence(),
            Notation::Choice => Precedence::Conditional,
            Notation::Begin
            | Notation::NamedConstant(_)
            | Notation::Splat
            | Notation::Components
            | Notation::Call => Precedence::Primary,
        }
    }

    /// True for a number, or an operation of numbers, whose operands were looked at before.
    fn is_number(&self, planned: &PlannedNode<'a>) -> bool {
        let mut parameters = 0..planned.node.signature().parameters.len();
        match &planned.notation {
            Notation::Literal(_) => true,
            Notation::Negative | Notation::Operator(_) => {
                parameters.all(|parameter| match self.source(planned.node, parameter) {
                    ValueSource::Port(source, _) => self.planned[source].is_number,
                    ValueSource::Literal(_) => true,
                })
            }
            _ => false,
        }
    }

    /// Nesting depth: one level per operand that is not the left end of the same chain.
    fn depth(&self, planned: &PlannedNode<'a>) -> usize {
        let parameters = 0..planned.node.signature().parameters.len();
        let below = parameters.map(|parameter| {
            let from = self.source(planned.node, parameter);
            let ValueSource::Port(source, _) = from else {
                return 0;
            };
            let is_chain = parameter == 0
                && matches!(planned.notation, Notation::Operator(operator)
                    if operator.precedence() <= self.precedence(from));
            self.planned[source].depth + usize::from(!is_chain)
        });
        below.max().unwrap_or(0)
    }

    /// Counts the occurrences of each text. Texts of bound nodes occur once.
    fn count_uses(&mut self, end: NodeView<'a>) {
        let sources = |plan: &Self, node: NodeView<'a>| -> Vec<usize> {
            let parameters = 0..node.signature().parameters.len();
            let port = |parameter| match plan.source(node, parameter) {
                ValueSource::Port(source, _) => Some(source),
                ValueSource::Literal(_) => None,
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

    /// Binds named constants, and nodes that are used more than once or nested too deeply. Constants come first, since
    /// their names are those by which people set them.
    fn bind(&mut self, symbols: &SymbolTable<'_>) {
        let mut names = BindingNames::new(&self.taken, symbols);
        for planned in &mut self.planned {
            if matches!(planned.notation, Notation::NamedConstant(_)) {
                planned.name = Some(names.parameter(planned.node));
                self.taken.extend(planned.node.display_name());
            }
        }
        for place in 0..self.planned.len() {
            let depth = self.depth(&self.planned[place]);
            self.planned[place].is_number = self.is_number(&self.planned[place]);
            let planned = &mut self.planned[place];
            // A binding of numbers would be a parameter.
            let is_shared = planned.uses > 1 && !planned.is_number;
            if planned.is_bindable() && (is_shared || depth > DEEP) {
                planned.name = Some(names.name(planned.node, planned.callee));
            } else {
                planned.depth = depth;
            }
        }
    }
}

impl PlannedNode<'_> {
    /// True if the node is printed as its input with a small decoration.
    fn is_transparent(&self) -> bool {
        matches!(self.notation, Notation::Splat | Notation::Components)
    }

    fn is_bindable(&self) -> bool {
        match self.notation {
            Notation::Negative | Notation::Operator(_) | Notation::Choice | Notation::Call => true,
            Notation::Begin
            | Notation::Literal(_)
            | Notation::NamedConstant(_)
            | Notation::Splat
            | Notation::Components => false,
        }
    }
}

fn is_named(node: NodeView<'_>) -> bool {
    node.display_name().is_some_and(|name| !name.is_empty())
}
