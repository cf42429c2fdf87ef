//! Arguments as columns: one number per point for each scalar input, read where they lie in the arrays of the caller.
//!
//! Arrays are broadcast without being copied: a column is a place in memory with strides, some of them 0.

use fibula_nodes::{PortSpec, Type};
use numpy::{
    Element, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyFloat, PyInt, PyTuple};

use crate::error::invalid;

/// Width of a floating-point number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Precision {
    Single,
    Double,
}

/// Numbers of an argument, before their precision is known: an array whose last axes are the components.
pub(crate) struct Leaf<'py> {
    array: Bound<'py, PyUntypedArray>,
    /// Axes of the components: 0 for floats, 1 for points, 2 for matrices.
    inner: usize,
    /// Precision that it asks for; none for numbers of Python.
    precision: Option<Precision>,
}

/// Numbers of a scalar input: an axis of strides, in elements.
#[derive(Debug, Clone)]
struct Strided<T> {
    start: *const T,
    /// Length and stride of each axis, none of which could be merged with the next; the last varies fastest.
    axes: Vec<(usize, isize)>,
}

// SAFETY: it is only read, and the arrays live as long as the borrowed `Columns`. That nobody writes to them meanwhile is up to
// the caller, as with the functions of numpy that release the interpreter's lock; docs/python.md says so.
#[expect(unsafe_code, reason = "threads read the arrays of the caller")]
unsafe impl<T: Sync> Sync for Strided<T> {}

/// Columns of all scalar inputs, with the arrays that keep their memory.
pub(crate) struct Columns<'py, T: Element> {
    _arrays: Vec<PyReadonlyArrayDyn<'py, T>>,
    strided: Vec<Strided<T>>,
    /// Shape of the points.
    pub(crate) shape: Vec<usize>,
    /// Number of points.
    pub(crate) points: usize,
}

/// The columns of a call, for threads.
pub(crate) struct ColumnsView<'a, T>(&'a [Strided<T>]);

impl<T> Clone for ColumnsView<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ColumnsView<'_, T> {}

/// The function `asarray` of numpy.
fn asarray<'py>(
    py: Python<'py>,
    value: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    static AS_ARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let array = AS_ARRAY.import(py, "numpy", "asarray")?.call1((value,))?;
    Ok(array.cast_into::<PyUntypedArray>()?)
}

impl<'py> Leaf<'py> {
    /// Lets other arguments decide about the precision.
    pub(crate) fn forget_precision(&mut self) {
        self.precision = None;
    }

    /// Reads the argument of an input: a tuple of three for a point has its coordinates.
    pub(crate) fn read(
        input: &PortSpec,
        value: &Bound<'py, PyAny>,
        leaves: &mut Vec<Leaf<'py>>,
    ) -> PyResult<()> {
        if input.ty == Type::Float3
            && let Ok(tuple) = value.cast::<PyTuple>()
        {
            if tuple.len() != 3 {
                let message = format!("{} is a tuple of {}", input.name, tuple.len());
                let hint = "give (x, y, z), or an array whose last axis has 3 coordinates";
                return Err(invalid(value.py(), message, hint));
            }
            for coordinate in tuple.iter() {
                leaves.push(Leaf::new(&input.name, &coordinate, &[])?);
            }
            return Ok(());
        }
        let inner: &[usize] = match input.ty {
            Type::Float3 => &[3],
            Type::Matrix4x4 => &[4, 4],
            Type::Float | Type::Integer | Type::String | Type::ResourceId => &[],
        };
        leaves.push(Leaf::new(&input.name, value, inner)?);
        Ok(())
    }

    fn new(name: &str, value: &Bound<'py, PyAny>, inner: &[usize]) -> PyResult<Leaf<'py>> {
        let py = value.py();
        let is_number =
            value.is_exact_instance_of::<PyFloat>() || value.is_exact_instance_of::<PyInt>();
        let array = match value.cast::<PyUntypedArray>() {
            Ok(array) => array.clone(),
            Err(_) => asarray(py, value)?,
        };
        if array.hasattr(intern!(py, "mask"))? {
            let message = format!("{name} is a masked array");
            return Err(invalid(
                py,
                message,
                "fill it first, as with values.filled(numpy.nan)",
            ));
        }
        let dtype = array.dtype();
        let precision = match (dtype.kind(), dtype.itemsize()) {
            (b'f', 2 | 4) => Precision::Single,
            (b'f', 8) | (b'b' | b'i' | b'u', _) => Precision::Double,
            _ => {
                let message = match dtype.kind() {
                    b'f' | b'c' => format!(
                        "{name} has elements of type {dtype}, which float64 cannot hold; convert them with astype"
                    ),
                    _ => format!("{name} has elements of type {dtype}, which are no numbers"),
                };
                return Err(PyTypeError::new_err(message));
            }
        };
        let shape = array.shape();
        if !shape.ends_with(inner) {
            let message = format!("{name} has the shape {shape:?}");
            let hint = match inner {
                [3] => {
                    "the last axis of points has 3 coordinates; coordinates in three arrays are a tuple (x, y, z)"
                }
                _ => "the last two axes of matrices have 4 rows and 4 columns",
            };
            return Err(invalid(py, message, hint));
        }
        Ok(Leaf {
            precision: (!is_number).then_some(precision),
            inner: inner.len(),
            array,
        })
    }
}

/// Precision of a call: single if all arrays are of single precision, and there are some.
pub(crate) fn precision(leaves: &[Leaf<'_>]) -> Precision {
    let mut asked = leaves.iter().filter_map(|leaf| leaf.precision).peekable();
    let is_single = asked.peek().is_some() && asked.all(|one| one == Precision::Single);
    if is_single {
        Precision::Single
    } else {
        Precision::Double
    }
}

impl<'py, T: Element> Columns<'py, T> {
    /// Broadcasts the arguments of a call.
    ///
    /// # Errors
    /// If their shapes do not agree, or an array cannot be read.
    pub(crate) fn new(py: Python<'py>, leaves: &[Leaf<'py>]) -> PyResult<Self> {
        let shapes = leaves.iter().map(|leaf| {
            let shape = leaf.array.shape();
            &shape[..shape.len() - leaf.inner]
        });
        let shape = broadcast(py, shapes)?;
        let points = shape
            .iter()
            .try_fold(1_usize, |product, length| product.checked_mul(*length))
            .ok_or_else(|| invalid(py, "the arrays have more points than memory can hold", ""))?;
        let mut columns = Vec::new();
        let mut arrays = Vec::with_capacity(leaves.len());
        for leaf in leaves {
            let array = typed::<T>(py, &leaf.array)?;
            let strides = array.strides();
            let size = size_of::<T>() as isize;
            let (outer, inner) = strides.split_at(strides.len() - leaf.inner);
            let lengths = &array.shape()[outer.len()..];
            let own = &array.shape()[..outer.len()];
            let ahead = shape.len() - own.len();
            let axes: Vec<(usize, isize)> = shape
                .iter()
                .enumerate()
                .map(|(axis, &length)| match axis.checked_sub(ahead) {
                    Some(place) if own[place] == length => (length, outer[place] / size),
                    _ => (length, 0),
                })
                .collect();
            let axes = merged(&axes);
            let count: usize = lengths.iter().product();
            for component in 0..count {
                let offset = match inner {
                    [] => 0,
                    [stride] => component as isize * stride,
                    [row, column] => {
                        (component / 4) as isize * row + (component % 4) as isize * column
                    }
                    _ => unreachable!("components have at most two axes"),
                };
                // An array without points has no components to be read.
                let start = array.data().wrapping_offset(offset / size);
                let axes = axes.clone();
                columns.push(Strided {
                    start: start.cast_const(),
                    axes,
                });
            }
            arrays.push(array.try_readonly()?);
        }
        Ok(Columns {
            _arrays: arrays,
            strided: columns,
            shape,
            points,
        })
    }

    pub(crate) fn view(&self) -> ColumnsView<'_, T> {
        ColumnsView(&self.strided)
    }
}

impl<'a, T: Copy> ColumnsView<'a, T> {
    /// Number of columns.
    pub(crate) fn count(self) -> usize {
        self.0.len()
    }

    /// The numbers of an input at the points from `from` on, as many as `scratch` can take if they have to be gathered.
    pub(crate) fn numbers<'s>(
        self,
        input: usize,
        from: usize,
        count: usize,
        scratch: &'s mut Vec<T>,
    ) -> &'s [T]
    where
        'a: 's,
    {
        let column = &self.0[input];
        #[expect(
            unsafe_code,
            reason = "the arrays of the caller are read where they are"
        )]
        if let [(length, 1)] = column.axes[..]
            && from + count <= length
        {
            // SAFETY: the axis has `length` numbers one after the other, in an array that is alive and aligned.
            return unsafe { std::slice::from_raw_parts(column.start.add(from), count) };
        }
        scratch.clear();
        column.gather(from, count, scratch);
        scratch
    }
}

impl<T: Copy> Strided<T> {
    /// Appends the numbers of the points from `from` on, of which there are `count`.
    fn gather(&self, from: usize, count: usize, to: &mut Vec<T>) {
        let (row, stride) = self.axes.last().copied().unwrap_or((1, 0));
        let outer = &self.axes[..self.axes.len().saturating_sub(1)];
        let mut next = from;
        while next < from + count {
            let (mut rest, mut offset) = (next / row, 0);
            for &(length, stride) in outer.iter().rev() {
                offset += (rest % length) as isize * stride;
                rest /= length;
            }
            let first = next % row;
            let last = (first + from + count - next).min(row);
            for place in first..last {
                let at = offset + place as isize * stride;
                // SAFETY: the place is within the axes of an array that is alive and aligned.
                #[expect(
                    unsafe_code,
                    reason = "the arrays of the caller are read where they are"
                )]
                to.push(unsafe { *self.start.offset(at) });
            }
            next += last - first;
        }
    }
}

/// Merges axes that are one in memory.
fn merged(axes: &[(usize, isize)]) -> Vec<(usize, isize)> {
    let mut all: Vec<(usize, isize)> = Vec::with_capacity(axes.len());
    for &(length, stride) in axes.iter().filter(|(length, _)| *length != 1) {
        match all.last_mut() {
            Some((outer, step)) if *step == stride * length as isize => {
                *outer *= length;
                *step = stride;
            }
            _ => all.push((length, stride)),
        }
    }
    if all.is_empty() {
        all.push((1, 0));
    }
    all
}

/// The shape to which all shapes are broadcast, as numpy does.
fn broadcast<'a>(
    py: Python<'_>,
    shapes: impl Iterator<Item = &'a [usize]> + Clone,
) -> PyResult<Vec<usize>> {
    let axes = shapes.clone().map(<[usize]>::len).max().unwrap_or(0);
    let mut all = vec![1; axes];
    for shape in shapes.clone() {
        for (own, length) in all.iter_mut().rev().zip(shape.iter().rev()) {
            if *own == 1 {
                *own = *length;
            } else if *length != 1 && *length != *own {
                let shapes: Vec<String> = shapes.map(|shape| format!("{shape:?}")).collect();
                let message = format!("the shapes {} do not broadcast to one", shapes.join(", "));
                let hint = "axes are compared from the last one on, and must be equal or 1";
                return Err(invalid(py, message, hint));
            }
        }
    }
    Ok(all)
}

/// The array with elements of this type: itself if they are of it, aligned and in the byte order of the machine.
fn typed<'py, T: Element>(
    py: Python<'py>,
    array: &Bound<'py, PyUntypedArray>,
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    static REQUIRE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if let Ok(array) = array.cast::<PyArrayDyn<T>>() {
        let size = size_of::<T>() as isize;
        let aligned =
            array.data().is_aligned() && array.strides().iter().all(|step| step % size == 0);
        if aligned {
            return Ok(array.clone());
        }
    }
    let require = REQUIRE.import(py, "numpy", "require")?;
    let array = require.call1((array, T::get_dtype(py), (intern!(py, "A"),)))?;
    Ok(array.cast_into::<PyArrayDyn<T>>()?)
}

/// An array of this shape, without values.
pub(crate) fn empty<'py, T: Element>(
    py: Python<'py>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    static EMPTY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let shape = PyTuple::new(py, shape)?;
    let array = EMPTY
        .import(py, "numpy", "empty")?
        .call1((shape, T::get_dtype(py)))?;
    Ok(array.cast_into::<PyArrayDyn<T>>()?)
}
