//! `Function`: a function that is called with numbers and arrays.

use std::sync::{Arc, OnceLock};

use fibula_core::expression;
use fibula_eval::{Interval, Settings};
use fibula_geometry::{SampleGrid, Sampler};
use fibula_nodes::{PortSpec, Type, Value};
use fibula_service::{Refusal, run_watched};
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyTuple};

use crate::arrays::{Columns, Leaf, Precision, empty, precision};
use crate::error::{invalid, raised};
use crate::evaluator::{Compiled, Number, PIECE, Prepared, run, run_here};
use crate::graph;
use crate::handle::Graph;
use crate::values::described;
use crate::watch::{pool, watched_in_pool};

/// Points up to which the interpreter's lock is kept: another thread would take longer to get it than the values take.
const FEW: usize = 512;

/// A compiled function, or why it cannot be compiled.
type Compilation = OnceLock<Result<Arc<Compiled>, Refusal>>;

/// A function that is called with numbers and arrays.
#[pyclass(frozen, subclass, module = "fibula._native")]
pub(crate) struct Function {
    graph: Arc<graph::Graph>,
    /// With the defaults of inputs as constants.
    closed: Compilation,
    /// With all inputs.
    open: Compilation,
}

/// Arguments of a call: for each input of the compiled function, what was given or its default.
struct Arguments<'py> {
    compiled: Arc<Compiled>,
    /// For each input; true for a default, which has no precision of its own.
    values: Vec<(Bound<'py, PyAny>, bool)>,
}

#[pymethods]
impl Function {
    #[new]
    fn new(graph: &Graph) -> Self {
        Function {
            graph: graph.0.clone(),
            closed: OnceLock::new(),
            open: OnceLock::new(),
        }
    }

    #[getter]
    fn graph(&self) -> Graph {
        Graph(self.graph.clone())
    }

    #[getter]
    fn name(&self) -> &str {
        self.graph.name()
    }

    /// Hash of the content, in hexadecimal digits.
    #[getter]
    fn digest(&self) -> String {
        self.graph.digest()
    }

    /// Name, type and default (JSON) of each input.
    #[getter]
    fn input_ports(&self) -> Vec<(String, String, Option<String>)> {
        described(self.graph.inputs())
    }

    /// Name, type and None for each output.
    #[getter]
    fn output_ports(&self) -> Vec<(String, String, Option<String>)> {
        described(self.graph.outputs())
    }

    /// The expression of the function.
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        let text = self.graph.assemble().and_then(|assembled| {
            let text = expression::print(&assembled.document, assembled.function);
            text.map_err(Refusal::from)
        });
        text.map_err(|refusal| raised(py, &refusal))
    }

    /// Number of nodes of the function itself.
    #[getter]
    fn node_count(&self) -> usize {
        self.graph.data().nodes.len()
    }

    /// Number of instructions of the compiled function.
    fn instructions(&self, py: Python<'_>) -> PyResult<usize> {
        let code = self.compiled(py, true)?;
        let code = code.tape.code(fibula_eval::Rounding::Exact);
        Ok(code.instructions().len())
    }

    #[pyo3(signature = (*arguments, **keywords))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        arguments: &Bound<'py, PyTuple>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some(value) = self.at_point(py, arguments, keywords)? {
            return Ok(value);
        }
        let Arguments { compiled, values } = self.arguments(py, arguments, keywords)?;
        let leaves = leaves(compiled.tape.inputs(), &values)?;
        let shapes = compiled.tape.outputs().iter().map(|port| (port, &[][..]));
        let shapes = shapes.collect::<Vec<_>>();
        match precision(&leaves) {
            Precision::Single => values_at(py, &compiled.values::<f32>(), 0, &leaves, &shapes),
            Precision::Double => values_at(py, &compiled.values::<f64>(), 0, &leaves, &shapes),
        }
    }

    /// Derivatives of the outputs by an input, the first if it is not named: for each output an array whose last axis has
    /// the components of that input, if it has any.
    fn derivatives<'py>(
        &self,
        py: Python<'py>,
        arguments: &Bound<'py, PyTuple>,
        keywords: &Bound<'py, PyDict>,
        by: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Arguments { compiled, values } = self.arguments(py, arguments, Some(keywords))?;
        let inputs = compiled.tape.inputs();
        let input = match by {
            None => (!inputs.is_empty()).then_some(0),
            Some(name) => inputs.iter().position(|input| input.name == name),
        };
        let Some(input) = input else {
            let names: Vec<&str> = inputs.iter().map(|input| input.name.as_str()).collect();
            let (message, hint) = match by {
                None => (
                    "a function without inputs has no gradient".to_owned(),
                    "give values for inputs that have defaults to vary them".to_owned(),
                ),
                Some(by) => (
                    format!("the call varies no input {by}"),
                    format!(
                        "it varies {}; give values for others to vary them",
                        names.join(", ")
                    ),
                ),
            };
            return Err(invalid(py, message, &hint));
        };
        let leaves = leaves(inputs, &values)?;
        let components: &[usize] = match inputs[input].ty {
            Type::Float3 => &[3],
            Type::Matrix4x4 => &[4, 4],
            Type::Float | Type::Integer | Type::String | Type::ResourceId => &[],
        };
        let outputs = compiled.tape.outputs().iter();
        let shapes = outputs.map(|port| (port, components)).collect::<Vec<_>>();
        let skipped = compiled.tape.output_width();
        match precision(&leaves) {
            Precision::Single => values_at(
                py,
                &compiled.gradient::<f32>(input),
                skipped,
                &leaves,
                &shapes,
            ),
            Precision::Double => values_at(
                py,
                &compiled.gradient::<f64>(input),
                skipped,
                &leaves,
                &shapes,
            ),
        }
    }

    /// Bounds of each scalar output where each scalar input is in an interval, and whether it may be undefined.
    fn intervals(
        &self,
        py: Python<'_>,
        region: Vec<(f64, f64)>,
    ) -> PyResult<Vec<(f64, f64, bool)>> {
        let compiled = self.compiled(py, true)?;
        let wanted = compiled.tape.input_width();
        if region.len() != wanted {
            let message = format!("{} intervals for {wanted} scalar inputs", region.len());
            return Err(invalid(
                py,
                message,
                "give the lower and the upper corner of a box",
            ));
        }
        if let Some((low, high)) = region
            .iter()
            .find(|(low, high)| !matches!(low.partial_cmp(high), Some(order) if order.is_le()))
        {
            let message = format!("{low} to {high} is no interval");
            return Err(invalid(
                py,
                message,
                "give the lower corner first, without NaN",
            ));
        }
        let region: Vec<Interval<f64>> = region
            .into_iter()
            .map(|(low, high)| Interval::new(low, high))
            .collect();
        Ok(py.detach(|| compiled.bounds(&region)))
    }

    /// Values on a grid: `axes` are the coordinates of the scalar inputs; the array of each output has an axis for each
    /// component that it has, and one for each of them.
    fn grid_double<'py>(
        &self,
        py: Python<'py>,
        axes: Vec<PyReadonlyArray1<'py, f64>>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.grid(py, &axes, progress)
    }

    /// As `grid_double`, in single precision.
    fn grid_single<'py>(
        &self,
        py: Python<'py>,
        axes: Vec<PyReadonlyArray1<'py, f32>>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.grid(py, &axes, progress)
    }
}

impl Function {
    /// The compiled function: with its defaults as constants, or with all inputs.
    fn compiled(&self, py: Python<'_>, closed: bool) -> PyResult<Arc<Compiled>> {
        let compile = |graph: &Arc<graph::Graph>| {
            let compiled = Compiled::new(graph.tape()?)?;
            Ok(Arc::new(compiled))
        };
        let place = if closed { &self.closed } else { &self.open };
        let compiled = place.get().unwrap_or_else(|| {
            // Nobody waits for another thread's compilation with the interpreter's lock.
            py.detach(|| {
                place.get_or_init(|| {
                    if closed {
                        compile(&self.graph.closed()?)
                    } else {
                        compile(&self.graph)
                    }
                })
            })
        });
        compiled.clone().map_err(|refusal| raised(py, &refusal))
    }

    /// The value at one point whose coordinates are numbers of Python; `None` if the call is of another form.
    fn at_point<'py>(
        &self,
        py: Python<'py>,
        arguments: &Bound<'py, PyTuple>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        const MOST: usize = 16;
        if keywords.is_some_and(|keywords| !keywords.is_empty()) {
            return Ok(None);
        }
        let compiled = self.compiled(py, true)?;
        let inputs = compiled.tape.inputs();
        let [output] = compiled.tape.outputs() else {
            return Ok(None);
        };
        // Positions are those of all inputs: the first ones are given, and all others have defaults.
        let mut all = self.graph.inputs().iter().enumerate();
        let is_given = |(place, input): (usize, &PortSpec)| {
            input.default_value().is_none() == (place < arguments.len())
        };
        if output.ty != Type::Float || arguments.len() != inputs.len() || !all.all(is_given) {
            return Ok(None);
        }
        let mut point = [0.0; MOST];
        let mut filled = 0;
        let mut push = |value: &Bound<'py, PyAny>| -> PyResult<bool> {
            let is_number =
                value.is_exact_instance_of::<PyFloat>() || value.is_exact_instance_of::<PyInt>();
            if !is_number || filled == MOST {
                return Ok(false);
            }
            point[filled] = value.extract()?;
            filled += 1;
            Ok(true)
        };
        for (input, value) in inputs.iter().zip(arguments.iter_borrowed()) {
            let is_taken = match (input.ty, value.cast::<PyTuple>()) {
                (Type::Float, Err(_)) => push(&value)?,
                (Type::Float3, Ok(tuple)) if tuple.len() == 3 => {
                    let mut all = true;
                    for coordinate in tuple.iter_borrowed() {
                        all = all && push(&coordinate)?;
                    }
                    all
                }
                _ => false,
            };
            if !is_taken {
                return Ok(None);
            }
        }
        let mut value = [0.0];
        compiled.tape.evaluator().run(&point[..filled], &mut value);
        Ok(Some(PyFloat::new(py, value[0]).into_any()))
    }

    /// Assigns arguments to inputs.
    fn arguments<'py>(
        &self,
        py: Python<'py>,
        arguments: &Bound<'py, PyTuple>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Arguments<'py>> {
        let inputs = self.graph.inputs();
        let listed = || {
            let all: Vec<String> = inputs.iter().map(ToString::to_string).collect();
            format!("the inputs are {}", all.join(", "))
        };
        if arguments.len() > inputs.len() {
            let message = format!("{} arguments for {} inputs", arguments.len(), inputs.len());
            let hint = format!(
                "{}; coordinates in three arrays are a tuple (x, y, z)",
                listed()
            );
            return Err(invalid(py, message, &hint));
        }
        let mut given: Vec<Option<Bound<'py, PyAny>>> = vec![None; inputs.len()];
        for (place, value) in given.iter_mut().zip(arguments.iter()) {
            *place = Some(value);
        }
        for (name, value) in keywords.into_iter().flatten() {
            let name: String = name.extract()?;
            let Some(place) = inputs.iter().position(|input| input.name == name) else {
                let refusal =
                    Refusal::new("unknown_argument", format!("there is no input '{name}'"));
                return Err(raised(py, &refusal.hint(listed())));
            };
            if given[place].replace(value).is_some() {
                return Err(invalid(py, format!("{name} is given twice"), &listed()));
            }
        }
        let is_default = |(input, given): (&PortSpec, &Option<Bound<'py, PyAny>>)| {
            input.default_value().is_none() || given.is_none()
        };
        let closed = inputs.iter().zip(&given).all(is_default);
        let mut values = Vec::with_capacity(inputs.len());
        let mut missing = Vec::new();
        for (input, given) in inputs.iter().zip(given) {
            match (given, input.default_value()) {
                (Some(given), _) => values.push((given, false)),
                (None, Some(_)) if closed => {}
                (None, Some(default)) => values.push((constant(py, default)?, true)),
                (None, None) => missing.push(input.name.as_str()),
            }
        }
        if !missing.is_empty() {
            let message = format!("{} missing", missing.join(", "));
            let refusal = Refusal::new("missing_argument", message).hint(listed());
            return Err(raised(py, &refusal));
        }
        let compiled = self.compiled(py, closed)?;
        Ok(Arguments { compiled, values })
    }

    fn grid<'py, T: Number>(
        &self,
        py: Python<'py>,
        axes: &[PyReadonlyArray1<'py, T>],
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let compiled = self.compiled(py, true)?;
        let wanted = compiled.tape.input_width();
        if axes.len() != wanted || !(1..=3).contains(&wanted) {
            let message = format!(
                "{} axes for a function of {wanted} scalar inputs",
                axes.len()
            );
            return Err(invalid(
                py,
                message,
                "a grid has an axis for each of one to three of them",
            ));
        }
        let coordinates: Vec<&[T]> = axes
            .iter()
            .map(|axis| axis.as_slice())
            .collect::<Result<_, _>>()?;
        let lengths: Vec<usize> = coordinates.iter().map(|axis| axis.len()).collect();
        let arrays = PyDict::new(py);
        let mut outputs = Vec::new();
        for port in compiled.tape.outputs() {
            let mut shape = vec![port.ty.width()];
            shape.extend(&lengths);
            let array = empty::<T>(py, &shape)?;
            arrays.set_item(&port.name, &array)?;
            outputs.push(array.try_readwrite()?);
        }
        let points: usize = lengths.iter().product();
        if points == 0 {
            return Ok(arrays);
        }
        let mut slices: Vec<&mut [T]> = Vec::new();
        for output in &mut outputs {
            slices.extend(output.as_slice_mut()?.chunks_mut(points));
        }
        // The last axis varies fastest, as in arrays of numpy.
        let axes = coordinates.iter().copied().enumerate().rev();
        let axes: Vec<(usize, &[T])> = axes.collect();
        let pool = pool(py)?;
        watched_in_pool(py, progress.as_ref(), |watch| {
            let sampler = Sampler::<T>::new(&compiled.tape, T::ROUNDING, Settings::default());
            let grid = SampleGrid {
                axes: &axes,
                others: &[],
            };
            let done = run_watched(points as u64, watch, |progress| {
                let watch = |done, _| progress.report(done);
                pool.install(|| sampler.grid(&grid, &mut slices, &watch))
            });
            done.map_err(|_| Refusal::cancelled())
        })?;
        Ok(arrays)
    }
}

/// Reads the arguments of all inputs.
fn leaves<'py>(
    inputs: &[PortSpec],
    values: &[(Bound<'py, PyAny>, bool)],
) -> PyResult<Vec<Leaf<'py>>> {
    let mut leaves = Vec::new();
    for (input, (value, is_default)) in inputs.iter().zip(values) {
        let first = leaves.len();
        Leaf::read(input, value, &mut leaves)?;
        if *is_default {
            leaves[first..].iter_mut().for_each(Leaf::forget_precision);
        }
    }
    Ok(leaves)
}

/// Computes the scalar outputs of a batch from `skipped` on: an array for each port, whose last axes are its components and
/// those given beside it.
fn values_at<'py, T: Number>(
    py: Python<'py>,
    batch: &Prepared<T>,
    skipped: usize,
    leaves: &[Leaf<'py>],
    ports: &[(&PortSpec, &[usize])],
) -> PyResult<Bound<'py, PyAny>> {
    let columns = Columns::<T>::new(py, leaves)?;
    let mut arrays: Vec<Bound<'py, PyArrayDyn<T>>> = Vec::with_capacity(ports.len());
    let mut widths = Vec::with_capacity(ports.len());
    for (port, further) in ports {
        let own: &[usize] = match port.ty {
            Type::Float3 => &[3],
            Type::Matrix4x4 => &[4, 4],
            Type::Float | Type::Integer | Type::String | Type::ResourceId => &[],
        };
        let shape = [&columns.shape, own, further].concat();
        widths.push(own.iter().chain(*further).product::<usize>());
        arrays.push(empty(py, &shape)?);
    }
    if columns.points > 0 {
        let locked = arrays.iter().map(PyArrayMethods::try_readwrite);
        let mut locked: Vec<_> = locked.collect::<Result<_, _>>()?;
        let slices = locked.iter_mut().zip(&widths);
        let slices = slices.map(|(array, width)| Ok((array.as_slice_mut()?, *width)));
        let slices: Vec<_> = slices.collect::<PyResult<_>>()?;
        let (view, points) = (columns.view(), columns.points);
        let outputs = (skipped, slices);
        if points <= FEW {
            run_here(batch, view, points, outputs);
        } else if points <= PIECE {
            py.detach(|| run_here(batch, view, points, outputs));
        } else {
            let pool = pool(py)?;
            watched_in_pool(py, None, |watch| {
                run((batch, &pool), view, points, outputs, watch)
            })?;
        }
    }
    let mut results = Vec::with_capacity(arrays.len());
    for array in arrays {
        results.push(if columns.shape.is_empty() && array.ndim() == 0 {
            array.call_method0(intern!(py, "item"))?
        } else {
            array.into_any()
        });
    }
    if let [_] = ports {
        return Ok(results.remove(0));
    }
    let named = PyDict::new(py);
    for ((port, _), result) in ports.iter().zip(results) {
        named.set_item(&port.name, result)?;
    }
    Ok(named.into_any())
}

/// A default as an argument.
fn constant<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    let scalars: Vec<f64> = value.scalars().to_vec();
    Ok(match value {
        Value::Float3(_) => PyTuple::new(py, scalars)?.into_any(),
        Value::Matrix4x4(_) => {
            let flat = PyArray1::from_vec(py, scalars);
            flat.reshape([4, 4])?.into_any()
        }
        _ => PyFloat::new(py, scalars.first().copied().unwrap_or(f64::NAN)).into_any(),
    })
}
