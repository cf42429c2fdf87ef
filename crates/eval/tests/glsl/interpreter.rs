//! An interpreter of the part of naga's language that our GLSL becomes, so that what it means can be tested without
//! a graphics processor. Elementary functions are those of the standard library in f32.

use std::collections::HashMap;
use std::ops::ControlFlow;

use naga::front::glsl::{Frontend, Options};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{
    BinaryOperator, Expression, Function, GlobalVariable, Handle, Literal, LocalVariable,
    MathFunction, Module, ScalarKind, ShaderStage, Statement, UnaryOperator,
};

use fibula_eval::glsl::Shader;

pub(crate) struct Program {
    module: Module,
    globals: HashMap<Handle<GlobalVariable>, Vec<f32>>,
}

/// naga reads the GLSL of Vulkan, not that of WebGL: another version line, and bindings for blocks. Nothing else of
/// the text is changed.
pub(crate) fn parse(fragment: &str) -> Module {
    let lines = fragment.lines().enumerate().map(|(index, line)| {
        line.replace("#version 300 es", "#version 450").replace(
            "layout(std140)",
            &format!("layout(std140, set = 0, binding = {index})"),
        )
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    let module = Frontend::default()
        .parse(&Options::from(ShaderStage::Fragment), &text)
        .unwrap_or_else(|errors| panic!("{}\n{text}", errors.emit_to_string(&text)));
    Validator::new(ValidationFlags::all(), Capabilities::empty())
        .validate(&module)
        .unwrap_or_else(|error| panic!("{}\n{text}", error.emit_to_string(&text)));
    module
}

/// The source with an empty `main`: for functions that have no fragment shader.
pub(crate) fn whole(shader: &Shader) -> String {
    format!("#version 300 es\n{}\nvoid main() {{}}\n", shader.source)
}

#[derive(Debug, Clone, PartialEq)]
enum Value {
    Float(f32),
    Uint(u32),
    Int(i32),
    Bool(bool),
    Vector(Vec<f32>),
    Pointer(Target, Vec<usize>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Target {
    Local(Handle<LocalVariable>),
    Argument(u32),
    Global(Handle<GlobalVariable>),
}

struct Frame<'a> {
    function: &'a Function,
    arguments: Vec<Value>,
    locals: HashMap<Handle<LocalVariable>, Value>,
    known: HashMap<Handle<Expression>, Value>,
}

impl Program {
    pub(crate) fn new(shader: &Shader) -> Program {
        let module = parse(&whole(shader));
        let globals = module.global_variables.iter().map(|(handle, variable)| {
            let names = [&variable.name, &module.types[variable.ty].name];
            let block = shader.blocks.iter();
            let mut block = block.filter(|block| names.contains(&&Some(block.name.clone())));
            let block = block.next().expect("a block for each uniform");
            (handle, block.values.clone())
        });
        Program {
            globals: globals.collect(),
            module,
        }
    }

    /// The function's outputs at a point, or for scalars.
    pub(crate) fn answer(
        &self,
        shader: &Shader,
        point: Option<[f32; 3]>,
        scalars: &[f32],
        outputs: usize,
    ) -> Vec<f32> {
        let mut functions = self.module.functions.iter();
        let (_, function) = functions
            .find(|(_, function)| function.name.as_ref() == Some(&shader.name))
            .expect("the function that the shader names");
        let mut arguments: Vec<Value> = Vec::new();
        arguments.extend(point.map(|point| Value::Vector(point.to_vec())));
        arguments.extend(scalars.iter().map(|&scalar| Value::Float(scalar)));
        let first = arguments.len();
        if outputs != 1 {
            arguments.extend((0..outputs).map(|_| Value::Float(f32::NAN)));
        }
        let (result, arguments) = self.call(function, arguments);
        match result {
            Some(result) => vec![float(&result)],
            None => arguments[first..].iter().map(float).collect(),
        }
    }

    fn call(&self, function: &Function, arguments: Vec<Value>) -> (Option<Value>, Vec<Value>) {
        let mut frame = Frame {
            function,
            arguments,
            locals: HashMap::new(),
            known: HashMap::new(),
        };
        for (handle, local) in function.local_variables.iter() {
            if let Some(init) = local.init {
                let value = self.value(&mut frame, init);
                frame.locals.insert(handle, value);
            }
        }
        let result = self.block(&mut frame, &function.body);
        (result.break_value().flatten(), frame.arguments)
    }

    /// Runs a block; it breaks with what is returned.
    fn block(&self, frame: &mut Frame<'_>, block: &naga::Block) -> ControlFlow<Option<Value>> {
        for statement in block {
            match statement {
                Statement::Emit(range) => {
                    for handle in range.clone() {
                        let value = self.computed(frame, handle);
                        frame.known.insert(handle, value);
                    }
                }
                Statement::Block(inner) => {
                    self.block(frame, inner)?;
                }
                Statement::Return { value } => {
                    return ControlFlow::Break(value.map(|value| self.value(frame, value)));
                }
                Statement::Store { pointer, value } => {
                    let value = self.value(frame, *value);
                    match self.value(frame, *pointer) {
                        Value::Pointer(Target::Local(local), path) if path.is_empty() => {
                            frame.locals.insert(local, value);
                        }
                        Value::Pointer(Target::Argument(index), path) if path.is_empty() => {
                            frame.arguments[index as usize] = value;
                        }
                        other => panic!("a place for a value, not {other:?}"),
                    }
                }
                Statement::Call {
                    function,
                    arguments,
                    result,
                } => {
                    let arguments = arguments
                        .iter()
                        .map(|&argument| self.value(frame, argument));
                    let arguments = arguments.collect();
                    let (value, _) = self.call(&self.module.functions[*function], arguments);
                    if let Some(result) = result {
                        frame.known.insert(*result, value.expect("a value"));
                    }
                }
                // Branches among them, which cost drivers exponential time.
                other => panic!("{other:?} is not in our texts"),
            }
        }
        ControlFlow::Continue(())
    }

    fn value(&self, frame: &mut Frame<'_>, handle: Handle<Expression>) -> Value {
        match frame.known.get(&handle) {
            Some(value) => value.clone(),
            None => self.computed(frame, handle),
        }
    }

    fn computed(&self, frame: &mut Frame<'_>, handle: Handle<Expression>) -> Value {
        match &frame.function.expressions[handle] {
            Expression::Literal(Literal::F32(number)) => Value::Float(*number),
            Expression::Literal(Literal::U32(number)) => Value::Uint(*number),
            Expression::Literal(Literal::I32(number)) => Value::Int(*number),
            Expression::Literal(Literal::Bool(is)) => Value::Bool(*is),
            Expression::FunctionArgument(index) => {
                let argument = &frame.function.arguments[*index as usize];
                match self.module.types[argument.ty].inner {
                    naga::TypeInner::Pointer { .. } => {
                        Value::Pointer(Target::Argument(*index), Vec::new())
                    }
                    _ => frame.arguments[*index as usize].clone(),
                }
            }
            Expression::LocalVariable(local) => Value::Pointer(Target::Local(*local), Vec::new()),
            Expression::GlobalVariable(global) => {
                Value::Pointer(Target::Global(*global), Vec::new())
            }
            Expression::AccessIndex { base, index } => {
                let base = self.value(frame, *base);
                part(base, *index as usize)
            }
            Expression::Access { base, index } => {
                let index = match self.value(frame, *index) {
                    Value::Int(index) => index as usize,
                    Value::Uint(index) => index as usize,
                    other => panic!("an index, not {other:?}"),
                };
                let base = self.value(frame, *base);
                part(base, index)
            }
            Expression::Load { pointer } => match self.value(frame, *pointer) {
                Value::Pointer(Target::Local(local), path) => {
                    let whole = frame.locals[&local].clone();
                    path.into_iter().fold(whole, part)
                }
                Value::Pointer(Target::Argument(index), path) => {
                    let whole = frame.arguments[index as usize].clone();
                    path.into_iter().fold(whole, part)
                }
                // The only member of the block, a vector of it, and a component, in one load or two.
                Value::Pointer(Target::Global(global), path) => match path[..] {
                    [0, vector] => Value::Vector(self.globals[&global][4 * vector..][..4].to_vec()),
                    [0, vector, component] => {
                        assert!(component < 4);
                        Value::Float(self.globals[&global][4 * vector + component])
                    }
                    _ => panic!("{path:?} is no constant"),
                },
                other => panic!("something to load, not {other:?}"),
            },
            Expression::Unary { op, expr } => match (op, self.value(frame, *expr)) {
                (UnaryOperator::Negate, Value::Float(a)) => Value::Float(-a),
                (UnaryOperator::LogicalNot, Value::Bool(a)) => Value::Bool(!a),
                other => panic!("{other:?} is not in our texts"),
            },
            Expression::Binary { op, left, right } => {
                let (left, right) = (self.value(frame, *left), self.value(frame, *right));
                binary(*op, &left, &right)
            }
            Expression::Select {
                condition,
                accept,
                reject,
            } => match self.value(frame, *condition) {
                Value::Bool(true) => self.value(frame, *accept),
                Value::Bool(false) => self.value(frame, *reject),
                other => panic!("a condition, not {other:?}"),
            },
            Expression::Math { fun, arg, arg1, .. } => {
                let a = float(&self.value(frame, *arg));
                let b = arg1.map(|arg| float(&self.value(frame, arg)));
                Value::Float(math(*fun, a, b))
            }
            Expression::As {
                expr,
                kind,
                convert: None,
            } => match (kind, self.value(frame, *expr)) {
                (ScalarKind::Uint, Value::Float(a)) => Value::Uint(a.to_bits()),
                (ScalarKind::Float, Value::Uint(a)) => Value::Float(f32::from_bits(a)),
                other => panic!("{other:?} is not in our texts"),
            },
            other => panic!("{other:?} is not in our texts"),
        }
    }
}

fn float(value: &Value) -> f32 {
    match value {
        Value::Float(number) => *number,
        other => panic!("a float, not {other:?}"),
    }
}

fn part(whole: Value, index: usize) -> Value {
    match whole {
        Value::Vector(numbers) => Value::Float(numbers[index]),
        Value::Pointer(target, mut path) => {
            path.push(index);
            Value::Pointer(target, path)
        }
        other => panic!("something with parts, not {other:?}"),
    }
}

#[expect(clippy::float_cmp, reason = "it is what the texts ask for")]
fn binary(operator: BinaryOperator, left: &Value, right: &Value) -> Value {
    match (left, right) {
        (&Value::Float(a), &Value::Float(b)) => match operator {
            BinaryOperator::Add => Value::Float(a + b),
            BinaryOperator::Subtract => Value::Float(a - b),
            BinaryOperator::Multiply => Value::Float(a * b),
            BinaryOperator::Divide => Value::Float(a / b),
            BinaryOperator::Equal => Value::Bool(a == b),
            BinaryOperator::NotEqual => Value::Bool(a != b),
            BinaryOperator::Less => Value::Bool(a < b),
            BinaryOperator::LessEqual => Value::Bool(a <= b),
            BinaryOperator::Greater => Value::Bool(a > b),
            BinaryOperator::GreaterEqual => Value::Bool(a >= b),
            other => panic!("{other:?} is not in our texts"),
        },
        (&Value::Uint(a), &Value::Uint(b)) => match operator {
            BinaryOperator::And => Value::Uint(a & b),
            BinaryOperator::InclusiveOr => Value::Uint(a | b),
            BinaryOperator::Greater => Value::Bool(a > b),
            BinaryOperator::NotEqual => Value::Bool(a != b),
            other => panic!("{other:?} is not in our texts"),
        },
        (&Value::Bool(a), &Value::Bool(b)) => match operator {
            BinaryOperator::LogicalAnd => Value::Bool(a && b),
            BinaryOperator::LogicalOr => Value::Bool(a || b),
            other => panic!("{other:?} is not in our texts"),
        },
        other => panic!("{operator:?} of {other:?} is not in our texts"),
    }
}

/// Functions of GLSL. A result that GLSL leaves undefined is a wrong number here, so that a text that depends on it fails.
fn math(function: MathFunction, a: f32, b: Option<f32>) -> f32 {
    const OPEN: f32 = 12_345.0;
    let is_unit = a.abs() <= 1.0;
    match (function, b) {
        (MathFunction::Abs, None) => a.abs(),
        (MathFunction::Floor, None) => a.floor(),
        (MathFunction::Ceil, None) => a.ceil(),
        (MathFunction::Trunc, None) => a.trunc(),
        (MathFunction::Sin, None) => a.sin(),
        (MathFunction::Cos, None) => a.cos(),
        (MathFunction::Tan, None) => a.tan(),
        (MathFunction::Asin, None) if is_unit => a.asin(),
        (MathFunction::Acos, None) if is_unit => a.acos(),
        (MathFunction::Atan, None) => a.atan(),
        (MathFunction::Exp, None) => a.exp(),
        (MathFunction::Log, None) if a > 0.0 => a.ln(),
        (MathFunction::Log2, None) if a > 0.0 => a.log2(),
        (MathFunction::Sqrt, None) if a >= 0.0 => a.sqrt(),
        (MathFunction::Sqrt, None) if a.is_nan() => a,
        (MathFunction::Pow, Some(b)) if a > 0.0 => a.powf(b),
        (MathFunction::Min, Some(b)) if !a.is_nan() && !b.is_nan() => a.min(b),
        (MathFunction::Max, Some(b)) if !a.is_nan() && !b.is_nan() => a.max(b),
        (
            MathFunction::Asin
            | MathFunction::Acos
            | MathFunction::Log
            | MathFunction::Log2
            | MathFunction::Sqrt,
            None,
        )
        | (MathFunction::Pow | MathFunction::Min | MathFunction::Max, Some(_)) => OPEN,
        other => panic!("{other:?} is not in our texts"),
    }
}
