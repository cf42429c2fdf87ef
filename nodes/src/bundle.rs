//! A value while a function is flattened.

use std::sync::Arc;

use crate::kernel::{Expr, Kernel};
use crate::value::{ResourceId, Type, Value};

/// A value while a function is flattened: scalars of the kernel, or what is known before evaluation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Bundle {
    /// One scalar.
    Float(Expr),
    /// Three scalars.
    Float3([Expr; 3]),
    /// Sixteen scalars, row by row.
    Matrix4x4([Expr; 16]),
    /// A whole number.
    Integer(i64),
    /// A text.
    String(Arc<str>),
    /// A reference to a resource.
    ResourceId(ResourceId),
}

/// Invariant by which accessors rely on a bundle's type.
const CHECKED: &str = "types were checked when the link or value was made";

impl Bundle {
    /// `value` as constants of the kernel.
    pub fn constant(value: &Value, kernel: &mut Kernel) -> Bundle {
        match value {
            Value::Float(number) => Bundle::Float(kernel.constant(*number)),
            Value::Float3(numbers) => Bundle::Float3(numbers.map(|number| kernel.constant(number))),
            Value::Matrix4x4(numbers) => {
                Bundle::Matrix4x4(numbers.map(|number| kernel.constant(number)))
            }
            Value::Integer(number) => Bundle::Integer(*number),
            Value::String(text) => Bundle::String(text.as_str().into()),
            Value::ResourceId(id) => Bundle::ResourceId(*id),
        }
    }

    /// The bundle's type.
    pub fn ty(&self) -> Type {
        match self {
            Bundle::Float(_) => Type::Float,
            Bundle::Float3(_) => Type::Float3,
            Bundle::Matrix4x4(_) => Type::Matrix4x4,
            Bundle::Integer(_) => Type::Integer,
            Bundle::String(_) => Type::String,
            Bundle::ResourceId(_) => Type::ResourceId,
        }
    }

    /// The bundle's scalars, row by row; empty for what is known before evaluation.
    pub fn scalars(&self) -> &[Expr] {
        match self {
            Bundle::Float(scalar) => std::slice::from_ref(scalar),
            Bundle::Float3(scalars) => scalars,
            Bundle::Matrix4x4(scalars) => scalars,
            Bundle::Integer(_) | Bundle::String(_) | Bundle::ResourceId(_) => &[],
        }
    }

    /// `f` of each component.
    ///
    /// # Panics
    /// If the bundle has no scalars.
    #[must_use]
    pub fn each(&self, f: impl FnMut(Expr) -> Expr) -> Bundle {
        match self {
            Bundle::Float(scalar) => {
                let mut f = f;
                Bundle::Float(f(*scalar))
            }
            Bundle::Float3(scalars) => Bundle::Float3(scalars.map(f)),
            Bundle::Matrix4x4(scalars) => Bundle::Matrix4x4(scalars.map(f)),
            Bundle::Integer(_) | Bundle::String(_) | Bundle::ResourceId(_) => panic!("{CHECKED}"),
        }
    }

    /// `f` of each component and its place, row by row.
    ///
    /// # Panics
    /// If the bundle has no scalars.
    #[must_use]
    pub fn each_at(&self, mut f: impl FnMut(usize, Expr) -> Expr) -> Bundle {
        let mut place = 0;
        self.each(|scalar| {
            let result = f(place, scalar);
            place += 1;
            result
        })
    }

    /// The scalar of a float.
    ///
    /// # Panics
    /// If the bundle is no float.
    pub fn float(&self) -> Expr {
        let &[scalar] = self.scalars() else {
            panic!("{CHECKED}")
        };
        scalar
    }

    /// The scalars of a float3.
    ///
    /// # Panics
    /// If the bundle is no float3.
    pub fn float3(&self) -> [Expr; 3] {
        self.scalars().try_into().expect(CHECKED)
    }

    /// The scalars of a matrix, row by row.
    ///
    /// # Panics
    /// If the bundle is no matrix.
    pub fn matrix(&self) -> [Expr; 16] {
        self.scalars().try_into().expect(CHECKED)
    }

    /// The whole number of an integer.
    ///
    /// # Panics
    /// If the bundle is no integer.
    pub fn integer(&self) -> i64 {
        let Bundle::Integer(number) = self else {
            panic!("{CHECKED}")
        };
        *number
    }

    /// The text of a string.
    ///
    /// # Panics
    /// If the bundle is no string.
    pub fn text(&self) -> &str {
        let Bundle::String(text) = self else {
            panic!("{CHECKED}")
        };
        text
    }

    /// The id of a resource reference.
    ///
    /// # Panics
    /// If the bundle is no resource reference.
    pub fn resource(&self) -> ResourceId {
        let Bundle::ResourceId(id) = self else {
            panic!("{CHECKED}")
        };
        *id
    }
}
