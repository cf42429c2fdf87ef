//! Nodes: the trait, the information on each kind, and the macro that declares a kind.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, DerefMut};

use crate::bundle::Bundle;
use crate::kernel::{Expr, Kernel};
use crate::oracle::{OracleUse, Query};
use crate::port::{FunctionType, Signature};
use crate::value::{ResourceId, ResourceKind, Value};
use dyn_clone::DynClone;

/// A node of some kind. Nearly every kind is a unit struct: values live in the graph, as parameters.
#[typetag::serde(tag = "type")]
pub trait Node: fmt::Debug + DynClone + Send + Sync + 'static {
    /// Information on the kind of the node.
    fn info(&self) -> &'static KindInfo;

    /// The ports of this very node. Only kinds whose ports follow a function differ from their kind's.
    fn signature(&self) -> Cow<'_, Signature> {
        Cow::Borrowed(&self.info().signature)
    }

    /// This node with its ports following a function of type `callee`; `None` for kinds that follow none.
    fn with_callee(&self, callee: &FunctionType) -> Option<Box<dyn Node>> {
        let _ = callee;
        None
    }

    /// Lowers the node to kernel operations: one bundle in per parameter, one out per port.
    ///
    /// # Errors
    /// [`LowerError`] when a function or resource that the node refers to is not there or does not fit.
    ///
    /// # Panics
    /// If `inputs` is not one bundle per parameter, of the types of one of the signature's rules.
    fn lower(&self, inputs: &[Bundle], to: &mut Lowering<'_>) -> Result<Vec<Bundle>, LowerError>;
}

dyn_clone::clone_trait_object!(Node);

/// Information on a kind of node.
#[derive(Debug)]
pub struct KindInfo {
    /// The kind's name: its tag in files, `node_type` in tools, its label in the palette.
    pub name: &'static str,
    /// The 3MF element, and the function's name in expressions.
    pub element: &'static str,
    /// True if 3MF has the element. Other kinds are written to 3MF in terms of native kinds.
    pub native: bool,
    /// Other names that are understood.
    pub aliases: &'static [&'static str],
    /// The group in which the kind is listed.
    pub family: Family,
    /// Documentation; the first sentence is the summary.
    pub doc: &'static str,
    /// Parameters, ports and overloads.
    pub signature: Signature,
    /// Inputs and the outputs that they give; at least one.
    pub examples: Vec<Example>,
    /// Makes a node of this kind.
    pub make: fn() -> Box<dyn Node>,
}

impl KindInfo {
    /// The first sentence of the documentation.
    pub fn summary(&self) -> &'static str {
        match self.doc.find(". ") {
            Some(end) => &self.doc[..=end],
            None => self.doc,
        }
    }
}

/// The entry of a kind in the catalogue, submitted by `node!`.
#[doc(hidden)]
pub struct Entry(pub fn() -> Box<dyn Node>);

inventory::collect!(Entry);

/// The groups in which kinds are listed, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each is the module of its name")]
pub enum Family {
    Boundary,
    Constant,
    Arithmetic,
    Trigonometry,
    Exponential,
    Rounding,
    Choice,
    Vector,
    Matrix,
    Resource,
    Call,
}

impl Family {
    /// The family's name, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Family::Boundary => "boundary",
            Family::Constant => "constant",
            Family::Arithmetic => "arithmetic",
            Family::Trigonometry => "trigonometry",
            Family::Exponential => "exponential",
            Family::Rounding => "rounding",
            Family::Choice => "choice",
            Family::Vector => "vector",
            Family::Matrix => "matrix",
            Family::Resource => "resource",
            Family::Call => "call",
        }
    }
}

/// A worked example of a kind: documentation and test at once.
#[derive(Debug, Clone)]
pub struct Example {
    /// One value per parameter.
    pub inputs: Vec<Value>,
    /// One value per port.
    pub outputs: Vec<Value>,
}

/// Functions and resources that nodes refer to while they are lowered.
pub trait Scope {
    /// Writes the outputs of a function for these arguments, one bundle per input.
    ///
    /// # Errors
    /// [`LowerError`] when there is no such function, or it cannot be flattened.
    fn inline(
        &mut self,
        function: ResourceId,
        arguments: &[Bundle],
        kernel: &mut Kernel,
    ) -> Result<Vec<Bundle>, LowerError>;

    /// The type of a function.
    ///
    /// # Errors
    /// [`LowerError::NoFunction`] when there is no such function.
    fn function(&self, function: ResourceId) -> Result<FunctionType, LowerError>;

    /// The oracle that answers `query` for a resource.
    ///
    /// # Errors
    /// [`LowerError::NoResource`] when there is no such resource, [`LowerError::WrongResource`] when it cannot
    /// answer.
    fn oracle(&self, resource: ResourceId, query: Query) -> Result<OracleUse, LowerError>;
}

/// Context in which a node is lowered: the kernel, whose methods it has, and the scope of the project.
pub struct Lowering<'a> {
    /// The operations written so far.
    pub kernel: &'a mut Kernel,
    /// Functions and resources.
    pub scope: &'a mut dyn Scope,
}

impl Deref for Lowering<'_> {
    type Target = Kernel;

    fn deref(&self) -> &Kernel {
        self.kernel
    }
}

impl DerefMut for Lowering<'_> {
    fn deref_mut(&mut self) -> &mut Kernel {
        self.kernel
    }
}

impl Lowering<'_> {
    /// The outputs of a function for these arguments.
    ///
    /// # Errors
    /// As [`Scope::inline`].
    pub fn call(
        &mut self,
        function: ResourceId,
        arguments: &[Bundle],
    ) -> Result<Vec<Bundle>, LowerError> {
        self.scope.inline(function, arguments, self.kernel)
    }

    /// Every channel of what a resource answers at a point.
    ///
    /// # Errors
    /// As [`Scope::oracle`].
    pub fn query_oracle(
        &mut self,
        resource: ResourceId,
        query: Query,
        at: [Expr; 3],
    ) -> Result<Vec<Expr>, LowerError> {
        let oracle = self.scope.oracle(resource, query)?;
        Ok((0..query.channels())
            .map(|channel| self.kernel.oracle(&oracle, channel, at))
            .collect())
    }
}

/// Error returned when a node cannot be lowered.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LowerError {
    /// The function that the node names is not in the project.
    #[error("function {0} is not in this project; create or import it, or change functionID")]
    NoFunction(ResourceId),
    /// The resource that the node names is not in the project.
    #[error(
        "{wants} {resource} is not in this project; add it under this id, or change the reference"
    )]
    NoResource {
        /// The resource's id.
        resource: ResourceId,
        /// The expected kind.
        wants: ResourceKind,
    },
    /// The bytes of the resource that the node names were not read.
    #[error(
        "the content of {wants} {resource} is not loaded, damaged or missing; import its file again"
    )]
    NotLoaded {
        /// The resource's id.
        resource: ResourceId,
        /// The actual kind.
        wants: ResourceKind,
    },
    /// The resource that the node names is of another kind.
    #[error("resource {resource} is a {is}, but the node needs a {wants}")]
    WrongResource {
        /// The resource's id.
        resource: ResourceId,
        /// The expected kind.
        wants: ResourceKind,
        /// The actual kind.
        is: ResourceKind,
    },
    /// The function has no input or output of the name and type that the node needs.
    #[error("function {function} has no {what}; it has {has}")]
    NoSuchPort {
        /// The function.
        function: ResourceId,
        /// The missing port, such as "float output 'shape'".
        what: String,
        /// The existing ports.
        has: String,
    },
    /// A whole number outside of its range.
    #[error("{parameter} is {value}, but must be 0 to {last} ({meaning})")]
    OutOfRange {
        /// The parameter.
        parameter: &'static str,
        /// Its value.
        value: i64,
        /// The last that is allowed.
        last: i64,
        /// Meaning of the numbers.
        meaning: &'static str,
    },
    /// A parameter has to be known before evaluation, but varies.
    #[error("{0} varies between points, but must be a constant; set it to a value")]
    NotConstant(&'static str),
    /// The function is too large when its calls are written out.
    #[error(
        "the function has more than {0} operations after its calls are inlined; evaluate a part of it"
    )]
    TooLarge(usize),
}

/// Result of the lowering expression of `node!`: one bundle, several, or either with an error.
pub trait IntoBundles {
    /// One bundle per port.
    ///
    /// # Errors
    /// The error of the expression.
    fn into_bundles(self) -> Result<Vec<Bundle>, LowerError>;
}

impl IntoBundles for Bundle {
    fn into_bundles(self) -> Result<Vec<Bundle>, LowerError> {
        Ok(vec![self])
    }
}

impl IntoBundles for Expr {
    fn into_bundles(self) -> Result<Vec<Bundle>, LowerError> {
        Ok(vec![Bundle::Float(self)])
    }
}

impl IntoBundles for [Expr; 3] {
    fn into_bundles(self) -> Result<Vec<Bundle>, LowerError> {
        Ok(vec![Bundle::Float3(self)])
    }
}

impl IntoBundles for [Expr; 16] {
    fn into_bundles(self) -> Result<Vec<Bundle>, LowerError> {
        Ok(vec![Bundle::Matrix4x4(self)])
    }
}

impl IntoBundles for Vec<Bundle> {
    fn into_bundles(self) -> Result<Vec<Bundle>, LowerError> {
        Ok(self)
    }
}

impl<T: IntoBundles> IntoBundles for Result<T, LowerError> {
    fn into_bundles(self) -> Result<Vec<Bundle>, LowerError> {
        self.and_then(IntoBundles::into_bundles)
    }
}

/// Writes a node kind: the struct, its [`KindInfo`], its meaning, and its entry in the catalogue.
///
/// ```text
/// node! {
///     /// What it does.                              the first sentence is the summary
///     Name, "element" | "alias" | ..., Family,       `helper "element"` if 3MF has no such element
///     (A | alias = default, B: Mesh) -> (result),    parameters (B names a mesh) -> ports
///     RULES,                                         EACH or One(&[..], &[..])
///     [(input, ...) -> (output, ...), ...],          worked examples
///     |x, k| meaning                                 x: one bundle per parameter; k: the kernel
/// }
/// ```
#[macro_export]
macro_rules! node {
    (
        $(#[doc = $doc:literal])+
        $name:ident, helper $($rest:tt)+
    ) => {
        $crate::node!(@kind [$($doc)+] $name, false, $($rest)+);
    };
    (
        $(#[doc = $doc:literal])+
        $name:ident, $($rest:tt)+
    ) => {
        $crate::node!(@kind [$($doc)+] $name, true, $($rest)+);
    };
    (@kind [$($doc:literal)+]
        $name:ident, $native:literal, $element:literal $(| $alias:literal)*, $family:ident,
        ($($parameter:ident $(| $parameter_alias:ident)* $(: $refers:ident)? $(= $default:expr)?),*)
            -> ($($port:ident $(| $port_alias:ident)*),*), $overloads:expr,
        [$(($($input:expr),*) -> ($($output:expr),*)),+ $(,)?],
        |$x:ident, $k:ident| $meaning:expr $(,)?
    ) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
        pub struct $name;

        #[$crate::typetag::serde]
        impl $crate::node::Node for $name {
            fn info(&self) -> &'static $crate::node::KindInfo {
                static INFO: ::std::sync::LazyLock<$crate::node::KindInfo> = ::std::sync::LazyLock::new(|| {
                    let parameters = vec![$($crate::port::Parameter {
                        name: stringify!($parameter).into(),
                        aliases: &[$(stringify!($parameter_alias)),*],
                        default: $crate::node!(@default $($default)?),
                        refers: $crate::node!(@refers $($refers)?),
                        details: None,
                    }),*];
                    let ports = vec![$($crate::port::Port {
                        name: stringify!($port).into(),
                        aliases: &[$(stringify!($port_alias)),*],
                        details: None,
                    }),*];
                    let overloads = $overloads.build(parameters.len(), ports.len());
                    $crate::node::KindInfo {
                        name: stringify!($name),
                        element: $element,
                        native: $native,
                        aliases: &[$($alias),*],
                        family: $crate::node::Family::$family,
                        doc: concat!($($doc, "\n"),+).trim(),
                        signature: $crate::port::Signature { parameters, ports, overloads },
                        examples: vec![$($crate::node::Example {
                            inputs: vec![$($input),*],
                            outputs: vec![$($output),*],
                        }),+],
                        make: || Box::new($name),
                    }
                });
                &INFO
            }

            fn lower(
                &self,
                $x: &[$crate::bundle::Bundle],
                $k: &mut $crate::node::Lowering<'_>,
            ) -> Result<Vec<$crate::bundle::Bundle>, $crate::node::LowerError> {
                $crate::node::IntoBundles::into_bundles($meaning)
            }
        }

        $crate::inventory::submit! { $crate::node::Entry(|| Box::new($name)) }
    };
    (@refers) => { None };
    (@refers $refers:ident) => { Some($crate::value::ResourceKind::$refers) };
    (@default) => { None };
    (@default $default:expr) => { Some($default) };
}
