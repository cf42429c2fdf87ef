//! The peer for large batches, pictures and meshes: fidget's machine code, called directly.

use fibula_nodes::{Binary, Operation, Unary};
use fidget_core::context::{BadNode, Context, Node};
use fidget_core::eval::{BulkEvaluator, Function, MathFunction, Tape, TracingEvaluator};
use fidget_core::shape::{BoundShape, Shape, ShapeVars};
use fidget_core::var::Var;
use fidget_jit::JitFunction;
use fidget_mesh::{Octree, Settings};
use fidget_raster::pixel;

type Storage = <JitFunction as Function>::TapeStorage;
type BulkTape = <<JitFunction as Function>::FloatSliceEval as BulkEvaluator>::Tape;

/// A function as fidget has it, compiled.
pub(crate) struct Fidget {
    context: Context,
    root: Node,
    tape: BulkTape,
    evaluator: <JitFunction as Function>::FloatSliceEval,
}

impl Fidget {
    /// The last of some kernel operations, whose variables are x, y and z.
    pub(crate) fn new(operations: &[Operation]) -> Fidget {
        let (context, root) = context(operations);
        let function = JitFunction::new(&context, &[root]).expect("the context has the node");
        Fidget {
            tape: function.float_slice_tape(Storage::default()),
            evaluator: JitFunction::new_float_slice_eval(),
            context,
            root,
        }
    }

    /// Computes the values at many points, and gives the last.
    pub(crate) fn values(&mut self, points: &[Vec<f32>; 3]) -> f32 {
        let vars = self.tape.vars();
        let mut arguments: Vec<&[f32]> = vec![&points[0]; vars.len()];
        for (var, points) in [Var::X, Var::Y, Var::Z].iter().zip(points) {
            if let Some(place) = vars.get(var) {
                arguments[place] = points;
            }
        }
        let output = self.evaluator.eval(&self.tape, &arguments);
        let output = output.expect("one slice per variable");
        output[0][points[0].len() - 1]
    }

    /// Draws the picture of [-1, 1] x [-1, 1], pruned, on one thread, and says how many of its pixels are inside.
    pub(crate) fn picture(&self, side: u32) -> usize {
        let shape = Shape::<JitFunction>::new(&self.context, self.root);
        let shape = shape.expect("the context has the node");
        let vars = ShapeVars::new();
        let bound = BoundShape::new(shape, &vars).expect("it has no other variables");
        let settings = pixel::EvalConfig {
            threads: None,
            ..pixel::EvalConfig::default()
        };
        let picture = pixel::render(
            bound,
            &pixel::RenderConfig::from_size(side.into()),
            &settings,
        );
        let picture = picture.expect("nobody cancels it");
        picture.iter().filter(|pixel| pixel.inside()).count()
    }
}

impl Fidget {
    /// Makes a mesh of [-1, 1] on each axis in cells of an octree of this depth, on one thread, and says how many triangles
    /// it has.
    pub(crate) fn mesh(&self, depth: u8) -> usize {
        let shape = Shape::<JitFunction>::new(&self.context, self.root);
        let shape = shape.expect("the context has the node");
        let vars = ShapeVars::new();
        let bound = BoundShape::new(shape, &vars).expect("it has no other variables");
        let settings = Settings {
            depth,
            threads: None,
            ..Settings::default()
        };
        let octree = Octree::build(&bound, &settings).expect("nobody cancels it");
        octree.walk_dual().triangles.len()
    }
}

/// From a graph in memory to the value at one point.
pub(crate) fn first_value(context: &Context, root: Node, point: [f32; 3]) -> f32 {
    let function = JitFunction::new(context, &[root]).expect("the context has the node");
    let tape = function.point_tape(Storage::default());
    let mut arguments = vec![0.0; tape.vars().len()];
    for (var, coordinate) in [Var::X, Var::Y, Var::Z].iter().zip(point) {
        if let Some(place) = tape.vars().get(var) {
            arguments[place] = coordinate;
        }
    }
    let mut evaluator = JitFunction::new_point_eval();
    let (values, _) = evaluator
        .eval(&tape, &arguments)
        .expect("one number per variable");
    values[0]
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
        Operation::Select { .. } | Operation::Oracle { .. } => {
            panic!("no workload has {operation:?}")
        }
    }
}
