//! `Project`: a project of a store, or in memory. Requests and answers are JSON; meshes, slices and masks are arrays.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use fibula_core::edit::Origin;
use fibula_core::graph::FunctionId;
use fibula_geometry::{self as geometry, Bounds, MeshSettings, Shape};
use fibula_server::in_process::{self, Reply};
use fibula_server::operation::Call;
use fibula_service::{
    self as service, Heights, Limits, MakeMasks, MakeMesh, MakeSlices, MakeTriangles, MeshFile,
    PartSeparation, Refusal, Removable, Service, Simplify, Subject, make_masks, make_slices,
    removal, run_watched,
};
use fibula_store::{Memory, Sqlite, Store, sqlite};
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::error::{forked, invalid, raised};
use crate::graph;
use crate::handle::Graph;
use crate::watch::watched;

/// Steps of progress.
const PARTS: u64 = 1_000;

/// A project of a store, or in memory.
#[pyclass(frozen, module = "fibula._native")]
pub(crate) struct Project {
    service: Arc<Service>,
    name: String,
    author: String,
    /// The process that opened it: connections to a store do not survive a fork.
    process: u32,
}

/// A subject with the settings of its mesh, slices or masks.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Making {
    #[serde(flatten)]
    subject: SubjectKeys,
    bounds: Option<[[f64; 3]; 2]>,
    cell: Option<f64>,
    accuracy: Option<f64>,
    simplify: Option<f64>,
    #[serde(default)]
    remove: Vec<Removable>,
    heights: Option<Vec<f64>>,
    layer: Option<f64>,
    tolerance: Option<f64>,
    pixel: Option<f64>,
}

#[derive(Debug, Deserialize)]
struct SubjectKeys {
    revision: Option<u64>,
    object_id: Option<fibula_nodes::ResourceId>,
    function_id: Option<FunctionId>,
    output: Option<String>,
    arguments: Option<serde_json::Map<String, Json>>,
}

/// Vertices, triangles, colours of the vertices if there are some, and the properties as JSON.
type MeshArrays<'py> = (
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<u32>>,
    Option<Bound<'py, PyArray2<f32>>>,
    String,
);

/// Vertices, triangles, and the properties as JSON.
type PlainMeshArrays<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<u32>>, String);

/// Masks of layers from the lowest, their heights, and the properties as JSON.
type MaskArrays<'py> = (
    Bound<'py, PyArray3<bool>>,
    Bound<'py, PyArray1<f64>>,
    String,
);

#[pymethods]
impl Project {
    /// Opens a project of a store in a file; without a path, one in memory.
    #[staticmethod]
    #[pyo3(signature = (path, name, author, read_only))]
    fn open(
        py: Python<'_>,
        path: Option<PathBuf>,
        name: String,
        author: String,
        read_only: bool,
    ) -> PyResult<Project> {
        let opened = py.detach(|| -> Result<Arc<dyn Store>, Refusal> {
            let Some(path) = path else {
                return Ok(Arc::new(Memory::default()));
            };
            let options = sqlite::Options {
                read_only,
                ..sqlite::Options::default()
            };
            Ok(Arc::new(Sqlite::open(&path, &options)?))
        });
        let store = opened.map_err(|refusal| raised(py, &refusal))?;
        let options = service::Options {
            most_work: u64::MAX,
            ..service::Options::default()
        };
        Ok(Project {
            service: Arc::new(Service::with_store(store, &options)),
            name,
            author,
            process: process::id(),
        })
    }

    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Name of the author of changes.
    #[getter]
    fn author(&self) -> &str {
        &self.author
    }

    /// Another project of the same store.
    fn sibling(&self, name: String) -> Project {
        Project {
            service: self.service.clone(),
            name,
            author: self.author.clone(),
            process: self.process,
        }
    }

    /// Calls an operation: the answer is text of JSON, or the bytes of a file and its warnings.
    #[pyo3(signature = (operation, request, progress=None))]
    fn call<'py>(
        &self,
        py: Python<'py>,
        operation: &str,
        request: &str,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.check_process(py)?;
        let request: Json = parsed(py, request)?;
        let call = Call {
            service: self.service.clone(),
            origin: Origin::program(&self.author, operation),
        };
        let reply = watched(py, progress, |watch| {
            let reply = in_process::call(&call, operation, &request, watch)?;
            Ok(match reply {
                Reply::Json(answer) => Reply::Json(Json::String(answer.to_string())),
                other => other,
            })
        })?;
        match reply {
            Reply::Json(Json::String(text)) => Ok(text.into_pyobject(py)?.into_any()),
            Reply::File {
                bytes, warnings, ..
            } => {
                let file = (PyBytes::new(py, &bytes), warnings);
                Ok(file.into_pyobject(py)?.into_any())
            }
            _ => unreachable!("answers are texts or files"),
        }
    }

    /// A function of the project as a value.
    #[pyo3(signature = (function, revision=None))]
    fn graph(&self, py: Python<'_>, function: u32, revision: Option<u64>) -> PyResult<Graph> {
        self.check_process(py)?;
        let graph = py.detach(|| {
            let id = FunctionId(function);
            let closure = self
                .service
                .function_closure(Some(&self.name), revision, id)?;
            graph::Graph::from_document(&closure.document, id, &closure.contents)
        });
        graph.map(Graph).map_err(|refusal| raised(py, &refusal))
    }

    /// Inserts functions with what they call: their ids, and the answer as JSON.
    fn insert(
        &self,
        py: Python<'_>,
        graphs: Vec<PyRef<'_, Graph>>,
    ) -> PyResult<(Vec<u32>, String)> {
        self.check_process(py)?;
        let graphs: Vec<Arc<graph::Graph>> = graphs.iter().map(|graph| graph.0.clone()).collect();
        let (model, ids) = graph::Graph::model(&graphs);
        let origin = Origin::program(&self.author, "add");
        let names: Vec<&str> = graphs.iter().map(|graph| graph.name()).collect();
        let source = format!("Python: {}", names.join(", "));
        let imported = watched(py, None, |watch| {
            let name = Some(self.name.as_str());
            self.service
                .insert_model(&origin, name, &model, &source, watch)
        })?;
        let new = |id: FunctionId| {
            imported
                .renumbered
                .get(&id.to_string())
                .copied()
                .unwrap_or(id.0)
        };
        let ids = ids.into_iter().map(new).collect();
        Ok((ids, json!(imported).to_string()))
    }

    /// Meshes a subject.
    #[pyo3(signature = (request, progress=None))]
    fn mesh<'py>(
        &self,
        py: Python<'py>,
        request: &str,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<MeshArrays<'py>> {
        self.check_process(py)?;
        let making: Making = parsed(py, request)?;
        let (whole, info) = watched(py, progress, |watch| {
            let request = MakeTriangles {
                mesh: MakeMesh {
                    bounds: making.bounds()?,
                    cell: making.cell,
                    accuracy: making.accuracy,
                    simplify: making.simplify.map(|tolerance| Simplify {
                        tolerance: Some(tolerance),
                        triangles: None,
                    }),
                    remove: removal(&making.remove),
                    ..MakeMesh::default()
                },
                apart: PartSeparation::Never,
                file: Some(MeshFile::Package),
            };
            let (revision, subject) = making.subject();
            let name = Some(self.name.as_str());
            let source = self
                .service
                .resolve_triangles(name, revision, &subject, &request)?;
            let parts = source.make(&request.mesh, watch)?;
            let (warnings, unit) = (parts.warnings(), parts.unit());
            let info = json!({ "info": parts.info, "warnings": warnings, "unit": unit });
            Ok((parts.joined()?, info))
        })?;
        let vertices = rows(py, whole.vertices)?;
        let triangles = rows(py, whole.triangles)?;
        let colors = whole.colors.map(|colors| rows(py, colors)).transpose()?;
        Ok((vertices, triangles, colors, info.to_string()))
    }

    /// Meshes a subject without searching the mesh for faults: vertices, triangles, and the properties as JSON.
    #[pyo3(signature = (request, progress=None))]
    fn unchecked_mesh<'py>(
        &self,
        py: Python<'py>,
        request: &str,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<PlainMeshArrays<'py>> {
        self.check_process(py)?;
        let making: Making = parsed(py, request)?;
        let (made, info) = watched(py, progress, |watch| {
            let missing = || {
                Refusal::new("missing_argument", "no cell is given")
                    .hint("pass cell, the longest edge of a cell")
            };
            let cell = making.cell.ok_or_else(missing)?;
            let is_checked = making.accuracy.is_some() || making.simplify.is_some();
            if is_checked || !making.remove.is_empty() {
                let message = "an accuracy, a simplification and a removal need the checks";
                return Err(Refusal::new("invalid_arguments", message).hint("omit check=False"));
            }
            let resolved = self.shape(&making)?;
            let shape = Shape::new(&resolved.tape)?;
            let bounds = resolved.bounds_or(making.bounds()?, &shape, watch)?;
            let meshed = run_watched(PARTS, watch, |progress| {
                let watch = |done: u64, total: u64| {
                    progress.report(done.saturating_mul(PARTS) / total.max(1))
                };
                geometry::mesh(&shape, &MeshSettings::new(bounds, cell), &watch)
            })?;
            let info = json!({ "warnings": resolved.warnings, "unit": resolved.unit.name() });
            Ok((meshed.mesh, info))
        })?;
        let vertices = rows(py, made.vertices().to_vec())?;
        let triangles = rows(py, made.triangles().to_vec())?;
        Ok((vertices, triangles, info.to_string()))
    }

    /// Slices a subject: for each slice the height, the contours as (points, depth), and the error of the area; and the
    /// properties as JSON.
    #[pyo3(signature = (request, progress=None))]
    fn slices<'py>(
        &self,
        py: Python<'py>,
        request: &str,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Bound<'py, PyList>, String)> {
        self.check_process(py)?;
        let making: Making = parsed(py, request)?;
        let made = watched(py, progress, |watch| {
            let request = MakeSlices {
                bounds: making.bounds()?,
                heights: making.heights()?,
                cell: making.cell,
                tolerance: making.tolerance,
                accuracy: making.accuracy,
                area_points: service::AREA_POINTS,
                limits: Limits::default(),
            };
            make_slices(&self.shape(&making)?, &request, watch)
        })?;
        let list = PyList::empty(py);
        for slice in made.slices {
            let contours = PyList::empty(py);
            for contour in slice.contours {
                contours.append((rows(py, contour.points)?, contour.depth))?;
            }
            list.append((slice.z, contours, slice.area_error))?;
        }
        let info = json!({
            "bounds": <[[f64; 3]; 2]>::from(made.bounds),
            "tolerance": made.tolerance,
            "cell": made.cell,
            "unit": made.unit,
            "warnings": made.warnings,
        });
        Ok((list, info.to_string()))
    }

    /// Masks of a subject.
    #[pyo3(signature = (request, progress=None))]
    fn masks<'py>(
        &self,
        py: Python<'py>,
        request: &str,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<MaskArrays<'py>> {
        self.check_process(py)?;
        let making: Making = parsed(py, request)?;
        let (made, pixels) = watched(py, progress, |watch| {
            let missing = || {
                Refusal::new("missing_argument", "no size of a pixel is given")
                    .hint("pass pixel, the side of a pixel")
            };
            let request = MakeMasks {
                bounds: making.bounds()?,
                heights: making.heights()?,
                pixel: making.pixel.ok_or_else(missing)?,
                limits: Limits::default(),
            };
            let mut pixels: Vec<bool> = Vec::new();
            let mut undecoded = None;
            let made = make_masks(
                &self.shape(&making)?,
                &request,
                &mut |layer| match decoded(layer.png, &mut pixels) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(error) => {
                        undecoded = Some(error);
                        ControlFlow::Break(())
                    }
                },
                watch,
            );
            match undecoded {
                Some(error) => Err(Refusal::new("internal", error)),
                None => Ok((made?, pixels)),
            }
        })?;
        let heights: Vec<f64> = made.layers.iter().map(|(height, _)| *height).collect();
        let [width, height] = made.size;
        let masks = PyArray1::from_vec(py, pixels).reshape([heights.len(), height, width])?;
        let info = json!({
            "bounds": <[[f64; 3]; 2]>::from(made.bounds),
            "pixel": made.pixel,
            "pixels": made.layers.iter().map(|(_, pixels)| *pixels).collect::<Vec<u64>>(),
            "warnings": made.warnings,
        });
        Ok((masks, PyArray1::from_vec(py, heights), info.to_string()))
    }

    /// Changes from now on, or after the event of this id.
    #[pyo3(signature = (after=None))]
    fn events(&self, py: Python<'_>, after: Option<&str>) -> PyResult<Events> {
        self.check_process(py)?;
        let events = self.service.events(Some(&self.name), after);
        let events = events.map_err(|refusal| raised(py, &refusal))?;
        Ok(Events {
            events: Mutex::new(events),
            process: self.process,
        })
    }
}

impl Project {
    fn check_process(&self, py: Python<'_>) -> PyResult<()> {
        if self.process == process::id() {
            return Ok(());
        }
        Err(raised(py, &forked("projects")))
    }

    fn shape(&self, making: &Making) -> Result<service::ResolvedShape, Refusal> {
        let (revision, subject) = making.subject();
        let subject = Subject {
            plain: true,
            ..subject
        };
        self.service
            .resolve_shape(Some(&self.name), revision, &subject)
    }
}

impl Making {
    fn subject(&self) -> (Option<u64>, Subject) {
        let keys = &self.subject;
        let subject = Subject {
            object_id: keys.object_id,
            function_id: keys.function_id,
            output: keys.output.clone(),
            arguments: keys.arguments.clone(),
            ..Subject::default()
        };
        (keys.revision, subject)
    }

    fn bounds(&self) -> Result<Option<Bounds>, Refusal> {
        let bounds = self.bounds.map(|[low, high]| Bounds::new(low, high));
        bounds.transpose().map_err(|error| {
            Refusal::new("invalid_value", error.to_string()).hint("give the lower corner first")
        })
    }

    fn heights(&self) -> Result<Heights, Refusal> {
        match (&self.heights, self.layer) {
            (Some(heights), None) => Ok(Heights::At(heights.clone())),
            (None, Some(layer)) => Ok(Heights::Layers(layer)),
            (Some(_), Some(_)) | (None, None) => Err(Refusal::new(
                "invalid_arguments",
                "give either heights or a layer",
            )
            .hint("heights are numbers, and a layer is its thickness")),
        }
    }
}

/// Changes of a project, in their order.
#[pyclass(frozen, module = "fibula._native")]
pub(crate) struct Events {
    events: Mutex<service::Events>,
    process: u32,
}

#[pymethods]
impl Events {
    /// The next change as JSON; `None` after so many seconds without one.
    #[pyo3(signature = (timeout=None))]
    fn next(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<Option<String>> {
        /// Time between two looks.
        const PERIOD: Duration = Duration::from_millis(20);
        let limit = timeout.map(Duration::try_from_secs_f64).transpose();
        let limit = limit.map_err(|_| {
            invalid(
                py,
                "the timeout is no time in seconds",
                "give a number from 0 on, or None",
            )
        })?;
        if self.process != process::id() {
            return Err(raised(py, &forked("subscriptions")));
        }
        let started = Instant::now();
        loop {
            let event = py.detach(|| {
                let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
                events.ready()
            });
            if let Some(event) = event.map_err(|refusal| raised(py, &refusal))? {
                return Ok(Some(json!(event).to_string()));
            }
            py.check_signals()?;
            if limit.is_some_and(|limit| started.elapsed() >= limit) {
                return Ok(None);
            }
            py.detach(|| thread::sleep(PERIOD));
        }
    }
}

fn parsed<T: serde::de::DeserializeOwned>(py: Python<'_>, text: &str) -> PyResult<T> {
    serde_json::from_str(text)
        .map_err(|error| invalid(py, error.to_string(), "see the docstring for the arguments"))
}

/// An array of rows, which takes the memory of the list.
fn rows<T: numpy::Element, const N: usize>(
    py: Python<'_>,
    rows: Vec<[T; N]>,
) -> PyResult<Bound<'_, PyArray2<T>>> {
    let count = rows.len();
    let flat = PyArray1::from_vec(py, rows.into_flattened());
    flat.reshape([count, N])
}

/// Appends the pixels of a mask, from the lowest row to the highest.
fn decoded(file: &[u8], to: &mut Vec<bool>) -> Result<(), String> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(file));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
    let size = reader.output_buffer_size().ok_or("the mask is too large")?;
    let mut pixels = vec![0; size];
    let frame = reader
        .next_frame(&mut pixels)
        .map_err(|error| error.to_string())?;
    for row in pixels
        .chunks(frame.line_size)
        .take(frame.height as usize)
        .rev()
    {
        to.extend(row[..frame.width as usize].iter().map(|pixel| *pixel > 0));
    }
    Ok(())
}
