//! The peer's graphs: functions as fidget has them, with its machine code.

use fibula_nodes::{Binary, Operation, Unary};
use fidget_core::context::{BadNode, Context, Node};
use fidget_core::shape::{BoundShape, Shape};
use fidget_jit::JitFunction;

/// A function as fidget has it.
pub(crate) struct Fidget {
    context: Context,
    root: Node,
}

impl Fidget {
    /// The last of some kernel operations, whose variables are x, y and z.
    pub(crate) fn new(operations: &[Operation]) -> Fidget {
        let (context, root) = context(operations);
        Fidget { context, root }
    }

    /// The function as fidget's ways to look at one take it.
    pub(crate) fn shape(&self) -> BoundShape<'static, JitFunction, f32> {
        let shape = Shape::<JitFunction>::new(&self.context, self.root);
        let shape = shape.expect("the context has the node");
        shape.try_into().expect("it has no other variables")
    }
}

/// The last of some kernel operations, as fidget's graph.
pub(crate) fn context(operations: &[Operation]) -> (Context, Node) {
    let mut context = Context::new();
    let axes = context.axes();
    let mut nodes: Vec<Node> = Vec::with_capacity(operations.len());
    for operation in operations {
        let node = write(&mut context, &axes, &nodes, operation);
        nodes.push(node.expect("the operands are nodes of the context"));
    }
    let root = *nodes.last().expect("a function has operations");
    (context, root)
}

fn write(
    context: &mut Context,
    axes: &[Node; 3],
    nodes: &[Node],
    operation: &Operation,
) -> Result<Node, BadNode> {
    let node = |expr: fibula_nodes::Expr| nodes[expr.index()];
    match *operation {
        Operation::Constant(number) => Ok(context.constant(number as f32)),
        Operation::Variable(index) => Ok(axes[index as usize]),
        Operation::Unary(operation, a) => match operation {
            Unary::Neg => context.neg(node(a)),
            Unary::Abs => context.abs(node(a)),
            Unary::Sqrt => context.sqrt(node(a)),
            Unary::Floor => context.floor(node(a)),
            Unary::Ceil => context.ceil(node(a)),
            Unary::Sin => context.sin(node(a)),
            Unary::Cos => context.cos(node(a)),
            Unary::Exp => context.exp(node(a)),
            Unary::Log => context.ln(node(a)),
            other => panic!("no workload has {other:?}"),
        },
        Operation::Binary(operation, a, b) => match operation {
            Binary::Add => context.add(node(a), node(b)),
            Binary::Sub => context.sub(node(a), node(b)),
            Binary::Mul if a == b => context.square(node(a)),
            Binary::Mul => context.mul(node(a), node(b)),
            Binary::Div => context.div(node(a), node(b)),
            Binary::Min => context.min(node(a), node(b)),
            Binary::Max => context.max(node(a), node(b)),
            other => panic!("no workload has {other:?}"),
        },
        Operation::Select {
            less: (a, b),
            then,
            otherwise,
        } => {
            let is_less = context.less_than(node(a), node(b))?;
            context.if_nonzero_else(is_less, node(then), node(otherwise))
        }
        Operation::Oracle { .. } => panic!("no workload has {operation:?}"),
    }
}
