//! From a .vm file to a function: a node for each operation that the last line needs.

use fibula_core::graph::{FunctionData, NodeData, NodeId};
use fibula_nodes::{PortSpec, Type};

use super::error::{ReadError, ReadErrorKind};
use super::line::{Operation, VmLine};
use super::{Limits, Model};

const BEGIN: NodeId = NodeId(1);
const AXES: NodeId = NodeId(2);

/// Builds the function of the last line.
///
/// # Errors
/// It has more nodes than the limits allow.
pub(super) fn function(lines: &[VmLine], name: &str, limits: &Limits) -> Result<Model, ReadError> {
    let needed = needed(lines);
    let mut nodes = Nodes::new();
    let mut terms: Vec<Term> = Vec::with_capacity(lines.len());
    for (line, needed) in lines.iter().zip(&needed) {
        // Dead code is never evaluated.
        let term = if *needed {
            nodes.line(line, &terms)
        } else {
            Term::Number(0.0)
        };
        terms.push(term);
        if nodes.0.len() > limits.nodes {
            let (what, limit) = ("nodes", limits.nodes);
            return Err(ReadErrorKind::TooLarge { what, limit }.of_file());
        }
    }
    let value = *terms.last().expect("there is a line");
    nodes.0[0] = with(NodeData::new(NodeId::END, "End"), "shape", value);
    Ok(Model {
        function: FunctionData {
            function_id: None,
            name: name.to_owned(),
            inputs: vec![PortSpec::new("pos", Type::Float3)],
            outputs: vec![PortSpec::new("shape", Type::Float)],
            nodes: nodes.0,
        },
        unused: needed.iter().filter(|needed| !**needed).count(),
    })
}

/// Liveness: determines the lines that the last one needs.
fn needed(lines: &[VmLine]) -> Vec<bool> {
    let mut needed = vec![false; lines.len()];
    if let Some(last) = needed.last_mut() {
        *last = true;
    }
    for (place, line) in lines.iter().enumerate().rev() {
        if needed[place] {
            for operand in line.operands() {
                needed[*operand as usize] = true;
            }
        }
    }
    needed
}

/// Value of a line: a number, or the port of a node.
#[derive(Debug, Clone, Copy)]
enum Term {
    Number(f64),
    Port(NodeId, &'static str),
}

/// Nodes with consecutive ids from 0 on.
struct Nodes(Vec<NodeData>);

impl Nodes {
    fn new() -> Self {
        Nodes(vec![
            NodeData::new(NodeId::END, "End"),
            NodeData::new(BEGIN, "Begin"),
            NodeData::new(AXES, "DecomposeVector").link("A", BEGIN, "pos"),
        ])
    }

    /// Adds a node with these parameters.
    fn node(&mut self, kind: &str, parameters: &[(&str, Term)]) -> Term {
        let id = NodeId(u32::try_from(self.0.len()).expect("nodes are limited far below that"));
        let node = parameters
            .iter()
            .fold(NodeData::new(id, kind), |node, (name, term)| {
                with(node, name, *term)
            });
        self.0.push(node);
        Term::Port(id, "result")
    }

    fn binary(&mut self, kind: &str, a: Term, b: Term) -> Term {
        self.node(kind, &[("A", a), ("B", b)])
    }

    fn line(&mut self, line: &VmLine, terms: &[Term]) -> Term {
        let term = |place: usize| terms[line.operands()[place] as usize];
        match line.operation {
            Operation::Const => Term::Number(line.number),
            Operation::Axis(axis) => Term::Port(AXES, axis),
            Operation::Unary(kind) => self.node(kind, &[("A", term(0))]),
            Operation::Binary(kind) => self.binary(kind, term(0), term(1)),
            // 0 - a would lose the sign of zero.
            Operation::Neg => match term(0) {
                Term::Number(number) => Term::Number(-number),
                port @ Term::Port(..) => self.binary("Multiplication", port, Term::Number(-1.0)),
            },
            Operation::Square => self.binary("Multiplication", term(0), term(0)),
            Operation::Recip => self.binary("Division", Term::Number(1.0), term(0)),
            Operation::Compare => {
                let difference = self.binary("Subtraction", term(0), term(1));
                self.node("Sign", &[("A", difference)])
            }
            Operation::Mod => {
                let size = self.size(term(1));
                self.binary("Mod", term(0), size)
            }
            Operation::Not => self.if_zero(term(0), Term::Number(1.0), Term::Number(0.0)),
            Operation::And => self.if_zero(term(0), term(0), term(1)),
            Operation::Or => self.if_zero(term(0), term(1), term(0)),
            Operation::Bits => unreachable!("lines with it are refused"),
        }
    }

    fn size(&mut self, term: Term) -> Term {
        match term {
            Term::Number(number) => Term::Number(number.abs()),
            port @ Term::Port(..) => self.node("Abs", &[("A", port)]),
        }
    }

    /// `term == 0 ? then : otherwise`; NaN is not 0.
    fn if_zero(&mut self, term: Term, then: Term, otherwise: Term) -> Term {
        let size = self.size(term);
        let mut less = |a, b, then, otherwise| {
            self.node(
                "Select",
                &[("A", a), ("B", b), ("C", then), ("D", otherwise)],
            )
        };
        let not_positive = less(size, Term::Number(1.0), then, otherwise);
        less(Term::Number(0.0), size, otherwise, not_positive)
    }
}

fn with(node: NodeData, parameter: &str, term: Term) -> NodeData {
    match term {
        Term::Number(number) => node.value(parameter, number),
        Term::Port(id, port) => node.link(parameter, id, port),
    }
}
